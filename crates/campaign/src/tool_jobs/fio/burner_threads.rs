//! Threads that burn processor time beside the jobs of a stage.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{ScopedJoinHandle, sleep};
use std::time::Duration;

use fathom_engine::job::Usage;
use fathom_measure::{Clock, WallClock};
use fathom_tools::fio::map::{Burner, Executor, MappedJob, Stage};

/// Numbers that are sorted at once, as many as fio's.
const SORTED: usize = 1 << 17;
/// How long a thread sleeps at a time before it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(10);

/// A job that burns, and what its threads used.
pub struct BurnedJob<'a> {
    name: &'a str,
    burner: Burner,
    /// Of all threads: processor time and time that passed, in seconds.
    used_s: f64,
    lasted_s: f64,
}

/// The jobs of a stage that burn.
pub struct Burners<'a>(Vec<(&'a MappedJob, Burner)>);

/// What ends burning early.
#[derive(Clone, Copy)]
pub struct ExitScope<'a> {
    /// All is to stop.
    pub stop: &'a AtomicBool,
    /// The jobs that do I/O have ended.
    pub io_done: &'a AtomicBool,
}

impl<'a> Burners<'a> {
    /// Those of a stage.
    pub fn of(mapped: &'a [MappedJob], stage: &Stage) -> Self {
        let own = stage.jobs.iter().filter_map(|job| match &mapped[*job].doer {
            Executor::Burner(burner) => Some((&mapped[*job], *burner)),
            _ => None,
        });
        Self(own.collect())
    }

    /// What records of runs beside them say.
    pub fn note(&self) -> Option<String> {
        let of =
            |(_, burner): &(&MappedJob, Burner)| format!("{} at {} %", threads(*burner), burner.load_percent);
        let all: Vec<String> = self.0.iter().map(of).collect();
        (!all.is_empty()).then(|| {
            format!("Alongside, CPUs were kept busy (cpuio: {}): CPU time is of all threads.", all.join(", "))
        })
    }

    /// Starts all threads, runs `io` beside them, and waits for their end.
    pub fn beside<T>(&self, stop: &AtomicBool, io: impl FnOnce() -> T) -> (T, Vec<BurnedJob<'a>>) {
        let io_done = AtomicBool::new(false);
        let ends = ExitScope { stop, io_done: &io_done };
        if self.0.is_empty() {
            return (io(), Vec::new());
        }
        let (clock, _) = WallClock::start();
        std::thread::scope(|scope| {
            let threads: Vec<Vec<ScopedJoinHandle<'_, (f64, f64)>>> = self
                .0
                .iter()
                .map(|(mapped, burner)| {
                    let after_ns = mapped.start_after_ns;
                    (0..burner.threads)
                        .map(|_| scope.spawn(move || burn(*burner, after_ns, ends, clock)))
                        .collect()
                })
                .collect();
            let outcome = io();
            io_done.store(true, Ordering::Relaxed);
            let burned = self.0.iter().zip(threads).map(|((mapped, burner), threads)| {
                let (mut used_s, mut lasted_s) = (0.0, 0.0);
                // A thread that panicked used nothing that is known.
                for (used, lasted) in threads.into_iter().filter_map(|thread| thread.join().ok()) {
                    used_s += used;
                    lasted_s += lasted;
                }
                BurnedJob { name: &mapped.name, burner: *burner, used_s, lasted_s }
            });
            (outcome, burned.collect())
        })
    }
}

impl BurnedJob<'_> {
    /// What became of it, as a sentence.
    pub fn summary(&self) -> String {
        let percent = if self.lasted_s > 0.0 { self.used_s * 100.0 / self.lasted_s } else { 0.0 };
        format!(
            "[{}] cpuio: {} used {:.2} s of CPU time, {percent:.1} % of a CPU each; {} % was asked",
            self.name,
            threads(self.burner),
            self.used_s,
            self.burner.load_percent
        )
    }
}

fn threads(burner: Burner) -> String {
    format!("{} {}", burner.threads, if burner.threads == 1 { "thread" } else { "threads" })
}

/// One thread's work; the processor time that it used and the time that passed, in seconds.
fn burn(burner: Burner, after_ns: u64, ends: ExitScope<'_>, clock: WallClock) -> (f64, f64) {
    let is_over =
        || ends.stop.load(Ordering::Relaxed) || burner.ends_with_io && ends.io_done.load(Ordering::Relaxed);
    rest(after_ns, is_over, clock);
    // Busy for the load's part of a cycle, and at rest for what is left of it.
    let load = u64::from(burner.load_percent.clamp(1, 100));
    let idle_ns = burner.chunk_ns.saturating_mul(100 - load) / load;
    let mut numbers = if burner.sorts { vec![0u32; SORTED] } else { Vec::new() };
    let (started_ns, cpu_before) = (clock.now_ns(), thread_cpu_s());
    let end_ns = burner.time_ns.map_or(u64::MAX, |ns| started_ns.saturating_add(ns));
    let mut seed = 1u32;
    while !is_over() && clock.now_ns() < end_ns {
        let until_ns = clock.now_ns().saturating_add(burner.chunk_ns).min(end_ns);
        while clock.now_ns() < until_ns {
            if burner.sorts {
                seed = scatter(&mut numbers, seed);
                numbers.sort_unstable();
            } else {
                std::hint::spin_loop();
            }
        }
        rest(idle_ns, || is_over() || clock.now_ns() >= end_ns, clock);
    }
    (thread_cpu_s() - cpu_before, (clock.now_ns() - started_ns) as f64 / 1e9)
}

/// Sleeps, and looks now and then whether that is over.
fn rest(time_ns: u64, is_over: impl Fn() -> bool, clock: WallClock) {
    let until_ns = clock.now_ns().saturating_add(time_ns);
    while !is_over() {
        match until_ns.saturating_sub(clock.now_ns()) {
            0 => return,
            left_ns => sleep(Duration::from_nanos(left_ns).min(LOOK)),
        }
    }
}

/// Fills the numbers anew, by xorshift (Marsaglia, 2003), and says where it is.
fn scatter(numbers: &mut [u32], mut state: u32) -> u32 {
    for number in numbers {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        *number = state;
    }
    state
}

/// Processor time of the calling thread.
fn thread_cpu_s() -> f64 {
    Usage::of_thread().total_ns() as f64 / 1e9
}
