//! The command that measures the same thing again, as the record keeps it or comes to it.

use fathom_plan::{NoLine, assess_line, run_line};
use fathom_record::campaign::AssessRecord;
use fathom_record::{CREDENTIALS_PLACEHOLDER, RunRecord, shell_word, shell_words};
use jiff::Timestamp;
use jiff::civil::Date;

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
    let (line, remark) = match run_line(run) {
        Ok(line) => {
            let sized = number::size(run.target.size_bytes);
            let remark =
                run.target.scratch.then(|| format!("The run made a scratch file of {sized} and removed it."));
            (Some(line), remark)
        }
        Err(NoLine::Imported) => {
            let file = run.origin.as_ref().map_or("a file", |origin| origin.file.as_str());
            (None, Some(format!("{} measured it; fathom read it from {file}.", run.tool.name)))
        }
        Err(NoLine::Unsaid | NoLine::UnknownDecorator) => {
            let remark = "The record holds no command that makes this run again; what was done is in it, under \"workload\".";
            (None, Some(remark.to_owned()))
        }
    };
    Reproduction { command: or_shown(line, &run.id), remark }
}

/// How to repeat an assessment.
pub fn assessment(record: &AssessRecord) -> Reproduction {
    let mut reproduction = campaign(Some(assess_line(record)), &record.id);
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

/// How to repeat a campaign of any kind by its line, where there is one.
pub fn campaign(line: Option<String>, id: &str) -> Reproduction {
    let remark = line.is_none().then(|| {
        "The record holds no command that makes this campaign again; what was asked for is in it, under \"plan\"."
            .to_owned()
    });
    Reproduction { command: or_shown(line, id), remark }
}

/// How to make what a command made: by what was typed, where the record keeps it.
pub fn typed(command: Option<&str>) -> Option<Reproduction> {
    command.map(|command| Reproduction { command: command.to_owned(), remark: line_remark(command) })
}

/// What a line leaves to whoever types it: credentials, and the stretch of time that a server is asked for.
fn line_remark(line: &str) -> Option<String> {
    let words = shell_words(line).unwrap_or_default();
    let asks_server = ["--prometheus", "--cloudwatch"].iter().any(|flag| value_of(flag, &words).is_some());
    let is_dated = ["--from", "--to"].iter().all(|flag| value_of(flag, &words).is_some_and(is_date));
    let mut remarks = Vec::new();
    if line.contains(CREDENTIALS_PLACEHOLDER) {
        let placeholder = CREDENTIALS_PLACEHOLDER.trim_end_matches('@');
        remarks.push(format!("Credentials were left out: type them in place of {placeholder}."));
    }
    if asks_server && !is_dated {
        let remark =
            "Times count from when it is typed: only --from and --to with dates give the same demand.";
        remarks.push(remark.to_owned());
    }
    (!remarks.is_empty()).then(|| remarks.join(" "))
}

/// The value of a flag among the words of a line.
fn value_of<'a>(flag: &str, words: &'a [String]) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(flag)? {
        "" => words.get(at + 1).map(String::as_str),
        behind => behind.strip_prefix('='),
    })
}

/// Whether it is the same moment whenever it is typed.
fn is_date(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok() || text.parse::<Date>().is_ok()
}

/// The line, or else what shows the record.
fn or_shown(line: Option<String>, id: &str) -> String {
    line.unwrap_or_else(|| format!("fathom show {} --json", shell_word(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_typed_has_what_it_leaves_open_as_a_remark() {
        const SERVER: &str = "fathom profile --prometheus http://USER:PASSWORD@metrics:9090";
        let remark = |more: &str| {
            let line = format!("{SERVER}{more}");
            typed(Some(&line)).and_then(|again| again.remark).expect("a remark")
        };
        for relative in ["", " --from=2026-11-01", " --from 7d --to 2026-11-01", " --from 2026-11-01 --to=2h"]
        {
            let remark = remark(relative);
            assert!(remark.starts_with("Credentials") && remark.contains("USER:PASSWORD. Times"), "{remark}");
        }
        let dated = remark(" --from 2026-11-01T00:00:00Z --to=2026-11-02");
        assert!(dated.ends_with("USER:PASSWORD."), "{dated}");
        for line in
            ["fathom size d.csv --size 1TiB", "fathom size --account --from 7d", "fathom analyse last"]
        {
            assert!(typed(Some(line)).is_some_and(|again| again.remark.is_none()), "{line}");
        }
        let watched = typed(Some("fathom profile --cloudwatch=vol-1")).and_then(|again| again.remark);
        assert!(watched.is_some_and(|remark| remark.starts_with("Times count")));
    }

    #[test]
    fn the_kept_command_is_printed_and_no_other_is_made_up() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut record = fathom_record::parse_run(json).expect("a record");
        let older = run(&record).command;
        assert!(older.starts_with("fathom run --target /dev/nvme0n1 "), "{older}");
        record.version = RunRecord::VERSION;
        let without = run(&record);
        assert_eq!(without.command, format!("fathom show {} --json", record.id));
        assert!(without.remark.is_some_and(|remark| remark.contains("no command")));
        let kept = "fathom run --target 'it'\\''s' --rate 2k --arrival poisson".to_owned();
        record.command = Some(kept.clone());
        assert_eq!(run(&record).command, kept);
    }
}
