//! What another result shows of the one in question that differs from it in one property.

use crate::evidence::Feature;
use crate::printed;
use crate::symptoms::Symptom;

/// Standard error of the logarithm of a ratio of two published rates, which were not measured for one another.
pub const STATED_RATIO_ERROR: f64 = 0.03;
/// Standard error of the logarithm of a ratio of CPU times from busy shares in whole percent.
const COST_ERROR: f64 = 0.1;
/// Share of a rate below which growth is none.
const NO_GROWTH: f64 = 0.005;

/// Another result, as sentences name it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedRow<'a> {
    /// Its rate, as it was stated.
    pub rate: &'a str,
    /// What a reader calls it.
    pub name: &'a str,
}

/// The rate of another result over the own one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRatio<'a> {
    /// Logarithm of the ratio.
    pub ln: f64,
    /// Its standard error.
    pub error: f64,
    /// The own rate, as it was stated.
    pub own: &'a str,
    /// The other rate, as it was stated.
    pub other: &'a str,
}

impl RateRatio<'_> {
    /// `4000 IOPS, 1.4 times this rate`.
    fn in_words(&self) -> String {
        format!("{}, {}", self.other, against(self.ln))
    }

    fn symptom(&self, feature: Feature, text: String) -> Option<Symptom> {
        Symptom::new(feature, self.ln, self.error, text)
    }
}

fn against(ln: f64) -> String {
    format!("{} this rate", printed::times(ln.exp()))
}

