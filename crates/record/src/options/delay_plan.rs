//! What a delay is asked to be: read from text, written back, checked.

use std::fmt;
use std::str::FromStr;

use crate::Fault;
use fathom_measure::{Nanos, Share};
use serde::{Deserialize, Serialize};

use crate::spelling::nearest;

/// How long a delay is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant {
        /// The delay.
        ns: u64,
    },
    /// Every length between two is as likely.
    Uniform {
        /// Shortest.
        least_ns: u64,
        /// Longest.
        most_ns: u64,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean_ns: u64,
    },
    /// Log-normal.
    Lognormal {
        /// Median.
        median_ns: u64,
        /// Standard deviation of the natural logarithm, above 0.
        sigma: f64,
    },
    /// One of two values.
    Bimodal {
        /// What most I/Os get.
        usual_ns: u64,
        /// What the others get; longer.
        other_ns: u64,
        /// Share of the others, above 0 and below 1.
        other_share: f64,
    },
}

impl Distribution {
    /// Mean, in nanoseconds.
    pub fn mean_ns(&self) -> f64 {
        match *self {
            Self::Constant { ns } => ns as f64,
            Self::Uniform { least_ns, most_ns } => (least_ns as f64 + most_ns as f64) / 2.0,
            Self::Exponential { mean_ns } => mean_ns as f64,
            Self::Lognormal { median_ns, sigma } => median_ns as f64 * (sigma * sigma / 2.0).exp(),
            Self::Bimodal { usual_ns, other_ns, other_share } => {
                usual_ns as f64 * (1.0 - other_share) + other_ns as f64 * other_share
            }
        }
    }
}

/// Periodic stalls: nothing is served from `phase + k * every` on for `length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stalls {
    /// Start to start.
    pub every_ns: u64,
    /// How long each lasts.
    pub length_ns: u64,
    /// Start of the first one.
    pub phase_ns: u64,
}

/// A distribution, and stalls.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayPlan {
    /// Drawn anew for each I/O.
    pub distribution: Distribution,
    /// Times, from the run's first I/O on, in which no completion is let go.
    pub stalls: Option<Stalls>,
}

/// Longest delay and longest period of stalls: a day.
const LONGEST_NS: u64 = 86_400_000_000_000;
/// Widest log-normal: beyond it the mean is nothing that a run could see.
const WIDEST_SIGMA: f64 = 5.0;

const NAMES: [&str; 5] = ["constant", "uniform", "exponential", "lognormal", "bimodal"];
const EXAMPLES: [&str; 5] = [
    "constant:100us",
    "uniform:50us-150us",
    "exponential:100us",
    "lognormal:100us/0.5 (median/sigma)",
    "bimodal:100us/1ms/1% (usual/other/share of the other)",
];

impl FromStr for DelayPlan {
    type Err = Fault;

    /// Reads `exponential:100us` or `constant:100us,stall-every=60s,stall-length=1s,stall-phase=30s`.
    fn from_str(text: &str) -> Result<Self, Fault> {
        let mut parts = text.split(',').map(str::trim);
        let distribution = distribution(parts.next().unwrap_or_default())?;
        let (mut every, mut length, mut phase) = (None, None, None);
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let place = match key.trim() {
                "stall-every" => &mut every,
                "stall-length" => &mut length,
                "stall-phase" => &mut phase,
                _ => {
                    return Err(Fault::from(format!(
                        "`{part}` is not part of a delay: after the distribution write stall-every=60s, \
                         stall-length=1s and, if the first is later than at the start, stall-phase=30s"
                    )));
                }
            };
            if place.replace(time(value.trim())?).is_some() {
                return Err(Fault::from(format!("`{key}` is given twice: give it once")));
            }
        }
        let stalls = match (every, length, phase) {
            (None, None, None) => None,
            (Some(every_ns), Some(length_ns), phase) => {
                Some(Stalls { every_ns, length_ns, phase_ns: phase.unwrap_or(0) })
            }
            _ => return Err(Fault::from("stalls need both stall-every=60s and stall-length=1s")),
        };
        if stalls.is_some_and(|stalls| stalls.length_ns == 0 || stalls.length_ns >= stalls.every_ns) {
            return Err(Fault::from(
                "a stall is longer than nothing and shorter than its period: write \
                        stall-every=60s,stall-length=1s",
            ));
        }
        Ok(Self { distribution, stalls })
    }
}

