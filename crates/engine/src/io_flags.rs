//! Flags of single I/Os, as `preadv2`, `pwritev2` and io_uring take them, and whether a target takes them.

use std::fs::File;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::AsFd;

use fathom_record::facts::Feature;
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev2};

use crate::{Arena, EngineError, ErrorKind};

/// Flags that every read and write of a run carries. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoFlags {
    /// `RWF_HIPRI`: poll for the completion, where kernel and device do.
    pub hipri: bool,
    /// `RWF_DSYNC`, on writes: data and what is needed to find it are durable when the write ends.
    pub dsync: bool,
    /// `RWF_SYNC`, on writes: as `dsync`, with all metadata.
    pub sync: bool,
    /// `RWF_NOWAIT`: fail with `EAGAIN` instead of waiting for memory, a lock or the device's queue.
    pub nowait: bool,
    /// `RWF_DONTCACHE`: go through the page cache and leave nothing in it; since Linux 6.14.
    pub dontcache: bool,
    /// `RWF_ATOMIC`, on direct writes: after a loss of power all of a write is there or nothing; since Linux 6.11.
    pub atomic: bool,
}

/// Since this kernel synchronous calls do not poll whatever their flags say (Linux commit 9650b453a3d4,
/// "block: ignore RWF_HIPRI hint for sync dio").
const HIPRI_IGNORED_SINCE: &str = "5.19";

/// What a flag is called by people and in records, and the kernel's number.
const NAMES: [(&str, &str, i32); 6] = [
    ("hipri", "rwf_hipri", libc::RWF_HIPRI),
    ("dsync", "rwf_dsync", libc::RWF_DSYNC),
    ("sync", "rwf_sync", libc::RWF_SYNC),
    ("nowait", "rwf_nowait", libc::RWF_NOWAIT),
    ("dontcache", "rwf_dontcache", libc::RWF_DONTCACHE),
    ("atomic", "rwf_atomic", libc::RWF_ATOMIC),
];

impl IoFlags {
    /// Names separated by commas, as `nowait,dsync`.
    ///
    /// # Errors
    /// The name that there is not, with those that there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut flags = Self::default();
        for name in text.split(',').map(str::trim) {
            let Some(flag) = flags.flag(name) else {
                let names: Vec<_> = NAMES.iter().map(|(name, ..)| *name).collect();
                return Err(format!("unknown flag `{name}`: write some of {}", names.join(",")));
            };
            if *flag {
                return Err(format!("`{name}` is named twice: leave one out"));
            }
            *flag = true;
        }
        Ok(flags)
    }

    /// The names of those that are set, in the order of the list.
    pub fn names(mut self) -> Vec<&'static str> {
        NAMES.iter().map(|(name, ..)| *name).filter(|name| self.flag(name).is_some_and(|set| *set)).collect()
    }

    /// Those that an engine's facts say were sent.
    pub fn of_features(features: &[Feature]) -> Self {
        let mut flags = Self::default();
        for (name, feature, _) in NAMES {
            let sent = features.iter().any(|known| known.name == feature && known.used);
            if let Some(flag) = flags.flag(name) {
                *flag = sent;
            }
        }
        flags
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// As the kernel takes them, on reads.
    pub fn on_reads(self) -> i32 {
        Self { dsync: false, sync: false, atomic: false, ..self }.bits()
    }

    /// As the kernel takes them, on writes.
    pub fn on_writes(self) -> i32 {
        self.bits()
    }

    fn bits(mut self) -> i32 {
        NAMES.iter().filter(|(name, ..)| self.flag(name).is_some_and(|set| *set)).map(|(.., bit)| bit).sum()
    }

    fn flag(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "hipri" => &mut self.hipri,
            "dsync" => &mut self.dsync,
            "sync" => &mut self.sync,
            "nowait" => &mut self.nowait,
            "dontcache" => &mut self.dontcache,
            "atomic" => &mut self.atomic,
            _ => return None,
        })
    }

    /// What an engine's facts say of them.
    pub fn features(self) -> Vec<Feature> {
        let set = self.names();
        let note = |name: &str| match name {
            "hipri" => format!(
                "sent; kernels since {HIPRI_IGNORED_SINCE} take it and do not poll for synchronous calls"
            ),
            "nowait" => {
                "an I/O that would have waited ended with EAGAIN and counts as failed; none was tried again"
                    .to_owned()
            }
            "dsync" | "sync" | "atomic" => "on writes".to_owned(),
            _ => "on reads and writes".to_owned(),
        };
        let named = NAMES.iter().filter(|(name, ..)| set.contains(name));
        named
            .map(|(name, feature, _)| Feature {
                name: (*feature).to_owned(),
                used: true,
                note: Some(note(name)),
            })
            .collect()
    }

    /// Tries the flags on the first block of the span, before anything is measured: a read, and where the
    /// run writes, a write of what was read there. An I/O that would have waited has passed.
    ///
    /// # Errors
    /// Which flag the kernel or the file system refuses, and what to type.
    pub fn try_on(self, file: &File, place: (u64, u32), writes: bool) -> Result<(), EngineError> {
        if self.is_empty() {
            return Ok(());
        }
        let (offset, bytes) = place;
        let mut arena = Arena::new(1, u64::from(bytes))?;
        let block = &mut arena.slice(0)[..bytes as usize];
        // What cannot be read at all is not the flags' fault, and the run finds it.
        let whole = read(file, block, offset, 0) == Ok(block.len());
        for name in self.names().into_iter().filter(|_| whole) {
            let flag = Self::parse(name).unwrap_or_default().bits();
            // On a read every flag is looked at, also those that only change writes; but none is atomic.
            let mut outcome = if name == "atomic" { Ok(0) } else { read(file, block, offset, flag) };
            if writes && outcome.is_ok() {
                // Again what lies there: the trial changes no content.
                outcome = write(file, block, offset, flag);
            }
            match outcome {
                Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
                Err(errno) => return Err(refused(name, errno)),
            }
        }
        Ok(())
    }
}

