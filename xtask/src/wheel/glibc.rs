//! Which C library a shared library needs: the largest version among the names of symbols that it asks for.

/// What the names begin with.
const MARK: &[u8] = b"GLIBC_2.";
/// The oldest that any wheel is for (PEP 599).
const OLDEST: (u32, u32) = (2, 17);

/// The version that it needs at least.
pub fn needed(library: &[u8]) -> (u32, u32) {
    let minor = |behind: &[u8]| {
        let digits: Vec<u8> = behind.iter().copied().take_while(u8::is_ascii_digit).take(4).collect();
        String::from_utf8(digits).ok()?.parse::<u32>().ok()
    };
    let places = library.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    let minors = places.filter_map(|(at, _)| minor(&library[at + MARK.len()..]));
    (2, minors.max().unwrap_or(0).max(OLDEST.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_version_counts() {
        assert_eq!(needed(b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.17\0GLIBC_PRIVATE\0"), (2, 34));
        assert_eq!((needed(b""), needed(b"GLIBC_2.x"), needed(b"GLIBC_2.9")), (OLDEST, OLDEST, OLDEST));
    }
}
