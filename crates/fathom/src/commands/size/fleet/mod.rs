//! `fathom size --fleet`: every volume of long tables judged by itself, a row each, and what they add up to.
//!
//! The table is read twice: once for how requirements grew, which gives the margin and the risks, and once
//! for the verdicts. Only what is being judged is in memory. Where the first reading finds that rows of a volume lie
//! apart, they are gathered on disk first.

mod gather;
mod inputs;
mod judge;
mod meter;
mod pass;
mod stop;

use std::io::{self, BufWriter};
use std::path::Path;
use std::thread;

use fathom_export::row_writer::{RowForm, RowWriter};
use fathom_fleet::{FleetGrowths, Known, Summary, Tally, Verdicts, check_region, margin_of};
use fathom_measure::{Bytes, Share};
use fathom_record::fleet::{FleetRecord, FleetRow};
use fathom_report::terminal;
use fathom_sizing::fleet::{Asked, History as Grown};
use fathom_sizing::margin::{Margin, USUAL};
use fathom_sizing::{Catalogue, Market};
use gather::{Gathered, usual_folder};
use inputs::{Inputs, Piece};
use judge::Growths;
use pass::{Ended, pass};
use stop::Stop;

use super::{catalogue, current, lateness, margin as typed_margin, refused, typed};
use crate::arguments::SizeArguments;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};
use crate::status::Status;

/// Sizes a fleet.
///
/// # Errors
/// What makes no sense or cannot be read, with what to type.
pub fn perform(arguments: &SizeArguments, machine: &Machine) -> Result<Status, Failure> {
    let rows = arguments.rows.as_deref().map(|path| rows_file(path, arguments.force)).transpose()?;
    let catalogue = catalogue(arguments)?;
    check_region(&catalogue, &arguments.region).map_err(refused)?;
    let market = super::market(arguments, &catalogue)?;
    let known = known(arguments, &catalogue, &market)?;
    let inputs = Inputs::open(&arguments.demand, &arguments.metrics)?;
    rows.iter().try_for_each(|(file, _)| inputs.check_apart(file.name()))?;
    let (wait_s, late_millionths) = lateness(arguments)?;
    let asked = Asked {
        market: &market,
        wait_s,
        late_millionths,
        margin_thousandths: USUAL.thousandths(),
        history: &Grown::default(),
        stripes: arguments.stripes,
    };
    let stop = Stop::watch()?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut pieces = inputs.pieces(threads);
    let gathered;
    let history = match history(&pieces, &asked, &stop) {
        Ok(history) => history,
        Err(Ended::Failed(failure)) => return Err(failure),
        Err(Ended::Apart(apart)) => {
            let folder = arguments.scratch.clone().unwrap_or_else(usual_folder);
            gathered = Gathered::new(&inputs, &apart, &folder, &stop)?;
            pieces = gathered.pieces();
            // Of volumes outside of the sample no rows are counted, and nobody else knows the scratch file.
            History { rows: None, ..history(&pieces, &asked, &stop).map_err(whole)? }
        }
    };
    let margin = margin(arguments, &history.grown)?;
    let asked = Asked { margin_thousandths: margin.thousandths(), history: &history.grown, ..asked };
    let verdicts = Verdicts { asked, known: &known };
    let mut tally = Tally::default();
    let mut read = |row: &mut dyn FnMut(&FleetRow) -> io::Result<()>| {
        let take = |found| {
            tally.put(&found);
            row(&found)
        };
        let counted = pass(&pieces, &verdicts, &stop, take).map_err(whole)?;
        if history.rows.is_some_and(|before| before != counted) {
            let cause = format!("{counted} rows are in it, and others were before: a file has changed");
            let remedy = "wait until all files are written to their end";
            return Err(Failure::usage(names(arguments).join(", "), cause, remedy));
        }
        Ok(counted)
    };
    let counted = match &rows {
        None => read(&mut |_| Ok(()))?,
        Some((file, form)) => write_rows(file, *form, read)?,
    };
    let from = names(arguments);
    let (region, today) = (arguments.region.as_str(), super::today());
    let (horizon_s, catalogue) = (history.horizon_s, &catalogue);
    let summary =
        Summary { from: &from, catalogue, region, asked, margin, horizon_s, rows: counted, today: &today };
    let record = summary.record(&tally);
    tell(&record, machine)?;
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

/// Writes what a reading finds, row by row; gives how many rows it read. What the reading itself refuses
/// comes before what the file does.
fn write_rows(
    file: &OutputFile,
    form: RowForm,
    mut read: impl FnMut(&mut dyn FnMut(&FleetRow) -> io::Result<()>) -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    let mut outcome = Ok(0);
    let written = file.fill(|out| {
        let mut writer = RowWriter::begin::<FleetRow>(form, BufWriter::new(out))?;
        outcome = read(&mut |row| writer.row(row));
        if outcome.is_err() {
            return Err(io::Error::other("not read to its end"));
        }
        writer.finish()
    });
    let counted = outcome?;
    written.map(|()| counted)
}

fn rows_file(path: &Path, force: bool) -> Result<(OutputFile, RowForm), Failure> {
    let form = RowForm::of(path).ok_or_else(|| {
        let cause = format!("{} has no ending that names a form", path.display());
        Failure::usage("--rows", cause, "end it with .csv, .jsonl or .parquet")
    })?;
    Ok((OutputFile::check(path, Content::Foreign { force })?, form))
}

/// What is known of every volume beside its rows.
fn known<'a>(
    arguments: &'a SizeArguments,
    catalogue: &'a Catalogue,
    market: &'a Market,
) -> Result<Known<'a>, Failure> {
    let size_gib = arguments.size.as_deref().map(|text| typed::<Bytes>("--size", text, "a size as 1TiB"));
    let size_gib = size_gib.transpose()?.map(|bytes| bytes.0.div_ceil(1 << 30).max(1));
    if let Some(name) = &arguments.instance {
        super::instance(catalogue, name)?;
    }
    if let Some(text) = &arguments.current {
        current(market, size_gib.unwrap_or(1024), text)?;
    }
    let mut known = Known::new(catalogue, market);
    known.size_gib = size_gib;
    (known.current, known.instance) = (arguments.current.as_deref(), arguments.instance.as_deref());
    Ok(known)
}

