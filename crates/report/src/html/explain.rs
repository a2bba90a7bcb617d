//! The page of an explanation: for each pattern the claims with their evidence, and the experiments.

use askama::Template;
use fathom_record::campaign::{ExplainRecord, ExplainedPattern};
use fathom_record::verdict::{Claim, Evidence, Experiment};

use super::{SCRIPT, styles};
use crate::ReportError;
use crate::sheet::explain as sheet;
use crate::table::Table;
use crate::words;

#[derive(Template)]
#[template(path = "explain.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    meta: String,
    failures: Vec<String>,
    patterns: Vec<Pattern>,
    notes: Vec<String>,
}

struct Pattern {
    title: String,
    target: String,
    claims: Vec<Stated>,
    experiments: Table,
    next: Option<Experiment>,
    scope: String,
}

struct Stated {
    statement: String,
    evidence: Vec<Evidence>,
}

/// Fills in the page.
pub fn page(explain: &ExplainRecord) -> Result<String, ReportError> {
    let what =
        explain.plan.subject.as_ref().map_or_else(|| explain.id.clone(), |subject| format!("of {subject}"));
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: "What limits it".to_owned(),
        meta: format!("Explanation {what}, {}", explain.started_at),
        failures: sheet::failures(explain),
        patterns: explain.patterns.iter().map(pattern).collect(),
        notes: explain.notes.clone(),
    };
    Ok(crate::escape::page(&page.render()?))
}

fn pattern(pattern: &ExplainedPattern) -> Pattern {
    let stated = |claim: &Claim| Stated { statement: sheet::claim(claim), evidence: claim.evidence.clone() };
    Pattern {
        title: pattern.title.clone(),
        target: words::target(&pattern.target),
        claims: pattern.verdict.claims.iter().map(stated).collect(),
        experiments: sheet::experiments(pattern),
        next: pattern.verdict.next_experiment.clone(),
        scope: pattern.verdict.claims.first().map(|claim| claim.scope.clone()).unwrap_or_default(),
    }
}
