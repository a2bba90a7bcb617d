//! What the calls of one program come to: counts, sizes, addresses, flushes and advice.

use std::collections::{BTreeMap, BTreeSet};

use super::strace_calls::{Act, Call, Way};

/// The first bytes of the file fall into so many equal parts.
const PARTS: usize = 16;

/// Where the data of one direction went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Addresses {
    pub ios: u64,
    pub bytes: u64,
    /// I/Os by their size in bytes.
    pub sizes: BTreeMap<u64, u64>,
    /// I/Os by file.
    pub files: BTreeMap<String, u64>,
    /// Lowest byte and the end of the highest, over all files.
    pub low: u64,
    pub high: u64,
    /// Greatest number that divides all offsets; 0 where all are 0.
    pub step: u64,
    /// I/Os at different places.
    pub distinct: u64,
    /// I/Os that begin where their thread's last one in that file ended, and those that end where it began.
    pub onwards: u64,
    pub backwards: u64,
    /// I/Os that are not the first of their thread in their file.
    pub followers: u64,
    /// Share of the ten places that are used most.
    pub top: f64,
    /// Shares of equal parts from `low` to `high`, the largest first.
    pub parts: Vec<f64>,
    /// File, offset and size of the I/Os of each thread in order; the threads sorted.
    pub threads: Vec<Vec<(String, u64, u64)>>,
}

/// All that one program did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallSummary {
    pub ways: BTreeMap<Way, Addresses>,
    /// Flushes by the call's name, from the first I/O of a job on.
    pub syncs: BTreeMap<String, u64>,
    /// Flushes before, of files that were not laid out.
    pub early_syncs: u64,
    pub advice: BTreeMap<String, u64>,
    /// Flags of the descriptors that I/Os went through, for each direction.
    pub flags: BTreeSet<(Way, String)>,
    /// I/Os of each `io_submit`, sorted.
    pub submits: Vec<u64>,
    /// I/Os to another file than the thread's last, and those to the same.
    pub switches: u64,
    pub stays: u64,
}

impl CallSummary {
    /// Adds the calls up; I/Os that lay files out do not count.
    pub fn of(calls: &[Call]) -> Self {
        let mut seen = Self::default();
        let mut begun = false;
        let mut laid_out: BTreeSet<&str> = BTreeSet::new();
        let mut used: BTreeSet<&str> = BTreeSet::new();
        let mut by_way: BTreeMap<Way, Vec<(u32, &str, u64, u64)>> = BTreeMap::new();
        let mut last_file: BTreeMap<u32, &str> = BTreeMap::new();
        for call in calls {
            match &call.act {
                Act::Io { .. } if call.lays_out => {
                    laid_out.insert(&call.file);
                }
                Act::Io { way, offset, bytes, flags } => {
                    begun = true;
                    used.insert(&call.file);
                    by_way.entry(*way).or_default().push((call.thread, &call.file, *offset, *bytes));
                    seen.flags.insert((*way, flags.clone()));
                    match last_file.insert(call.thread, &call.file) {
                        Some(file) if file == call.file => seen.stays += 1,
                        Some(_) => seen.switches += 1,
                        None => {}
                    }
                }
                Act::Submit(count) => seen.submits.push(*count),
                // A later stage's file may be laid out, and stored, while or after an earlier stage's are used.
                Act::Sync(_) if begun && call.lays_out && !used.contains(call.file.as_str()) => {}
                Act::Sync(name) if begun => *seen.syncs.entry(name.clone()).or_default() += 1,
                // That a file is stored which was just laid out is part of laying it out.
                Act::Sync(_) => seen.early_syncs += u64::from(!laid_out.contains(call.file.as_str())),
                Act::Advice(name) => *seen.advice.entry(name.clone()).or_default() += 1,
            }
        }
        seen.submits.sort_unstable();
        seen.ways = by_way.into_iter().map(|(way, ios)| (way, Addresses::of(&ios))).collect();
        seen
    }

