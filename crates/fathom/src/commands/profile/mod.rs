//! `fathom profile`: what a volume is asked to do, from metrics, a trace, or this machine's own counters.

mod block_layer;
mod live_counters;

use fathom_measure::Nanos;
use fathom_record::ProfileRecord;
use fathom_report::{html, terminal};
use fathom_sizing::Catalogue;
use fathom_sizing::demand_profile::{ProfileSubject, profile};

use super::demand_input;
use super::size::{built_in, instance};
use crate::arguments::ProfileArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// Profiles; `line` is the command.
///
/// # Errors
/// What makes no sense or cannot be read, with what to type.
pub fn perform(arguments: &ProfileArguments, line: &str) -> Result<Status, Failure> {
    let machine = Machine::of(arguments.json.as_ref());
    machine.check()?;
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?;
    }
    let catalogue = built_in()?;
    let record = ProfileRecord { command: Some(line.to_owned()), ..record(&catalogue, arguments)? };
    if !machine.takes_stdout() {
        output::result(&terminal::profile(&record, output::style()))?;
    }
    // A line for each of a series' numbers would make the file five times as long.
    machine.write(&output::json_line(&record))?;
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?.write(&html::profile(&record)?)?;
        output::message(&format!("report: {}", path.display()));
    }
    Ok(Status::Done)
}

fn record(catalogue: &Catalogue, arguments: &ProfileArguments) -> Result<ProfileRecord, Failure> {
    let instance = arguments.instance.as_deref().map(|name| instance(catalogue, name)).transpose()?;
    let (seen, asked, from) = match &arguments.live {
        Some(device) => {
            let time: Nanos = arguments.time.parse().map_err(|_| {
                Failure::usage(
                    "--time",
                    format!("{:?} is not a valid time", arguments.time),
                    "type it as 60s or 24h",
                )
            })?;
            let watched = live_counters::watch(device, time, arguments.counters_only)?;
            (watched.seen, watched.asked, device.display().to_string())
        }
        None => (
            demand_input::seen(&arguments.sources, &arguments.metrics)?,
            None,
            demand_input::name(&arguments.sources, &arguments.metrics),
        ),
    };
    let subject = ProfileSubject {
        demand: &seen.demand,
        trace: seen.trace.as_ref(),
        from: &from,
        source: seen.source,
        device: seen.device.as_deref(),
        start_unix_s: seen.start_unix_s,
        directions_known: seen.directions_known,
        throttled: &seen.throttled,
        instance,
    };
    let mut record = profile(catalogue, &subject, seen.notes);
    if let Some(asked) = &asked {
        let [reads, writes] = &asked.directions;
        record.read_sizes = block_layer::sizes(reads).or(record.read_sizes);
        record.write_sizes = block_layer::sizes(writes).or(record.write_sizes);
        record.block_layer = Some(block_layer::of(asked));
    }
    Ok(record)
}
