//! How often the collected tables are explained as their labels say: each part apart, whatever it is.
//!
//! Of the part for fitting every question is printed; of the two others nothing but the score.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test panics when it is wrong")]
#![allow(clippy::print_stdout, reason = "a score is for who reads it")]

mod left_out;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fathom_published::{Label, RowExplanation, explain_published_with, parse_published};
use fathom_record::verdict::Limit;

/// From this probability on a cause counts as named.
const NAMED: f64 = 0.5;
/// From this probability on it counts as said with confidence.
const CONFIDENT: f64 = 0.8;

struct Question {
    /// Who published it: the first word of its file's name.
    source: String,
    line: String,
    label: Label,
    claims: Vec<(Limit, f64)>,
}

fn name(limit: Limit) -> String {
    serde_json::to_value(limit).unwrap().as_str().unwrap().to_owned()
}

/// Claims in the order in which a reader gets them, without the one that the limit is unknown.
fn claims(one: &RowExplanation) -> Vec<(Limit, f64)> {
    let listed = one.verdict.claims.iter().filter(|claim| claim.limit != Limit::Unknown);
    listed.map(|claim| (claim.limit, claim.probability.unwrap_or(0.0))).collect()
}

/// Every question of a folder, as the program answers it.
fn questions(folder: &Path) -> Vec<Question> {
    questions_with(folder, &left_out::by_hand)
}

/// The same with other weights of causes.
fn questions_with(folder: &Path, weight: &dyn Fn(Limit) -> f64) -> Vec<Question> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let text = std::fs::read_to_string(path).unwrap();
        let table = parse_published(&text).unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display()));
        for one in explain_published_with(&table, weight) {
            let Some(label) = one.asked.label.clone() else { continue };
            let claims = claims(&one);
            let stem = path.file_stem().unwrap().to_string_lossy();
            let mut line = format!(
                "{stem} | {} | {}{}",
                one.title,
                name(label.cause),
                if label.sure { " SURE" } else { "" }
            );
            let said: Vec<String> =
                claims.iter().take(3).map(|(limit, p)| format!("{} {:.2}", name(*limit), p)).collect();
            let seen: Vec<String> = one
                .seen
                .iter()
                .map(|s| format!("{}={:.2}", s.figure.feature.name(), s.figure.value))
                .collect();
            let _ = write!(line, " | {} | {}", said.join(", "), seen.join(" "));
            let source = stem.split('-').next().unwrap_or_default().to_owned();
            all.push(Question { source, line, label, claims });
        }
    }
    all
}

fn is_right(label: &Label, limit: Limit) -> bool {
    label.cause == limit || label.also.contains(&limit)
}

/// Least probability that is scored: a claim that is not listed is below it.
const LEAST: f64 = 0.01;

#[derive(Debug)]
struct Score {
    all: usize,
    sure: usize,
    first: f64,
    among_two: f64,
    confident: f64,
    confident_wrong_of_sure: usize,
    confident_wrong_of_all: usize,
    mean_said: f64,
    mean_right: f64,
    log_score: f64,
    log_score_of_base_rates: f64,
    named_of_open: usize,
    open: usize,
}

fn score(all: &[Question]) -> Score {
    let sure: Vec<&Question> =
        all.iter().filter(|q| q.label.sure && q.label.cause != Limit::Unknown).collect();
    let hit = |q: &Question, places: usize| q.claims.iter().take(places).any(|(l, _)| is_right(&q.label, *l));
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    let best = |q: &Question| q.claims.first().map_or(0.0, |(_, p)| *p);
    let confident: Vec<&&Question> = sure.iter().filter(|q| best(q) >= CONFIDENT).collect();
    let open: Vec<&Question> =
        all.iter().filter(|q| [Limit::Unknown, Limit::NoDifference].contains(&q.label.cause)).collect();
    let known: Vec<&Question> = all.iter().filter(|q| q.label.cause != Limit::Unknown).collect();
    Score {
        all: all.len(),
        sure: sure.len(),
        first: share(sure.iter().filter(|q| hit(q, 1)).count(), sure.len()),
        among_two: share(sure.iter().filter(|q| hit(q, 2)).count(), sure.len()),
        confident: share(confident.len(), sure.len()),
        confident_wrong_of_sure: confident.iter().filter(|q| !hit(q, 1)).count(),
        confident_wrong_of_all: all.iter().filter(|q| best(q) >= CONFIDENT && !hit(q, 1)).count(),
        mean_said: known.iter().map(|q| best(q)).sum::<f64>() / known.len().max(1) as f64,
        mean_right: share(known.iter().filter(|q| hit(q, 1)).count(), known.len()),
        log_score: known.iter().map(|q| right_probability(q).max(LEAST).ln()).sum::<f64>()
            / known.len().max(1) as f64,
        log_score_of_base_rates: base_rates(&known),
        named_of_open: open.iter().filter(|q| best(q) >= NAMED && !hit(q, 1)).count(),
        open: open.len(),
    }
}

