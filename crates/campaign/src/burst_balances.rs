//! Burst balances that a cloud told while a run was made: beside its telemetry, and in a sentence.
//!
//! There is one reader, and not one a session: all runs of a command spend the same balances. Who reads them is the
//! program's to say, since a run itself talks to nobody. They are published minutes late: what a record cannot hold for
//! that is absent in it, and the newest that was known is told with its time.

use std::sync::OnceLock;

use fathom_demand::Balance;
use fathom_record::telemetry::{AbsentSource, MetricSeries, Telemetry};
use jiff::Timestamp;

/// What a point stands for, in seconds: that of basic monitoring, where each fifth minute has one.
const HOLDS_S: i64 = 300;
/// Below this share rates are about to fall to the base.
const LOW: f64 = 0.1;
const SOURCE: &str = "balances";

/// Gives what is known by now.
pub type BalanceReader = Box<dyn Fn() -> Vec<Balance> + Send + Sync>;

static READER: OnceLock<BalanceReader> = OnceLock::new();

/// Has all runs of this process say these balances from now on; who was named first stays.
pub fn watch(known: BalanceReader) {
    READER.get_or_init(|| known);
}

/// A run's telemetry with what is known of its time. `started_at` is RFC 3339.
pub(crate) fn beside(mut telemetry: Telemetry, started_at: &str) -> Telemetry {
    if let Some((known, started)) = READER.get().zip(started_at.parse::<Timestamp>().ok()) {
        put(&mut telemetry, &known(), started.as_second());
    }
    telemetry
}

fn put(telemetry: &mut Telemetry, known: &[Balance], started_unix_s: i64) {
    let mut is_told = false;
    for balance in known {
        let at = |at_ns: &i64| value(balance, started_unix_s + at_ns.div_euclid(1_000_000_000));
        let values: Vec<Option<f64>> = telemetry.at_ns.iter().map(at).collect();
        if values.iter().all(Option::is_none) {
            continue;
        }
        is_told = true;
        telemetry.series.push(MetricSeries {
            metric: balance.metric.to_owned(),
            label: balance.subject.clone(),
            unit: "share".to_owned(),
            source: format!("CloudWatch {}", balance.source),
            values,
        });
    }
    if !is_told {
        let reason = "nothing of the run's time was published by its end: balances come minutes late";
        telemetry.absent.push(AbsentSource { source: SOURCE.to_owned(), reason: reason.to_owned() });
    }
}

/// The newest point that stands for a moment.
fn value(balance: &Balance, unix_s: i64) -> Option<f64> {
    let (at_s, share) = balance.points.iter().rev().find(|(at_s, _)| *at_s <= unix_s)?;
    (unix_s - at_s < HOLDS_S).then_some(*share)
}

/// The newest that is known of each, for the notes of a run.
pub(crate) fn notes() -> Vec<String> {
    READER.get().map_or_else(Vec::new, |known| known().iter().filter_map(newest).collect())
}

/// One balance in a sentence, with the time of its newest point.
pub fn newest(balance: &Balance) -> Option<String> {
    let (at_s, share) = balance.points.last()?;
    let at = Timestamp::from_second(*at_s).ok()?;
    let low = if *share < LOW { ": rates are at the base, or about to fall to it" } else { "" };
    Some(format!("{} of {} was {:.0} % at {at}{low}.", balance.source, balance.subject, share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_793_491_200;

    fn balance(points: &[(i64, f64)]) -> Balance {
        Balance {
            subject: "i-0a".to_owned(),
            metric: "ebs.io_balance",
            source: "EBSIOBalance%",
            points: points.to_vec(),
        }
    }

    fn over(seconds: i64) -> Telemetry {
        Telemetry {
            at_ns: (1..=seconds).map(|second| second * 1_000_000_000).collect(),
            ..Telemetry::default()
        }
    }

    #[test]
    fn a_point_stands_for_its_own_time_and_no_other() {
        let mut telemetry = over(400);
        put(&mut telemetry, &[balance(&[(START, 1.0), (START + 60, 0.5)])], START);
        let series = telemetry.find("ebs.io_balance", "i-0a").unwrap();
        assert_eq!((series.values[0], series.values[58]), (Some(1.0), Some(1.0)));
        assert_eq!((series.values[59], series.values[358]), (Some(0.5), Some(0.5)));
        // Five minutes later nothing is known.
        assert_eq!(series.values[359], None);
        assert!(telemetry.absent.is_empty());
    }

    #[test]
    fn what_was_not_published_yet_is_absent_with_the_reason() {
        let mut telemetry = over(5);
        put(&mut telemetry, &[balance(&[(START - 600, 1.0)])], START);
        assert!(telemetry.series.is_empty() && telemetry.absent[0].reason.contains("minutes late"));
    }

    #[test]
    fn an_empty_balance_says_what_follows() {
        let said = newest(&balance(&[(START, 0.04)])).unwrap();
        assert!(
            said.contains("EBSIOBalance% of i-0a was 4 % at 2026-11-01T") && said.contains("base"),
            "{said}"
        );
        assert!(!newest(&balance(&[(START, 0.4)])).unwrap().contains("base"));
        assert_eq!(newest(&balance(&[])), None);
    }
}
