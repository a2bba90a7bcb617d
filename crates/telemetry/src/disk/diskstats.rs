//! Lines of `/proc/diskstats`, of every kernel that has it.
//!
//! Columns after the name (Linux `Documentation/admin-guide/iostats.rst`): 11 since 2.6, 15 with
//! discards since 4.18, 17 with flushes since 5.5; partitions had 4 before 2.6.25. A sector is 512
//! bytes whatever the device's block. Times are milliseconds of 32 bits that wrap after 49 days.

/// One kind of I/O, since the device came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// I/Os that ended.
    pub operations: u64,
    /// I/Os that were merged into others.
    pub merged: u64,
    /// 512-byte sectors moved.
    pub sectors: u64,
    /// Time that the I/Os took, summed, in milliseconds.
    pub wait_ms: u64,
}

/// One device's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Reads.
    pub read: Kind,
    /// Writes.
    pub write: Kind,
    /// I/Os in the device now.
    pub in_flight: u64,
    /// Time with an I/O in the device, in milliseconds.
    pub busy_ms: u64,
    /// Time of all I/Os, summed, in milliseconds.
    pub queue_ms: u64,
    /// Discards, on kernels that count them.
    pub discard: Option<Kind>,
    /// Flushes and their time in milliseconds, on kernels that count them.
    pub flush: Option<(u64, u64)>,
}

/// The devices' names and counters; lines that are not of this form are left out.
pub fn parse(text: &str) -> impl Iterator<Item = (&str, Counters)> {
    text.lines().filter_map(parse_line)
}

fn parse_line(line: &str) -> Option<(&str, Counters)> {
    let mut words = line.split_ascii_whitespace();
    let (_major, _minor, name) = (words.next()?, words.next()?, words.next()?);
    let mut columns = [0u64; 17];
    let mut known = 0;
    for (column, word) in columns.iter_mut().zip(words) {
        // The count of I/Os in flight may be shown below zero for an instant.
        *column = match word.parse::<u64>() {
            Ok(number) => number,
            Err(_) => word.parse::<i64>().ok().map(|_| 0)?,
        };
        known += 1;
    }
    if known < 11 {
        return None;
    }
    let kind = |at: usize| Kind {
        operations: columns[at],
        merged: columns[at + 1],
        sectors: columns[at + 2],
        wait_ms: columns[at + 3],
    };
    let counters = Counters {
        read: kind(0),
        write: kind(4),
        in_flight: columns[8],
        busy_ms: columns[9],
        queue_ms: columns[10],
        discard: (known >= 15).then(|| kind(11)),
        flush: (known >= 17).then(|| (columns[15], columns[16])),
    };
    Some((name, counters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kernel_s_columns_are_understood() {
        let text = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n\
                    259       0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n\
                    254       0 vda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n\
                    254       1 vdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n";
        let read: Vec<_> = parse(text).collect();
        assert_eq!(read.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["sda", "nvme0n1", "vda", "vdb"]);
        for (_, counters) in &read {
            assert_eq!(counters.read, Kind { operations: 1, merged: 2, sectors: 3, wait_ms: 4 });
            assert_eq!(counters.write, Kind { operations: 5, merged: 6, sectors: 7, wait_ms: 8 });
            assert_eq!((counters.in_flight, counters.busy_ms, counters.queue_ms), (9, 10, 11));
        }
        assert_eq!((read[0].1.discard, read[0].1.flush), (None, None));
        let discard = Some(Kind { operations: 12, merged: 13, sectors: 14, wait_ms: 15 });
        assert_eq!((read[1].1.discard, read[1].1.flush), (discard, None));
        assert_eq!((read[2].1.discard, read[2].1.flush), (discard, Some((16, 17))));
        assert_eq!(read[3].1, read[2].1);
    }

    #[test]
    fn lines_of_another_form_are_left_out() {
        for line in [
            "",
            "8 1 sda1 10 20 30 40",
            "8 0 sda a b c d e f g h i j k",
            "8 0",
            "8 0 sda 1 2 3 4 5 6 7 8 9 10",
        ] {
            assert_eq!(parse(line).count(), 0, "{line}");
        }
        assert_eq!(parse("8 0 sda 1 2 3 4 5 6 7 8 -1 10 11").next().unwrap().1.in_flight, 0);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in "[0-9a-z \n-]{0,200}") {
            for (name, _) in parse(&text) {
                prop_assert!(text.contains(name));
            }
        }
    }
}
