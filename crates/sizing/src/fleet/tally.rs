//! A fleet's rows as sums, reasons and the volumes that stand out; bounded, however many rows there are.

use std::collections::BTreeMap;

use fathom_record::fleet::{FleetMoney, FleetReason, FleetRisk, FleetRow, FleetStatus};

/// Volumes that are listed.
const LISTED: usize = 20;
/// Reasons that are told apart; what people type into tables must not fill the memory.
const REASONS: usize = 1000;
/// Kinds of notes that are told apart, and those that are told.
const KINDS: usize = 1000;
const TOLD: usize = 12;
/// Volumes that a reason names.
const EXAMPLES: usize = 3;

/// Sums so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Volumes.
    pub volumes: u64,
    /// Those with a choice.
    pub sized: u64,
    /// Those of them whose series shows supply.
    pub throttled: u64,
    /// A month of them.
    pub money: FleetMoney,
    /// How sure that is.
    pub risk: FleetRisk,
    reasons: BTreeMap<String, (u64, Vec<String>)>,
    savings: Vec<FleetRow>,
    too_small: Vec<FleetRow>,
    kinds: BTreeMap<String, NoteKind>,
}

/// A note that several volumes have, but for its numbers.
#[derive(Clone, Debug)]
struct NoteKind {
    volumes: u64,
    /// The first of them, and what is said of it.
    as_volume: String,
    note: String,
}

impl Tally {
    /// Counts a row.
    pub fn put(&mut self, row: &FleetRow) {
        self.volumes += 1;
        if row.status == FleetStatus::NotJudged {
            self.put_reason(row);
        } else {
            self.sized += 1;
            self.throttled += u64::from(row.status == FleetStatus::Throttled);
        }
        row.notes.iter().for_each(|note| self.put_note(&row.volume, note));
        self.put_money(row);
        self.put_risk(row);
        if row.saves_month.is_some_and(|saves| saves > 0.0) {
            self.savings.push(row.clone());
            shorten(&mut self.savings, 2 * LISTED, by_savings);
        }
        if row.current_holds == Some(false) {
            self.too_small.push(row.clone());
            shorten(&mut self.too_small, 2 * LISTED, by_shortage);
        }
    }

    fn put_reason(&mut self, row: &FleetRow) {
        // What stands behind the colon is the volume's own.
        let kind = row.reason.split(": ").next().unwrap_or_default();
        let known = self.reasons.len() < REASONS || self.reasons.contains_key(kind);
        let reason = if known { kind } else { "other reasons" };
        let (volumes, examples) = self.reasons.entry(reason.to_owned()).or_default();
        *volumes += 1;
        if examples.len() < EXAMPLES {
            examples.push(row.volume.clone());
        }
    }

    fn put_note(&mut self, volume: &str, note: &str) {
        let kind: String = note.chars().filter(|c| !c.is_ascii_digit()).collect();
        if self.kinds.len() >= KINDS && !self.kinds.contains_key(&kind) {
            return;
        }
        let new = || NoteKind { volumes: 0, as_volume: volume.to_owned(), note: note.to_owned() };
        self.kinds.entry(kind).or_insert_with(new).volumes += 1;
    }

    /// What was wrong with rows and what was done about it, the most frequent first: with the number of volumes
    /// and one of them.
    pub fn notes(&self) -> Vec<String> {
        let mut kinds: Vec<&NoteKind> = self.kinds.values().collect();
        kinds.sort_by(|a, b| b.volumes.cmp(&a.volumes).then_with(|| a.note.cmp(&b.note)));
        let told = |kind: &&NoteKind| match kind.volumes {
            1 => format!("{}: {}", kind.as_volume, kind.note),
            volumes => format!("{volumes} volumes, as {}: {}", kind.as_volume, kind.note),
        };
        let mut notes: Vec<String> = kinds.iter().take(TOLD).map(told).collect();
        if kinds.len() > TOLD {
            notes.push(format!("{} more kinds of notes stand in the rows.", kinds.len() - TOLD));
        }
        notes
    }

    fn put_money(&mut self, row: &FleetRow) {
        let Some(chosen) = row.offer_month else { return };
        let money = &mut self.money;
        money.chosen_month += chosen;
        let (Some(current), Some(saves)) = (row.current_month, row.saves_month) else { return };
        money.compared += 1;
        money.current_month += current;
        money.compared_month += chosen;
        if saves > 0.0 {
            money.cheaper += 1;
            money.waste_month += saves;
        } else if saves < 0.0 {
            money.dearer += 1;
            money.more_month -= saves;
        }
    }

    fn put_risk(&mut self, row: &FleetRow) {
        let risk = &mut self.risk;
        if let Some(chance) = row.offer_risk {
            risk.chosen += 1;
            *risk.chosen_expected.get_or_insert(0.0) += chance;
        }
        if let Some(holds) = row.current_holds {
            risk.current += 1;
            risk.current_failed += u64::from(!holds);
        }
        if let Some(chance) = row.current_risk {
            *risk.current_expected.get_or_insert(0.0) += chance;
        }
    }

