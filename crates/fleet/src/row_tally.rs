//! A fleet's rows as sums, reasons and the volumes that stand out; bounded, however many rows there are.
//!
//! Tallies of parts merge to that of the whole, whatever the parts and their order: amounts and chances are added up
//! as whole numbers, what is listed is the first by a total order, and what does not fit is what comes last by it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use fathom_order::InOrder;
use fathom_record::fleet_record::{FleetMoney, FleetReason, FleetRisk, FleetRow, FleetStatus};
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Volumes.
    pub volumes: u64,
    /// Those with a choice.
    pub sized: u64,
    /// Those of them whose series shows supply.
    pub throttled: u64,
    money: Money,
    risk: Risk,
    reasons: BTreeMap<String, Reason>,
    /// Of volumes whose reasons are not told apart.
    other_reasons: Reason,
    savings: Vec<FleetRow>,
    too_small: Vec<FleetRow>,
    kinds: BTreeMap<String, NoteKind>,
}

/// Amounts of a month in millionths of the currency's unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Money {
    chosen: i128,
    current: i128,
    compared: i128,
    waste: i128,
    more: i128,
    volumes: u64,
    cheaper: u64,
    dearer: u64,
}

/// Chances in millionths, and how many volumes have one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Risk {
    chosen: u64,
    chosen_expected: u128,
    current: u64,
    current_with_chance: u64,
    current_expected: u128,
    current_failed: u64,
}

/// Volumes without a choice for one reason, and the first of them by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reason {
    volumes: u64,
    examples: Vec<String>,
}

/// A note that several volumes have, but for its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NoteKind {
    volumes: u64,
    /// The first of them by name, and what is said of it.
    first: (String, String),
}

impl Tally {
    /// Counts a row.
    pub fn put(&mut self, row: &FleetRow) {
        self.volumes += 1;
        if row.status == FleetStatus::NotJudged {
            // What stands behind the colon is the volume's own. The text is all there is to go by: rows are counted
            // too that were read back from a table of verdicts, and none that was written so far has a column for it.
            let kind = row.reason.split(": ").next().unwrap_or_default();
            let one = Reason { volumes: 1, examples: vec![row.volume.clone()] };
            put_reason(&mut self.reasons, &mut self.other_reasons, kind, one);
        } else {
            self.sized += 1;
            self.throttled += u64::from(row.status == FleetStatus::Throttled);
        }
        for note in &row.notes {
            // As with reasons: a table of verdicts has the sentences alone.
            let kind: String = note.chars().filter(|c| !c.is_ascii_digit()).collect();
            put_kind(
                &mut self.kinds,
                kind,
                NoteKind { volumes: 1, first: (row.volume.clone(), note.clone()) },
            );
        }
        self.money.put(row);
        self.risk.put(row);
        if row.saves_month.is_some_and(|saves| saves > 0.0) {
            self.savings.push(row.clone());
            shorten(&mut self.savings, 2 * LISTED, by_savings);
        }
        if row.current_holds == Some(false) {
            self.too_small.push(row.clone());
            shorten(&mut self.too_small, 2 * LISTED, by_shortage);
        }
    }

    /// Counts what another tally counted.
    pub fn merge(&mut self, other: Self) {
        self.volumes += other.volumes;
        self.sized += other.sized;
        self.throttled += other.throttled;
        self.money.merge(&other.money);
        self.risk.merge(&other.risk);
        self.other_reasons.merge(other.other_reasons);
        for (kind, reason) in other.reasons {
            put_reason(&mut self.reasons, &mut self.other_reasons, &kind, reason);
        }
        for (kind, notes) in other.kinds {
            put_kind(&mut self.kinds, kind, notes);
        }
        self.savings.extend(other.savings);
        self.too_small.extend(other.too_small);
        shorten(&mut self.savings, 2 * LISTED, by_savings);
        shorten(&mut self.too_small, 2 * LISTED, by_shortage);
    }

    /// What was wrong with rows and what was done about it, the most frequent first: with the number of volumes
    /// and one of them.
    pub fn notes(&self) -> Vec<String> {
        let mut kinds: Vec<&NoteKind> = self.kinds.values().collect();
        kinds.put_in_order_by(|a, b| b.volumes.cmp(&a.volumes).then_with(|| a.first.1.cmp(&b.first.1)));
        let told = |kind: &&NoteKind| {
            let (volume, note) = &kind.first;
            match kind.volumes {
                1 => format!("{volume}: {note}"),
                volumes => format!("{volumes} volumes, as {volume}: {note}"),
            }
        };
        let mut notes: Vec<String> = kinds.iter().take(TOLD).map(told).collect();
        if kinds.len() > TOLD {
            notes.push(format!("{} more kinds of notes stand in the rows.", kinds.len() - TOLD));
        }
        notes
    }

    /// A month of them, in this currency.
    pub fn money(&self, currency: String) -> FleetMoney {
        let amount = |micros: i128| micros as f64 / 1e6;
        let money = &self.money;
        FleetMoney {
            currency,
            chosen_month: amount(money.chosen),
            compared: money.volumes,
            current_month: amount(money.current),
            compared_month: amount(money.compared),
            waste_month: amount(money.waste),
            cheaper: money.cheaper,
            more_month: amount(money.more),
            dearer: money.dearer,
        }
    }

