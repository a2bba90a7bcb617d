//! `cargo lab sizing`: `fathom size` beside another simulator. Demands are drawn from a seed, served by a slow simulator
//! of volumes that was written from the documentation alone, and the cheapest volume of each type that serves is
//! compared with fathom's answer. Further parts hold simulated devices and assessments against what is known of them.

mod answer_comparison;
mod catalogue_facts;
mod choose;
mod counting;
mod drawn_demand;
mod json_queries;
mod mixed;
mod moments;
mod search_optimality;
mod section;
mod shapes;
mod size_answer;
mod sizing_options;
mod slow_simulator;
mod stalling_devices;
mod volume_offers;

use std::path::{Path, PathBuf};

use super::Outcome;
use super::guest_programs;
use super::stop::Stop;
use answer_comparison::{DemandVerdict, Verdict};
use catalogue_facts::Catalogue;
use section::Section;
pub use sizing_options::Options;
use stalling_devices::Health;

/// What every part needs.
struct Bench {
    fathom: PathBuf,
    /// Where demands, stores and records are.
    folder: PathBuf,
    catalogue: Catalogue,
    options: Options,
    stop: Stop,
}

/// Runs the parts that are named, and prints what they found.
///
/// # Errors
/// A build that fails, or a folder that cannot be written.
pub fn run(root: &Path, options: Options) -> Result<Outcome, String> {
    let fathom = match &options.fathom {
        Some(path) => path.clone(),
        None => guest_programs::fathom(root)?,
    };
    let fathom = fathom.canonicalize().map_err(|error| format!("{}: {error}", fathom.display()))?;
    let scratch = tempfile::tempdir().map_err(|error| format!("no folder for demands: {error}"))?;
    let folder = options.keep.clone().unwrap_or_else(|| scratch.path().to_owned());
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let bench = Bench { fathom, folder, catalogue: Catalogue::read(root)?, options, stop: Stop::listen()? };
    let mut text = String::new();
    let (mut holds, mut compared) = (true, 0);
    for part in &bench.options.parts {
        let section = match part.as_str() {
            "mixed" => mixed::run(&bench)?,
            "stalls" => stalling_devices::run(&bench, Health::Stalls)?,
            "healthy" => stalling_devices::run(&bench, Health::Healthy)?,
            "search" => search_optimality::run(&bench)?,
            _ => size(&bench)?,
        };
        holds &= section.holds();
        compared += section.compared();
        let said = section.text();
        println!("{said}");
        text += &said;
        text.push('\n');
    }
    if let Some(path) = &bench.options.markdown {
        std::fs::write(path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if compared == 0 {
        return Err(format!("nothing was compared: no name or shape contains `{}`", bench.options.only));
    }
    let holds = holds && !bench.stop.is_asked();
    Ok(if holds { Outcome::Passed } else { Outcome::Failed })
}

/// Every demand with both.
fn size(bench: &Bench) -> Result<Section, String> {
    let mut judged = Vec::new();
    for number in 0..bench.options.demands {
        let demand = shapes::draw(bench.options.seed, number);
        let named =
            [demand.name.as_str(), demand.shape].iter().any(|name| name.contains(&bench.options.only));
        if !named || bench.stop.is_asked() {
            continue;
        }
        judged.push(answer_comparison::judge(&bench.fathom, &bench.folder, &demand, &bench.catalogue)?);
    }
    Ok(sized(bench, &judged))
}

fn sized(bench: &Bench, judged: &[DemandVerdict]) -> Section {
    let mut section = Section::new(format!("{} demands, seed {}", judged.len(), bench.options.seed));
    let mut clean = 0;
    for judged in judged {
        let mut left = Vec::new();
        for compared in &judged.compared {
            match &compared.verdict {
                Verdict::Equal => section.equal += 1,
                Verdict::Explained(why) => *section.explained.entry(why).or_default() += 1,
                Verdict::Unexplained(said) => {
                    left.push(format!("{} ({}) {}: {said}", judged.name, judged.shape, compared.what))
                }
            }
        }
        clean += usize::from(left.is_empty());
        if let Some(last) = left.last_mut() {
            *last += &format!("\n  `{}`", judged.command);
        }
        section.unexplained.extend(left);
    }
    let least =
        section.unexplained.iter().filter(|left| left.contains(answer_comparison::BY_THE_LEAST)).count();
    if least > 0 {
        section.figures.push(format!("{least} of the unexplained are {}", answer_comparison::BY_THE_LEAST));
    }
    section.figures.push(format!("{clean} of {} demands without an unexplained difference", judged.len()));
    section.figures.extend(table(judged));
    section
}

/// How often each thing was equal, explained and unexplained.
fn table(judged: &[DemandVerdict]) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        "| compared | equal | explained | unexplained |".to_owned(),
        "|---|---|---|---|".to_owned(),
    ];
    for what in ["gp3", "gp2", "io1", "io2", "st1", "sc1", "choice", "current", "moments"] {
        let of = judged.iter().flat_map(|judged| &judged.compared).filter(|compared| compared.what == what);
        let count = |is: fn(&Verdict) -> bool| of.clone().filter(|compared| is(&compared.verdict)).count();
        lines.push(format!(
            "| {what} | {} | {} | {} |",
            count(|verdict| *verdict == Verdict::Equal),
            count(|verdict| matches!(verdict, Verdict::Explained(_))),
            count(|verdict| matches!(verdict, Verdict::Unexplained(_)))
        ));
    }
    lines.push(String::new());
    lines
}
