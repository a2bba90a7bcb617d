//! Whether the kernel can try an I/O in the call that submits it, without waiting, or on a worker thread alone.

use std::fs::File;
use std::io::IoSliceMut;

use fathom_record::facts::EngineFeature;
use io_uring::squeue::Flags;
use rustix::io::{Errno, ReadWriteFlags, preadv2};

/// Name of the feature in the engine's facts.
const NAME: &str = "tried_inline";

/// Behind the end of every target: nothing is read there, and the question is answered all the same.
const NOWHERE: u64 = 1 << 62;

/// What goes with each entry, and what the record says of it.
///
/// io_uring tries every read and write without waiting first, and gives a worker what would wait. Some files cannot be
/// asked so at all, as RAM disks and several file systems in memory, over a network or in user space: the kernel prepares
/// each I/O twice there, and the first time in vain. `IOSQE_ASYNC` leaves that out. `buffer` is aligned for direct I/O.
pub fn flags(files: &[&File], buffer: &mut [u8], polled: bool) -> (Flags, EngineFeature) {
    // Of several, those that can be tried decide: others lose no more than before.
    let is_tried = polled || files.iter().any(|file| takes_nowait(file, buffer));
    let note = "the target takes no I/O without waiting: all go to the kernel's workers at once";
    let feature = EngineFeature::new(NAME, is_tried, (!is_tried).then(|| note.to_owned()));
    (if is_tried { Flags::empty() } else { Flags::ASYNC }, feature)
}

/// Whether reads of it can be asked not to wait. Only files and block devices are asked: from others a read may take
/// something.
fn takes_nowait(file: &File, buffer: &mut [u8]) -> bool {
    let is_asked = file.metadata().is_ok_and(|meta| meta.is_file() || is_block_device(&meta));
    let mut read = || preadv2(file, &mut [IoSliceMut::new(buffer)], NOWHERE, ReadWriteFlags::NOWAIT);
    !is_asked || read() != Err(Errno::OPNOTSUPP)
}

fn is_block_device(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    meta.file_type().is_block_device()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(file: &File, polled: bool) -> (Flags, EngineFeature) {
        flags(&[file], &mut [0; 512], polled)
    }

    #[test]
    fn a_file_that_cannot_be_asked_without_waiting_is_left_to_workers() {
        // What a file in memory can be asked is the kernel's matter: the flag follows what it says.
        let files = [Some("/dev/shm"), None].map(|folder| match folder {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        });
        for file in files.into_iter().flatten() {
            file.set_len(1 << 20).unwrap();
            let mut block = [0; 512];
            let answer = preadv2(&file, &mut [IoSliceMut::new(&mut block)], 0, ReadWriteFlags::NOWAIT);
            let (flags, feature) = of(&file, false);
            assert_eq!(flags == Flags::ASYNC, answer == Err(Errno::OPNOTSUPP), "{answer:?}");
            assert_eq!((feature.used, feature.note.is_none()), (flags.is_empty(), feature.used));
            assert_eq!(of(&file, true).0, Flags::empty(), "a polled ring has no workers");
            let (reader, _writer) = std::io::pipe().unwrap();
            let other = File::from(std::os::fd::OwnedFd::from(reader));
            assert!(super::flags(&[&file, &other], &mut block, false).1.used, "one of both can be tried");
        }
    }

    #[test]
    fn nothing_is_taken_from_a_pipe() {
        use std::io::{Read as _, Write as _};
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"kept").unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(reader.try_clone().unwrap()));
        assert!(of(&file, false).1.used);
        drop(writer);
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        assert_eq!(all, b"kept");
    }
}
