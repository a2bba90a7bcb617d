//! A stream of batches as runs of rows, one volume after the other, by the same columns and rules as a fleet's files.

use std::cell::Cell as Flag;
use std::collections::{BTreeMap, HashSet};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Schema};
use fathom_rows::Hints;
use fathom_rows::demand_tables::{Cells, Interest, Layout, RowBlock, RowGatherer, Run, RunSink, spans};
use fathom_sizing::fleet_volumes::{hash, is_sampled};
use fathom_tools::Refusal;

use super::Halt;
use super::arrow_columns::{ColumnKind, Words, read_moments, read_numbers};

/// What is read, in messages.
pub const TABLE: &str = "a fleet's table";
/// Rows that are looked at together: few enough to stay in a CPU's cache.
const ROWS: usize = 4096;
/// Rows between two looks at whether a person wants it to end.
const ROWS_OF_A_LOOK: u64 = 1 << 20;

/// What is read of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamOptions<'a> {
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
    reading: &StreamOptions<'_>,
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
    let mut gather = RowGatherer::new(&mut volumes);
    let mut rows = Rows { most: reading.most_rows, ..Rows::default() };
    let mut since = 0;
    for batch in reader {
        let batch = batch.map_err(|error| {
            Refusal::caused_by(TABLE, error).at("the stream").or("see what its producer says")
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
///
/// # Errors
/// When one that is needed is missing or of another kind.
pub fn layout(schema: &Schema, hints: &Hints<'_>) -> Result<Layout, Refusal> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let layout = Layout::find(&names, hints)?;
    let [time, flows @ ..] = layout.demand;
    let numbers = flows.into_iter().chain(layout.size).map(|at| (at, ColumnKind::Number));
    let words = [layout.volume, layout.current, layout.instance].into_iter().flatten();
    let wanted = std::iter::once((time, ColumnKind::Moment))
        .chain(numbers)
        .chain(words.map(|at| (at, ColumnKind::Words)));
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
    reading: &'a StreamOptions<'a>,
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

impl<F: FnMut(Run) -> Result<(), Refusal>> RunSink for Volumes<'_, F> {
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

impl Rows {
    fn read<T: RunSink>(&mut self, batch: &RecordBatch, layout: &Layout, gather: &mut RowGatherer<'_, T>) {
        let column = |at: usize| batch.column(at);
        let words =
            [layout.volume, layout.current, layout.instance].map(|at| at.map(|at| Words::of(column(at))));
        let [names, current, instance] = words.each_ref().map(|words| {
            let mut list = Vec::new();
            words.iter().for_each(|words| words.list(&mut list));
            list
        });
        let spans = spans(&names, batch.num_rows());
        // Where these volumes are not wanted, what they did is not even looked at.
        if spans.iter().any(|(name, _)| gather.wants(name)) {
            read_moments(&mut self.times, column(layout.demand[0]));
            for (flow, at) in self.flows.iter_mut().zip(&layout.demand[1..]) {
                read_numbers(flow, column(*at));
            }
            layout.size.iter().for_each(|at| read_numbers(&mut self.sizes, column(*at)));
        }
        let block = RowBlock {
            layout,
            times: &self.times,
            flows: self.flows.each_ref(),
            sizes: layout.size.map(|_| &self.sizes),
            current,
            instance,
            group: Vec::new(),
        };
        for (name, span) in spans {
            let is_same = self.so_far > 0 && gather.volume().as_bytes() == name;
            self.so_far = span.len() as u64 + if is_same { self.so_far } else { 0 };
            if gather.rows(name, span.len() as u64) && self.so_far <= self.most {
                block.put(span, gather);
            }
        }
    }
}
