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
use fathom_measure::{Bytes, Share};
use fathom_record::fleet::{FleetRecord, FleetRow, FleetTerms};
use fathom_report::terminal;
use fathom_sizing::age;
use fathom_sizing::answer::{left_out, left_out_notes};
use fathom_sizing::fleet::{Asked, Growth, History as Grown, Sample, SampleSize, Tally};
use fathom_sizing::margin::{self, Margin, USUAL};
use fathom_sizing::{Catalogue, Market};
use gather::{Gathered, usual_folder};
use inputs::{Inputs, Piece};
use judge::{Growths, Known, Verdicts};
use pass::{Ended, pass};
use stop::Stop;

use super::{catalogue, check_region, current, lateness, margin as typed_margin, typed};
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
    check_region(&catalogue, &arguments.region)?;
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
    let margin = match arguments.margin {
        Some(factor) => typed_margin(factor)?,
        None => {
            let risk = typed::<Share>("--risk", &arguments.risk, "a share as 10%")?.0;
            margin::calibrated(history.grown.all(), (risk * 1e6).round() as u32).unwrap_or(USUAL)
        }
    };
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
            return Err(Failure::usage(
                names(arguments),
                cause,
                "wait until all files are written to their end",
            ));
        }
        Ok(counted)
    };
    let counted = match &rows {
        None => read(&mut |_| Ok(()))?,
        Some((file, form)) => write_rows(file, *form, read)?,
    };
    let record = record(arguments, (&catalogue, &asked), (margin, &history), tally, counted);
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
    Ok(Known::new(catalogue, market, size_gib, arguments.current.as_deref(), arguments.instance.as_deref()))
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

fn names(arguments: &SizeArguments) -> String {
    arguments.demand.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
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
    let mut growths: Sample<Growth> = Sample::of(SampleSize::default());
    let mut horizons: Sample<u32> = Sample::of(SampleSize::default());
    let rows = pass(pieces, &work, stop, |found| {
        if let Some(grown) = found {
            growths.put(grown.hash, grown.growth);
            horizons.put(grown.hash, u32::try_from(grown.horizon_s).unwrap_or(u32::MAX));
            work.halve(growths.halvings());
        }
        Ok(())
    })?;
    let horizons = horizons.sorted();
    let horizon_s = horizons.get(horizons.len() / 2).map(|seconds| u64::from(*seconds));
    Ok(History { grown: Grown::new(growths.sorted()), horizon_s, rows: Some(rows) })
}

fn record(
    arguments: &SizeArguments,
    (catalogue, asked): (&Catalogue, &Asked<'_>),
    (margin, history): (Margin, &History),
    mut tally: Tally,
    rows: u64,
) -> FleetRecord {
    let risk = match margin {
        Margin::Calibrated { risk_millionths, .. } => Some(f64::from(risk_millionths) / 1e6),
        Margin::Uncalibrated { thousandths } => {
            margin::risk(history.grown.all(), thousandths).map(|risk| f64::from(risk) / 1e6)
        }
    };
    tally.money.currency = catalogue
        .prices
        .rows()
        .iter()
        .find(|price| price.region == arguments.region)
        .map_or_else(|| "USD".to_owned(), |price| price.currency.clone());
    let terms = FleetTerms {
        region: arguments.region.clone(),
        wait_s: asked.wait_s,
        late_share: asked.late_millionths as f64 / 1e6,
        margin: f64::from(asked.margin_thousandths) / 1e3,
        risk,
        margin_volumes: history.grown.all().len() as u64,
        horizon_s: history.horizon_s,
        stripes: asked.stripes,
    };
    let left_out = left_out(asked.market, false);
    let rows_of_region = catalogue.prices.rows().iter().filter(|price| price.region == arguments.region);
    let old = age::note(
        &super::today(),
        rows_of_region.filter(|price| asked.market.types().any(|t| t == price.volume)),
    );
    FleetRecord {
        format: FleetRecord::FORMAT.to_owned(),
        version: FleetRecord::VERSION,
        from: arguments.demand.iter().map(|path| path.display().to_string()).collect(),
        notes: notes(&terms, margin, &tally)
            .into_iter()
            .chain(left_out_notes(&left_out))
            .chain(old)
            .collect(),
        left_out,
        terms,
        volumes: tally.volumes,
        rows,
        sized: tally.sized,
        throttled: tally.throttled,
        not_judged: tally.reasons(),
        top_savings: tally.top_savings(),
        too_small: tally.too_small(),
        money: tally.money,
        risk: tally.risk,
    }
}

fn notes(terms: &FleetTerms, margin: Margin, tally: &Tally) -> Vec<String> {
    let mut notes = tally.notes();
    if tally.volumes == 0 {
        notes.push("No rows are in it.".to_owned());
    }
    match (terms.risk, margin) {
        (None, _) => notes.push(format!(
            "The margin of {:.2} is uncalibrated and no risk is stated: no volume was seen for three days or more with a requirement that matters.",
            terms.margin
        )),
        (Some(_), Margin::Uncalibrated { .. }) if margin == USUAL => notes.push(format!(
            "{} volumes have a history that tells: too few for the risk that was asked for, so that the margin is the usual one. The risk stated is what they say of it.",
            terms.margin_volumes
        )),
        _ => {}
    }
    if terms.risk.is_some() {
        notes.push(
            "Risks hold as long as the coming time is like the past: a new release, a migration or another season is not."
                .to_owned(),
        );
    }
    if tally.money.compared < tally.sized {
        notes.push(format!(
            "What {} of {} volumes are today is not known, or their series shows supply: nothing is said to be wasted by them.",
            tally.sized - tally.money.compared,
            tally.sized
        ));
    }
    notes
}
