//! Systems that do not count how long a thread waited for a processor: a standstill is then told by what the whole
//! process did meanwhile alone.

/// Waits of one thread for a processor: nobody counts them.
#[derive(Debug)]
pub struct Waits;

impl Waits {
    /// Of the calling thread.
    pub fn of_this_thread() -> Self {
        Self
    }

    /// Nothing is known.
    pub fn waited_ns(&self) -> Option<u64> {
        None
    }
}

/// A sleep of the machine is seen by its length alone.
pub fn suspended_ns() -> u64 {
    0
}
