//! The page of a profile.

use askama::Template;
use fathom_record::ProfileRecord;

use super::{Figure, SCRIPT, styles};
use crate::pictures_of_profile::of_profile;
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, entry, profile_sheet as sheet};
use crate::table::Table;
use crate::{ReportError, error};

#[derive(Template)]
#[template(path = "profile.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    answers: Vec<Entry>,
    figures: Vec<Figure>,
    windows: Table,
    sizes: Table,
    frequent: Vec<String>,
    envelope: Table,
    notes: Vec<String>,
    reproduction: Option<Reproduction>,
}

/// Fills in the page.
pub fn page(record: &ProfileRecord) -> Result<String, ReportError> {
    let mut answers = vec![
        entry("seen", sheet::seen(record)),
        entry("mix", sheet::mix(record)),
        entry("bursts", sheet::bursts(record)),
    ];
    let layer = record.block_layer.as_ref();
    let further = [
        ("hidden", sheet::hidden(record)),
        ("addresses", record.access.as_ref().map(sheet::access)),
        ("arrivals", layer.map(sheet::arrivals)),
        ("asked by", layer.and_then(sheet::processes)),
    ];
    answers.extend(further.into_iter().filter_map(|(name, text)| Some(entry(name, text?))));
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: format!("Workload profile of {}", record.device.as_deref().unwrap_or(&record.demand.from)),
        answers,
        figures: of_profile(record).into_iter().map(Figure::from).collect(),
        windows: sheet::windows(&record.demand),
        sizes: sheet::sizes(record),
        frequent: sheet::frequent(record),
        envelope: sheet::envelope(record),
        notes: record.notes.clone(),
        reproduction: reproduce::typed(record.command.as_deref()),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