    /// How sure that is.
    pub fn risk(&self) -> FleetRisk {
        let expected = |volumes: u64, millionths: u128| (volumes > 0).then(|| millionths as f64 / 1e6);
        let risk = &self.risk;
        FleetRisk {
            chosen: risk.chosen,
            chosen_expected: expected(risk.chosen, risk.chosen_expected),
            current: risk.current,
            current_expected: expected(risk.current_with_chance, risk.current_expected),
            current_failed: risk.current_failed,
        }
    }

    /// Reasons, the most frequent first.
    pub fn reasons(&self) -> Vec<FleetReason> {
        let others = "other reasons".to_owned();
        let others = (self.other_reasons.volumes > 0).then_some((&others, &self.other_reasons));
        let told = |(reason, of): (&String, &Reason)| FleetReason {
            reason: reason.clone(),
            volumes: of.volumes,
            examples: of.examples.clone(),
        };
        let mut reasons: Vec<FleetReason> = self.reasons.iter().chain(others).map(told).collect();
        reasons.put_in_order_by(|a, b| b.volumes.cmp(&a.volumes).then_with(|| a.reason.cmp(&b.reason)));
        reasons
    }

    /// The volumes that save most, in that order.
    pub fn top_savings(&self) -> Vec<FleetRow> {
        listed(&self.savings, by_savings)
    }

    /// Volumes that have less than they needed, those with the least headroom first.
    pub fn too_small(&self) -> Vec<FleetRow> {
        listed(&self.too_small, by_shortage)
    }
}

impl Money {
    fn put(&mut self, row: &FleetRow) {
        let micros = |amount: f64| (amount * 1e6).round() as i128;
        let Some(chosen) = row.offer_month.map(micros) else { return };
        self.chosen += chosen;
        let (Some(current), Some(saves)) = (row.current_month, row.saves_month) else { return };
        self.volumes += 1;
        self.current += micros(current);
        self.compared += chosen;
        let saves = micros(saves);
        self.cheaper += u64::from(saves > 0);
        self.waste += saves.max(0);
        self.dearer += u64::from(saves < 0);
        self.more += (-saves).max(0);
    }

    fn merge(&mut self, other: &Self) {
        self.chosen += other.chosen;
        self.current += other.current;
        self.compared += other.compared;
        self.waste += other.waste;
        self.more += other.more;
        self.volumes += other.volumes;
        self.cheaper += other.cheaper;
        self.dearer += other.dearer;
    }
}

impl Risk {
    fn put(&mut self, row: &FleetRow) {
        let millionths = |chance: f64| (chance * 1e6).round() as u128;
        if let Some(chance) = row.offer_risk {
            self.chosen += 1;
            self.chosen_expected += millionths(chance);
        }
        if let Some(holds) = row.current_holds {
            self.current += 1;
            self.current_failed += u64::from(!holds);
        }
        if let Some(chance) = row.current_risk {
            self.current_with_chance += 1;
            self.current_expected += millionths(chance);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.chosen += other.chosen;
        self.chosen_expected += other.chosen_expected;
        self.current += other.current;
        self.current_with_chance += other.current_with_chance;
        self.current_expected += other.current_expected;
        self.current_failed += other.current_failed;
    }
}

impl Reason {
    fn merge(&mut self, other: Self) {
        self.volumes += other.volumes;
        self.examples.extend(other.examples);
        self.examples.sort_unstable();
        self.examples.truncate(EXAMPLES);
    }
}

/// What does not fit goes to the others: the last by name, which is the same in any order.
fn put_reason(reasons: &mut BTreeMap<String, Reason>, others: &mut Reason, kind: &str, reason: Reason) {
    match reasons.get_mut(kind) {
        Some(known) => known.merge(reason),
        None => drop(reasons.insert(kind.to_owned(), reason)),
    }
    if reasons.len() > REASONS
        && let Some((_, last)) = reasons.pop_last()
    {
        others.merge(last);
    }
}

fn put_kind(kinds: &mut BTreeMap<String, NoteKind>, kind: String, notes: NoteKind) {
    match kinds.get_mut(&kind) {
        Some(known) => {
            known.volumes += notes.volumes;
            if notes.first < known.first {
                known.first = notes.first;
            }
        }
        None => drop(kinds.insert(kind, notes)),
    }
    if kinds.len() > KINDS {
        kinds.pop_last();
    }
}

fn by_savings(a: &FleetRow, b: &FleetRow) -> Ordering {
    let saves = |row: &FleetRow| row.saves_month.unwrap_or(0.0);
    saves(b).total_cmp(&saves(a)).then_with(|| a.volume.cmp(&b.volume))
}

fn by_shortage(a: &FleetRow, b: &FleetRow) -> Ordering {
    let headroom = |row: &FleetRow| row.current_headroom.unwrap_or(0.0);
    headroom(a).total_cmp(&headroom(b)).then_with(|| a.volume.cmp(&b.volume))
}

/// Keeps the first of a list that is longer than so many.
fn shorten(rows: &mut Vec<FleetRow>, most: usize, order: fn(&FleetRow, &FleetRow) -> Ordering) {
    if rows.len() > most {
        rows.sort_by(order);
        rows.truncate(LISTED);
    }
}

fn listed(rows: &[FleetRow], order: fn(&FleetRow, &FleetRow) -> Ordering) -> Vec<FleetRow> {
    let mut rows = rows.to_vec();
    shorten(&mut rows, 0, order);
    rows
}

#[cfg(test)]
mod tests;
