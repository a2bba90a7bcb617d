//! A report as Markdown in GitHub's dialect, with its pictures as files beside it.

use fathom_measure::Nanos;
use fathom_plan::{compare_line, explain_line, sweep_line};
use fathom_record::analysis_record::Analysis;
use fathom_record::campaign::{
    AssessRecord, BootTurn, CompareRecord, ExplainRecord, PatternResult, RepeatRecord, SweepRecord,
};
use fathom_record::comparison::Side;
use fathom_record::{CampaignRecord, RunRecord, Verdict};

use crate::escape::{markdown as text, markdown_code};
use crate::ledger::{Exposure, exposure};
use crate::pictures::{self, Figure};
use crate::reproduce::{self, Reproduction};
use crate::sheet::{
    Entry, analysis_sheet, assess_sheet as sheet, boots_sheet, clients_sheet, compare_sheet,
    environment_sheet, expectation_sheet, explain_sheet, quality_sheet, repeat_sheet, run_sheet,
    series_sheet, sweep_sheet, witness_sheet,
};
use crate::{
    ReportError, import_words, pictures_of_compare, pictures_of_repeat, pictures_of_sweep, value_words,
};

/// A report and the files that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Markdown {
    /// The report.
    pub text: String,
    /// File names, of plain lower-case letters, digits and hyphens, and SVG contents.
    pub pictures: Vec<(String, String)>,
}

impl Markdown {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str("\n\n");
    }

    fn heading(&mut self, level: usize, heading: &str) {
        self.line(&format!("{} {}", "#".repeat(level), text(heading)));
    }

    fn table(&mut self, table: &crate::table::Table) {
        if !table.rows.is_empty() {
            self.text.push_str(&table.markdown());
            self.text.push('\n');
        }
    }

    fn list(&mut self, items: &[String]) {
        for item in items {
            self.text.push_str(&format!("- {}\n", text(item)));
        }
        if !items.is_empty() {
            self.text.push('\n');
        }
    }

    fn entries(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.text.push_str(&format!("- {}: {}\n", text(&entry.name), text(&entry.value)));
        }
        self.text.push('\n');
    }

    fn alarm(&mut self, failures: &[String]) {
        if !failures.is_empty() {
            self.line("**Read this before the numbers:**");
            self.list(failures);
        }
    }

    fn figures(&mut self, prefix: &str, figures: Vec<Figure>) {
        for figure in figures {
            let file = format!("{prefix}{}.svg", figure.name);
            self.line(&format!("![{}]({file})", text(figure.picture.label())));
            self.line(&format!("*{}.* {}", text(&figure.title), text(&figure.caption)));
            self.pictures.push((file, figure.picture.standalone()));
        }
    }

    fn exposure(&mut self, exposure: Option<Exposure>) {
        if let Some(Exposure { exposed, not_claimed }) = exposure {
            self.line(&format!("Covered by this run: {}.", text(&exposed.join("; "))));
            self.line(&format!("Not covered by this run: {}.", text(&not_claimed.join("; "))));
        }
    }

    fn reproduction(&mut self, reproduction: &Reproduction) {
        self.heading(2, "How to reproduce");
        self.line(&markdown_code(&reproduction.command));
        if let Some(remark) = &reproduction.remark {
            self.line(&text(remark));
        }
    }

    fn finished(mut self) -> Self {
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self
    }
}

