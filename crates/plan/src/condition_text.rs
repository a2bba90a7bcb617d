//! Conditions under which a measurement fails, as they are typed: `read p99>2ms`, `iops<90% of last`.

use fathom_measure::{ByteRate, Rate, Share};
use fathom_record::Fault;
use fathom_record::campaign::OperatingPointKind;
use fathom_record::comparison::Side;
use fathom_record::condition::{
    Condition, ConditionLimit, ConditionScope, JudgedQuantity, LatencyKind, Relation, Statistic,
};
use fathom_record::latency::VALUES_BEYOND;
use fathom_record::{Direction, Workload};

use super::error::{PlanError, PlanErrorKind};
use super::quantity::{self, quantile};

/// What is written on the left of the sign.
const QUANTITIES: &str = "iops, throughput, MB/s, p50, p99, p99.9, mean, max or errors";

/// The signs, longer ones first.
const SIGNS: [(&str, Relation); 4] =
    [("<=", Relation::AtMost), (">=", Relation::AtLeast), ("<", Relation::Below), (">", Relation::Above)];

/// Reads a condition.
///
/// # Errors
/// What is wrong with it and what to write, as a sentence without a full stop.
pub fn condition(text: &str) -> Result<Condition, PlanError> {
    read(text).map_err(|fault| fault.at(PlanErrorKind::Value, "--fail-if"))
}

fn read(text: &str) -> Result<Condition, Fault> {
    let text = text.trim();
    if let Some(words) = text.strip_suffix("slower") {
        let scope = subject(text, words)?.0;
        return Ok(Condition {
            text: text.to_owned(),
            scope,
            direction: None,
            quantity: JudgedQuantity::Slower,
            relation: Relation::Above,
            limit: ConditionLimit::Fixed(0.0),
        });
    }
    let sign = SIGNS.iter().filter_map(|(sign, relation)| Some((text.find(sign)?, sign, relation)));
    let Some((at, sign, relation)) = sign.min_by_key(|(at, sign, _)| (*at, 2 - sign.len())) else {
        return Err(Fault::from(format!("`{text}` has no < or >: write a condition as p99>2ms or iops<50k")));
    };
    let (left, right) = (text[..at].trim(), text[at + sign.len()..].trim());
    let (words, name) = left.rsplit_once(char::is_whitespace).unwrap_or(("", left));
    let (dotted, name) = split_direction(name);
    let (scope, direction, kind) = subject(text, &format!("{words} {dotted}"))?;
    let measure = Measure::named(name, kind).ok_or_else(|| {
        format!("`{name}` is not a quantity: write {QUANTITIES} on the left of {sign}, e.g. read p99>2ms")
    })?;
    let (quantity, limit) = measure.limit(right)?;
    Ok(Condition { text: text.to_owned(), scope, direction, quantity, relation: *relation, limit })
}

/// `read.p99` as `read` and `p99`.
fn split_direction(name: &str) -> (&str, &str) {
    match name.split_once('.') {
        Some((first, rest)) if named_direction(first).is_some() => (first, rest),
        _ => ("", name),
    }
}

fn named_direction(word: &str) -> Option<Direction> {
    let word = word.to_ascii_lowercase();
    let word = word.strip_suffix('s').filter(|_| word != "flushes").unwrap_or(&word);
    Direction::ALL.into_iter().find(|direction| direction.name() == word)
}

/// The words before the quantity: which point, side, I/Os and kind of latency, or else a pattern's name.
fn subject(
    text: &str,
    words: &str,
) -> Result<(ConditionScope, Option<Direction>, Option<LatencyKind>), Fault> {
    let (mut scope, mut direction, mut kind) = (ConditionScope::default(), None, None);
    for word in words.split_whitespace() {
        let twice = match word.to_ascii_lowercase().as_str() {
            "a" => scope.side.replace(Side::A).is_some(),
            "b" => scope.side.replace(Side::B).is_some(),
            "service" => kind.replace(LatencyKind::Service).is_some(),
            "response" => kind.replace(LatencyKind::Response).is_some(),
            _ => match (OperatingPointKind::named(word), named_direction(word)) {
                (Some(point), _) => scope.point.replace(point).is_some(),
                (None, Some(named)) => direction.replace(named).is_some(),
                (None, None) => scope.pattern.replace(word.to_owned()).is_some(),
            },
        };
        if twice {
            return Err(Fault::from(format!(
                "`{text}` says two things with `{word}`: write one condition for each"
            )));
        }
    }
    Ok((scope, direction, kind))
}

/// A quantity's name, with what its numbers are multiplied by where the name is a unit.
struct Measure {
    quantity: JudgedQuantity,
    factor: Option<f64>,
}

