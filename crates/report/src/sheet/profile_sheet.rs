//! A profile: how much, how unevenly, how large, where, and how much of it the metrics could show.

use fathom_record::ProfileRecord;
use fathom_record::profile_record::{AccessProfile, BlockLayer, EnvelopePoint, ProcessShare, SizeMix};
use fathom_record::sizing_record::DemandSummary;

use crate::number;
use crate::table::{Table, numbers, words};

/// Points of an envelope that are printed.
const ENVELOPE_ROWS: usize = 7;
/// Sizes that are listed.
const SIZES_LISTED: usize = 4;
/// Names of processes that are printed.
const PROCESSES_LISTED: usize = 5;

/// What was seen.
pub fn seen(record: &ProfileRecord) -> String {
    let demand = &record.demand;
    let device = record.device.as_ref().map_or_else(String::new, |device| format!(", {device}"));
    format!(
        "{} ({}{device}): {} of {} ticks of {} s seen",
        demand.from, record.source, demand.ticks_seen, demand.ticks, demand.tick_s
    )
}

/// Shares and mean sizes.
pub fn mix(record: &ProfileRecord) -> String {
    let share = |share: Option<f64>| share.map_or_else(|| "none".to_owned(), number::percent);
    if !record.directions_known {
        let mean = record.demand.total.mean_bytes.map_or(0, |bytes| bytes.round() as u64);
        return format!(
            "{} of the bytes are read; mean I/O {}",
            share(record.read_bytes_share),
            number::size(mean)
        );
    }
    format!(
        "{} of the I/Os and {} of the bytes are read; mean read {}, mean write {}",
        share(record.read_share),
        share(record.read_bytes_share),
        mean(record.read_sizes.as_ref()),
        mean(record.write_sizes.as_ref())
    )
}

fn mean(sizes: Option<&SizeMix>) -> String {
    sizes.map_or_else(|| "none".to_owned(), |sizes| number::size(sizes.mean_bytes.round() as u64))
}

/// How unevenly it came.
pub fn bursts(record: &ProfileRecord) -> String {
    let bursts = &record.burstiness;
    let mut parts = Vec::new();
    if let Some(ratio) = bursts.peak_over_mean {
        parts.push(format!("the busiest tick has {ratio:.1} times the mean I/Os"));
    }
    if let Some(ratio) = bursts.bytes_peak_over_mean {
        parts.push(format!("{ratio:.1} times the mean bytes"));
    }
    parts.push(format!("{} of the ticks are idle", number::percent(bursts.idle_share)));
    if let Some(seconds) = bursts.burst_mean_s {
        parts.push(format!(
            "{} are above twice the busy median, {seconds:.0} s at a time",
            number::percent(bursts.burst_share)
        ));
    }
    let index: Vec<String> = bursts
        .dispersion
        .iter()
        .map(|point| format!("{:.1} over {}", point.index, seconds(point.window_s)))
        .collect();
    if !index.is_empty() {
        parts.push(format!("variance over mean {}", index.join(", ")));
    }
    parts.join("; ")
}

/// What longer means hide.
pub fn hidden(record: &ProfileRecord) -> Option<String> {
    let hidden = &record.resolution.hidden;
    let parts: Vec<String> = hidden
        .iter()
        .map(|h| format!("{:.1} times that over {}", h.max_ratio, seconds(h.window_s)))
        .collect();
    (!parts.is_empty()).then(|| {
        format!("the peak rate over {} is {}", seconds(record.resolution.finest_s), parts.join(", "))
    })
}

fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s >= 3600.0 && s % 3600.0 == 0.0 => format!("{:.0} h", s / 3600.0),
        s if s >= 60.0 && s % 60.0 == 0.0 => format!("{:.0} min", s / 60.0),
        s => format!("{s:.0} s"),
    }
}

/// Where the I/Os went.
pub fn access(access: &AccessProfile) -> String {
    let share = |share: Option<f64>| share.map_or_else(|| "none".to_owned(), number::percent);
    let mut text = format!(
        "{} touched ({} read, {} written) up to {}; sequential: {} of the reads, {} of the writes",
        number::size(access.touched_bytes),
        number::size(access.read_touched_bytes),
        number::size(access.write_touched_bytes),
        number::size(access.highest_byte),
        share(access.read_sequential_share),
        share(access.write_sequential_share)
    );
    if let (Some(tenth), Some(again)) = (access.top_10_percent_share, access.again_share) {
        text += &format!(
            "; {} of the block accesses go to the busiest tenth of the blocks, {} to a block seen before",
            number::percent(tenth),
            number::percent(again)
        );
    }
    text
}

