//! The page of an explanation: for each pattern the claims with their evidence, and the experiments.

use askama::Template;
use fathom_plan::explain_line;
use fathom_record::campaign::{ExplainRecord, ExplainedPattern};
use fathom_record::verdict::{Claim, Experiment};

use super::{Figure, SCRIPT, styles};
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, explain_sheet as sheet};
use crate::table::Table;
use crate::value_words;
use crate::{ReportError, error, pictures_of_explain};

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
    reproduction: Reproduction,
}

struct Pattern {
    title: String,
    target: String,
    figures: Vec<Figure>,
    claims: Vec<StatementRow>,
    ceilings: Vec<Entry>,
    experiments: Table,
    not_made: Vec<String>,
    next: Option<Experiment>,
    scope: String,
}

struct StatementRow {
    statement: String,
    speaks_for: Vec<String>,
    speaks_against: Vec<String>,
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
        reproduction: reproduce::campaign(explain_line(explain), &explain.id),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}

fn pattern(pattern: &ExplainedPattern) -> Pattern {
    Pattern {
        title: pattern.title.clone(),
        target: value_words::target(&pattern.target),
        figures: pictures_of_explain::of_explained(pattern).into_iter().map(Figure::from).collect(),
        claims: pattern.verdict.claims.iter().map(stated).collect(),
        ceilings: pattern.verdict.ceilings.iter().map(sheet::ceiling).collect(),
        experiments: sheet::experiments(pattern),
        not_made: sheet::not_made(pattern),
        next: pattern.verdict.next_experiment.clone(),
        scope: pattern.verdict.claims.first().map(|claim| claim.scope.clone()).unwrap_or_default(),
    }
}

fn stated(claim: &Claim) -> StatementRow {
    let side = |supports: bool| {
        let pieces = claim.evidence.iter().filter(|evidence| evidence.supports == supports);
        pieces.map(|evidence| evidence.text.clone()).collect()
    };
    StatementRow { statement: sheet::claim(claim), speaks_for: side(true), speaks_against: side(false) }
}
