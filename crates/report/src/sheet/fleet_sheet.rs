//! A fleet's sizing: what it costs, what is wasted, how sure that is, and the volumes that stand out.

use fathom_record::FleetRecord;
use fathom_record::fleet_record::FleetRow;

use super::sizing_sheet::month;
use crate::number;
use crate::table::{Table, numbers, words};

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// The whole in one sentence.
pub fn title(record: &FleetRecord) -> String {
    let money = &record.money;
    let volumes = number::count(record.volumes);
    if money.compared > 0 && money.waste_month > 0.0 {
        return format!(
            "{} wasted by a fleet of {volumes} volumes",
            month(money.waste_month, &money.currency)
        );
    }
    format!("A fleet of {volumes} volumes")
}

/// What was read, in one sentence.
pub fn input(record: &FleetRecord) -> String {
    format!(
        "{} volumes, {} rows, from {}",
        number::count(record.volumes),
        number::count(record.rows),
        record.from.join(", ")
    )
}

/// How many were judged.
pub fn judged(record: &FleetRecord) -> String {
    let not = record.volumes - record.sized;
    let throttled = match record.throttled {
        0 => String::new(),
        some => format!(
            "; {} of them stop at the limit of what they are today, so nothing cheaper is claimed",
            number::count(some)
        ),
    };
    format!("{} with a choice{throttled}; {} without", number::count(record.sized), number::count(not))
}

/// What is wasted, and what is short.
pub fn waste(record: &FleetRecord) -> Option<String> {
    let money = &record.money;
    let months = |amount: f64| month(amount, &money.currency);
    (money.compared > 0).then(|| {
        format!(
            "{} of {}: {} volumes are larger than they need to be; {} need more than they have, for {} more",
            months(money.waste_month),
            months(money.current_month),
            number::count(money.cheaper),
            number::count(money.dearer),
            months(money.more_month)
        )
    })
}

/// What all choices cost.
pub fn cost(record: &FleetRecord) -> String {
    month(record.money.chosen_month, &record.money.currency)
}

/// How many are expected to need more than they have.
pub fn risk(record: &FleetRecord) -> String {
    let risk = &record.risk;
    let within = record
        .terms
        .horizon_s
        .map_or_else(String::new, |seconds| format!(" within {:.1} days", seconds as f64 / DAY_S));
    let expected = |of: u64, expected: Option<f64>| {
        expected.map(|e| format!("{e:.1} of {} volumes will probably outgrow it{within}", number::count(of)))
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend(expected(risk.chosen, risk.chosen_expected).map(|text| format!("with the choice: {text}")));
    parts
        .extend(expected(risk.current, risk.current_expected).map(|text| format!("as bought today: {text}")));
    if risk.current > 0 {
        parts.push(format!(
            "{} of {} did not meet the observed demand",
            number::count(risk.current_failed),
            number::count(risk.current)
        ));
    }
    if parts.is_empty() { "not known".to_owned() } else { parts.join("; ") }
}

/// What had to hold.
pub fn terms(record: &FleetRecord) -> String {
    let terms = &record.terms;
    let risk = match terms.risk {
        Some(risk) => format!(
            "{} risk by the history of {} volumes",
            number::percent(risk),
            number::count(terms.margin_volumes)
        ),
        None => "uncalibrated".to_owned(),
    };
    format!(
        "in {}; at most {} of the I/Os wait longer than {} s or a tick; margin {:.2} ({risk})",
        terms.region,
        number::percent(terms.late_share),
        terms.wait_s,
        terms.margin
    )
}

/// Why volumes have no choice.
pub fn reasons(record: &FleetRecord) -> Table {
    let mut table = Table::new(&[numbers("volumes", 0), words("why", 0), words("as", 1)]);
    for reason in &record.not_judged {
        table.row([number::count(reason.volumes), reason.reason.clone(), reason.examples.join(", ")]);
    }
    table
}

/// Volumes, what they are and what to buy.
pub fn volumes(rows: &[FleetRow]) -> Table {
    let mut table = Table::new(&[
        words("volume", 0),
        words("today", 2),
        words("buy", 0),
        numbers("saves per month", 0),
        numbers("risk today", 3),
        numbers("then", 1),
    ]);
    let risk = |risk: Option<f64>| risk.map_or_else(String::new, number::percent);
    for row in rows {
        table.row([
            row.volume.clone(),
            row.current.clone().unwrap_or_default(),
            row.offer.clone().unwrap_or_else(|| row.reason.clone()),
            row.saves_month.map_or_else(String::new, |saves| format!("{saves:.2}")),
            risk(row.current_risk),
            risk(row.offer_risk),
        ]);
    }
    table
}
