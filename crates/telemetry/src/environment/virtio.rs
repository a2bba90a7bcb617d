//! What a virtio block device and its driver agreed on.

use super::Facts;

/// Features that matter here, by bit (VIRTIO 1.3, sections 5.2.3 and 6).
const FEATURES: &[(usize, &str)] = &[
    (1, "size_max"),
    (2, "seg_max"),
    (5, "read_only"),
    (6, "block_size"),
    (9, "flush"),
    (10, "topology"),
    (11, "write_cache_settable"),
    (12, "several_queues"),
    (13, "discard"),
    (14, "write_zeroes"),
    (28, "indirect_descriptors"),
    (29, "event_index"),
    (32, "version_1"),
    (34, "packed_ring"),
];

/// Names of the features whose bit is set in the kernel's text: bit 0 is its first character.
fn names(bits: &str) -> Vec<&'static str> {
    FEATURES
        .iter()
        .filter(|(bit, _)| bits.as_bytes().get(*bit) == Some(&b'1'))
        .map(|(_, name)| *name)
        .collect()
}

pub(super) fn describe(facts: &mut Facts<'_>, device: &str) {
    let folder = format!("/sys/class/block/{device}/device");
    let root = facts.root();
    let is_virtio = root.link_name(format!("{folder}/subsystem")).as_deref() == Some("virtio");
    let path = format!("{folder}/features");
    if let Some(bits) = root.text(&path).filter(|_| is_virtio) {
        facts.add(("virtio", device), "features", names(&bits).join(", "), &path);
        facts.file(("virtio", device), "vendor", &format!("{folder}/vendor"));
        facts.file(("virtio", device), "cache_type", &format!("/sys/class/block/{device}/cache_type"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_counted_from_the_left() {
        let mut bits = vec![b'0'; 64];
        (bits[9], bits[12], bits[32]) = (b'1', b'1', b'1');
        assert_eq!(names(std::str::from_utf8(&bits).unwrap()), ["flush", "several_queues", "version_1"]);
        assert!(names("").is_empty() && names("0000000001").len() == 1);
    }
}
