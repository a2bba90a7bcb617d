//! Adds the records of an entry up: histograms are merged, never percentiles.

use fathom_measure::Histogram;
use fathom_record::run_record::PrioritySummary;
use fathom_record::{Direction, RunRecord};

use super::device_use::ProcessUse;

/// One direction of an entry.
#[derive(Clone, Debug, Default)]
pub struct DirectionTotals {
    /// I/Os that ended well.
    pub operations: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// I/Os that ended in an error.
    pub errors: u64,
    /// Service latencies.
    pub service: Histogram,
    /// The longest window of the runs that it was part of, in nanoseconds.
    pub window_ns: u64,
    /// Time after that in which what was written was read back, in nanoseconds.
    pub read_back_ns: u64,
    /// Bytes per second, second by second.
    pub bytes_per_s: Vec<f64>,
    /// I/Os per second, second by second.
    pub operations_per_s: Vec<f64>,
    /// Standard deviation of the latencies, in nanoseconds.
    pub deviation_ns: f64,
}

/// The I/Os of one direction and one priority of an entry.
#[derive(Clone, Debug)]
pub struct PriorityTotals {
    /// Reads or writes.
    pub direction: Direction,
    /// The kernel's class.
    pub class: u8,
    /// 0 to 7.
    pub level: u8,
    /// Their latencies, and nothing else.
    pub counted: DirectionTotals,
}

/// All directions of an entry.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Reads, writes, trims and flushes.
    pub directions: [DirectionTotals; 4],
    /// The longest window of its runs, in nanoseconds.
    pub duration_ns: u64,
    /// Windows of all its clones, in nanoseconds.
    pub run_ns: u128,
    /// Time in which what was written was read back and checked, of all runs.
    pub read_back_ns: u64,
    /// Processor time in user mode.
    pub user_ns: u64,
    /// Processor time in the kernel.
    pub system_ns: u64,
    /// Context switches and page faults of the whole process.
    pub process: ProcessUse,
    /// What came of each priority, where there is more than one.
    pub priorities: Vec<PriorityTotals>,
    /// Start, in milliseconds of the Unix epoch where it is known; else 0.
    pub started_at: String,
}

impl Totals {
    /// Of the records of runs that took place at the same time or one after the other.
    pub fn of(records: &[&RunRecord]) -> Self {
        let mut totals = Self::default();
        for record in records {
            totals.add(record);
        }
        for direction in &mut totals.directions {
            direction.deviation_ns = deviation_ns(&direction.service);
        }
        for priority in &mut totals.priorities {
            priority.counted.deviation_ns = deviation_ns(&priority.counted.service);
        }
        totals
    }

    fn add(&mut self, record: &RunRecord) {
        let summary = &record.summary;
        self.duration_ns = self.duration_ns.max(summary.duration_ns);
        self.run_ns += u128::from(summary.duration_ns) * u128::from(record.workload.jobs.max(1));
        // Of the whole process in every record of a group.
        self.user_ns = self.user_ns.max(summary.cpu_user_ns.unwrap_or(0));
        self.system_ns = self.system_ns.max(summary.cpu_system_ns.unwrap_or(0));
        self.process = self.process.or_more(ProcessUse::of(&record.telemetry));
        if self.started_at.is_empty() {
            self.started_at.clone_from(&record.started_at);
        }
        for of_record in &summary.directions {
            // What another tool did not tell apart counts as reads, as in fio's own mixed reports.
            let which = of_record.direction.direction().unwrap_or(Direction::Read);
            let direction = &mut self.directions[which.index()];
            direction.operations += of_record.operations.unwrap_or(0);
            direction.bytes += of_record.bytes.unwrap_or(0);
            direction.errors += of_record.errors.unwrap_or(0);
            direction.window_ns = direction.window_ns.max(summary.duration_ns);
            // A histogram of another make is left out: its counts are in the totals all the same.
            if let Ok(histogram) =
                of_record.service_histogram.as_ref().map_or(Err("none"), Histogram::try_from)
            {
                direction.service.merge(&histogram);
            }
        }
        // Reads of verification are reads, as in fio, with a run time of their own.
        if let Some(read_back) = &record.read_back {
            let reads = &mut self.directions[Direction::Read.index()];
            reads.operations += read_back.operations;
            reads.bytes += read_back.bytes;
            reads.read_back_ns = reads.read_back_ns.max(read_back.duration_ns);
            self.read_back_ns += read_back.duration_ns;
            if let Ok(histogram) = Histogram::try_from(&read_back.service_histogram) {
                reads.service.merge(&histogram);
            }
        }
        for of_record in &record.priorities {
            let Ok(histogram) = Histogram::try_from(&of_record.service_histogram) else { continue };
            self.add_priority(of_record, &histogram);
        }
        let seconds = record
            .intervals
            .iter()
            .filter(|interval| !interval.warmup && interval.duration_ns >= 500_000_000);
        for (place, interval) in seconds.enumerate() {
            let per_s = 1e9 / interval.duration_ns as f64;
            for of_second in &interval.directions {
                let direction = &mut self.directions[of_second.direction.index()];
                add_at(&mut direction.bytes_per_s, place, of_second.bytes as f64 * per_s);
                add_at(&mut direction.operations_per_s, place, of_second.operations as f64 * per_s);
            }
        }
    }

