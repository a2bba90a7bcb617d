//! How a volume's requirement comes about: from its usual level, or from a few bursts. Volumes of one class grow
//! alike, and those whose requirement rests on a few bursts grow more.

use crate::accounting::Accounting;
use crate::demand::Demand;

/// Stretches of a history that bursts are counted in.
const STRETCHES: usize = 96;
/// A requirement of at most so many times the usual level is level itself.
const EVEN: u64 = 2;
/// Stretches with bursts, of 96: up to the first few a requirement rests on a few bursts, up to the second on some.
const FEW: usize = 8;
const SOME: usize = 32;

/// What a requirement rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequirementClass {
    /// At most twice the usual level.
    Even,
    /// Bursts in many stretches of the history.
    ManyBursts,
    /// Bursts in some of them.
    SomeBursts,
    /// Bursts in at most one stretch of twelve: the next one decides.
    FewBursts,
}

impl RequirementClass {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::Even, Self::ManyBursts, Self::SomeBursts, Self::FewBursts];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Even => "usual level",
            Self::ManyBursts => "many bursts",
            Self::SomeBursts => "some bursts",
            Self::FewBursts => "few bursts",
        }
    }

    /// The class that has these words.
    pub fn of_words(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.words() == words)
    }

    /// The class of the part of a demand in some ticks; of I/Os or bytes, whichever has the fewer bursts.
    pub fn of(demand: &Demand, ticks: std::ops::Range<usize>) -> Self {
        let accounting = Accounting::SOLID_STATE;
        let (operations, bytes) = (accounting.operations(demand), accounting.bytes(demand));
        Self::of_counts(&operations[ticks.clone()], &bytes[ticks])
    }

    /// The same of I/Os and bytes that are counted already as solid-state volumes do.
    pub fn of_counts(operations: &[u64], bytes: &[u64]) -> Self {
        of_units(operations).max(of_units(bytes))
    }
}

fn of_units(units: &[u64]) -> RequirementClass {
    let mut busy: Vec<u64> = units.iter().copied().filter(|units| *units > 0).collect();
    let Some(most) = busy.iter().copied().max() else { return RequirementClass::Even };
    let middle = busy.len() / 2;
    let usual = *busy.select_nth_unstable(middle).1;
    if most <= usual.saturating_mul(EVEN) {
        return RequirementClass::Even;
    }
    let burst = usual + (most - usual) / 2;
    let stretches = units.chunks(units.len().div_ceil(STRETCHES).max(1));
    let bursts = stretches.filter(|ticks| ticks.iter().any(|units| *units >= burst)).count();
    match bursts {
        bursts if bursts <= FEW => RequirementClass::FewBursts,
        bursts if bursts <= SOME => RequirementClass::SomeBursts,
        _ => RequirementClass::ManyBursts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_requirement_rests_on_decides() {
        let with = |every: usize| -> Vec<u64> {
            (0..9600).map(|tick| if tick % every == 0 { 1000 } else { 100 + tick as u64 % 7 }).collect()
        };
        assert_eq!(of_units(&with(9600)), RequirementClass::FewBursts);
        assert_eq!(of_units(&with(500)), RequirementClass::SomeBursts);
        assert_eq!(of_units(&with(100)), RequirementClass::ManyBursts);
        assert_eq!(
            of_units(&(0..9600).map(|tick| 100 + tick % 90).collect::<Vec<u64>>()),
            RequirementClass::Even
        );
        assert_eq!((of_units(&[]), of_units(&[0, 0])), (RequirementClass::Even, RequirementClass::Even));
        assert!(
            RequirementClass::ALL
                .into_iter()
                .all(|class| RequirementClass::of_words(class.words()) == Some(class))
        );
        assert_eq!(RequirementClass::of_words("no bursts"), None);
    }
}
