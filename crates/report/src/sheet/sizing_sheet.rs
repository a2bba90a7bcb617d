//! A sizing: what the demand is, what it needs, what to buy and what that costs.

use fathom_record::SizingRecord;
use fathom_record::sizing_advice::{ShorterProof, Suitability};
use fathom_record::sizing_record::{FlowSummary, OfferRecord};

use crate::number;
use crate::table::{Table, numbers, words};

/// An amount of money with its unit: `137.50 USD a month`.
pub fn month(amount: f64, currency: &str) -> String {
    format!("{amount:.2} {currency} per month")
}

/// What to buy, in one sentence.
pub fn choice(record: &SizingRecord) -> String {
    let Some(offer) = &record.choice else { return "no recommendation; the notes say why".to_owned() };
    let late = offer
        .late_share
        .map_or_else(String::new, |share| format!(", {} of the I/Os late", number::percent(share)));
    let all = match record.terms.nodes {
        1 => String::new(),
        nodes => format!("; {} for {nodes} nodes", month(offer.month_all_nodes, &offer.currency)),
    };
    format!("{}: {}{all}{late}", offer.words, month(offer.month, &offer.currency))
}

/// What a shorter proof takes, rests on, and leaves open.
pub fn shorter(proof: &ShorterProof) -> String {
    format!(
        "It takes {} min: {}. It does not show {}.",
        proof.time_s.div_ceil(60),
        proof.because,
        proof.not_shown
    )
}

/// What had to hold.
pub fn terms(record: &SizingRecord) -> String {
    let terms = &record.terms;
    let risk = match terms.risk {
        Some(risk) => format!(
            "{} risk by the history of {} volumes",
            number::percent(risk),
            terms.margin_volumes.unwrap_or_default()
        ),
        None => "uncalibrated".to_owned(),
    };
    let instance = terms.instance.as_ref().map_or_else(String::new, |name| format!(" behind {name}"));
    format!(
        "{} GiB in {}{instance}; at most {} of the I/Os wait longer than {} s; margin {:.2} ({risk})",
        terms.size_gib,
        terms.region,
        number::percent(terms.late_share),
        terms.wait_s,
        terms.margin
    )
}

/// The least that meets the demand.
pub fn requirement(record: &SizingRecord) -> String {
    let need = record.requirement;
    let most = number::iops(need.operations_per_s as f64);
    let operations = match need.operations_least_per_s {
        Some(least) if least < need.operations_per_s => {
            format!("between {} and {most} (only mean I/O sizes are known)", number::iops(least as f64))
        }
        _ => most,
    };
    format!("{operations} and {} sustained, before the margin", number::throughput(need.bytes_per_s as f64))
}

/// The demand in one sentence.
pub fn demand(record: &SizingRecord) -> String {
    let demand = &record.demand;
    let share = demand.read.operations as f64 / demand.total.operations.max(1) as f64;
    let size = |flow: &FlowSummary| {
        flow.mean_bytes.map_or_else(|| "none".to_owned(), |b| number::size(b.round() as u64))
    };
    format!(
        "{}: {} of {} ticks of {} s seen; {} reads; mean read {}, mean write {}",
        demand.from,
        demand.ticks_seen,
        demand.ticks,
        demand.tick_s,
        number::percent(share),
        size(&demand.read),
        size(&demand.write)
    )
}

/// The cheapest of each type.
pub fn by_type(record: &SizingRecord) -> Table {
    let mut table = Table::new(&[
        words("type", 0),
        words("cheapest that meets the demand", 0),
        numbers("per month", 0),
        numbers("late", 2),
    ]);
    for entry in &record.by_type {
        match &entry.offer {
            Some(offer) => table.row([entry.volume.clone(), offer.words.clone(), amount(offer), late(offer)]),
            None => table.row([
                entry.volume.clone(),
                "none meets the demand".to_owned(),
                String::new(),
                String::new(),
            ]),
        }
    }
    table
}

/// Cost against margin and risk.
pub fn frontier(record: &SizingRecord) -> Table {
    let mut table = Table::new(&[
        numbers("margin", 0),
        numbers("risk", 1),
        words("cheapest that meets the demand", 0),
        numbers("per month", 0),
    ]);
    for point in &record.frontier {
        let risk = point.risk.map_or_else(|| "not known".to_owned(), number::percent);
        let (offer, amount) = match &point.offer {
            Some(offer) => (offer.words.clone(), amount(offer)),
            None => ("none meets the demand".to_owned(), String::new()),
        };
        table.row([format!("{:.2}", point.margin), risk, offer, amount]);
    }
    table
}

/// What is in use, and what changes.
pub fn current(record: &SizingRecord) -> Option<String> {
    let current = record.current.as_ref()?;
    let holds = if current.holds { "meets the demand" } else { "does not meet the demand" };
    let saves = match current.saves_month {
        Some(saves) if saves > 0.005 => {
            format!("; the choice saves {}", month(saves, &current.offer.currency))
        }
        Some(saves) if saves < -0.005 => {
            format!("; the choice costs {} more", month(-saves, &current.offer.currency))
        }
        Some(_) => "; the choice costs the same".to_owned(),
        None => String::new(),
    };
    let all =
        if record.terms.nodes == 1 { String::new() } else { format!(" over {} nodes", record.terms.nodes) };
    Some(format!(
        "{}: {}, {holds}{saves}{all}",
        current.offer.words,
        month(current.offer.month, &current.offer.currency)
    ))
}

/// Disks inside the machine, against the choice.
pub fn local(record: &SizingRecord) -> Option<String> {
    let local = record.local.as_ref()?;
    let holds = match local.holds {
        Some(true) => "meets the demand by its published 4 KiB rates",
        Some(false) => "does not meet the demand",
        None => "may meet the demand: rates of I/Os above 4 KiB are not published",
    };
    let extra = local.extra_month.map_or_else(String::new, |extra| {
        format!(
            ", {} {:.2} {} per month",
            if extra < 0.0 { "less" } else { "more" },
            extra.abs(),
            local.currency
        )
    });
    let saves = local.saves_month.map_or_else(String::new, |saves| {
        let words = if saves < 0.0 { "dearer than the choice by" } else { "cheaper than the choice by" };
        let all = if record.terms.nodes == 1 {
            String::new()
        } else {
            format!(" over {} nodes", record.terms.nodes)
        };
        format!("; {words} {}{all}", month(saves.abs(), &local.currency))
    });
    Some(format!(
        "{} with {} GiB of NVMe inside: {holds}{extra}{saves}; what is on it is lost when the instance stops",
        local.instance, local.size_gib
    ))
}

/// Whether network storage suits.
pub fn residency(record: &SizingRecord) -> Option<String> {
    let residency = record.residency.as_ref()?;
    let advice = match residency.advice {
        Suitability::Suits => "network storage suits",
        Suitability::ProbablySuits => "network storage probably suits",
        Suitability::MeasureFirst => "measure first",
        Suitability::LocalMayBeNeeded => "local disks may be needed",
    };
    Some(format!(
        "{advice}: {} (data {:.1} times the {:.0} GiB of memory)",
        residency.because, residency.data_over_memory, residency.memory_gib
    ))
}

fn amount(offer: &OfferRecord) -> String {
    format!("{:.2} {}", offer.month, offer.currency)
}

fn late(offer: &OfferRecord) -> String {
    offer.late_share.map_or_else(String::new, number::percent)
}
