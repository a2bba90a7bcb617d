//! Counters through `perf_event_open`: two for each thread, inherited by the threads that it starts.

use std::io;

use super::Totals;
use super::counter::{Counter, Event};
use crate::{TelemetryError, TelemetryErrorKind};

/// Threads that are counted at most: each takes two descriptors. Threads that they start are
/// counted with them.
const THREADS_MAX: usize = 64;

/// Running counters.
pub struct Counters {
    cycles: Vec<Counter>,
    instructions: Vec<Counter>,
    kernel_too: bool,
}

impl Counters {
    /// Counts the threads of this process, with the kernel's work for them if that is permitted.
    pub fn start() -> Result<Self, TelemetryError> {
        let threads = threads();
        match Self::open(&threads, true) {
            Err(error) if denied(&error) => Self::open(&threads, false),
            other => other,
        }
        .map_err(why_not)
    }

    fn open(threads: &[i32], kernel_too: bool) -> io::Result<Self> {
        let mut counters = Self { cycles: Vec::new(), instructions: Vec::new(), kernel_too };
        for &thread in threads {
            let pair = Counter::start(Event::CYCLES, thread, kernel_too)
                .and_then(|cycles| Ok((cycles, Counter::start(Event::INSTRUCTIONS, thread, kernel_too)?)));
            match pair {
                Ok((cycles, instructions)) => {
                    counters.cycles.push(cycles);
                    counters.instructions.push(instructions);
                }
                // A thread that ended since it was listed; the first is the caller and lives.
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) && !counters.cycles.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(counters)
    }

    /// Empty, or `user` where the kernel's work is not counted.
    pub fn label(&self) -> &'static str {
        if self.kernel_too { "" } else { "user" }
    }

    /// Totals over all threads, scaled up where counters had to share the hardware.
    pub fn read(&mut self) -> Option<Totals> {
        Some(Totals { cycles: sum(&mut self.cycles)?, instructions: sum(&mut self.instructions)? })
    }
}

fn sum(counters: &mut [Counter]) -> Option<u64> {
    counters.iter_mut().try_fold(0_u64, |sum, counter| Some(sum.saturating_add(counter.read().ok()?)))
}

/// This process's threads, the calling one (0) first.
fn threads() -> Vec<i32> {
    let caller = rustix::thread::gettid().as_raw_nonzero().get();
    let listed = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let others = listed
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|thread| *thread != caller);
    std::iter::once(0).chain(others).take(THREADS_MAX).collect()
}

fn denied(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM))
}

fn why_not(error: io::Error) -> TelemetryError {
    use TelemetryErrorKind as Kind;
    let (kind, cause) = match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => (
            Kind::Unsupported,
            format!(
                "not supported: this machine shows no cycle and instruction counters ({error}); on a virtual machine \
                 ask for an instance type or hypervisor setting that passes the PMU through"
            ),
        ),
        Some(libc::EACCES | libc::EPERM) => (
            Kind::Permission,
            format!(
                "not permitted ({error}): type `sysctl kernel.perf_event_paranoid=1` as root, or allow \
                 perf_event_open in the container's seccomp profile"
            ),
        ),
        Some(libc::ENOSYS) => {
            (Kind::Unsupported, format!("not supported: the kernel has no perf events ({error})"))
        }
        Some(libc::EMFILE) => (Kind::System, format!("too many open files ({error}): raise `ulimit -n`")),
        _ => (Kind::System, format!("CPU counters could not be started: {error}")),
    };
    TelemetryError::new(kind, "starting CPU counters", cause).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_counters_counts_and_one_without_says_why() {
        match Counters::start() {
            Ok(mut counters) => {
                let before = counters.read().unwrap();
                std::hint::black_box((0..1_000_000u64).fold(0u64, |a, b| a ^ std::hint::black_box(b)));
                assert!(counters.read().unwrap().instructions > before.instructions + 500_000);
            }
            Err(error) => {
                let known = [TelemetryErrorKind::Unsupported, TelemetryErrorKind::Permission];
                assert!(known.contains(&error.kind), "{error}");
            }
        }
    }

    #[test]
    fn each_refusal_has_its_remedy() {
        let reason = |errno| why_not(io::Error::from_raw_os_error(errno)).cause;
        assert!(reason(libc::ENOENT).contains("PMU"));
        assert!(reason(libc::EACCES).contains("perf_event_paranoid"));
        assert!(reason(libc::EMFILE).contains("ulimit"));
    }

    #[test]
    fn the_caller_is_the_first_of_the_threads_and_named_once() {
        let caller = rustix::thread::gettid().as_raw_nonzero().get();
        let threads = threads();
        assert_eq!(threads[0], 0);
        assert!(!threads.contains(&caller));
    }
}
