//! Summaries for a terminal: plain words and aligned numbers within a width, with colour where it is wanted.

mod account_summary;
mod analysis_summary;
mod assess_summary;
mod bars;
mod compare_summary;
mod explain_summary;
mod fleet_sizing_summary;
mod paint;
mod profile_summary;
mod repeat_summary;
mod run_list;
mod run_summary;
mod sizing_summary;
mod sweep_summary;
mod trend_summary;

use fathom_record::analysis_record::Analysis;
use fathom_record::campaign::BootTurn;
use fathom_record::telemetry::AbsentSource;
use fathom_record::{AccountRecord, CampaignRecord, FleetRecord, ProfileRecord, RunRecord, SizingRecord};

use crate::sheet;
use crate::table::Table;
use crate::zoned_moment::Zone;

pub use bars::bars;
pub use run_list::{CampaignRow, RunOutcome, RunRow, campaigns, runs};
pub use trend_summary::{TrendChange, TrendRow, TrendUnit, trends};

/// How to write for a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Most characters a line; under 20 is taken as 20. Sentences take 100 at most, and what is to be typed is never
    /// cut.
    pub width: usize,
    /// Whether to write ANSI colours; without them there is no escape character in the text.
    pub color: bool,
    /// Whose time moments are written in, with its zone behind them.
    pub zone: Zone,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 100, color: false, zone: Zone::Utc }
    }
}

/// The boots of a campaign across restarts; nothing where there are none.
fn boots(out: &mut paint::Sheet, turns: &[BootTurn]) {
    if !turns.is_empty() {
        out.gap();
        out.text("boots", 0, Some(paint::Tone::Title));
        out.table(&sheet::boots_sheet::boots(turns));
    }
}

/// A table that fits the width; columns that had to be left out are named under it.
pub fn table(table: &Table, style: Style) -> String {
    let mut out = paint::Sheet::new(style);
    out.table(table);
    out.finish()
}

/// The summary of one run: failed checks first, then rates, latencies, conditions and notes.
pub fn run(record: &RunRecord, style: Style) -> String {
    run_summary::summary(record, &[], style)
}

/// The same where a run before it lacked these sources: what has the same reason again is named, and not explained.
pub fn run_after(record: &RunRecord, lacked: &[AbsentSource], style: Style) -> String {
    run_summary::summary(record, lacked, style)
}

/// The summary of an analysis: workloads over runs, the first runs by themselves, and what they show.
pub fn analysis(analysis: &Analysis, style: Style) -> String {
    analysis_summary::summary(analysis, style)
}

/// The summary of a campaign: failed checks, the verdict of each pattern, and the operating points.
pub fn campaign(record: &CampaignRecord, style: Style) -> String {
    match record {
        CampaignRecord::Assess(record) => assess_summary::summary(record, style),
        CampaignRecord::Sweep(record) => sweep_summary::summary(record, style),
        CampaignRecord::Compare(record) => compare_summary::summary(record, style),
        CampaignRecord::Explain(record) => explain_summary::summary(record, style),
        CampaignRecord::Repeat(record) => repeat_summary::summary(record, style),
    }
}

/// The summary of a sizing: what to buy, its requirements, and what it rests on.
pub fn sizing(record: &SizingRecord, style: Style) -> String {
    sizing_summary::summary(record, style)
}

/// The summary of a fleet's sizing: what is wasted, how sure that is, and the volumes that stand out.
pub fn fleet(record: &FleetRecord, style: Style) -> String {
    fleet_sizing_summary::summary(record, style)
}

/// The summary of an account's sizing: as that of a fleet, and what stands out by type, instance and tag.
pub fn account(record: &AccountRecord, style: Style) -> String {
    account_summary::summary(record, style)
}

/// The summary of a profile: how much, how unevenly, how large, and what is not known.
pub fn profile(record: &ProfileRecord, style: Style) -> String {
    profile_summary::summary(record, style)
}
