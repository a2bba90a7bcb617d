//! A comparison: what is said of side B beside side A for each workload, and what it rests on.

use fathom_measure::Nanos;
use fathom_record::campaign::{
    CompareRecord, ComparedMetric, ComparedWorkload, ComparisonEnding, ControlResult,
};
use fathom_record::comparison::{Decision, Ratio, Side, UndecidedReason};

use crate::table::{Column, Table, numbers, titles, words};
use crate::{number, value_words};

/// Failed checks that are told in full.
const TOLD: usize = 4;

/// What is compared, as a title.
pub fn title(record: &CompareRecord) -> String {
    format!("{} against {}", record.b.name, record.a.name)
}

/// One side in words.
pub fn side(record: &CompareRecord, side: Side) -> String {
    let facts = if side == Side::A { &record.a } else { &record.b };
    let mut text = facts.name.clone();
    if let Some(target) = &facts.target {
        text += &format!(" · {}", value_words::target(target));
    }
    if let Some(engine) = &facts.engine {
        text += &format!(" · engine {engine}");
    }
    text
}

/// How the pairs were made, as a sentence.
pub fn made(record: &CompareRecord) -> String {
    if record.plan.a.stored.is_some() {
        return "two finished measurements, not interleaved".to_owned();
    }
    let pairs: usize = record.workloads.iter().map(|workload| workload.pairs.len()).sum();
    let load = Nanos::from_seconds(record.busy_seconds).coarse();
    let order = if record.plan.a.before.is_some() || record.plan.b.before.is_some() {
        "the sides' turns in random order"
    } else {
        "back to back, in random order"
    };
    format!("{pairs} pairs of runs, {order}; {load} under load")
}

/// What side B is, in a word.
pub fn verdict(metric: &ComparedMetric) -> &'static str {
    let is_cost = metric.comparison.metric.starts_with("cpu");
    match metric.comparison.decision {
        Decision::Faster if is_cost => "less",
        Decision::Slower if is_cost => "more",
        Decision::Faster => "faster",
        Decision::Slower => "slower",
        Decision::Equivalent => "equivalent",
        Decision::Inconclusive => "inconclusive",
        Decision::NotComparable => "not comparable",
    }
}

/// A ratio as a difference with the sign and the digits that its interval leaves: `+3.1 %`.
fn difference(ratio: f64, half: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    let digits = if half.is_nan() || half * 100.0 >= 9.95 {
        0
    } else if half * 100.0 >= 0.095 {
        1
    } else {
        2
    };
    let text = format!("{percent:+.digits$} %");
    if text.trim_start_matches(['+', '-']).starts_with(|c: char| c != '0')
        || text.contains(|c: char| ('1'..='9').contains(&c))
    {
        text
    } else {
        text.trim_start_matches(['+', '-']).to_owned()
    }
}

fn half(ratio: &Ratio) -> f64 {
    (ratio.high - ratio.low) / 2.0
}

/// `+3.1 %`.
pub fn by(ratio: &Ratio) -> String {
    difference(ratio.ratio, half(ratio))
}

/// `+2.8 % to +3.4 %`.
pub fn interval(ratio: &Ratio) -> String {
    format!("{} to {}", difference(ratio.low, half(ratio)), difference(ratio.high, half(ratio)))
}

/// A metric by a short name.
pub fn metric_name(metric: &ComparedMetric) -> String {
    let name = metric.comparison.metric.as_str();
    match name {
        "operations_per_s" => "IOPS".to_owned(),
        "throughput_bytes_per_s" => "throughput".to_owned(),
        "service_mean_ns" => "service mean".to_owned(),
        "cpu_ns_per_operation" => "CPU per I/O".to_owned(),
        other => other.trim_end_matches("_ns").replace('_', " ").replace("p999", "p99.9"),
    }
}

fn value(metric: &ComparedMetric, value: Option<f64>) -> String {
    number::known(value.map(|value| match metric.comparison.unit.as_str() {
        "1/s" => number::rate(value),
        "bytes/s" => number::throughput(value),
        _ => number::time(value),
    }))
}

