//! What a trace holds, from reading it once: the bounds that a run of it needs, and what it is compared with.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use fathom_record::Workload;
use fathom_record::workload::{
    Addresses, Arrival, Length, Mix, SizeShare, Sizes, SizesByDirection, TraceSource,
};
use fathom_sizing::TracedIo;
use fathom_tools::Refusal;

use super::{placed, stream};

const SECOND_NS: u64 = 1_000_000_000;
/// Largest I/O that any workload has; those of a trace beyond it are cut.
const LARGEST_IO: u64 = 64 << 20;
/// More sizes than this are told as their range.
const LISTED: usize = 32;
/// More sizes than this are not counted one by one.
const COUNTED: usize = 4096;
/// Ticks that are held; of a longer trace each is twice as long.
const MOST_TICKS: usize = 1 << 16;

/// What one tick of the replay holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// Reads and writes.
    pub operations: [u64; 2],
    /// Bytes that they read and wrote.
    pub bytes: [u64; 2],
}

/// What a trace holds, as far as a run goes.
#[derive(Clone, Debug)]
pub struct TraceSurvey {
    /// Where it comes from.
    pub traced: TraceSource,
    /// Kind of the trace, as `blkparse`.
    pub kind: &'static str,
    /// How many times as fast as the trace.
    pub speed: f64,
    /// I/Os.
    pub operations: u64,
    /// Length of a tick of the replay, in nanoseconds.
    pub tick_ns: u64,
    /// What is to start in each tick.
    pub ticks: Vec<Tick>,
    /// Start of the last I/O in the replay, in nanoseconds.
    pub last_ns: u64,
    /// Lines that were left out, and I/Os that were put later.
    pub odd: [u64; 2],
    sizes: [SizeCounts; 2],
    limited: bool,
}

/// Sizes of one direction, in bytes as the trace has them.
#[derive(Clone, Debug, Default)]
struct SizeCounts {
    counts: BTreeMap<u64, u64>,
    smallest: u64,
    largest: u64,
    operations: u64,
    /// Whether there were too many to be counted one by one.
    many: bool,
}

impl TraceSurvey {
    /// Reads the trace of a workload, as far as the workload's length goes; absent where it replays none.
    ///
    /// # Errors
    /// When it cannot be read, or holds no I/O.
    pub fn of(workload: &Workload) -> Result<Option<Self>, Refusal> {
        let (Addresses::Traced(traced), &Arrival::Traced { speed }) =
            (&workload.addresses, &workload.arrival)
        else {
            return Ok(None);
        };
        let in_place = |refusal: Refusal| placed(refusal, traced);
        let mut stream = stream(traced)?;
        if !stream.has_times() {
            let cause = "it has no times: it is a log of version 2";
            let refusal = Refusal::new("a trace with times", cause);
            return Err(in_place(
                refusal.or("replay it as fast as it goes: fathom fio --name=replay --read_iolog=FILE"),
            ));
        }
        let mut survey = Self::empty(traced, speed, stream.kind());
        let most = workload.length.operations.unwrap_or(u64::MAX);
        while let Some(io) = stream.next().map_err(in_place)? {
            let at_ns = replayed_ns(io.at_ns, speed);
            let beyond = workload.length.time_ns.is_some_and(|time_ns| at_ns >= time_ns);
            if survey.operations == most || beyond {
                survey.limited = true;
                break;
            }
            survey.take(&io, at_ns);
        }
        survey.odd = [stream.left_out(), stream.late()];
        Ok(Some(survey))
    }

    fn empty(traced: &TraceSource, speed: f64, kind: &'static str) -> Self {
        Self {
            traced: TraceSource { extent_bytes: 0, ..traced.clone() },
            kind,
            speed,
            operations: 0,
            tick_ns: SECOND_NS,
            ticks: Vec::new(),
            last_ns: 0,
            odd: [0; 2],
            sizes: Default::default(),
            limited: false,
        }
    }

    fn take(&mut self, io: &TracedIo, at_ns: u64) {
        let direction = usize::from(io.write);
        self.operations += 1;
        self.last_ns = at_ns;
        let end = io.offset.saturating_add(io.bytes);
        self.traced.extent_bytes = self.traced.extent_bytes.max(end);
        self.sizes[direction].take(io.bytes.min(LARGEST_IO));
        let mut at = (at_ns / self.tick_ns) as usize;
        while at >= MOST_TICKS {
            self.ticks =
                self.ticks.chunks(2).map(|pair| pair.iter().copied().fold(Tick::default(), add)).collect();
            self.tick_ns *= 2;
            at = (at_ns / self.tick_ns) as usize;
        }
        if self.ticks.len() <= at {
            self.ticks.resize(at + 1, Tick::default());
        }
        self.ticks[at].operations[direction] += 1;
        self.ticks[at].bytes[direction] = self.ticks[at].bytes[direction].saturating_add(io.bytes);
    }

    /// Whether the run's length ends it before the trace does.
    pub fn is_limited(&self) -> bool {
        self.limited
    }

    /// Share of reads, 0 to 1.
    pub fn read_share(&self) -> f64 {
        self.sizes[0].operations as f64 / self.operations.max(1) as f64
    }

    /// The workload with what the trace says of it.
    pub fn directions(&self, workload: &Workload) -> Workload {
        let mix = Mix { read_share: self.read_share(), trim_share: 0.0, flush_every_writes: 0 };
        let addresses = Addresses::Traced(self.traced.clone());
        Workload { mix, addresses, ..workload.clone() }
    }

