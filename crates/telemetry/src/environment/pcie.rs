//! The PCI Express link of a device: what it runs at and what it could.

use super::Facts;
use crate::Root;
use crate::nvme::controllers;

/// Whether this is the name of a PCI function, e.g. `0000:01:00.0`.
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

/// The most data that one packet of the function carries, from its configuration space: the device
/// control register of the PCI Express capability. Who is not root sees the first 64 bytes, without it.
/// Source: PCI Express Base Specification 5.0, 7.5.3.4.
fn max_payload(config: &[u8]) -> Option<u32> {
    const CAPABILITIES: usize = 0x34;
    const EXPRESS: u8 = 0x10;
    let mut at = usize::from(*config.get(CAPABILITIES)? & 0xfc);
    // No more than 48 capabilities fit; a list that is longer runs in a circle.
    for _ in 0..48 {
        if at < 0x40 {
            return None;
        }
        if *config.get(at)? == EXPRESS {
            let code = (*config.get(at + 8)? >> 5) & 7;
            return (code < 6).then_some(128 << code);
        }
        at = usize::from(*config.get(at + 1)? & 0xfc);
    }
    None
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
        if let Some(bytes) = root.bytes(format!("{folder}/config")).as_deref().and_then(max_payload) {
            facts.add(subject, "max_payload_bytes", bytes, &format!("{folder}/config"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_is_found_along_the_list_of_capabilities() {
        let mut config = [0u8; 256];
        (config[0x34], config[0x40], config[0x41]) = (0x40, 0x01, 0x80);
        (config[0x80], config[0x88]) = (0x10, 0b0010_1111);
        assert_eq!(max_payload(&config), Some(256));
        assert_eq!(max_payload(&config[..64]), None, "what others than root see");
        config[0x88] = 0b1110_0000;
        assert_eq!(max_payload(&config), None, "a code that the specification reserves");
        (config[0x80], config[0x81]) = (0x05, 0x40);
        assert_eq!(max_payload(&config), None, "a list in a circle ends");
        assert_eq!(max_payload(&[]), None);
    }

    #[test]
    fn functions_are_told_from_buses_and_devices() {
        assert!(is_function("0000:01:00.0") && is_function("10000:e1:00.1"));
        for other in ["pci0000:00", "nvme0", "0000:01:00", "target0:0:0", "0:0:0:0", "", "0000:01:00.0:x"] {
            assert!(!is_function(other), "{other}");
        }
    }
}