/// Why there is no verdict, or how far it goes.
fn remark(metric: &ComparedMetric) -> String {
    let comparison = &metric.comparison;
    match (&comparison.reason, comparison.pairs_still_needed) {
        (Some(UndecidedReason::Undecided), Some(pairs)) => format!("{pairs} more pairs are needed"),
        (Some(UndecidedReason::Undecided), None) => "not decidable within 1000 pairs".to_owned(),
        (Some(reason), _) => reason.to_string(),
        (None, _) => String::new(),
    }
}

/// What is said of one workload, as a sentence.
pub fn sentence(workload: &ComparedWorkload) -> String {
    let Some(metric) = workload.primary() else { return format!("{}: not measured.", workload.title) };
    let (name, verdict) = (metric_name(metric), verdict(metric));
    let mut text = format!("{}: {verdict}", workload.title);
    if let Some(ratio) = &metric.comparison.ratio {
        let confidence = format!("{:.4}", ratio.confidence * 100.0);
        let confidence = confidence.trim_end_matches('0').trim_end_matches('.');
        text += &format!(", {} {name} ({} at {confidence} % confidence)", by(ratio), interval(ratio));
    }
    let remark = remark(metric);
    if !remark.is_empty() {
        text += &format!("; {remark}");
    }
    text + "."
}

/// The decision about every workload.
pub fn decisions(record: &CompareRecord) -> Table {
    let mut columns = vec![
        titles("workload", 0),
        words("by", 4),
        numbers("A", 1),
        numbers("B", 1),
        numbers("B vs A", 0),
        numbers("interval", 2),
        words("B is", 0),
        numbers("pairs", 3),
    ];
    let primaries = || record.workloads.iter().filter_map(|w| Some((w, w.primary()?)));
    let remarks = remarks(&mut columns, primaries().map(|(_, metric)| remark(metric)).collect());
    let mut table = Table::new(&columns);
    for ((workload, metric), remark) in primaries().zip(remarks) {
        let mut row = vec![workload.title.clone()];
        row.extend(figures(metric));
        row.push(count(workload, metric));
        row.extend(remark);
        table.row(row);
    }
    table
}

/// What goes into a last column, which is only there where there is any remark.
fn remarks(columns: &mut Vec<Column>, texts: Vec<String>) -> Vec<Option<String>> {
    let any = texts.iter().any(|text| !text.is_empty());
    columns.extend(any.then(|| words("remark", 2)));
    texts.into_iter().map(|text| any.then_some(text)).collect()
}

fn count(workload: &ComparedWorkload, metric: &ComparedMetric) -> String {
    if workload.ended == Some(ComparisonEnding::NotInterleaved) {
        let runs = |cell: &Option<fathom_record::campaign::CellResult>| {
            cell.as_ref().map_or(0, |cell| cell.runs.len())
        };
        return format!("{} | {} runs", runs(&workload.a), runs(&workload.b));
    }
    metric.comparison.pairs.max(workload.pairs.len() as u32).to_string()
}

fn figures(metric: &ComparedMetric) -> [String; 6] {
    let ratio = metric.comparison.ratio.as_ref();
    [
        metric_name(metric),
        value(metric, metric.a),
        value(metric, metric.b),
        ratio.map_or_else(|| "–".to_owned(), by),
        ratio.map_or_else(|| "–".to_owned(), interval),
        verdict(metric).to_owned(),
    ]
}

/// Every metric of a workload.
pub fn metrics(workload: &ComparedWorkload) -> Table {
    let mut columns = vec![
        words("metric", 0),
        numbers("A", 1),
        numbers("B", 1),
        numbers("B vs A", 0),
        numbers("interval", 2),
        words("B is", 0),
    ];
    // A reason that all latencies share stands once, beside the table.
    let shared = workload.latencies.as_ref();
    let own = |metric: &ComparedMetric| {
        if shared.is_some() && metric.comparison.reason.as_ref() == shared {
            String::new()
        } else {
            remark(metric)
        }
    };
    let remarks = remarks(&mut columns, workload.metrics.iter().map(own).collect());
    let mut table = Table::new(&columns);
    for (metric, remark) in workload.metrics.iter().zip(remarks) {
        let mut row = figures(metric).to_vec();
        row.extend(remark);
        table.row(row);
    }
    table
}

