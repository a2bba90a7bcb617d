//! Reads a device from end to end, several parts at a time, until something is found on it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use fathom_measure::{Clock, WallClock};

use crate::{Arena, Error};

const CHUNK_BYTES: u64 = 1 << 20;
/// Reads at a time: enough to keep most devices busy with 1 MiB each.
const READERS: u64 = 8;
/// Time between two looks at the clock.
const TICK: Duration = Duration::from_millis(20);
/// A reading that turns out longer than its prediction goes on until this many times the limit.
const PATIENCE: u32 = 2;

/// Who hears of bytes done and bytes in all, and after how long.
pub type ProgressListener<'a> = (&'a dyn Fn(u64, u64), Duration);

/// A device to be read.
#[derive(Clone, Copy)]
pub struct DeviceScan<'a> {
    /// Open past the page cache where that is possible; its page cache was written back.
    pub file: &'a File,
    /// Its size.
    pub size_bytes: u64,
    /// Time after which the length of all is predicted.
    pub sample: Duration,
    /// Longest time that all may take; none: however long it takes.
    pub limit: Option<Duration>,
    /// Ends the reading when it becomes true.
    pub stop: &'a AtomicBool,
    /// Told the bytes done and the bytes in all, once that time is over.
    pub progress: Option<ProgressListener<'a>>,
}

/// What reading came to.
#[derive(Debug)]
pub enum Contents {
    /// All was read, and is zero.
    Nothing {
        /// Time that it took.
        took: Duration,
    },
    /// A byte that is not zero.
    Data(u64),
    /// A place that cannot be read.
    Unreadable(u64, io::Error),
    /// It was given up, with nothing found so far.
    Unfinished {
        /// Bytes that were read.
        read_bytes: u64,
        /// Time that all takes, as predicted.
        takes: Duration,
    },
    /// It was stopped.
    Stopped,
}

impl DeviceScan<'_> {
    /// Reads all, or gives up once it is clear that the limit does not suffice.
    ///
    /// # Errors
    /// When there is no memory for the buffers.
    pub fn all(&self) -> Result<Contents, Error> {
        self.read(|elapsed, done| {
            let limit = self.limit.filter(|_| elapsed >= self.sample)?;
            let takes = predicted(elapsed, done, self.size_bytes);
            let slack = if elapsed < self.sample + 2 * TICK { 1 } else { PATIENCE };
            (takes > limit * slack).then_some(takes)
        })
    }

    /// Reads as long as the sample takes, for the prediction alone.
    ///
    /// # Errors
    /// When there is no memory for the buffers.
    pub fn sample(&self) -> Result<Contents, Error> {
        self.read(|elapsed, done| (elapsed >= self.sample).then(|| predicted(elapsed, done, self.size_bytes)))
    }

    /// Reads until `gives_up`, told the time and the bytes so far, says how long all would take.
    fn read(&self, gives_up: impl Fn(Duration, u64) -> Option<Duration>) -> Result<Contents, Error> {
        let is_direct =
            rustix::fs::fcntl_getfl(self.file).is_ok_and(|flags| flags.contains(rustix::fs::OFlags::DIRECT));
        if !is_direct && let Err(error) = super::super::drop_cached(self.file, 0..self.size_bytes) {
            return Ok(Contents::Unreadable(0, error));
        }
        let (clock, _) = WallClock::start_on_system_clock();
        let started_ns = clock.now_ns();
        let elapsed = || Duration::from_nanos(clock.now_ns() - started_ns);
        let (next, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        let mut state = State::default();
        let readers = READERS.min(self.size_bytes.div_ceil(CHUNK_BYTES)) as usize;
        let arenas = (0..readers).map(|_| Arena::new(1, CHUNK_BYTES)).collect::<Result<Vec<_>, _>>()?;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for arena in arenas {
                let reader =
                    Reader { file: self.file, size_bytes: self.size_bytes, next: &next, ended: &ended };
                let sender = sender.clone();
                scope.spawn(move || reader.run(arena, &sender));
            }
            drop(sender);
            let mut looked = Duration::ZERO;
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(part) => state.take(part),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                state.stopped |= self.stop.load(Ordering::Relaxed);
                let elapsed = elapsed();
                if elapsed >= looked + TICK {
                    looked = elapsed;
                    state.given_up = state.given_up.or_else(|| gives_up(elapsed, state.done));
                    if let Some((progress, _)) = self.progress.filter(|(_, after)| elapsed >= *after) {
                        progress(state.done, self.size_bytes);
                    }
                }
                ended.fetch_or(state.is_over(), Ordering::Relaxed);
            }
        });
        Ok(state.outcome(elapsed(), self.size_bytes))
    }
}

/// One of the threads that read.
struct Reader<'a> {
    file: &'a File,
    size_bytes: u64,
    next: &'a AtomicU64,
    ended: &'a AtomicBool,
}

