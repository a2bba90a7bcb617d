//! A block device as the kernel drives it: driver, queue settings, and the layer that it is.

use super::Facts;
use crate::Root;

/// Files below `queue/` whose content is a fact.
const QUEUE: &[&str] = &[
    "scheduler",
    "nr_requests",
    "nomerges",
    "wbt_lat_usec",
    "io_poll",
    "io_poll_delay",
    "iostats",
    "rotational",
    "write_cache",
    "fua",
    "max_sectors_kb",
    "max_hw_sectors_kb",
    "max_segments",
    "logical_block_size",
    "physical_block_size",
    "minimum_io_size",
    "optimal_io_size",
    "discard_granularity",
    "discard_max_bytes",
    "read_ahead_kb",
    "rq_affinity",
    "zoned",
];

/// Files below the device's own folder, by layer.
const LAYERS: &[(&str, &[&str])] = &[
    ("md", &["level", "raid_disks", "chunk_size", "sync_action", "degraded", "stripe_cache_size"]),
    ("dm", &["name", "uuid"]),
    ("loop", &["backing_file", "dio"]),
];

/// The first name of those that drive a device or what it sits on, upwards.
fn driver(root: &Root, device: &str) -> Option<(String, String)> {
    let start = root.resolve(format!("/sys/class/block/{device}/device"))?;
    start.ancestors().take_while(|place| place.starts_with("/sys/devices")).find_map(|place| {
        Some((root.link_name(place.join("driver"))?, place.join("driver").display().to_string()))
    })
}

pub(super) fn describe(facts: &mut Facts<'_>, device: &str) {
    let root = facts.root();
    let folder = format!("/sys/class/block/{device}");
    let subject = ("device", device);
    if let Some((driver, source)) = driver(root, device) {
        facts.add(subject, "driver", &driver, &source);
        // A driver of the kernel's own tree bears no version: it is the kernel's.
        facts.file(subject, "driver_version", &format!("/sys/module/{driver}/version"));
    }
    if root.exists(format!("{folder}/partition")) {
        facts.file(subject, "partition_start_sectors", &format!("{folder}/start"));
        return;
    }
    for name in QUEUE {
        facts.file(subject, name, &format!("{folder}/queue/{name}"));
    }
    let queues = root.names(format!("{folder}/mq")).len();
    if queues > 0 {
        facts.add(subject, "hardware_queues", queues, &format!("{folder}/mq"));
    }
    facts.file(subject, "numa_node", &format!("{folder}/device/numa_node"));
    facts.file(subject, "state", &format!("{folder}/device/state"));
    for (layer, names) in LAYERS {
        for name in *names {
            facts.file((layer, device), name, &format!("{folder}/{layer}/{name}"));
        }
    }
    let below = root.names(format!("{folder}/slaves"));
    if !below.is_empty() {
        facts.add(subject, "made_of", below.join(", "), &format!("{folder}/slaves"));
    }
    facts.file(("zram", device), "algorithm", &format!("{folder}/comp_algorithm"));
}