    /// The workload with all that the trace says, on a target of so many bytes with blocks of this length.
    pub fn workload(&self, workload: &Workload, target_bytes: u64, block_bytes: u64) -> Workload {
        let block_bytes = block_bytes.max(512);
        let rest = target_bytes.saturating_sub(workload.offset_bytes);
        let room = workload.span_bytes.unwrap_or(rest) / block_bytes * block_bytes;
        let most = LARGEST_IO.min(room).max(block_bytes);
        let [read, write] = [0, 1].map(|direction| self.sizes[direction].sizes(block_bytes, most));
        let either = read.clone().or_else(|| write.clone()).unwrap_or(Sizes::Fixed { bytes: block_bytes });
        let sizes = SizesByDirection {
            read: read.unwrap_or_else(|| either.clone()),
            write: write.unwrap_or_else(|| either.clone()),
            trim: either,
            own_alignment: false,
            rewrites_trimmed: false,
        };
        let length = Length { operations: Some(self.operations), ..workload.length };
        let alignment_bytes = Some(block_bytes);
        Workload { sizes, length, alignment_bytes, ..self.directions(workload) }
    }
}

impl SizeCounts {
    fn take(&mut self, bytes: u64) {
        self.smallest = if self.operations == 0 { bytes } else { self.smallest.min(bytes) };
        self.largest = self.largest.max(bytes);
        self.operations += 1;
        let listed = self.counts.len();
        match self.counts.entry(bytes) {
            Entry::Occupied(mut count) => *count.get_mut() += 1,
            Entry::Vacant(_) if listed == COUNTED => self.many = true,
            Entry::Vacant(fresh) => {
                fresh.insert(1);
            }
        }
    }

    /// What is issued of them in whole blocks; absent without any I/O.
    fn sizes(&self, block_bytes: u64, most: u64) -> Option<Sizes> {
        let whole = |bytes: u64| bytes.next_multiple_of(block_bytes).min(most);
        if self.operations == 0 {
            return None;
        }
        let (min_bytes, max_bytes) = (whole(self.smallest), whole(self.largest));
        if min_bytes == max_bytes {
            return Some(Sizes::Fixed { bytes: min_bytes });
        }
        let mut rounded: BTreeMap<u64, u64> = BTreeMap::new();
        for (bytes, count) in &self.counts {
            *rounded.entry(whole(*bytes)).or_default() += count;
        }
        if self.many || rounded.len() > LISTED {
            return Some(Sizes::Range { min_bytes, max_bytes, step_bytes: block_bytes });
        }
        let share = |(&bytes, &count): (&u64, &u64)| SizeShare {
            bytes,
            share: count as f64 / self.operations as f64,
        };
        Some(Sizes::Split { shares: rounded.iter().map(share).collect() })
    }
}

/// A moment of a trace in its replay.
pub fn replayed_ns(at_ns: u64, speed: f64) -> u64 {
    // Exact for what is replayed as it was.
    if speed == 1.0 { at_ns } else { (at_ns as f64 / speed) as u64 }
}

/// Both together.
pub fn add(a: Tick, b: Tick) -> Tick {
    let sum = |a: [u64; 2], b: [u64; 2]| [a[0] + b[0], a[1].saturating_add(b[1])];
    Tick { operations: sum(a.operations, b.operations), bytes: sum(a.bytes, b.bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(ios: impl IntoIterator<Item = TracedIo>, speed: f64) -> TraceSurvey {
        let mut survey = TraceSurvey::empty(&traced(), speed, "trace");
        ios.into_iter().for_each(|io| survey.take(&io, replayed_ns(io.at_ns, speed)));
        survey
    }

    fn traced() -> TraceSource {
        TraceSource {
            file: "t".into(),
            device: None,
            columns: String::new(),
            fit: Default::default(),
            extent_bytes: 0,
        }
    }

    fn io(at_s: u64, bytes: u64, write: bool) -> TracedIo {
        TracedIo { at_ns: at_s * SECOND_NS, offset: 0, bytes, write }
    }

    #[test]
    fn a_long_trace_takes_no_more_ticks_than_a_short_one() {
        let last = 3 * MOST_TICKS as u64 + 1;
        let survey = survey((0..=last).map(|at| io(at, 512, false)), 1.0);
        assert_eq!((survey.tick_ns, survey.operations), (4 * SECOND_NS, last + 1));
        assert!(survey.ticks.len() <= MOST_TICKS);
        assert!(survey.ticks[..survey.ticks.len() - 1].iter().all(|tick| tick.operations == [4, 0]));
    }

    #[test]
    fn sizes_become_whole_blocks_that_the_target_holds() {
        let survey =
            survey([io(0, 512, false), io(1, 4096, false), io(2, 5000, false), io(3, 1 << 20, true)], 2.0);
        assert_eq!(survey.last_ns, 1_500_000_000);
        let plan =
            fathom_record::parse_run(include_bytes!("../../../../fuzz/seeds/record/run.json")).unwrap();
        let workload =
            survey.workload(&Workload { offset_bytes: 0, span_bytes: None, ..plan.workload }, 300_000, 4096);
        let part = |bytes, share| SizeShare { bytes, share };
        assert_eq!(
            workload.sizes.read,
            Sizes::Split { shares: vec![part(4096, 2.0 / 3.0), part(8192, 1.0 / 3.0)] }
        );
        assert_eq!(workload.sizes.write, Sizes::Fixed { bytes: 73 * 4096 });
        assert_eq!((workload.mix.read_share, workload.length.operations), (0.75, Some(4)));
    }
}