/// Probability that was given to what the label takes as right.
fn right_probability(question: &Question) -> f64 {
    let right = question.claims.iter().filter(|(limit, _)| is_right(&question.label, *limit));
    right.map(|(_, p)| *p).fold(0.0, f64::max)
}

/// The same for whoever knows how often each cause is a label, and nothing else.
fn base_rates(known: &[&Question]) -> f64 {
    let count = |cause: Limit| known.iter().filter(|q| q.label.cause == cause).count() as f64;
    let all = known.len().max(1) as f64;
    known.iter().map(|q| (count(q.label.cause) / all).ln()).sum::<f64>() / all
}

fn folder(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations").join(part)
}

/// A row of the page for people.
fn row(part: &str, score: &Score) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    format!(
        "| {part} | {} | {} | {} | {} | {} | {} of sure, {} of all | {} | {} | {:.2} against {:.2} | {} of {} |",
        score.all,
        score.sure,
        percent(score.first),
        percent(score.among_two),
        percent(score.confident),
        score.confident_wrong_of_sure,
        score.confident_wrong_of_all,
        percent(score.mean_said),
        percent(score.mean_right),
        score.log_score,
        score.log_score_of_base_rates,
        score.named_of_open,
        score.open
    )
}

/// The same in ten equal bins of what was said first.
fn bins(part: &str, all: &[Question]) -> Vec<String> {
    let known = || all.iter().filter(|q| q.label.cause != Limit::Unknown && !q.claims.is_empty());
    let in_bin = |bin: usize| known().filter(move |q| ((q.claims[0].1 * 10.0) as usize).min(9) == bin);
    let line = |bin: usize| {
        let count = in_bin(bin).count();
        let said = in_bin(bin).map(|q| q.claims[0].1).sum::<f64>() / count.max(1) as f64;
        let right = in_bin(bin).filter(|q| is_right(&q.label, q.claims[0].0)).count();
        let right = right as f64 / count.max(1) as f64;
        let (from, said, right) = (10 * bin, 100.0 * said, 100.0 * right);
        format!("| {part} | {from} to {} % | {count} | {said:.0} % | {right:.0} % |", from + 10)
    };
    (0..10).filter(|bin| in_bin(*bin).count() > 0).map(line).collect()
}

/// The page says what is measured here: who changes a verdict states the score anew.
fn stated(part: &str, all: &[Question], score: &Score) {
    let page = std::fs::read_to_string(folder("../docs/attribution.md")).unwrap();
    let mut lines = vec![row(part, score)];
    lines.extend(bins(part, all));
    println!("{}", lines.join("\n"));
    for line in lines {
        assert!(page.contains(&line), "docs/attribution.md lacks: {line}");
    }
}

#[test]
fn the_part_for_fitting_is_explained_as_often_as_promised() {
    let all = questions(&folder("collected/fitting"));
    for one in &all {
        println!("{}", one.line);
    }
    let score = score(&all);
    println!("fitting: {score:?}");
    assert!(score.all >= 130 && score.first >= 0.75 && score.among_two >= 0.8, "{score:?}");
    assert!((score.mean_said - score.mean_right).abs() <= 0.1, "{score:?}");
    stated("fitting", &all, &score);
}

#[test]
fn the_part_for_validation_has_its_score() {
    let all = questions(&folder("collected/validation"));
    let score = score(&all);
    println!("validation: {score:?}");
    assert!(score.all >= 80 && score.first >= 0.6, "{score:?}");
    assert!((score.mean_said - score.mean_right).abs() <= 0.1, "{score:?}");
    assert!(score.log_score > score.log_score_of_base_rates, "{score:?}");
    stated("validation", &all, &score);
}

/// Bounds of a share that so many of so many leave open, with 95 % (Wilson).
fn interval(hits: usize, of: usize) -> (f64, f64) {
    let (z, count) = (1.96_f64, of.max(1) as f64);
    let share = hits as f64 / count;
    let middle = share + z * z / (2.0 * count);
    let spread = z * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
    let scale = 1.0 + z * z / count;
    ((middle - spread) / scale, (middle + spread) / scale)
}

/// The parts that were collected after the program: their shares with bounds, and what the page says.
fn youngest(part: &str) {
    let all = questions(&folder(&format!("collected/{part}")));
    let score = score(&all);
    println!("{part}: {score:?}");
    for (name, share) in
        [("first", score.first), ("among two", score.among_two), ("0.8 or more", score.confident)]
    {
        let (least, most) = interval((share * score.sure as f64).round() as usize, score.sure);
        println!("| {name} | {:.0} % | {:.0} to {:.0} % |", 100.0 * share, 100.0 * least, 100.0 * most);
    }
    assert!(score.all >= 40 && score.log_score > score.log_score_of_base_rates, "{score:?}");
    stated(part, &all, &score);
}

#[test]
fn the_unseen_part_has_its_score() {
    youngest("unseen");
}

#[test]
fn the_fresh_part_has_its_score() {
    youngest("fresh");
}

#[test]
fn the_newest_part_has_its_score() {
    youngest("newest");
}

#[test]
fn the_latest_part_has_its_score() {
    youngest("latest");
}