    /// Reasons, the most frequent first.
    pub fn reasons(&self) -> Vec<FleetReason> {
        let reason = |(reason, (volumes, examples)): (&String, &(u64, Vec<String>))| FleetReason {
            reason: reason.clone(),
            volumes: *volumes,
            examples: examples.clone(),
        };
        let mut reasons: Vec<FleetReason> = self.reasons.iter().map(reason).collect();
        reasons.sort_by(|a, b| b.volumes.cmp(&a.volumes).then_with(|| a.reason.cmp(&b.reason)));
        reasons
    }

    /// The volumes that save most, in that order.
    pub fn top_savings(&mut self) -> Vec<FleetRow> {
        shorten(&mut self.savings, 0, by_savings);
        std::mem::take(&mut self.savings)
    }

    /// Volumes that have less than they needed, those with the least headroom first.
    pub fn too_small(&mut self) -> Vec<FleetRow> {
        shorten(&mut self.too_small, 0, by_shortage);
        std::mem::take(&mut self.too_small)
    }
}

fn by_savings(a: &FleetRow, b: &FleetRow) -> std::cmp::Ordering {
    let saves = |row: &FleetRow| row.saves_month.unwrap_or(0.0);
    saves(b).total_cmp(&saves(a)).then_with(|| a.volume.cmp(&b.volume))
}

fn by_shortage(a: &FleetRow, b: &FleetRow) -> std::cmp::Ordering {
    let headroom = |row: &FleetRow| row.current_headroom.unwrap_or(0.0);
    headroom(a).total_cmp(&headroom(b)).then_with(|| a.volume.cmp(&b.volume))
}

/// Keeps the first of a list that is longer than so many.
fn shorten(rows: &mut Vec<FleetRow>, most: usize, order: fn(&FleetRow, &FleetRow) -> std::cmp::Ordering) {
    if rows.len() > most {
        rows.sort_by(order);
        rows.truncate(LISTED);
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::unjudged;
    use super::*;

    fn row(name: usize, saves: f64) -> FleetRow {
        FleetRow {
            status: FleetStatus::Sized,
            offer_month: Some(100.0),
            offer_risk: Some(0.25),
            current_month: Some(100.0 + saves),
            current_holds: Some(saves >= 0.0),
            current_headroom: Some(1.0 + saves / 1000.0),
            saves_month: Some(saves),
            ..unjudged(&format!("v{name:05}"), "")
        }
    }

    #[test]
    fn sums_and_lists_do_not_depend_on_the_order() {
        let saves = |i: usize| (i * 7919 % 1000) as f64 - 200.0;
        let tally = |order: &mut dyn Iterator<Item = usize>| {
            let mut tally = Tally::default();
            order.for_each(|i| tally.put(&row(i, saves(i))));
            tally
        };
        let (mut forward, mut back) = (tally(&mut (0..1000)), tally(&mut (0..1000).rev()));
        assert_eq!((forward.money.cheaper, forward.money.dearer, forward.money.compared), (799, 200, 1000));
        assert_eq!(forward.money.waste_month, (1..800).map(f64::from).sum::<f64>());
        assert_eq!(forward.money.more_month, (1..=200).map(f64::from).sum::<f64>());
        assert_eq!((forward.risk.chosen_expected, forward.risk.current_failed), (Some(250.0), 200));
        let listed = forward.top_savings();
        assert_eq!(
            (listed.len(), listed[0].saves_month, listed[19].saves_month),
            (20, Some(799.0), Some(780.0))
        );
        assert_eq!(listed, back.top_savings());
        assert_eq!(forward.too_small()[0].saves_month, Some(-200.0));
        assert_eq!(back.too_small().len(), 20);
    }

    #[test]
    fn notes_are_told_once_with_how_many_volumes_have_them() {
        let mut tally = Tally::default();
        for i in 1..=5 {
            let notes = [format!("{i} rows repeat."), "Odd.".to_owned()];
            tally.put(&FleetRow { notes: notes[..1 + i / 5].to_vec(), ..row(i, 0.0) });
        }
        assert_eq!(tally.notes(), ["5 volumes, as v00001: 1 rows repeat.", "v00005: Odd."]);
        for i in 0..2 * KINDS {
            let own: String = format!("{i:b}").replace('0', "a").replace('1', "b");
            tally.put(&FleetRow { notes: vec![own], ..row(i, 0.0) });
        }
        assert_eq!((tally.notes().len(), tally.kinds.len()), (TOLD + 1, KINDS));
    }

    #[test]
    fn reasons_are_counted_and_bounded() {
        let mut tally = Tally::default();
        for i in 0..5000 {
            let own = format!("x: its own {i}");
            tally.put(&unjudged("v", if i % 2 == 0 { "no I/O was seen" } else { &own }));
            tally.put(&unjudged("v", &format!("odd {i}")));
        }
        let reasons = tally.reasons();
        assert_eq!(reasons.len(), REASONS + 1);
        assert!(reasons[0].volumes > reasons[1].volumes && reasons[1].volumes == 2500);
        assert_eq!(reasons[1].examples.len(), 3);
    }
}
