//! A campaign: what each pattern reached, where, what limited it, and how sure that is.

use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_record::campaign::{AssessRecord, CellResult, OperatingPointKind, PatternResult};
use fathom_record::verdict::{Claim, Limit};

use crate::table::{Table, numbers, titles, words};
use crate::{number, value_words};

/// A chosen cell, under all the names that chose it.
pub struct ChosenCell<'a> {
    /// Index into the pattern's cells.
    pub index: usize,
    /// The cell.
    pub cell: &'a CellResult,
    /// Which definitions chose it.
    pub kinds: Vec<OperatingPointKind>,
    /// Why, one a definition.
    pub reasons: Vec<String>,
}

impl ChosenCell<'_> {
    /// `balanced, peak`.
    pub fn name(&self) -> String {
        self.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }
}

/// The chosen cells of a pattern, in the order of the record; indices beyond the cells are passed over.
pub fn chosen(pattern: &PatternResult) -> Vec<ChosenCell<'_>> {
    let mut out: Vec<ChosenCell<'_>> = Vec::new();
    for point in &pattern.operating_points {
        let Some(cell) = pattern.cells.get(point.cell) else { continue };
        match out.iter_mut().find(|chosen| chosen.index == point.cell) {
            Some(known) => {
                known.kinds.push(point.kind);
                known.reasons.push(point.reason.clone());
            }
            None => out.push(ChosenCell {
                index: point.cell,
                cell,
                kinds: vec![point.kind],
                reasons: vec![point.reason.clone()],
            }),
        }
    }
    out
}

/// The cell that a definition chose.
pub fn point(pattern: &PatternResult, kind: OperatingPointKind) -> Option<&CellResult> {
    let point = pattern.operating_points.iter().find(|point| point.kind == kind)?;
    pattern.cells.get(point.cell)
}

/// The runs of a cell that are at hand.
pub fn runs_of<'a>(cell: &CellResult, runs: &'a [RunRecord]) -> Vec<&'a RunRecord> {
    cell.runs.iter().filter_map(|id| runs.iter().find(|run| run.id == *id)).collect()
}

/// All runs of a pattern that are at hand.
pub fn runs_of_pattern<'a>(pattern: &PatternResult, runs: &'a [RunRecord]) -> Vec<&'a RunRecord> {
    pattern.cells.iter().flat_map(|cell| runs_of(cell, runs)).collect()
}

/// What a pattern reached and where, as a sentence.
pub fn reached(pattern: &PatternResult) -> String {
    let best = point(pattern, OperatingPointKind::Peak)
        .or_else(|| pattern.cells.iter().max_by(|a, b| a.operations_per_s.total_cmp(&b.operations_per_s)));
    let Some(best) = best else {
        return "Not measured.".to_owned();
    };
    let mut text = format!(
        "{}{} ({}) at {}",
        number::iops(best.operations_per_s),
        best.interval_share.map(|share| format!(" {}", number::interval(share))).unwrap_or_default(),
        number::throughput(best.throughput_bytes_per_s),
        number::cell_in_words(best.jobs, best.depth),
    );
    match point(pattern, OperatingPointKind::Balanced) {
        Some(balanced) if (balanced.jobs, balanced.depth) != (best.jobs, best.depth) => {
            text.push_str(&format!(
                "; balanced at {}: {}, p99 {}.",
                number::cell_in_words(balanced.jobs, balanced.depth),
                number::iops(balanced.operations_per_s),
                p(balanced.service_p99_ns)
            ))
        }
        Some(_) => text.push_str(&format!(
            " (peak and best balance are the same point); p99 {}.",
            p(best.service_p99_ns)
        )),
        None if pattern.cells.len() == 1 => {
            text.push_str(", the only test point: neither a peak nor a balanced point is known.")
        }
        None => text.push('.'),
    }
    text
}

fn p(ns: Option<u64>) -> String {
    number::known(ns.map(|ns| number::time(ns as f64)))
}

/// What a page or a text of an assessment is called: the machine, where it is known, and the target.
pub fn title(campaign: &AssessRecord) -> String {
    let host = campaign.environment.host.as_ref().map_or_else(String::new, |host| format!("{host}, "));
    format!("Storage assessment: {host}{}", value_words::subject(&campaign.target))
}

