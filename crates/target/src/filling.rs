//! Writes a file over its whole size, so that reads of it reach the device.
//!
//! Space that is merely allocated reads as zeros without a device's part in it, so every byte is
//! written, with data that no layer below can compress or share.

use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::platform::{self, FileExt};
use crate::wall::{Reach, Wall};
use crate::{Arena, Error, ErrorKind};

/// What laying out depends on besides the file.
#[derive(Clone, Copy)]
pub struct Layout<'a> {
    /// Seed of the data.
    pub seed: u64,
    /// Ends the work when it becomes true.
    pub stop: &'a AtomicBool,
    /// Told the bytes done and the bytes in all.
    pub progress: Option<&'a dyn Fn(u64, u64)>,
    /// Free space of the file system below which the work ends with an error.
    pub keep_free_bytes: u64,
}

const CHUNK_BYTES: u64 = 1 << 20;
const SMALLER: &str = "check the free space and the quota, or type a smaller --size";
/// Writes at a time: enough to keep most devices busy with 1 MiB each.
const WRITERS: u64 = 4;
/// Bytes between two looks at the free space.
const LOOK_EVERY_BYTES: u64 = 16 << 20;

/// Writes `range` of an open file with incompressible data and waits until the device has it.
///
/// The range begins and ends on multiples of the file's direct I/O unit when it was opened so.
///
/// # Errors
/// [`ErrorKind::Interrupted`] when it was stopped, [`ErrorKind::Unsupported`] when the file system
/// runs full, otherwise as the system reports them.
pub fn lay_out(file: &File, range: Range<u64>, layout: &Layout<'_>) -> Result<(), Error> {
    let total = range.end.saturating_sub(range.start);
    // Space given at once is in fewer pieces and is known to be there.
    platform::allocate(file, &range)
        .map_err(|error| Error::system("making room for the file", &error).with_remedy(SMALLER))?;
    let chunks = total.div_ceil(CHUNK_BYTES);
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut outcome = Ok(());
    let wall = Wall::around(&Reach::default())?;
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..WRITERS.min(chunks) {
            let writer =
                Writer { file, range: range.clone(), seed: layout.seed, next: &next, stop: layout.stop };
            let (sender, failed, wall) = (sender.clone(), &failed, &wall);
            scope.spawn(move || match wall.enter() {
                Ok(()) => writer.run(failed, &sender),
                // The receiver lives until every writer has ended.
                Err(error) => drop(sender.send(Err(error))),
            });
        }
        drop(sender);
        let (mut done, mut looked_at) = (0, 0);
        for written in receiver {
            let step = written.and_then(|bytes: u64| {
                done += bytes;
                if done - looked_at >= LOOK_EVERY_BYTES {
                    looked_at = done;
                    keep_free(file, layout.keep_free_bytes)?;
                }
                Ok(())
            });
            if let Err(error) = step
                && outcome.is_ok()
            {
                failed.store(true, Ordering::Relaxed);
                outcome = Err(error);
            }
            if let Some(progress) = layout.progress {
                progress(done, total);
            }
        }
    });
    outcome?;
    if layout.stop.load(Ordering::Relaxed) {
        return Err(Error::new(ErrorKind::Interrupted, "laying out the file", "stopped on request"));
    }
    file.sync_all().map_err(|error| Error::system("writing the laid-out file back", &error))
}

fn keep_free(file: &File, keep_free_bytes: u64) -> Result<(), Error> {
    match platform::space(file) {
        Ok(space) if space.free_bytes < keep_free_bytes => Err(Error::new(
            ErrorKind::Unsupported,
            "laying out the file",
            format!("the file system is running full: {} MiB are left", space.free_bytes >> 20),
        )
        .with_remedy("type a smaller --size, or name a folder on a larger file system")),
        _ => Ok(()),
    }
}

/// One of the threads that write: takes the next chunk until none is left.
struct Writer<'a> {
    file: &'a File,
    range: Range<u64>,
    seed: u64,
    next: &'a AtomicU64,
    stop: &'a AtomicBool,
}

impl Writer<'_> {
    fn run(&self, failed: &AtomicBool, sender: &Sender<Result<u64, Error>>) {
        let mut arena = match Arena::new(1, CHUNK_BYTES) {
            Ok(arena) => arena,
            Err(error) => {
                // The receiver outlives every writer: both end with the scope.
                let _ = sender.send(Err(error));
                return;
            }
        };
        while !self.stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            let start = self.range.start + chunk * CHUNK_BYTES;
            if start >= self.range.end {
                return;
            }
            let length = (self.range.end - start).min(CHUNK_BYTES);
            let buffer = &mut arena.slice(0)[..length as usize];
            Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(chunk)).fill_bytes(buffer);
            let written = self.file.write_all_at(buffer, start).map(|()| length).map_err(|error| {
                Error::system(format!("laying out the file at byte {start}"), &error).with_remedy(SMALLER)
            });
            let ended = written.is_err();
            let _ = sender.send(written);
            if ended {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laying_out_ends_when_the_file_system_runs_full() {
        let file = tempfile::tempfile().unwrap();
        let stop = AtomicBool::new(false);
        let layout = Layout { seed: 1, stop: &stop, progress: None, keep_free_bytes: u64::MAX };
        let error = lay_out(&file, 0..64 << 20, &layout).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.cause.contains("running full"), "{error}");
    }

    #[test]
    fn only_the_range_is_written_to_its_last_byte() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4 << 20).unwrap();
        let stop = AtomicBool::new(false);
        let layout = Layout { seed: 1, stop: &stop, progress: None, keep_free_bytes: 0 };
        let range = (1 << 20)..(2 << 20) + 5000;
        lay_out(&file, range.clone(), &layout).unwrap();
        let mut bytes = vec![0; 4 << 20];
        file.read_exact_at(&mut bytes, 0).unwrap();
        let (start, end) = (range.start as usize, range.end as usize);
        assert!(bytes[..start].iter().chain(&bytes[end..]).all(|byte| *byte == 0));
        assert!(bytes[start..end].chunks(500).all(|chunk| chunk.iter().any(|byte| *byte != 0)));
    }
}
