//! Flags of single I/Os as `preadv2`, `pwritev2` and io_uring take them, and whether a target takes them.

use std::fs::File;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::AsFd;

use fathom_record::options::IoFlags;
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev2};

use crate::{Arena, EngineError, ErrorKind};

/// As the kernel takes them, on reads.
#[inline]
pub fn on_reads(flags: IoFlags) -> i32 {
    on_writes(IoFlags { dsync: false, sync: false, atomic: false, ..flags })
}

/// As the kernel takes them, on writes.
#[inline]
pub fn on_writes(flags: IoFlags) -> i32 {
    let IoFlags { hipri, dsync, sync, nowait, dontcache, atomic } = flags;
    let bits = [
        (hipri, libc::RWF_HIPRI),
        (dsync, libc::RWF_DSYNC),
        (sync, libc::RWF_SYNC),
        (nowait, libc::RWF_NOWAIT),
        (dontcache, libc::RWF_DONTCACHE),
        (atomic, libc::RWF_ATOMIC),
    ];
    bits.into_iter().filter(|(set, _)| *set).map(|(_, bit)| bit).sum()
}

/// Tries the flags on the first block of the span, before anything is measured: a read, and where the
/// run writes, a write of what was read there. An I/O that would have waited has passed.
///
/// # Errors
/// Which flag the kernel or the file system refuses, and what to type.
pub fn try_on(flags: IoFlags, file: &File, place: (u64, u32), writes: bool) -> Result<(), EngineError> {
    if flags.is_empty() {
        return Ok(());
    }
    let (offset, bytes) = place;
    let mut arena = Arena::new(1, u64::from(bytes))?;
    let block = &mut arena.slice(0)[..bytes as usize];
    // What cannot be read at all is not the flags' fault, and the run finds it.
    let whole = read(file, block, offset, 0) == Ok(block.len());
    for name in flags.names().into_iter().filter(|_| whole) {
        let flag = on_writes(IoFlags::parse(name).unwrap_or_default());
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
    EngineError::new(ErrorKind::Unsupported, "trying --io-flags on the target", cause)
        .with_source(error)
        .with_remedy(remedy)
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
    fn the_kernel_gets_what_concerns_the_direction() {
        let flags = IoFlags::parse("nowait,dsync").unwrap();
        assert_eq!(on_writes(flags), libc::RWF_DSYNC | libc::RWF_NOWAIT);
        assert_eq!(on_reads(flags), libc::RWF_NOWAIT);
        let atomic = IoFlags::parse("atomic").unwrap();
        assert_eq!((on_reads(atomic), on_writes(atomic)), (0, libc::RWF_ATOMIC));
    }

    #[test]
    fn what_the_file_takes_is_tried_and_changes_nothing() {
        use std::os::unix::fs::FileExt;
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all_at(&[7; 8192], 0).unwrap();
        for name in ["dsync", "sync", "hipri"] {
            try_on(IoFlags::parse(name).unwrap(), &file, (4096, 4096), true).unwrap();
        }
        let mut content = [0; 8192];
        file.read_exact_at(&mut content, 0).unwrap();
        assert_eq!(content, [7; 8192]);
    }

    #[test]
    fn a_flag_that_the_target_refuses_is_named() {
        // Files of the kernel's own making do not know how not to wait.
        let file = File::open("/proc/self/status").unwrap();
        let error = try_on(IoFlags::parse("nowait").unwrap(), &file, (0, 512), false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.cause.contains("`nowait`") && error.remedy.contains("--io-flags"), "{error}");
    }
}
