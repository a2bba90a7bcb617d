//! What measures the same again as a record: the line that it keeps, or the one that an older record comes to.

use std::fmt;

use fathom_record::campaign::{AssessRecord, CompareRecord, ExplainRecord, SweepRecord};
use fathom_record::{CampaignRecord, Fault, RunRecord, shell_word, shell_words};

use super::error::{PlanError, PlanErrorKind};
use super::raw_plan::from_words;
use super::{
    PlanSource, assess_command_line, compare_command_line, exact_command_line, explain_command_line,
    known_limits, plan_of_record, sweep_command_line,
};

/// Records from this version on keep their line wherever there is one.
const KEEPS_LINE_SINCE: u32 = 7;

/// Why there is no line that makes a run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// Another tool measured, and fathom read its result.
    Imported,
    /// It was done in a way that no flag says.
    Unsaid,
    /// It was behind a delay or a throttle that this build does not know.
    UnknownDecorator,
}

impl fmt::Display for NoLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Imported => "another tool measured it, and fathom read its result",
            Self::Unsaid => "it was done in a way that no flag of fathom run says",
            Self::UnknownDecorator => "it was behind a delay or a throttle that this build does not know",
        })
    }
}

/// The line that makes a run again, without permission to destroy data: the one that its record keeps, or the one that
/// an older record, which keeps none, comes to.
///
/// # Errors
/// Why there is none.
pub fn run_line(record: &RunRecord) -> Result<String, NoLine> {
    if let Some(kept) = &record.command {
        return Ok(kept.clone());
    }
    if record.is_imported() {
        return Err(NoLine::Imported);
    }
    if record.version >= KEEPS_LINE_SINCE || !record.priorities.is_empty() {
        return Err(NoLine::Unsaid);
    }
    let plan = plan_of_record(record);
    if plan.options.decorators.facts() != record.target.decorated {
        return Err(NoLine::UnknownDecorator);
    }
    exact_command_line(&plan).ok_or(NoLine::Unsaid)
}

/// The line that makes an assessment again.
pub fn assess_line(record: &AssessRecord) -> String {
    record.command.clone().unwrap_or_else(|| assess_command_line(&record.plan))
}

/// The line that makes a sweep again.
pub fn sweep_line(record: &SweepRecord) -> String {
    record.command.clone().unwrap_or_else(|| sweep_command_line(&record.plan))
}

/// The line that makes a comparison again; `None` where an older record does not hold how long its commands may take.
pub fn compare_line(record: &CompareRecord) -> Option<String> {
    let prepared = record.plan.a.before.is_some() || record.plan.b.before.is_some();
    let written = || (!prepared).then(|| compare_command_line(&record.plan, 0));
    record.command.clone().or_else(written)
}

/// The line that makes an explanation again, of finished results or by experiments; `None` where an older record does
/// not hold what these were based on.
pub fn explain_line(record: &ExplainRecord) -> Option<String> {
    let plan = &record.plan;
    let written = || {
        let known = known_limits::write(&plan.ceilings, None, None);
        match &plan.subject {
            Some(subject) => Some(format!("fathom explain{known} {}", shell_word(subject))),
            None => (!plan.base.is_null()).then(|| explain_command_line(plan, &known)),
        }
    };
    record.command.clone().or_else(written)
}

/// The line that makes a campaign of any kind again; `None` where its record does not hold all of it.
pub fn campaign_line(record: &CampaignRecord) -> Option<String> {
    match record {
        CampaignRecord::Assess(record) => Some(assess_line(record)),
        CampaignRecord::Sweep(record) => Some(sweep_line(record)),
        CampaignRecord::Compare(record) => compare_line(record),
        CampaignRecord::Explain(record) => explain_line(record),
        CampaignRecord::Repeat(record) => record.command.clone(),
    }
}

impl PlanSource {
    /// Reads a line that [`to_command_line`](super::to_command_line) wrote.
    ///
    /// # Errors
    /// A line of another kind, or of another build, whose flags this one does not know.
    pub fn from_command_line(line: &str) -> Result<Self, PlanError> {
        let refuse = |fault: Fault| fault.at(PlanErrorKind::Syntax, "the record's line");
        let words = shell_words(line)
            .ok_or_else(|| refuse(format!("`{line}` is not a line of plain words").into()))?;
        match words.as_slice() {
            [program, command, flags @ ..] if program == "fathom" && command == "run" => {
                from_words(flags).map(Self::from_flags).map_err(refuse)
            }
            _ => Err(refuse(format!("`{line}` is not a valid run: type it yourself").into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RunRecord {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let record = fathom_record::parse_run(json).expect("a record");
        RunRecord { command: None, version: 6, ..record }
    }

    #[test]
    fn the_kept_line_comes_first_and_an_older_record_comes_to_one() {
        let line = run_line(&record()).expect("a line");
        assert!(line.starts_with("fathom run --target /dev/nvme0n1 "), "{line}");
        let read =
            PlanSource::from_command_line(&line).and_then(|source| source.resolve(99)).expect("a plan");
        assert_eq!(read, plan_of_record(&record()));
        let kept = RunRecord { command: Some("fathom run --target x".to_owned()), ..record() };
        assert_eq!(run_line(&kept).as_deref(), Ok("fathom run --target x"));
    }

    #[test]
    fn what_a_record_does_not_hold_has_no_line() {
        let imported = RunRecord { origin: Some(Default::default()), ..record() };
        assert_eq!(run_line(&imported), Err(NoLine::Imported));
        assert_eq!(run_line(&RunRecord { version: RunRecord::VERSION, ..record() }), Err(NoLine::Unsaid));
        let mut newer = record();
        newer.target.decorated = Some(fathom_record::facts::DecoratorFacts {
            delay: Some("gamma:1us".to_owned()),
            ..Default::default()
        });
        assert_eq!(run_line(&newer), Err(NoLine::UnknownDecorator));
        let mut rewriting = record();
        rewriting.workload.sizes.rewrites_trimmed = true;
        assert_eq!(run_line(&rewriting), Err(NoLine::Unsaid));
    }

    #[test]
    fn only_a_run_s_line_is_read() {
        for line in
            ["", "fathom", "fathom assess .", "fathom run --nothing 3", "fathom run --target $HOME", "ls x"]
        {
            assert!(PlanSource::from_command_line(line).is_err(), "{line}");
        }
    }
}
