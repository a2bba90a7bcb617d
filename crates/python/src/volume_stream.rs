//! A stream of batches as runs of rows, one volume after the other, by the same columns and rules as a fleet's files.

use std::cell::Cell as Flag;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Schema};
use fathom_demand::fleet::{Cell, Gather, Interest, Layout, Run, SizeCell, Taker};
use fathom_demand::{Hints, Interval};
use fathom_sizing::fleet::{hash, is_sampled};
use fathom_tools::Refusal;

use super::Halt;
use super::arrow_columns::{Cells, Wanted, Words};

const TABLE: &str = "a fleet's table";
/// Rows that are looked at together: few enough to stay in a CPU's cache.
const ROWS: usize = 4096;
/// Rows between two looks at whether a person wants it to end.
const ROWS_OF_A_LOOK: u64 = 1 << 20;

/// What is read of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// What is said of its columns.
    pub hints: Hints<'a>,
    /// Times that the share of the volumes whose rows are wanted was halved.
    pub halvings: u32,
    /// Rows that one volume may have; of one with more none is held.
    pub most_rows: u64,
    /// Whether a volume that comes again is left out, in place of being refused.
    pub keeps_going: bool,
}

/// Reads a stream whose rows lie together, volume by volume, and gives each volume's to `take`; those that are not in
/// the sample have no rows. `look` is asked now and then whether to go on. Gives the volumes that came again and were left
/// out, with the rows that they had then.
///
/// # Errors
/// When columns are missing or of another kind, rows of a volume lie apart, the stream fails, or `take` or `look` do.
pub fn read(
    reader: impl RecordBatchReader,
    reading: &Reading<'_>,
    look: impl Fn() -> Result<(), Halt>,
    take: impl FnMut(Run) -> Result<(), Refusal>,
) -> Result<BTreeMap<String, u64>, Halt> {
    let layout = layout(&reader.schema(), &reading.hints)?;
    let is_over = Flag::new(false);
    let mut volumes = Volumes {
        take,
        layout: &layout,
        reading,
        held: None,
        seen: HashSet::new(),
        apart: BTreeMap::new(),
        over: &is_over,
        refusal: None,
    };
    let mut gather = Gather::new(&mut volumes);
    let mut rows = Rows { most: reading.most_rows, ..Rows::default() };
    let mut since = 0;
    for batch in reader {
        let batch = batch.map_err(|error| {
            Refusal::new(TABLE, error.to_string()).at("the stream").or("see what its producer says")
        })?;
        for at in (0..batch.num_rows()).step_by(ROWS) {
            rows.read(&batch.slice(at, ROWS.min(batch.num_rows() - at)), &layout, &mut gather);
        }
        if is_over.get() {
            break;
        }
        since += batch.num_rows() as u64;
        if since >= ROWS_OF_A_LOOK {
            since = 0;
            look()?;
        }
    }
    gather.finish();
    Ok(volumes.finish()?)
}

/// Which column means what, with values of kinds that can be used.
fn layout(schema: &Schema, hints: &Hints<'_>) -> Result<Layout, Refusal> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let layout = Layout::find(&names, hints)?;
    let [time, flows @ ..] = layout.demand;
    let numbers = flows.into_iter().chain(layout.size).map(|at| (at, Wanted::Number));
    let words = [layout.volume, layout.current, layout.instance].into_iter().flatten();
    let wanted =
        std::iter::once((time, Wanted::Moment)).chain(numbers).chain(words.map(|at| (at, Wanted::Words)));
    for (at, wanted) in wanted {
        let kind: &DataType = schema.field(at).data_type();
        if !wanted.is_served_by(kind) {
            let cause =
                format!("its column {} holds {kind} values, and {} is needed", names[at], wanted.words());
            return Err(Refusal::new(TABLE, cause)
                .at("the schema")
                .or("name another with columns=, or cast it to double, timestamp or string"));
        }
    }
    Ok(layout)
}

