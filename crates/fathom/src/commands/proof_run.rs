//! `fathom size --prove TARGET --run`: does what the proof says to type, and judges what came out.

use std::path::Path;

use clap::Parser;
use fathom_measure::{Histogram, Nanos};
use fathom_record::{RunRecord, SizingRecord, parse_run, shell_words};

use super::{demand_input, perform};
use crate::arguments::{Command, CommandLine, MetricsArguments, ProofLength, SizeArguments};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// Where the printed commands put the run's record.
const RECORD: &str = "proof.json";
/// What to do where a command of the proof fails.
const REMEDY: &str = "run the commands of the proof one by one, as printed";
/// A run whose rate is further off was not the demand.
const RATE_OFF: f64 = 0.05;

/// Runs the proof, with the words that permit the loss of what the target holds, and with credentials, where they were
/// typed. The sizing stands, whatever comes out.
///
/// # Errors
/// When nothing was chosen, or a command of the proof cannot be done.
pub fn run(
    record: &SizingRecord,
    length: ProofLength,
    typed: &SizeArguments,
    store: Option<&Path>,
) -> Result<Status, Failure> {
    let proof = record.proof.as_ref().ok_or_else(|| {
        Failure::usage("--run", "nothing was chosen, so that nothing can be proved", "see the notes above")
    })?;
    let shorter = proof.shorter.as_ref().filter(|_| length == ProofLength::Short);
    let commands = shorter.map_or(&proof.commands, |shorter| &shorter.commands);
    // The last one says what is judged here.
    for command in &commands[..commands.len().saturating_sub(1)] {
        output::message(&format!("\n$ {command}"));
        let mut asked = parsed(command)?;
        asked.store = store.map(Path::to_path_buf).into_iter().collect();
        match &mut asked.command {
            Command::Run(arguments) => {
                arguments.flags.destroy = (!typed.destroy.is_empty()).then(|| typed.destroy.clone());
                arguments.flags.check_empty = typed.check_empty.then_some(true);
            }
            Command::Profile(arguments) => take_addresses(&mut arguments.metrics, &typed.metrics),
            _ => {}
        }
        match perform(asked)? {
            // A run that missed its own checks is judged by what it shows.
            Status::Done | Status::Invalid => {}
            status => return Ok(status),
        }
    }
    let broken = |cause: String| Failure::usage(RECORD, cause, REMEDY);
    let run = parse_run(&demand_input::read(Path::new(RECORD))?)
        .map_err(|error| broken(error.cause.clone()).with_source(error))?;
    let judged = ProofResult::of(record, &run);
    output::message(&judged.words(record));
    Ok(Status::of_measurement(judged.proved))
}

/// Puts addresses as they were typed where a printed command has a placeholder for credentials.
fn take_addresses(printed: &mut MetricsArguments, typed: &MetricsArguments) {
    let addresses =
        [(&mut printed.prometheus, &typed.prometheus), (&mut printed.aws_endpoint, &typed.aws_endpoint)];
    for (printed, typed) in addresses {
        if printed.is_some() {
            printed.clone_from(typed);
        }
    }
}

/// A command as it was printed.
fn parsed(command: &str) -> Result<CommandLine, Failure> {
    let words = shell_words(command)
        .ok_or_else(|| Failure::usage(command, "a name in it is not valid UTF-8", REMEDY))?;
    let asked = CommandLine::try_parse_from(words).map_err(|error| {
        let cause = error.to_string().lines().next().unwrap_or_default().to_owned();
        Failure::usage(command, cause, REMEDY).with_source(error)
    })?;
    Ok(CommandLine { line: command.to_owned(), ..asked })
}

/// What a run shows of a choice.
#[derive(Clone, Debug, PartialEq)]
struct ProofResult {
    proved: bool,
    /// Share by which there were more I/Os than asked for; below 0 for fewer.
    rate_off: Option<f64>,
    /// Share of the I/Os that were late or failed.
    late_share: Option<f64>,
}

impl ProofResult {
    fn of(sizing: &SizingRecord, run: &RunRecord) -> Self {
        let achieved: f64 = run.summary.directions.iter().map(|direction| direction.operations_per_s).sum();
        let rate_off = run.summary.offered_per_s.filter(|rate| *rate > 0.0).map(|rate| achieved / rate - 1.0);
        let late_share = late(run, sizing.terms.wait_s.saturating_mul(1_000_000_000));
        let kept = rate_off.is_some_and(|off| off.abs() <= RATE_OFF)
            && late_share.is_some_and(|share| share <= sizing.terms.late_share);
        Self { proved: kept, rate_off, late_share }
    }

    fn words(&self, sizing: &SizingRecord) -> String {
        let unknown = || "not known".to_owned();
        let rate = self.rate_off.map_or_else(unknown, |off| format!("{:+.1} %", off * 100.0));
        let late = self.late_share.map_or_else(unknown, |share| format!("{:.3} %", share * 100.0));
        format!(
            "\n{}: I/Os against the demand times {} {rate} (asked: within 5 %); later than {}: {late} of them (asked: at most {} %)",
            if self.proved { "PROVED" } else { "NOT PROVED" },
            sizing.terms.margin,
            Nanos(sizing.terms.wait_s.saturating_mul(1_000_000_000)).coarse(),
            sizing.terms.late_share * 100.0,
        )
    }
}

/// Share of the responses that took longer; I/Os that failed are late.
fn late(run: &RunRecord, wait_ns: u64) -> Option<f64> {
    let (mut late, mut all) = (0u64, 0u64);
    for direction in &run.summary.directions {
        let histogram = Histogram::try_from(direction.response_histogram.as_ref()?).ok()?;
        let errors = direction.errors.unwrap_or(0);
        late += histogram.count_above(wait_ns) + errors;
        all += histogram.count() + errors;
    }
    (all > 0).then(|| late as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_command_is_read_as_a_shell_reads_it() {
        let line = r"fathom run --like $'my\x09profile.json' --target '/mnt/it'\''s new' --time 60s";
        let Command::Run(arguments) = parsed(line).unwrap().command else { panic!("no run") };
        assert_eq!(arguments.like.as_deref(), Some(Path::new("my\tprofile.json")));
        assert_eq!(arguments.flags.target, Some(vec!["/mnt/it's new".to_owned()]));
        assert!(parsed(r"fathom profile $'\xff'").unwrap_err().cause.contains("UTF-8"));
    }
}
