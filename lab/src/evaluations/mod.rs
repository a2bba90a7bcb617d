//! `cargo lab evaluations`: the five published evaluations, repeated on simulated devices that have the articles' own
//! figures. Each conclusion has to come out here as it does on the published figures: what they bear out holds, what
//! they contradict does not.

mod scenes;
mod served;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use serde_json::Value;

use super::Outcome;
use super::guest_programs;
use super::stop::Stop;
use scenes::{SCENES, Scene};
use served::Target;

/// What was typed.
#[derive(Args, Debug)]
pub struct Options {
    /// Evaluations to repeat. Default: all five.
    #[arg(value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(SCENES.iter().map(|scene| scene.evaluation)))]
    names: Vec<String>,
    /// Program to try. Default: built from this tree, which is a test build: slower in real time.
    #[arg(long, value_name = "PATH")]
    fathom: Option<PathBuf>,
    /// Keep each evaluation's page in this folder.
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
}

/// What a conclusion came to.
struct ConclusionOutcome {
    says: String,
    published: String,
    here: String,
    value: String,
    why: String,
    /// Why the devices say nothing about it, if they do not.
    apart: Option<&'static str>,
}

impl ConclusionOutcome {
    fn is_as_published(&self) -> bool {
        self.published == self.here
    }

    /// Whether it is asked of the devices: what was published leaves some open, and some are about something else.
    fn is_asked(&self) -> bool {
        self.published != "not decided" && self.apart.is_none()
    }
}

/// Repeats what was named, and prints what became of each conclusion.
///
/// # Errors
/// A build that fails, or an evaluation that cannot be carried out.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => guest_programs::fathom(root)?,
    };
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let scratch = tempfile::tempdir().map_err(|error| format!("no folder for results: {error}"))?;
    if let Some(pages) = &options.pages {
        std::fs::create_dir_all(pages).map_err(|error| format!("{}: {error}", pages.display()))?;
    }
    let (stop, began) = (Stop::listen()?, now());
    let (mut same, mut all) = (0, 0);
    for scene in &SCENES {
        let wanted = options.names.is_empty() || options.names.iter().any(|name| name == scene.evaluation);
        if !wanted || stop.is_asked() {
            continue;
        }
        let started = now();
        let came = repeat(&fathom, scratch.path(), scene, options.pages.as_deref())?;
        let judged = || came.iter().filter(|came| came.is_asked());
        let as_published = judged().filter(|came| came.is_as_published()).count();
        println!(
            "{}: {as_published} of {} conclusions come out as on the published figures, in {:.0} s\n  on {}",
            scene.evaluation,
            judged().count(),
            started.elapsed().as_secs_f64(),
            scene.devices,
        );
        came.iter().for_each(print);
        (same, all) = (same + as_published, all + judged().count());
    }
    println!("evaluations: {same} of {all} conclusions, in {:.0} s", began.elapsed().as_secs_f64());
    let passed = all > 0 && same == all && !stop.is_asked();
    Ok(if passed { Outcome::Passed } else { Outcome::Failed })
}

fn print(came: &ConclusionOutcome) {
    let mark = match (came.is_asked(), came.is_as_published()) {
        (false, _) => "open ",
        (true, true) => "same ",
        (true, false) => "OTHER",
    };
    println!("  {mark} {}: published {}, here {}{}", came.says, came.published, came.here, came.value);
    match came.apart {
        Some(why) => println!("        not asked here: {why}"),
        None if mark == "OTHER" && !came.why.is_empty() => println!("        {}", came.why),
        None => {}
    }
}

/// Repeats one evaluation.
fn repeat(
    fathom: &Path,
    folder: &Path,
    scene: &Scene,
    pages: Option<&Path>,
) -> Result<Vec<ConclusionOutcome>, String> {
    let targets: Vec<Target> =
        scene.served.iter().map(|served| Target::start(fathom, served)).collect::<Result<_, _>>()?;
    let mut command = Command::new(fathom);
    command.args(["--store"]).arg(folder.join("lab.sqlite"));
    command.args(["repeat", scene.evaluation]).args(scene.words);
    command.args(targets.iter().flat_map(|target| &target.words)).args(["--json", "--quiet"]);
    if let Some(pages) = pages {
        command.arg("--report").arg(pages.join(format!("{}.html", scene.evaluation)));
    }
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| format!("fathom cannot be run: {error}"))?;
    let record: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("{}: no answer, {}: {}", scene.evaluation, output.status, said.trim())
    })?;
    if record["format"] == "fathom.error" {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        return Err(format!(
            "{}: {}: {}: {}",
            scene.evaluation,
            text("place"),
            text("cause"),
            text("remedy")
        ));
    }
    conclusions(&record, scene.apart)
        .ok_or_else(|| format!("{}: the record has no conclusions", scene.evaluation))
}

#[allow(clippy::disallowed_methods, reason = "how long it took is told, and decides nothing")]
fn now() -> Instant {
    Instant::now()
}

/// What a record says of each conclusion.
fn conclusions(record: &Value, apart: &[(&str, &'static str)]) -> Option<Vec<ConclusionOutcome>> {
    let (asked, found) = (record["plan"]["conclusions"].as_array()?, record["conclusions"].as_array()?);
    let text = |value: &Value| value.as_str().unwrap_or_default().replace('_', " ");
    let came = asked.iter().zip(found).map(|(asked, found)| {
        let says = asked["says"].as_str().unwrap_or_default().to_owned();
        ConclusionOutcome {
            published: text(&found["published"]["standing"]),
            here: text(&found["own"]["standing"]),
            value: value(&found["own"]),
            why: found["own"]["why"].as_str().unwrap_or_default().to_owned(),
            apart: apart.iter().find(|(part, _)| says.contains(part)).map(|(_, why)| *why),
            says,
        }
    });
    (asked.len() == found.len() && !asked.is_empty()).then(|| came.collect())
}

/// The figure that decides, with its interval.
fn value(own: &Value) -> String {
    let Some(value) = own["value"].as_f64() else { return String::new() };
    match (own["interval"][0].as_f64(), own["interval"][1].as_f64()) {
        (Some(low), Some(high)) => format!(" ({value:.3}, 95 % {low:.3} to {high:.3})"),
        _ => format!(" ({value:.3})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_evaluation_that_fathom_holds_has_a_scene() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for scene in &SCENES {
            assert!(
                root.join(format!("evaluations/{}.toml", scene.evaluation)).is_file(),
                "{}",
                scene.evaluation
            );
        }
    }

    #[test]
    fn a_conclusion_is_as_published_where_both_stand_alike() {
        let judged = |standing: &str| serde_json::json!({"standing": standing, "value": 2.0, "interval": [1.9, 2.1], "why": "w"});
        let record = serde_json::json!({
            "plan": {"conclusions": [{"says": "a"}, {"says": "b"}]},
            "conclusions": [
                {"published": judged("holds"), "own": judged("holds")},
                {"published": judged("does_not_hold"), "own": judged("not_decided")},
            ],
        });
        let came = conclusions(&record, &[("a", "why")]).unwrap();
        assert!(came[0].is_as_published() && !came[1].is_as_published());
        assert!(!came[0].is_asked() && came[1].is_asked());
        assert_eq!(
            (came[1].here.as_str(), came[0].value.as_str()),
            ("not decided", " (2.000, 95 % 1.900 to 2.100)")
        );
        assert!(conclusions(&serde_json::json!({}), &[]).is_none());
        assert!(
            conclusions(&serde_json::json!({"plan": {"conclusions": []}, "conclusions": []}), &[]).is_none()
        );
    }
}
