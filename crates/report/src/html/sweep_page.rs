//! The page of a sweep.

use askama::Template;
use fathom_measure::{Nanos, counted};
use fathom_plan::sweep_line;
use fathom_record::RunRecord;
use fathom_record::campaign::SweepRecord;

use super::{Figure, SCRIPT, Surroundings, styles};
use crate::reproduce::{self, Reproduction};
use crate::sheet::{environment_sheet, sweep_sheet as sheet};
use crate::table::Table;
use crate::{ReportError, error, pictures_of_sweep, value_words};

#[derive(Template)]
#[template(path = "sweep.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    target: String,
    campaign: String,
    made: String,
    passes: String,
    failures: Vec<String>,
    extremes: Vec<String>,
    figures: Vec<Figure>,
    scaling: Option<Table>,
    cells: Table,
    notes: Vec<String>,
    surroundings: Surroundings,
    checks: Table,
    reproduction: Reproduction,
}

/// Fills in the page.
pub fn page(sweep: &SweepRecord, runs: &[RunRecord]) -> Result<String, ReportError> {
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: format!("Sweep over {}", sheet::axes(sweep)),
        target: sheet::targets(sweep),
        campaign: sweep.id.clone(),
        made: format!(
            "{} · {} {} · {} under load",
            value_words::moment(&sweep.started_at),
            sweep.tool.name,
            sweep.tool.version,
            Nanos::from_seconds(sweep.busy_seconds).coarse()
        ),
        passes: counted(u64::from(sweep.plan.passes), "pass"),
        failures: sheet::failures(sweep),
        extremes: sheet::extremes(sweep),
        figures: pictures_of_sweep::of_sweep(sweep).into_iter().map(Figure::from).collect(),
        scaling: sheet::scaling(sweep),
        cells: sheet::cells(sweep),
        notes: sweep.notes.clone(),
        surroundings: Surroundings {
            target: sheet::distinct_targets(sweep).into_iter().flat_map(environment_sheet::target).collect(),
            instrument: sheet::instruments(runs),
            machine: environment_sheet::environment(&sweep.environment),
            facts: environment_sheet::facts(&sweep.environment),
            preflight_summary: environment_sheet::preflight_summary(&sweep.environment),
            preflight: environment_sheet::preflight(&sweep.environment),
        },
        checks: environment_sheet::checks_of_all(runs),
        reproduction: reproduce::campaign(Some(sweep_line(sweep)), &sweep.id),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
