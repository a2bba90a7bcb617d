//! Credits that clouds sell: buckets of operations or bytes, and when a load empties them.
//!
//! A bucket of B credits that come back at r a second lasts B / (x - r) seconds at a rate of x.

use super::Exposure;

#[cfg(test)]
const MIB: f64 = 1024.0 * 1024.0;
#[cfg(test)]
const TIB: f64 = 1024.0 * 1024.0 * MIB;

/// What a credit pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credit {
    /// An operation.
    Operation,
    /// A byte.
    Byte,
}

/// A published bucket, taken as full when the exposure began.
#[derive(Clone, Debug, PartialEq)]
pub struct Credits {
    /// What one credit pays for.
    pub credit: Credit,
    /// Credits of a full bucket.
    pub size: f64,
    /// Credits that come back in a second: the base rate.
    pub refill_per_s: f64,
    /// Rate that the bucket allows while it lasts.
    pub burst_per_s: f64,
    /// Where this is published, with the date.
    pub source: String,
}

impl Credits {
    /// Time under load after which a full bucket is empty at the mean rate of the exposure; `None` when
    /// that rate does not empty it.
    pub fn exhausted_after_s(&self, exposure: &Exposure) -> Option<f64> {
        let moved = match self.credit {
            Credit::Operation => exposure.operations,
            Credit::Byte => exposure.bytes(),
        };
        let rate = moved / exposure.seconds;
        // Within a hundredth of the base, noise decides.
        (rate > 1.01 * self.refill_per_s).then(|| self.size / (rate - self.refill_per_s))
    }

    /// Credits spent beyond those that came back, at most the bucket; the mean rate of the exposure falls
    /// after the bucket is empty, and this with it.
    pub fn spent(&self, exposure: &Exposure) -> f64 {
        let moved = match self.credit {
            Credit::Operation => exposure.operations,
            Credit::Byte => exposure.bytes(),
        };
        (moved - self.refill_per_s * exposure.seconds).clamp(0.0, self.size)
    }
}

/// What is published of volumes, for tests; runs say themselves what buckets are before their targets.
#[cfg(test)]
impl Credits {
    /// AWS gp2 of this size; `None` from 1000 GiB on, where the base is the burst and there is no bucket.
    pub(super) fn gp2(size_gib: f64) -> Option<Self> {
        let base = (3.0 * size_gib).max(100.0);
        (base < 3000.0).then(|| Self {
            credit: Credit::Operation,
            size: 5.4e6,
            refill_per_s: base,
            burst_per_s: 3000.0,
            source: "AWS EC2 user guide, gp2: 5.4 M credits, 3 IOPS a GiB, 3000 in a burst (2023-06-15)"
                .to_owned(),
        })
    }

    /// AWS st1 of this size; `None` from 12.5 TiB on, where the base is the burst.
    pub(super) fn st1(size_tib: f64) -> Option<Self> {
        Self::throughput_optimised(
            size_tib,
            40.0,
            250.0,
            500.0,
            "st1: 40 MiB/s a TiB, 250 in a burst, 500 at most",
        )
    }

    /// AWS sc1 of this size.
    pub(super) fn sc1(size_tib: f64) -> Option<Self> {
        Self::throughput_optimised(
            size_tib,
            12.0,
            80.0,
            250.0,
            "sc1: 12 MiB/s a TiB, 80 in a burst, 250 at most",
        )
    }

    /// A bucket of 1 TiB for each TiB of volume; rates in MiB/s.
    fn throughput_optimised(size_tib: f64, base: f64, burst: f64, most: f64, text: &str) -> Option<Self> {
        let (base, burst) = ((base * size_tib).min(most), (burst * size_tib).min(most));
        (base < burst).then(|| Self {
            credit: Credit::Byte,
            size: size_tib * TIB,
            refill_per_s: base * MIB,
            burst_per_s: burst * MIB,
            source: format!("AWS EC2 user guide, {text}; a full bucket holds 1 TiB a TiB (2023-06-15)"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rate: f64) -> Exposure {
        Exposure { seconds: 100.0, operations: 100.0 * rate, ..Exposure::default() }
    }

    #[test]
    fn gp2_lasts_as_published() {
        for (gib, seconds) in [(33.0, 1862.0), (333.4, 2700.0), (500.0, 3600.0), (800.0, 9000.0)] {
            let lasts = Credits::gp2(gib).unwrap().exhausted_after_s(&at(3000.0)).unwrap();
            assert!((lasts / seconds - 1.0).abs() < 1e-3, "{gib} GiB: {lasts}");
        }
        assert_eq!(Credits::gp2(1000.0), None);
        assert_eq!(Credits::gp2(100.0).unwrap().exhausted_after_s(&at(300.0)), None);
    }

    #[test]
    fn a_full_scan_of_st1_and_sc1_takes_the_published_hours() {
        // AWS: 5 TiB in 2.91 h at 500 MiB/s of st1 and 5.83 h at 250 MiB/s of sc1; a full bucket bears it.
        for (credits, hours) in [(Credits::st1(5.0).unwrap(), 2.91), (Credits::sc1(5.0).unwrap(), 5.83)] {
            let scan_h = 5.0 * TIB / credits.burst_per_s / 3600.0;
            assert!((scan_h / hours - 1.0).abs() < 0.01, "{scan_h}");
            let moved =
                Exposure { seconds: 3600.0, bytes_read: credits.burst_per_s * 3600.0, ..Exposure::default() };
            assert!(credits.exhausted_after_s(&moved).unwrap() > scan_h * 3600.0);
        }
        assert_eq!(Credits::st1(12.5), None);
    }

    #[test]
    fn spent_credits_never_exceed_the_bucket() {
        let gp2 = Credits::gp2(100.0).unwrap();
        assert_eq!(gp2.spent(&at(3000.0)), 270_000.0);
        assert_eq!(gp2.spent(&at(200.0)), 0.0);
        let long = Exposure { seconds: 1e6, operations: 1e10, ..Exposure::default() };
        assert_eq!(gp2.spent(&long), 5.4e6);
    }
}