/// An assessment in one sentence: the highest rate, the highest throughput, and what limits most patterns.
pub fn lead(campaign: &AssessRecord) -> String {
    let peaks = || {
        let peak = |pattern| Some((pattern, point(pattern, OperatingPointKind::Peak)?));
        campaign.patterns.iter().filter_map(peak)
    };
    let fastest = peaks().max_by(|a, b| a.1.operations_per_s.total_cmp(&b.1.operations_per_s));
    let widest = peaks().max_by(|a, b| a.1.throughput_bytes_per_s.total_cmp(&b.1.throughput_bytes_per_s));
    let (Some((fast, rate)), Some((wide, bytes))) = (fastest, widest) else {
        return "No pattern has a peak: see what was measured below.".to_owned();
    };
    let latency = p(rate.service_p99_ns);
    let rate = number::iops(rate.operations_per_s);
    let throughput = number::throughput(bytes.throughput_bytes_per_s);
    let mut text = format!("Up to {rate} ({}, p99 {latency}) and {throughput} ({})", fast.title, wide.title);
    let limits: Vec<&str> =
        campaign.patterns.iter().filter_map(leading).map(|claim| claim.limit.in_words()).collect();
    let times = |limit: &str| limits.iter().filter(|other| **other == limit).count();
    match limits.iter().copied().max_by_key(|limit| times(limit)) {
        Some(limit) => text.push_str(&format!(
            "; most often limited by {limit} ({} of {} patterns).",
            times(limit),
            campaign.patterns.len()
        )),
        None => text.push('.'),
    }
    text
}

/// The claim that leads a pattern's verdict.
pub fn leading(pattern: &PatternResult) -> Option<&Claim> {
    pattern.verdict.as_ref()?.claims.first()
}

/// What limits a pattern, as the end of "limited by".
pub fn limited_by(pattern: &PatternResult) -> String {
    let limit = match leading(pattern) {
        None => "not decided".to_owned(),
        Some(claim) if claim.limit == Limit::Unknown => "unknown".to_owned(),
        Some(claim) => format!("{} ({})", claim.limit.in_words(), value_words::confidence(claim.confidence)),
    };
    match note(pattern) {
        note if note.is_empty() => limit,
        note => format!("{limit}.{note}"),
    }
}

/// What other programs used while a pattern was measured, as a sentence to put behind its verdict; empty where that is
/// not worth saying.
pub fn note(pattern: &PatternResult) -> String {
    let shares = chosen(pattern).into_iter().filter_map(|chosen| chosen.cell.busy_with_others());
    shares.max_by(f64::total_cmp).map_or_else(String::new, |share| {
        format!(" Note: other programs used {} of the CPU.", number::percent(share))
    })
}

/// What others did to the machine and the target at the points to run at, as sentences.
fn busy(campaign: &AssessRecord) -> Vec<String> {
    let cells = || campaign.patterns.iter().flat_map(chosen).map(|chosen| chosen.cell);
    let programs = cells().filter_map(CellResult::busy_with_others).max_by(f64::total_cmp).map(|share| {
        format!(
            "Busy machine: other programs used up to {} of the CPU. The figures and what limits them are those of a \
             machine that others used too; run again when it is idle.",
            number::percent(share)
        )
    });
    let device = cells().filter_map(|cell| cell.others_device_share).max_by(f64::total_cmp).map(|share| {
        format!(
            "Busy target: other programs transferred up to {} of this assessment's own bytes on the target's device.",
            number::percent(share)
        )
    });
    programs.into_iter().chain(device).collect()
}

/// That a pattern holds no objective, and how near it came.
fn missed(campaign: &AssessRecord, pattern: &PatternResult) -> String {
    let objective = campaign.plan.slo.map_or_else(String::new, |slo| {
        format!("{} ≤ {}", number::quantile_name(slo.quantile), number::time(slo.limit_ns as f64))
    });
    format!("{}: the objective {objective} is not met at any test point.", pattern.title)
}

/// Failed checks of a cell that are told in full.
const TOLD: usize = 2;

/// What comes before the numbers, as sentences: a busy machine, checks that failed, and patterns that were cut short.
pub fn failures(campaign: &AssessRecord) -> Vec<String> {
    let mut out = busy(campaign);
    out.extend(campaign.misses_slo().map(|pattern| missed(campaign, pattern)));
    for pattern in &campaign.patterns {
        let title = &pattern.title;
        out.extend(pattern.incomplete.iter().map(|missing| format!("{title} is incomplete: {missing}")));
        let failed = pattern.cells.iter().enumerate().filter(|(_, cell)| !cell.failed_checks.is_empty());
        let (chosen, tried): (Vec<_>, Vec<_>) = failed.partition(|(at, _)| pattern.is_chosen(*at));
        if let Some((_, first)) = chosen.first() {
            let at = number::cell(first.jobs, first.depth);
            out.push(match chosen.len() {
                1 => format!("{title} at {at}: {}", first_failures(first)),
                count => format!(
                    "{title}: {count} of the points to run at failed a self-check. At {at}: {}",
                    first_failures(first)
                ),
            });
        }
        if let Some((_, first)) = tried.first() {
            let at = number::cell(first.jobs, first.depth);
            out.push(format!(
                "{title}: {} of {} test points failed a self-check and are not points to run at. At {at}: {}",
                tried.len(),
                pattern.cells.len(),
                first_failures(first)
            ));
        }
    }
    if campaign.finished_at.is_none() {
        out.push("The campaign has not ended; the same command continues it.".to_owned());
    }
    out
}

