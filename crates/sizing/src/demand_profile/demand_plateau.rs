//! Plateaus: values that a demand never exceeds and often has, which is what a throttled volume shows.
//!
//! A series measured while throttled shows supply, not demand. A token bucket without credits serves one
//! value, tick after tick, so that ticks pile up in a band a few hundredths wide with nothing above it.

use fathom_record::ProfileRecord;
use fathom_record::profile_record::{Plateau, PlateauQuantity};

use crate::catalogue::{Catalogue, Instance};
use crate::demand::Demand;

/// Half width of the band that counts as one value.
const BAND: f64 = 0.01;
/// Ticks in the band at least, and their share of all ticks.
const FEWEST: usize = 10;
const LEAST_SHARE: f64 = 0.01;
/// At most this share of the ticks of the band lies above it: a tick may hold what waited before it.
const ABOVE: f64 = 0.05;
/// The band just below holds at most this share of the plateau: demand that merely peaks thins out evenly.
const BELOW: f64 = 0.25;
/// A limit within this of a plateau matches it.
const MATCH: f64 = 0.01;
/// Rates below are no limit that anybody sells.
const LEAST_OPERATIONS: f64 = 90.0;
const LEAST_BYTES: f64 = 1e6;
/// Instance types that are named at most.
const NAMED: usize = 3;

/// The plateaus of a demand.
pub fn plateaus(demand: &Demand, catalogue: &Catalogue, instance: Option<&Instance>) -> Vec<Plateau> {
    let found = tops_of(demand, &demand.operations(), &demand.bytes()).into_iter();
    found
        .map(|TickPeak { of, per_s, share }| Plateau {
            of,
            per_s,
            share,
            matches: matches(catalogue, instance, of, per_s),
        })
        .collect()
}

/// A value that ticks pile up at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TickPeak {
    /// Of which units.
    pub of: PlateauQuantity,
    /// The value, a second.
    pub per_s: f64,
    /// Share of the seen ticks there, 0 to 1.
    pub share: f64,
}

/// The values at the top of I/Os and of bytes that ticks of a demand pile up at; of each none or one. Both are of both
/// directions together.
pub fn tops_of(demand: &Demand, operations: &[u64], bytes: &[u64]) -> Vec<TickPeak> {
    let flows = [(PlateauQuantity::Operations, operations), (PlateauQuantity::Bytes, bytes)];
    let found = flows.into_iter().filter_map(|(of, units)| {
        // Ticks that were not seen hold nothing, and what is looked at lies near the largest.
        let most = units.iter().copied().max().filter(|most| *most > 0)?;
        let mut near: Vec<u64> = units.iter().copied().filter(|units| *units >= most / 5 * 2).collect();
        if !enough(near.len(), demand.ticks_seen()) {
            return None;
        }
        near.sort_unstable();
        let rates: Vec<f64> = near.iter().map(|units| *units as f64 / f64::from(demand.tick_s)).collect();
        let (per_s, share) = plateau(&rates, demand.ticks_seen(), of)?;
        Some(TickPeak { of, per_s, share })
    });
    found.collect()
}

/// Whether so many of the ticks can be a plateau.
fn enough(count: usize, ticks: usize) -> bool {
    count >= FEWEST && count as f64 >= LEAST_SHARE * ticks as f64
}

/// The value at the top that ticks pile up at, and the share of the ticks there. `rates` are those above
/// two fifths of the largest, ascending, of so many ticks.
fn plateau(rates: &[f64], ticks: usize, of: PlateauQuantity) -> Option<(f64, f64)> {
    let least = if of == PlateauQuantity::Operations { LEAST_OPERATIONS } else { LEAST_BYTES };
    let below = |value: f64| rates.partition_point(|rate| *rate < value);
    // Among those that begin at a value in the upper half of the range.
    let first = below(rates.last()? / 2.0);
    let (start, count) = densest(rates, first.max(below(least)))?;
    let end = start * (1.0 + 2.0 * BAND);
    let above = rates.len() - below(end);
    let under = below(start) - below(start * (1.0 - 2.0 * BAND));
    let piled = above as f64 <= ABOVE * count as f64 && under as f64 <= BELOW * count as f64;
    let middle = rates.get(below(start) + count / 2)?;
    (enough(count, ticks) && piled).then(|| (*middle, count as f64 / ticks as f64))
}

/// Where the band begins that holds the most values, among those that begin at a value from a place on, and how many
/// it holds; of equally dense ones the last. Values ascend, so that ends of bands do too.
fn densest(rates: &[f64], from: usize) -> Option<(f64, usize)> {
    let (mut found, mut behind) = (None, from);
    for (at, &rate) in (from..).zip(&rates[from..]) {
        // Bands of equal values begin at the first of them.
        if at > from && rates[at - 1] == rate {
            continue;
        }
        let end = rate * (1.0 + 2.0 * BAND);
        behind += rates[behind..].iter().take_while(|rate| **rate < end).count();
        if found.is_none_or(|(_, most)| behind - at >= most) {
            found = Some((rate, behind - at));
        }
    }
    found
}

