//! How many requests the block layer and the disks under a target take at once.

use super::Facts;
use crate::Root;

/// Requests of all hardware queues of a device together; absent where it does not say.
fn tags(root: &Root, device: &str) -> Option<u64> {
    let folder = format!("/sys/class/block/{device}");
    let queues = root.names(format!("{folder}/mq"));
    let each = queues.iter().map(|queue| root.number(format!("{folder}/mq/{queue}/nr_tags")));
    let all = each.collect::<Option<Vec<u64>>>().filter(|each| !each.is_empty())?.into_iter().sum();
    // A SCSI disk takes fewer than its adapter has tags for.
    let own = root.number(format!("{folder}/device/queue_depth"));
    Some(own.map_or(all, |own| own.min(all)))
}

/// Adds each device's tags, and gives what the target takes at once: all its disks together, or a loop
/// device above them if that takes less. Layers that split and pass requests on have no tags of their own.
pub(super) fn describe(facts: &mut Facts<'_>, devices: &[&str]) -> Option<u64> {
    let mut disks = Vec::new();
    let mut above = Vec::new();
    for device in devices {
        let root = facts.root();
        let folder = format!("/sys/class/block/{device}");
        let passes_on =
            root.exists(format!("{folder}/partition")) || !root.names(format!("{folder}/slaves")).is_empty();
        if passes_on {
            continue;
        }
        let found = tags(root, device);
        if let Some(found) = found {
            facts.add(("device", device), "queue_tags", found, &format!("{folder}/mq/*/nr_tags"));
        }
        if device.starts_with("loop") { above.extend(found) } else { disks.push(found) }
    }
    let all = disks.into_iter().collect::<Option<Vec<u64>>>()?.into_iter().reduce(u64::saturating_add);
    all.into_iter().chain(above).min()
}
