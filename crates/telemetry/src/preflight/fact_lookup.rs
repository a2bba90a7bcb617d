//! Facts as the checks ask for them.

use fathom_record::environment_facts::Fact;

/// Facts of one machine, to look up.
pub(super) struct Evidence<'a>(&'a [Fact]);

impl<'a> Evidence<'a> {
    pub fn new(facts: &'a [Fact]) -> Self {
        Self(facts)
    }

    /// The value of one fact.
    pub fn text(&self, group: &str, label: &str, name: &str) -> Option<&'a str> {
        self.all(group, name).find(|(of, _)| *of == label).map(|(_, value)| value)
    }

    /// The value of one fact as a number.
    pub fn number(&self, group: &str, label: &str, name: &str) -> Option<f64> {
        self.text(group, label, name)?.trim().parse().ok()
    }

    /// Labels and values of one fact, over everything that has it.
    pub fn all(&self, group: &str, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0
            .iter()
            .filter(move |fact| fact.group == group && fact.name == name)
            .map(|fact| (fact.label.as_str(), fact.value.as_str()))
    }

    /// Labels and numbers of one fact, where it is a number.
    pub fn numbers(&self, group: &str, name: &str) -> impl Iterator<Item = (&'a str, f64)> {
        self.all(group, name).filter_map(|(label, value)| Some((label, value.trim().parse().ok()?)))
    }
}
