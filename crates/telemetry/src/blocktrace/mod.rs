//! The block layer as a witness: the same I/Os, measured by the kernel on its own clock, set beside
//! what the run saw of them.
//!
//! Two sources see the block layer's tracepoints: programs in the kernel ([`Source::Bpf`]), which
//! count into histograms there, and the text of tracefs ([`Source::Tracefs`]) for kernels that take
//! no programs. Either fills a [`Seen`]; [`explain`] sets it beside the run's own distributions.

pub mod explain;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod platform;
mod seen;
mod text;

use fathom_measure::Clock;
use fathom_record::Direction;
use fathom_record::witness::{BlockTrace, Witness as Record, WitnessClock};

pub use explain::{Ours, Relation};
pub use seen::{Passage, Seen, SeenDirection};

/// Which source is to be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The first that works: programs, then text.
    #[default]
    Any,
    /// Programs in the kernel.
    Bpf,
    /// The text of tracefs.
    Tracefs,
}

impl Source {
    /// All, with the names they are asked for by.
    pub const NAMES: [(&'static str, Source); 3] =
        [("auto", Source::Any), ("bpf", Source::Bpf), ("tracefs", Source::Tracefs)];

    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, source)| *source == self).map_or("auto", |(name, _)| name)
    }
}

/// What is to be watched.
#[derive(Clone, Debug)]
pub struct WitnessPlan {
    /// Kernel names of the block devices that the target lies on directly.
    pub devices: Vec<String>,
    /// Whether the page cache is bypassed: what it reads by itself is then no I/O of the run.
    pub direct: bool,
    /// How.
    pub source: Source,
}

/// Two clocks read at one moment.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    run_ns: u64,
    witness_ns: u64,
    half_width_ns: u64,
}

/// A witness that watches.
pub struct Witness<C> {
    watch: platform::Watch,
    clock: C,
    devices: Vec<String>,
    start: Bracket,
}

impl<C: Clock> Witness<C> {
    /// Begins to watch. The clock is the run's.
    ///
    /// # Errors
    /// Why neither source, or not the one asked for, can be used here, and what would help.
    pub fn start(plan: WitnessPlan, clock: C) -> Result<Self, String> {
        let start = bracket(&clock);
        let watch = platform::Watch::start(&plan, start.witness_ns)?;
        Ok(Self { watch, clock, devices: plan.devices, start })
    }

    /// Called about once a second beside the run: what is measured of the witness's own cost needs
    /// only the first of them.
    pub fn second(&mut self) {
        self.watch.second();
    }

    /// Ends watching and sets both sides side by side. `origin_ns` is the run's on the run's clock.
    pub fn finish(self, ours: &[Ours; 4], origin_ns: u64) -> Record {
        let end = bracket(&self.clock);
        let (source, resolution_ns) = (self.watch.name(), self.watch.resolution_ns());
        let seen = match self.watch.finish() {
            Ok(seen) => seen,
            Err(reason) => return Record::Absent { reason },
        };
        let start = self.start;
        let run_span_ns = end.run_ns.saturating_sub(start.run_ns);
        let drift_ns = (end.witness_ns - start.witness_ns) as i64 - run_span_ns as i64;
        let relation = Relation {
            // The witness counts from its base, which was the start bracket's.
            shift_ns: origin_ns as i64 - start.run_ns as i64,
            drift_share: drift_ns as f64 / run_span_ns.max(1) as f64,
            span_ns: run_span_ns,
        };
        let directions = Direction::ALL.into_iter().filter_map(|direction| {
            let at = direction.index();
            explain::direction(direction, &ours[at], &seen.directions[at], &relation)
        });
        Record::Seen(BlockTrace {
            source: source.to_owned(),
            devices: self.devices,
            events: seen.events,
            lost: seen.lost,
            unfinished: seen.unfinished,
            strays: seen.strays,
            clock: WitnessClock {
                source: "CLOCK_MONOTONIC".to_owned(),
                resolution_ns,
                uncertainty_ns: start.half_width_ns + end.half_width_ns + resolution_ns / 2,
                drift_ns,
            },
            directions: directions.collect(),
            cost: seen.cost,
        })
    }
}

/// The narrowest of several readings, so that an interrupt in one of them does no harm.
fn bracket(clock: &impl Clock) -> Bracket {
    let one = || {
        let before_ns = platform::monotonic_ns();
        let run_ns = clock.now_ns();
        let width_ns = platform::monotonic_ns().saturating_sub(before_ns);
        Bracket { run_ns, witness_ns: before_ns + width_ns / 2, half_width_ns: width_ns.div_ceil(2) }
    };
    (0..32).map(|_| one()).min_by_key(|b| b.half_width_ns).expect("the range is not empty")
}