fn distribution(text: &str) -> Result<Distribution, Fault> {
    let (name, values) = text.split_once(':').unwrap_or((text, ""));
    let Some(index) = NAMES.iter().position(|known| *known == name) else {
        let offer = match nearest(name, NAMES).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one as {}", EXAMPLES.join(", ")),
        };
        return Err(Fault::from(format!("unknown distribution `{name}`: {offer}")));
    };
    let parts: Vec<&str> = values.split(if name == "uniform" { '-' } else { '/' }).map(str::trim).collect();
    let found = match (name, parts.as_slice()) {
        _ if values.is_empty() => {
            return Err(Fault::from(format!("`{text}` is not complete: write {}", EXAMPLES[index])));
        }
        ("constant", [ns]) => Distribution::Constant { ns: time(ns)? },
        ("uniform", [least, most]) => Distribution::Uniform { least_ns: time(least)?, most_ns: time(most)? },
        ("exponential", [mean]) => Distribution::Exponential { mean_ns: time(mean)? },
        ("lognormal", [median, sigma]) => {
            Distribution::Lognormal { median_ns: time(median)?, sigma: number(sigma)? }
        }
        ("bimodal", [usual, other, share]) => Distribution::Bimodal {
            usual_ns: time(usual)?,
            other_ns: time(other)?,
            other_share: share.parse::<Share>()?.0,
        },
        _ => return Err(Fault::from(format!("`{text}` is not complete: write {}", EXAMPLES[index]))),
    };
    let problem = match found {
        Distribution::Uniform { least_ns, most_ns } if least_ns > most_ns => {
            "the shorter comes first".to_owned()
        }
        Distribution::Lognormal { sigma, .. } if sigma <= 0.0 || sigma > WIDEST_SIGMA => {
            format!("sigma is above 0 and at most {WIDEST_SIGMA}")
        }
        Distribution::Bimodal { usual_ns, other_ns, .. } if usual_ns >= other_ns => {
            "the usual value is the shorter one".to_owned()
        }
        Distribution::Bimodal { other_share, .. } if other_share <= 0.0 || other_share >= 1.0 => {
            "the share of the other value is above 0 % and below 100 %".to_owned()
        }
        _ if found.mean_ns() < 1.0 => "a delay of nothing delays nothing: leave it out".to_owned(),
        _ => return Ok(found),
    };
    Err(Fault::from(format!("`{text}`: {problem}, as in {}", EXAMPLES[index])))
}

fn time(text: &str) -> Result<u64, Fault> {
    match text.parse::<Nanos>() {
        Ok(Nanos(ns)) if ns <= LONGEST_NS => Ok(ns),
        Ok(_) => Err(Fault::from(format!("`{text}` is longer than a day"))),
        Err(error) => Err(error.into()),
    }
}

fn number(text: &str) -> Result<f64, Fault> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| Fault::from(format!("`{text}` is not a number: write a decimal, e.g. 0.5")))
}

/// A time so that it reads back as the same one.
struct ExactDuration(u64);

impl fmt::Display for ExactDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            ns if ns.is_multiple_of(1_000_000_000) => write!(f, "{}s", ns / 1_000_000_000),
            ns if ns.is_multiple_of(1_000_000) => write!(f, "{}ms", ns / 1_000_000),
            ns if ns.is_multiple_of(1_000) => write!(f, "{}us", ns / 1_000),
            ns => write!(f, "{ns}ns"),
        }
    }
}

impl fmt::Display for DelayPlan {
    /// As [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.distribution {
            Distribution::Constant { ns } => write!(f, "constant:{}", ExactDuration(ns))?,
            Distribution::Uniform { least_ns, most_ns } => {
                write!(f, "uniform:{}-{}", ExactDuration(least_ns), ExactDuration(most_ns))?;
            }
            Distribution::Exponential { mean_ns } => write!(f, "exponential:{}", ExactDuration(mean_ns))?,
            Distribution::Lognormal { median_ns, sigma } => {
                write!(f, "lognormal:{}/{sigma}", ExactDuration(median_ns))?;
            }
            Distribution::Bimodal { usual_ns, other_ns, other_share } => {
                write!(f, "bimodal:{}/{}/{other_share}", ExactDuration(usual_ns), ExactDuration(other_ns))?;
            }
        }
        let Some(Stalls { every_ns, length_ns, phase_ns }) = self.stalls else { return Ok(()) };
        write!(f, ",stall-every={},stall-length={}", ExactDuration(every_ns), ExactDuration(length_ns))?;
        if phase_ns > 0 { write!(f, ",stall-phase={}", ExactDuration(phase_ns)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refusal(text: &str) -> String {
        text.parse::<DelayPlan>().expect_err(text).cause
    }

    #[test]
    fn what_is_wrong_is_answered_with_what_to_type() {
        for (text, said) in [
            ("exponental:100us", "did you mean `exponential`?"),
            ("100us", "constant:100us"),
            ("", "exponential:100us"),
            ("exponential", "exponential:100us"),
            ("exponential:100", "10us"),
            ("exponential:0", "delays nothing"),
            ("uniform:2ms-1ms", "shorter comes first"),
            ("lognormal:1ms", "lognormal:100us/0.5"),
            ("lognormal:1ms/-1", "above 0"),
            ("lognormal:1ms/inf", "0.5"),
            ("bimodal:1ms/100us/1%", "shorter one"),
            ("bimodal:1us/1ms/100%", "below 100 %"),
            ("constant:2d", "a day"),
            ("constant:1ms,stall=1s", "stall-every=60s"),
            ("constant:1ms,stall-every=1s", "stall-length=1s"),
            ("constant:1ms,stall-every=1s,stall-length=1s", "shorter than its period"),
            ("constant:1ms,stall-every=1s,stall-every=2s,stall-length=1s", "twice"),
        ] {
            let error = refusal(text);
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            a in 1u64..1_000_000_000_000, b in 1u64..1_000_000_000, sigma in 0.001f64..5.0, share in 0.001f64..0.999,
            kind in 0..5, phase in 0u64..2_000_000_000, stalled: bool,
        ) {
            let distribution = match kind {
                0 => Distribution::Constant { ns: a },
                1 => Distribution::Uniform { least_ns: a, most_ns: a + b },
                2 => Distribution::Exponential { mean_ns: a },
                3 => Distribution::Lognormal { median_ns: a, sigma },
                _ => Distribution::Bimodal { usual_ns: a, other_ns: a + b, other_share: share },
            };
            let stalls = stalled.then_some(Stalls { every_ns: a + b, length_ns: b, phase_ns: phase });
            let plan = DelayPlan { distribution, stalls };
            prop_assert_eq!(plan.to_string().parse(), Ok(plan));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = text.parse::<DelayPlan>();
        }
    }
}