/// What differs from another result and nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Difference<'a> {
    /// A setting.
    Setting(&'a str),
    /// A version.
    Version(&'a str),
    /// What is not stated, in the result of this name.
    Unstated(&'a str),
    /// The machine.
    Machine(&'a str),
}

/// What a doubling does to the rate, by the share that it adds.
pub fn growth(gain: f64) -> String {
    match gain {
        gain if gain.abs() < NO_GROWTH => "does not change the rate".to_owned(),
        gain if gain > 0.0 => format!("adds {} of rate", printed::percent(gain)),
        gain => format!("takes away {} of rate", printed::percent(-gain)),
    }
}

impl Symptom {
    /// What each doubling of something brings, by another result that has more or less of it.
    ///
    /// `least` is the logarithm of what it was seen to bring. Where a known limit stopped it, that is the least that it
    /// would have brought, and `stopped` is the most.
    pub fn doubling(
        feature: Feature,
        what: &str,
        (least, error): (f64, f64),
        stopped: Option<f64>,
        other: &ComparedRow<'_>,
    ) -> Option<Self> {
        let change = growth(least.exp_m1());
        let text = format!("Each doubling of {what} {change}: {} in the row \"{}\".", other.rate, other.name);
        let Some(most) = stopped else { return Self::new(feature, least, error, text) };
        // Anything between both is as probable: the deviation of an even spread.
        let spread = (most - least) / 12f64.sqrt();
        let text = format!("{text} There a known limit stopped it.");
        Self::new(feature, (least + most) / 2.0, error.hypot(spread), text)
    }

    /// Half or twice the block: operations for each halving or doubling of it.
    pub fn resized(feature: Feature, block_bytes: u64, ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!(
            "Blocks of {} go at {} instead of {}: {} the operations for each {} of the block.",
            printed::bytes(block_bytes),
            ratio.other,
            ratio.own,
            printed::times(ratio.ln.exp()),
            if feature == Feature::HalfBlock { "halving" } else { "doubling" }
        );
        ratio.symptom(feature, text)
    }

    /// A span that is larger by a factor.
    pub fn larger_span(factor: f64, ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!(
            "Over {} the span the rate is {} instead of {}.",
            printed::times(factor),
            ratio.other,
            ratio.own
        );
        ratio.symptom(Feature::LargerSpan, text)
    }

    /// Random addresses in place of sequential ones.
    pub fn random_instead(ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!("Random addresses go at {}, sequential ones at {}.", ratio.other, ratio.own);
        ratio.symptom(Feature::RandomInstead, text)
    }

    /// Sequential addresses in place of random ones.
    pub fn sequential(ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!("Sequential addresses go at {}, random ones at {}.", ratio.other, ratio.own);
        ratio.symptom(Feature::Sequential, text)
    }

    /// Other software on the same hardware.
    pub fn other_software(name: &str, ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!("On the same hardware {name} goes at {} instead of {}.", ratio.other, ratio.own);
        ratio.symptom(Feature::OtherSoftware, text)
    }

    /// CPU time of an I/O over that with other software.
    pub fn software_cost(name: &str, factor: f64) -> Option<Self> {
        let text = format!("An I/O takes {} the CPU time that it takes with {name}.", printed::times(factor));
        Self::new(Feature::SoftwareCost, factor.ln(), COST_ERROR, text)
    }

    /// A result of which nothing else differs.
    pub fn difference(difference: Difference<'_>, ratio: &RateRatio<'_>) -> Option<Self> {
        let (feature, what) = match difference {
            Difference::Setting(setting) => (Feature::OtherSetting, format!("with \"{setting}\"")),
            Difference::Version(version) => (Feature::OtherSetting, format!("with version {version}")),
            Difference::Unstated(name) => (
                Feature::OtherSetting,
                format!("in the row \"{name}\", which differs in what is not stated,"),
            ),
            Difference::Machine(machine) => (Feature::OtherHost, format!("on \"{machine}\"")),
        };
        let text = format!("Nothing else differs: {what} it goes at {}.", ratio.in_words());
        ratio.symptom(feature, text)
    }

    /// The furthest of everything that is compared, by the logarithm of its ratio.
    pub fn apart(name: &str, ln: f64, error: f64) -> Option<Self> {
        let text = format!("Of what is compared, \"{name}\" is the furthest away: {}.", against(ln));
        Self::new(Feature::Apart, ln.abs(), error, text)
    }

    /// Without flushes, or with fewer of them.
    pub fn unflushed(has_some: bool, ratio: &RateRatio<'_>) -> Option<Self> {
        let with = if has_some { "With fewer flushes" } else { "Without flushes" };
        ratio.symptom(Feature::Unflushed, format!("{with} it goes at {}.", ratio.in_words()))
    }

    /// Memory of another node.
    pub fn other_node(node: &str, ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!("With memory on node \"{node}\" it goes at {}.", ratio.in_words());
        ratio.symptom(Feature::OtherNode, text)
    }

    /// Another measuring program on the same target.
    pub fn other_generator(name: &str, ratio: &RateRatio<'_>) -> Option<Self> {
        let text = format!("Another measuring program, {name}, reaches {}.", ratio.in_words());
        ratio.symptom(Feature::OtherGenerator, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_known_limit_stopped_lies_between_what_was_seen_and_the_most() {
        let other = ComparedRow { rate: "6000 IOPS", name: "deeper" };
        let seen =
            |stopped| Symptom::doubling(Feature::DoubleDepth, "concurrency", (0.2, 0.03), stopped, &other);
        let free = seen(None).unwrap();
        assert_eq!(free.figure.value, 0.2);
        assert_eq!(
            free.text,
            "Each doubling of concurrency adds 22 % of rate: 6000 IOPS in the row \"deeper\"."
        );
        let stopped = seen(Some(0.6)).unwrap();
        assert!((stopped.figure.value - 0.4).abs() < 1e-12 && stopped.figure.error > 0.1);
        assert!(stopped.text.ends_with("There a known limit stopped it."), "{}", stopped.text);
    }

    #[test]
    fn growth_is_said_as_a_share_of_the_rate() {
        let said = [0.004, 0.1, -0.1].map(growth);
        assert_eq!(said, ["does not change the rate", "adds 10 % of rate", "takes away 10 % of rate"]);
    }
}
