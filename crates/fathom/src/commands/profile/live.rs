//! This machine's own counters, read once a second: every I/O that a device finished, and no other load.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fathom_campaign::calendar_now;
use fathom_interop::demand::{Seen, of_readings};
use fathom_measure::{Clock, Nanos, WallClock};
use fathom_telemetry::{Root, disk};

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Screen;

const SECOND_NS: u64 = 1_000_000_000;
const SECTOR_BYTES: u64 = 512;
/// A longer watch is a monitoring system's work.
const LONGEST_S: u64 = 31 * 86_400;
/// How soon Ctrl-C is noticed.
const NAP: Duration = Duration::from_millis(20);

/// Counts a device for a while; Ctrl-C ends it early, and what was counted is kept.
///
/// # Errors
/// When the device is not there or not counted, or too little was seen.
pub fn watch(device: &Path, time: Nanos) -> Result<Seen, Failure> {
    let seconds = time.0.div_ceil(SECOND_NS);
    if !(2..=LONGEST_S).contains(&seconds) {
        return Err(Failure::usage(
            "--time",
            format!("{seconds} s cannot be watched"),
            "give 2s to 31d, as 60s",
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
    let clock = WallClock::start_on_system_clock().0;
    let start_unix_s = calendar_now().parse::<jiff::Timestamp>().ok().map(|now| now.as_second());
    let start_ns = clock.now_ns();
    let (mut readings, mut reading_ns) = (Vec::new(), 0);
    for second in 0..=seconds {
        let due_ns = start_ns + second * SECOND_NS;
        while clock.now_ns() < due_ns && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(NAP.min(Duration::from_nanos(due_ns - clock.now_ns().min(due_ns))));
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let before_ns = clock.now_ns();
        let counters = counters(&name).ok_or_else(|| {
            Failure::usage(
                place(),
                "/proc/diskstats does not count it",
                "name a block device: fathom devices",
            )
        })?;
        reading_ns += clock.now_ns() - before_ns;
        // Late by less than half a second the reading still stands for its own second.
        readings.push(((before_ns - start_ns) as i64, counters));
    }
    let mut seen = of_readings(&readings).map_err(Failure::from)?;
    let cost = reading_ns as f64 / readings.len().max(1) as f64 / 1e3;
    seen.notes.push(format!("Counting cost this machine {cost:.0} us a second."));
    Ok(Seen { start_unix_s, device: Some(name), ..seen })
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
