//! The page of an account's sizing.

use askama::Template;
use fathom_record::AccountRecord;
use fathom_record::account_record::AccountPlace;

use super::{Figure, SCRIPT, styles};
use crate::pictures_of_fleet::of_groups;
use crate::reproduce::{self, Reproduction};
use crate::sheet::{Entry, account_sheet as sheet, entry, fleet_sheet};
use crate::table::Table;
use crate::{ReportError, error};

/// Groups that a table shows.
const GROUPS: usize = 50;
/// Instances and commands that a page shows; the record has all.
const SHOWN: usize = 200;

#[derive(Template)]
#[template(path = "account.html")]
struct Page {
    styles: String,
    script: &'static str,
    title: String,
    places: Vec<Place>,
    failed: Vec<String>,
    notes: Vec<String>,
    reproduction: Option<Reproduction>,
}

struct Place {
    name: String,
    answers: Vec<Entry>,
    figures: Vec<Figure>,
    sections: Vec<Section>,
    sum: String,
    changes: Table,
    commands: Vec<String>,
    left_out: usize,
    notes: Vec<String>,
}

struct Section {
    title: String,
    table: Table,
}

/// Fills in the page.
pub fn page(record: &AccountRecord) -> Result<String, ReportError> {
    let failed = record.failed.iter().map(|place| {
        let profile = place.profile.as_ref().map_or_else(String::new, |profile| format!("{profile}, "));
        format!("{profile}{} was not read: {}. {}", place.region, place.cause, place.remedy)
    });
    let page = Page {
        styles: styles(),
        script: SCRIPT,
        title: sheet::title(record),
        places: record.places.iter().map(place).collect(),
        failed: failed.collect(),
        notes: record.notes.clone(),
        reproduction: reproduce::typed(record.command.as_deref()),
    };
    Ok(crate::escape::page(&page.render().map_err(error::unfilled)?))
}

fn place(place: &AccountPlace) -> Place {
    let record = &place.fleet;
    let currency = &record.money.currency;
    let mut answers: Vec<Entry> =
        fleet_sheet::waste(record).map(|waste| entry("wasted", waste)).into_iter().collect();
    answers.push(entry("choices", fleet_sheet::cost(record)));
    answers.push(entry("risk", fleet_sheet::risk(record)));
    answers.push(entry("requirements", fleet_sheet::terms(record)));
    answers.push(entry("judged", fleet_sheet::judged(record)));
    answers.push(entry("unattached", sheet::held(&place.unattached, currency)));
    answers.push(entry("idle", sheet::held(&place.idle, currency)));
    answers.extend(sheet::gp2(place).map(|gp2| entry("gp2 to gp3", gp2)));
    answers.push(entry("read", sheet::read(place)));
    let mut sections: Vec<Section> = Vec::new();
    let mut add = |title: &str, table: Table| {
        if !table.rows.is_empty() {
            sections.push(Section { title: title.to_owned(), table });
        }
    };
    for grouping in &record.by {
        add(&format!("Totals {}", sheet::grouping(grouping)), sheet::groups(grouping, GROUPS));
    }
    let instances = &place.at_instances[..place.at_instances.len().min(SHOWN)];
    add("Limited by the instance, not the volume", sheet::at_instances(instances));
    add("Top savings", fleet_sheet::volumes(&record.top_savings));
    add("Too small today", fleet_sheet::volumes(&record.too_small));
    add("Attached to nothing", sheet::held_volumes(&place.unattached.listed));
    add("Attached and idle", sheet::held_volumes(&place.idle.listed));
    add("Not judged", fleet_sheet::reasons(record));
    let shown = &place.changes[..place.changes.len().min(SHOWN)];
    Place {
        name: sheet::name(place),
        answers,
        figures: of_groups(&record.by, currency).into_iter().map(Figure::from).collect(),
        sections,
        sum: sheet::change_sum(place),
        changes: sheet::changes(shown),
        commands: shown.iter().map(|change| change.command.clone()).collect(),
        left_out: place.changes.len() - shown.len(),
        notes: record.notes.iter().chain(&place.notes).cloned().collect(),
    }
}
