//! The page of a sizing.

use askama::Template;
use fathom_record::SizingRecord;

use super::{Figure, SCRIPT, styles};
use crate::pictures_of_sizing::of_sizing;
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, entry, profile_sheet, sizing_sheet as sheet};
use crate::table::Table;
use crate::{ReportError, error};

#[derive(Template)]
#[template(path = "sizing.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    demand: String,
    answers: Vec<Entry>,
    figures: Vec<Figure>,
    windows: Table,
    by_type: Table,
    frontier: Table,
    commands: Vec<String>,
    proves: String,
    shorter: Vec<String>,
    shorter_proves: String,
    notes: Vec<String>,
    sources: Vec<String>,
    reproduction: Option<Reproduction>,
}

/// Fills in the page.
pub fn page(record: &SizingRecord) -> Result<String, ReportError> {
    let mut answers = vec![entry("buy", sheet::choice(record))];
    let further = [
        ("in use", sheet::current(record)),
        ("local NVMe instead", sheet::local(record)),
        ("residency", sheet::residency(record)),
    ];
    answers.extend(further.into_iter().filter_map(|(name, text)| Some(entry(name, text?))));
    answers.push(entry("needs", sheet::requirement(record)));
    answers.push(entry("requirements", sheet::terms(record)));
    let proof = record.proof.as_ref();
    let shorter = proof.and_then(|proof| proof.shorter.as_ref());
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: match &record.choice {
            Some(offer) => format!("Buy {}", offer.words),
            None => "No recommendation".to_owned(),
        },
        demand: sheet::demand(record),
        answers,
        figures: of_sizing(record).into_iter().map(Figure::from).collect(),
        windows: profile_sheet::windows(&record.demand),
        by_type: sheet::by_type(record),
        frontier: sheet::frontier(record),
        commands: proof.map(|proof| proof.commands.clone()).unwrap_or_default(),
        proves: proof
            .map(|proof| {
                format!(
                    "It proves the choice if {}. It takes that long because {}.",
                    proof.passes, proof.because
                )
            })
            .unwrap_or_default(),
        shorter: shorter.map(|shorter| shorter.commands.clone()).unwrap_or_default(),
        shorter_proves: shorter.map(sheet::shorter).unwrap_or_default(),
        notes: record.notes.clone(),
        sources: record.sources.iter().map(|s| format!("{} ({}): {}", s.what, s.date, s.source)).collect(),
        reproduction: reproduce::typed(record.command.as_deref()),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
