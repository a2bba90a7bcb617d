//! Identifiers that stay the same for the same text: of namespaces, of hosts and of subsystems.

/// Sixteen bytes that a text stands for, as a UUID of version 8, whose content is its maker's.
pub fn identifier(text: &str) -> [u8; 16] {
    let mut bytes = (u128::from(mixed(text, 0xcbf2_9ce4_8422_2325)) << 64
        | u128::from(mixed(text, 0x9e37_79b9_7f4a_7c15)))
    .to_be_bytes();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

/// FNV-1a from a start of its own, with a last mixing by which single letters reach all bits.
fn mixed(text: &str, start: u64) -> u64 {
    let mut hash =
        text.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    for multiplier in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(multiplier);
    }
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_differ_with_their_texts_and_are_of_their_version() {
        let all: std::collections::BTreeSet<_> = (0..10_000).map(|n| identifier(&format!("a{n}"))).collect();
        assert_eq!(all.len(), 10_000);
        assert!(all.iter().all(|id| id[6] >> 4 == 8 && id[8] >> 6 == 0b10));
        assert_eq!(identifier("x"), identifier("x"));
    }
}
