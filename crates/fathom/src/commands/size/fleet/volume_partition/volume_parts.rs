//! Volumes divided by their names into parts, whose rows lie in a scratch file.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;

use fathom_rows::Values;
use fathom_rows::demand_tables::{Blocks, Interest, Run, RunSink, put_block, run_of};

use super::super::stop_request::Stop;
use super::name_sample::Names;
use super::scratch_file::{Chunk, Scratch};

/// Rows that one thread holds before it writes them: the more, the more rows of a volume lie side by side.
const HELD_BYTES: usize = 64 << 20;
/// What a volume and a row take of it, roughly.
const VOLUME_BYTES: usize = 512;
const ROW_BYTES: usize = 40;
/// Bytes of parts that one thread holds before they are written.
const BUFFERS_BYTES: usize = 64 << 20;
const SMALLEST_CHUNK: usize = 16 << 10;
const LARGEST_CHUNK: usize = 1 << 20;
/// Rows of a volume that are written as one block at most.
const BLOCK_ROWS: usize = 1 << 20;
/// A part of this size is judged from memory in one go.
pub const USUAL_PART: u64 = 32 << 20;
/// More parts than these have too little room each while they are written; they are divided again.
const MOST_PARTS: u64 = 1024;

/// One part.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub chunks: Vec<Chunk>,
}

/// All of them, in the order of the names.
pub struct Parts {
    /// The first name of each but the first.
    firsts: Vec<Box<[u8]>>,
    parts: Vec<Mutex<Part>>,
}

impl Part {
    /// How long it is.
    pub fn bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.bytes()).sum()
    }
}

impl Parts {
    /// Parts for about so many bytes of volumes with such names.
    pub fn new(names: &Names, bytes: u64) -> Self {
        let parts = bytes.div_ceil(USUAL_PART).clamp(1, MOST_PARTS);
        let firsts = names.divided(parts as usize);
        let parts = (0..=firsts.len()).map(|_| Mutex::default()).collect();
        Self { firsts, parts }
    }

    /// All that were written, in their order.
    pub fn into_written(self) -> Vec<Part> {
        let part = |part: Mutex<Part>| part.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.parts.into_iter().map(part).collect()
    }

    fn of(&self, name: &[u8]) -> usize {
        self.firsts.partition_point(|first| **first <= *name)
    }
}

/// Writes blocks into the parts that they belong to.
pub struct Writer<'a> {
    scratch: &'a Scratch,
    parts: &'a Parts,
    buffers: Vec<Vec<u8>>,
    chunk_bytes: usize,
}

impl<'a> Writer<'a> {
    /// With room of its own, so that several may write at once.
    pub fn new(scratch: &'a Scratch, parts: &'a Parts) -> Self {
        let count = parts.parts.len();
        let chunk_bytes = (BUFFERS_BYTES / count).clamp(SMALLEST_CHUNK, LARGEST_CHUNK);
        Self { scratch, parts, buffers: vec![Vec::new(); count], chunk_bytes }
    }

    /// Puts in a block.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn block(&mut self, name: &[u8], block: &[u8]) -> io::Result<()> {
        let part = self.parts.of(name);
        self.buffers[part].extend_from_slice(block);
        if self.buffers[part].len() >= self.chunk_bytes { self.write(part) } else { Ok(()) }
    }

    fn run(&mut self, run: Run) -> io::Result<()> {
        let part = self.parts.of(run.volume.as_bytes());
        put_run(run, &mut self.buffers[part]);
        if self.buffers[part].len() >= self.chunk_bytes { self.write(part) } else { Ok(()) }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn finish(mut self) -> io::Result<()> {
        (0..self.buffers.len()).try_for_each(|part| self.write(part))
    }

    fn write(&mut self, part: usize) -> io::Result<()> {
        let buffer = &mut self.buffers[part];
        if !buffer.is_empty() {
            let chunk = self.scratch.write(buffer)?;
            let mut part = self.parts.parts[part].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            part.chunks.push(chunk);
            buffer.clear();
        }
        Ok(())
    }
}

/// As one block or several: no block grows beyond all bounds.
fn put_run(mut run: Run, out: &mut Vec<u8>) {
    while run.intervals.len() > BLOCK_ROWS {
        let rest = run.intervals.split_off(BLOCK_ROWS);
        let volume = run.volume.clone();
        put_block(&run, out);
        run = Run { volume, intervals: rest, values: run.values, ..Run::default() };
    }
    put_block(&run, out);
}

/// Takes runs in any order, and writes the rows of each volume together as far as memory for that lasts.
pub struct Scatter<'a> {
    writer: Writer<'a>,
    held: HashMap<String, Run>,
    held_bytes: usize,
    /// What the rows that come are.
    pub values: Values,
    stop: &'a Stop,
    failure: Option<io::Error>,
}

impl<'a> Scatter<'a> {
    /// For one thread.
    pub fn new(scratch: &'a Scratch, parts: &'a Parts, stop: &'a Stop) -> Self {
        Self {
            writer: Writer::new(scratch, parts),
            held: HashMap::new(),
            held_bytes: 0,
            values: Values::PerRow,
            stop,
            failure: None,
        }
    }

    /// What went wrong so far, once.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Writes what is held.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_held()?;
        self.writer.finish()
    }

    fn write_held(&mut self) -> io::Result<()> {
        self.held_bytes = 0;
        self.held.drain().try_for_each(|(_, run)| self.writer.run(run))
    }
}

