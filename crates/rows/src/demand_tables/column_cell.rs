//! Cells of a table that is read by columns, as what their column is read for.

use crate::interval_table::counted_ns;

/// A cell's value, or why it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<T> {
    /// Null, or words without a letter.
    Empty,
    /// A value.
    Value(T),
    /// Something that stands for no value that can be used.
    Wrong,
}

impl<T> Cell<T> {
    /// The value, where there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Empty | Self::Wrong => None,
        }
    }

    /// A value that was made of what the cell holds, or none that could be made of it.
    pub fn of(value: Option<T>) -> Self {
        value.map_or(Self::Wrong, Self::Value)
    }
}

/// Whether a number can be a count, a rate or a size.
pub fn is_usable(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    Empty,
    Wrong,
}

/// The cells of a column, some rows at a time. Mostly each holds a value, and then the values alone are there.
#[derive(Debug)]
pub struct Cells<T> {
    values: Vec<T>,
    /// Nothing where each cell holds a value that can be used.
    states: Vec<State>,
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Self { values: Vec::new(), states: Vec::new() }
    }
}

impl<T: Copy + Default> Cells<T> {
    /// The values, where each cell holds one that can be used.
    pub fn whole(&self) -> Option<&[T]> {
        self.states.is_empty().then_some(self.values.as_slice())
    }

    /// A row's cell.
    pub fn get(&self, row: usize) -> Cell<T> {
        match self.states.get(row) {
            None | Some(State::Value) => Cell::Value(self.values[row]),
            Some(State::Empty) => Cell::Empty,
            Some(State::Wrong) => Cell::Wrong,
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.values.clear();
        self.states.clear();
    }

    /// Takes a value for each row, in place of those before; what cannot be used is marked.
    pub fn fill(&mut self, values: impl Iterator<Item = T>, can_be_used: impl Fn(T) -> bool) {
        self.clear();
        self.values.extend(values);
        if !self.values.iter().all(|value| can_be_used(*value)) {
            let state = |value: &T| if can_be_used(*value) { State::Value } else { State::Wrong };
            self.states = self.values.iter().map(state).collect();
        }
    }

    /// Marks the rows that have no value after all.
    pub fn empty_where(&mut self, is_there: impl Iterator<Item = bool>) {
        self.states.resize(self.values.len(), State::Value);
        for (state, is_there) in self.states.iter_mut().zip(is_there) {
            if !is_there {
                *state = State::Empty;
            }
        }
    }

    /// One row more.
    pub fn push(&mut self, cell: Cell<T>) {
        let (value, state) = match cell {
            Cell::Value(value) => (value, State::Value),
            Cell::Empty => (T::default(), State::Empty),
            Cell::Wrong => (T::default(), State::Wrong),
        };
        if state != State::Value || !self.states.is_empty() {
            self.states.resize(self.values.len(), State::Value);
            self.states.push(state);
        }
        self.values.push(value);
    }

    /// Puts another value in place of each.
    pub fn map(&mut self, change: impl Fn(T) -> T) {
        self.values.iter_mut().for_each(|value| *value = change(*value));
    }
}

impl Cells<i64> {
    /// Takes whole numbers in some unit as nanoseconds, in place of what was there; what is too far away cannot be used.
    pub fn fill_units(&mut self, values: impl Iterator<Item = i64>, unit_ns: i64) {
        let most = i64::MAX / unit_ns;
        self.fill(values, |value| (-most..=most).contains(&value));
        self.map(|value| value.wrapping_mul(unit_ns));
    }

    /// Takes numbers as times, as they are in a text: seconds or milliseconds.
    pub fn fill_counted(&mut self, numbers: &Cells<f64>) {
        self.clear();
        for row in 0..numbers.len() {
            self.push(match numbers.get(row) {
                Cell::Value(value) => Cell::of(counted_ns(value)),
                Cell::Empty => Cell::Empty,
                Cell::Wrong => Cell::Wrong,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_whole_until_one_has_no_value() {
        let mut cells = Cells::default();
        cells.fill([1.0, 2.0].into_iter(), is_usable);
        assert_eq!(cells.whole(), Some([1.0, 2.0].as_slice()));
        cells.push(Cell::Value(3.0));
        assert_eq!((cells.len(), cells.whole().is_some()), (3, true));
        cells.push(Cell::Empty);
        cells.push(Cell::Value(5.0));
        assert!(cells.whole().is_none());
        let all = |cells: &Cells<f64>| (0..cells.len()).map(|row| cells.get(row)).collect::<Vec<_>>();
        let value = Cell::Value;
        assert_eq!(all(&cells), [value(1.0), value(2.0), value(3.0), Cell::Empty, value(5.0)]);
        cells.fill([0.0, -1.0, f64::NAN].into_iter(), is_usable);
        cells.empty_where([true, true, false].into_iter());
        assert_eq!(all(&cells), [value(0.0), Cell::Wrong, Cell::Empty]);
        cells.fill([7.0].into_iter(), is_usable);
        assert!(cells.whole().is_some() && !cells.is_empty());
        let mut times = Cells::default();
        times.fill_units([1, i64::MAX / 1000, i64::MIN].into_iter(), 1000);
        assert_eq!((times.get(0), times.get(1)), (Cell::Value(1000), Cell::Value(i64::MAX / 1000 * 1000)));
        assert_eq!(times.get(2), Cell::Wrong);
        times.fill_counted(&cells);
        assert_eq!(times.whole(), Some([7_000_000_000].as_slice()));
    }
}
