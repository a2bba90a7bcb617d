//! Identify Namespace (NVM 1.0, section 4.1.5.1, CNS 00h).

use zerocopy::little_endian::{U16, U32, U64, U128};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{ShortBufferError, view};

/// What a namespace is. Field names are the specification's.
#[derive(Clone, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct IdentifyNamespace {
    /// Size, in logical blocks.
    pub nsze: U64,
    /// Blocks that may hold data at one time.
    pub ncap: U64,
    /// Blocks that hold data now.
    pub nuse: U64,
    /// Features; see [`has_preferred_units`](Self::has_preferred_units) and others.
    pub nsfeat: u8,
    /// LBA formats, 0's based.
    pub nlbaf: u8,
    /// Format in use; see [`format_index`](Self::format_index).
    pub flbas: u8,
    /// Metadata capabilities.
    pub mc: u8,
    /// Data protection capabilities.
    pub dpc: u8,
    /// Data protection in use.
    pub dps: u8,
    /// Multi-path and sharing.
    pub nmic: u8,
    /// Reservations.
    pub rescap: u8,
    /// Progress of a format.
    pub fpi: u8,
    /// Deallocation; see [`deallocated_reads`](Self::deallocated_reads).
    pub dlfeat: u8,
    /// Atomic write unit, in logical blocks, 0's based.
    pub nawun: U16,
    /// Atomic write unit at power failure, in logical blocks, 0's based.
    pub nawupf: U16,
    /// Atomic compare and write unit, in logical blocks, 0's based.
    pub nacwu: U16,
    /// Atomic boundary size, in logical blocks, 0's based.
    pub nabsn: U16,
    /// Atomic boundary offset, in logical blocks.
    pub nabo: U16,
    /// Atomic boundary size at power failure, in logical blocks, 0's based.
    pub nabspf: U16,
    /// Optimal I/O boundary; see [`optimal_boundary_bytes`](Self::optimal_boundary_bytes).
    pub noiob: U16,
    /// Capacity, in bytes; 0 if not reported.
    pub nvmcap: U128,
    /// Preferred write granularity; see [`preferred_units`](Self::preferred_units).
    pub npwg: U16,
    /// Preferred write alignment, in logical blocks, 0's based.
    pub npwa: U16,
    /// Preferred deallocate granularity, in logical blocks, 0's based.
    pub npdg: U16,
    /// Preferred deallocate alignment, in logical blocks, 0's based.
    pub npda: U16,
    /// Optimal write size, in logical blocks, 0's based.
    pub nows: U16,
    /// Longest source range of a copy, in logical blocks.
    pub mssrl: U16,
    /// Longest copy, in logical blocks.
    pub mcl: U32,
    /// Source ranges of a copy, 0's based.
    pub msrc: u8,
    reserved_81: u8,
    /// LBA formats beyond those of NLBAF, with capabilities of their own.
    pub nulbaf: u8,
    reserved_83: [u8; 9],
    /// Asymmetric access group.
    pub anagrpid: U32,
    reserved_96: [u8; 3],
    /// Attributes: bit 0 says that it is write protected.
    pub nsattr: u8,
    /// NVM set.
    pub nvmsetid: U16,
    /// Endurance group.
    pub endgid: U16,
    /// Globally unique identifier, most significant byte first.
    pub nguid: [u8; 16],
    /// Extended unique identifier, most significant byte first.
    pub eui64: [u8; 8],
    /// LBA formats.
    pub lbaf: [LbaFormat; 64],
    /// Vendor's own.
    pub vendor: [u8; 3712],
}

/// One LBA format (NVM 1.0, section 4.1.5.1).
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct LbaFormat {
    /// Metadata with each block, in bytes.
    pub ms: U16,
    /// Block size as a power of two; see [`block_bytes`](Self::block_bytes).
    pub lbads: u8,
    /// Bits 01:00: relative performance, 0 the best.
    pub rp: u8,
}

impl LbaFormat {
    /// Size of a logical block, in bytes; absent if the format is not in use. The specification
    /// allows 512 bytes and more.
    pub fn block_bytes(&self) -> Option<u64> {
        (9..64).contains(&self.lbads).then(|| 1u64 << self.lbads)
    }
}

