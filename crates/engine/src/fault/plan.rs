//! Which I/Os go wrong, and how.

use std::ops::Range;

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
    pub when: When,
    /// Only those of this direction; absent: of any.
    pub direction: Option<Direction>,
    /// What becomes of them.
    pub effect: Effect,
}

/// Which I/Os a fault is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// All.
    Always,
    /// One, by its number in the order of submission, from 0.
    Nth(u64),
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
    pub fn one(when: When, direction: Option<Direction>, effect: Effect) -> Self {
        Self { rules: vec![FaultRule { when, direction, effect }] }
    }

    /// What becomes of I/O number `number`, submitted when `latest_ns` was the last time seen.
    pub(super) fn effect(&self, io: &Io, number: u64, latest_ns: Option<u64>) -> Option<Effect> {
        let meets = |rule: &&FaultRule| {
            rule.direction.is_none_or(|direction| direction == io.direction)
                && match &rule.when {
                    When::Always => true,
                    When::Nth(nth) => number == *nth,
                    When::FromNth(first) => number >= *first,
                    When::Touching(range) => {
                        let end = io.offset.saturating_add(u64::from(io.bytes));
                        io.bytes > 0 && io.offset < range.end && range.start < end
                    }
                    When::FromNs(ns) => latest_ns.is_some_and(|latest| latest >= *ns),
                }
        };
        self.rules.iter().find(meets).map(|rule| rule.effect)
    }
}
