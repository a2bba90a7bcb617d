//! The text of the block events, from an instance of tracefs that belongs to this run alone.
//!
//! A thread reads `trace_pipe` and matches what it reads; the kernel writes the text inside that
//! thread's reads. Nothing is mounted: where tracefs is missing the error says what to type.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fathom_record::witness::WitnessCost;
use rustix::time::{ClockId, clock_gettime};

use super::device_set::DeviceSet;
use crate::blocktrace::sampling::Thinning;
use crate::blocktrace::trace_text::{Line, Matching, parse};
use crate::blocktrace::{TraceSummary, WATCHING, broke};
use crate::error::of_system;
use crate::{TelemetryError, TelemetryErrorKind};

/// The text has whole microseconds.
pub const RESOLUTION_NS: u64 = 1000;

const EVENTS: [&str; 5] =
    ["block_bio_queue", "block_rq_insert", "block_rq_issue", "block_rq_complete", "block_bio_complete"];

/// Ring of each processor: about 80,000 events.
const BUFFER_KIB: &str = "8192";

/// How long the reader sleeps when there is nothing to read.
const REST: Duration = Duration::from_millis(5);

/// A trace that runs.
pub struct Tracefs {
    instance: Instance,
    stop: Arc<AtomicBool>,
    reader: Option<JoinHandle<(Matching, u64)>>,
}

/// A folder below `instances`; it is removed when this is dropped.
struct Instance(PathBuf);

impl Drop for Instance {
    fn drop(&mut self) {
        // Nothing can be done about an instance that stays; the next run removes it.
        let _ = fs::write(self.0.join("tracing_on"), "0");
        let _ = fs::remove_dir(&self.0);
    }
}

impl Tracefs {
    /// Makes an instance and begins to read from it.
    pub fn start(watched: &DeviceSet, direct: bool, thinning: Thinning) -> Result<Self, TelemetryError> {
        let instances = mount_point()?.join("instances");
        remove_leftovers(&instances);
        let folder = instances.join(format!("fathom-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| refusal(&folder, error))?;
        let instance = Instance(folder);
        let set = |file: &str, text: &str| {
            let path = instance.0.join(file);
            fs::write(&path, text).map_err(|error| refusal(&path, error))
        };
        set("trace_clock", "mono")?;
        set("buffer_size_kb", BUFFER_KIB)?;
        let devices = watched.arrivals.iter().chain(&watched.disks);
        let filter: Vec<String> = devices.map(|device| format!("dev == {device}")).collect();
        for event in EVENTS {
            set(&format!("events/block/{event}/filter"), &filter.join(" || "))?;
            set(&format!("events/block/{event}/enable"), "1")?;
        }
        let path = instance.0.join("trace_pipe");
        let pipe = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path)
            .map_err(|error| refusal(&path, error))?;
        let devices = watched.arrivals.iter().copied().zip(watched.disks.iter().copied());
        let matching = Matching::new(devices, direct, thinning);
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let reader = std::thread::Builder::new()
            .name("witness".to_owned())
            .spawn(move || follow(pipe, matching, &told))
            .map_err(|error| {
                let cause = format!("the thread that reads the trace cannot be started: {error}");
                of_system(WATCHING, cause, error)
            })?;
        Ok(Self { instance, stop, reader: Some(reader) })
    }

    /// Ends the trace, reads what is left of it and removes the instance.
    pub fn finish(mut self) -> Result<TraceSummary, TelemetryError> {
        let _ = fs::write(self.instance.0.join("tracing_on"), "0");
        self.stop.store(true, Ordering::Relaxed);
        let reader = self.reader.take().ok_or_else(|| broke("the reader of the trace has ended already"))?;
        let (matching, cpu_ns) = reader.join().map_err(|_| broke("the reader of the trace broke"))?;
        let mut seen = matching.finish();
        let event_ns = (seen.events > 0).then(|| cpu_ns as f64 / seen.events as f64);
        seen.cost = WitnessCost {
            event_ns,
            cpu_ns: Some(cpu_ns),
            basis: "CPU time of the thread that reads the text; writing the events costs the run more, which is not in it".to_owned(),
        };
        Ok(seen)
    }
}

impl Drop for Tracefs {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// Reads until told to stop, and then until there is nothing left.
fn follow(mut pipe: File, mut matching: Matching, stop: &AtomicBool) -> (Matching, u64) {
    let mut threads: HashMap<u32, bool> = HashMap::new();
    let mut buffer = vec![0u8; 1 << 16];
    let mut filled = 0;
    loop {
        let last = stop.load(Ordering::Relaxed);
        match pipe.read(&mut buffer[filled..]) {
            Ok(bytes) if bytes > 0 => {
                filled += bytes;
                let whole = buffer[..filled].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                for line in String::from_utf8_lossy(&buffer[..whole]).lines() {
                    take(&mut matching, line, &mut threads);
                }
                buffer.copy_within(whole..filled, 0);
                filled -= whole;
                if filled == buffer.len() {
                    // No line of the kernel's is as long as this.
                    matching.lose(1);
                    filled = 0;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ if last => break,
            _ => std::thread::sleep(REST),
        }
    }
    let time = clock_gettime(ClockId::ThreadCPUTime);
    (matching, time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn take(matching: &mut Matching, line: &str, threads: &mut HashMap<u32, bool>) {
    match parse(line) {
        Line::Event(event) => matching.take(&event, |thread| {
            *threads.entry(thread).or_insert_with(|| Path::new(&format!("/proc/self/task/{thread}")).exists())
        }),
        Line::Lost(events) => matching.lose(events),
        Line::Unreadable => matching.lose(1),
        Line::Other => {}
    }
}

/// Where tracefs is mounted.
fn mount_point() -> Result<PathBuf, TelemetryError> {
    let mounts = fs::read_to_string("/proc/self/mounts")
        .map_err(|error| of_system(WATCHING, format!("/proc/self/mounts: {error}"), error))?;
    let place = mounts.lines().find_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (place, kind) = (words.next()?, words.next()?);
        (kind == "tracefs").then(|| PathBuf::from(place))
    });
    place.ok_or_else(|| {
        let cause = "tracefs is not mounted: type `mount -t tracefs nodev /sys/kernel/tracing` as root";
        TelemetryError::new(TelemetryErrorKind::Absent, WATCHING, cause)
    })
}

/// Removes instances of runs that were killed.
fn remove_leftovers(instances: &Path) {
    let Ok(entries) = fs::read_dir(instances) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix("fathom-")?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

fn refusal(path: &Path, error: std::io::Error) -> TelemetryError {
    let help = match error.kind() {
        ErrorKind::PermissionDenied => ": run it as root",
        ErrorKind::NotFound => {
            ": the kernel has no such event (CONFIG_BLK_DEV_IO_TRACE or CONFIG_EVENT_TRACING is off)"
        }
        _ => "",
    };
    let cause = format!("{}: {error}{help}", path.display());
    of_system(WATCHING, cause, error)
}
