//! An analysis of finished runs: what each workload comes to, and what the seconds of each run say.

use fathom_measure::Nanos;
use fathom_order::InOrder;
use fathom_record::analysis_record::{AnalysedRun, AnalysedWorkload, Analysis};
use fathom_record::distribution::{ModeAttribute, ModeExplanation, QuantileInterval};
use fathom_record::steadiness::SteadyVerdict;

use crate::number;
use crate::table::{Table, numbers, titles, words};

/// Sentences about distributions that are told one by one.
const TOLD: usize = 12;

/// What was read.
pub fn read(analysis: &Analysis) -> String {
    let seconds: u64 = analysis.runs.iter().map(|run| u64::from(run.seconds)).sum();
    let runs = analysis.runs.len();
    let word = if runs == 1 { "run" } else { "runs" };
    format!("{} {word}, {} s of series", number::count(runs as u64), number::count(seconds))
}

/// How many runs came to which verdict, the most frequent first.
pub fn verdicts(analysis: &Analysis) -> String {
    use SteadyVerdict::*;
    let all = [Steady, Periodic, Transient, Drifting, RegimeConditional, NotEnoughData, Unusable];
    let mut counts: Vec<(usize, SteadyVerdict)> = all
        .into_iter()
        .map(|verdict| {
            (analysis.runs.iter().filter(|run| run.steadiness.verdict == verdict).count(), verdict)
        })
        .filter(|(count, _)| *count > 0)
        .collect();
    counts.put_in_order_by_key(|(count, _)| std::cmp::Reverse(*count));
    let texts: Vec<String> = counts.iter().map(|(count, v)| format!("{count} {}", v.name())).collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// One row a workload.
pub fn workloads(analysis: &Analysis) -> Table {
    let mut table = Table::new(&[
        titles("workload", 0),
        numbers("runs", 0),
        numbers("settled", 2),
        numbers("IOPS", 0),
        numbers("over runs", 0),
        numbers("p50", 3),
        numbers("p99", 1),
        numbers("p99.9", 2),
    ]);
    for workload in &analysis.workloads {
        let quantile = |q| over_runs(workload, q);
        table.row([
            workload.title.clone(),
            workload.runs.to_string(),
            workload.settled.to_string(),
            number::known(workload.rate_per_s.map(number::rate)),
            workload.rate_half_width_share.map_or("–".to_owned(), number::interval),
            quantile(0.5),
            quantile(0.99),
            quantile(0.999),
        ]);
    }
    table
}

fn over_runs(workload: &AnalysedWorkload, q: f64) -> String {
    let found = workload.quantiles.iter().find(|found| found.q == q);
    found.map_or("–".to_owned(), |found| {
        format!(
            "{} ({} to {})",
            number::time(found.value_ns),
            number::time(found.low_ns),
            number::time(found.high_ns)
        )
    })
}

/// One row a run, at most so many; those that are not settled first.
pub fn runs(analysis: &Analysis, most: usize) -> Table {
    let mut table = Table::new(&[
        words("run", 0),
        titles("workload", 5),
        numbers("IOPS", 0),
        numbers("within", 4),
        words("its seconds", 0),
        words("valid for", 3),
        words("levels", 2),
        numbers("p99", 1),
        numbers("p99.9", 1),
        numbers("p99.99", 3),
        words("resolves", 4),
    ]);
    let mut order: Vec<&AnalysedRun> = analysis.runs.iter().collect();
    order.put_in_order_by_key(|run| run.steadiness.verdict.is_settled());
    for run in order.into_iter().take(most) {
        let title = analysis.workloads.get(run.workload as usize).map(|w| w.title.clone());
        table.row([
            run.run.clone(),
            number::known(title),
            number::known(run.rate_per_s.map(number::rate)),
            run.within_half_width_share.map_or("–".to_owned(), number::interval),
            run.steadiness.verdict.name().to_owned(),
            run.steadiness.horizon_s.map_or("–".to_owned(), |s| Nanos::from_seconds(s).coarse()),
            levels(run),
            quantile(run, 0.99),
            quantile(run, 0.999),
            quantile(run, 0.9999),
            resolves(run),
        ]);
    }
    table
}

fn levels(run: &AnalysedRun) -> String {
    match &run.levels[..] {
        [] | [_] => "one".to_owned(),
        several => several
            .iter()
            .map(|level| format!("{} from {} s", number::rate(level.rate_per_s), level.from_s))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

fn quantile(run: &AnalysedRun, q: f64) -> String {
    run.quantiles.iter().find(|found| found.q == q).map_or("–".to_owned(), interval)
}

fn interval(found: &QuantileInterval) -> String {
    let low = number::time(found.low_ns as f64);
    match (found.value_ns, found.high_ns) {
        (Some(value), Some(high)) => {
            format!("{} ({low} to {})", number::time(value as f64), number::time(high as f64))
        }
        _ => format!("at least {low}"),
    }
}

fn resolves(run: &AnalysedRun) -> String {
    run.quantiles.first().map_or("–".to_owned(), |found| {
        format!("events every {} or more often", Nanos::from_seconds(found.resolves_every_s).coarse())
    })
}

/// Why runs are not settled, and what cliffs and modes were found: one sentence for runs that say the same,
/// the most frequent first.
pub fn findings(analysis: &Analysis) -> Vec<String> {
    let mut said: Vec<(usize, String, &str)> = Vec::new();
    for run in &analysis.runs {
        for sentence in of_run(run) {
            match said.iter_mut().find(|(_, text, _)| *text == sentence) {
                Some((count, ..)) => *count += 1,
                None => said.push((1, sentence, &run.run)),
            }
        }
    }
    said.put_in_order_by_key(|(count, ..)| std::cmp::Reverse(*count));
    let left = said.len().saturating_sub(TOLD);
    let mut sentences: Vec<String> = said
        .into_iter()
        .take(TOLD)
        .map(|(count, text, run)| match (count, analysis.runs.len()) {
            (_, 1) => text,
            (1, _) => format!("{run}: {text}"),
            (count, _) => format!("{count} runs: {text}"),
        })
        .collect();
    if left > 0 {
        sentences.push(format!("{left} further sentences are in the analysis as JSON (--json)."));
    }
    sentences
}

fn of_run(run: &AnalysedRun) -> Vec<String> {
    let mut sentences = Vec::new();
    if !run.steadiness.verdict.is_settled() {
        sentences.push(format!("{}: {}", run.steadiness.verdict.name(), run.steadiness.reason));
    }
    for cliff in &run.cliffs {
        sentences.push(format!(
            "Latency jumps at {}, from {} to {}, in {:.1} s of a minute.",
            number::quantile_name(cliff.at_q),
            number::time(cliff.gap.from_ns as f64),
            number::time(cliff.gap.to_ns as f64),
            cliff.seconds_per_minute
        ));
    }
    if run.modes.len() > 1 {
        let modes: Vec<String> = run
            .modes
            .iter()
            .map(|mode| format!("{} ({})", number::time(mode.at_ns as f64), number::percent(mode.share)))
            .collect();
        let explained: Vec<String> =
            run.explanations.iter().filter(|found| found.explains).map(explanation).collect();
        let why = if explained.is_empty() {
            "neither direction nor time explains the slowest".to_owned()
        } else {
            explained.join("; ")
        };
        sentences.push(format!("Latencies gather around {}: {why}.", modes.join(" and ")));
    }
    sentences
}

fn explanation(found: &ModeExplanation) -> String {
    match found.by {
        ModeAttribute::Direction => {
            let shares: Vec<String> = found
                .shares
                .iter()
                .map(|share| {
                    format!(
                        "{} of the slow I/Os are {}s ({} of all)",
                        number::percent(share.of_slow),
                        share.label,
                        number::percent(share.of_all)
                    )
                })
                .collect();
            shares.join(", ")
        }
        ModeAttribute::Time => found.shares.first().map_or(String::new(), |share| {
            format!(
                "the slow I/Os come together, in {} of the seconds ({} if they were spread evenly)",
                number::percent(share.of_slow),
                number::percent(share.of_all)
            )
        }),
    }
}