/// Granularities and alignments that the namespace prefers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferredUnits {
    /// NPWG: smaller writes make the device read, modify and write. The indirection unit, where
    /// the device reports one.
    pub write_granularity_bytes: u64,
    /// NPWA: where such writes should start.
    pub write_alignment_bytes: u64,
    /// NPDG: smaller deallocations may do nothing.
    pub deallocate_granularity_bytes: u64,
    /// NPDA: where deallocations should start.
    pub deallocate_alignment_bytes: u64,
    /// NOWS: writes in multiples of this are fastest.
    pub optimal_write_bytes: u64,
}

/// What a read of a deallocated block returns (DLFEAT bits 02:00).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeallocatedReads {
    /// Not said.
    NotReported,
    /// Zeros.
    Zeros,
    /// Bytes of FFh.
    Ones,
    /// A value that the specification reserves.
    Reserved(u8),
}

impl IdentifyNamespace {
    /// Reads it from the start of a buffer.
    ///
    /// # Errors
    /// When there are fewer than 4096 bytes.
    pub fn parse(bytes: &[u8]) -> Result<&Self, ShortBufferError> {
        view(bytes, "Identify Namespace")
    }

    /// Index of the LBA format in use: FLBAS bits 03:00, and bits 06:05 above them where there are
    /// more than 16 formats.
    pub fn format_index(&self) -> usize {
        let low = usize::from(self.flbas & 0xf);
        let high = if self.last_format() >= 16 { usize::from(self.flbas >> 5 & 0b11) } else { 0 };
        high << 4 | low
    }

    fn last_format(&self) -> usize {
        usize::from(self.nlbaf) + usize::from(self.nulbaf)
    }

    /// The LBA format in use; absent if the namespace names one that it does not have.
    pub fn format(&self) -> Option<&LbaFormat> {
        let index = self.format_index();
        if index > self.last_format() { None } else { self.lbaf.get(index) }
    }

    /// Size of a logical block, in bytes.
    pub fn block_bytes(&self) -> Option<u64> {
        self.format()?.block_bytes()
    }

    /// Size of the namespace, in bytes.
    pub fn size_bytes(&self) -> Option<u64> {
        self.nsze.get().checked_mul(self.block_bytes()?)
    }

    /// Bytes that hold data, as the device counts (NUSE); equals the size where it does not count.
    pub fn used_bytes(&self) -> Option<u64> {
        self.nuse.get().checked_mul(self.block_bytes()?)
    }

    /// Whether blocks are backed by media only when written (NSFEAT bit 0).
    pub fn is_thin(&self) -> bool {
        self.nsfeat & 1 == 1
    }

    /// Whether NPWG, NPWA, NPDG, NPDA and NOWS are defined (NSFEAT bit 4).
    pub fn has_preferred_units(&self) -> bool {
        self.nsfeat >> 4 & 1 == 1
    }

    /// The preferred units in bytes; absent where the namespace does not define them, or where the
    /// block size is not known.
    pub fn preferred_units(&self) -> Option<PreferredUnits> {
        if !self.has_preferred_units() {
            return None;
        }
        let block_bytes = self.block_bytes()?;
        // All five are 0's based counts of logical blocks.
        let bytes = |blocks: U16| (u64::from(blocks.get()) + 1).checked_mul(block_bytes);
        Some(PreferredUnits {
            write_granularity_bytes: bytes(self.npwg)?,
            write_alignment_bytes: bytes(self.npwa)?,
            deallocate_granularity_bytes: bytes(self.npdg)?,
            deallocate_alignment_bytes: bytes(self.npda)?,
            optimal_write_bytes: bytes(self.nows)?,
        })
    }

    /// Boundary that I/O should not cross, in bytes; absent if not reported.
    pub fn optimal_boundary_bytes(&self) -> Option<u64> {
        match self.noiob.get() {
            0 => None,
            blocks => u64::from(blocks).checked_mul(self.block_bytes()?),
        }
    }

    /// What a read of a deallocated block returns.
    pub fn deallocated_reads(&self) -> DeallocatedReads {
        match self.dlfeat & 0b111 {
            0 => DeallocatedReads::NotReported,
            1 => DeallocatedReads::Zeros,
            2 => DeallocatedReads::Ones,
            other => DeallocatedReads::Reserved(other),
        }
    }

    /// Whether the namespace refuses writes now.
    pub fn is_write_protected(&self) -> bool {
        self.nsattr & 1 == 1
    }
}
