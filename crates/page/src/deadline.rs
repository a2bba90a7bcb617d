//! How long a query of a store may take.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The moment at which the query in progress ends, answered or not. Copies share it: one begins queries, the other
/// interrupts them.
#[derive(Clone, Debug)]
pub(crate) struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    /// What a query may take: one thread reads for all who ask, and a browser has long given up by then.
    pub(crate) const QUERY_TIME: Duration = Duration::from_secs(30);

    /// For a query that begins now and may take so long.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Arc::new(Mutex::new(now() + time)))
    }

    /// A query begins that may take so long.
    pub(crate) fn begin(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now() + time;
    }

    /// Whether it is over.
    pub(crate) fn has_passed(&self) -> bool {
        now() >= *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[allow(clippy::disallowed_methods, reason = "how long a reader waits is not a measurement")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_over_once_its_time_is_and_begins_again() {
        let deadline = Deadline::after(Duration::ZERO);
        let other = deadline.clone();
        assert!(other.has_passed());
        deadline.begin(Duration::from_secs(60));
        assert!(!other.has_passed());
    }
}
