//! An account's sizing: what is bought and not used, at volumes and at instances, and the changes to review.

use fathom_record::AccountRecord;
use fathom_record::account_record::{AccountPlace, AtInstance, HeldVolume, HeldVolumes, VolumeChange};
use fathom_record::fleet_record::FleetGrouping;

use super::sizing_sheet::month;
use crate::number;
use crate::table::{Table, numbers, titles, words};

/// The whole in one sentence.
pub fn title(record: &AccountRecord) -> String {
    let volumes: u64 = record.places.iter().map(|place| place.volumes).sum();
    let places = match record.places.as_slice() {
        [only] => name(only),
        places => format!("{} places", places.len()),
    };
    format!("{} volumes of {places}", number::count(volumes))
}

/// A place's name.
pub fn name(place: &AccountPlace) -> String {
    let words = place.account.iter().chain(&place.profile).chain([&place.region]);
    words.cloned().collect::<Vec<_>>().join(", ")
}

/// What was read, and at what cost of calls.
pub fn read(place: &AccountPlace) -> String {
    let what = format!(
        "{} volumes, {} instances, {} rows",
        number::count(place.volumes),
        number::count(place.instances),
        number::count(place.fleet.rows)
    );
    let Some(reading) = &place.reading else {
        return format!("{what}, from {}", place.fleet.from.join(", "));
    };
    let days = (reading.to_unix_s - reading.from_unix_s) as f64 / 86_400.0;
    let calls = match (reading.calls, reading.throttled) {
        (1, 0) => "from what was kept".to_owned(),
        (calls, 0) => format!("by {} calls", number::count(calls)),
        (calls, again) => {
            format!(
                "by {} calls; AWS throttled {} times, which was waited out",
                number::count(calls),
                number::count(again)
            )
        }
    };
    format!(
        "{what} of {days:.1} days in periods of {} s, {calls}; kept in {}",
        reading.period_s, reading.kept
    )
}

/// How many volumes are held for nothing, and what for.
pub fn held(held: &HeldVolumes, currency: &str) -> String {
    format!(
        "{} volumes, {} GiB, {}",
        number::count(held.volumes),
        number::count(held.size_gib),
        month(held.month, currency)
    )
}

/// What gp2 costs beside the gp3 that equals it.
pub fn gp2(place: &AccountPlace) -> Option<String> {
    let (gp2, currency) = (&place.gp2, &place.fleet.money.currency);
    (gp2.volumes > 0).then(|| {
        format!(
            "{} gp2 volumes, {}; as gp3 that lets at least as much through {} ({} would be cheaper)",
            number::count(gp2.volumes),
            month(gp2.month, currency),
            month(gp2.as_gp3_month, currency),
            number::count(gp2.cheaper)
        )
    })
}

/// What the changes save.
pub fn change_sum(place: &AccountPlace) -> String {
    let currency = &place.fleet.money.currency;
    let saves: f64 = place.changes.iter().map(|change| change.saves_month.max(0.0)).sum();
    let more: f64 = place.changes.iter().map(|change| (-change.saves_month).max(0.0)).sum();
    format!(
        "{} volumes to change: {} less, {} more for those that are too small",
        number::count(place.changes.len() as u64),
        month(saves, currency),
        month(more, currency)
    )
}

/// Groups of volumes.
pub fn groups(grouping: &FleetGrouping, most: usize) -> Table {
    let mut table = Table::new(&[
        titles("group", 0),
        numbers("volumes", 1),
        numbers("today per month", 2),
        numbers("wasted per month", 0),
        numbers("oversized", 3),
        numbers("more per month", 4),
        numbers("too small", 5),
    ]);
    for group in grouping.groups.iter().take(most) {
        table.row([
            group.group.clone(),
            number::count(group.volumes),
            format!("{:.2}", group.current_month),
            format!("{:.2}", group.waste_month),
            number::count(group.cheaper),
            format!("{:.2}", group.more_month),
            number::count(group.dearer),
        ]);
    }
    table
}

/// Volumes and what they cost.
pub fn held_volumes(volumes: &[HeldVolume]) -> Table {
    let mut table =
        Table::new(&[words("volume", 0), words("today", 1), numbers("per month", 0), words("instance", 2)]);
    for volume in volumes {
        table.row([
            volume.volume.clone(),
            volume.current.clone(),
            volume.month.map_or_else(|| "not known".to_owned(), |month| format!("{month:.2}")),
            volume.instance.clone().unwrap_or_default(),
        ]);
    }
    table
}

/// Instances beside what their volumes have bought.
pub fn at_instances(instances: &[AtInstance]) -> Table {
    let mut table = Table::new(&[
        words("instance", 0),
        words("type", 1),
        numbers("volumes", 5),
        numbers("IOPS bought", 0),
        numbers("let through", 0),
        numbers("needed", 2),
        numbers("bytes bought", 3),
        numbers("let through", 3),
        words("finding", 4),
    ]);
    for at in instances {
        table.row([
            at.name.as_ref().map_or_else(|| at.instance.clone(), |name| format!("{} ({name})", at.instance)),
            at.instance_type.clone(),
            number::count(at.volumes),
            number::count(at.bought_iops),
            number::count(at.most_iops),
            at.needs_iops.map_or_else(String::new, number::count),
            number::throughput(at.bought_bytes_per_s as f64),
            number::throughput(at.most_bytes_per_s as f64),
            at.finding.clone(),
        ]);
    }
    table
}

/// Changes with the reasons for them.
pub fn changes(changes: &[VolumeChange]) -> Table {
    let mut table = Table::new(&[
        words("volume", 0),
        words("today", 2),
        words("then", 1),
        numbers("saves per month", 0),
        words("because", 3),
    ]);
    for change in changes {
        table.row([
            change.volume.clone(),
            change.from.clone(),
            change.to.clone(),
            format!("{:.2}", change.saves_month),
            change.why.clone(),
        ]);
    }
    table
}

/// How a grouping is called.
pub fn grouping(grouping: &FleetGrouping) -> String {
    match grouping.by.split_once(':') {
        Some((_, key)) => format!("by tag {key}"),
        None => format!("by {}", grouping.by),
    }
}
