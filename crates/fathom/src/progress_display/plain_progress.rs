//! Lines for a log: one for each step, and figures now and then.

use fathom_campaign::{Progress, Second, StepNotice};
use fathom_measure::Clock;
use fathom_report::layout;
use fathom_target::Preparation;

use super::progress_words::{self, RemainingTime};

/// Figures come no more often than this.
const EVERY_NS: u64 = 5_000_000_000;

/// Writes lines.
pub struct PlainProgress<C> {
    clock: C,
    write: fn(&str),
    left: RemainingTime,
    last_ns: u64,
}

impl<C: Clock> PlainProgress<C> {
    /// Writes through `write`; the first figures come when [`EVERY_NS`] have passed.
    pub fn new(clock: C, total_ns: Option<u64>, write: fn(&str)) -> Self {
        let last_ns = clock.now_ns();
        Self { clock, write, left: RemainingTime { at_start_ns: total_ns, simulated: false }, last_ns }
    }

    fn line(&self, text: &str) {
        layout::wrapped("", text, "  ", 100).iter().for_each(|line| (self.write)(line));
    }

    fn is_due(&mut self) -> bool {
        let now_ns = self.clock.now_ns();
        let due = now_ns.saturating_sub(self.last_ns) >= EVERY_NS;
        if due {
            self.last_ns = now_ns;
        }
        due
    }
}

impl<C: Clock> Progress for PlainProgress<C> {
    fn preparing(&mut self, what: Preparation, done_bytes: u64, total_bytes: u64) {
        if self.is_due() {
            self.line(&progress_words::preparing(what, done_bytes, total_bytes));
        }
    }

    fn step(&mut self, notice: &StepNotice) {
        self.left.at_start_ns = notice.left_ns;
        self.line(&format!("{}; {}", progress_words::step(notice), self.left.after(0)));
    }

    fn second(&mut self, second: &Second) {
        if self.is_due() {
            self.line(&format!(
                "  {}; {}",
                progress_words::figures(second),
                self.left.after(second.until_ns)
            ));
        }
    }

    fn simulated_time(&mut self, is_simulated: bool) {
        self.left.simulated = is_simulated;
    }

    fn note(&mut self, text: &str) {
        self.line(text);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use fathom_measure::VirtualClock;

    use super::*;

    thread_local! {
        static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    #[test]
    fn figures_come_every_five_seconds_of_real_time() {
        let clock = VirtualClock::new();
        let write = |line: &str| LINES.with_borrow_mut(|lines| lines.push(line.to_owned()));
        let mut plain = PlainProgress::new(clock.clone(), Some(20_000_000_000), write);
        for second in 1..=12u64 {
            clock.advance_to(second * 1_000_000_000);
            plain.second(&Second {
                warmup: false,
                until_ns: second * 1_000_000_000,
                operations_per_s: 1000.0,
                throughput_bytes_per_s: 4e6,
                ..Second::default()
            });
        }
        LINES.with_borrow(|lines| {
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert!(lines[0].ends_with("15 s left") && lines[1].ends_with("10 s left"), "{lines:?}");
        });
    }
}
