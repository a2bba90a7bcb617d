//! Fits the table of evidence to observations of drawn cases, and writes `fitted.toml`, which the table is read with.
//!
//! `cargo lab fit` draws the cases and writes `observations.csv`; `cargo run --package fathom-attribute --example fit` reads
//! it. What it fits and why is in docs/attribution.md. Nothing is kept that does not improve what it was not fitted to.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod cells;
mod observed;
mod peaks;
mod score;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cells::{Cells, fitted_to, text_of};
use fathom_attribute::evidence::{Feature, Table};
use fathom_record::verdict::Limit;
use observed::{FOLDS, Observation};
use score::Score;

/// Temperatures that are tried: the evidence of one case is correlated, so that its logarithms count for less.
const TEMPERATURES: [f64; 12] = [0.8, 0.9, 1.0, 1.15, 1.3, 1.45, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0];

/// At which single densities are judged.
const USUAL_TEMPERATURE: f64 = 1.15;
/// What a density must cost in log score to be left out.
const LEAST_WORSE: f64 = 5e-4;

const HEAD: &str = "# What drawn cases say of the table of evidence: written by `cargo run --package fathom-attribute --example fit`
# from observations.csv, and read over evidence.toml. A density stands here where it describes cases that it was not fitted to
# better than the one set by hand, which counts as so many cases of its own; no deviation is less than half of that one's,
# because devices vary more than a simulator.
";

fn main() -> ExitCode {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    match fit(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fit: {error}");
            ExitCode::FAILURE
        }
    }
}

fn fit(folder: &Path) -> Result<(), String> {
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let hand_text = read("evidence.toml")?;
    let hand = Table::parse(&hand_text).map_err(|error| error.to_string())?;
    let cases = observed::read(&read("observations.csv")?)?;
    println!("{} cases", cases.len());
    show("by hand", &score::of(&cases, |_| &hand));

    // Each fold is judged by what the others say.
    let mut by_fold: Vec<Cells> = (0..FOLDS).map(|fold| fitted_to(&hand, &without(&cases, fold))).collect();
    let left_out = left_out(&hand_text, &mut by_fold, &cases)?;
    for (limit, feature) in &left_out {
        println!("  left as set by hand: {} of {}", feature.name(), cells::name(*limit));
    }
    let temperature = best_temperature(&hand_text, &by_fold, &cases)?;
    let tables = tables(&hand_text, &by_fold, temperature)?;
    let after = score::of(&cases, |fold| &tables[fold]);
    show(&format!("fitted to the other folds, temperature {temperature}"), &after);
    for (cause, share, before, now) in score::by_cause(&cases, &hand, &tables) {
        println!("  {cause:<20} {share:>4} cases, log score {before:.2} -> {now:.2}");
    }

    let all: Vec<&Observation> = cases.iter().collect();
    let mut cells = fitted_to(&hand, &all);
    cells.retain(|cell, _| !left_out.contains(cell));
    let mut text = HEAD.to_owned();
    let _ = write!(
        text,
        "# {} cases; log score of a case {:.3} by hand, {:.3} by the other folds.\n\n",
        cases.len(),
        score::of(&cases, |_| &hand).log_score,
        after.log_score
    );
    text += &text_of(&cells, temperature);
    Table::parse_fitted(&hand_text, &text).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("fitted.toml"), &text).map_err(|error| error.to_string())?;
    println!("{} densities in fitted.toml", cells.len());
    Ok(())
}

fn without(cases: &[Observation], fold: usize) -> Vec<&Observation> {
    cases.iter().filter(|case| case.fold != fold).collect()
}

fn tables(hand: &str, by_fold: &[Cells], temperature: f64) -> Result<Vec<Table>, String> {
    let fitted = |cells: &Cells| Table::parse_fitted(hand, &text_of(cells, temperature));
    by_fold.iter().map(|cells| fitted(cells).map_err(|error| error.to_string())).collect()
}

/// Densities that describe their own cause's cases better and make verdicts worse: each is left out where left-out cases are told
/// better without it. One after the other, and from the tables of the folds too.
fn left_out(
    hand: &str,
    by_fold: &mut [Cells],
    cases: &[Observation],
) -> Result<Vec<(Limit, Feature)>, String> {
    let mut left_out = Vec::new();
    let mut reached = log_score(hand, by_fold, cases)?;
    let all: BTreeSet<(Limit, Feature)> = by_fold.iter().flat_map(|cells| cells.keys().copied()).collect();
    for cell in all {
        let alike = cells::alike(cell);
        if alike.first() != Some(&cell.0) {
            continue;
        }
        let mut fewer = by_fold.to_vec();
        for cells in &mut fewer {
            cells.retain(|(limit, feature), _| *feature != cell.1 || !alike.contains(limit));
        }
        let without = log_score(hand, &fewer, cases)?;
        if without > reached + LEAST_WORSE {
            by_fold.clone_from_slice(&fewer);
            reached = without;
            left_out.extend(alike.into_iter().map(|limit| (limit, cell.1)));
        }
    }
    Ok(left_out)
}

fn log_score(hand: &str, by_fold: &[Cells], cases: &[Observation]) -> Result<f64, String> {
    let tables = tables(hand, by_fold, USUAL_TEMPERATURE)?;
    Ok(score::of(cases, |fold| &tables[fold]).log_score)
}

fn best_temperature(hand: &str, by_fold: &[Cells], cases: &[Observation]) -> Result<f64, String> {
    let mut best = (f64::NEG_INFINITY, 1.0);
    for temperature in TEMPERATURES {
        let tables = tables(hand, by_fold, temperature)?;
        let reached = score::of(cases, |fold| &tables[fold]).log_score;
        if reached > best.0 {
            best = (reached, temperature);
        }
    }
    Ok(best.1)
}

fn show(what: &str, score: &Score) {
    let Score { log_score, first, calibration_error, sure, sure_right, .. } = score;
    println!(
        "{what}: log score {log_score:.3}, right first {:.1} %, calibration error {calibration_error:.3}, sure {sure}, of these right {sure_right}",
        100.0 * first
    );
}
