//! The PCI Express link of a device: what it runs at and what it could.

use super::Facts;
use crate::Root;
use crate::nvme::controllers;

/// Whether this is the name of a PCI function, as `0000:01:00.0`.
fn is_function(name: &str) -> bool {
    let hexadecimal =
        |text: &str, length: usize| text.len() >= length && text.bytes().all(|b| b.is_ascii_hexdigit());
    let mut parts = name.split(':');
    let (Some(domain), Some(bus), Some(rest), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let slot =
        rest.split_once('.').is_some_and(|(slot, function)| hexadecimal(slot, 2) && hexadecimal(function, 1));
    hexadecimal(domain, 4) && hexadecimal(bus, 2) && slot
}

/// The PCI function that a place in `/sys/devices` belongs to: the nearest above it.
fn function_above(root: &Root, place: &str) -> Option<String> {
    let start = root.resolve(place)?;
    let found =
        start.ancestors().find(|p| p.file_name().and_then(|n| n.to_str()).is_some_and(is_function))?;
    Some(found.display().to_string())
}

pub(super) fn describe(facts: &mut Facts<'_>, device: &str) {
    let root = facts.root();
    if root.exists(format!("/sys/class/block/{device}/partition")) {
        return;
    }
    let mut places: Vec<String> =
        controllers(root, device).iter().map(|name| format!("/sys/class/nvme/{name}")).collect();
    if places.is_empty() {
        places.push(format!("/sys/class/block/{device}/device"));
    }
    for folder in places.iter().filter_map(|place| function_above(root, place)) {
        let subject = ("pcie", device);
        facts.add(subject, "address", folder.rsplit('/').next().unwrap_or(&folder), &folder);
        for name in [
            "current_link_speed",
            "current_link_width",
            "max_link_speed",
            "max_link_width",
            "numa_node",
            "power_state",
            "vendor",
            "device",
        ] {
            facts.file(subject, name, &format!("{folder}/{name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_buses_and_devices() {
        assert!(is_function("0000:01:00.0") && is_function("10000:e1:00.1"));
        for other in ["pci0000:00", "nvme0", "0000:01:00", "target0:0:0", "0:0:0:0", "", "0000:01:00.0:x"] {
            assert!(!is_function(other), "{other}");
        }
    }
}
