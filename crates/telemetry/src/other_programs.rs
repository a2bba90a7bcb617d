//! What other programs used of the processors between two moments: the machine's time in programs, less this
//! process's own and that of the kernel's threads, which work for whoever does I/O. `/proc/stat`, `getrusage` and
//! `/proc/PID/stat`, read twice.

use crate::process::{ProcessUsage, usage};
use crate::{Root, TelemetryError, TelemetryErrorKind};

const PLACE: &str = "reading what other programs used of the CPU";

/// Length of a tick of `/proc` in nanoseconds: `USER_HZ` is 100 on every machine that runs Linux today.
const TICK_NS: u64 = 10_000_000;
/// Flag of the kernel's own threads in `/proc/PID/stat` (`PF_KTHREAD`).
const OF_KERNEL: u64 = 0x0020_0000;
/// Less time than this in all says nothing: a tick would be more than 2 % of it.
const LEAST_NS: u64 = 50 * TICK_NS;

/// Readings at the first moment.
#[derive(Debug)]
pub struct CpuBaseline {
    root: Root,
    before: Result<CpuTimes, TelemetryError>,
}

/// What was used until the second moment, by all processors together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OthersUse {
    /// Time of other programs, in nanoseconds.
    pub used_ns: u64,
    /// Time that passed, times the processors, in nanoseconds.
    pub all_ns: u64,
}

impl OthersUse {
    /// Share of all processors' time, 0 to 1.
    pub fn share(&self) -> f64 {
        (self.used_ns as f64 / self.all_ns.max(1) as f64).min(1.0)
    }
}

/// Times since the machine started, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct CpuTimes {
    user_ns: u64,
    system_ns: u64,
    all_ns: u64,
    /// Of the kernel's threads; absent where none can be seen, as from within a container.
    kernel_ns: Option<u64>,
    own: ProcessUsage,
}

impl CpuBaseline {
    /// Reads the times.
    pub fn start(root: &Root) -> Self {
        Self { root: root.clone(), before: read(root) }
    }

    /// Reads them again.
    ///
    /// # Errors
    /// Why nothing can be said, as a sentence.
    pub fn finish(self) -> Result<OthersUse, TelemetryError> {
        between(&self.before?, &read(&self.root)?)
    }
}

fn between(before: &CpuTimes, now: &CpuTimes) -> Result<OthersUse, TelemetryError> {
    let all_ns = now.all_ns.saturating_sub(before.all_ns);
    if all_ns < LEAST_NS {
        let cause = "The run was too short to see what other programs used of the CPU.";
        return Err(TelemetryError::new(TelemetryErrorKind::TooShort, PLACE, cause));
    }
    let grown = |before: u64, now: u64| now.saturating_sub(before);
    let user = grown(before.user_ns, now.user_ns).saturating_sub(grown(before.own.user_ns, now.own.user_ns));
    // Without a look at the kernel's threads nobody knows whose time in the kernel it is.
    let kernel = before.kernel_ns.zip(now.kernel_ns).map(|(before, now)| grown(before, now));
    let system = kernel.map_or(0, |kernel_ns| {
        let own_ns = grown(before.own.system_ns, now.own.system_ns);
        grown(before.system_ns, now.system_ns).saturating_sub(own_ns + kernel_ns)
    });
    Ok(OthersUse { used_ns: user + system, all_ns })
}

fn read(root: &Root) -> Result<CpuTimes, TelemetryError> {
    let missing = || {
        let cause = "What other programs used of the CPU is not known: /proc/stat cannot be read.";
        TelemetryError::new(TelemetryErrorKind::Absent, PLACE, cause)
    };
    let text = root.text("/proc/stat").ok_or_else(missing)?;
    let own = usage().ok_or_else(missing)?;
    let (user_ns, system_ns, all_ns) = machine(&text).ok_or_else(missing)?;
    Ok(CpuTimes { user_ns, system_ns, all_ns, kernel_ns: kernel_threads(root), own })
}