/// Hands over volumes one by one, and notices one that comes again.
struct Volumes<'a, F> {
    take: F,
    layout: &'a Layout,
    reading: &'a Reading<'a>,
    /// The latest volume, where its rows may go on: those of a name that is no text, which is spelt with `\`, come in
    /// pieces.
    held: Option<Run>,
    /// Hashes of the names that were seen.
    seen: HashSet<u64>,
    /// Volumes that came again, and their rows then.
    apart: BTreeMap<String, u64>,
    /// Whether the rest of the stream changes nothing, for who reads it.
    over: &'a Flag<bool>,
    refusal: Option<Refusal>,
}

impl<F: FnMut(Run) -> Result<(), Refusal>> Volumes<'_, F> {
    fn refuse(&mut self, refusal: Refusal) {
        self.over.set(true);
        self.refusal.get_or_insert(refusal);
    }

    /// The volume before is whole.
    fn hand_over(&mut self) {
        let Some(mut run) = self.held.take().filter(|_| self.refusal.is_none()) else { return };
        if run.rows > self.reading.most_rows {
            run.intervals = Vec::new();
            run.wrong = 0;
            run.trouble = Some(format!(
                "it has more rows than one volume may have here: {}, where max_rows is {}",
                run.rows, self.reading.most_rows
            ));
        }
        run.values = Some(self.layout.values);
        if let Err(refusal) = (self.take)(run) {
            self.refuse(refusal);
        }
    }

    fn finish(mut self) -> Result<BTreeMap<String, u64>, Refusal> {
        self.hand_over();
        self.refusal.map_or(Ok(self.apart), Err)
    }
}

impl<F: FnMut(Run) -> Result<(), Refusal>> Taker for Volumes<'_, F> {
    fn interest(&self, volume: &[u8]) -> Interest {
        let is_wanted = !self.over.get() && is_sampled(hash(volume), self.reading.halvings);
        if is_wanted { Interest::Rows } else { Interest::Name }
    }

    fn take(&mut self, run: Run) {
        match &mut self.held {
            Some(held) if held.volume == run.volume => {
                held.append(run);
                if held.rows > self.reading.most_rows {
                    held.intervals = Vec::new();
                }
            }
            _ => {
                self.hand_over();
                if !self.seen.insert(hash(run.volume.as_bytes())) {
                    if self.reading.keeps_going {
                        *self.apart.entry(run.volume).or_default() += run.rows;
                        return;
                    }
                    self.refuse(
                        Refusal::new(TABLE, format!("rows of {:?} lie apart", run.volume)).at("the stream").or(
                            "sort it by volume and time, or within each partition where volumes are divided among them",
                        ),
                    );
                }
                let is_text = !run.volume.contains('\\');
                self.held = Some(run);
                if is_text {
                    self.hand_over();
                }
            }
        }
    }
}

/// Some rows as cells.
#[derive(Default)]
struct Rows {
    /// Rows that one volume may have.
    most: u64,
    /// Rows of the latest volume so far.
    so_far: u64,
    times: Cells<i64>,
    flows: [Cells<f64>; 4],
    sizes: Cells<f64>,
}

/// What is said of a row beside its demand.
struct Facts<'a> {
    names: Vec<&'a [u8]>,
    current: Vec<&'a [u8]>,
    instance: Vec<&'a [u8]>,
    has_size: bool,
}

impl Facts<'_> {
    fn any(&self) -> bool {
        self.has_size || !self.current.is_empty() || !self.instance.is_empty()
    }
}

impl Rows {
    fn read<T: Taker>(&mut self, batch: &RecordBatch, layout: &Layout, gather: &mut Gather<'_, T>) {
        let column = |at: usize| batch.column(at);
        let words =
            [layout.volume, layout.current, layout.instance].map(|at| at.map(|at| Words::of(column(at))));
        let [names, current, instance] = words.each_ref().map(|words| {
            let mut list = Vec::new();
            words.iter().for_each(|words| words.list(&mut list));
            list
        });
        let facts = Facts { names, current, instance, has_size: layout.size.is_some() };
        let spans = spans(&facts.names);
        // Where these volumes are not wanted, what they did is not even looked at.
        if spans.iter().any(|(name, _)| gather.wants(name)) {
            self.times.read(column(layout.demand[0]));
            for (flow, at) in self.flows.iter_mut().zip(&layout.demand[1..]) {
                flow.read(column(*at));
            }
            layout.size.iter().for_each(|at| self.sizes.read(column(*at)));
        }
        for (name, span) in spans {
            let is_same = self.so_far > 0 && gather.volume().as_bytes() == name;
            self.so_far = span.len() as u64 + if is_same { self.so_far } else { 0 };
            if gather.rows(name, span.len() as u64) && self.so_far <= self.most {
                self.span(span, layout, &facts, gather);
            }
        }
    }