/// What a fleet's own history says.
struct History {
    /// How requirements grew.
    grown: Grown,
    /// Half of the usual history, in seconds.
    horizon_s: Option<u64>,
    /// Rows of all volumes, where they were counted.
    rows: Option<u64>,
}

fn names(arguments: &SizeArguments) -> Vec<String> {
    arguments.demand.iter().map(|path| path.display().to_string()).collect()
}

/// The margin that was asked for, or what the fleet's history asks for.
fn margin(arguments: &SizeArguments, history: &Grown) -> Result<Margin, Failure> {
    if let Some(factor) = arguments.margin {
        return typed_margin(factor);
    }
    let risk = typed::<Share>("--risk", &arguments.risk, "a share as 10%")?.0;
    Ok(margin_of(history, (risk * 1e6).round() as u32))
}

/// Why rows that were read once already cannot be read again.
fn whole(ended: Ended) -> Failure {
    match ended {
        Ended::Failed(failure) => failure,
        Ended::Apart(apart) => {
            let cause =
                format!("rows of {} lie apart that did not before: the file has changed", apart.volume);
            Failure::usage(apart.path.display().to_string(), cause, "wait until it is written to its end")
        }
    }
}

fn history(pieces: &[Piece<'_>], asked: &Asked<'_>, stop: &Stop) -> Result<History, Ended> {
    let work = Growths::new(*asked);
    let mut growths = FleetGrowths::default();
    let rows = pass(pieces, &work, stop, |found| {
        if let Some(grown) = found {
            growths.put(&grown);
            work.halve(growths.halvings());
        }
        Ok(())
    })?;
    let (grown, horizon_s) = growths.into_history();
    Ok(History { grown, horizon_s, rows: Some(rows) })
}