/// Limits that are sold at this value.
fn matches(
    catalogue: &Catalogue,
    instance: Option<&Instance>,
    of: PlateauQuantity,
    per_s: f64,
) -> Vec<String> {
    let near = |limit: f64| (per_s / limit - 1.0).abs() <= MATCH;
    let mut found = Vec::new();
    let (attributes, scale): (&[(&str, &str)], f64) = match of {
        PlateauQuantity::Operations => (
            &[("baseline_iops", "included IOPS"), ("max_iops", "most IOPS"), ("burst_iops", "burst IOPS")],
            1.0,
        ),
        PlateauQuantity::Bytes => (
            &[("baseline_throughput", "included throughput"), ("max_throughput", "most throughput")],
            (1u64 << 20) as f64,
        ),
    };
    for fact in catalogue.volumes.facts().iter().filter(|fact| fact.certainty == "sure") {
        let Some((_, words)) = attributes.iter().find(|(name, _)| *name == fact.attribute) else { continue };
        if fact.value.parse::<f64>().is_ok_and(|limit| near(limit * scale)) {
            let limit = format!("{} of {}, {} {}", words, fact.volume, fact.value, fact.unit);
            let period = if fact.period.is_empty() { limit } else { format!("{limit} ({})", fact.period) };
            found.push(period);
        }
    }
    let limits = |instance: &Instance| {
        let ebs = instance.ebs?;
        let shaper = if of == PlateauQuantity::Operations { ebs.operations } else { ebs.bytes };
        near(shaper.base_per_s as f64)
            .then_some("baseline")
            .or(near(shaper.peak_per_s as f64).then_some("maximum"))
    };
    if let Some(instance) = instance {
        found.extend(limits(instance).map(|which| format!("EBS {which} of {}", instance.name)));
    } else {
        let names = catalogue.instances.iter().filter_map(|i| Some((i.name.as_str(), limits(i)?)));
        let names: Vec<String> = names.map(|(name, which)| format!("EBS {which} of {name}")).collect();
        found.extend(names.iter().take(NAMED).cloned());
        if names.len() > NAMED {
            found.push(format!("{} further instance types", names.len() - NAMED));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What a plateau means, for people.
pub fn notes(record: &ProfileRecord) -> Vec<String> {
    let note = |plateau: &Plateau| {
        let (value, share) = (amount(plateau), plateau.share * 100.0);
        let matches = if plateau.matches.is_empty() {
            "No limit of the catalogue has this value.".to_owned()
        } else {
            format!("Limits with this value: {}.", plateau.matches.join("; "))
        };
        if plateau.share > 0.95 {
            format!(
                "The series is {value} throughout ({share:.0} % of the ticks): a demand that never changes, or a limit that is always reached; if a limit, more was wanted than is shown. {matches}"
            )
        } else {
            format!(
                "The series stops at {value} in {share:.1} % of the ticks and hardly ever exceeds it: it shows supply there, not demand. Size upwards from it only. {matches}"
            )
        }
    };
    let throttled = record.throttled.iter().filter(|throttled| throttled.share > 0.0).map(|throttled| {
        format!(
            "{} says that the volume was throttled in {:.1} % of its readings: the series shows supply there, not demand. Size upwards from it only.",
            throttled.metric,
            throttled.share * 100.0
        )
    });
    record.plateaus.iter().map(note).chain(throttled).collect()
}

fn amount(plateau: &Plateau) -> String {
    match plateau.of {
        PlateauQuantity::Operations => format!("{:.0} IOPS", plateau.per_s),
        PlateauQuantity::Bytes => format!("{:.1} MiB/s", plateau.per_s / (1u64 << 20) as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Flow;
    use crate::shaper::Shaper;
    use proptest::prelude::*;

    /// An uneven demand without a pattern that the test could have been fitted to.
    fn wanted(tick: u64) -> u64 {
        let noise = (tick.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1u64 << 24) as f64;
        (2000.0 + 1800.0 * (tick as f64 / 300.0).sin() + 900.0 * noise) as u64
    }

    fn found(operations: Vec<u64>) -> Vec<Plateau> {
        let nothing = vec![0; operations.len()];
        let read = Flow { bytes: operations.iter().map(|o| o * 4096).collect(), operations };
        let write = Flow { operations: nothing.clone(), bytes: nothing };
        let demand = Demand { tick_s: 1, read, write, gaps: vec![], counted: None };
        plateaus(&demand, &Catalogue::built_in().unwrap(), None)
    }

    proptest! {
        #[test]
        fn the_densest_band_is_that_of_looking_at_each(
            values in prop::collection::vec(prop_oneof![90u64..120, 90u64..5000, Just(1000u64)], 1..300), from in 0usize..300,
        ) {
            let mut rates: Vec<f64> = values.into_iter().map(|value| value as f64 / 3.0).collect();
            rates.sort_by(f64::total_cmp);
            let from = from.min(rates.len());
            let band = |start: f64| {
                rates.iter().filter(|rate| **rate >= start && **rate < start * (1.0 + 2.0 * BAND)).count()
            };
            let all = rates[from..].iter().copied().max_by_key(|start| band(*start)).map(|start| (start, band(start)));
            prop_assume!(from == 0 || from == rates.len() || rates[from - 1] < rates[from]);
            prop_assert_eq!(densest(&rates, from), all);
        }
    }

    #[test]
    fn a_volume_at_its_limit_is_named() {
        let (shaper, mut state) = (Shaper::cap(3000), Shaper::cap(3000).empty());
        let served = (0..6000).map(|tick| shaper.tick(&mut state, wanted(tick), 1)).collect();
        let plateau = &found(served)[0];
        assert_eq!((plateau.of, plateau.per_s), (PlateauQuantity::Operations, 3000.0));
        assert!(plateau.share > 0.2, "{plateau:?}");
        assert!(plateau.matches.iter().any(|text| text.contains("gp3")), "{plateau:?}");
    }

    #[test]
    fn a_demand_that_merely_peaks_has_no_plateau() {
        assert_eq!(found((0..6000).map(wanted).collect()), []);
        assert_eq!(found(vec![0; 100]), []);
        assert_eq!(found((0..100).map(|tick| tick * 50).collect()), []);
    }
}