impl Measure {
    fn named(name: &str, kind: Option<LatencyKind>) -> Option<Self> {
        let latency = |statistic| Some(JudgedQuantity::Latency { kind, statistic });
        let lower = name.to_ascii_lowercase();
        let of_unit = |factor: f64| Some(Self { quantity: JudgedQuantity::Throughput, factor: Some(factor) });
        let quantity = match lower.as_str() {
            "mb/s" => return of_unit(1e6),
            "gb/s" => return of_unit(1e9),
            "mib/s" => return of_unit(1_048_576.0),
            "gib/s" => return of_unit(1_073_741_824.0),
            "iops" => Some(JudgedQuantity::Iops),
            "throughput" | "bw" | "bandwidth" => Some(JudgedQuantity::Throughput),
            "errors" => Some(JudgedQuantity::Errors),
            "mean" | "avg" => latency(Statistic::Mean),
            "median" => latency(Statistic::Quantile(0.5)),
            "max" => latency(Statistic::Max),
            percentile => latency(Statistic::Quantile(quantile(percentile.strip_prefix('p')?)?)),
        };
        let quantity = quantity.filter(|quantity| kind.is_none() || quantity.is_latency())?;
        Some(Self { quantity, factor: None })
    }

    /// The limit, and the quantity that it makes of errors: a count or a share.
    fn limit(self, text: &str) -> Result<(JudgedQuantity, ConditionLimit), Fault> {
        if let Some((share, name)) = text.split_once(" of ") {
            let percent = share.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
            let share = percent.filter(|percent| percent.is_finite() && *percent > 0.0).ok_or_else(|| {
                format!("`{}` is not a share: write, for example, 90% of last", share.trim())
            })?;
            let name = name.trim();
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(Fault::from(format!(
                    "`{name}` is not the name of a run: `fathom runs` lists them"
                )));
            }
            let limit = ConditionLimit::ShareOf { share: share / 100.0, name: name.to_owned() };
            return Ok((self.quantity, limit));
        }
        let fixed = |value: f64| ConditionLimit::Fixed(value);
        match (self.quantity, self.factor) {
            (quantity, Some(factor)) => {
                let number = quantity::decimal(text).map_err(|_| {
                    Fault::from(format!("`{text}` is not a number: write, for example, MB/s<250"))
                })?;
                Ok((quantity, fixed(number * factor)))
            }
            (JudgedQuantity::Iops, _) => {
                let rate = if text == "0" { Ok(Rate(0.0)) } else { text.parse::<Rate>() };
                rate.map(|rate| (JudgedQuantity::Iops, fixed(rate.0))).map_err(Fault::from)
            }
            (JudgedQuantity::Throughput, _) => match quantity::decimal(text) {
                Ok(_) if text != "0" => {
                    Err(Fault::from(format!("`{text}` has no unit: write a throughput as {text}MB/s")))
                }
                _ => text
                    .parse::<ByteRate>()
                    .map(|rate| (JudgedQuantity::Throughput, fixed(rate.0)))
                    .map_err(Fault::from),
            },
            (JudgedQuantity::Errors | JudgedQuantity::ErrorShare | JudgedQuantity::Slower, _)
                if text.ends_with('%') =>
            {
                text.parse::<Share>()
                    .map(|share| (JudgedQuantity::ErrorShare, fixed(share.0)))
                    .map_err(Fault::from)
            }
            (JudgedQuantity::Errors | JudgedQuantity::ErrorShare | JudgedQuantity::Slower, _) => {
                Ok((JudgedQuantity::Errors, fixed(quantity::count(text)? as f64)))
            }
            (latency, _) => Ok((latency, fixed(quantity::time_ns(text)? as f64))),
        }
    }
}

