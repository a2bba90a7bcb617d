//! `cargo lab fit`: what causes show, from cases. Draws simulated cases of all causes, asks fathom about each, and writes what
//! was seen with what was right: the observations from which `crates/attribute/examples/fit` makes the fitted table.

mod generate;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::Args;
use serde_json::Value;

use super::Outcome;
use super::cases::{Asker, Question, fresh_simulated};
use super::guest_programs;
use super::stop::Stop;
use generate::Case;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// Seeds of the cases, as A,B,C.
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    seeds: Vec<u64>,
    /// Cases of each seed; a quarter are of the families of `lab cases`.
    #[arg(long, value_name = "NUMBER", default_value_t = 240)]
    cases: usize,
    /// Most experiments of a case.
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    experiments: u32,
    /// Program to ask. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Observations. Default: crates/attribute/observations.csv.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Draws the cases, asks fathom about each on two threads, and writes what was seen.
///
/// # Errors
/// A build that fails, or a file that cannot be written.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let fathom = options.fathom.clone().map_or_else(|| guest_programs::fathom(root), Ok)?;
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let mut cases = Vec::new();
    for seed in &options.seeds {
        let families = options.cases / 4;
        cases.extend(generate::cases(*seed, options.cases - families));
        let fresh = fresh_simulated(families, *seed).into_iter();
        cases.extend(fresh.filter_map(|(id, right, arguments)| {
            let right: Vec<String> = right.into_iter().map(str::to_owned).collect();
            (!right.is_empty()).then(|| Case { id: format!("{id}/{seed}"), arguments, right })
        }));
    }
    let lines = ask_all(&fathom, cases, options.experiments)?;
    let out = options.out.unwrap_or_else(|| root.join("crates/attribute/observations.csv"));
    std::fs::write(&out, written(&lines)?).map_err(|error| format!("{}: {error}", out.display()))?;
    println!("{} cases in {}", lines.len(), out.display());
    println!("next: cargo run --package fathom-attribute --example fit");
    Ok(if lines.is_empty() { Outcome::Failed } else { Outcome::Passed })
}

/// What one case showed.
struct Line {
    id: String,
    right: String,
    needs: String,
    figures: String,
}

fn ask_all(fathom: &Path, cases: Vec<Case>, experiments: u32) -> Result<Vec<Line>, String> {
    let stop = Stop::listen()?;
    let keep = tempfile::tempdir().map_err(|error| error.to_string())?;
    let asker = Asker { fathom, experiments, seconds: 8, keep: Some(keep.path()), stop: &stop };
    let (waiting, done) = (Mutex::new(cases.into_iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.is_asked() {
                    let Some(case) = waiting.lock().ok().and_then(|mut cases| cases.next()) else { break };
                    match ask(&asker, &case, keep.path()) {
                        Ok(line) => done.lock().map(|mut done| done.push(line)).unwrap_or_default(),
                        Err(error) => println!("no answer, {}: {error}", case.id),
                    }
                }
            });
        }
    });
    let mut lines = done.into_inner().map_err(|_| "a thread ended early".to_owned())?;
    lines.sort_by(|a: &Line, b: &Line| a.id.cmp(&b.id));
    Ok(lines)
}

fn ask(asker: &Asker<'_>, case: &Case, keep: &Path) -> Result<Line, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    asker.ask(&Question { id: &case.id, arguments: &case.arguments, groups: &[], folder: folder.path() })?;
    let kept = keep.join(format!("{}.json", case.id.replace('/', "-")));
    let text = std::fs::read_to_string(&kept).map_err(|error| format!("{}: {error}", kept.display()))?;
    let record: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&kept);
    let figures = figures(&record);
    let needs = needs(&case.arguments, &figures);
    Ok(Line { id: case.id.clone(), right: case.right.join(" "), needs, figures })
}

/// `name=value~error` of each symptom, experiments' answers included.
fn figures(record: &Value) -> String {
    let symptoms = record["patterns"][0]["symptoms"].as_array();
    let one = |symptom: &Value| {
        let number = |field: &str| symptom[field].as_f64();
        Some(format!("{}={:.4}~{:.4}", symptom["name"].as_str()?, number("value")?, number("error")?))
    };
    symptoms.into_iter().flatten().filter_map(one).collect::<Vec<_>>().join(" ")
}

/// What is so of a simulated case, for the causes that need it.
fn needs(arguments: &[String], figures: &str) -> String {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let rw = arguments.iter().skip_while(|argument| *argument != "--rw").nth(1);
    let writes = rw.is_some_and(|rw| rw.contains('w'));
    let all = [
        ("device provisioned link", true),
        ("writes", writes),
        ("rate", has("--rate")),
        ("tags", figures.contains("asked_tags=")),
    ];
    all.iter().filter(|(_, holds)| *holds).map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

fn written(lines: &[Line]) -> Result<Vec<u8>, String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["case", "right", "needs", "figures"]).map_err(|error| error.to_string())?;
    for line in lines {
        table
            .write_record([&line.id, &line.right, &line.needs, &line.figures])
            .map_err(|error| error.to_string())?;
    }
    table.into_inner().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_record_becomes_figures_and_arguments_become_needs() {
        let symptoms = json!([
            {"name": "waiting", "value": 1.25, "error": 0.01, "text": ""},
            {"name": "asked_tags", "value": 0.5, "error": 0.02, "text": ""},
            {"name": "odd"},
        ]);
        let record = json!({"patterns": [{"symptoms": symptoms}]});
        let seen = figures(&record);
        assert_eq!(seen, "waiting=1.2500~0.0100 asked_tags=0.5000~0.0200");
        let arguments = ["sim:ideal", "--rw", "randwrite", "--rate", "5"].map(str::to_owned);
        assert_eq!(needs(&arguments, &seen), "device provisioned link writes rate tags");
        assert_eq!(needs(&["--rw", "read"].map(str::to_owned), ""), "device provisioned link");
        assert!(figures(&json!({})).is_empty());
    }
}
