//! The SATA link of a disk.

use super::Facts;
use crate::Root;

/// Number of the ATA port that a disk hangs on, from its place: `.../ata3/host2/target2:0:0/2:0:0:0`.
fn port(root: &Root, device: &str) -> Option<u32> {
    let place = root.resolve(format!("/sys/class/block/{device}/device"))?;
    place.components().find_map(|part| part.as_os_str().to_str()?.strip_prefix("ata")?.parse().ok())
}

pub(super) fn describe(facts: &mut Facts<'_>, device: &str) {
    let root = facts.root();
    if root.exists(format!("/sys/class/block/{device}/partition")) {
        return;
    }
    let Some(port) = port(root, device) else { return };
    // Behind a port multiplier the disk's own link is `linkP.D`; the port's is the one that all share.
    for name in ["sata_spd", "sata_spd_max"] {
        facts.file(("sata", device), name, &format!("/sys/class/ata_link/link{port}/{name}"));
    }
}
