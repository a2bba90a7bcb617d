//! This machine's own counters, read once a second, and what programs in the kernel see of the same I/Os.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fathom_campaign::calendar_now;
use fathom_measure::{Clock, Nanos, WallClock};
use fathom_rows::{DemandReport, of_readings};
use fathom_telemetry::blocktrace::block_demand::{BlockDemand, DemandTrace};
use fathom_telemetry::{Root, disk};

use crate::failure::Failure;
use crate::interrupt;
use crate::progress_display::Screen;

const SECOND_NS: u64 = 1_000_000_000;
const SECTOR_BYTES: u64 = 512;
/// A longer watch is a monitoring system's work.
const LONGEST_S: u64 = 31 * 86_400;
/// How soon Ctrl-C is noticed.
const NAP: Duration = Duration::from_millis(20);

/// What was seen of a device.
pub struct LiveDemand {
    /// Its counters.
    pub seen: DemandReport,
    /// Its I/Os one by one, counted in the kernel; absent where the kernel takes no programs.
    pub asked: Option<BlockDemand>,
}

/// Counts a device for a while; Ctrl-C ends it early, and what was counted is kept.
///
/// # Errors
/// When the device is not there or not counted, or too little was seen.
pub fn watch(device: &Path, time: Nanos, counters_only: bool) -> Result<LiveDemand, Failure> {
    let seconds = time.0.div_ceil(SECOND_NS);
    if !(2..=LONGEST_S).contains(&seconds) {
        return Err(Failure::usage(
            "--time",
            format!("{seconds} s cannot be watched"),
            "give 2s to 31d, e.g. 60s",
        ));
    }
    let place = || device.display().to_string();
    let name =
        std::fs::canonicalize(device).ok().and_then(|path| path.file_name()?.to_str().map(str::to_owned));
    let name = name.ok_or_else(|| {
        Failure::usage(place(), "no such device", "name one of those that are here: fathom devices")
    })?;
    let screen = Screen::new(true, None);
    let stop = interrupt::watch(screen.voice())?;
    let start_unix_s = calendar_now().parse::<jiff::Timestamp>().ok().map(|now| now.as_second());
    let (trace, reason) = match counters_only {
        true => (None, Some("that was asked for".to_owned())),
        false => match DemandTrace::start(&name) {
            Ok(trace) => (Some(trace), None),
            Err(error) => (None, Some(error.cause)),
        },
    };
    let mut watch = Watch { name: &name, readings: Vec::new(), reading_ns: 0, trace };
    let counted = watch.count(seconds, &stop);
    counted.map_err(|cause| Failure::usage(place(), cause, "name a block device: fathom devices"))?;
    let mut seen = of_readings(&watch.readings).map_err(Failure::from)?;
    let cost = watch.reading_ns as f64 / watch.readings.len().max(1) as f64 / 1e3;
    seen.notes.push(format!("Reading the counters cost this machine {cost:.0} us a second."));
    let (asked, reason) = match watch.trace.map(DemandTrace::finish) {
        Some(Ok(asked)) => (Some(asked), reason),
        Some(Err(error)) => (None, Some(error.cause)),
        None => (None, reason),
    };
    seen.notes.extend(reason.map(missing));
    seen.notes.extend(asked.as_ref().and_then(cost_of));
    Ok(LiveDemand { seen: DemandReport { start_unix_s, device: Some(name), ..seen }, asked })
}

/// A device that is being counted.
struct Watch<'a> {
    name: &'a str,
    readings: Vec<(i64, [u64; 4])>,
    reading_ns: u64,
    trace: Option<DemandTrace>,
}

impl Watch<'_> {
    /// Reads the counters at the start and at the end of each second, until all have passed or it is stopped.
    fn count(&mut self, seconds: u64, stop: &AtomicBool) -> Result<(), String> {
        let clock = WallClock::start_on_system_clock().0;
        let start_ns = clock.now_ns();
        for second in 0..=seconds {
            let due_ns = start_ns + second * SECOND_NS;
            while clock.now_ns() < due_ns && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(NAP.min(Duration::from_nanos(due_ns - clock.now_ns().min(due_ns))));
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let before_ns = clock.now_ns();
            let counters = counters(self.name).ok_or("/proc/diskstats does not count it")?;
            self.reading_ns += clock.now_ns() - before_ns;
            // Late by less than half a second the reading still stands for its own second.
            self.readings.push(((before_ns - start_ns) as i64, counters));
            if second > 0 {
                self.trace.iter_mut().for_each(DemandTrace::second);
            }
        }
        Ok(())
    }
}

/// What counters alone do not tell.
fn missing(reason: String) -> String {
    format!(
        "Only the kernel's counters were read: sizes are means, and sequential shares, gaps between arrivals and shares of processes are missing, because {reason}."
    )
}

fn cost_of(asked: &BlockDemand) -> Option<String> {
    let (cost, share) = (asked.cost?, asked.cost_share()?);
    Some(format!(
        "Counting single I/Os cost this machine {:.2} % of one CPU: {} runs of programs, {:.0} ns for each of the {} that the kernel timed in {:.0} s; the reading of its clock is part of it.",
        share * 100.0,
        asked.runs(),
        cost.time_ns as f64 / cost.runs as f64,
        cost.runs,
        cost.timed_ns as f64 / 1e9
    ))
}

/// Reads, writes, bytes read and bytes written since the device came.
fn counters(name: &str) -> Option<[u64; 4]> {
    let text = Root::system().text("/proc/diskstats")?;
    let counters = disk::parse(&text).find(|(of, _)| *of == name)?.1;
    let (read, write) = (counters.read, counters.write);
    Some([
        read.operations,
        write.operations,
        read.sectors.saturating_mul(SECTOR_BYTES),
        write.sectors.saturating_mul(SECTOR_BYTES),
    ])
}
