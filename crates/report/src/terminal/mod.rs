//! Summaries for a terminal: plain words and aligned numbers within a width, with colour where it is wanted.

mod account;
mod analysis;
mod bars;
mod campaign;
mod compare;
mod explain;
mod fleet;
mod paint;
mod profile;
mod repeat;
mod run;
mod runs;
mod sizing;
mod sweep;
mod trend;

use fathom_record::analysis::Analysis;
use fathom_record::campaign::BootTurn;
use fathom_record::telemetry::AbsentSource;
use fathom_record::{AccountRecord, CampaignRecord, FleetRecord, ProfileRecord, RunRecord, SizingRecord};

use crate::moment::Zone;
use crate::sheet;
use crate::table::Table;

pub use bars::bars;
pub use runs::{CampaignRow, RunOutcome, RunRow, campaigns, runs};
pub use trend::{TrendChange, TrendRow, TrendUnit, trends};

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
        out.table(&sheet::boots::boots(turns));
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
    run::summary(record, &[], style)
}

/// The same where a run before it lacked these sources: what has the same reason again is named, and not explained.
pub fn run_after(record: &RunRecord, lacked: &[AbsentSource], style: Style) -> String {
    run::summary(record, lacked, style)
}

/// The summary of an analysis: workloads over runs, the first runs by themselves, and what they show.
pub fn analysis(analysis: &Analysis, style: Style) -> String {
    analysis::summary(analysis, style)
}

/// The summary of a campaign: failed checks, the verdict of each pattern, and the operating points.
pub fn campaign(record: &CampaignRecord, style: Style) -> String {
    match record {
        CampaignRecord::Assess(record) => campaign::summary(record, style),
        CampaignRecord::Sweep(record) => sweep::summary(record, style),
        CampaignRecord::Compare(record) => compare::summary(record, style),
        CampaignRecord::Explain(record) => explain::summary(record, style),
        CampaignRecord::Repeat(record) => repeat::summary(record, style),
    }
}

/// The summary of a sizing: what to buy, its requirements, and what it rests on.
pub fn sizing(record: &SizingRecord, style: Style) -> String {
    sizing::summary(record, style)
}

/// The summary of a fleet's sizing: what is wasted, how sure that is, and the volumes that stand out.
pub fn fleet(record: &FleetRecord, style: Style) -> String {
    fleet::summary(record, style)
}

/// The summary of an account's sizing: as that of a fleet, and what stands out by type, instance and tag.
pub fn account(record: &AccountRecord, style: Style) -> String {
    account::summary(record, style)
}

/// The summary of a profile: how much, how unevenly, how large, and what is not known.
pub fn profile(record: &ProfileRecord, style: Style) -> String {
    profile::summary(record, style)
}
