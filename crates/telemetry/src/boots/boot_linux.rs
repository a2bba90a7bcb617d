//! From `/proc` and `/sys`.

use std::io;
use std::path::PathBuf;

use super::{ProcessorTime, absent};
use crate::Root;

pub(super) fn id(root: &Root) -> io::Result<String> {
    let id = root.read("/proc/sys/kernel/random/boot_id")?;
    if id.is_empty() { Err(absent("the name of the boot")) } else { Ok(id) }
}

pub(super) fn up_s(root: &Root) -> Option<f64> {
    root.text("/proc/uptime")?.split_ascii_whitespace().next()?.parse().ok()
}

pub(super) fn processor_time(root: &Root) -> Option<ProcessorTime> {
    let text = root.text("/proc/stat")?;
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // Guests are counted under user and nice already; waiting for I/O is idle.
    let ticks: Vec<u64> =
        line.split_ascii_whitespace().take(8).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [_, _, _, idle, waiting, ..] = ticks[..] else { return None };
    let all: u64 = ticks.iter().sum();
    Some(ProcessorTime { busy: all - idle - waiting, all })
}

pub(super) fn kernel(root: &Root) -> io::Result<String> {
    root.read("/proc/sys/kernel/osrelease")
}

pub(super) fn place(root: &Root, path: &str) -> PathBuf {
    root.path(path)
}

pub(super) fn sysctl(root: &Root, name: &str) -> io::Result<String> {
    root.read(format!("/proc/sys/{}", name.replace('.', "/")))
}

/// Of the device, or of the controller that it belongs to, as NVMe's namespaces have it.
pub(super) fn driver(root: &Root, device: &str) -> io::Result<String> {
    let below = |steps: &str| root.link_name(format!("/sys/class/block/{device}/{steps}/driver"));
    ["device", "device/device"].iter().find_map(|steps| below(steps)).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("no driver of a block device {device} is known"))
    })
}

pub(super) fn registry(_: &str) -> io::Result<String> {
    Err(absent("a registry"))
}
