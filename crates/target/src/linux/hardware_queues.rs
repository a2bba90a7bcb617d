//! Hardware queues of a disk, by what the kernel sends them.

use std::collections::BTreeSet;
use std::path::Path;

use super::sysfs::{attribute, entries};

/// How many hardware queues a disk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareQueues {
    /// Of all kinds.
    pub all: u64,
    /// Those that take polled I/O and no other; `None` where there are none.
    pub polled: Option<u64>,
}

impl HardwareQueues {
    /// Those of a disk by its folder; `None` where the kernel shows none.
    ///
    /// Polled ones are known while the kernel polls: before Linux 5.16 `queue/io_poll` could be set to 0 without them.
    pub fn of(disk: &Path) -> Option<Self> {
        let folder = disk.join("mq");
        let mut numbers: Vec<u64> = entries(&folder).iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        // A folder for each processor, where the file `cpu_list` leaves out those that are isolated.
        let cpus = |number: &u64| {
            let names = entries(&folder.join(number.to_string()));
            names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect()
        };
        let polls = attribute(&disk.join("queue"), "io_poll").as_deref() == Some("1");
        let each: Vec<BTreeSet<u32>> = numbers.iter().map(cpus).collect();
        let (all, polled) = (numbers.len() as u64, last_kind(&each).filter(|_| polls));
        (all > 0).then_some(Self { all, polled })
    }
}

/// Hardware queues of a disk, by the kernel's name of it, that take polled I/O and no other; `None` where none is known.
pub fn polled_queues(disk: &str) -> Option<u64> {
    HardwareQueues::of(&Path::new("/sys/class/block").join(disk))?.polled
}

/// Queues of the last kind; `None` where all are of one, which then takes every I/O.
///
/// A driver numbers its queues by kind: for all I/O or for writes, for reads, for polled I/O (the kernel's `enum
/// hctx_type`). Within a kind each processor has one queue, so that a second one of a processor is the next kind's.
fn last_kind(lists: &[BTreeSet<u32>]) -> Option<u64> {
    let (mut first, mut seen) = (0, BTreeSet::new());
    for (index, cpus) in lists.iter().enumerate() {
        if !seen.is_disjoint(cpus) {
            (first, seen) = (index, BTreeSet::new());
        }
        seen.extend(cpus);
    }
    (first > 0).then_some((lists.len() - first) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(io_poll: &str, queues: &[&[u32]]) -> Option<(u64, Option<u64>)> {
        let disk = tempfile::tempdir().unwrap();
        let folder = |name: String| {
            let path = disk.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path
        };
        std::fs::write(folder("queue".to_owned()).join("io_poll"), format!("{io_poll}\n")).unwrap();
        for (number, cpus) in queues.iter().enumerate() {
            let queue = folder(format!("mq/{number}"));
            // Of isolated processors the list is empty.
            std::fs::write(queue.join("cpu_list"), "\n").unwrap();
            cpus.iter().for_each(|cpu| drop(folder(format!("mq/{number}/cpu{cpu}"))));
        }
        HardwareQueues::of(disk.path()).map(|queues| (queues.all, queues.polled))
    }

    #[test]
    fn polled_queues_are_those_of_the_last_kind_where_the_kernel_polls() {
        assert_eq!(found("1", &[&[0, 1], &[0, 1]]), Some((2, Some(1))), "null_blk's own setting");
        assert_eq!(found("1", &[&[0], &[1], &[0, 1]]), Some((3, Some(1))));
        assert_eq!(found("1", &[&[0, 2], &[1, 3], &[1, 2], &[0, 3]]), Some((4, Some(2))));
        assert_eq!(
            found("1", &[&[0, 1], &[0], &[1], &[0, 1]]),
            Some((4, Some(1))),
            "queues of reads between"
        );
        // Eleven queues: the eleventh comes after the tenth, and not after the first.
        let each: [&[u32]; 11] = [&[0], &[1], &[2], &[3], &[4], &[5], &[6], &[7], &[8], &[9], &[0, 9]];
        assert_eq!(found("1", &each), Some((11, Some(1))));
        assert_eq!(found("0", &[&[0, 1], &[0, 1]]), Some((2, None)), "reads and writes apart");
        assert_eq!(found("1", &[&[0], &[1]]), Some((2, None)), "every queue is polled");
        assert_eq!(found("1", &[]), None);
    }
}
