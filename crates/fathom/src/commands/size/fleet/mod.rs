//! `fathom size --fleet`: every volume of long tables judged by itself, a row each, and what they add up to.
//!
//! The table is read twice: once for how requirements grew, which gives the margin and the risks, and once
//! for the verdicts. Only what is being judged is in memory. Where the first reading finds that rows of a volume lie
//! apart, they are gathered on disk first.

pub mod inputs;
pub mod meter;
mod pass;
mod region_volumes;
pub mod stop_request;
mod volume_judge;
mod volume_partition;
mod volume_rows;

use fathom_fleet::{GroupKey, Groups, VolumeDefaults, check_region, currency};
use fathom_measure::Bytes;
use fathom_record::fleet_record::FleetRecord;
use fathom_report::{FleetSpread, html, terminal};
use fathom_sizing::{Catalogue, Market};
use inputs::Inputs;
pub use region_volumes::{RegionVolumes, base_policy};
use stop_request::Stop;
pub use volume_judge::JudgedVolume;
pub use volume_rows::{TakeRow, rows_file, write_rows};

use super::{catalogue, current, refused, typed};
use crate::arguments::SizeArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// Sizes a fleet; `line` is the command.
///
/// # Errors
/// What makes no sense or cannot be read, with what to type.
pub fn perform(arguments: &SizeArguments, machine: &Machine, line: &str) -> Result<Status, Failure> {
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?;
    }
    let rows = arguments.rows.as_deref().map(|path| rows_file(path, arguments.force)).transpose()?;
    let by = by(arguments)?;
    let catalogue = catalogue(arguments)?;
    check_region(&catalogue, &arguments.region).map_err(refused)?;
    let market = super::market(arguments, &catalogue)?;
    let known = known(arguments, &catalogue, &market)?;
    let inputs = Inputs::open(&arguments.demand, &arguments.metrics, by.as_ref())?;
    rows.iter().try_for_each(|(file, _)| inputs.check_apart(file.name()))?;
    let regional = RegionVolumes {
        arguments,
        catalogue: &catalogue,
        known,
        region: &arguments.region,
        from: arguments.demand.iter().map(|path| path.display().to_string()).collect(),
        inputs: &inputs,
        by: by.as_ref(),
        keeps_series: false,
    };
    let stop = Stop::watch()?;
    let mut groups = by.clone().map(Groups::new);
    let mut spread = FleetSpread::default();
    let mut record = None;
    let currency = currency(&catalogue, &arguments.region);
    let mut read = |row: &mut TakeRow<'_>| {
        let take = |judged: &JudgedVolume| {
            if let (Some(groups), Some(group)) = (&mut groups, &judged.row.group) {
                groups.put(group, &judged.row);
            }
            spread.put(&judged.row);
            row(&judged.row, &currency)
        };
        record = Some(regional.judge(&stop, take, Vec::new)?);
        Ok(())
    };
    match &rows {
        None => read(&mut |_, _| Ok(()))?,
        Some((file, form)) => write_rows(file, *form, by.is_some(), read)?,
    }
    let Some(mut record) = record else { return Ok(Status::Invalid) };
    record.command = Some(line.to_owned());
    record.by.extend(groups.map(|groups| groups.record()));
    tell(&record, machine)?;
    if let Some(path) = &arguments.report {
        OutputFile::check(path, Content::Marked)?.write(&html::fleet(&record, &spread)?)?;
        output::message(&format!("report: {}", path.display()));
    }
    if let Some((file, _)) = &rows {
        output::message(&format!("wrote {}", file.name().display()));
    }
    Ok(if record.sized > 0 { Status::Done } else { Status::Invalid })
}

/// Tells it where people and programs read it.
fn tell(record: &FleetRecord, machine: &Machine) -> Result<(), Failure> {
    if !machine.takes_stdout() {
        output::result(&terminal::fleet(record, output::style()))?;
    }
    machine.write(&output::json(record))
}

/// What volumes are to be added up by.
pub fn by(arguments: &SizeArguments) -> Result<Option<GroupKey>, Failure> {
    arguments.added_by.as_deref().map(str::parse).transpose().map_err(refused)
}

/// What is known of every volume beside its rows.
fn known<'a>(
    arguments: &'a SizeArguments,
    catalogue: &'a Catalogue,
    market: &'a Market,
) -> Result<VolumeDefaults<'a>, Failure> {
    let size_gib = arguments.size.as_deref().map(|text| typed::<Bytes>("--size", text, "a size as 1TiB"));
    let size_gib = size_gib.transpose()?.map(|bytes| bytes.0.div_ceil(1 << 30).max(1));
    if let Some(name) = &arguments.instance
        && market.behind(name).is_none()
    {
        super::instance(catalogue, name)?;
    }
    if let Some(text) = &arguments.current {
        current(market, size_gib.unwrap_or(1024), text)?;
    }
    let mut known = VolumeDefaults::new(catalogue, market);
    known.size_gib = size_gib;
    (known.current, known.instance) = (arguments.current.as_deref(), arguments.instance.as_deref());
    Ok(known)
}
