//! The seconds of a run, added up to no more columns than a screen has. Counts stay exact: intervals are added whole.

use fathom_measure::Histogram;
use fathom_record::{Direction, Interval, LatencySummary, SparseHistogram};
use fathom_store::Store;

use super::Refusal;
use super::query_parameters::QueryParameters;

/// Most columns of one answer.
pub(super) const WIDTH_MAX: u64 = 2400;
/// Columns where nothing says how many.
const WIDTH: u64 = 1200;

/// Which intervals are asked for, by their numbers from 0, in at most how many columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct IntervalRange {
    from: u64,
    until: u64,
    width: usize,
}

/// Columns of a run.
#[derive(Debug)]
pub(crate) struct Seconds {
    /// Number of the first interval.
    pub(super) from: u64,
    /// Intervals that a column is the sum of; the last one may have fewer.
    pub(super) per_column: u64,
    /// Intervals of the whole run.
    pub(super) of: u64,
    /// In order of time.
    pub(super) columns: Vec<Column>,
}

/// One interval, or several in a row.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Start, from the run's first I/O.
    pub(super) start_ns: u64,
    /// Sum of the intervals' lengths.
    pub(super) duration_ns: u64,
    /// Whether all of it lies before the measurement proper.
    pub(super) warmup: bool,
    in_flight_integral_ns: u128,
    /// By [`Direction::index`].
    pub(super) flows: [Flow; 4],
}

/// One direction in a column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// I/Os that ended well.
    pub(super) operations: u64,
    /// Bytes that they moved.
    pub(super) bytes: u64,
    /// I/Os that failed.
    pub(super) errors: u64,
    /// Service latencies.
    pub(super) service: Latencies,
    /// Response latencies; empty in a closed loop.
    pub(super) response: Latencies,
}

/// Latencies of a column, by bucket.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies {
    /// Ascending buckets of [`Histogram`], each with its count.
    pub(super) buckets: Vec<(usize, u64)>,
    sum: u128,
    min: u64,
    max: u64,
}

impl IntervalRange {
    pub(super) fn of(parameters: &mut QueryParameters) -> Result<Self, Refusal> {
        const ANY: std::ops::RangeInclusive<u64> = 0..=u32::MAX as u64;
        let from = parameters.number("from", ANY)?.unwrap_or(0);
        let until = parameters.number("until", ANY)?.unwrap_or(u64::MAX);
        if from >= until {
            return Err(Refusal::usage("until", "it is not behind `from`"));
        }
        let width = parameters.number("width", 1..=WIDTH_MAX)?.unwrap_or(WIDTH) as usize;
        Ok(Self { from, until, width })
    }
}

impl Seconds {
    /// Reads a run's intervals. Twice as many are added to each column whenever there are too many columns, so that
    /// no more than those are held however long the run is.
    pub(crate) fn read(store: &Store, id: &str, cut: IntervalRange) -> Result<Self, Refusal> {
        let mut seconds = Self { from: cut.from, per_column: 1, of: 0, columns: Vec::new() };
        let (mut at, mut damage) = (0, None);
        seconds.of = store.visit_stretch(id, cut.from..cut.until, |interval| {
            if damage.is_none() {
                damage = seconds.add(&interval, at, cut.width).err();
            }
            at += 1;
        })?;
        match damage {
            Some(cause) => Err(Refusal::new(500, "store", format!("run {id}: {cause}"))),
            None => Ok(seconds),
        }
    }

    fn add(&mut self, interval: &Interval, at: u64, width: usize) -> Result<(), &'static str> {
        if at.is_multiple_of(self.per_column) && self.columns.len() == width {
            let halves: Vec<Column> = self.columns.chunks(2).map(Column::of_both).collect();
            self.columns = halves;
            self.per_column *= 2;
        }
        if at.is_multiple_of(self.per_column) {
            self.columns.push(Column::at(interval.start_ns));
        }
        let column = self.columns.last_mut().expect("the first interval begins a column");
        column.add(interval)
    }

    /// Directions that have any I/O, flushes included.
    pub(super) fn directions(&self) -> impl Iterator<Item = Direction> + '_ {
        let has_any = |direction: &Direction| {
            let flows = self.columns.iter().map(|column| &column.flows[direction.index()]);
            flows.into_iter().any(|flow| flow.operations > 0 || flow.errors > 0)
        };
        Direction::ALL.into_iter().filter(has_any)
    }
}

