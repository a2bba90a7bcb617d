//! How a measurement goes, in words that both kinds of screen use.

use fathom_campaign::{Second, StepNotice};
use fathom_measure::{ByteRate, Bytes, Nanos, Rate};
use fathom_target::Preparation;

/// `laying out: 512 MiB of 1 GiB (50 %)`.
pub fn preparing(what: Preparation, done_bytes: u64, total_bytes: u64) -> String {
    let what = match what {
        Preparation::LayingOut => "laying out",
        Preparation::Reading => "checking that it is empty",
    };
    let percent = if total_bytes == 0 { 100.0 } else { done_bytes as f64 / total_bytes as f64 * 100.0 };
    format!("{what}: {} of {} ({percent:.0} %)", Bytes(done_bytes), Bytes(total_bytes))
}

/// `2 of 7: 4 KiB random write, 2 × 32, climb`.
pub fn step(notice: &StepNotice) -> String {
    let [full, ..] = step_forms(notice);
    full
}

/// The same, and shorter for terminals that have no room.
pub fn step_forms(notice: &StepNotice) -> [String; 3] {
    let (number, of) = notice.pattern;
    let (jobs, depth) = notice.cell;
    let short = format!("{number} of {of}: {}, {jobs} × {depth}", notice.title);
    [format!("{short}, {}", notice.purpose), short, format!("{number} of {of}, {jobs} × {depth}")]
}

/// `12.3 k IOPS, 50.4 MB/s, p99 345 us`.
pub fn figures(second: &Second) -> String {
    let [full, ..] = figure_forms(second);
    full
}

/// The same, and shorter for terminals that have no room: the throughput goes first, which the rate says already.
pub fn figure_forms(second: &Second) -> [String; 3] {
    let rate = format!("{} IOPS", Rate(second.operations_per_s));
    let throughput = format!(", {}", ByteRate(second.throughput_bytes_per_s));
    let latency = second.service_p99_ns.map_or_else(String::new, |ns| format!(", p99 {}", Nanos(ns)));
    let mut end = String::new();
    if second.errors > 0 {
        end += &format!(", {} errors", second.errors);
    }
    if second.warmup {
        end += ", warm-up";
    }
    [format!("{rate}{throughput}{latency}{end}"), format!("{rate}{latency}{end}"), format!("{rate}{end}")]
}

/// What is left to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemainingTime {
    /// Time that was left when the current run started its I/O.
    pub at_start_ns: Option<u64>,
    /// Whether that is time of a simulated clock, by which nobody waits.
    pub simulated: bool,
}

impl RemainingTime {
    /// `18 s left`, or how long it has run where the end is not known.
    pub fn after(self, until_ns: u64) -> String {
        let of = if self.simulated { " of simulated time" } else { "" };
        match self.at_start_ns {
            Some(left) => format!("{}{of} left", Nanos(left.saturating_sub(until_ns)).coarse()),
            None => format!("{}{of} so far", Nanos(until_ns).coarse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_reads_as_one_line() {
        let second = Second {
            warmup: false,
            until_ns: 3_000_000_000,
            operations_per_s: 123_400.0,
            throughput_bytes_per_s: 505.4e6,
            service_p99_ns: Some(345_000),
            ..Second::default()
        };
        assert_eq!(figures(&second), "123 k IOPS, 505 MB/s, p99 345 us");
        let bad = Second { errors: 2, warmup: true, service_p99_ns: None, ..second };
        assert_eq!(figures(&bad), "123 k IOPS, 505 MB/s, 2 errors, warm-up");
        let forms = figure_forms(&second);
        assert_eq!(forms[1..], ["123 k IOPS, p99 345 us", "123 k IOPS"]);
    }

    #[test]
    fn what_is_left_never_goes_below_nothing() {
        let left = RemainingTime { at_start_ns: Some(30_000_000_000), simulated: false };
        let simulated = RemainingTime { simulated: true, ..left };
        assert_eq!(simulated.after(12_000_400_000), "18 s of simulated time left");
        assert_eq!(left.after(12_000_400_000), "18 s left");
        assert_eq!(left.after(40_000_000_000), "0 s left");
        assert_eq!(RemainingTime::default().after(5_000_000_000), "5 s so far");
    }
}