impl Reader<'_> {
    /// Takes the next chunk until none is left or the end was called.
    fn run(&self, mut arena: Arena, sender: &Sender<Part>) {
        while !self.ended.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed).saturating_mul(CHUNK_BYTES);
            if at >= self.size_bytes {
                return;
            }
            let length = (self.size_bytes - at).min(CHUNK_BYTES) as usize;
            let buffer = &mut arena.slice(0)[..length];
            let part = match self.file.read_exact_at(buffer, at) {
                Ok(()) if is_zero(buffer) => Part::Zero(length as u64),
                Ok(()) => {
                    let first = buffer.iter().position(|byte| *byte != 0).unwrap_or(0);
                    Part::Data(at + first as u64)
                }
                Err(error) => Part::Unreadable(at, error),
            };
            // The receiver outlives every reader: both end with the scope.
            let _ = sender.send(part);
        }
    }
}

/// What became of one chunk.
enum Part {
    Zero(u64),
    Data(u64),
    Unreadable(u64, io::Error),
}

#[derive(Default)]
struct State {
    done: u64,
    data_at: Option<u64>,
    unreadable: Option<(u64, io::Error)>,
    given_up: Option<Duration>,
    stopped: bool,
}

impl State {
    fn take(&mut self, part: Part) {
        match part {
            Part::Zero(bytes) => self.done += bytes,
            Part::Data(at) => self.data_at = Some(self.data_at.map_or(at, |known| known.min(at))),
            Part::Unreadable(at, error) => {
                self.unreadable.get_or_insert((at, error));
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stopped || self.data_at.is_some() || self.unreadable.is_some() || self.given_up.is_some()
    }

    fn outcome(self, took: Duration, size_bytes: u64) -> Contents {
        match self {
            Self { data_at: Some(at), .. } => Contents::Data(at),
            Self { unreadable: Some((at, error)), .. } => Contents::Unreadable(at, error),
            Self { done, .. } if done == size_bytes => Contents::Nothing { took },
            Self { given_up: Some(takes), done, .. } => Contents::Unfinished { read_bytes: done, takes },
            _ => Contents::Stopped,
        }
    }
}

/// Time that all bytes take if they take as long as those that are done.
fn predicted(elapsed: Duration, done: u64, size_bytes: u64) -> Duration {
    let seconds = elapsed.as_secs_f64() * size_bytes as f64 / done.max(1) as f64;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Whether all bytes are zero: the first is, and each is like the one before it, which the machine compares many
/// at a time.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.split_first().is_none_or(|(first, rest)| *first == 0 && *rest == bytes[..rest.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    static NEVER: AtomicBool = AtomicBool::new(false);

    fn reading(file: &File, size_bytes: u64) -> DeviceScan<'_> {
        DeviceScan {
            file,
            size_bytes,
            sample: Duration::from_millis(1),
            limit: None,
            stop: &NEVER,
            progress: None,
        }
    }

    #[test]
    fn a_single_byte_anywhere_is_found() {
        let file = tempfile::tempfile().unwrap();
        let size = 20 * MIB + 512;
        file.set_len(size).unwrap();
        assert!(matches!(reading(&file, size).all().unwrap(), Contents::Nothing { .. }));
        for at in [0, 1, MIB - 1, MIB, 7 * MIB + 13, 20 * MIB, size - 1] {
            file.write_all_at(&[1], at).unwrap();
            assert!(
                matches!(reading(&file, size).all().unwrap(), Contents::Data(found) if found == at),
                "{at}"
            );
            file.write_all_at(&[0], at).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_read_or_was_stopped_is_not_empty() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4 * MIB).unwrap();
        assert!(matches!(reading(&file, 5 * MIB).all().unwrap(), Contents::Unreadable(..)));
        let stop = AtomicBool::new(true);
        file.set_len(4096 * MIB).unwrap();
        let stopped = DeviceScan { stop: &stop, ..reading(&file, 4096 * MIB) }.all().unwrap();
        assert!(matches!(stopped, Contents::Stopped), "{stopped:?}");
    }

    #[test]
    fn a_reading_that_takes_too_long_is_given_up_with_its_length() {
        let file = tempfile::tempfile().unwrap();
        let size = 1 << 43;
        file.set_len(size).unwrap();
        let limited = DeviceScan { limit: Some(Duration::from_millis(1)), ..reading(&file, size) };
        for found in [limited.all().unwrap(), limited.sample().unwrap()] {
            let Contents::Unfinished { read_bytes, takes } = found else { panic!("{found:?}") };
            assert!(read_bytes < size && takes > Duration::from_secs(60), "{read_bytes} {takes:?}");
        }
        assert_eq!(predicted(Duration::from_secs(1), 4, 40), Duration::from_secs(10));
    }

    #[test]
    fn zeros_are_told_from_anything_else() {
        assert!(is_zero(&[]) && is_zero(&[0]) && is_zero(&[0; 4096]));
        assert!(!is_zero(&[1]) && !is_zero(&[7; 4096]));
        let mut bytes = [0; 4096];
        for at in [0, 1, 2047, 4095] {
            bytes[at] = 1;
            assert!(!is_zero(&bytes), "{at}");
            bytes[at] = 0;
        }
    }
}
