//! How near a rate came to the bounds that were known, whoever states them.

use fathom_record::CeilingScope;

use crate::evidence::Feature;
use crate::nearness::ReachedBound;
use crate::printed;
use crate::symptoms::Symptom;

use super::ComparedRow;

/// Most of a capacity that its use says: what is further above is as much above.
const MOST_USE: f64 = 1.1;
/// Share of the usual frames' payload that the largest ones reach.
const LARGE_FRAMES: f64 = 1.065;
/// Standard error of a published rate over a published bound: rounding, and the overhead of protocols.
const STATED_ERROR: f64 = 0.01;
/// The same of a link's share: frames and protocols differ by that much.
const LINK_ERROR: f64 = 0.03;
/// Standard error of the logarithm of a rate over what CPU cores can do.
const CORE_ERROR: f64 = 0.03;
/// Logarithm of a published rate over a bound below which it says no more.
const FARTHEST: f64 = -2.0;
/// The same over what a device does.
const FARTHEST_DEVICE: f64 = -1.5;

/// What decides which symptom a bound is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundKey {
    /// Whose bound it is.
    pub scope: CeilingScope,
    /// Whether it is one of operations, and not of bytes.
    pub counts_operations: bool,
    /// Whether a faster rate holds for a while: the bound is then what remains without credits.
    pub is_sustained: bool,
}

impl BoundKey {
    /// The symptom that the rate over the bound is.
    pub fn feature(self) -> Feature {
        match self.scope {
            _ if self.is_sustained => Feature::Sustained,
            CeilingScope::Volume if self.counts_operations => Feature::VolumeIops,
            CeilingScope::Volume => Feature::VolumeThroughput,
            CeilingScope::Instance => Feature::Instance,
            CeilingScope::Link => Feature::LinkUse,
            CeilingScope::Device => Feature::DeviceRate,
            CeilingScope::Memory => Feature::MemoryUse,
            CeilingScope::Bus => Feature::BusUse,
        }
    }
}

/// The bound of a symptom that could be the limit: the tightest, and of several limits of an instance the nearest.
pub fn tightest<'a, B: 'a>(
    bounds: impl Iterator<Item = &'a B>,
    feature: Feature,
    share: impl Fn(&B) -> f64,
) -> Option<&'a B> {
    let distance = |bound: &B| {
        let share = share(bound);
        if feature == Feature::Instance { share.ln().abs() } else { -share }
    };
    bounds.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// A share of a bound on the scale of its symptom.
fn on_scale(feature: Feature, share: f64) -> f64 {
    if feature.is_use() { share.min(MOST_USE) } else { share.ln() }
}

impl Symptom {
    /// A measured rate over a bound.
    pub(in crate::symptoms) fn reached(feature: Feature, bound: &ReachedBound<'_>) -> Option<Self> {
        let value = on_scale(feature, bound.share);
        Self::new(feature, value, bound.error_share / 2.0, bound.sentence())
    }

    /// A published rate over a bound that was published too, or given with it.
    pub fn reached_as_stated(feature: Feature, bound: &ReachedBound<'_>) -> Option<Self> {
        let value = match feature {
            // Larger frames than the usual ones carry a little more than the payload that is assumed.
            Feature::LinkUse if bound.share <= LARGE_FRAMES => bound.share.min(1.0),
            Feature::DeviceRate => on_scale(feature, bound.share).max(FARTHEST_DEVICE),
            _ => on_scale(feature, bound.share).max(FARTHEST),
        };
        let error = if feature == Feature::LinkUse { LINK_ERROR } else { STATED_ERROR };
        Self::new(feature, value, error, bound.sentence())
    }

    /// A rate over what the device below does by itself, as another row has it.
    pub fn device_below(share: f64, has_copies: bool, below: &ComparedRow<'_>) -> Option<Self> {
        let text = format!(
            "The rate is{} {} of what the device below does by itself: {} in the row \"{}\".",
            if has_copies { ", copies included," } else { "" },
            percent_or_times(share),
            below.rate,
            below.name
        );
        Self::new(Feature::DeviceRate, share.ln().max(FARTHEST_DEVICE), STATED_ERROR, text)
    }

    /// A rate over the limits of all connections together.
    pub fn connection_use(share: f64, name: &str) -> Option<Self> {
        let share_in_words = percent_or_times(share);
        let text = format!("The rate is {share_in_words} of what its connections may do ({name}).");
        Self::new(Feature::ConnectionUse, share.ln().max(FARTHEST), LINK_ERROR, text)
    }

    /// A rate over what the CPU cores that worked can do, by the limit of each.
    pub fn core_use(share: f64, each_per_s: f64) -> Option<Self> {
        let text = format!(
            "The rate is {} of what the CPUs that worked can do at {} each.",
            printed::percent(share),
            printed::iops(each_per_s)
        );
        Self::new(Feature::CoreUse, share.ln(), CORE_ERROR, text)
    }

    /// An open loop's rate over the one that was asked for.
    pub fn asked(share: f64, error: f64) -> Option<Self> {
        let text = format!("{} of the rate that was asked for was carried.", printed::percent(share));
        Self::new(Feature::Asked, share.ln(), error, text)
    }

    /// Minutes after which a rate fell over those that the credits last, at a rate before it and a sustained one.
    pub fn credit_time((fell, last): (f64, f64), before: &str, sustained: &str) -> Option<Self> {
        let text = format!(
            "The rate fell after {fell:.0} min; at {before} above {sustained} the credits last {last:.0} min."
        );
        Self::new(Feature::CreditTime, (fell / last).ln(), 0.05, text)
    }

    /// Burst credits that are left.
    pub fn credits_left(share: f64) -> Option<Self> {
        Self::of_share(Feature::CreditsLeft, share, |p| format!("{p} of the burst credits were left."))
    }
}

fn percent_or_times(share: f64) -> String {
    if share >= 2.0 { printed::times(share) } else { printed::percent(share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_limits_of_an_instance_the_nearest_is_meant_and_else_the_tightest() {
        let shares = [0.5, 1.1, 3.0];
        let of = |feature| tightest(shares.iter(), feature, |share| *share).copied();
        assert_eq!(of(Feature::Instance), Some(1.1));
        assert_eq!(of(Feature::VolumeIops), Some(3.0));
    }

    #[test]
    fn a_published_share_says_no_more_far_below_a_bound_or_within_the_frames_of_a_link() {
        let bound = |share| ReachedBound { share, error_share: 0.0, figure: "1 GB/s".to_owned(), name: "x" };
        let value = |feature, share| Symptom::reached_as_stated(feature, &bound(share)).unwrap().figure.value;
        assert_eq!(value(Feature::VolumeIops, 0.01), FARTHEST);
        assert_eq!(value(Feature::DeviceRate, 0.01), FARTHEST_DEVICE);
        assert_eq!(value(Feature::LinkUse, 1.05), 1.0);
        assert_eq!(value(Feature::LinkUse, 1.15), MOST_USE);
        assert_eq!(value(Feature::BusUse, 0.01), 0.01);
    }
}
