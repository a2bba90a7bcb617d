//! The terminal summary of an account's sizing.

use fathom_record::AccountRecord;
use fathom_record::account_record::AccountPlace;

use super::Style;
use super::fleet_sizing_summary::add_answer;
use super::paint::{Sheet, Tone};
use crate::sheet::account_sheet as sheet;

/// Width of the names' column.
const NAMES: usize = 13;
/// What a terminal shows of each list; the record has more.
const SHOWN: usize = 10;

/// Writes it.
pub fn summary(record: &AccountRecord, style: Style) -> String {
    let mut out = Sheet::new(style);
    for place in &record.places {
        out.gap();
        put_place(&mut out, place);
    }
    if !record.failed.is_empty() {
        out.gap();
        out.text("not read", 0, Some(Tone::Title));
        let failed = record.failed.iter().map(|place| {
            let profile = place.profile.as_ref().map_or_else(String::new, |profile| format!("{profile}, "));
            format!("{profile}{}: {}", place.region, place.cause)
        });
        out.items(&failed.collect::<Vec<_>>(), None);
    }
    let place_notes = record.places.iter().flat_map(|place| place.fleet.notes.iter().chain(&place.notes));
    let mut notes: Vec<String> = place_notes.chain(&record.notes).cloned().collect();
    let mut known = std::collections::BTreeSet::new();
    notes.retain(|note| known.insert(note.clone()));
    if !notes.is_empty() {
        out.gap();
        out.text("notes", 0, Some(Tone::Title));
        out.items(&notes, Some(Tone::Quiet));
    }
    out.finish()
}

fn put_place(out: &mut Sheet, place: &AccountPlace) {
    let currency = &place.fleet.money.currency;
    out.text(&sheet::name(place), 0, Some(Tone::Title));
    add_answer(out, &place.fleet, &sheet::read(place));
    for (name, held) in [("unattached", &place.unattached), ("idle", &place.idle)] {
        if held.volumes > 0 {
            out.named(name, &sheet::held(held, currency), (NAMES, None));
        }
    }
    if let Some(gp2) = sheet::gp2(place) {
        out.named("gp2 to gp3", &gp2, (NAMES, None));
    }
    for grouping in place.fleet.by.iter().filter(|grouping| !grouping.groups.is_empty()) {
        out.gap();
        out.text(&sheet::grouping(grouping), 0, Some(Tone::Title));
        out.table(&sheet::groups(grouping, SHOWN));
    }
    if !place.at_instances.is_empty() {
        out.gap();
        out.text("limited by the instance, not the volume", 0, Some(Tone::Title));
        out.table(&sheet::at_instances(&place.at_instances[..place.at_instances.len().min(SHOWN)]));
    }
    if !place.changes.is_empty() {
        out.gap();
        out.text(&sheet::change_sum(place), 0, Some(Tone::Title));
        place.changes.iter().take(SHOWN).for_each(|change| out.command(&change.command, 2));
        if place.changes.len() > SHOWN {
            let more = place.changes.len() - SHOWN;
            out.text(
                &format!("{more} more: --report account.html, or --json=account.json"),
                2,
                Some(Tone::Quiet),
            );
        }
    }
    if !place.fleet.not_judged.is_empty() {
        out.gap();
        out.text("not judged", 0, Some(Tone::Title));
        out.table(&crate::sheet::fleet_sheet::reasons(&place.fleet));
    }
}
