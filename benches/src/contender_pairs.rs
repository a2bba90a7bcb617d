//! Two contenders run back to back, again and again, each time in random order.

use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::measured_load::{Load, ToolMeasurement};
use super::program_run::{self, ProgramEnd};
use super::{bdevperf_contender, fathom_contender, fio, t_io_uring};

/// Whose output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Fathom,
    Fio,
    TIoUring,
    Bdevperf,
}

/// One side of a pair: what to start, and how to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender {
    pub label: String,
    pub tool: Tool,
    pub command: Vec<String>,
    pub load: Load,
}

impl Contender {
    fn measure(&self, folder: &Path) -> Result<ToolMeasurement, String> {
        let ended = program_run::run(&self.command, folder)?;
        self.read(&ended).map_err(|error| format!("{}: {error}", self.label))
    }

    fn read(&self, ended: &ProgramEnd) -> Result<ToolMeasurement, String> {
        match self.tool {
            Tool::Fathom => fathom_contender::read(ended),
            Tool::Fio => fio::read(ended),
            Tool::TIoUring => t_io_uring::read(ended, &self.load),
            Tool::Bdevperf => bdevperf_contender::read(ended, &self.load),
        }
    }
}

/// Measures `count` pairs, ours first in each pair that is returned, whichever ran first.
///
/// # Errors
/// As soon as one run gives no numbers: half a pair says nothing.
pub fn measure(
    [ours, theirs]: &[Contender; 2],
    count: usize,
    random: &mut Xoshiro256PlusPlus,
    folder: &Path,
) -> Result<Vec<(ToolMeasurement, ToolMeasurement)>, String> {
    (0..count).map(|_| in_random_order(random, || ours.measure(folder), || theirs.measure(folder))).collect()
}

/// Makes two runs back to back, either first as chance has it.
///
/// # Errors
/// As the runs.
pub fn in_random_order<A, B>(
    random: &mut Xoshiro256PlusPlus,
    one: impl FnOnce() -> Result<A, String>,
    other: impl FnOnce() -> Result<B, String>,
) -> Result<(A, B), String> {
    // The top bit of this generator is its best.
    if random.next_u64() >> 63 == 0 {
        let one = one()?;
        Ok((one, other()?))
    } else {
        let other = other()?;
        Ok((one()?, other))
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::measured_load::Interface;
    use rand_xoshiro::rand_core::SeedableRng;

    fn contender(name: &str, rate: &str) -> Contender {
        let settings = "polled=0, fixedbufs=1, register_files=1, buffered=0, QD=1";
        let script = format!("echo {name} >> order; echo {settings}; echo 'IOPS={rate}, BW=1MiB/s'");
        Contender {
            label: name.to_owned(),
            tool: Tool::TIoUring,
            command: ["sh", "-c", &script].map(str::to_owned).to_vec(),
            load: Load { interface: Interface::Uring, target: String::new(), depth: 1, seconds: 1 },
        }
    }

    #[test]
    fn pairs_are_back_to_back_in_both_orders_and_ours_is_first_in_the_result() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let sides = [contender("ours", "200"), contender("theirs", "100")];
        let pairs = measure(&sides, 16, &mut random, folder.path()).unwrap();
        assert!(pairs.iter().all(|(a, b)| a.rate_per_s == 200.0 && b.rate_per_s == 100.0));

        let order = std::fs::read_to_string(folder.path().join("order")).unwrap();
        let order: Vec<&str> = order.lines().collect();
        let starts: Vec<&str> = order.chunks(2).map(|pair| pair[0]).collect();
        assert!(order.chunks(2).all(|pair| pair[0] != pair[1]), "{order:?}");
        let ours = starts.iter().filter(|&&name| name == "ours").count();
        assert!((3..=13).contains(&ours), "{ours} of 16 start with ours");
    }

    #[test]
    fn a_side_without_numbers_ends_the_comparison_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let sides = [contender("ours", "200"), contender("theirs", "x")];
        let error = measure(&sides, 2, &mut random, folder.path()).unwrap_err();
        assert!(error.starts_with("theirs:"), "{error}");
    }
}
