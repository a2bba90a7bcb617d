//! The page of a repeated evaluation.

use askama::Template;
use fathom_measure::Nanos;
use fathom_record::RunRecord;
use fathom_record::campaign::RepeatRecord;

use super::{Figure, SCRIPT, Surroundings, styles};
use crate::reproduce::{self, Reproduction};
use crate::sheet::boots_sheet::boots;
use crate::sheet::{environment_sheet, repeat_sheet as sheet, sweep_sheet as sheet_of_cells};
use crate::table::Table;
use crate::{ReportError, error, pictures_of_repeat};

#[derive(Template)]
#[template(path = "repeat.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    source: String,
    sides: String,
    campaign: String,
    made: String,
    failures: Vec<String>,
    headline: String,
    differences: Vec<String>,
    figures: Vec<Figure>,
    conclusions: Table,
    steps: Table,
    boots: Table,
    surroundings: Surroundings,
    checks: Table,
    reproduction: Reproduction,
}

/// Fills in the page.
pub fn page(repeat: &RepeatRecord, runs: &[RunRecord]) -> Result<String, ReportError> {
    let mut targets: Vec<_> = Vec::new();
    for target in &repeat.targets {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: format!("Repeated: {}", repeat.plan.title),
        source: repeat.plan.source.clone(),
        sides: sheet::sides(repeat),
        campaign: repeat.id.clone(),
        made: format!(
            "{} · {} {} · {} under load",
            repeat.started_at,
            repeat.tool.name,
            repeat.tool.version,
            Nanos::from_seconds(repeat.busy_seconds).coarse()
        ),
        failures: sheet::failures(repeat),
        headline: sheet::headline(repeat),
        differences: repeat.notes.clone(),
        figures: pictures_of_repeat::of_repeat(repeat).into_iter().map(Figure::from).collect(),
        conclusions: sheet::conclusions(repeat),
        steps: sheet::figures(repeat),
        boots: boots(&repeat.boots),
        surroundings: Surroundings {
            target: targets.into_iter().flat_map(environment_sheet::target).collect(),
            instrument: sheet_of_cells::instruments(runs),
            machine: environment_sheet::environment(&repeat.environment),
            facts: environment_sheet::facts(&repeat.environment),
            preflight_summary: environment_sheet::preflight_summary(&repeat.environment),
            preflight: environment_sheet::preflight(&repeat.environment),
        },
        checks: environment_sheet::checks_of_all(runs),
        reproduction: reproduce::campaign(repeat.command.clone(), &repeat.id),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
