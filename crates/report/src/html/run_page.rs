//! The page of one run.

use askama::Template;
use fathom_record::RunRecord;
use fathom_record::facts::TargetFacts;

use super::{Figure, SCRIPT, Surroundings, styles};
use crate::ledger::{Exposure, exposure};
use crate::reproduce::{self, Reproduction};
use crate::sheet::witness_sheet::{self, Account};
use crate::sheet::{
    Entry, clients_sheet, environment_sheet, expectation_sheet, run_sheet as sheet, series_sheet,
};
use crate::table::Table;
use crate::{ReportError, error, import_words, pictures, value_words};

#[derive(Template)]
#[template(path = "run.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    target: String,
    run: String,
    made: String,
    failures: Vec<String>,
    headline: String,
    workload: String,
    cautions: Vec<String>,
    /// Of a record without a run; empty otherwise.
    series: Table,
    rates: Table,
    latencies: Table,
    latency_remarks: Vec<String>,
    clients: Table,
    clients_remark: Option<String>,
    expected: Option<String>,
    targets: Table,
    conditions: Vec<Entry>,
    witness: Option<Account>,
    witness_figures: Vec<Figure>,
    figures: Vec<Figure>,
    exposure: Option<Exposure>,
    jobs: Table,
    notes: Vec<String>,
    surroundings: Surroundings,
    checks: Table,
    reproduction: Reproduction,
    assess: String,
}

/// Fills in the page.
pub fn page(run: &RunRecord) -> Result<String, ReportError> {
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: import_words::title(run),
        target: import_words::target(run).unwrap_or_default(),
        run: run.id.clone(),
        made: format!(
            "{} · {} {}, engine {}",
            value_words::moment(&run.started_at),
            run.tool.name,
            run.tool.version,
            run.engine.name
        ),
        failures: sheet::first(run),
        headline: sheet::headline(run),
        workload: import_words::workload(run).unwrap_or_default(),
        cautions: sheet::cautions(run),
        series: if series_sheet::is_all(run) { series_sheet::table(run) } else { Table::new(&[]) },
        rates: sheet::rates(run),
        latencies: sheet::latencies(run),
        latency_remarks: sheet::latency_remarks(run),
        clients: clients_sheet::table(run),
        clients_remark: clients_sheet::remark(run),
        expected: expectation_sheet::remark(run),
        targets: sheet::targets(run),
        conditions: sheet::conditions(run),
        witness: witness_sheet::account(run),
        witness_figures: pictures::of_witness(run)?.into_iter().map(Figure::from).collect(),
        figures: pictures::of_run(run)?.into_iter().map(Figure::from).collect(),
        exposure: if series_sheet::is_all(run) { None } else { exposure(&[run]) },
        jobs: sheet::jobs(run),
        notes: sheet::notes(run),
        surroundings: Surroundings {
            target: environment_sheet::target(&run.target),
            instrument: import_words::origin(run)
                .into_iter()
                .chain(environment_sheet::instrument(&run.engine, run.clock.as_ref()))
                .collect(),
            machine: environment_sheet::environment(&run.environment),
            facts: environment_sheet::facts(&run.environment),
            preflight_summary: environment_sheet::preflight_summary(&run.environment),
            preflight: environment_sheet::preflight(&run.environment),
        },
        checks: environment_sheet::checks(&run.checks),
        reproduction: reproduce::run(run),
        assess: assessments(&run.target),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}

/// What to type to assess the target, or each of several by itself.
fn assessments(facts: &TargetFacts) -> String {
    let members = if facts.members.is_empty() { std::slice::from_ref(facts) } else { &facts.members };
    let lines =
        members.iter().map(|member| format!("fathom assess {}", fathom_record::shell_word(&member.name)));
    lines.collect::<Vec<_>>().join("; ")
}
