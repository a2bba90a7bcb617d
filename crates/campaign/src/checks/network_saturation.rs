//! Was the network on the way to the target full?

use std::ops::Range;

use fathom_record::environment_facts::Environment;
use fathom_record::telemetry::{MetricSeries, Telemetry};
use fathom_record::{Check, CheckName, CheckOutcome};

/// Share of what an interface carries from which on it is full: the rest is what a sender cannot time.
const FULL: f64 = 0.97;
/// From here on it is near to full, and is not what bounds the rate by itself.
const NEAR: f64 = 0.90;
/// Share of the seconds that have to be full.
const FULL_SECONDS: f64 = 0.80;
/// Bytes of an Ethernet frame around its packet as the kernel counts them, and as the wire carries them.
const COUNTED: f64 = 14.0;
const CARRIED: f64 = 38.0;

/// One interface on the way to the target, over the measured window.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceLoad {
    /// The kernel's name of it.
    interface: String,
    /// Speed in Mbit/s.
    speed_mbit_per_s: f64,
    /// The busier direction.
    direction: &'static str,
    /// Mean of what it carried over what it can carry, as the kernel counts bytes.
    mean_share: f64,
    /// Seconds in which it was full, of how many.
    full: (usize, usize),
}

impl InterfaceLoad {
    /// The fullest interface of those that the machine's facts name; none where no speed is known, as in a virtual
    /// machine, or nothing was counted.
    pub fn of(environment: &Environment, telemetry: &Telemetry, window_ns: &Range<u64>) -> Option<Self> {
        let facts =
            environment.facts.iter().filter(|fact| fact.group == "network" && fact.name == "interface");
        let wires = facts.flat_map(|fact| {
            let number = |name: &str| -> Option<f64> {
                let same = |other: &&fathom_record::environment_facts::Fact| {
                    other.group == fact.group && other.label == fact.label && other.name == name
                };
                environment.facts.iter().find(same)?.value.parse().ok()
            };
            let speed = number("speed_mbit_per_s").zip(number("mtu_bytes"));
            let ways = [("net.received_bytes", "received"), ("net.sent_bytes", "sent")];
            ways.into_iter().filter_map(move |(metric, direction)| {
                let (speed_mbit_per_s, mtu) = speed?;
                let most = speed_mbit_per_s * 1e6 / 8.0 * (mtu + COUNTED) / (mtu + CARRIED);
                let shares = within(telemetry, telemetry.find(metric, &fact.value)?, window_ns, most);
                let count = shares.len();
                (count > 0).then(|| Self {
                    interface: fact.value.clone(),
                    speed_mbit_per_s,
                    direction,
                    mean_share: shares.iter().sum::<f64>() / count as f64,
                    full: (shares.iter().filter(|share| **share >= FULL).count(), count),
                })
            })
        });
        wires.max_by(|a, b| a.mean_share.total_cmp(&b.mean_share))
    }
}

/// Shares of `most` in each second that ends in the window.
fn within(telemetry: &Telemetry, series: &MetricSeries, window_ns: &Range<u64>, most: f64) -> Vec<f64> {
    let inside =
        |at_ns: i64| u64::try_from(at_ns).is_ok_and(|at| at > window_ns.start && at <= window_ns.end);
    let seconds = telemetry.at_ns.iter().zip(&series.values).filter(|(at_ns, _)| inside(**at_ns));
    seconds.filter_map(|(_, value)| Some((*value)? / most)).collect()
}

/// A full network bounds the rate, whatever the target could do.
pub fn network_full(wire: &InterfaceLoad) -> Check {
    let InterfaceLoad { interface, speed_mbit_per_s, direction, mean_share, full: (full, all) } = wire;
    let carried = format!(
        "{interface} {direction} {:.1} % of what {} Gbit/s carry",
        mean_share * 100.0,
        speed_mbit_per_s / 1000.0
    );
    let (outcome, text) = if *full as f64 >= FULL_SECONDS * *all as f64 {
        let said = format!(
            "The network was full: {carried}, and was at {:.0} % or more in {full} of {all} seconds. The rate is the \
             network's, not the target's.",
            FULL * 100.0
        );
        (CheckOutcome::Caution, said)
    } else if *mean_share >= NEAR {
        (CheckOutcome::Pass, format!("The network was near full, and not full: {carried}."))
    } else {
        (CheckOutcome::Pass, format!("The network was not full: {carried}."))
    };
    Check::figure(CheckName::NetworkFull, outcome, (*mean_share, FULL), "share", text)
}

#[cfg(test)]
mod tests {
    use fathom_record::environment_facts::Fact;

    use super::*;

    /// A card of 10 Gbit/s at an MTU of 1500 that received these shares of what it carries.
    fn wire(shares: &[f64]) -> Option<InterfaceLoad> {
        let fact = |name: &str, value: &str| Fact {
            group: "network".to_owned(),
            label: "nvme+tcp://10.0.0.5/nqn.x".to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
            source: String::new(),
        };
        let facts = [("interface", "eth0"), ("speed_mbit_per_s", "10000"), ("mtu_bytes", "1500")];
        let environment = Environment {
            facts: facts.iter().map(|(name, value)| fact(name, value)).collect(),
            ..Environment::default()
        };
        let most = 10e9 / 8.0 * 1514.0 / 1538.0;
        let series = MetricSeries {
            metric: "net.received_bytes".to_owned(),
            label: "eth0".to_owned(),
            unit: "bytes/s".to_owned(),
            source: String::new(),
            values: shares.iter().map(|share| Some(share * most)).collect(),
        };
        let telemetry = Telemetry {
            at_ns: (1..=shares.len() as i64).map(|second| second * 1_000_000_000).collect(),
            series: vec![series],
            ..Telemetry::default()
        };
        InterfaceLoad::of(&environment, &telemetry, &(0..u64::MAX))
    }

    #[test]
    fn full_is_told_from_near_and_from_not() {
        let check = |shares: &[f64]| network_full(&wire(shares).unwrap());
        let full = check(&[0.99, 0.98, 0.975, 0.99, 0.5]);
        assert_eq!(full.outcome, CheckOutcome::Caution);
        assert!(full.explanation.contains("4 of 5 seconds"), "{}", full.explanation);
        let near = check(&[0.99, 0.98, 0.93, 0.92, 0.91]);
        assert_eq!(near.outcome, CheckOutcome::Pass);
        assert!(near.explanation.contains("near full, and not full"), "{}", near.explanation);
        assert!(check(&[0.2, 0.99]).explanation.contains("was not full: eth0 received 59.5 %"));
        assert_eq!(wire(&[]), None);
    }
}