fn refused(name: &str, errno: Errno) -> EngineError {
    let error = std::io::Error::from(errno);
    let cause = match errno {
        Errno::OPNOTSUPP | Errno::INVAL => {
            format!("the kernel, or what the target is on, does not take I/Os with `{name}`: {error}")
        }
        _ => format!("a trial I/O with `{name}` failed: {error}"),
    };
    let remedy = match name {
        "nowait" => {
            "leave `nowait` out of --io-flags; file systems take it for direct I/O (without --buffered), and devices with a queue of requests; RAM disks as zram do not"
        }
        "dontcache" => {
            "leave `dontcache` out of --io-flags; it needs Linux 6.14 and ext4, xfs or btrfs, and --buffered"
        }
        "atomic" => {
            "leave `atomic` out of --io-flags; it needs Linux 6.11, a device and file system that write a block of --bs atomically, and direct I/O"
        }
        _ => "leave it out of --io-flags",
    };
    EngineError::new(ErrorKind::Unsupported, "trying --io-flags on the target", cause).with_remedy(remedy)
}

/// `preadv2` with one buffer; bytes moved.
///
/// # Errors
/// The kernel's.
pub fn read(file: &File, buffer: &mut [u8], offset: u64, flags: i32) -> Result<usize, Errno> {
    let flags = ReadWriteFlags::from_bits_retain(flags as u32);
    preadv2(file.as_fd(), &mut [IoSliceMut::new(buffer)], offset, flags)
}

/// `pwritev2` with one buffer; bytes moved.
///
/// # Errors
/// The kernel's.
pub fn write(file: &File, buffer: &[u8], offset: u64, flags: i32) -> Result<usize, Errno> {
    let flags = ReadWriteFlags::from_bits_retain(flags as u32);
    pwritev2(file.as_fd(), &[IoSlice::new(buffer)], offset, flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_wrong_ones_are_named() {
        let flags = IoFlags::parse("nowait, dsync").unwrap();
        assert_eq!(flags.names(), ["dsync", "nowait"]);
        assert_eq!(IoFlags::parse(&flags.names().join(",")), Ok(flags));
        assert_eq!(IoFlags::of_features(&flags.features()), flags);
        assert_eq!(flags.on_writes(), libc::RWF_DSYNC | libc::RWF_NOWAIT);
        assert_eq!(flags.on_reads(), libc::RWF_NOWAIT);
        let atomic = IoFlags::parse("atomic").unwrap();
        assert_eq!((atomic.on_reads(), atomic.on_writes()), (0, libc::RWF_ATOMIC));
        assert!(IoFlags::parse("nowiat").unwrap_err().contains("nowait"));
        assert!(IoFlags::parse("sync,sync").is_err() && IoFlags::parse("").is_err());
    }

    #[test]
    fn what_the_file_takes_is_tried_and_changes_nothing() {
        use std::os::unix::fs::FileExt;
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all_at(&[7; 8192], 0).unwrap();
        for name in ["dsync", "sync", "hipri"] {
            IoFlags::parse(name).unwrap().try_on(&file, (4096, 4096), true).unwrap();
        }
        let mut content = [0; 8192];
        file.read_exact_at(&mut content, 0).unwrap();
        assert_eq!(content, [7; 8192]);
    }

    #[test]
    fn a_flag_that_the_target_refuses_is_named() {
        // Files of the kernel's own making do not know how not to wait.
        let file = File::open("/proc/self/status").unwrap();
        let error = IoFlags::parse("nowait").unwrap().try_on(&file, (0, 512), false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.cause.contains("`nowait`") && error.remedy.contains("--io-flags"), "{error}");
    }
}
