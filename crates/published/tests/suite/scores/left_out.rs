//! What the part for fitting is worth to a source that it does not hold: weights of causes fitted to all sources but one, and that
//! one scored with them, each in turn.
//!
//! What is fitted is how often each cause is published; densities are set by hand and the same for all.

use std::collections::{BTreeMap, BTreeSet};

use fathom_attribute::evidence::table;
use fathom_record::verdict::Limit;

use super::{Question, Score, folder, questions, questions_with, score};

/// What each cause counts before any label.
const BEFORE: f64 = 1.0;

/// The weights of the program.
pub fn by_hand(limit: Limit) -> f64 {
    table().cause(limit).map_or(1.0, |cause| cause.published)
}

/// How often each cause is right, with a mean of 1; a label with several causes counts in parts.
fn fitted<'a>(labelled: impl Iterator<Item = &'a Question>) -> BTreeMap<Limit, f64> {
    let mut counts: BTreeMap<Limit, f64> = table().causes.iter().map(|cause| (cause.limit, BEFORE)).collect();
    for one in labelled {
        let right: Vec<Limit> = [one.label.cause].into_iter().chain(one.label.also.iter().copied()).collect();
        for limit in &right {
            if let Some(count) = counts.get_mut(limit) {
                *count += 1.0 / right.len() as f64;
            }
        }
    }
    let mean = counts.values().sum::<f64>() / counts.len().max(1) as f64;
    counts.into_iter().map(|(limit, count)| (limit, count / mean)).collect()
}

fn with(weights: &BTreeMap<Limit, f64>) -> Vec<Question> {
    questions_with(&folder("collected/fitting"), &|limit| weights.get(&limit).copied().unwrap_or(1.0))
}

fn line(weights: &str, score: &Score) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    format!(
        "| {weights} | {} | {} | {:.2} | {} |",
        percent(score.first),
        percent(score.among_two),
        score.log_score,
        score.confident_wrong_of_sure
    )
}

#[test]
fn what_was_fitted_is_scored_on_sources_that_it_was_not_fitted_to() {
    let hand = questions(&folder("collected/fitting"));
    let sources: BTreeSet<String> = hand.iter().map(|one| one.source.clone()).collect();
    assert!(sources.len() >= 20, "{sources:?}");
    let to_all = with(&fitted(hand.iter()));
    let mut left_out = Vec::new();
    for source in &sources {
        let weights = fitted(hand.iter().filter(|one| one.source != *source));
        left_out.extend(with(&weights).into_iter().filter(|one| one.source == *source));
    }
    assert_eq!(left_out.len(), hand.len());
    let (hand, to_all, left_out) = (score(&hand), score(&to_all), score(&left_out));
    let lines = [
        line("set by hand, as the program has them", &hand),
        line("fitted to all sources", &to_all),
        line("fitted to all sources but the one that is asked", &left_out),
    ];
    println!("{} sources", sources.len());
    println!("{}", lines.join("\n"));
    // What was fitted to a source tells it no worse than what was not.
    assert!(to_all.log_score >= left_out.log_score, "{lines:?}");
    let page = std::fs::read_to_string(folder("../docs/attribution.md")).unwrap();
    for line in lines {
        assert!(page.contains(&line), "docs/attribution.md lacks: {line}");
    }
}
