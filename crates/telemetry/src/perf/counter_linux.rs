//! One counter of `perf_event_open(2)`: opened for a thread and those that it starts, and read with its times.
#![allow(unsafe_code)] // One call of the system; what it takes and gives is plain integers.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;

use perf_event_open_sys::bindings::{
    PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_FLAG_FD_CLOEXEC,
    PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_TYPE_HARDWARE, perf_event_attr,
};
use perf_event_open_sys::perf_event_open;

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Who counts: one of the kernel's `PERF_TYPE_*`.
    kind: u32,
    /// What, in that one's numbers.
    number: u64,
}

impl Event {
    /// The processor's cycles.
    pub const CYCLES: Self = Self { kind: PERF_TYPE_HARDWARE, number: PERF_COUNT_HW_CPU_CYCLES as u64 };
    /// Instructions that it carried out.
    pub const INSTRUCTIONS: Self =
        Self { kind: PERF_TYPE_HARDWARE, number: PERF_COUNT_HW_INSTRUCTIONS as u64 };
}

/// A counter that runs.
#[derive(Debug)]
pub struct Counter(File);

impl Counter {
    /// Counts `thread`, 0 for the calling one, and all threads that it starts from now on, wherever they run; with the
    /// kernel's work for them or without.
    ///
    /// # Errors
    /// As the system reports them: `ESRCH` where the thread has ended, `EACCES` or `EPERM` where it must not be
    /// counted, `ENOENT` or `EOPNOTSUPP` where the machine does not count that.
    pub fn start(event: Event, thread: i32, kernel_too: bool) -> io::Result<Self> {
        let mut attributes = perf_event_attr::default();
        attributes.size = size_of::<perf_event_attr>() as u32;
        attributes.type_ = event.kind;
        attributes.config = event.number;
        attributes.read_format = (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING).into();
        attributes.set_inherit(1);
        attributes.set_exclude_hv(1);
        attributes.set_exclude_kernel(u64::from(!kernel_too));
        // SAFETY: the structure says its own length, is written to at most by that much, and outlives the call. What it
        // asks for is a count: no memory of this process is handed over.
        let opened =
            unsafe { perf_event_open(&raw mut attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC.into()) };
        if opened < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made this descriptor, and nobody else has it.
        Ok(Self(unsafe { File::from_raw_fd(opened) }))
    }

    /// The count since the start, scaled up to the whole time where the counter had to share the hardware.
    ///
    /// # Errors
    /// As the system reports them.
    #[allow(clippy::host_endian_bytes, reason = "the kernel of this machine gives words as its CPU has them")]
    pub fn read(&mut self) -> io::Result<u64> {
        // Count, nanoseconds since the start, and those of them in which it counted: `read_format` above.
        let mut words = [[0_u8; 8]; 3];
        self.0.read_exact(words.as_flattened_mut())?;
        let [count, enabled_ns, running_ns] = words.map(|word| u128::from(u64::from_ne_bytes(word)));
        let scaled = (count * enabled_ns).checked_div(running_ns).unwrap_or(0);
        Ok(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use fathom_measure::{Clock, WallClock};
    use perf_event_open_sys::bindings::{PERF_COUNT_SW_TASK_CLOCK, PERF_TYPE_SOFTWARE};

    use super::*;

    /// Nanoseconds on a processor: what every machine counts whose kernel has perf events.
    const TASK_CLOCK: Event = Event { kind: PERF_TYPE_SOFTWARE, number: PERF_COUNT_SW_TASK_CLOCK as u64 };

    fn work(for_ms: u64) {
        let (clock, _) = WallClock::start();
        let end_ns = clock.now_ns() + for_ms * 1_000_000;
        while clock.now_ns() < end_ns {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn a_thread_is_counted_with_those_that_it_starts_and_without_others() {
        let mut counter = match Counter::start(TASK_CLOCK, 0, false) {
            Ok(counter) => counter,
            Err(error) => return fathom_skips::skipped(format!("perf events ({error})")),
        };
        std::thread::scope(|scope| scope.spawn(|| work(20)).join().unwrap());
        let of_child_ns = counter.read().unwrap();
        assert!((1_000_000..=60_000_000_000).contains(&of_child_ns), "{of_child_ns}");
        work(20);
        assert!(counter.read().unwrap() >= of_child_ns + 1_000_000);
        let mut of_other = std::thread::scope(|scope| {
            scope.spawn(|| Counter::start(TASK_CLOCK, 0, false).unwrap()).join().unwrap()
        });
        let before = of_other.read().unwrap();
        work(20);
        assert_eq!(of_other.read().unwrap(), before);
    }

    #[test]
    fn what_cannot_be_counted_is_an_error_of_the_system() {
        let nothing = Event { kind: PERF_TYPE_SOFTWARE, number: 1 << 40 };
        assert!(Counter::start(nothing, 0, false).unwrap_err().raw_os_error().is_some());
        let nobody = Counter::start(TASK_CLOCK, i32::MAX, false).unwrap_err();
        assert!(matches!(
            nobody.raw_os_error(),
            Some(libc::ESRCH | libc::ENOSYS | libc::EPERM | libc::EACCES)
        ));
    }
}
