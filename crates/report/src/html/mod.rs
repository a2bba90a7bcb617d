//! One self-contained page for a run or a campaign: verdict first, self-checks last, no network.
//!
//! The page needs no script; a few lines of it show what a point says sooner than the browser's own hint.

mod account_page;
mod analysis_page;
mod assess_page;
mod compare_page;
mod embedded_record;
mod explain_page;
mod fleet_page;
mod profile_page;
mod repeat_page;
mod run_page;
mod sizing_page;
mod sweep_page;

use fathom_record::analysis_record::Analysis;
use fathom_record::{AccountRecord, CampaignRecord, FleetRecord, ProfileRecord, RunRecord, SizingRecord};

use self::embedded_record::RecordSource;
use crate::ReportError;
use crate::pictures;
use crate::pictures_of_fleet::FleetSpread;
use crate::sheet::Entry;
use crate::table::Table;

const STYLE: &str = include_str!("../../templates/page.css");
const SCRIPT: &str = include_str!("../../templates/page.js");

/// A figure as the page holds it.
struct Figure {
    title: String,
    caption: String,
    svg: String,
}

impl From<pictures::Figure> for Figure {
    fn from(figure: pictures::Figure) -> Self {
        Self { svg: figure.picture.inline(), title: figure.title, caption: figure.caption }
    }
}

/// Styles, colours included.
fn styles() -> String {
    theme() + STYLE
}

/// Titled lists and tables of the surroundings, in the order of the page.
struct Surroundings {
    target: Vec<Entry>,
    instrument: Vec<Entry>,
    machine: Vec<Entry>,
    facts: Table,
    preflight_summary: String,
    preflight: Table,
}

/// Colours by role as style variables, in light and dark, for other pages that are to look like these.
pub fn theme() -> String {
    crate::chart::page_styles()
}

/// The page of one run.
///
/// # Errors
/// When a histogram of the record is damaged, or the template fails.
pub fn run(record: &RunRecord) -> Result<String, ReportError> {
    embedded_record::with_record(
        run_page::page(record)?,
        record,
        &record.id,
        &RecordSource::Saved(&record.id),
    )
}

/// The page of an analysis, every run in it.
///
/// # Errors
/// When the template fails.
pub fn analysis(analysis: &Analysis) -> Result<String, ReportError> {
    analysis_page::page(analysis)
}

/// The page of a profile: the demand over time, how large it was, and who asked.
///
/// # Errors
/// When the template fails.
pub fn profile(record: &ProfileRecord) -> Result<String, ReportError> {
    embedded_record::with_record(profile_page::page(record)?, record, "profile", &RecordSource::ByItsCommand)
}

/// The page of a sizing: what to buy, the demand with the choice's limits, and what it rests on.
///
/// # Errors
/// When the template fails.
pub fn sizing(record: &SizingRecord) -> Result<String, ReportError> {
    embedded_record::with_record(sizing_page::page(record)?, record, "sizing", &RecordSource::ByItsCommand)
}

/// The page of a fleet's sizing: what is wasted and by whom, how its volumes are spread, and why some were not judged.
///
/// # Errors
/// When the template fails.
pub fn fleet(record: &FleetRecord, spread: &FleetSpread) -> Result<String, ReportError> {
    embedded_record::with_record(
        fleet_page::page(record, spread)?,
        record,
        "fleet",
        &RecordSource::ByItsCommand,
    )
}

/// The page of an account's sizing: what is wasted where, and the changes to review.
///
/// # Errors
/// When the template fails.
pub fn account(record: &AccountRecord) -> Result<String, ReportError> {
    embedded_record::with_record(account_page::page(record)?, record, "account", &RecordSource::ByItsCommand)
}

/// The page of a campaign. Runs that are not among `runs` are left out of the pictures; the page says so.
///
/// # Errors
/// When a histogram of a record is damaged, or the template fails.
pub fn campaign(record: &CampaignRecord, runs: &[RunRecord]) -> Result<String, ReportError> {
    let page = match record {
        CampaignRecord::Assess(record) => assess_page::page(record, runs),
        CampaignRecord::Sweep(record) => sweep_page::page(record, runs),
        CampaignRecord::Compare(record) => compare_page::page(record, runs),
        CampaignRecord::Explain(record) => explain_page::page(record),
        CampaignRecord::Repeat(record) => repeat_page::page(record, runs),
    }?;
    embedded_record::with_record(page, record, record.id(), &RecordSource::Saved(record.id()))
}
