//! Results as Markdown tables, which read on a terminal too.

use super::alone::Finding;
use super::comparisons::{Comparison, Quantity};
use super::measured_load::{Cpu, ToolMeasurement};
use super::ratio_statistics::median;

/// One comparison with what was measured.
pub type ComparisonRuns = (Comparison, Vec<(ToolMeasurement, ToolMeasurement)>);

/// The machine, one line a fact.
pub fn machine(facts: &[(String, String)]) -> String {
    facts.iter().map(|(name, value)| format!("- {name}: {value}\n")).collect()
}

/// Medians of both sides, the ratio with its interval, and the verdict: a row each figure.
pub fn ratios(results: &[ComparisonRuns]) -> String {
    let mut rows = vec![
        ["case", "quantity", "ours", "other side", "ratio, 95 % interval", "figure", ""]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (comparison, pairs) in results {
        let ratios = comparison.ratios(pairs);
        for (&(quantity, bound), ratio) in comparison.figures.iter().zip(ratios) {
            let side = |take: fn((f64, f64)) -> f64, label: &str| {
                let value = median(pairs.iter().filter_map(|pair| quantity.of(pair)).map(take));
                let value = value.map_or("unknown".to_owned(), |value| show(quantity, value));
                format!("{label} {value}")
            };
            rows.push(vec![
                comparison.case.to_owned(),
                quantity.name().to_owned(),
                side(|pair| pair.0, &comparison.sides[0].label),
                side(|pair| pair.1, &comparison.sides[1].label),
                ratio.map_or("none".to_owned(), |r| {
                    format!("{:.3} ({:.3} to {:.3})", r.median, r.low, r.high)
                }),
                bound.to_string(),
                ratio.map_or("not measured", |ratio| bound.verdict(ratio)).to_owned(),
            ]);
        }
    }
    markdown(&rows)
}

/// Processor time of each I/O, by the tools' own account and by the kernel's of the whole process.
pub fn processor_time(results: &[ComparisonRuns]) -> String {
    let mut rows = vec![
        ["case", "tool", "I/O threads, own account: user + system", "whole process: user + system"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (comparison, pairs) in results {
        let ours: Vec<ToolMeasurement> = pairs.iter().map(|pair| pair.0).collect();
        let theirs: Vec<ToolMeasurement> = pairs.iter().map(|pair| pair.1).collect();
        for (side, runs) in comparison.sides.iter().zip([ours, theirs]) {
            rows.push(vec![
                comparison.case.to_owned(),
                side.label.clone(),
                cpu(runs.iter().map(|run| run.own)),
                cpu(runs.iter().map(|run| Some(run.process))),
            ]);
        }
    }
    markdown(&rows)
}

/// Figures of fathom alone.
pub fn alone(findings: &[Finding]) -> String {
    let mut rows = vec![["case", "what", "found", "figure", ""].map(str::to_owned).to_vec()];
    for finding in findings {
        let met = finding.met.map_or("", |met| if met { "met" } else { "not met" });
        let Finding { case, what, found, asked, .. } = finding;
        rows.push(vec![(*case).to_owned(), what.clone(), found.clone(), asked.clone(), met.to_owned()]);
    }
    markdown(&rows)
}

/// A rate in three or four digits: `21.41 M/s`.
pub fn rate(per_s: f64) -> String {
    match per_s {
        r if r >= 1e6 => format!("{:.2} M/s", r / 1e6),
        r if r >= 1e3 => format!("{:.1} k/s", r / 1e3),
        r => format!("{r:.0} /s"),
    }
}

fn show(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Rate => rate(value),
        Quantity::MedianLatency | Quantity::UserCpu => nanoseconds(value),
    }
}

/// A time in nanoseconds, with a decimal below 100.
pub fn nanoseconds(value: f64) -> String {
    if value < 100.0 { format!("{value:.1} ns") } else { format!("{value:.0} ns") }
}

fn cpu(runs: impl Iterator<Item = Option<Cpu>>) -> String {
    let Some(runs) = runs.collect::<Option<Vec<Cpu>>>() else { return "not reported".to_owned() };
    let part =
        |take: fn(&Cpu) -> f64| median(runs.iter().map(take)).map_or("unknown".to_owned(), nanoseconds);
    format!("{} + {}", part(|cpu| cpu.user_ns), part(|cpu| cpu.system_ns))
}

/// The first row is the heading; columns are padded, so that the source is readable as it is.
fn markdown(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        text.push_str(&line(row));
        if index == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            text.push_str(&line(&rule));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance_bounds::Bound;
    use crate::contender_pairs::{Contender, Tool};
    use crate::measured_load::{Interface, Load};

    fn compared() -> ComparisonRuns {
        let load = Load { interface: Interface::Null, target: String::new(), depth: 1, seconds: 1 };
        let side = |label: &str| Contender {
            label: label.to_owned(),
            tool: Tool::Fio,
            command: Vec::new(),
            load: load.clone(),
        };
        let figures =
            vec![(Quantity::Rate, Bound::AtLeast(2.0)), (Quantity::MedianLatency, Bound::AtMost(1.0))];
        let run = |rate_per_s, user_ns| ToolMeasurement {
            rate_per_s,
            operations: 1.0,
            median_latency_ns: None,
            own: Some(Cpu { user_ns, system_ns: 5.0 }),
            process: Cpu { user_ns: 2.0 * user_ns, system_ns: 1234.5 },
        };
        let pairs = vec![(run(20e6, 40.0), run(5e6, 160.0)), (run(22e6, 44.0), run(5e6, 160.0))];
        (Comparison { case: "null-d1", sides: [side("fathom"), side("fio")], figures }, pairs)
    }

    #[test]
    fn medians_ratio_and_verdict_stand_in_one_row() {
        let text = ratios(&[compared()]);
        let row = text.lines().nth(2).unwrap();
        for part in ["fathom 21.00 M/s", "fio 5.00 M/s", "4.200 (", "at least 2.00", " met"] {
            assert!(row.contains(part), "{row}");
        }
        assert!(text.lines().nth(3).unwrap().contains("not measured"), "{text}");
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    }

    #[test]
    fn processor_time_is_by_both_accounts() {
        let text = processor_time(&[compared()]);
        let ours = text.lines().nth(2).unwrap();
        assert!(ours.contains("42.0 ns + 5.0 ns") && ours.contains("84.0 ns + 1234 ns"), "{text}");
        let (comparison, mut pairs) = compared();
        pairs[1].1.own = None;
        let text = processor_time(&[(comparison, pairs)]);
        assert!(text.lines().nth(3).unwrap().contains("not reported"), "{text}");
    }

    #[test]
    fn rates_have_their_unit() {
        assert_eq!([rate(21.406e6), rate(242_100.0), rate(99.6)], ["21.41 M/s", "242.1 k/s", "100 /s"]);
    }
}
