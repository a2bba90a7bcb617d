//! Which of several files an I/O goes to, and where in it: each file has positions and orders of its own.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fathom_record::workload::{FileOrder, FileTurns, Workload};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::seed::{Purpose, random_of, splitmix, threshold};
use super::{AddressPattern, Geometry};

/// One job's way from file to file.
#[derive(Debug)]
pub(super) struct Turns {
    files: Box<[OneFile]>,
    file_bytes: u64,
    order: Order,
    current: usize,
    /// I/Os that the current file still has in its turn.
    turn_left: u64,
    /// Bytes that each file has in a pass.
    pass_bytes: u64,
    random: Xoshiro256PlusPlus,
}

#[derive(Debug)]
struct OneFile {
    /// As the generator's own: one for all directions, or one each.
    addresses: Box<[AddressPattern]>,
    /// Bytes that have not had their turn in this pass.
    left_bytes: u64,
}

#[derive(Debug)]
enum Order {
    RoundRobin {
        ios: u64,
    },
    Sequential,
    /// A draw below the first limit is the first file's, and so on; the last one takes the rest.
    Drawn {
        limits: Box<[u64]>,
    },
}

impl Turns {
    /// Of job number `job`; `place` is its rank among those that share the files.
    pub fn new(
        turns: &FileTurns,
        (workload, geometry): (&Workload, &Geometry),
        (job, place): (u32, (u32, u32)),
        patterns: usize,
    ) -> Self {
        let span_bytes = turns.file_bytes - turns.offset_bytes;
        let own = Geometry { first_byte: turns.offset_bytes, span_bytes, ..*geometry };
        let cursor = Arc::new(AtomicU64::new(0));
        let pass_bytes = span_bytes - span_bytes % u64::from(own.largest_io_bytes.max(1));
        let file = |number: u32| {
            let seed = splitmix(workload.seed ^ u64::from(number));
            let pattern = || AddressPattern::new(&workload.addresses, &own, place, seed, &cursor);
            OneFile { addresses: (0..patterns).map(|_| pattern()).collect(), left_bytes: pass_bytes }
        };
        let order = match turns.order {
            FileOrder::RoundRobin { ios } => Order::RoundRobin { ios: ios.max(1) },
            FileOrder::Sequential => Order::Sequential,
            ref drawn => Order::Drawn { limits: limits(drawn, turns.files) },
        };
        let turn_left = if let Order::RoundRobin { ios } = order { ios } else { u64::MAX };
        Self {
            files: (0..turns.files).map(file).collect(),
            file_bytes: turns.file_bytes,
            order,
            current: 0,
            turn_left,
            pass_bytes,
            random: random_of(workload.seed, Purpose::Files, job),
        }
    }

    /// First byte of the next I/O among the bytes of all files; `pattern` is that of its direction.
    pub fn place(&mut self, pattern: usize, bytes: u32) -> u64 {
        self.choose(u64::from(bytes));
        let file = &mut self.files[self.current];
        file.left_bytes = file.left_bytes.saturating_sub(u64::from(bytes));
        self.current as u64 * self.file_bytes + file.addresses[pattern].next(bytes)
    }

    fn choose(&mut self, bytes: u64) {
        let is_done = |file: &OneFile| file.left_bytes < bytes;
        if self.files.iter().all(is_done) {
            let pass_bytes = self.pass_bytes.max(bytes);
            self.files.iter_mut().for_each(|file| file.left_bytes = pass_bytes);
            if let Order::Sequential = self.order {
                self.current = 0;
            }
        }
        match &self.order {
            Order::Sequential => {}
            Order::RoundRobin { ios } => {
                if self.turn_left == 0 {
                    self.turn_left = *ios;
                    self.current = self.after(self.current);
                }
                self.turn_left -= 1;
            }
            Order::Drawn { limits } => {
                let draw = self.random.next_u64();
                self.current = limits.iter().position(|limit| draw < *limit).unwrap_or(limits.len());
            }
        }
        // At least one of them has bytes left.
        while is_done(&self.files[self.current]) {
            self.current = self.after(self.current);
        }
    }

    fn after(&self, file: usize) -> usize {
        if file + 1 < self.files.len() { file + 1 } else { 0 }
    }
}