/// What the numbers of a workload rest on, as sentences.
pub fn conditions(workload: &ComparedWorkload) -> Vec<String> {
    let mut out = Vec::new();
    if let (Some(a), Some(b)) = (&workload.a, &workload.b) {
        // Without an I/O that ended there is no mean latency to multiply with.
        let law = |cell: &fathom_record::campaign::CellResult| {
            let product = cell.operations_per_s * cell.service_mean_ns / 1e9;
            number::known((product > 0.0).then(|| number::in_flight(product)))
        };
        out.push(format!(
            "In flight: {} on A, {} on B; rate times mean service latency (Little's law): {} and {}.",
            number::in_flight(a.in_flight_mean),
            number::in_flight(b.in_flight_mean),
            law(a),
            law(b)
        ));
    }
    if let Some(reason) = &workload.latencies {
        out.push(format!("Latencies are not comparable: {reason}."));
    }
    if let Some(control) = &workload.control {
        let text = "Each side against itself, second run against the one before";
        let floor = number::percent(control.noise_floor);
        out.push(format!("{text}: {}; below {floor} is noise.", control_words(control)));
    }
    if let Some(order) = &workload.order {
        let text = "The second run of a pair against its first, whichever side it was";
        out.push(format!("{text}: {}.", control_words(order)));
    }
    out
}

fn control_words(control: &ControlResult) -> String {
    let found = if control.ratio.contains_one() {
        "no difference"
    } else {
        "a difference, which one sound control in twenty shows by chance"
    };
    format!("{found}, {} ({})", by(&control.ratio), interval(&control.ratio))
}

/// What has to be known before the numbers, as sentences.
pub fn failures(record: &CompareRecord) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    if record.plan.a.stored.is_some() {
        out.push(
            "The sides were measured at different times and not in pairs: whatever changed between them, as \
             temperature, fill or neighbours, looks like a difference. The intervals allow for that, and only \
             large differences can be detected."
                .to_owned(),
        );
    } else if record.finished_at.is_none() {
        out.push("The comparison has not ended; the same command continues it.".to_owned());
    }
    for workload in &record.workloads {
        if workload.ended == Some(ComparisonEnding::SideFailed) {
            out.push(sentence(workload));
        }
        for (name, cell) in [('A', &workload.a), ('B', &workload.b)] {
            let checks = cell.iter().flat_map(|cell| &cell.failed_checks);
            out.extend(checks.map(|check| format!("{}, side {name}: {check}", workload.title)));
        }
        let clean = |control: &Option<ControlResult>| control.is_none_or(|c| c.ratio.contains_one());
        if !clean(&workload.control) && !clean(&workload.order) {
            out.push(format!(
                "{}: both controls show a difference where there is none; trust no small difference here.",
                workload.title
            ));
        }
    }
    if let Some(more) = out.len().checked_sub(TOLD + 1) {
        out.truncate(TOLD);
        out.push(format!("And {} more; the notes and tables of the workloads show them.", more + 1));
    }
    out
}

/// What the words mean, for those who read the tables.
pub fn legend(record: &CompareRecord) -> String {
    let share = |factor: f64| number::percent(record.plan.materiality * factor);
    let several = record.workloads.len();
    let family = if several > 1 {
        format!(" The {several} workloads share the 5 % chance of any false one.")
    } else {
        String::new()
    };
    format!(
        "Faster or slower: statistically different, and possibly by {} or more. Equivalent: shown to be within {}. \
         Inconclusive: the runs show neither.{family}",
        share(1.0),
        share(3.0)
    )
}

/// What commands before the sides' turns said, as a table.
pub fn commands(record: &CompareRecord) -> Table {
    let mut table = Table::new(&[words("side", 0), numbers("round", 1), words("when", 2), words("said", 0)]);
    for said in &record.commands {
        let side = if said.side == Side::A { "A" } else { "B" };
        let output = if said.output.is_empty() { "nothing" } else { &said.output };
        table.row([side.to_owned(), said.round.to_string(), said.at.clone(), output.replace('\n', " · ")]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_the_digits_that_their_interval_leaves() {
        assert_eq!(difference(1.0312, 0.003), "+3.1 %");
        assert_eq!(difference(0.9688, 0.0003), "-3.12 %");
        assert_eq!(difference(1.64, 0.2), "+64 %");
        assert_eq!(difference(0.99999, 0.003), "0.0 %");
        assert_eq!(difference(1.0, 0.0), "0.00 %");
    }
}