/// The first failed checks of a cell. Repeats say the same of the same checks with other numbers.
fn first_failures(cell: &CellResult) -> String {
    let mut text = cell.failed_checks.iter().take(TOLD).cloned().collect::<Vec<_>>().join(" ");
    if let Some(more) = cell.failed_checks.len().checked_sub(TOLD + 1) {
        text.push_str(&format!(" And {} more of its runs and checks.", more + 1));
    }
    text
}

/// One row a chosen cell of every pattern.
pub fn summary(campaign: &AssessRecord) -> Table {
    let mut table = Table::new(&[
        titles("pattern", 0),
        words("point", 0),
        numbers("IOPS", 0),
        numbers("95 % interval", 2),
        numbers("throughput", 5),
        numbers("p50", 3),
        numbers("p99", 0),
        numbers("p99.9", 4),
        numbers("jobs × depth", 1),
        numbers("in flight", 6),
        numbers("CPU per I/O", 7),
    ]);
    for pattern in &campaign.patterns {
        let chosen = chosen(pattern);
        match (chosen.is_empty(), pattern.cells.as_slice()) {
            (false, _) => {}
            (true, [only]) => {
                let names = [pattern.title.clone(), "only test point".to_owned()];
                table.row(names.into_iter().chain(figures(only)));
            }
            (true, _) => {
                let mut row = vec![pattern.title.clone(), number::NOT_MEASURED.to_owned()];
                row.resize(table.columns.len(), "–".to_owned());
                table.row(row);
            }
        }
        for (at, point) in chosen.iter().enumerate() {
            let title = if at == 0 { pattern.title.clone() } else { String::new() };
            let figures = figures(point.cell);
            table.row([title, point.name()].into_iter().chain(figures));
        }
    }
    table
}

fn figures(cell: &CellResult) -> [String; 9] {
    // An interval takes three runs.
    let without_interval = || if cell.runs.len() == 2 { "two runs".to_owned() } else { "one run".to_owned() };
    [
        number::rate(cell.operations_per_s),
        cell.interval_share.map_or_else(without_interval, number::interval),
        number::throughput(cell.throughput_bytes_per_s),
        number::time(cell.service_p50_ns as f64),
        cell.service_p99_ns.map_or("–".to_owned(), |ns| number::time(ns as f64)),
        cell.service_p999_ns.map_or("–".to_owned(), |ns| number::time(ns as f64)),
        number::cell(cell.jobs, cell.depth),
        number::in_flight(cell.in_flight_mean),
        number::known(cell.cpu_ns_per_operation.map(number::time)),
    ]
}

/// Every cell of a pattern, by jobs and depth.
pub fn cells(pattern: &PatternResult) -> Table {
    let mut table = Table::new(&[
        numbers("jobs × depth", 0),
        words("chosen as", 0),
        numbers("IOPS", 0),
        numbers("95 % interval", 2),
        numbers("throughput", 3),
        numbers("mean", 1),
        numbers("p50", 2),
        numbers("p99", 0),
        numbers("p99.9", 1),
        numbers("in flight", 2),
        numbers("CPU per I/O", 3),
        numbers("busiest core", 3),
        numbers("runs", 4),
    ]);
    let chosen = chosen(pattern);
    let mut order: Vec<usize> = (0..pattern.cells.len()).collect();
    order.put_in_order_by_key(|&at| (pattern.cells[at].jobs, pattern.cells[at].depth));
    for at in order {
        let cell = &pattern.cells[at];
        let [rate, interval, throughput, p50, p99, p999, place, in_flight, cpu] = figures(cell);
        table.row([
            place,
            chosen.iter().find(|c| c.index == at).map(ChosenCell::name).unwrap_or_default(),
            rate,
            interval,
            throughput,
            number::time(cell.service_mean_ns),
            p50,
            p99,
            p999,
            in_flight,
            cpu,
            number::known(cell.busiest_core_share.map(number::percent)),
            cell.runs.len().to_string(),
        ]);
    }
    table
}

/// Highest rate at each concurrency (jobs times depth) that was asked for, ascending.
pub fn rate_by_concurrency(pattern: &PatternResult) -> Vec<(u64, f64)> {
    let mut best: std::collections::BTreeMap<u64, f64> = std::collections::BTreeMap::new();
    for cell in &pattern.cells {
        let rate = best.entry(u64::from(cell.jobs) * u64::from(cell.depth)).or_insert(0.0);
        *rate = rate.max(cell.operations_per_s);
    }
    best.into_iter().collect()
}
