//! `prio`, `prioclass`, and priorities of single I/Os (`cmdprio_*`).

use fathom_record::Direction;
use fathom_record::engine_list::EngineRequirement;
use fathom_record::options::{Priorities, Priority, PriorityRule};

use super::Mapper;
use crate::fio::fio_job::JobOption;
use crate::fio::value;
use crate::{Fault, Refusal};

/// Class that single I/Os have where none is given: real time.
const HIGHEST_CLASS: u64 = 1;
/// Class of a level alone: best effort, as fio has it.
const USUAL_CLASS: u64 = 2;
/// Sizes with priorities that a direction may have: as many as fio takes.
const MOST_PARTS: usize = 64;

impl Mapper<'_> {
    pub(super) fn priorities(&mut self) -> Result<Option<Priorities>, Refusal> {
        let of_jobs = self.priority_of_job()?;
        let rules = self.priorities_of_shares()?;
        if !rules.is_empty() {
            self.refuse_shares_without_place()?;
        }
        let priorities = Priorities { of_jobs, rules };
        Ok(Some(priorities).filter(|priorities| *priorities != Priorities::default()))
    }

    fn priority_of_job(&self) -> Result<Priority, Refusal> {
        let (class, level) = (self.job.int("prioclass")?, self.job.int("prio")?);
        let hint = self.job.int("priohint")?.unwrap_or(0);
        if class.is_none() && level.is_none() && hint == 0 {
            return Ok(Priority::default());
        }
        let given = ["prioclass", "prio", "priohint"].into_iter().find_map(|name| self.job.last(name));
        let class = class.filter(|class| *class > 0).unwrap_or(USUAL_CLASS);
        let made = priority(class, level.unwrap_or(0), hint);
        made.map_err(|fault| given.expect("one of them was read").refuse(fault))
    }

    /// `cmdprio_percentage` or `cmdprio_bssplit`, of an engine that has them.
    fn priorities_of_shares(&mut self) -> Result<Vec<PriorityRule>, Refusal> {
        let own = |name: &str| self.job.last(name).filter(|given| self.concerns(given) && given.matters());
        let (percentage, split) = (own("cmdprio_percentage"), own("cmdprio_bssplit"));
        if let (Some(_), Some(split)) = (percentage, split) {
            return Err(split.refuse("cmdprio_percentage says it too: leave one of the two out, as in fio"));
        }
        let Some(given) = percentage.or(split) else { return Ok(Vec::new()) };
        let usual = [self.usual(0)?, self.usual(1)?];
        let parts = value::triple(given.text());
        let mut shares = Vec::new();
        for (direction, usual) in [Direction::Read, Direction::Write].into_iter().zip(usual) {
            let Some(text) = parts[direction.index()] else { continue };
            let of_direction = if given.row.name == "cmdprio_percentage" {
                let percent = self.percent(given, text)?;
                vec![PriorityRule { direction, bytes: None, percent, priority: usual }]
            } else {
                self.split_of_priorities(given, text, (direction, usual))?
            };
            shares.extend(of_direction.into_iter().filter(|share| share.percent > 0));
        }
        Ok(shares)
    }

    /// What single reads, or writes, have where their share says nothing.
    fn usual(&self, direction: usize) -> Result<Priority, Refusal> {
        let number = |name: &str, default: u64| {
            let Some(given) = self.job.last(name) else { return Ok(default) };
            let text = value::triple(given.text())[direction].unwrap_or_default();
            value::int(text).map_err(|fault| given.refuse(fault))
        };
        let class = number("cmdprio_class", HIGHEST_CLASS)?;
        let made = priority(class, number("cmdprio", 0)?, number("cmdprio_hint", 0)?);
        made.map_err(|fault| {
            let names = ["cmdprio_class", "cmdprio", "cmdprio_hint"];
            let given = names.into_iter().find_map(|name| self.job.last(name));
            match given {
                Some(given) => given.refuse(fault),
                None => fault.of("fio job"),
            }
        })
    }

    fn percent(&self, given: &JobOption, text: &str) -> Result<u32, Refusal> {
        match value::int(text.trim_end_matches('%')) {
            Ok(percent) if percent <= 100 => Ok(percent as u32),
            Ok(percent) => Err(given.refuse(format!("{percent} is not between 0 and 100"))),
            Err(fault) => Err(given.refuse(fault)),
        }
    }

    /// `64k/25/1/1:64k/75/3/2:1024k/0`: sizes with shares, and classes and levels of their own.
    fn split_of_priorities(
        &self,
        given: &JobOption,
        text: &str,
        (direction, usual): (Direction, Priority),
    ) -> Result<Vec<PriorityRule>, Refusal> {
        let mut shares: Vec<PriorityRule> = Vec::new();
        for part in text.split(':').filter(|part| !part.is_empty()) {
            let words: Vec<&str> = part.split('/').map(str::trim).collect();
            let (bytes, percent, own) = match words.as_slice() {
                [bytes, percent] => (bytes, percent, None),
                [bytes, percent, class, level] => (bytes, percent, Some([*class, *level, "0"])),
                [bytes, percent, class, level, hint] => (bytes, percent, Some([*class, *level, *hint])),
                _ => {
                    return Err(given
                        .refuse(format!("`{part}` is neither SIZE/PERCENT nor SIZE/PERCENT/CLASS/LEVEL")));
                }
            };
            let number = |text: &str| value::int(text).map_err(|fault| given.refuse(fault));
            let bytes = value::bytes(bytes, self.kilo).map_err(|fault| given.refuse(fault))?;
            let bytes = u32::try_from(bytes)
                .map_err(|_| given.refuse(format!("`{part}`: no I/O has that length")))?;
            let priority = match own {
                None => usual,
                Some([class, level, hint]) => priority(number(class)?, number(level)?, number(hint)?)
                    .map_err(|fault| given.refuse(format!("`{part}`: {fault}")))?,
            };
            let percent = self.percent(given, percent)?;
            shares.push(PriorityRule { direction, bytes: Some(bytes), percent, priority });
            let of_size = shares.iter().filter(|share| share.bytes == Some(bytes));
            if of_size.map(|share| share.percent).sum::<u32>() > 100 {
                return Err(given.refuse(format!("the shares of {bytes} bytes are more than 100 together")));
            }
        }
        if shares.len() > MOST_PARTS {
            return Err(given.refuse(format!("a split has at most {MOST_PARTS} parts")));
        }
        Ok(shares)
    }

    /// Where single I/Os have no priority of their own, or what came of it would not be told apart.
    fn refuse_shares_without_place(&mut self) -> Result<(), Refusal> {
        if !self.entry().is_some_and(|entry| entry.takes(EngineRequirement::Priorities)) {
            self.hand_over("cmdprio: priorities of single I/Os go with engines aio and uring alone");
        }
        if self.job.seconds_ns("ramp_time")?.is_some_and(|ns| ns > 0) {
            self.hand_over("cmdprio with ramp_time: priorities are counted from the first I/O on");
        }
        if self.job.int("nrfiles")?.is_some_and(|number| number > 1) {
            self.hand_over("cmdprio with nrfiles: several files of one job are one target, whose parts have no priorities");
        }
        Ok(())
    }
}

fn priority(class: u64, level: u64, hint: u64) -> Result<Priority, Fault> {
    if class > 3 {
        return Err(format!("{class} is not a valid class: 1 is real time, 2 best effort, 3 idle").into());
    }
    if level > 7 || hint > 1023 {
        return Err("levels are 0 to 7, and hints 0 to 1023".into());
    }
    Ok(Priority { class: class as u8, level: level as u8, hint: hint as u16 })
}