    /// Half of all submissions have at most so many I/Os.
    pub fn median_submit(&self) -> Option<u64> {
        self.submits.get(self.submits.len() / 2).copied()
    }
}

impl Addresses {
    fn of(ios: &[(u32, &str, u64, u64)]) -> Self {
        let mut addresses = Self { low: u64::MAX, ..Self::default() };
        let mut places: BTreeMap<(&str, u64), u64> = BTreeMap::new();
        let mut last: BTreeMap<(u32, &str), (u64, u64)> = BTreeMap::new();
        for &(thread, file, offset, bytes) in ios {
            addresses.ios += 1;
            addresses.bytes += bytes;
            *addresses.sizes.entry(bytes).or_default() += 1;
            *addresses.files.entry(file.to_owned()).or_default() += 1;
            *places.entry((file, offset)).or_default() += 1;
            addresses.low = addresses.low.min(offset);
            addresses.high = addresses.high.max(offset + bytes);
            addresses.step = common_divisor(addresses.step, offset);
            if let Some((start, end)) = last.insert((thread, file), (offset, offset + bytes)) {
                addresses.followers += 1;
                addresses.onwards += u64::from(offset == end);
                addresses.backwards += u64::from(offset + bytes == start);
            }
        }
        addresses.distinct = places.len() as u64;
        let mut uses: Vec<u64> = places.values().copied().collect();
        uses.sort_unstable_by(|a, b| b.cmp(a));
        addresses.top = uses.iter().take(10).sum::<u64>() as f64 / addresses.ios.max(1) as f64;
        addresses.parts = parts(ios, addresses.low, addresses.high);
        let mut threads: BTreeMap<u32, Vec<(String, u64, u64)>> = BTreeMap::new();
        for &(thread, file, offset, bytes) in ios {
            threads.entry(thread).or_default().push((file.to_owned(), offset, bytes));
        }
        addresses.threads = threads.into_values().collect();
        addresses.threads.sort_unstable();
        addresses
    }
}

fn parts(ios: &[(u32, &str, u64, u64)], low: u64, high: u64) -> Vec<f64> {
    let mut counts = [0u64; PARTS];
    for (_, _, offset, _) in ios {
        let at = (offset - low) as f64 / (high - low).max(1) as f64 * PARTS as f64;
        if let Some(count) = counts.get_mut(at as usize) {
            *count += 1;
        }
    }
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.iter().map(|count| *count as f64 / ios.len().max(1) as f64).collect()
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io(thread: u32, file: &str, offset: u64) -> Call {
        let act = Act::Io { way: Way::Read, offset, bytes: 4096, flags: String::new() };
        Call { thread, lays_out: thread == 1, file: file.to_owned(), act }
    }

    #[test]
    fn calls_come_to_counts_and_addresses() {
        let sync = |thread| Call { act: Act::Sync("fsync".to_owned()), ..io(thread, "a", 0) };
        let calls = [
            sync(1),
            io(1, "a", 0),
            sync(1),
            io(2, "a", 8192),
            io(2, "a", 12288),
            io(2, "b", 0),
            io(3, "a", 8192),
            sync(2),
            io(3, "a", 4096),
            Call { file: "of a later stage".to_owned(), ..sync(1) },
        ];
        let seen = CallSummary::of(&calls);
        let read = &seen.ways[&Way::Read];
        assert_eq!((read.ios, read.bytes, read.distinct, read.step), (5, 20480, 4, 4096));
        assert_eq!((read.onwards, read.backwards, read.followers), (1, 1, 2));
        assert_eq!((read.low, read.high, read.files["a"]), (0, 16384, 4));
        assert_eq!((seen.early_syncs, seen.syncs["fsync"]), (1, 1));
        assert_eq!((seen.switches, seen.stays), (1, 2));
        assert_eq!(read.threads[1][0], ("a".to_owned(), 8192, 4096));
    }
}
