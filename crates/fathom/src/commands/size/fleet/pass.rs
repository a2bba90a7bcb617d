//! One reading of a fleet's rows: pieces are read and their volumes judged on all processors, volumes that
//! a piece's end cuts are joined, and what was found comes out in the order of the pieces.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use fathom_rows::Values;
use fathom_rows::demand_tables::{Interest, Run, RunSink};
use fathom_sizing::fleet_volumes::hash;
use fathom_tools::Refusal;

use super::inputs::Piece;
use super::meter::Meter;
use super::stop_request::Stop;
use super::volume_partition::{Names, ScatteredVolume};
use crate::exit_status::Status;
use crate::failure::Failure;

/// Pieces for each thread that may be read before the one that is waited for: what is found in them is in memory.
const AHEAD: usize = 2;

/// What is done with each volume.
pub trait Work: Sync {
    /// What comes of it.
    type Found: Send;

    /// What it is called while one waits.
    const NAME: &'static str;

    /// Whether a volume's rows are wanted, by the hash of its name.
    fn wants(&self, hash: u64) -> bool;

    /// Judges a volume by its rows.
    ///
    /// # Errors
    /// When an invariant breaks at it, with its name.
    fn judge(&self, run: Run) -> Result<Self::Found, Refusal>;
}

/// Why a reading ended before its end. Its own type: rows that lie apart are read again, and the other is the error.
#[derive(Debug)]
pub enum EarlyEnd {
    /// Something failed.
    Failed(Failure),
    /// Rows of a volume lie apart: they have to be gathered first.
    Apart(ScatteredVolume),
}

impl From<Failure> for EarlyEnd {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A volume of a piece.
enum Part<F> {
    /// It may go on in the pieces beside this one.
    Open(Box<Run>),
    /// It lies in the piece whole.
    Whole { name: String, rows: u64, found: F },
    /// It was in the piece before, with others between.
    Apart(String),
    /// It could not be judged.
    Broken(Refusal),
}

/// A piece that was read.
struct PieceResult<F> {
    at: usize,
    parts: io::Result<Vec<Part<F>>>,
    names: Names,
}

/// Reads all pieces once, and gives what was found of each volume to `take`; returns how many rows there are.
///
/// # Errors
/// When a file cannot be read, rows of one volume lie apart, somebody stops it, or `take` fails.
pub fn pass<W: Work>(
    pieces: &[Piece<'_>],
    work: &W,
    stop: &Stop,
    take: impl FnMut(W::Found) -> io::Result<()>,
) -> Result<u64, EarlyEnd> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let turns = Turns::new(AHEAD * threads);
    let (send, receive) = channel();
    thread::scope(|scope| {
        for number in 0..threads.min(pieces.len()) {
            let (send, turns) = (send.clone(), &turns);
            let read = move || read_pieces(pieces, turns, (work, stop), &send);
            thread::Builder::new()
                .name(format!("fleet-{number}"))
                .spawn_scoped(scope, read)
                .map_err(|error| Failure::system("starting a thread", error))
                .inspect_err(|_| turns.end())?;
        }
        drop(send);
        let mut joining = PieceJoiner { work, take, open: None, names: HashSet::new(), rows: 0 };
        let joined = join(pieces, (&receive, &turns, stop), &mut joining);
        // Threads that wait for their turn go on, and end.
        turns.end();
        joined.map(|()| joining.rows)
    })
}

/// Which pieces may be read: those in order, and not too far ahead of what was joined.
struct Turns {
    next: AtomicUsize,
    ended: AtomicBool,
    joined: Mutex<usize>,
    moved: Condvar,
    ahead: usize,
}

impl Turns {
    fn new(ahead: usize) -> Self {
        Self {
            next: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            joined: Mutex::new(0),
            moved: Condvar::new(),
            ahead,
        }
    }

    /// The next piece to read, when it is its turn; absent when no more are to be read.
    fn next(&self) -> Option<usize> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        let far = |joined: &mut usize| !self.has_ended() && at >= *joined + self.ahead;
        drop(self.moved.wait_while(joined, far).unwrap_or_else(PoisonError::into_inner));
        (!self.has_ended()).then_some(at)
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// So many pieces are joined.
    fn joined(&self, pieces: usize) {
        *self.joined.lock().unwrap_or_else(PoisonError::into_inner) = pieces;
        self.moved.notify_all();
    }

    fn end(&self) {
        let joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        self.ended.store(true, Ordering::Relaxed);
        drop(joined);
        self.moved.notify_all();
    }
}

fn read_pieces<W: Work>(
    pieces: &[Piece<'_>],
    turns: &Turns,
    (work, stop): (&W, &Stop),
    send: &Sender<PieceResult<W::Found>>,
) {
    while let Some(at) = turns.next() {
        let Some(piece) = pieces.get(at) else { return };
        let mut reading = PieceReader::new(work, piece, (turns, stop));
        let read = piece.read(&mut reading);
        let (parts, names) = reading.finish();
        if send.send(PieceResult { at, parts: read.map(|()| parts), names }).is_err() {
            return;
        }
    }
}

/// Takes the runs of one piece and judges those that lie in it whole.
struct PieceReader<'a, W: Work> {
    work: &'a W,
    values: Values,
    is_whole: bool,
    ends: (&'a Turns, &'a Stop),
    last: Option<Run>,
    parts: Vec<Part<W::Found>>,
    /// Hashes of the names that were seen, and a sample of the names.
    seen: HashSet<u64>,
    names: Names,
    is_apart: bool,
}

impl<'a, W: Work> PieceReader<'a, W> {
    fn new(work: &'a W, piece: &Piece<'_>, ends: (&'a Turns, &'a Stop)) -> Self {
        Self {
            work,
            values: piece.values(),
            is_whole: piece.is_whole(),
            ends,
            last: None,
            parts: Vec::new(),
            seen: HashSet::new(),
            names: Names::default(),
            is_apart: false,
        }
    }