    /// The rows of one volume.
    fn span<T: Taker>(
        &self,
        span: Range<usize>,
        layout: &Layout,
        facts: &Facts<'_>,
        gather: &mut Gather<'_, T>,
    ) {
        let [reads, writes, read_bytes, write_bytes] = self.flows.each_ref().map(Cells::whole);
        let (Some(times), Some(reads), Some(writes), Some(read_bytes), Some(write_bytes)) =
            (self.times.whole(), reads, writes, read_bytes, write_bytes)
        else {
            for row in span {
                let at_ns =
                    gather.demand(self.times.get(row), self.flows.each_ref().map(|flow| flow.get(row)));
                if facts.any() {
                    self.facts(at_ns, row, layout, facts, gather);
                }
            }
            return;
        };
        let (reads, writes) = (&reads[span.clone()], &writes[span.clone()]);
        let bytes = read_bytes[span.clone()].iter().zip(&write_bytes[span.clone()]);
        let rows = times[span.clone()].iter().zip(reads.iter().zip(writes)).zip(bytes);
        gather.intervals(rows.map(|((end_ns, (reads, writes)), (read_bytes, write_bytes))| Interval {
            end_ns: *end_ns,
            reads: *reads,
            writes: *writes,
            read_bytes: *read_bytes,
            write_bytes: *write_bytes,
        }));
        if !facts.any() {
            return;
        }
        let mut alike = span.start;
        for row in span.clone() {
            // Of rows that say the same only the latest counts.
            if row + 1 < span.end && self.says_the_same(row, row + 1, facts) {
                continue;
            }
            let latest_ns = times[alike..=row].iter().copied().max();
            if self.sizes.whole().is_some() {
                self.facts(latest_ns, row, layout, facts, gather);
            } else {
                (alike..=row).for_each(|row| self.facts(Some(times[row]), row, layout, facts, gather));
            }
            alike = row + 1;
        }
    }

    fn says_the_same(&self, row: usize, next: usize, facts: &Facts<'_>) -> bool {
        let words = |column: &[&[u8]]| column.is_empty() || is_same(column[row], column[next]);
        words(&facts.current)
            && words(&facts.instance)
            && (!facts.has_size || self.sizes.get(row) == self.sizes.get(next))
    }

    fn facts<'a, T: Taker>(
        &self,
        at_ns: Option<i64>,
        row: usize,
        layout: &Layout,
        facts: &Facts<'a>,
        gather: &mut Gather<'_, T>,
    ) {
        let size = match facts.has_size.then(|| self.sizes.get(row)) {
            None | Some(Cell::Empty) => SizeCell::Empty,
            Some(Cell::Value(size)) => SizeCell::Gib(layout.gib(size)),
            Some(Cell::Wrong) => SizeCell::Wrong,
        };
        let words = |column: &Vec<&'a [u8]>| column.get(row).copied().unwrap_or_default();
        gather.facts(at_ns, size, words(&facts.current), words(&facts.instance));
    }
}

/// Rows of one volume that follow each other, with its name.
fn spans<'n>(names: &[&'n [u8]]) -> Vec<(&'n [u8], Range<usize>)> {
    let mut from = 0;
    let span = |alike: &[&'n [u8]]| {
        let span = from..from + alike.len();
        from = span.end;
        (alike[0], span)
    };
    names.chunk_by(|a, b| is_same(a, b)).map(span).collect()
}

/// Names of one key are the same bytes in memory.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    std::ptr::eq(a, b) || a == b
}
