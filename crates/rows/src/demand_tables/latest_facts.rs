//! What is said of a volume beside its demand, as its latest row has it: a size, what it is today.

/// A value with the time of its row. Which it is does not depend on the order that rows come in: of two rows
/// of one time the greater value counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Latest<T> {
    at_ns: i64,
    value: Option<T>,
    has_changed: bool,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self { at_ns: i64::MIN, value: None, has_changed: false }
    }
}

impl<T: PartialOrd> Latest<T> {
    /// As a row at that time says; rows whose time is not known come before all others.
    pub fn of(at_ns: i64, value: T) -> Self {
        Self { at_ns, value: Some(value), has_changed: false }
    }

    /// The same, of rows among which others said something else.
    #[must_use]
    pub fn changed(self, has_changed: bool) -> Self {
        Self { has_changed, ..self }
    }

    /// Whether rows said different things.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The value, where a row has one.
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// The time of its row, in nanoseconds since 1970.
    pub fn at_ns(&self) -> i64 {
        self.at_ns
    }

    /// Puts in what a row says.
    pub fn put(&mut self, at_ns: i64, value: T) {
        let is_later = match &self.value {
            None => true,
            Some(known) => at_ns > self.at_ns || at_ns == self.at_ns && value > *known,
        };
        // Of rows in any order two that differ meet here: each new value is held against one of those before.
        self.has_changed |= self.value.as_ref().is_some_and(|known| *known != value);
        if is_later {
            *self = Self::of(at_ns, value).changed(self.has_changed);
        }
    }

    /// Puts in what other rows of the volume say.
    pub fn merge(&mut self, other: Self) {
        if let Some(value) = other.value {
            self.put(other.at_ns, value);
        }
        self.has_changed |= other.has_changed;
    }
}

impl Latest<String> {
    /// Puts in a cell; it seldom changes from row to row, and is copied only then. An empty one says nothing.
    pub fn put_words(&mut self, at_ns: i64, cell: &[u8]) {
        if cell.is_empty() {
            return;
        }
        match &self.value {
            Some(known) if known.as_bytes() == cell => self.at_ns = self.at_ns.max(at_ns),
            Some(_) if at_ns < self.at_ns => self.has_changed = true,
            _ => self.put(at_ns, super::words_of(cell)),
        }
    }

    /// The words; empty where no row has any.
    pub fn words(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_row_counts_in_any_order() {
        let rows = [(30, "b"), (10, "a"), (30, "c"), (20, ""), (40, "")];
        for turn in 0..rows.len() {
            let (mut one, mut other) = (Latest::default(), Latest::default());
            for (number, (at_ns, cell)) in rows[turn..].iter().chain(&rows[..turn]).enumerate() {
                let half = if number < 2 { &mut one } else { &mut other };
                half.put_words(*at_ns, cell.as_bytes());
            }
            one.merge(other);
            assert_eq!((one.words(), one.at_ns(), one.has_changed()), ("c", 30, true));
        }
        let mut same = Latest::default();
        (0..3).for_each(|at_ns| same.put_words(at_ns, b"gp3"));
        same.merge(Latest::of(9, "gp3".to_owned()));
        assert!(!same.has_changed());
        assert_eq!(Latest::<f64>::default().get(), None);
    }
}
