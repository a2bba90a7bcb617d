//! Attributes of block devices under `/sys`.

use std::fs;
use std::path::Path;

use fathom_record::facts::DeviceFacts;

use super::hardware_queues::HardwareQueues;

/// One attribute without surrounding white space; `None` where it is absent, empty or unreadable.
pub fn attribute(dir: &Path, name: &str) -> Option<String> {
    let bytes = fs::read(dir.join(name)).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim_matches(['\0', ' ', '\t', '\n', '\r']).to_owned();
    (!text.is_empty()).then_some(text)
}

/// One attribute that is a number.
pub fn number<T: std::str::FromStr>(dir: &Path, name: &str) -> Option<T> {
    attribute(dir, name)?.parse().ok()
}

/// Names of the entries of a folder; empty where it is absent.
pub fn entries(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Facts of a device from its folder and, for a partition, the folder of its disk, which holds the
/// queue. The serial number is the identity's part.
pub fn facts(name: &str, dir: &Path, disk: &Path, serial: Option<String>) -> DeviceFacts {
    let queue = disk.join("queue");
    let chosen = |text: String| match (text.find('['), text.find(']')) {
        (Some(from), Some(to)) if from < to => text[from + 1..to].to_owned(),
        _ => text,
    };
    let queues = HardwareQueues::of(disk);
    DeviceFacts {
        name: name.to_owned(),
        model: attribute(disk, "device/model"),
        serial,
        size_bytes: number::<u64>(dir, "size").unwrap_or(0).saturating_mul(512),
        layer: layer(name, dir).to_owned(),
        rotational: attribute(&queue, "rotational").map(|text| text == "1"),
        write_cache: attribute(&queue, "write_cache"),
        scheduler: attribute(&queue, "scheduler").map(chosen),
        queue_requests: number(&queue, "nr_requests"),
        hardware_queues: queues.map(|queues| queues.all),
        polled_queues: queues.and_then(|queues| queues.polled),
        numa_node: number(disk, "device/numa_node").or_else(|| number(disk, "device/device/numa_node")),
    }
}

fn layer(name: &str, dir: &Path) -> &'static str {
    let is = |entry: &str| dir.join(entry).exists();
    match name {
        _ if is("partition") => "partition",
        _ if is("dm") => "device-mapper",
        _ if is("md") => "raid",
        _ if name.starts_with("loop") => "loop",
        _ if name.starts_with("zram") || name.starts_with("ram") => "memory",
        _ => "disk",
    }
}