impl RunSink for Scatter<'_> {
    fn interest(&self, _volume: &[u8]) -> Interest {
        // Rows that are not written need not be read.
        let is_wanted = self.failure.is_none() && !self.stop.is_asked();
        if is_wanted { Interest::Rows } else { Interest::Name }
    }

    fn take(&mut self, mut run: Run) {
        if self.failure.is_some() {
            return;
        }
        run.values = Some(self.values);
        self.held_bytes += run.intervals.len() * ROW_BYTES;
        match self.held.get_mut(&run.volume) {
            Some(held) => held.append(run),
            None => {
                self.held_bytes += VOLUME_BYTES;
                self.held.insert(run.volume.clone(), run);
            }
        }
        if self.held_bytes >= HELD_BYTES {
            self.failure = self.write_held().err();
        }
    }
}

/// Gives each volume's run to a taker, in the order of the names. Parts that are too large for memory are divided
/// again, unless one volume fills them.
///
/// # Errors
/// As the system reports them, or when the scratch file is damaged.
pub fn read_part(
    scratch: &Scratch,
    part: &Part,
    largest_bytes: u64,
    taker: &mut impl RunSink,
) -> io::Result<()> {
    if part.bytes() > largest_bytes {
        let names = names_of(scratch, part)?;
        if names.count() > 1 {
            let finer = divided(scratch, part, &names)?;
            return finer.iter().try_for_each(|part| read_part(scratch, part, largest_bytes, taker));
        }
    }
    let mut bytes = Vec::with_capacity(usize::try_from(part.bytes()).unwrap_or(0));
    part.chunks.iter().try_for_each(|chunk| scratch.read(*chunk, &mut bytes))?;
    let mut blocks: Vec<(&[u8], &[u8])> = Blocks(&bytes).collect();
    if blocks.iter().map(|(_, block)| block.len()).sum::<usize>() != bytes.len() {
        return Err(damaged());
    }
    // Of blocks of one volume the order does not matter.
    blocks.sort_unstable_by_key(|(name, _)| *name);
    for alike in blocks.chunk_by(|(a, _), (b, _)| a == b) {
        if taker.interest(alike[0].0) == Interest::Name {
            continue;
        }
        let mut whole: Option<Run> = None;
        for (_, block) in alike {
            let run = run_of(block).ok_or_else(damaged)?;
            match &mut whole {
                Some(whole) => whole.append(run),
                None => whole = Some(run),
            }
        }
        if let Some(mut run) = whole {
            run.intervals.sort_by_key(|interval| interval.end_ns);
            taker.take(run);
        }
    }
    Ok(())
}

fn names_of(scratch: &Scratch, part: &Part) -> io::Result<Names> {
    let (mut names, mut bytes) = (Names::default(), Vec::new());
    for chunk in &part.chunks {
        bytes.clear();
        scratch.read(*chunk, &mut bytes)?;
        Blocks(&bytes).for_each(|(name, _)| names.put(name));
    }
    Ok(names)
}

fn divided(scratch: &Scratch, part: &Part, names: &Names) -> io::Result<Vec<Part>> {
    // At least two: each has fewer names than this one, so that dividing ends.
    let parts = Parts::new(names, part.bytes().max(USUAL_PART + 1));
    let mut writer = Writer::new(scratch, &parts);
    let mut bytes = Vec::new();
    for chunk in &part.chunks {
        bytes.clear();
        scratch.read(*chunk, &mut bytes)?;
        Blocks(&bytes).try_for_each(|(name, block)| writer.block(name, block))?;
    }
    writer.finish()?;
    Ok(parts.into_written())
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the scratch file is damaged")
}

#[cfg(test)]
mod tests {
    use fathom_rows::Interval;

    use super::*;

    #[derive(Default)]
    struct All(Vec<Run>);

    impl RunSink for All {
        fn interest(&self, volume: &[u8]) -> Interest {
            if volume == b"vol-07" { Interest::Name } else { Interest::Rows }
        }

        fn take(&mut self, run: Run) {
            self.0.push(run);
        }
    }

    fn row(minute: i64) -> Interval {
        Interval { end_ns: minute * 60_000_000_000, writes: minute as f64, ..Interval::default() }
    }

    #[test]
    fn volumes_come_whole_and_in_order_however_small_the_parts_are() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(folder.path(), 1).unwrap();
        // Names of nobody: all volumes fall into one part, which is then divided.
        let parts = Parts::new(&Names::default(), 1 << 40);
        let stop = Stop::default();
        let mut scatters = [(); 2].map(|()| Scatter::new(&scratch, &parts, &stop));
        for minute in (0..50i64).rev() {
            for volume in 0..40 {
                let scatter = &mut scatters[(minute as usize + volume) % 2];
                scatter.take(Run {
                    volume: format!("vol-{volume:02}"),
                    rows: 1,
                    intervals: vec![row(minute)],
                    ..Run::default()
                });
            }
        }
        scatters.into_iter().try_for_each(Scatter::finish).unwrap();
        let parts = parts.into_written();
        assert_eq!(parts.len(), 1);
        for largest_bytes in [u64::MAX, 4000, 1] {
            let mut all = All::default();
            read_part(&scratch, &parts[0], largest_bytes, &mut all).unwrap();
            let names: Vec<&str> = all.0.iter().map(|run| run.volume.as_str()).collect();
            let wanted: Vec<String> =
                (0..40).filter(|volume| *volume != 7).map(|volume| format!("vol-{volume:02}")).collect();
            assert_eq!(names, wanted);
            let rows: Vec<Interval> = (0..50).map(row).collect();
            assert!(all.0.iter().all(|run| run.intervals == rows && run.rows == 50), "{largest_bytes}");
        }
    }
}