/// The report of one run.
///
/// # Errors
/// When a histogram of the record is damaged.
pub fn run(run: &RunRecord) -> Result<Markdown, ReportError> {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, &import_words::title(run));
    let target = import_words::target(run).map(|target| format!("{target}. ")).unwrap_or_default();
    out.line(&text(&format!("{target}Run {}, {}.", run.id, value_words::moment(&run.started_at))));
    out.alarm(&run_sheet::first(run));
    out.line(&format!("**{}**", text(&run_sheet::headline(run))));
    if let Some(workload) = import_words::workload(run) {
        out.line(&text(&workload));
    }
    out.list(&run_sheet::cautions(run));
    out.heading(2, "Numbers");
    if series_sheet::is_all(run) {
        out.table(&series_sheet::table(run));
        out.list(&series_sheet::remark(run).into_iter().collect::<Vec<_>>());
    }
    out.table(&run_sheet::rates(run));
    out.table(&run_sheet::latencies(run));
    for remark in run_sheet::latency_remarks(run) {
        out.line(&text(&remark));
    }
    out.entries(&run_sheet::conditions(run));
    out.table(&clients_sheet::table(run));
    clients_sheet::remark(run).iter().for_each(|remark| out.line(&text(remark)));
    expectation_sheet::remark(run).iter().for_each(|remark| out.line(&text(remark)));
    out.table(&run_sheet::targets(run));
    if let Some(account) = witness_sheet::account(run) {
        out.heading(2, "Next to the block layer");
        out.table(&account.table);
        out.list(&account.sentences);
        out.figures("", pictures::of_witness(run)?);
    }
    out.heading(2, "Pictures");
    out.figures("", pictures::of_run(run)?);
    if !series_sheet::is_all(run) {
        out.heading(2, "Coverage");
        out.exposure(exposure(&[run]));
    }
    if run.jobs.len() > 1 {
        out.heading(2, "Jobs");
        out.table(&run_sheet::jobs(run));
    }
    notes(&mut out, &run_sheet::notes(run));
    out.heading(2, "Environment");
    out.entries(&environment_sheet::target(&run.target));
    out.entries(&environment_sheet::environment(&run.environment));
    let mut instrument = import_words::origin(run);
    instrument.extend(environment_sheet::instrument(&run.engine, run.clock.as_ref()));
    out.entries(&instrument);
    out.table(&environment_sheet::facts(&run.environment));
    preflight(&mut out, &run.environment);
    out.heading(2, "Self-checks");
    out.table(&environment_sheet::checks(&run.checks));
    out.reproduction(&reproduce::run(run));
    Ok(out.finished())
}

/// The report of a campaign. Runs that are not among `runs` are left out of the pictures.
///
/// # Errors
/// When a histogram of a record is damaged.
pub fn campaign(record: &CampaignRecord, runs: &[RunRecord]) -> Result<Markdown, ReportError> {
    match record {
        CampaignRecord::Assess(record) => assess(record, runs),
        CampaignRecord::Sweep(record) => Ok(sweep(record, runs)),
        CampaignRecord::Compare(record) => Ok(compare(record, runs)),
        CampaignRecord::Explain(record) => Ok(explain(record)),
        CampaignRecord::Repeat(record) => Ok(repeat(record, runs)),
    }
}

fn explain(explain: &ExplainRecord) -> Markdown {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, "What limits it");
    out.alarm(&explain_sheet::failures(explain));
    for pattern in &explain.patterns {
        out.heading(2, &pattern.title);
        out.line(&text(&value_words::target(&pattern.target)));
        verdict(&mut out, &pattern.verdict);
        if !pattern.experiments.is_empty() {
            out.heading(3, "Experiments");
            out.table(&explain_sheet::experiments(pattern));
        }
    }
    out.list(&explain.notes);
    out.reproduction(&reproduce::campaign(explain_line(explain), &explain.id));
    out
}

fn verdict(out: &mut Markdown, verdict: &Verdict) {
    for claim in &verdict.claims {
        let word = value_words::confidence(claim.confidence);
        out.line(&text(&format!("{} ({word}). Scope: {}", claim.statement, claim.scope)));
        let side = |supports| if supports { "for" } else { "against" };
        let evidence: Vec<_> =
            claim.evidence.iter().map(|e| format!("{}: {}", side(e.supports), e.text)).collect();
        out.list(&evidence);
    }
    if let Some(next) = &verdict.next_experiment {
        out.line(&text(&format!("What would decide more: {}", next.question)));
        if !next.command.is_empty() {
            out.line(&markdown_code(&next.command));
        }
        out.line(&text(&next.reading));
    }
}

fn sweep(sweep: &SweepRecord, runs: &[RunRecord]) -> Markdown {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, &format!("Sweep over {}", sweep_sheet::axes(sweep)));
    out.line(&text(&format!(
        "{}. Sweep {}, {}, {} under load.",
        sweep_sheet::targets(sweep),
        sweep.id,
        value_words::moment(&sweep.started_at),
        Nanos::from_seconds(sweep.busy_seconds).coarse()
    )));
    out.alarm(&sweep_sheet::failures(sweep));
    out.list(&sweep_sheet::extremes(sweep));
    out.figures("", pictures_of_sweep::of_sweep(sweep));
    if let Some(scaling) = sweep_sheet::scaling(sweep) {
        out.heading(2, "Scaling with jobs");
        out.table(&scaling);
    }
    out.heading(2, "All test points");
    out.table(&sweep_sheet::cells(sweep));
    notes(&mut out, &sweep.notes);
    out.heading(2, "Environment");
    for target in sweep_sheet::distinct_targets(sweep) {
        out.entries(&environment_sheet::target(target));
    }
    out.entries(&environment_sheet::environment(&sweep.environment));
    out.table(&environment_sheet::facts(&sweep.environment));
    preflight(&mut out, &sweep.environment);
    out.heading(2, "Self-checks");
    out.table(&environment_sheet::checks_of_all(runs));
    out.reproduction(&reproduce::campaign(Some(sweep_line(sweep)), &sweep.id));
    out.finished()
}

