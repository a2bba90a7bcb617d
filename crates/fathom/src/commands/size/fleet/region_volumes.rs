//! The volumes of one region, judged by their inputs: what each needs, and what they add up to.

use std::io;
use std::thread;

use fathom_fleet::{FleetGrowths, GroupKey, Summary, Tally, Verdicts, VolumeDefaults, margin_of};
use fathom_measure::Share;
use fathom_record::fleet_record::{FleetRecord, FleetRow};
use fathom_sizing::fleet_volumes::{History as VolumeGrowth, SizingPolicy};
use fathom_sizing::margin::{Margin, USUAL};
use fathom_sizing::{Catalogue, Market};

use super::inputs::{Inputs, Piece};
use super::pass::{EarlyEnd, pass};
use super::stop_request::Stop;
use super::volume_judge::{Growths, JudgedVolume, VolumeJudge};
use super::volume_partition::{GatheredRows, usual_folder};
use crate::arguments::SizeArguments;
use crate::commands::size::{lateness, margin as typed_margin, today, typed};
use crate::failure::Failure;

/// The volumes of one region.
pub struct RegionVolumes<'a> {
    /// What was typed.
    pub arguments: &'a SizeArguments,
    /// What is known.
    pub catalogue: &'a Catalogue,
    /// What is known of every volume beside its rows.
    pub known: VolumeDefaults<'a>,
    /// Where it is bought.
    pub region: &'a str,
    /// What rows are read from, for people.
    pub from: Vec<String>,
    /// What rows are read from.
    pub inputs: &'a Inputs,
    /// What volumes are added up by.
    pub by: Option<&'a GroupKey>,
    /// Whether what each volume did is handed on too.
    pub keeps_series: bool,
}

/// What is asked of every volume, before a fleet's own history is known.
///
/// # Errors
/// When what was typed makes no sense.
pub fn base_policy<'a>(
    arguments: &SizeArguments,
    market: &'a Market,
    history: &'a VolumeGrowth,
) -> Result<SizingPolicy<'a>, Failure> {
    let (wait_s, late_millionths) = lateness(arguments)?;
    Ok(SizingPolicy {
        market,
        wait_s,
        late_millionths,
        margin_thousandths: USUAL.thousandths(),
        history,
        stripes: arguments.stripes,
    })
}

impl RegionVolumes<'_> {
    /// Judges all volumes; each goes to `take`, and behind them the rows that `rest` gives.
    ///
    /// # Errors
    /// When something cannot be read, somebody stops it, or `take` fails.
    pub fn judge(
        &self,
        stop: &Stop,
        mut take: impl FnMut(&JudgedVolume) -> io::Result<()>,
        rest: impl FnOnce() -> Vec<FleetRow>,
    ) -> Result<FleetRecord, Failure> {
        let none = VolumeGrowth::default();
        let asked = base_policy(self.arguments, self.known.market, &none)?;
        let mut pieces = self.inputs.pieces(thread::available_parallelism().map_or(1, usize::from));
        let gathered;
        let keeps_going = self.arguments.keep_going;
        let history = match history(&pieces, &asked, (stop, keeps_going)) {
            Ok(history) => history,
            Err(EarlyEnd::Failed(failure)) => return Err(failure),
            Err(EarlyEnd::Apart(apart)) => {
                let folder = self.arguments.scratch.clone().unwrap_or_else(usual_folder);
                gathered = GatheredRows::new(self.inputs, &apart, &folder, stop)?;
                pieces = gathered.pieces();
                // Of volumes outside of the sample no rows are counted, and nobody else knows the scratch file.
                History { rows: None, ..history(&pieces, &asked, (stop, keeps_going)).map_err(whole)? }
            }
        };
        let margin = margin(self.arguments, &history.grown)?;
        let asked =
            SizingPolicy { margin_thousandths: margin.thousandths(), history: &history.grown, ..asked };
        let work = VolumeJudge {
            verdicts: Verdicts { asked, known: &self.known },
            catalogue: self.catalogue,
            inventory: self.inputs.inventory(),
            by: self.by,
            keeps_series: self.keeps_series,
            keeps_going,
        };
        let mut tally = Tally::default();
        let mut put = |judged: &JudgedVolume| {
            tally.put(&judged.row);
            take(judged)
        };
        let rows = pass(&pieces, &work, stop, |judged| put(&judged)).map_err(whole)?;
        if history.rows.is_some_and(|before| before != rows) {
            let cause = format!("{rows} rows are in it, and others were before: a file has changed");
            let remedy = "wait until all files are written to their end";
            return Err(Failure::usage(self.from.join(", "), cause, remedy));
        }
        for row in rest() {
            put(&JudgedVolume { row, series: Vec::new() })
                .map_err(|error| Failure::system("writing rows", error))?;
        }
        let summary = Summary {
            from: &self.from,
            catalogue: self.catalogue,
            region: self.region,
            asked,
            margin,
            horizon_s: history.horizon_s,
            rows,
            today: &today(),
        };
        Ok(summary.record(&tally))
    }
}

/// What a fleet's own history says.
struct History {
    /// How requirements grew.
    grown: VolumeGrowth,
    /// Half of the usual history, in seconds.
    horizon_s: Option<u64>,
    /// Rows of all volumes, where they were counted.
    rows: Option<u64>,
}

/// The margin that was asked for, or what the fleet's history asks for.
fn margin(arguments: &SizeArguments, history: &VolumeGrowth) -> Result<Margin, Failure> {
    if let Some(factor) = arguments.margin {
        return typed_margin(factor);
    }
    let risk = typed::<Share>("--risk", &arguments.risk, "a share as 10%")?.0;
    Ok(margin_of(history, (risk * 1e6).round() as u32))
}

/// Why rows that were read once already cannot be read again.
fn whole(ended: EarlyEnd) -> Failure {
    match ended {
        EarlyEnd::Failed(failure) => failure,
        EarlyEnd::Apart(apart) => {
            let cause =
                format!("rows of {} lie apart that did not before: the file has changed", apart.volume);
            Failure::usage(apart.path.display().to_string(), cause, "wait until it is written to its end")
        }
    }
}

fn history(
    pieces: &[Piece<'_>],
    asked: &SizingPolicy<'_>,
    (stop, keeps_going): (&Stop, bool),
) -> Result<History, EarlyEnd> {
    let work = Growths::new(*asked, keeps_going);
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
