//! The page of a fleet's sizing.

use askama::Template;
use fathom_record::FleetRecord;

use super::{Figure, SCRIPT, styles};
use crate::pictures_of_fleet::{FleetSpread, of_groups};
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, account_sheet, entry, fleet_sheet as sheet};
use crate::table::Table;
use crate::{ReportError, error};

/// Groups that a table shows; the record has all.
const GROUPS: usize = 50;

#[derive(Template)]
#[template(path = "fleet.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    input: String,
    answers: Vec<Entry>,
    figures: Vec<Figure>,
    sections: Vec<Section>,
    notes: Vec<String>,
    reproduction: Option<Reproduction>,
}

struct Section {
    title: String,
    table: Table,
}

/// Fills in the page.
pub fn page(record: &FleetRecord, spread: &FleetSpread) -> Result<String, ReportError> {
    let mut answers: Vec<Entry> =
        sheet::waste(record).map(|waste| entry("wasted", waste)).into_iter().collect();
    answers.push(entry("choices", sheet::cost(record)));
    answers.push(entry("risk", sheet::risk(record)));
    answers.push(entry("requirements", sheet::terms(record)));
    answers.push(entry("judged", sheet::judged(record)));
    let mut figures = of_groups(&record.by, &record.money.currency);
    figures.extend(spread.figures(record));
    let groups = record.by.iter().map(|grouping| Section {
        title: format!("Totals {}", account_sheet::grouping(grouping)),
        table: account_sheet::groups(grouping, GROUPS),
    });
    let lists = [
        ("Top savings", sheet::volumes(&record.top_savings)),
        ("Too small today", sheet::volumes(&record.too_small)),
        ("Not judged", sheet::reasons(record)),
    ];
    let lists = lists.into_iter().map(|(title, table)| Section { title: title.to_owned(), table });
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: sheet::title(record),
        input: sheet::input(record),
        answers,
        figures: figures.into_iter().map(Figure::from).collect(),
        sections: groups.chain(lists).filter(|section| !section.table.rows.is_empty()).collect(),
        notes: record.notes.clone(),
        reproduction: reproduce::typed(record.command.as_deref()),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}
