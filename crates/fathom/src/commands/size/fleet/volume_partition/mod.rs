//! Rows of volumes that lie apart, gathered: all tables are read once, and the rows of each volume written together
//! into a scratch file, from which they are judged as those of a sorted table are.

mod name_sample;
mod scratch_file;
mod volume_parts;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fathom_measure::Bytes;
use fathom_report::layout;
use fathom_rows::demand_tables::RunSink;
use scratch_file::Scratch;
use volume_parts::{Part, Parts, Scatter, USUAL_PART, read_part};

use super::inputs::{Inputs, Piece};
use super::meter::Meter;
use super::stop_request::Stop;
use crate::failure::Failure;
use crate::output;
pub use name_sample::Names;
pub use scratch_file::usual_folder;

/// Parts may be so much larger than usual before they are divided again: names say little of how many rows they have.
const LARGEST_PART: u64 = 4 * USUAL_PART;

/// A volume whose rows lie apart.
#[derive(Debug)]
pub struct ScatteredVolume {
    /// Its name.
    pub volume: String,
    /// Where it was seen again.
    pub path: PathBuf,
    /// Names of the volumes that were seen until then.
    pub names: Names,
}

/// The rows of a fleet, volume by volume.
pub struct GatheredRows {
    scratch: Scratch,
    folder: PathBuf,
    parts: Vec<Part>,
    largest_bytes: u64,
}

impl GatheredRows {
    /// Gathers the rows of all tables in a folder.
    ///
    /// # Errors
    /// When the folder has no room, or a table cannot be read.
    pub fn new(
        inputs: &Inputs,
        apart: &ScatteredVolume,
        folder: &Path,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let needs_bytes = inputs.scratch_bytes();
        let told = format!(
            "rows of {:?} lie apart ({}): gathering the rows of each volume first, about {} in {}",
            apart.volume,
            apart.path.display(),
            Bytes(needs_bytes),
            folder.display()
        );
        let lines = layout::wrapped("", &told, "  ", output::width_of_messages());
        output::message(&lines.join("\n"));
        let scratch = Scratch::open(folder, needs_bytes)?;
        let parts = Parts::new(&apart.names, needs_bytes);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let pieces = inputs.pieces(threads);
        let work = GatherState {
            pieces: &pieces,
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            stop,
            failure: Mutex::new(None),
            folder,
        };
        thread::scope(|scope| {
            let readers: Vec<_> = (0..threads.min(pieces.len()))
                .map(|number| {
                    thread::Builder::new()
                        .name(format!("gather-{number}"))
                        .spawn_scoped(scope, || work.scatter(&scratch, &parts))
                        .map_err(|error| Failure::system("starting a thread", error))
                })
                .collect::<Result<_, _>>()?;
            let mut meter = Meter::new("gathering rows by volume");
            while !readers.iter().all(thread::ScopedJoinHandle::is_finished) {
                meter.at(work.done.load(Ordering::Relaxed), pieces.len());
                thread::park_timeout(Meter::EVERY);
            }
            Ok::<(), Failure>(())
        })?;
        stop.check()?;
        if let Some(failure) = work.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            return Err(failure);
        }
        let parts = parts.into_written();
        Ok(Self { scratch, folder: folder.to_owned(), parts, largest_bytes: LARGEST_PART })
    }

    /// A piece for each part, in the order of the volumes' names.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        (0..self.parts.len()).map(|part| Piece::gathered(self, part)).collect()
    }

    /// The folder that the rows lie in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Gives the volumes of a part to a taker, whole and in the order of their names.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn read(&self, part: usize, taker: &mut impl RunSink) -> std::io::Result<()> {
        read_part(&self.scratch, &self.parts[part], self.largest_bytes, taker)
    }
}

/// What the threads that gather share.
struct GatherState<'a> {
    pieces: &'a [Piece<'a>],
    next: AtomicUsize,
    done: AtomicUsize,
    stop: &'a Stop,
    failure: Mutex<Option<Failure>>,
    folder: &'a Path,
}

impl GatherState<'_> {
    /// Reads pieces until none is left.
    fn scatter(&self, scratch: &Scratch, parts: &Parts) {
        let mut scatter = Scatter::new(scratch, parts, self.stop);
        while !self.has_ended() {
            let Some(piece) = self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            scatter.values = piece.values();
            let read = piece.read(&mut scatter);
            if let Some(error) = scatter.failure() {
                return self.fail(scratch_file::failed(self.folder, error));
            }
            if let Err(error) = read {
                return self.fail(piece.unread(error));
            }
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        if !self.has_ended()
            && let Err(error) = scatter.finish()
        {
            self.fail(scratch_file::failed(self.folder, error));
        }
    }

    fn has_ended(&self) -> bool {
        self.stop.is_asked() || self.failed().is_some()
    }

    fn failed(&self) -> std::sync::MutexGuard<'_, Option<Failure>> {
        self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn fail(&self, failure: Failure) {
        self.failed().get_or_insert(failure);
    }
}
