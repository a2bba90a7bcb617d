//! The page of a campaign.

use askama::Template;
use fathom_measure::Nanos;
use fathom_record::RunRecord;
use fathom_record::campaign::{AssessRecord, PatternResult};
use fathom_record::verdict::{Claim, Experiment};

use super::{Figure, SCRIPT, Surroundings, styles};
use crate::ledger::{Exposure, exposure};
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, campaign as sheet, explain, machine, quality};
use crate::table::Table;
use crate::{ReportError, pictures, words};

#[derive(Template)]
#[template(path = "campaign.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    target: String,
    campaign: String,
    made: String,
    failures: Vec<String>,
    summary: Table,
    points: Table,
    remarks: Vec<String>,
    /// The ledger of the preconditioning, and how it ended.
    preconditioning: Option<(Table, String)>,
    patterns: Vec<Pattern>,
    notes: Vec<String>,
    surroundings: Surroundings,
    checks: Table,
    reproduction: Reproduction,
}

struct Pattern {
    anchor: String,
    title: String,
    reached: String,
    limited_by: String,
    /// The leading claim's confidence: word, and what it means.
    sure: Option<(&'static str, &'static str)>,
    failed: bool,
    missing_runs: usize,
    points: Vec<Point>,
    figures: Vec<Figure>,
    claims: Vec<Statement>,
    ceilings: Vec<Entry>,
    next: Option<Experiment>,
    cells: Table,
    exposure: Option<Exposure>,
}

struct Point {
    name: String,
    reasons: Vec<String>,
}

struct Statement {
    text: String,
    word: &'static str,
    meaning: &'static str,
    scope: String,
    pieces: Vec<(&'static str, String)>,
}

/// Fills in the page.
pub fn page(campaign: &AssessRecord, runs: &[RunRecord]) -> Result<String, ReportError> {
    let patterns =
        campaign.patterns.iter().enumerate().map(|(at, p)| pattern(at, p, runs)).collect::<Result<_, _>>()?;
    let instrument =
        runs.first().map_or_else(Vec::new, |run| machine::instrument(&run.engine, run.clock.as_ref()));
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: format!("Storage assessment: {}", words::subject(&campaign.target)),
        target: words::target(&campaign.target),
        campaign: campaign.id.clone(),
        made: format!(
            "{} · {} {} · {} under load",
            campaign.started_at,
            campaign.tool.name,
            campaign.tool.version,
            Nanos::from_seconds(campaign.busy_seconds).coarse()
        ),
        failures: sheet::failures(campaign),
        summary: sheet::summary(campaign),
        points: quality::points(campaign),
        remarks: quality::remarks(campaign),
        preconditioning: campaign
            .preconditioning
            .as_ref()
            .map(|ledger| (quality::preconditioning(ledger), quality::preconditioned(ledger))),
        patterns,
        notes: campaign.notes.clone(),
        surroundings: Surroundings {
            target: machine::target(&campaign.target),
            instrument,
            machine: machine::environment(&campaign.environment),
            facts: machine::facts(&campaign.environment),
            preflight_summary: machine::preflight_summary(&campaign.environment),
            preflight: machine::preflight(&campaign.environment),
        },
        checks: machine::checks_of_all(runs),
        reproduction: reproduce::assessment(campaign),
    };
    Ok(crate::escape::page(&page.render()?))
}

fn pattern(at: usize, pattern: &PatternResult, runs: &[RunRecord]) -> Result<Pattern, ReportError> {
    let verdict = pattern.verdict.as_ref();
    let named: usize = pattern.cells.iter().map(|cell| cell.runs.len()).sum();
    let at_hand = sheet::runs_of_pattern(pattern, runs);
    let leading = sheet::leading(pattern);
    Ok(Pattern {
        anchor: format!("pattern-{at}"),
        title: pattern.title.clone(),
        reached: sheet::reached(pattern),
        limited_by: leading.map_or_else(|| "Not decided.".to_owned(), |claim| claim.statement.clone())
            + &sheet::note(pattern),
        sure: leading
            .map(|claim| (words::confidence(claim.confidence), words::confidence_meaning(claim.confidence))),
        failed: pattern.incomplete.is_some() || !pattern.holds(),
        missing_runs: named - at_hand.len(),
        points: sheet::chosen(pattern)
            .into_iter()
            .map(|chosen| Point {
                name: format!(
                    "{} {}",
                    chosen.name(),
                    crate::number::cell(chosen.cell.jobs, chosen.cell.depth)
                ),
                reasons: chosen.reasons,
            })
            .collect(),
        figures: pictures::of_pattern(pattern, runs)?.into_iter().map(Figure::from).collect(),
        claims: verdict.map_or_else(Vec::new, |v| v.claims.iter().map(statement).collect()),
        ceilings: verdict.map_or_else(Vec::new, |v| v.ceilings.iter().map(explain::ceiling).collect()),
        next: verdict.and_then(|v| v.next_experiment.clone()),
        cells: sheet::cells(pattern),
        exposure: exposure(&at_hand),
    })
}

fn statement(claim: &Claim) -> Statement {
    Statement {
        text: claim.statement.clone(),
        word: words::confidence(claim.confidence),
        meaning: words::confidence_meaning(claim.confidence),
        scope: claim.scope.clone(),
        pieces: claim
            .evidence
            .iter()
            .map(|evidence| (if evidence.supports { "for" } else { "against" }, evidence.text.clone()))
            .collect(),
    }
}