impl Column {
    fn at(start_ns: u64) -> Self {
        let flows = Default::default();
        Self { start_ns, duration_ns: 0, warmup: true, in_flight_integral_ns: 0, flows }
    }

    fn add(&mut self, interval: &Interval) -> Result<(), &'static str> {
        self.duration_ns = self.duration_ns.saturating_add(interval.duration_ns);
        self.warmup &= interval.warmup;
        self.in_flight_integral_ns += u128::from(interval.in_flight_integral_ns);
        for part in &interval.directions {
            let flow = &mut self.flows[part.direction.index()];
            flow.operations = flow.operations.saturating_add(part.operations);
            flow.bytes = flow.bytes.saturating_add(part.bytes);
            flow.errors = flow.errors.saturating_add(part.errors);
            flow.service.add(&Latencies::of(&part.service)?);
            if let Some(response) = &part.response {
                flow.response.add(&Latencies::of(response)?);
            }
        }
        Ok(())
    }

    /// Two columns in a row as one, or one that is left over.
    fn of_both(columns: &[Column]) -> Self {
        let mut sum = columns[0].clone();
        for column in &columns[1..] {
            sum.duration_ns = sum.duration_ns.saturating_add(column.duration_ns);
            sum.warmup &= column.warmup;
            sum.in_flight_integral_ns += column.in_flight_integral_ns;
            for (flow, more) in sum.flows.iter_mut().zip(&column.flows) {
                flow.operations = flow.operations.saturating_add(more.operations);
                flow.bytes = flow.bytes.saturating_add(more.bytes);
                flow.errors = flow.errors.saturating_add(more.errors);
                flow.service.add(&more.service);
                flow.response.add(&more.response);
            }
        }
        sum
    }

    /// A count as a rate per second; not a number where no time passed.
    pub(super) fn per_s(&self, count: u64) -> f64 {
        count as f64 / (self.duration_ns as f64 / 1e9)
    }

    /// Mean I/Os in flight; not a number where no time passed.
    pub(super) fn in_flight(&self) -> f64 {
        self.in_flight_integral_ns as f64 / self.duration_ns as f64
    }
}

impl Latencies {
    /// Of a part of a record.
    pub(super) fn of(sparse: &SparseHistogram) -> Result<Self, &'static str> {
        let buckets = sparse.checked_buckets()?;
        let (min, max) = if buckets.is_empty() { (0, 0) } else { (sparse.min_ns, sparse.max_ns) };
        Ok(Self { buckets, sum: sparse.sum(), min, max })
    }

    /// Adds others, bucket by bucket.
    pub(super) fn add(&mut self, more: &Self) {
        if more.buckets.is_empty() {
            return;
        }
        if self.buckets.is_empty() {
            *self = more.clone();
            return;
        }
        let mut both = Vec::with_capacity(self.buckets.len().max(more.buckets.len()) + 16);
        let (mut mine, mut theirs) = (self.buckets.iter().peekable(), more.buckets.iter().peekable());
        while let (Some(&&(one, count)), Some(&&(other, others))) = (mine.peek(), theirs.peek()) {
            let bucket = one.min(other);
            let (from_mine, from_theirs) = (one == bucket, other == bucket);
            let sum = if from_mine { count } else { 0 } + if from_theirs { others } else { 0 };
            both.push((bucket, sum));
            if from_mine {
                mine.next();
            }
            if from_theirs {
                theirs.next();
            }
        }
        both.extend(mine.chain(theirs).copied());
        self.buckets = both;
        self.sum += more.sum;
        self.min = self.min.min(more.min);
        self.max = self.max.max(more.max);
    }

    /// In a few numbers, quantiles with too few values beyond them left out; absent when empty.
    pub(super) fn summary(&self) -> Option<LatencySummary> {
        let histogram = Histogram::from_parts(self.buckets.iter().copied(), self.sum, self.min, self.max);
        LatencySummary::of(&histogram.ok()?)
    }
}