/// When I/Os came and whether they followed one another, as programs in the kernel saw them.
pub fn arrivals(seen: &BlockLayer) -> String {
    let share = |share: Option<f64>| share.map_or_else(|| "none".to_owned(), number::percent);
    let mut parts = vec![format!(
        "sequential: {} of the reads, {} of the writes",
        share(seen.read_sequential_share),
        share(seen.write_sequential_share)
    )];
    if let Some(mean) = seen.gap_mean_ns {
        let quantiles: Vec<String> = seen
            .gap_quantiles
            .iter()
            .map(|quantile| format!("p{} {}", quantile.q * 100.0, number::time(quantile.at_most_ns as f64)))
            .collect();
        parts.push(format!("gaps {} on average, {}", number::time(mean), quantiles.join(", ")));
    }
    parts.extend(seen.gap_variation.map(|variation| format!("variation {variation:.1} (1: independent)")));
    parts.join("; ")
}

/// Who asked.
pub fn processes(seen: &BlockLayer) -> Option<String> {
    let process = |process: &ProcessShare| {
        let count = if process.processes > 1 { format!(" ({})", process.processes) } else { String::new() };
        format!(
            "{}{count} {} of the I/Os, {} of the bytes",
            process.name,
            number::percent(process.operations_share),
            number::percent(process.bytes_share)
        )
    };
    let listed: Vec<String> = seen.processes.iter().take(PROCESSES_LISTED).map(process).collect();
    (!listed.is_empty()).then(|| listed.join("; "))
}

/// Rates of a demand over windows.
pub fn windows(demand: &DemandSummary) -> Table {
    let mut table = Table::new(&[
        words("window", 0),
        numbers("IOPS p50", 4),
        numbers("p99", 2),
        numbers("p99.9", 3),
        numbers("max", 0),
        numbers("throughput p99", 2),
        numbers("max throughput", 1),
    ]);
    for window in &demand.total.windows {
        let (rate, bytes) = (window.operations_per_s, window.bytes_per_s);
        table.row([
            format!("{} s", window.seconds),
            number::rate(rate.p50),
            number::rate(rate.p99),
            number::rate(rate.p999),
            number::rate(rate.max),
            number::throughput(bytes.p99),
            number::throughput(bytes.max),
        ]);
    }
    table
}

/// Shares of the I/Os that are at least so large: one figure where it is known, a range where it is not.
pub fn sizes(record: &ProfileRecord) -> Table {
    let mut table =
        Table::new(&[words("I/Os of at least", 0), numbers("of reads", 0), numbers("of writes", 0)]);
    let points = |sizes: Option<&SizeMix>| sizes.map(|sizes| sizes.at_least.clone()).unwrap_or_default();
    let (reads, writes) = (points(record.read_sizes.as_ref()), points(record.write_sizes.as_ref()));
    let longer = if reads.len() >= writes.len() { &reads } else { &writes };
    for (at, point) in longer.iter().enumerate() {
        let share = |points: &[fathom_record::profile_record::SizePoint]| {
            points.get(at).map_or_else(String::new, |point| {
                let (low, high) = (number::percent(point.share_low), number::percent(point.share_high));
                if low == high { low } else { format!("{low} to {high}") }
            })
        };
        table.row([number::size(point.bytes), share(&reads), share(&writes)]);
    }
    table
}

/// The most frequent sizes of each direction, where each I/O is known.
pub fn frequent(record: &ProfileRecord) -> Vec<String> {
    let of = |name: &str, sizes: Option<&SizeMix>, total: u64| {
        let sizes = sizes.filter(|sizes| !sizes.frequent.is_empty())?;
        let share = |operations: u64| number::percent(operations as f64 / total.max(1) as f64);
        let listed: Vec<String> = sizes
            .frequent
            .iter()
            .take(SIZES_LISTED)
            .map(|size| format!("{} {}", number::size(size.bytes), share(size.operations)))
            .collect();
        Some(format!("most frequent {name}: {}", listed.join(", ")))
    };
    let demand = &record.demand;
    let reads = of("reads", record.read_sizes.as_ref(), demand.read.operations);
    reads.into_iter().chain(of("writes", record.write_sizes.as_ref(), demand.write.operations)).collect()
}

/// Rates with the buckets that let everything through at once.
pub fn envelope(record: &ProfileRecord) -> Table {
    let mut table = Table::new(&[
        numbers("IOPS", 0),
        numbers("bucket (I/Os)", 0),
        numbers("throughput", 0),
        numbers("bucket (bytes)", 0),
    ]);
    let pick = |points: &[EnvelopePoint]| -> Vec<EnvelopePoint> {
        let last = points.len().saturating_sub(1);
        let rows = ENVELOPE_ROWS.min(points.len());
        (0..rows).map(|row| points[row * last / rows.saturating_sub(1).max(1)]).collect()
    };
    let (operations, bytes) = (pick(&record.operations_envelope), pick(&record.bytes_envelope));
    for at in 0..operations.len().max(bytes.len()) {
        let operation = operations.get(at).map(|p| [number::rate(p.rate_per_s), number::rate(p.burst)]);
        let byte = bytes.get(at).map(|p| [number::throughput(p.rate_per_s), number::size(p.burst as u64)]);
        let [rate, bucket] = operation.unwrap_or_default();
        let [throughput, byte_bucket] = byte.unwrap_or_default();
        table.row([rate, bucket, throughput, byte_bucket]);
    }
    table
}
