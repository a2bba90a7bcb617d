//! The page of an analysis.

use askama::Template;
use fathom_record::analysis_record::Analysis;

use super::{SCRIPT, styles};
use crate::reproduce::{self, Reproduction};
use crate::sheet::analysis_sheet as sheet;
use crate::table::Table;
use crate::{ReportError, error};

#[derive(Template)]
#[template(path = "analysis.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    read: String,
    verdicts: String,
    failures: Vec<String>,
    workloads: Table,
    findings: Vec<String>,
    runs: Table,
    reproduction: Option<Reproduction>,
}

/// Fills in the page.
pub fn page(analysis: &Analysis) -> Result<String, ReportError> {
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: format!("Time-series analysis of {}", analysis.of),
        read: sheet::read(analysis),
        verdicts: sheet::verdicts(analysis),
        failures: analysis.unreadable.clone(),
        workloads: sheet::workloads(analysis),
        findings: sheet::findings(analysis),
        runs: sheet::runs(analysis, usize::MAX),
        reproduction: reproduce::typed(analysis.command.as_deref()),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
