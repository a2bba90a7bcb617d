//! Lists of processors as the kernel writes them.

use std::collections::BTreeSet;

/// Far beyond any machine's processors: a longer range is no list of them.
const MAX_CPUS: u32 = 1 << 16;

/// The processors of a list as `0-3, 8`. What cannot be read is left out.
pub fn processors(list: &str) -> BTreeSet<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (last < MAX_CPUS).then_some(first..=last)
    };
    list.split(',').filter_map(range).flatten().collect()
}