    fn finish(mut self) -> (Vec<Part<W::Found>>, Names) {
        self.parts.extend(self.last.take().map(|run| Part::Open(Box::new(run))));
        (self.parts, self.names)
    }

    fn whole(&self, run: Run) -> Part<W::Found> {
        let (name, rows) = (run.volume.clone(), run.rows);
        match self.work.judge(run) {
            Ok(found) => Part::Whole { name, rows, found },
            Err(refusal) => Part::Broken(refusal),
        }
    }
}

impl<W: Work> RunSink for PieceReader<'_, W> {
    fn interest(&self, volume: &[u8]) -> Interest {
        let (turns, stop) = self.ends;
        let is_needed = !self.is_apart && !turns.has_ended() && !stop.is_asked();
        if is_needed && self.work.wants(hash(volume)) { Interest::Rows } else { Interest::Name }
    }

    fn take(&mut self, mut run: Run) {
        if self.is_whole {
            let part = self.whole(run);
            return self.parts.push(part);
        }
        self.names.put(run.volume.as_bytes());
        if self.is_apart {
            return;
        }
        run.values = Some(self.values);
        match &mut self.last {
            Some(last) if last.volume == run.volume => return last.append(run),
            _ => {}
        }
        if !self.seen.insert(hash(run.volume.as_bytes())) {
            self.is_apart = true;
            return self.parts.push(Part::Apart(run.volume));
        }
        let Some(done) = self.last.replace(run) else { return };
        let part = if self.parts.is_empty() { Part::Open(Box::new(done)) } else { self.whole(done) };
        self.parts.push(part);
    }
}

/// Volumes in the order of the pieces.
struct PieceJoiner<'a, W, T> {
    work: &'a W,
    take: T,
    open: Option<Run>,
    names: HashSet<u64>,
    rows: u64,
}

/// Why a part was not taken: what an [`EarlyEnd`] is made of.
enum PartFailure {
    Failed(Failure),
    Apart(String),
}

/// That an invariant broke at a volume.
fn broken(refusal: Refusal) -> Failure {
    Failure::of(Status::Invalid, "system", refusal)
}

fn join<W: Work, T: FnMut(W::Found) -> io::Result<()>>(
    pieces: &[Piece<'_>],
    (receive, turns, stop): (&Receiver<PieceResult<W::Found>>, &Turns, &Stop),
    joining: &mut PieceJoiner<'_, W, T>,
) -> Result<(), EarlyEnd> {
    let mut early = BTreeMap::new();
    let mut names = Names::default();
    let mut meter = Meter::new(W::NAME);
    for (at, piece) in pieces.iter().enumerate() {
        let parts = loop {
            stop.check()?;
            if let Some(parts) = early.remove(&at) {
                break parts;
            }
            meter.at(at, pieces.len());
            match receive.recv_timeout(Meter::EVERY) {
                Ok(PieceResult { at, parts, names: of_piece }) => {
                    names.merge(&of_piece);
                    early.insert(at, parts);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::system("reading", "a thread ended before its time").into());
                }
            }
        };
        let parts: Vec<Part<W::Found>> = parts.map_err(|error| piece.unread(error))?;
        for part in parts {
            joining.part(part).map_err(|untaken| match untaken {
                PartFailure::Failed(failure) => EarlyEnd::Failed(failure),
                PartFailure::Apart(volume) => {
                    let (path, names) = (piece.path().to_owned(), std::mem::take(&mut names));
                    EarlyEnd::Apart(ScatteredVolume { volume, path, names })
                }
            })?;
        }
        turns.joined(at + 1);
    }
    match joining.close() {
        Err(PartFailure::Failed(failure)) => Err(failure.into()),
        Err(PartFailure::Apart(volume)) => {
            let path = pieces.last().map(|piece| piece.path().to_owned()).unwrap_or_default();
            Err(EarlyEnd::Apart(ScatteredVolume { volume, path, names }))
        }
        Ok(()) => Ok(()),
    }
}

impl<W: Work, T: FnMut(W::Found) -> io::Result<()>> PieceJoiner<'_, W, T> {
    fn part(&mut self, part: Part<W::Found>) -> Result<(), PartFailure> {
        match part {
            Part::Open(run) => match &mut self.open {
                Some(open) if open.volume == run.volume => open.append(*run),
                _ => {
                    self.close()?;
                    self.open = Some(*run);
                }
            },
            Part::Whole { name, rows, found } => {
                self.close()?;
                if !self.names.insert(hash(name.as_bytes())) {
                    return Err(PartFailure::Apart(name));
                }
                self.put(rows, found)?;
            }
            Part::Apart(name) => return Err(PartFailure::Apart(name)),
            Part::Broken(refusal) => return Err(PartFailure::Failed(broken(refusal))),
        }
        Ok(())
    }

    /// The open volume is whole: its next row is another's.
    fn close(&mut self) -> Result<(), PartFailure> {
        let Some(run) = self.open.take() else { return Ok(()) };
        if !self.names.insert(hash(run.volume.as_bytes())) {
            return Err(PartFailure::Apart(run.volume));
        }
        let rows = run.rows;
        let found = self.work.judge(run).map_err(|refusal| PartFailure::Failed(broken(refusal)))?;
        self.put(rows, found)
    }

    fn put(&mut self, rows: u64, found: W::Found) -> Result<(), PartFailure> {
        self.rows += rows;
        (self.take)(found).map_err(|error| PartFailure::Failed(Failure::system("writing rows", error)))
    }
}
