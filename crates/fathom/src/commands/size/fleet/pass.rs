//! One reading of a fleet's tables: pieces are read and their volumes judged on all processors, volumes that
//! a piece's end cuts are joined, and what was found comes out in the order of the tables.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use fathom_interop::demand::Values;
use fathom_interop::fleet::{Interest, Run, Taker};
use fathom_sizing::fleet::hash;

use super::inputs::{Inputs, Piece};
use crate::failure::Failure;

/// What is done with each volume.
pub trait Work: Sync {
    /// What comes of it.
    type Found: Send;

    /// Whether a volume's rows are wanted, by the hash of its name.
    fn wants(&self, hash: u64) -> bool;

    /// Judges a volume by its rows.
    fn judge(&self, run: Run, values: Values) -> Self::Found;
}

/// A volume of a piece.
enum Part<F> {
    /// It may go on in the pieces beside this one.
    Open(Run),
    /// It lies in the piece whole.
    Whole { name: String, rows: u64, found: F },
}

/// A piece that was read.
struct Done<F> {
    at: usize,
    parts: io::Result<Vec<Part<F>>>,
}

/// Reads all pieces once, and gives what was found of each volume to `take`; returns how many rows there are.
///
/// # Errors
/// When a file cannot be read, rows of one volume lie apart, or `take` fails.
pub fn pass<W: Work>(
    inputs: &Inputs,
    work: &W,
    take: impl FnMut(W::Found) -> io::Result<()>,
) -> Result<u64, Failure> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let pieces = inputs.pieces(threads);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, receive) = sync_channel(2 * threads);
    thread::scope(|scope| {
        for number in 0..threads.min(pieces.len()) {
            let (send, pieces, next, stop) = (send.clone(), &pieces, &next, &stop);
            let read = move || read_pieces(pieces, (next, stop), work, &send);
            thread::Builder::new()
                .name(format!("fleet-{number}"))
                .spawn_scoped(scope, read)
                .map_err(|error| Failure::system("starting a thread", error))?;
        }
        drop(send);
        let mut joining = Joining { work, take, open: None, names: HashSet::new(), rows: 0 };
        let joined = join(&pieces, &receive, &mut joining);
        stop.store(true, Ordering::Relaxed);
        // Threads that wait to hand over a piece go on when nobody takes it.
        drop(receive);
        joined.map(|()| joining.rows)
    })
}

fn read_pieces<W: Work>(
    pieces: &[Piece<'_>],
    (next, stop): (&AtomicUsize, &AtomicBool),
    work: &W,
    send: &SyncSender<Done<W::Found>>,
) {
    while !stop.load(Ordering::Relaxed) {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(piece) = pieces.get(at) else { return };
        let mut reading = Reading { work, values: piece.values(), last: None, parts: Vec::new() };
        let read = piece.read(&mut reading);
        let parts = read.map(|()| reading.finish());
        if send.send(Done { at, parts }).is_err() {
            return;
        }
    }
}

/// Takes the runs of one piece and judges those that lie in it whole.
struct Reading<'a, W: Work> {
    work: &'a W,
    values: Values,
    last: Option<Run>,
    parts: Vec<Part<W::Found>>,
}

impl<W: Work> Reading<'_, W> {
    fn finish(mut self) -> Vec<Part<W::Found>> {
        self.parts.extend(self.last.take().map(Part::Open));
        self.parts
    }
}

impl<W: Work> Taker for Reading<'_, W> {
    fn interest(&self, volume: &[u8]) -> Interest {
        if self.work.wants(hash(volume)) { Interest::Rows } else { Interest::Name }
    }

    fn take(&mut self, run: Run) {
        let Some(done) = self.last.replace(run) else { return };
        let part = if self.parts.is_empty() {
            Part::Open(done)
        } else {
            let (name, rows) = (done.volume.clone(), done.rows);
            Part::Whole { name, rows, found: self.work.judge(done, self.values) }
        };
        self.parts.push(part);
    }
}

/// Volumes in the order of the tables.
struct Joining<'a, W, T> {
    work: &'a W,
    take: T,
    open: Option<(Run, usize)>,
    names: HashSet<u64>,
    rows: u64,
}

fn join<W: Work, T: FnMut(W::Found) -> io::Result<()>>(
    pieces: &[Piece<'_>],
    receive: &Receiver<Done<W::Found>>,
    joining: &mut Joining<'_, W, T>,
) -> Result<(), Failure> {
    let mut early = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        let parts = loop {
            if let Some(parts) = early.remove(&at) {
                break parts;
            }
            let Ok(done) = receive.recv() else {
                return Err(Failure::system("reading", "a thread ended before its time"));
            };
            early.insert(done.at, done.parts);
        };
        let parts: Vec<Part<W::Found>> = parts.map_err(|error| {
            let place = piece.path().display().to_string();
            Failure::usage(place, error.to_string(), "name files that can be read to their end")
        })?;
        for part in parts {
            joining.part(pieces, at, part)?;
        }
    }
    joining.close(pieces)
}

impl<W: Work, T: FnMut(W::Found) -> io::Result<()>> Joining<'_, W, T> {
    fn part(&mut self, pieces: &[Piece<'_>], at: usize, part: Part<W::Found>) -> Result<(), Failure> {
        match part {
            Part::Open(run) => match &mut self.open {
                Some((open, _)) if open.volume == run.volume => open.append(run),
                _ => {
                    self.close(pieces)?;
                    self.open = Some((run, at));
                }
            },
            Part::Whole { name, rows, found } => {
                self.close(pieces)?;
                self.put(&pieces[at], &name, rows, found)?;
            }
        }
        Ok(())
    }

    /// The open volume is whole: its next row is another's.
    fn close(&mut self, pieces: &[Piece<'_>]) -> Result<(), Failure> {
        let Some((run, at)) = self.open.take() else { return Ok(()) };
        let (name, rows) = (run.volume.clone(), run.rows);
        let found = self.work.judge(run, pieces[at].values());
        self.put(&pieces[at], &name, rows, found)
    }

    fn put(&mut self, piece: &Piece<'_>, name: &str, rows: u64, found: W::Found) -> Result<(), Failure> {
        self.rows += rows;
        if !self.names.insert(hash(name.as_bytes())) {
            return Err(apart(piece, name));
        }
        (self.take)(found).map_err(|error| Failure::system("writing rows", error))
    }
}

fn apart(piece: &Piece<'_>, name: &str) -> Failure {
    let place = piece.path().display().to_string();
    let remedy = if piece.is_text() {
        format!(
            "sort it by volume first, where volume and time are its first columns: (head -1 '{place}'; tail -n +2 '{place}' | LC_ALL=C sort -t, -k1,2) > sorted.csv"
        )
    } else {
        format!(
            "sort all files by volume first: duckdb -c \"COPY (FROM read_parquet(['{place}']) ORDER BY volume, time) TO 'sorted.parquet'\""
        )
    };
    Failure::usage(&place, format!("rows of {name} lie apart: other volumes' rows are between them"), remedy)
}