    /// fio tells classes and levels apart, and no hints.
    fn add_priority(&mut self, of_record: &PrioritySummary, histogram: &Histogram) {
        let PrioritySummary { direction, class, level, .. } = *of_record;
        let same = |known: &&mut PriorityTotals| {
            (known.direction, known.class, known.level) == (direction, class, level)
        };
        if let Some(known) = self.priorities.iter_mut().find(same) {
            known.counted.service.merge(histogram);
            known.counted.operations += of_record.operations;
            return;
        }
        let counted = DirectionTotals {
            operations: of_record.operations,
            service: histogram.clone(),
            ..DirectionTotals::default()
        };
        self.priorities.push(PriorityTotals { direction, class, level, counted });
    }

    /// What came of each priority of a direction; nothing where all I/Os had one, as in fio.
    pub fn priorities_of(&self, direction: Direction) -> Vec<&PriorityTotals> {
        let own: Vec<_> = self.priorities.iter().filter(|priority| priority.direction == direction).collect();
        if own.len() < 2 { Vec::new() } else { own }
    }

    /// One direction.
    pub fn direction(&self, direction: Direction) -> &DirectionTotals {
        &self.directions[direction.index()]
    }

    /// Reads, writes and trims as one.
    pub fn mixed(&self) -> DirectionTotals {
        let mut all = DirectionTotals::default();
        for direction in &self.directions[..3] {
            all.operations += direction.operations;
            all.bytes += direction.bytes;
            all.errors += direction.errors;
            all.window_ns = all.window_ns.max(direction.window_ns);
            all.read_back_ns = all.read_back_ns.max(direction.read_back_ns);
            all.service.merge(&direction.service);
            for (place, value) in direction.bytes_per_s.iter().enumerate() {
                add_at(&mut all.bytes_per_s, place, *value);
            }
            for (place, value) in direction.operations_per_s.iter().enumerate() {
                add_at(&mut all.operations_per_s, place, *value);
            }
        }
        all.deviation_ns = deviation_ns(&all.service);
        all
    }
}

impl DirectionTotals {
    /// How long it took in fio's milliseconds, at least one.
    pub fn runtime_ms(&self) -> u64 {
        ((self.window_ns + self.read_back_ns) / 1_000_000).max(1)
    }

    /// Percentile `percent` in nanoseconds.
    pub fn percentile_ns(&self, percent: f64) -> u64 {
        let largest = self.service.max().unwrap_or(0);
        if percent >= 100.0 {
            return largest;
        }
        self.service.quantile(percent / 100.0).unwrap_or(0).min(largest)
    }
}

fn add_at(values: &mut Vec<f64>, place: usize, value: f64) {
    if values.len() <= place {
        values.resize(place + 1, 0.0);
    }
    values[place] += value;
}

/// Response latencies by direction, of runs whose I/Os have intended starts.
pub fn responses(records: &[&RunRecord]) -> impl Iterator<Item = (Direction, DirectionTotals)> {
    [Direction::Read, Direction::Write, Direction::Trim].into_iter().filter_map(|which| {
        let mut response = Histogram::new();
        let of_records = records.iter().flat_map(|record| &record.summary.directions);
        for of_record in of_records.filter(|of| of.direction.direction() == Some(which)) {
            if let Some(Ok(histogram)) = of_record.response_histogram.as_ref().map(Histogram::try_from) {
                response.merge(&histogram);
            }
        }
        let deviation_ns = deviation_ns(&response);
        (!response.is_empty()).then(|| {
            (which, DirectionTotals { service: response, deviation_ns, ..DirectionTotals::default() })
        })
    })
}

/// From the middles of the buckets.
fn deviation_ns(histogram: &Histogram) -> f64 {
    let (Some(mean), count) = (histogram.mean(), histogram.count()) else { return 0.0 };
    if count < 2 {
        return 0.0;
    }
    let squares: f64 = histogram
        .buckets()
        .map(|(bucket, count)| {
            let (low, high) = fathom_measure::histogram::bucket_bounds(bucket);
            let middle = low as f64 + (high - low) as f64 / 2.0;
            (middle - mean).powi(2) * count as f64
        })
        .sum();
    (squares / (count - 1) as f64).sqrt()
}
