//! Which I/Os go wrong, and how.

use std::ops::Range;
use std::str::FromStr;

use fathom_measure::UnitError;
use fathom_record::Direction;

use crate::Io;

/// Faults of one engine, in order: the first rule that an I/O meets decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    /// The rules.
    pub rules: Vec<FaultRule>,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRule {
    /// Which I/Os it is for.
    pub when: FaultTrigger,
    /// Only those of this direction; absent: of any.
    pub direction: Option<Direction>,
    /// What becomes of them.
    pub effect: Effect,
}

/// Which I/Os a fault is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultTrigger {
    /// All.
    Always,
    /// One, by its number in the order of submission, from 0.
    Nth(u64),
    /// One in so many: the last of each, 1 and up.
    Every(u64),
    /// This one and all after it, by number from 0.
    FromNth(u64),
    /// All that touch these bytes of the target.
    Touching(Range<u64>),
    /// All that are submitted after a completion was seen at this time of the engine's clock or later.
    FromNs(u64),
}

/// What becomes of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Not carried out; ends in this error number (`ENODEV` is 19, `EIO` is 5).
    Fail(i32),
    /// Carried out, but ends in this error number.
    CarryOutAndFail(i32),
    /// Only the first bytes are moved.
    Short(u32),
    /// A read whose byte at this place of the I/O comes back inverted.
    FlipByte(u32),
    /// A write or trim that is acknowledged but not carried out.
    Lose,
    /// A write that goes to this byte of the target instead, and is acknowledged.
    Misplace(u64),
}

impl FaultPlan {
    /// A plan of one rule.
    pub fn one(when: FaultTrigger, direction: Option<Direction>, effect: Effect) -> Self {
        Self { rules: vec![FaultRule { when, direction, effect }] }
    }

    /// What becomes of I/O number `number`, submitted when `latest_ns` was the last time seen.
    pub(super) fn effect(&self, io: &Io, number: u64, latest_ns: Option<u64>) -> Option<Effect> {
        let meets = |rule: &&FaultRule| {
            rule.direction.is_none_or(|direction| direction == io.direction)
                && match &rule.when {
                    FaultTrigger::Always => true,
                    FaultTrigger::Nth(nth) => number == *nth,
                    FaultTrigger::Every(period) => period > &0 && (number + 1).is_multiple_of(*period),
                    FaultTrigger::FromNth(first) => number >= *first,
                    FaultTrigger::Touching(range) => {
                        let end = io.offset.saturating_add(u64::from(io.bytes));
                        io.bytes > 0 && io.offset < range.end && range.start < end
                    }
                    FaultTrigger::FromNs(ns) => latest_ns.is_some_and(|latest| latest >= *ns),
                }
        };
        self.rules.iter().find(meets).map(|rule| rule.effect)
    }
}

impl FromStr for FaultPlan {
    type Err = UnitError;

    /// Reads rules as `fail=1/1000,flip=1/5000`: `fail` ends an I/O in an error, `short` moves a part of it, `flip`
    /// gives a read back with one byte inverted, and `lose` acknowledges a write without carrying it out.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        text.split(',').map(|rule| rule_of(rule.trim())).collect::<Result<_, _>>().map(|rules| Self { rules })
    }
}

/// Number of the error that failed I/Os end in: `EIO`, on every system.
const FAILED: i32 = 5;
/// Bytes that a short I/O moves.
const SHORT_BYTES: u32 = 512;

fn rule_of(text: &str) -> Result<FaultRule, UnitError> {
    let refuse = || UnitError {
        input: text.to_owned(),
        expected: "a fault",
        example: "fail, short, flip or lose, e.g. fail=1/1000",
    };
    let (what, share) = text.split_once('=').ok_or_else(refuse)?;
    let period: u64 = share.strip_prefix("1/").and_then(|period| period.parse().ok()).ok_or_else(refuse)?;
    if period == 0 {
        return Err(refuse());
    }
    let (direction, effect) = match what {
        "fail" => (None, Effect::Fail(FAILED)),
        "short" => (None, Effect::Short(SHORT_BYTES)),
        "flip" => (Some(Direction::Read), Effect::FlipByte(0)),
        "lose" => (Some(Direction::Write), Effect::Lose),
        _ => return Err(refuse()),
    };
    Ok(FaultRule { when: FaultTrigger::Every(period), direction, effect })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_or_refused_with_what_to_write() {
        let plan: FaultPlan = "fail=1/3, flip=1/2".parse().unwrap();
        let io = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 4096 };
        let effects: Vec<_> = (0..6).map(|number| plan.effect(&io, number, None)).collect();
        let (fail, flip) = (Some(Effect::Fail(FAILED)), Some(Effect::FlipByte(0)));
        assert_eq!(effects, [None, flip, fail, flip, None, fail]);
        for wrong in ["", "fail", "fail=1", "fail=1/0", "fail=2/3", "burn=1/2", "fail=1/2,"] {
            assert!(wrong.parse::<FaultPlan>().unwrap_err().to_string().contains("fail=1/1000"), "{wrong}");
        }
    }
}
