//! A trace served in continuous time: each I/O ends when each of the volume's limits has let it through.

use super::drawn_demand::Io;
use super::slow_simulator::Limit;
use super::volume_offers::{Kind, MIB};

/// I/Os that end later than `deadline_s` after they came. Instances are left out.
pub fn late(ios: &[Io], kind: Kind, limits: &[Limit; 2], margin_percent: u64, deadline_s: u64) -> u64 {
    let margin = margin_percent as f64 / 100.0;
    let mut buckets = limits.map(Bucket::new);
    let late = ios.iter().filter(|io| {
        let operations = io.bytes.div_ceil(kind.unit()).max(1);
        let bytes = if kind.is_disk() { operations * MIB } else { io.bytes };
        let at_s = io.at_us as f64 / 1e6;
        let [first, second] = &mut buckets;
        let ends = first.pass(at_s, operations as f64 * margin).max(second.pass(at_s, bytes as f64 * margin));
        ends - at_s > deadline_s as f64
    });
    late.count() as u64
}

/// A token bucket that lets I/Os through one after the other, none faster than the peak.
struct Bucket {
    base: f64,
    peak: f64,
    most: f64,
    credits: f64,
    /// When the last one ended.
    free_s: f64,
}

impl Bucket {
    fn new(limit: Limit) -> Self {
        let unit = |milli: u64| milli as f64 / 1000.0;
        Self {
            base: unit(limit.base),
            peak: unit(limit.peak),
            most: unit(limit.bucket),
            credits: 0.0,
            free_s: 0.0,
        }
    }

    /// When an I/O that comes then and costs so much has passed.
    fn pass(&mut self, at_s: f64, cost: f64) -> f64 {
        let starts = at_s.max(self.free_s);
        self.credits = self.most.min(self.credits + (starts - self.free_s) * self.base);
        // At the peak as long as there are credits, then at the base.
        let spent_each = 1.0 - self.base / self.peak;
        let fast = if spent_each > 0.0 { cost.min(self.credits / spent_each) } else { cost };
        self.credits -= fast * spent_each;
        self.free_s = starts + fast / self.peak + (cost - fast) / self.base;
        self.free_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ios_pass_at_the_base_and_faster_on_credits() {
        let mut even = Bucket::new(Limit::even(10_000));
        assert!((even.pass(0.0, 1.0) - 0.1).abs() < 1e-9);
        assert!((even.pass(0.0, 1.0) - 0.2).abs() < 1e-9);
        assert!((even.pass(5.0, 1.0) - 5.1).abs() < 1e-9, "a rest earns nothing");
        let mut burst = Bucket::new(Limit { base: 10_000, peak: 20_000, bucket: 10_000 });
        // After 5 s there are 10 credits: 20 at the peak, for a second, and 10 at the base.
        assert!((burst.pass(5.0, 30.0) - 7.0).abs() < 1e-9);
    }

    #[test]
    fn an_io_is_late_where_either_limit_holds_it_back() {
        let io = |bytes| Io { at_us: 0, bytes, offset: 0, writes: false };
        let limits = [Limit::even(10_000), Limit::even(1000 * MIB)];
        let of = |ios: &[Io], deadline_s| late(ios, Kind::Gp3, &limits, 100, deadline_s);
        assert_eq!(of(&[io(512); 15], 1), 5);
        assert_eq!(of(&[io(MIB), io(MIB)], 1), 1, "a MiB/s");
        assert_eq!(of(&[io(512); 15], 2), 0);
    }
}
