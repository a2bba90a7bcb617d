//! CRC32C, the digest of headers and data (TCP, "Digests").

/// The digest of some bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

/// The digest of bytes of which `before` is that of those before; 0 for none.
pub fn append(before: u32, bytes: &[u8]) -> u32 {
    ::crc32c::crc32c_append(before, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_their_digests() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(append(append(0, b"1234"), b"56789"), 0xe306_9283);
    }
}
