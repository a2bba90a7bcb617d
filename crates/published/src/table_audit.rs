//! A table of published results held against itself and against the limits that were known.

use fathom_order::InOrder;
use fathom_record::CeilingRate;
use fathom_tools::result_audit::{Finding, Rule, Weight, figure, law, throughput_units};

use super::row_bounds::{RowBound, reached};
use super::{PublishedRow, PublishedTable};

/// Everything that was found, contradictions first.
pub fn audit_published(table: &PublishedTable) -> Vec<Finding> {
    let rows: Vec<&PublishedRow> = table.rows.iter().chain(&table.workloads).collect();
    let mut out = Vec::new();
    for row in &rows {
        one(row, &mut out);
    }
    pairs(&rows, &mut out);
    ceilings(table, &rows, &mut out);
    out.put_in_order_by_key(|finding| std::cmp::Reverse(finding.weight));
    out
}

fn one(row: &PublishedRow, out: &mut Vec<Finding>) {
    let subject = row.subject();
    if let (Some(iops), Some(latency_us)) = (row.iops, row.latency_us) {
        out.push(law::judge(&subject, (iops, latency_us * 1000.0), row.most_in_flight()));
    }
    if let (Some(value), Some(unit)) = (row.throughput, row.unit.as_deref()) {
        match (row.iops, row.block_bytes, row.latency_us, row.most_in_flight()) {
            (Some(iops), Some(size), ..) => {
                out.extend(throughput_units::judge(&subject, (value, unit), iops * size))
            }
            (None, Some(size), Some(us), Some(asked)) => {
                out.extend(throughput_units::judge_by_depth(
                    &subject,
                    (value, unit),
                    (size, us * 1000.0, asked),
                ));
            }
            _ => {}
        }
    }
    let mut list = row.percentiles_us.clone();
    list.put_in_order_by(|a, b| a[0].total_cmp(&b[0]));
    for pair in list.windows(2).filter(|pair| pair[1][1] < pair[0][1]) {
        let text = format!(
            "p{} is {} us and p{} is {} us: percentiles rise",
            figure(pair[0][0]),
            figure(pair[0][1]),
            figure(pair[1][0]),
            figure(pair[1][1])
        );
        out.push(Finding {
            subject: subject.clone(),
            rule: Rule::Percentiles,
            weight: Weight::Contradiction,
            text,
        });
    }
    if let (Some(mean), Some(last)) = (row.latency_us, list.last().filter(|last| last[0] >= 99.0))
        && mean > last[1]
    {
        let text =
            format!("the mean, {} us, is above p{}, {} us", figure(mean), figure(last[0]), figure(last[1]));
        out.push(Finding { subject, rule: Rule::Percentiles, weight: Weight::Caution, text });
    }
}

/// Sides beside each other: their latencies answer one question only at one concurrency.
fn pairs(rows: &[&PublishedRow], out: &mut Vec<Finding>) {
    /// What rounding and run-to-run spread leave.
    const SAME: f64 = 1.1;
    for (at, first) in rows.iter().enumerate() {
        for second in
            rows[at + 1..].iter().filter(|row| row.pattern == first.pattern && row.side != first.side)
        {
            let (Some(a), Some(b)) = (first.in_flight(), second.in_flight()) else { continue };
            let named = format!(
                "{} I/Os in flight with {} and {} with {}",
                figure(a),
                first.side,
                figure(b),
                second.side
            );
            let is_same = (a / b).max(b / a) <= SAME;
            let (weight, text) = if is_same {
                (Weight::Note, format!("{named}: the same concurrency"))
            } else {
                let advice = "the two sides did not run at the same concurrency, so their latencies cannot be compared";
                (Weight::Caution, format!("{named}: {advice}"))
            };
            out.push(Finding { subject: first.pattern.clone(), rule: Rule::SameConcurrency, weight, text });
        }
    }
}

/// Results that lie at, near or above a known bound, and bounds that explain the same result.
fn ceilings(table: &PublishedTable, rows: &[&PublishedRow], out: &mut Vec<Finding>) {
    for row in rows {
        let mut at: Vec<String> = Vec::new();
        let mut above: Vec<String> = Vec::new();
        let mut more: Vec<String> = Vec::new();
        for found in reached(row, table) {
            let Some(text) = in_words(row, &found) else { continue };
            if found.nearness().is_passed() {
                above.push(text);
            } else if found.nearness().is_near() {
                at.push(text);
                more.extend(carried_more(table, rows, row, &found));
            }
        }
        let subject = row.subject();
        let finding = |weight, text| Finding { subject: subject.clone(), rule: Rule::Ceiling, weight, text };
        match (above.is_empty(), at.is_empty()) {
            (true, true) => {}
            (true, false) if more.is_empty() => out.push(finding(Weight::Note, at.join("; "))),
            (true, false) => {
                out.push(finding(Weight::Caution, format!("{}; {}", at.join("; "), more.join("; "))));
            }
            (false, true) => {
                let text = format!("{}: the bound is not what it says, or bursts above it", above.join("; "));
                out.push(finding(Weight::Caution, text));
            }
            (false, false) => {
                let text = format!(
                    "{}, so that bound did not hold the result back; {}, which explains it. Both are candidates: a run with the second one raised distinguishes them",
                    above.join("; "),
                    at.join("; ")
                );
                out.push(finding(Weight::Caution, text));
            }
        }
    }
}

/// The row that moved most through what bounds this one in bytes, where it moved clearly more: what binds this one is
/// something else.
fn carried_more(
    table: &PublishedTable,
    rows: &[&PublishedRow],
    row: &PublishedRow,
    found: &RowBound,
) -> Option<String> {
    /// What rounding and run-to-run spread leave.
    const MORE: f64 = 1.04;
    /// The wire itself, over what is left of it for data in packets of 1,500 bytes: nothing moves more.
    const WIRE: f64 = 1.0 / 0.9415;
    if !matches!(found.known.rate, CeilingRate::Throughput { .. }) {
        return None;
    }
    let alike = rows.iter().filter(|other| other.read_percent == row.read_percent);
    let shares = alike.flat_map(|other| {
        let of = reached(other, table).into_iter().filter(|it| it.name == found.name && it.share <= WIRE);
        of.map(move |it| (it.share, *other))
    });
    let (share, other) = shares.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (share > MORE * found.share)
        .then(|| {
            format!(
                "{} transferred {:.0} % more through it, so it was not full here: something else is the limit",
                other.subject(),
                (share / found.share - 1.0) * 100.0
            )
        })
        .filter(|_| other.subject() != row.subject())
}

/// How much of a bound a row reaches, in words: each device, connection or machine that has one counts.
fn in_words(row: &PublishedRow, found: &RowBound) -> Option<String> {
    let of = format!("{:.1} % of {}", 100.0 * found.share, found.name);
    Some(match found.known.rate {
        CeilingRate::Iops { operations_per_s } => {
            format!("{} IOPS are {of} ({})", figure(row.operations_per_s()?), figure(operations_per_s))
        }
        CeilingRate::Throughput { bytes_per_s } => {
            format!("{} MB/s are {of} ({} MB/s)", figure(row.bytes_per_s()? / 1e6), figure(bytes_per_s / 1e6))
        }
    })
}