/// Cumulative limits of draws, one fewer than there are files.
fn limits(order: &FileOrder, files: u32) -> Box<[u64]> {
    let number = f64::from(files);
    let weight = |file: u32| {
        let at = (f64::from(file) + 0.5) / number;
        match *order {
            FileOrder::Zipf { exponent } => f64::from(file + 1).powf(-exponent),
            // A share `1 - skew` of the draws lies below a share `skew` of the files, at every scale.
            FileOrder::Pareto { skew } => {
                let power = (1.0 - skew).ln() / skew.ln();
                (f64::from(file + 1) / number).powf(power) - (f64::from(file) / number).powf(power)
            }
            FileOrder::Normal { deviation } => (-((at - 0.5) / deviation).powi(2) / 2.0).exp(),
            FileOrder::RoundRobin { .. } | FileOrder::Random | FileOrder::Sequential => 1.0,
        }
    };
    let all: f64 = (0..files).map(weight).sum();
    let mut sum = 0.0;
    let limit = |file: u32| {
        sum += weight(file) / all.max(f64::MIN_POSITIVE);
        threshold(sum)
    };
    (0..files.saturating_sub(1)).map(limit).collect()
}

#[cfg(test)]
mod tests {
    use fathom_record::workload::Addresses;

    use super::*;
    use crate::pattern::test_workload::plain;

    const FILE: u64 = 16 * 4096;

    fn files(order: FileOrder, addresses: Addresses, ios: usize) -> Vec<(u64, u64)> {
        let mut workload = plain();
        workload.addresses = addresses;
        let turns = FileTurns { files: 4, file_bytes: FILE, offset_bytes: 0, order };
        let geometry = Geometry::new(0, 4 * FILE, 4096, (4096, 4096)).unwrap();
        let mut turns = Turns::new(&turns, (&workload, &geometry), (0, (0, 1)), 1);
        (0..ios).map(|_| turns.place(0, 4096)).map(|offset| (offset / FILE, offset % FILE / 4096)).collect()
    }

    #[test]
    fn each_file_has_all_its_blocks_once_a_pass() {
        let orders = [
            FileOrder::RoundRobin { ios: 1 },
            FileOrder::RoundRobin { ios: 8 },
            FileOrder::Sequential,
            FileOrder::Random,
            FileOrder::Zipf { exponent: 1.2 },
        ];
        for order in orders {
            for addresses in [Addresses::Sequential, Addresses::RandomCycle] {
                let all = files(order, addresses.clone(), 128);
                for pass in all.chunks(64) {
                    let mut sorted = pass.to_vec();
                    sorted.sort_unstable();
                    sorted.dedup();
                    assert_eq!(sorted.len(), 64, "{order:?} {addresses:?}");
                }
            }
        }
    }

    #[test]
    fn turns_are_as_long_as_the_order_says() {
        let runs = |order| {
            let all = files(order, Addresses::Sequential, 64);
            let mut runs = vec![1];
            for pair in all.windows(2) {
                if pair[0].0 == pair[1].0 { *runs.last_mut().unwrap() += 1 } else { runs.push(1) }
            }
            runs
        };
        assert_eq!(runs(FileOrder::RoundRobin { ios: 1 }), [1; 64]);
        assert_eq!(runs(FileOrder::RoundRobin { ios: 8 }), [8; 8]);
        assert_eq!(runs(FileOrder::Sequential), [16; 4]);
        let by_chance = runs(FileOrder::Random);
        assert!(by_chance.len() > 20 && by_chance.iter().any(|length| *length > 1), "{by_chance:?}");
    }

    #[test]
    fn popular_files_get_their_share() {
        let first = |order| {
            // Below the first pass's end for all files, so that none has to wait.
            let all: Vec<u64> = (0..64u64)
                .flat_map(|seed| {
                    let mut workload = plain();
                    workload.seed = seed;
                    let turns = FileTurns { files: 4, file_bytes: FILE, offset_bytes: 0, order };
                    let geometry = Geometry::new(0, 4 * FILE, 4096, (4096, 4096)).unwrap();
                    let mut turns = Turns::new(&turns, (&workload, &geometry), (0, (0, 1)), 1);
                    (0..16).map(move |_| turns.place(0, 4096) / FILE).collect::<Vec<_>>()
                })
                .collect();
            all.iter().filter(|file| **file == 0).count() as f64 / all.len() as f64
        };
        assert!((first(FileOrder::Random) - 0.25).abs() < 0.05);
        assert!((first(FileOrder::Zipf { exponent: 1.0 }) - 0.48).abs() < 0.05);
        assert!((first(FileOrder::Pareto { skew: 0.25 }) - 0.75).abs() < 0.05);
        assert!(first(FileOrder::Normal { deviation: 0.2 }) < 0.15);
    }
}
