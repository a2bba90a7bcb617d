//! How many requests the block layer and the disks under a target take at once.

use fathom_record::facts::DeviceFacts;

use super::Facts;
use crate::Root;

/// Requests of the hardware queues of a device that take I/O without polling, together; absent where it does not say.
fn tags(root: &Root, device: &DeviceFacts) -> Option<u64> {
    let folder = format!("/sys/class/block/{}", device.name);
    let mut queues: Vec<u64> =
        root.names(format!("{folder}/mq")).iter().filter_map(|name| name.parse().ok()).collect();
    queues.sort_unstable();
    // Those that are polled bear the last numbers.
    queues.truncate(queues.len().saturating_sub(device.polled_queues.unwrap_or(0) as usize));
    let each = queues.iter().map(|queue| root.number(format!("{folder}/mq/{queue}/nr_tags")));
    let all = each.collect::<Option<Vec<u64>>>().filter(|each| !each.is_empty())?.into_iter().sum();
    // A SCSI disk takes fewer than its adapter has tags for.
    let own = root.number(format!("{folder}/device/queue_depth"));
    Some(own.map_or(all, |own| own.min(all)))
}

/// Adds each device's tags, and gives what the target takes at once: all its disks together, or a loop
/// device above them if that takes less. Layers that split and pass requests on have no tags of their own.
pub(super) fn describe(facts: &mut Facts<'_>, devices: &[DeviceFacts]) -> Option<u64> {
    let mut disks = Vec::new();
    let mut above = Vec::new();
    for device in devices {
        let root = facts.root();
        let name = device.name.as_str();
        let folder = format!("/sys/class/block/{name}");
        let passes_on =
            root.exists(format!("{folder}/partition")) || !root.names(format!("{folder}/slaves")).is_empty();
        if passes_on {
            continue;
        }
        let found = tags(root, device);
        if let Some(found) = found {
            facts.add(("device", name), "queue_tags", found, &format!("{folder}/mq/*/nr_tags"));
        }
        if name.starts_with("loop") { above.extend(found) } else { disks.push(found) }
    }
    let all = disks.into_iter().collect::<Option<Vec<u64>>>()?.into_iter().reduce(u64::saturating_add);
    all.into_iter().chain(above).min()
}
