//! How long the calls took that started I/Os, and how many I/Os ended inside theirs: over all jobs of a run.
//!
//! A system that carries out an I/O before its call returns keeps the caller from having more in flight, and nobody is
//! told. The engines count for themselves and add up here when they end.

use std::sync::atomic::{AtomicU64, Ordering};

use fathom_record::facts::EngineFeature;

/// What one engine counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls that started a read or a write.
    pub count: u64,
    /// I/Os that were over when their call returned.
    pub ended: u64,
    /// Time inside those calls.
    pub ns: u64,
}

/// What all engines of a run counted.
#[derive(Debug, Default)]
pub struct CallTimes {
    count: AtomicU64,
    ended: AtomicU64,
    ns: AtomicU64,
}

impl CallTimes {
    /// Takes in what an engine counted.
    pub fn add(&self, calls: Calls) {
        self.count.fetch_add(calls.count, Ordering::Relaxed);
        self.ended.fetch_add(calls.ended, Ordering::Relaxed);
        self.ns.fetch_add(calls.ns, Ordering::Relaxed);
    }

    /// The sum.
    pub fn sum(&self) -> Calls {
        let [count, ended, ns] =
            [&self.count, &self.ended, &self.ns].map(|number| number.load(Ordering::Relaxed));
        Calls { count, ended, ns }
    }
}

impl Calls {
    /// How the record has it; used where an I/O ended inside its call.
    pub fn feature(self) -> EngineFeature {
        let Self { count, ended, ns } = self;
        let mean_ns = ns.checked_div(count).unwrap_or(0);
        let note =
            format!("{ended} of {count} I/Os, warm-up included; {mean_ns} ns inside the call on average");
        EngineFeature::new("ended_inside_call", ended > 0, Some(note))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_counted_adds_up() {
        let inside = CallTimes::default();
        assert!(!inside.sum().feature().used);
        inside.add(Calls { count: 3, ended: 1, ns: 3_000 });
        inside.add(Calls { count: 1, ended: 0, ns: 1_000 });
        let feature = inside.sum().feature();
        assert_eq!(inside.sum(), Calls { count: 4, ended: 1, ns: 4_000 });
        assert!(
            feature.used
                && feature
                    .note
                    .is_some_and(|note| note.starts_with("1 of 4 I/Os, ") && note.contains(" 1000 ns "))
        );
    }
}
