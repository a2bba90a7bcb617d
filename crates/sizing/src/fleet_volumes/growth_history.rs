//! How a fleet's requirements grew: all of them for its margin, and those of each class for the risks of its
//! volumes.
//!
//! Source: Mondrian conformal prediction (Vovk, Gammerman, Shafer, "Algorithmic Learning in a Random World",
//! 2005, section 4.5): risks that hold in each class hold in all together.

use super::class::RequirementClass;

/// Growths that a class needs for a risk of its own; below, that of the whole fleet stands for it.
const LEAST: usize = 30;

/// How one volume's requirement grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Growth {
    /// The last third's requirement in thousandths of that of the first two.
    pub thousandths: u32,
    /// What the requirement of the first two thirds rests on.
    pub class: RequirementClass,
}

/// How requirements of a fleet grew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    all: Vec<u32>,
    classes: Vec<(RequirementClass, Vec<u32>)>,
}

impl History {
    /// Of volumes in any order.
    pub fn new(growths: impl IntoIterator<Item = Growth>) -> Self {
        let mut growths: Vec<Growth> = growths.into_iter().collect();
        growths.sort_unstable();
        let all = growths.iter().map(|growth| growth.thousandths).collect();
        let of = |class: RequirementClass| {
            let own = growths.iter().filter(|growth| growth.class == class);
            (class, own.map(|growth| growth.thousandths).collect())
        };
        Self { all, classes: RequirementClass::ALL.into_iter().map(of).collect() }
    }

    /// Growths of all, in thousandths, ascending.
    pub fn all(&self) -> &[u32] {
        &self.all
    }

    /// Growths of the volumes of a class, in thousandths, ascending; those of all where they are too few.
    pub fn of(&self, class: RequirementClass) -> &[u32] {
        let own =
            self.classes.iter().find(|(known, _)| *known == class).map(|(_, growths)| growths.as_slice());
        own.filter(|growths| growths.len() >= LEAST).unwrap_or(&self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_its_own_growths_or_those_of_all() {
        let growth = |class| move |thousandths| Growth { thousandths, class };
        let even = (0..100).map(|i| 1100 - i).map(growth(RequirementClass::Even));
        let few = (0..29).map(|i| 2000 + i).map(growth(RequirementClass::FewBursts));
        let history = History::new(even.chain(few));
        assert_eq!((history.all().len(), history.all()[0]), (129, 1001));
        assert_eq!(history.of(RequirementClass::Even).len(), 100);
        assert_eq!(history.of(RequirementClass::FewBursts), history.all(), "29 are too few");
        assert_eq!(history.of(RequirementClass::ManyBursts), history.all());
        assert!(History::default().of(RequirementClass::Even).is_empty());
    }
}
