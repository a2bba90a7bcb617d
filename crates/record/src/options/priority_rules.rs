//! Priorities of I/Os: of all that a job starts, and of single ones.

use crate::Direction;
use crate::facts::EngineFeature;

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
    /// In words, as `class idle, level 2`.
    pub fn in_words(self) -> String {
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
pub struct PriorityRule {
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
    pub rules: Vec<PriorityRule>,
}

impl Priorities {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.of_jobs.class == 0 && self.rules.is_empty()
    }

    /// All that I/Os can have, the job's first, each once.
    pub fn distinct(&self) -> Vec<Priority> {
        let mut all = vec![self.of_jobs];
        for rule in &self.rules {
            if !all.contains(&rule.priority) {
                all.push(rule.priority);
            }
        }
        all
    }

    /// What an engine's facts say of them.
    pub fn features(&self) -> Vec<EngineFeature> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut notes = vec![format!("I/Os have {}", self.of_jobs.in_words())];
        for rule in &self.rules {
            let of = rule.bytes.map_or(String::new(), |bytes| format!(" of {bytes} bytes"));
            let words = rule.priority.in_words();
            notes.push(format!("{} % of {}s{of} have {words}", rule.percent, rule.direction.name()));
        }
        vec![EngineFeature::new("io_priority", true, Some(notes.join("; ")))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_say_class_and_level() {
        let idle =
            Priorities { of_jobs: Priority { class: 3, level: 2, hint: 0 }, rules: Vec::new() }.features();
        assert!(idle[0].note.as_deref().is_some_and(|note| note.contains("class idle, level 2")));
        assert!(Priorities::default().features().is_empty());
    }
}