fn repeat(repeat: &RepeatRecord, runs: &[RunRecord]) -> Markdown {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, &format!("Repeated: {}", repeat.plan.title));
    out.line(&text(&format!(
        "{}. Repetition {}, {}.",
        repeat_sheet::sides(repeat),
        repeat.id,
        value_words::moment(&repeat.started_at)
    )));
    out.alarm(&repeat_sheet::failures(repeat));
    out.line(&text(&repeat_sheet::headline(repeat)));
    if !repeat.notes.is_empty() {
        out.heading(2, "What differs between its machine and this one");
        out.list(&repeat.notes);
    }
    if !repeat.conclusions.is_empty() {
        out.heading(2, "Its conclusions");
        out.table(&repeat_sheet::conclusions(repeat));
        out.figures("", pictures_of_repeat::of_repeat(repeat));
    }
    out.heading(2, "Its figures and yours");
    out.table(&repeat_sheet::figures(repeat));
    boots(&mut out, &repeat.boots);
    out.heading(2, "Environment");
    out.entries(&environment_sheet::environment(&repeat.environment));
    out.heading(2, "Self-checks");
    out.table(&environment_sheet::checks_of_all(runs));
    out.reproduction(&reproduce::campaign(repeat.command.clone(), &repeat.id));
    out.finished()
}

/// An analysis, every run in it.
pub fn analysis(analysis: &Analysis) -> String {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, &format!("Time-series analysis of {}", analysis.of));
    out.line(&text(&format!("{}: {}.", analysis_sheet::read(analysis), analysis_sheet::verdicts(analysis))));
    out.alarm(&analysis.unreadable);
    out.table(&analysis_sheet::workloads(analysis));
    out.list(&analysis_sheet::findings(analysis));
    out.heading(2, "Runs");
    out.table(&analysis_sheet::runs(analysis, usize::MAX));
    if let Some(reproduction) = reproduce::typed(analysis.command.as_deref()) {
        out.reproduction(&reproduction);
    }
    out.finished().text
}

fn compare(record: &CompareRecord, runs: &[RunRecord]) -> Markdown {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, &compare_sheet::title(record));
    out.list(&[
        format!("A: {}", compare_sheet::side(record, Side::A)),
        format!("B: {}", compare_sheet::side(record, Side::B)),
    ]);
    let made = compare_sheet::made(record);
    out.line(&text(&format!(
        "Comparison {}, {}: {made}.",
        record.id,
        value_words::moment(&record.started_at)
    )));
    out.alarm(&compare_sheet::failures(record));
    out.table(&compare_sheet::decisions(record));
    out.list(&record.workloads.iter().map(compare_sheet::sentence).collect::<Vec<_>>());
    out.line(&text(&compare_sheet::legend(record)));
    out.figures("", pictures_of_compare::of_all(record));
    for (at, workload) in record.workloads.iter().enumerate() {
        out.heading(2, &workload.title);
        out.table(&compare_sheet::metrics(workload));
        out.list(&compare_sheet::conditions(workload));
        out.figures(&format!("{}-", at + 1), pictures_of_compare::of_workload(record, workload));
    }
    if !record.commands.is_empty() {
        out.heading(2, "Commands before the sides' turns");
        out.table(&compare_sheet::commands(record));
    }
    boots(&mut out, &record.boots);
    notes(&mut out, &record.notes);
    if let Some(environment) = &record.environment {
        out.heading(2, "Environment");
        let targets = record.a.target.iter().chain(&record.b.target);
        targets.for_each(|target| out.entries(&environment_sheet::target(target)));
        out.entries(&environment_sheet::environment(environment));
        out.table(&environment_sheet::facts(environment));
        preflight(&mut out, environment);
    }
    if !runs.is_empty() {
        out.heading(2, "Self-checks");
        out.table(&environment_sheet::checks_of_all(runs));
    }
    out.reproduction(&reproduce::campaign(compare_line(record), &record.id));
    out.finished()
}

