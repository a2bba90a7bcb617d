//! Hardware queues of a disk, by what the kernel sends them.

use std::collections::BTreeSet;
use std::path::Path;

use super::sysfs::{attribute, entries};
use crate::cpu_list::processors;

/// How many hardware queues a disk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareQueues {
    /// Of all kinds.
    pub all: u64,
    /// Those that take polled I/O and no other.
    pub polled: u64,
}

impl HardwareQueues {
    /// Those of a disk by its folder; `None` where the kernel shows none.
    pub fn of(disk: &Path) -> Option<Self> {
        let folder = disk.join("mq");
        let mut numbers: Vec<u64> = entries(&folder).iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        let cpus = |number: &u64| attribute(&folder.join(number.to_string()), "cpu_list");
        let polls = attribute(&disk.join("queue"), "io_poll").as_deref() == Some("1");
        let lists: Option<Vec<_>> = numbers.iter().map(|n| cpus(n).map(|list| processors(&list))).collect();
        let polled = lists.filter(|_| polls).map_or(0, |lists| last_kind(&lists));
        let all = numbers.len() as u64;
        (all > 0).then_some(Self { all, polled })
    }
}

/// Queues of the last kind; 0 where all are of one, which then takes every I/O.
///
/// A driver numbers its queues by kind: for all I/O or for writes, for reads, for polled I/O (the kernel's `enum
/// hctx_type`). Within a kind each processor has one queue, so that a second one of a processor is the next kind's.
fn last_kind(lists: &[BTreeSet<u32>]) -> u64 {
    let (mut first, mut seen) = (0, BTreeSet::new());
    for (index, cpus) in lists.iter().enumerate() {
        if !seen.is_disjoint(cpus) {
            (first, seen) = (index, BTreeSet::new());
        }
        seen.extend(cpus);
    }
    if first == 0 { 0 } else { (lists.len() - first) as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(io_poll: &str, lists: &[&str]) -> Option<HardwareQueues> {
        let disk = tempfile::tempdir().unwrap();
        let put = |name: String, text: &str| {
            let path = disk.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{text}\n")).unwrap();
        };
        put("queue/io_poll".to_owned(), io_poll);
        lists.iter().enumerate().for_each(|(number, list)| put(format!("mq/{number}/cpu_list"), list));
        HardwareQueues::of(disk.path())
    }

    #[test]
    fn polled_queues_are_those_of_the_last_kind_where_the_kernel_polls() {
        let of = |io_poll, lists: &[&str]| found(io_poll, lists).map(|queues| (queues.all, queues.polled));
        assert_eq!(of("1", &["0, 1", "0, 1"]), Some((2, 1)), "null_blk's own setting");
        assert_eq!(of("1", &["0", "1", "0, 1"]), Some((3, 1)));
        assert_eq!(of("1", &["0, 2", "1, 3", "1, 2", "0, 3"]), Some((4, 2)));
        assert_eq!(of("1", &["0, 1", "0", "1", "0-1"]), Some((4, 1)), "queues of reads between");
        // Eleven queues: the eleventh comes after the tenth, and not after the first.
        let each = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0-9"];
        assert_eq!(of("1", &each), Some((11, 1)));
        assert_eq!(of("0", &["0, 1", "0, 1"]), Some((2, 0)), "reads and writes apart");
        assert_eq!(of("1", &["0", "1"]), Some((2, 0)), "every queue is polled");
        assert_eq!(of("1", &[]), None);
    }
}
