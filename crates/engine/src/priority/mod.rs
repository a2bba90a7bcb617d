//! Priorities of I/Os as the kernel knows them: of all that a job's thread starts, and of single I/Os.
//!
//! Of single I/Os engines `uring` and `aio` tell the kernel with each; what came of each priority is counted
//! apart, since it is asked for to be compared.

mod kernel;
mod single;

use std::sync::{Mutex, PoisonError};

use fathom_measure::Histogram;
use fathom_record::Direction;
use fathom_record::facts::Feature;

use crate::EngineError;
pub use single::{Single, TakesPriority};

/// A priority (`include/uapi/linux/ioprio.h`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority {
    /// 0 none, 1 real time, 2 best effort, 3 idle.
    pub class: u8,
    /// 0 to 7, the highest first.
    pub level: u8,
    /// What the device is told beside, 0 to 1023.
    pub hint: u16,
}

impl Priority {
    /// As the kernel takes it. Parts beyond their range are cut to it.
    pub fn number(self) -> u16 {
        u16::from(self.class & 7) << 13 | (self.hint & 0x3ff) << 3 | u16::from(self.level & 7)
    }

    fn words(self) -> String {
        let class = match self.class {
            0 => return "no priority of their own".to_owned(),
            1 => "real time",
            2 => "best effort",
            _ => "idle",
        };
        let hint = if self.hint > 0 { format!(", hint {}", self.hint) } else { String::new() };
        format!("class {class}, level {}{hint}", self.level)
    }
}

/// A share of the I/Os of one direction that has a priority of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Reads or writes.
    pub direction: Direction,
    /// Only those of this size; all sizes where there is none.
    pub bytes: Option<u32>,
    /// Share of them, in percent; rules of one direction and size add up to at most 100.
    pub percent: u32,
    /// Their priority.
    pub priority: Priority,
}

/// What priorities a run's I/Os have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priorities {
    /// Of all that a job starts; class 0 for none.
    pub of_jobs: Priority,
    /// Of single I/Os; the others have the job's.
    pub rules: Vec<Rule>,
}

impl Priorities {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.of_jobs.class == 0 && self.rules.is_empty()
    }

    /// All that I/Os can have, the job's first, each once.
    fn distinct(&self) -> Vec<Priority> {
        let mut all = vec![self.of_jobs];
        for rule in &self.rules {
            if !all.contains(&rule.priority) {
                all.push(rule.priority);
            }
        }
        all
    }

    /// Gives the calling thread the job's priority, once it is known that all the others are permitted too.
    ///
    /// # Errors
    /// When the process may not use one of them.
    pub fn settle_thread(&self) -> Result<(), EngineError> {
        if self.is_empty() {
            return Ok(());
        }
        for priority in self.distinct().into_iter().rev() {
            kernel::set_of_thread(priority)?;
        }
        Ok(())
    }

    /// What an engine's facts say of them.
    pub fn features(&self) -> Vec<Feature> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut notes = vec![format!("I/Os have {}", self.of_jobs.words())];
        for rule in &self.rules {
            let of = rule.bytes.map_or(String::new(), |bytes| format!(" of {bytes} bytes"));
            let words = rule.priority.words();
            notes.push(format!("{} % of {}s{of} have {words}", rule.percent, rule.direction.name()));
        }
        vec![Feature { name: "io_priority".to_owned(), used: true, note: Some(notes.join("; ")) }]
    }
}

/// What came of the I/Os of one direction and priority.
#[derive(Clone, Debug)]
pub struct PriorityTally {
    /// Reads or writes.
    pub direction: Direction,
    /// Their priority.
    pub priority: Priority,
    /// Submission to reaping, of those that ended well, from the run's first I/O on.
    pub service: Histogram,
}

/// Where the jobs of a run leave their tallies when they end.
#[derive(Debug, Default)]
pub struct Tallies(Mutex<Vec<PriorityTally>>);

impl Tallies {
    /// Adds a job's.
    fn add(&self, own: Vec<PriorityTally>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for tally in own {
            let same = |known: &&mut PriorityTally| {
                (known.direction, known.priority) == (tally.direction, tally.priority)
            };
            match all.iter_mut().find(same) {
                Some(known) => known.service.merge(&tally.service),
                None => all.push(tally),
            }
        }
    }

    /// All, without those that no I/O had.
    pub fn take(&self) -> Vec<PriorityTally> {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        all.retain(|tally| tally.service.count() > 0);
        all.sort_by_key(|tally| (tally.direction.index(), tally.priority));
        all
    }
}
