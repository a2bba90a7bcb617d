//! A thread that samples all sources at absolute times, and gives the record's telemetry at its end.

#[cfg_attr(target_os = "linux", path = "thread_cpu_linux.rs")]
#[cfg_attr(windows, path = "thread_cpu_windows.rs")]
mod thread_cpu;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_measure::{Clock, WallClock};
use fathom_record::telemetry::Telemetry;

use crate::sample_columns::Reading;
use crate::tcp::Sockets;
use crate::{Collector, Root};
use thread_cpu::thread_cpu_ns;

/// The kernel counts processor time in steps of 10 ms; a last interval shorter than this would
/// show little but rounding.
const LAST_INTERVAL_MIN_NS: u64 = 50_000_000;
/// Shortest period that is honoured.
const PERIOD_MIN_NS: u64 = 10_000_000;

/// What to sample, and how often.
#[derive(Clone, Debug)]
pub struct SamplerPlan {
    /// Where the machine's files are.
    pub root: Root,
    /// Kernel names of the target's block devices and all under them, as `dm-0`, `nvme0n1`.
    pub devices: Vec<String>,
    /// Connections that engines have, by target.
    pub sockets: Vec<Sockets>,
    /// Number of another process that is followed, as the one that serves a target; absent: none.
    pub server: Option<u32>,
    /// Time between samples, in nanoseconds; at least 10 ms.
    pub period_ns: u64,
}

impl Default for SamplerPlan {
    /// This machine, no devices, once a second.
    fn default() -> Self {
        Self {
            root: Root::system(),
            devices: Vec::new(),
            sockets: Vec::new(),
            server: None,
            period_ns: 1_000_000_000,
        }
    }
}

/// Values of one sample, for a live view.
#[derive(Clone, Debug, Default)]
pub struct Latest {
    /// End of the sample's interval, on the sampler's clock.
    pub at_ns: u64,
    readings: Vec<Reading>,
}

impl Latest {
    /// The value of one metric and label, as `("cpu.busy", "")`.
    pub fn find(&self, metric: &str, label: &str) -> Option<f64> {
        self.readings.iter().find(|(name, of, _)| *name == metric && &**of == label).map(|reading| reading.2)
    }

    /// All labels and values of one metric.
    pub fn all<'a>(&'a self, metric: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        self.readings
            .iter()
            .filter(move |reading| reading.0 == metric)
            .map(|(_, label, value)| (&**label, *value))
    }
}

#[derive(Default)]
struct State {
    stop: bool,
    latest: Option<Arc<Latest>>,
}

#[derive(Default)]
struct SamplerState {
    state: Mutex<State>,
    wake: Condvar,
}

impl SamplerState {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is two plain values that are whole at any moment, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collected so far, and the processor time that it took.
type Harvest = (Collector, Option<u64>);

enum Worker {
    Running(JoinHandle<Harvest>),
    /// No thread could be started; there is only the reason.
    Unstarted(Box<Collector>),
    Joined,
}

/// Samples until it is finished or dropped.
pub struct Sampler {
    shared: Arc<SamplerState>,
    worker: Worker,
}

impl Sampler {
    /// Takes the baseline at once, in the calling thread, then samples every period in a thread of
    /// its own. Processor counters follow the threads that exist now and those that they start, so
    /// call this before the jobs' threads are started. Takes some milliseconds.
    pub fn start(plan: SamplerPlan, clock: WallClock) -> Self {
        let cpu_before = thread_cpu_ns();
        let mut collector = Collector::new(&plan);
        let start_ns = clock.now_ns();
        collector.tick(start_ns);
        let spent_ns = thread_cpu_ns().zip(cpu_before).map(|(now, before)| now - before);
        let shared = Arc::new(SamplerState::default());
        let period_ns = plan.period_ns.max(PERIOD_MIN_NS);
        // The collector is handed over through a slot, so that a failed start does not lose it.
        let slot = Arc::new(Mutex::new(Some(collector)));
        let (theirs, handed) = (Arc::clone(&shared), Arc::clone(&slot));
        let spawned = std::thread::Builder::new().name("fathom-sampler".to_owned()).spawn(move || {
            let collector = take(&handed).expect("the slot was filled before the thread was started");
            let collector = run(collector, &theirs, clock, start_ns, period_ns);
            (collector, thread_cpu_ns().zip(spent_ns).map(|(thread, start)| thread + start))
        });
        let worker = match spawned {
            Ok(thread) => Worker::Running(thread),
            Err(error) => {
                let mut collector = take(&slot).expect("no thread was started that could have taken it");
                collector
                    .absent("sampler", format!("no thread could be started ({error}): raise `ulimit -u`"));
                Worker::Unstarted(Box::new(collector))
            }
        };
        Self { shared, worker }
    }

    /// The newest sample; absent before the first period is over.
    pub fn latest(&self) -> Option<Arc<Latest>> {
        self.shared.lock().latest.clone()
    }

    /// Stops at once and gives everything, with times from `origin_ns`: the start of the run's
    /// first I/O on the clock that the sampler was started with.
    pub fn finish(mut self, origin_ns: u64) -> Telemetry {
        match self.stop() {
            Some((collector, own_cpu_ns)) => collector.finish(origin_ns, own_cpu_ns),
            None => Telemetry::default(),
        }
    }

    fn stop(&mut self) -> Option<Harvest> {
        self.shared.lock().stop = true;
        self.shared.wake.notify_all();
        match std::mem::replace(&mut self.worker, Worker::Joined) {
            Worker::Running(thread) => thread.join().ok(),
            Worker::Unstarted(collector) => Some((*collector, None)),
            Worker::Joined => None,
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn take(slot: &Mutex<Option<Collector>>) -> Option<Collector> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn run(
    mut collector: Collector,
    shared: &SamplerState,
    clock: WallClock,
    start_ns: u64,
    period_ns: u64,
) -> Collector {
    let mut due_ns = start_ns + period_ns;
    while wait_until(shared, &clock, due_ns) {
        let now_ns = clock.now_ns();
        collector.tick(now_ns);
        if let Some((at_ns, readings)) = collector.newest() {
            shared.lock().latest = Some(Arc::new(Latest { at_ns, readings }));
        }
        due_ns = next_due_ns(start_ns, period_ns, clock.now_ns());
    }
    let now_ns = clock.now_ns();
    if collector.last_ns().is_some_and(|last| now_ns.saturating_sub(last) >= LAST_INTERVAL_MIN_NS) {
        collector.tick(now_ns);
    }
    collector
}

/// The next whole period after `now_ns`: samples neither drift nor catch up.
fn next_due_ns(start_ns: u64, period_ns: u64, now_ns: u64) -> u64 {
    start_ns + ((now_ns - start_ns) / period_ns + 1) * period_ns
}

/// Waits; false when the sampler was stopped first.
fn wait_until(shared: &SamplerState, clock: &WallClock, due_ns: u64) -> bool {
    let mut state = shared.lock();
    loop {
        if state.stop {
            return false;
        }
        let now_ns = clock.now_ns();
        if now_ns >= due_ns {
            return true;
        }
        let wait = Duration::from_nanos(due_ns - now_ns);
        state = shared.wake.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_times_are_whole_periods_from_the_start() {
        assert_eq!(next_due_ns(100, 1000, 1100), 2100);
        assert_eq!(next_due_ns(100, 1000, 1150), 2100);
        assert_eq!(next_due_ns(100, 1000, 9000), 9100, "missed samples are skipped");
    }
}
