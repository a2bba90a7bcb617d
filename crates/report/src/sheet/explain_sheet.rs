//! What the reports of an explanation say, in words and tables, whatever they are written on.

use fathom_record::campaign::{ExperimentResult, ExplainRecord, ExplainedPattern};
use fathom_record::verdict::{Ceiling, Claim, Limit};

use super::{Entry, entry};
use crate::number;
use crate::table::{Table, numbers, words as column};
use crate::value_words;

/// What leads a pattern's claims: `likely, 87 %: Limited by the volume's IOPS limit (3000 IOPS).`
pub fn claim(claim: &Claim) -> String {
    let sure = match claim.probability.filter(|_| claim.limit != Limit::Unknown) {
        Some(probability) => number::probability(probability),
        None => value_words::confidence(claim.confidence).to_owned(),
    };
    format!("{sure}: {}", claim.statement)
}

/// A ceiling, how much of it was reached, and who says so.
pub fn ceiling(ceiling: &Ceiling) -> Entry {
    let (rate, reached) = (number::iops(ceiling.operations_per_s), number::percent(ceiling.reached_share));
    entry(&ceiling.name, format!("{rate}, {reached} reached ({})", ceiling.source))
}

/// Self-checks that failed, over all cells.
pub fn failures(explain: &ExplainRecord) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in explain.patterns.iter().flat_map(|p| &p.cells).flat_map(|cell| &cell.failed_checks) {
        if !found.contains(text) {
            found.push(text.clone());
        }
    }
    found
}

/// The experiments, in the order they were made.
pub fn experiments(pattern: &ExplainedPattern) -> Table {
    let columns = [
        column("experiment", 0),
        numbers("before", 3),
        numbers("then", 0),
        column("afterwards most probable", 1),
    ];
    let mut table = Table::new(&columns);
    for experiment in &pattern.experiments {
        table.row([
            experiment.name.replace('_', " "),
            format!("{} IOPS", number::rate(experiment.before_per_s)),
            answer(experiment),
            after(experiment),
        ]);
    }
    table
}

fn answer(experiment: &ExperimentResult) -> String {
    match (experiment.operations_per_s, &experiment.failed) {
        (Some(rate), _) => format!("{} IOPS", number::rate(rate)),
        (None, Some(_)) => "could not be made".to_owned(),
        (None, None) => "not made".to_owned(),
    }
}

/// Experiments that could not be made, with why.
pub fn not_made(pattern: &ExplainedPattern) -> Vec<String> {
    let why = |experiment: &ExperimentResult| {
        let why = experiment.failed.as_ref()?;
        Some(format!("{} could not be made: {why}", experiment.name.replace('_', " ")))
    };
    pattern.experiments.iter().filter_map(why).collect()
}

fn after(experiment: &ExperimentResult) -> String {
    let named = experiment.after.iter().take(2);
    let one = |cause: &fathom_record::campaign::CauseProbability| {
        format!("{} {:.0} %", cause.limit.in_words(), cause.probability * 100.0)
    };
    named.map(one).collect::<Vec<_>>().join(", ")
}