/// Time in programs, time in the kernel for them, and all time, of the line `cpu  USER NICE SYSTEM IDLE ...`.
fn machine(text: &str) -> Option<(u64, u64, u64)> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // Guests are counted under user and nice already.
    let ticks: Vec<u64> =
        line.split_ascii_whitespace().take(8).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [user, nice, system, ..] = ticks[..] else { return None };
    let in_ns = |ticks: u64| ticks.saturating_mul(TICK_NS);
    Some((in_ns(user.saturating_add(nice)), in_ns(system), in_ns(ticks.iter().sum())))
}

/// Time of all threads of the kernel.
fn kernel_threads(root: &Root) -> Option<u64> {
    let names = root.names("/proc");
    let numbers = names.iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
    let times = numbers.filter_map(|name| kernel_thread(&root.text(format!("/proc/{name}/stat"))?));
    times.map(Some).reduce(|sum, next| Some(sum?.saturating_add(next?))).flatten()
}

/// Time of one process in the kernel, if it is a thread of the kernel's own.
fn kernel_thread(stat: &str) -> Option<u64> {
    // The name stands in brackets and may hold any byte.
    let mut words = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let flags: u64 = words.nth(6)?.parse().ok()?;
    let ticks: u64 = words.nth(5)?.parse().ok()?;
    (flags & OF_KERNEL != 0).then(|| ticks.saturating_mul(TICK_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(user: u64, system: u64, all: u64, kernel: Option<u64>, own: (u64, u64)) -> CpuTimes {
        let ns = |ticks: u64| ticks * TICK_NS;
        let own = ProcessUsage {
            user_ns: ns(own.0),
            system_ns: ns(own.1),
            waits: Some(0),
            preemptions: Some(0),
            minor_faults: Some(0),
            major_faults: Some(0),
        };
        let kernel_ns = kernel.map(ns);
        CpuTimes { user_ns: ns(user), system_ns: ns(system), all_ns: ns(all), kernel_ns, own }
    }

    #[test]
    fn what_is_neither_own_nor_the_kernels_is_others() {
        let before = reading(1000, 500, 10_000, Some(50), (10, 5));
        let share = |now: CpuTimes| between(&before, &now).ok().map(|used| used.share());
        // 124 of 200 ticks are others': 100 in programs, 24 in the kernel for them.
        let now = reading(1130, 560, 10_200, Some(66), (40, 25));
        assert_eq!(share(now), Some(0.62));
        // Without the kernel's threads its time is nobody's.
        let hidden = CpuTimes { kernel_ns: None, ..now };
        assert_eq!(share(hidden), Some(0.5));
        // An own load alone, and kernel threads that work for it.
        assert_eq!(share(reading(1100, 600, 10_200, Some(100), (110, 55))), Some(0.0));
        assert!(
            share(reading(1001, 500, 10_049, Some(50), (10, 5))).is_none(),
            "below half a second of one CPU"
        );
    }

    #[test]
    fn lines_of_proc_are_read_and_others_are_not() {
        let text = "cpu  100 20 30 400 5 6 7 8 90 9\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(machine(text), Some((1_200_000_000, 300_000_000, 5_760_000_000)));
        assert_eq!(machine("cpu0 1 2 3\n"), None);
        assert_eq!(machine("cpu  1 x 3\n"), None);
        let stat = |flags: u64| format!("71 (kworker) 0:1) S 2 0 0 0 -1 {flags} 0 0 0 0 3 44 0 0 20 0");
        assert_eq!(kernel_thread(&stat(OF_KERNEL | 64)), Some(440_000_000));
        assert_eq!(kernel_thread(&stat(64)), None);
        assert_eq!(kernel_thread("71 (x"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_can_be_read() {
        let reading = read(&Root::system()).unwrap();
        assert!(reading.user_ns > 0 && reading.user_ns + reading.system_ns < reading.all_ns);
    }
}
