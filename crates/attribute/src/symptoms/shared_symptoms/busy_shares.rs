//! How busy CPU cores and the generator's threads were.

use crate::curve_shape::share;
use crate::evidence::Feature;
use crate::printed;
use crate::symptoms::Symptom;

/// Standard error of a share: of time from ticks, or as published in whole percent.
const SHARE_ERROR: f64 = 0.01;
/// Busy share of the generator from which on its user share says what fills it.
const BUSY: f64 = 0.8;

/// How busy the CPU cores of a machine were, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusyShares {
    /// The busiest of them.
    pub busiest: Option<f64>,
    /// Mean of all.
    pub mean: Option<f64>,
    /// Their number.
    pub cores: Option<f64>,
}

impl BusyShares {
    /// Symptoms of the busiest core and of all together, which a single core is no other of.
    pub fn symptoms(self) -> Vec<Symptom> {
        let is_single = self.cores == Some(1.0);
        let busiest = self.busiest.or(self.mean.filter(|_| is_single)).and_then(|share| {
            let text = |p: String| format!("The busiest CPU core was busy {p} of the time.");
            Symptom::of_share(Feature::BusiestCore, share, text)
        });
        let count = self.cores.filter(|count| *count > 1.0);
        let count = count.map_or(String::new(), |count| format!("{} ", printed::count(count)));
        let mean = self.mean.filter(|_| !is_single).and_then(|share| {
            let text = |p: String| format!("All {count}CPUs together were busy {p} of the time.");
            Symptom::of_share(Feature::MeanCore, share, text)
        });
        busiest.into_iter().chain(mean).collect()
    }
}

impl Symptom {
    /// A share of time, or of requests, as it is; `None` where it can be none.
    pub(super) fn of_share(feature: Feature, value: f64, text: impl Fn(String) -> String) -> Option<Self> {
        let share = share(Some(value))?;
        Self::new(feature, share, SHARE_ERROR, text(printed::percent(share)))
    }

    /// What the generator's threads worked, and the share of that which they spent in their own code.
    pub fn generator(busy: Option<f64>, user: Option<f64>) -> Vec<Self> {
        let user = user.filter(|_| busy.is_some_and(|share| share >= BUSY));
        let busy = busy.and_then(|share| {
            let text = |p: String| format!("The generator's threads worked {p} of the time.");
            Self::of_share(Feature::GeneratorBusy, share, text)
        });
        let user = user.and_then(|share| {
            let text = |p: String| {
                format!("Of the generator's CPU time, {p} was its own code and the rest the kernel's.")
            };
            Self::of_share(Feature::GeneratorUser, share, text)
        });
        busy.into_iter().chain(user).collect()
    }

    /// The busiest CPU core, where nothing but one thread's load is known: it keeps a core as busy.
    pub fn core_of_thread(busy: f64) -> Option<Self> {
        let text = |p: String| format!("A job that works {p} of the time keeps a CPU as busy.");
        Self::of_share(Feature::BusiestCore, busy, text)
    }

    /// Time that a hypervisor gave to others.
    pub fn steal(share: f64) -> Option<Self> {
        Self::of_share(Feature::Steal, share, |p| {
            format!("The hypervisor gave {p} of the CPUs' time to others.")
        })
    }

    /// CPU time spent waiting for locks.
    pub fn lock_share(share: f64) -> Option<Self> {
        Self::of_share(Feature::LockShare, share, |p| format!("Waiting for locks took {p} of the time."))
    }

    /// Time too hot.
    pub fn heat(share: f64) -> Option<Self> {
        Self::counted(Feature::Heat, share, "The device or a CPU counted itself as too hot")
    }

    /// Time that something counted itself, after the words of what it counted.
    pub(in crate::symptoms) fn counted(feature: Feature, share: f64, what: &str) -> Option<Self> {
        Self::of_share(feature, share, |p| format!("{what} {p} of the time."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(busiest: Option<f64>, mean: Option<f64>, cores: Option<f64>) -> Vec<String> {
        BusyShares { busiest, mean, cores }.symptoms().into_iter().map(|seen| seen.text).collect()
    }

    #[test]
    fn a_single_core_is_the_busiest_and_no_other() {
        let busiest = "The busiest CPU core was busy 90 % of the time.";
        assert_eq!(texts(None, Some(0.9), Some(1.0)), [busiest]);
        assert_eq!(texts(Some(0.9), Some(0.9), Some(1.0)), [busiest]);
        let all = "All 8 CPUs together were busy 50 % of the time.";
        assert_eq!(texts(Some(0.9), Some(0.5), Some(8.0)), [busiest, all]);
        assert_eq!(texts(None, Some(0.5), None), ["All CPUs together were busy 50 % of the time."]);
    }

    #[test]
    fn what_fills_the_generator_is_said_of_a_busy_one() {
        assert_eq!(Symptom::generator(Some(0.5), Some(0.9)).len(), 1);
        assert_eq!(Symptom::generator(Some(0.9), Some(0.9)).len(), 2);
        assert!(Symptom::generator(None, Some(0.9)).is_empty());
        assert!(Symptom::steal(1.5).is_none());
    }
}
