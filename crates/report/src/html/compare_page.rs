//! The page of a comparison.

use askama::Template;
use fathom_plan::compare_line;
use fathom_record::RunRecord;
use fathom_record::campaign::{CompareRecord, ComparedWorkload};
use fathom_record::comparison::Side;

use super::{Figure, SCRIPT, Surroundings, styles};
use crate::reproduce::{self, Reproduction};
use crate::sheet::boots_sheet::boots;
use crate::sheet::{Entry, compare_sheet as sheet, environment_sheet};
use crate::table::Table;
use crate::{ReportError, error, pictures_of_compare as pictures, value_words};

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    a: String,
    b: String,
    campaign: String,
    made: String,
    failures: Vec<String>,
    decisions: Table,
    sentences: Vec<String>,
    legend: String,
    figures: Vec<Figure>,
    workloads: Vec<Section>,
    commands: Table,
    boots: Table,
    notes: Vec<String>,
    b_target: Vec<Entry>,
    surroundings: Option<Surroundings>,
    checks: Table,
    reproduction: Reproduction,
}

struct Section {
    title: String,
    metrics: Table,
    conditions: Vec<String>,
    figures: Vec<Figure>,
}

/// Fills in the page.
pub fn page(record: &CompareRecord, runs: &[RunRecord]) -> Result<String, ReportError> {
    let section = |workload: &ComparedWorkload| {
        let figures = pictures::of_workload(record, workload);
        Section {
            title: workload.title.clone(),
            metrics: sheet::metrics(workload),
            conditions: sheet::conditions(workload),
            figures: figures.into_iter().map(Figure::from).collect(),
        }
    };
    let surroundings = record.environment.as_ref().map(|environment| Surroundings {
        target: record.a.target.as_ref().map_or_else(Vec::new, environment_sheet::target),
        instrument: runs
            .first()
            .map_or_else(Vec::new, |run| environment_sheet::instrument(&run.engine, run.clock.as_ref())),
        machine: environment_sheet::environment(environment),
        facts: environment_sheet::facts(environment),
        preflight_summary: environment_sheet::preflight_summary(environment),
        preflight: environment_sheet::preflight(environment),
    });
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: sheet::title(record),
        a: sheet::side(record, Side::A),
        b: sheet::side(record, Side::B),
        campaign: record.id.clone(),
        made: format!(
            "{} · {} {} · {}",
            value_words::moment(&record.started_at),
            record.tool.name,
            record.tool.version,
            sheet::made(record)
        ),
        failures: sheet::failures(record),
        decisions: sheet::decisions(record),
        sentences: record.workloads.iter().map(sheet::sentence).collect(),
        legend: sheet::legend(record),
        figures: pictures::of_all(record).into_iter().map(Figure::from).collect(),
        workloads: record.workloads.iter().map(section).collect(),
        commands: sheet::commands(record),
        boots: boots(&record.boots),
        notes: record.notes.clone(),
        b_target: record.b.target.as_ref().map_or_else(Vec::new, environment_sheet::target),
        surroundings,
        checks: environment_sheet::checks_of_all(runs),
        reproduction: reproduce::campaign(compare_line(record), &record.id),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
