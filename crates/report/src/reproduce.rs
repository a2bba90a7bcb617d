//! The command that measures the same thing again, as the record keeps it.

use fathom_record::campaign::AssessRecord;
use fathom_record::{RunRecord, shell_word};

use crate::number;

/// A way back to the same measurement.
pub struct Reproduction {
    /// What to type.
    pub command: String,
    /// What the command alone does not say.
    pub remark: Option<String>,
}

/// How to repeat a run.
pub fn run(run: &RunRecord) -> Reproduction {
    let remark = match (&run.command, &run.origin) {
        (Some(_), _) => {
            let sized = number::size(run.target.size_bytes);
            run.target.scratch.then(|| format!("The run made a scratch file of {sized} and removed it."))
        }
        (None, Some(origin)) => {
            Some(format!("{} measured it; fathom read it from {}.", run.tool.name, origin.file))
        }
        (None, None) => Some(
            "The record holds no command that makes this run again; what was done is in it, under \"workload\"."
                .to_owned(),
        ),
    };
    Reproduction { command: command(run.command.as_ref(), &run.id), remark }
}

/// How to repeat an assessment.
pub fn assessment(record: &AssessRecord) -> Reproduction {
    let mut reproduction = campaign(record.command.as_ref(), &record.id);
    let remark = reproduction.remark.get_or_insert_default();
    if !remark.is_empty() {
        remark.push(' ');
    }
    remark.push_str(&format!(
        "Every run can be read again on its own: fathom show RUN. This campaign is {} of {} {}.",
        record.id, record.tool.name, record.tool.version
    ));
    reproduction
}

/// How to repeat a campaign of any kind.
pub fn campaign(kept: Option<&String>, id: &str) -> Reproduction {
    let remark = kept.is_none().then(|| {
        "The record holds no command that makes this campaign again; what was asked for is in it, under \"plan\"."
            .to_owned()
    });
    Reproduction { command: command(kept, id), remark }
}

/// What is kept, or else what shows the record.
fn command(kept: Option<&String>, id: &str) -> String {
    kept.cloned().unwrap_or_else(|| format!("fathom show {} --json", shell_word(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kept_command_is_printed_and_no_other_is_made_up() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut record = fathom_record::parse_run(json).expect("a record");
        record.command = None;
        let without = run(&record);
        assert_eq!(without.command, format!("fathom show {} --json", record.id));
        assert!(without.remark.is_some_and(|remark| remark.contains("no command")));
        let kept = "fathom run --target 'it'\\''s' --rate 2k --arrival poisson".to_owned();
        record.command = Some(kept.clone());
        assert_eq!(run(&record).command, kept);
    }
}
