//! The envelope around each piece of a payload: kind, version, checksum, compression.

use std::error::Error as StdError;
use std::fmt;

use serde::{Deserialize, Serialize};

const MAGIC: [u8; 2] = *b"fS";
const HEADER_BYTES: usize = 12;
/// Keeps every blob far below SQLite's limit of 10^9 bytes, also for a run of weeks.
const PIECE_BYTES: usize = 8 << 20;
/// An LZ4 block expands at most 255-fold; a length beyond that is a lie that would cost memory.
const LZ4_EXPANSION: usize = 255;

/// What a payload holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Intervals = 1,
    Telemetry = 2,
}

/// Why a blob cannot be read. Its own type: whether it is damaged or newer decides what the store's error says to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlobError {
    Damaged(&'static str),
    /// What could not be done, and why not.
    Codec(&'static str, postcard::Error),
    Newer {
        version: u8,
        known: u8,
    },
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(what) | Self::Codec(what, _) => f.write_str(what),
            Self::Newer { version, known } => {
                write!(f, "its series have version {version}, and this build knows versions up to {known}")
            }
        }
    }
}

impl StdError for BlobError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Codec(_, error) => Some(error),
            Self::Damaged(_) | Self::Newer { .. } => None,
        }
    }
}

/// A payload as it was before compression.
pub(crate) struct Payload {
    pub(crate) version: u8,
    pub(crate) bytes: Vec<u8>,
}

/// Encodes, cuts and wraps a payload.
pub(crate) fn seal(kind: Kind, version: u8, payload: &impl Serialize) -> Result<Vec<Vec<u8>>, BlobError> {
    let bytes = postcard::to_stdvec(payload)
        .map_err(|error| BlobError::Codec("its series cannot be encoded", error))?;
    Ok(bytes.chunks(PIECE_BYTES).map(|piece| wrap(kind, version, piece)).collect())
}

fn wrap(kind: Kind, version: u8, piece: &[u8]) -> Vec<u8> {
    let length = u32::try_from(piece.len()).expect("a piece is at most 8 MiB");
    let mut blob = Vec::with_capacity(HEADER_BYTES + piece.len() / 2);
    blob.extend(MAGIC);
    blob.extend([kind as u8, version]);
    blob.extend([0; 4]);
    blob.extend(length.to_le_bytes());
    blob.extend(lz4_flex::block::compress(piece));
    let crc = checksum(&blob).to_le_bytes();
    blob[4..8].copy_from_slice(&crc);
    blob
}

fn checksum(blob: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&blob[..4]), &blob[8..])
}

/// Checks, unwraps and joins the pieces of one payload, whose version is at most `known`.
pub(crate) fn unseal<P: AsRef<[u8]>>(kind: Kind, known: u8, pieces: &[P]) -> Result<Payload, BlobError> {
    let mut payload = Payload { version: 0, bytes: Vec::new() };
    for piece in pieces {
        let (version, bytes) = unwrap(kind, known, piece.as_ref())?;
        if payload.version != 0 && payload.version != version {
            return Err(BlobError::Damaged("the pieces of its series have different versions"));
        }
        payload.version = version;
        if payload.bytes.is_empty() {
            payload.bytes = bytes;
        } else {
            payload.bytes.extend(bytes);
        }
    }
    if payload.version == 0 {
        return Err(BlobError::Damaged("its series are missing"));
    }
    Ok(payload)
}

fn unwrap(kind: Kind, known: u8, blob: &[u8]) -> Result<(u8, Vec<u8>), BlobError> {
    let damaged = Err(BlobError::Damaged("its series do not have the checksum that was written with them"));
    let Some((header, block)) = blob.split_first_chunk::<HEADER_BYTES>() else {
        return damaged;
    };
    let [m0, m1, found_kind, version, c0, c1, c2, c3, l0, l1, l2, l3] = *header;
    if checksum(blob) != u32::from_le_bytes([c0, c1, c2, c3]) || [m0, m1] != MAGIC {
        return damaged;
    }
    if found_kind != kind as u8 || version == 0 {
        return Err(BlobError::Damaged("its series are of another kind"));
    }
    if version > known {
        return Err(BlobError::Newer { version, known });
    }
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    if length > PIECE_BYTES || length > block.len().saturating_mul(LZ4_EXPANSION) {
        return Err(BlobError::Damaged("its series claim an impossible length"));
    }
    match lz4_flex::block::decompress(block, length) {
        Ok(bytes) if bytes.len() == length => Ok((version, bytes)),
        _ => Err(BlobError::Damaged("its series cannot be decompressed")),
    }
}

/// Decodes a payload that must be used up.
pub(crate) fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, BlobError> {
    const CAUSE: &str = "its series cannot be decoded";
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(BlobError::Damaged(CAUSE)),
        Err(error) => Err(BlobError::Codec(CAUSE, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn large_payloads_are_cut_and_joined() {
        let payload: Vec<u64> = (0..3_000_000).collect();
        let pieces = seal(Kind::Intervals, 1, &payload).unwrap();
        assert!(pieces.len() > 1, "{}", pieces.len());
        let joined = unseal(Kind::Intervals, 1, &pieces).unwrap();
        assert_eq!(decode::<Vec<u64>>(&joined.bytes), Ok(payload));
        let missing = unseal(Kind::Intervals, 1, &pieces[1..]).unwrap();
        assert!(decode::<Vec<u64>>(&missing.bytes).is_err());
    }

    #[test]
    fn other_kinds_and_newer_versions_are_refused() {
        let pieces = seal(Kind::Intervals, 2, &7u64).unwrap();
        assert!(matches!(unseal(Kind::Telemetry, 2, &pieces), Err(BlobError::Damaged(_))));
        let newer = unseal(Kind::Intervals, 1, &pieces).map(|_| ());
        assert_eq!(newer, Err(BlobError::Newer { version: 2, known: 1 }));
    }

    proptest! {
        #[test]
        fn a_flipped_bit_is_noticed(at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let payload: Vec<u64> = (0..200).map(|i| i * i).collect();
            let mut pieces = seal(Kind::Intervals, 1, &payload).unwrap();
            let at = at.index(pieces[0].len());
            pieces[0][at] ^= 1 << bit;
            prop_assert!(unseal(Kind::Intervals, 1, &pieces).is_err());
        }

        #[test]
        fn any_bytes_are_read_or_refused(block in prop::collection::vec(any::<u8>(), 0..200), length: u32) {
            // With a checksum that fits, so that what lies behind it is reached.
            let mut blob = b"fS\x01\x01\0\0\0\0".to_vec();
            blob.extend(length.to_le_bytes());
            blob.extend(&block);
            let crc = checksum(&blob).to_le_bytes();
            blob[4..8].copy_from_slice(&crc);
            let _ = unseal(Kind::Intervals, 1, &[blob]);
        }
    }
}
