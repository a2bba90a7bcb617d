//! The page of a campaign.

use std::collections::BTreeSet;

use askama::Template;
use fathom_measure::Nanos;
use fathom_record::RunRecord;
use fathom_record::campaign::{AssessRecord, PatternResult};
use fathom_record::verdict::{Claim, Experiment};

use super::{Figure, SCRIPT, Surroundings, styles};
use crate::ledger::{Exposure, exposure};
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, assess_sheet as sheet, environment_sheet, explain_sheet, quality_sheet};
use crate::table::Table;
use crate::{ReportError, error, pictures, value_words};

#[derive(Template)]
#[template(path = "campaign.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    /// What was reached, in one sentence.
    lead: String,
    overview: Vec<Figure>,
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
    failed: bool,
    missing_runs: usize,
    points: Vec<Point>,
    /// The pictures that are shown at once, and those that are folded.
    figures: Vec<Figure>,
    folded: Vec<Figure>,
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
    let patterns: Result<Vec<Pattern>, ReportError> =
        campaign.patterns.iter().enumerate().map(|(at, p)| pattern(at, p, runs)).collect();
    let mut patterns = patterns?;
    say_once(&mut patterns);
    let instrument = runs
        .first()
        .map_or_else(Vec::new, |run| environment_sheet::instrument(&run.engine, run.clock.as_ref()));
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: sheet::title(campaign),
        lead: sheet::lead(campaign),
        overview: pictures::of_assessment(&campaign.patterns).into_iter().map(Figure::from).collect(),
        target: value_words::target(&campaign.target),
        campaign: campaign.id.clone(),
        made: format!(
            "{} · {} {} · {} under load",
            value_words::moment(&campaign.started_at),
            campaign.tool.name,
            campaign.tool.version,
            Nanos::from_seconds(campaign.busy_seconds).coarse()
        ),
        failures: sheet::failures(campaign),
        summary: sheet::summary(campaign),
        points: quality_sheet::points(campaign),
        remarks: quality_sheet::remarks(campaign),
        preconditioning: campaign
            .preconditioning
            .as_ref()
            .map(|ledger| (quality_sheet::preconditioning(ledger), quality_sheet::preconditioned(ledger))),
        patterns,
        notes: campaign.notes.clone(),
        surroundings: Surroundings {
            target: environment_sheet::target(&campaign.target),
            instrument,
            machine: environment_sheet::environment(&campaign.environment),
            facts: environment_sheet::facts(&campaign.environment),
            preflight_summary: environment_sheet::preflight_summary(&campaign.environment),
            preflight: environment_sheet::preflight(&campaign.environment),
        },
        checks: environment_sheet::checks_of_all(runs),
        reproduction: reproduce::assessment(campaign),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}

fn pattern(at: usize, pattern: &PatternResult, runs: &[RunRecord]) -> Result<Pattern, ReportError> {
    let verdict = pattern.verdict.as_ref();
    let named: usize = pattern.cells.iter().map(|cell| cell.runs.len()).sum();
    let at_hand = sheet::runs_of_pattern(pattern, runs);
    let all = pictures::of_pattern(pattern, runs)?;
    let (figures, folded): (Vec<_>, Vec<_>) = all.into_iter().partition(|figure| figure.is_main());
    Ok(Pattern {
        anchor: format!("pattern-{at}"),
        title: pattern.title.clone(),
        reached: sheet::reached(pattern),
        limited_by: sheet::limited_by(pattern),
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
        figures: figures.into_iter().map(Figure::from).collect(),
        folded: folded.into_iter().map(Figure::from).collect(),
        claims: verdict.map_or_else(Vec::new, |v| statements(&v.claims)),
        ceilings: verdict.map_or_else(Vec::new, |v| v.ceilings.iter().map(explain_sheet::ceiling).collect()),
        next: verdict.and_then(|v| v.next_experiment.clone()),
        cells: sheet::cells(pattern),
        exposure: exposure(&at_hand),
    })
}

/// How to read a picture is said with the first of its kind.
fn say_once(patterns: &mut [Pattern]) {
    let mut said = BTreeSet::new();
    for figure in
        patterns.iter_mut().flat_map(|pattern| pattern.figures.iter_mut().chain(&mut pattern.folded))
    {
        if !said.insert(figure.caption.clone()) {
            figure.caption.clear();
        }
    }
}

/// The claims with their evidence; what was said of one is not said again of the next.
fn statements(claims: &[Claim]) -> Vec<Statement> {
    let mut said = BTreeSet::new();
    claims.iter().map(|claim| statement(claim, &mut said)).collect()
}

fn statement<'a>(claim: &'a Claim, said: &mut BTreeSet<&'a str>) -> Statement {
    Statement {
        text: claim.statement.clone(),
        word: value_words::confidence(claim.confidence),
        meaning: value_words::confidence_meaning(claim.confidence),
        scope: if said.insert(claim.scope.as_str()) { claim.scope.clone() } else { String::new() },
        pieces: claim
            .evidence
            .iter()
            .filter(|evidence| said.insert(evidence.text.as_str()))
            .map(|evidence| (if evidence.supports { "for" } else { "against" }, evidence.text.clone()))
            .collect(),
    }
}