/// Why a run of this workload will not measure what a condition is on, as far as that is known before it starts.
pub fn unmeasurable(condition: &Condition, workload: &Workload) -> Option<String> {
    let mix = &workload.mix;
    let replays = matches!(workload.addresses, fathom_record::workload::Addresses::Traced(_));
    let absent = match condition.direction {
        None => false,
        Some(Direction::Read) => mix.read_share <= 0.0,
        Some(Direction::Write) => mix.write_share() <= 0.0,
        Some(Direction::Trim) => mix.trim_share <= 0.0,
        Some(Direction::Flush) => {
            mix.flush_every_writes == 0
                && !workload.special.as_ref().is_some_and(|special| special.flush_at_end)
        }
    };
    if let Some(direction) = condition.direction
        && absent
        && !replays
    {
        let plural = if direction == Direction::Flush {
            "flushes".to_owned()
        } else {
            format!("{}s", direction.name())
        };
        return Some(format!("the workload has no {plural}"));
    }
    let JudgedQuantity::Latency { kind, statistic } = condition.quantity else { return None };
    if kind == Some(LatencyKind::Response) && !workload.arrival.is_open() && !replays {
        return Some(
            "response latencies are measured with --rate or --rates, which are not there".to_owned(),
        );
    }
    let Statistic::Quantile(q) = statistic else { return None };
    let most = workload.length.operations?;
    let needed = VALUES_BEYOND / (1.0 - q);
    (q > 0.5 && (most as f64) < needed - 1e-6).then(|| {
        format!("{} needs {needed:.0} I/Os at least, and the run ends after {most}", statistic.name())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Direction>, JudgedQuantity, Relation, ConditionLimit) {
        let read = condition(text).unwrap();
        (read.direction, read.quantity, read.relation, read.limit)
    }

    fn latency(kind: Option<LatencyKind>, q: f64) -> JudgedQuantity {
        JudgedQuantity::Latency { kind, statistic: Statistic::Quantile(q) }
    }

    #[test]
    fn conditions_read_as_people_write_them() {
        let fixed = ConditionLimit::Fixed;
        for (text, expected) in [
            ("p99>2ms", (None, latency(None, 0.99), Relation::Above, fixed(2e6))),
            (
                "read p99.9 >= 2ms",
                (Some(Direction::Read), latency(None, 0.999), Relation::AtLeast, fixed(2e6)),
            ),
            ("write.p50>100us", (Some(Direction::Write), latency(None, 0.5), Relation::Above, fixed(1e5))),
            (
                "response p99>1s",
                (None, latency(Some(LatencyKind::Response), 0.99), Relation::Above, fixed(1e9)),
            ),
            ("IOPS<50k", (None, JudgedQuantity::Iops, Relation::Below, fixed(50e3))),
            ("reads iops<=1M", (Some(Direction::Read), JudgedQuantity::Iops, Relation::AtMost, fixed(1e6))),
            ("MB/s<250", (None, JudgedQuantity::Throughput, Relation::Below, fixed(250e6))),
            (
                "throughput<100MiB/s",
                (None, JudgedQuantity::Throughput, Relation::Below, fixed(104_857_600.0)),
            ),
            ("errors>0", (None, JudgedQuantity::Errors, Relation::Above, fixed(0.0))),
            ("errors>0.1%", (None, JudgedQuantity::ErrorShare, Relation::Above, fixed(0.001))),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_limit_may_be_a_share_of_another_measurement() {
        let (_, quantity, _, limit) = read("iops<90% of r-20261120-155300123-7f3a");
        assert_eq!(quantity, JudgedQuantity::Iops);
        let name = "r-20261120-155300123-7f3a".to_owned();
        assert_eq!(limit, ConditionLimit::ShareOf { share: 0.9, name });
        assert!(matches!(read("p99>110% of last").3, ConditionLimit::ShareOf { share, .. } if share == 1.1));
    }

    #[test]
    fn campaigns_have_patterns_points_and_sides() {
        let scope = condition("randread-4k peak iops<50k").unwrap().scope;
        assert_eq!(
            (scope.pattern.as_deref(), scope.point),
            (Some("randread-4k"), Some(OperatingPointKind::Peak))
        );
        assert_eq!(condition("a p99>2ms").unwrap().scope.side, Some(Side::A));
        assert_eq!(condition("randread-4k slower").unwrap().quantity, JudgedQuantity::Slower);
        assert_eq!(condition("slower").unwrap().scope, ConditionScope::default());
    }

    #[test]
    fn mistakes_are_told_with_what_to_write() {
        for (text, words) in [
            ("p99", "has no < or >"),
            ("p99>2", "`2` is not a time"),
            ("latency>2ms", "`latency` is not a quantity"),
            ("service iops<5k", "`iops` is not a quantity"),
            ("throughput<250", "write a throughput as 250MB/s"),
            ("MB/s<250MB", "MB/s<250"),
            ("iops<ninety% of last", "90% of last"),
            ("iops<90% of ", "`90% of`"),
            ("read write p99>2ms", "says two things"),
            ("p100>2ms", "`p100` is not a quantity"),
        ] {
            let fault = super::read(text).unwrap_err();
            assert!(fault.cause.contains(words), "{text}: {fault}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_condition_or_an_error(text in r"[a-z0-9 ./%<>=µé]{0,40}|\PC{0,20}") {
            let workload = crate::pattern("randread-4k").unwrap().workload;
            match condition(&text) {
                Ok(read) => drop(unmeasurable(&read, &workload)),
                Err(error) => assert!(!error.cause.is_empty()),
            }
        }
    }

    #[test]
    fn what_a_workload_cannot_have_is_known_before_it_starts() {
        let mut workload = crate::pattern("randread-4k").unwrap().workload;
        let refused = |text: &str, workload: &Workload| unmeasurable(&condition(text).unwrap(), workload);
        assert_eq!(refused("write p99>2ms", &workload).as_deref(), Some("the workload has no writes"));
        assert_eq!(refused("flush p99>2ms", &workload).as_deref(), Some("the workload has no flushes"));
        assert!(refused("response p99>2ms", &workload).unwrap().contains("--rate"));
        assert_eq!(refused("read p99>2ms", &workload), None);
        workload.length.operations = Some(500);
        assert!(refused("p99>2ms", &workload).unwrap().contains("needs 1000 I/Os"));
        assert_eq!(refused("p50>2ms", &workload), None);
    }
}