fn assess(campaign: &AssessRecord, runs: &[RunRecord]) -> Result<Markdown, ReportError> {
    let mut out = Markdown { text: String::new(), pictures: Vec::new() };
    out.heading(1, &format!("Storage assessment: {}", value_words::subject(&campaign.target)));
    out.line(&text(&format!(
        "{}. Campaign {}, {}, {} under load.",
        value_words::target(&campaign.target),
        campaign.id,
        value_words::moment(&campaign.started_at),
        Nanos::from_seconds(campaign.busy_seconds).coarse()
    )));
    out.alarm(&sheet::failures(campaign));
    for pattern in &campaign.patterns {
        let mut limit = sheet::leading(pattern).map_or("Not decided.".to_owned(), |claim| {
            format!("{} ({})", claim.statement, value_words::confidence(claim.confidence))
        });
        limit.push_str(&sheet::note(pattern));
        out.text.push_str(&format!(
            "- **{}**: {} {}\n",
            text(&pattern.title),
            text(&sheet::reached(pattern)),
            text(&limit)
        ));
    }
    out.text.push('\n');
    out.heading(2, "Operating points");
    out.table(&sheet::summary(campaign));
    if !campaign.points.is_empty() {
        out.heading(3, "How far they are known, and whether they last");
        out.table(&quality_sheet::points(campaign));
        out.list(&quality_sheet::remarks(campaign));
    }
    if let Some(ledger) = &campaign.preconditioning {
        out.heading(2, "Written before");
        out.table(&quality_sheet::preconditioning(ledger));
        out.line(&text(&quality_sheet::preconditioned(ledger)));
    }
    for (at, result) in campaign.patterns.iter().enumerate() {
        pattern(&mut out, at, result, runs)?;
    }
    notes(&mut out, &campaign.notes);
    out.heading(2, "Environment");
    out.entries(&environment_sheet::target(&campaign.target));
    out.entries(&environment_sheet::environment(&campaign.environment));
    if let Some(run) = runs.first() {
        out.entries(&environment_sheet::instrument(&run.engine, run.clock.as_ref()));
    }
    out.table(&environment_sheet::facts(&campaign.environment));
    preflight(&mut out, &campaign.environment);
    out.heading(2, "Self-checks");
    out.table(&environment_sheet::checks_of_all(runs));
    out.reproduction(&reproduce::assessment(campaign));
    Ok(out.finished())
}

fn boots(out: &mut Markdown, turns: &[BootTurn]) {
    if !turns.is_empty() {
        out.heading(2, "Boots");
        out.table(&boots_sheet::boots(turns));
    }
}

fn notes(out: &mut Markdown, notes: &[String]) {
    if !notes.is_empty() {
        out.heading(2, "Notes");
        out.list(notes);
    }
}

fn preflight(out: &mut Markdown, environment: &fathom_record::environment_facts::Environment) {
    out.heading(2, "Settings that distort results");
    out.line(&text(&environment_sheet::preflight_summary(environment)));
    out.table(&environment_sheet::preflight(environment));
}

fn pattern(
    out: &mut Markdown,
    at: usize,
    pattern: &PatternResult,
    runs: &[RunRecord],
) -> Result<(), ReportError> {
    out.heading(2, &pattern.title);
    out.line(&text(&sheet::reached(pattern)));
    let reasons: Vec<String> = sheet::chosen(pattern)
        .into_iter()
        .map(|c| {
            format!(
                "{} {}: {}",
                c.name(),
                crate::number::cell(c.cell.jobs, c.cell.depth),
                c.reasons.join("; ")
            )
        })
        .collect();
    out.list(&reasons);
    let slug: String = pattern
        .name
        .chars()
        .map(|c| c.to_ascii_lowercase())
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    out.figures(&format!("{:02}-{slug}-", at + 1), pictures::of_pattern(pattern, runs)?);
    out.heading(3, "What limits it");
    match &pattern.verdict {
        None => out.line("Not decided."),
        Some(found) => verdict(out, found),
    }
    out.heading(3, "All test points");
    out.table(&sheet::cells(pattern));
    out.exposure(exposure(&sheet::runs_of_pattern(pattern, runs)));
    Ok(())
}
