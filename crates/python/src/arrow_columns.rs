//! Columns of Arrow batches as numbers, moments and words, whatever their types; the same as those of Parquet files.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::{DataType, TimeUnit};
use fathom_demand::fleet::{Cell, counted_ns, is_usable, moment_ns, number};

/// Digits that every number of a metric fits into.
const DIGITS: u8 = 18;
const DAY_NS: i64 = 86_400_000_000_000;

/// What is asked of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A time.
    Moment,
    /// A count, a rate or a size.
    Number,
    /// A name.
    Words,
}

impl Wanted {
    /// For messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Moment => "a time",
            Self::Number => "a number",
            Self::Words => "a name",
        }
    }

    /// Whether values of a type can be what is wanted.
    pub fn is_served_by(self, kind: &DataType) -> bool {
        match kind {
            DataType::Dictionary(_, values) => self.is_served_by(values),
            DataType::Null => true,
            kind if is_words(kind) || kind.is_integer() || kind.is_floating() => true,
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale) => {
                self != Self::Words && *digits <= DIGITS && (0..=DIGITS as i8).contains(scale)
            }
            DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => self == Self::Moment,
            _ => false,
        }
    }
}

fn is_words(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
    )
}

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    Empty,
    Wrong,
}

/// The cells of a column, some rows at a time.
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

    fn clear(&mut self) {
        self.values.clear();
        self.states.clear();
    }

    /// Marks what cannot be used, unless each can.
    fn judge(&mut self, can_be_used: impl Fn(T) -> bool) {
        if !self.values.iter().all(|value| can_be_used(*value)) {
            let state = |value: &T| if can_be_used(*value) { State::Value } else { State::Wrong };
            self.states = self.values.iter().map(state).collect();
        }
    }

    /// Marks what is null.
    fn empty(&mut self, array: &dyn Array) {
        let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else { return };
        self.states.resize(self.values.len(), State::Value);
        for (state, is_there) in self.states.iter_mut().zip(nulls.iter()) {
            if !is_there {
                *state = State::Empty;
            }
        }
    }

    fn put(&mut self, cell: Cell<T>) {
        let (value, state) = match cell {
            Cell::Value(value) => (value, State::Value),
            Cell::Empty => (T::default(), State::Empty),
            Cell::Wrong => (T::default(), State::Wrong),
        };
        self.values.push(value);
        self.states.push(state);
    }

    /// Forgets states that say nothing.
    fn tidy(&mut self) {
        if self.states.iter().all(|state| *state == State::Value) {
            self.states.clear();
        }
    }

    fn of_words(&mut self, array: &dyn Array, read: impl Fn(&[u8]) -> Option<T>) {
        each_text(array, |cell| {
            let cell = cell.trim_ascii();
            self.put(if cell.is_empty() { Cell::Empty } else { Cell::of(read(cell)) });
        });
        self.tidy();
    }

    fn of_keys(&mut self, array: &dyn Array, read: impl Fn(&mut Self, &dyn Array)) {
        let Some(keyed) = array.as_any_dictionary_opt() else { return };
        let mut values = Self::default();
        read(&mut values, keyed.values().as_ref());
        let nulls = keyed.keys().logical_nulls();
        if values.values.is_empty() {
            (0..array.len()).for_each(|_| self.put(Cell::Empty));
            return;
        }
        for (row, key) in keyed.normalized_keys().into_iter().enumerate() {
            let is_there = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
            self.put(if is_there { values.get(key) } else { Cell::Empty });
        }
        self.tidy();
    }
}

impl Cells<f64> {
    /// Takes the rows of an array as numbers from 0 up, in place of those before.
    pub fn read(&mut self, array: &dyn Array) {
        self.clear();
        self.numbers(array);
    }

    fn numbers(&mut self, array: &dyn Array) {
        match array.data_type() {
            DataType::Float64 => self.values.extend_from_slice(array.as_primitive::<Float64Type>().values()),
            DataType::Float32 => self.each::<Float32Type>(array, f64::from),
            DataType::Float16 => self.each::<Float16Type>(array, |value| value.to_f64()),
            DataType::Int64 => self.each::<Int64Type>(array, |value| value as f64),
            DataType::Int32 => self.each::<Int32Type>(array, f64::from),
            DataType::Int16 => self.each::<Int16Type>(array, f64::from),
            DataType::Int8 => self.each::<Int8Type>(array, f64::from),
            DataType::UInt64 => self.each::<UInt64Type>(array, |value| value as f64),
            DataType::UInt32 => self.each::<UInt32Type>(array, f64::from),
            DataType::UInt16 => self.each::<UInt16Type>(array, f64::from),
            DataType::UInt8 => self.each::<UInt8Type>(array, f64::from),
            DataType::Decimal32(_, scale) => {
                let over = 10f64.powi(i32::from(*scale));
                self.each::<Decimal32Type>(array, |value| f64::from(value) / over);
            }
            DataType::Decimal64(_, scale) => {
                let over = 10f64.powi(i32::from(*scale));
                self.each::<Decimal64Type>(array, |value| value as f64 / over);
            }
            DataType::Decimal128(_, scale) => {
                let over = 10f64.powi(i32::from(*scale));
                self.each::<Decimal128Type>(array, |value| value as f64 / over);
            }
            DataType::Dictionary(..) => return self.of_keys(array, |values, array| values.numbers(array)),
            DataType::Null => return (0..array.len()).for_each(|_| self.put(Cell::Empty)),
            _ => return self.of_words(array, number),
        }
        self.judge(is_usable);
        self.empty(array);
    }

    fn each<T: ArrowPrimitiveType>(&mut self, array: &dyn Array, number: impl Fn(T::Native) -> f64) {
        self.values.extend(array.as_primitive::<T>().values().iter().map(|value| number(*value)));
    }
}

impl Cells<i64> {
    /// Takes the rows of an array as nanoseconds since 1970, in place of those before.
    pub fn read(&mut self, array: &dyn Array) {
        self.clear();
        self.moments(array);
    }

    fn moments(&mut self, array: &dyn Array) {
        match array.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => {
                self.units::<TimestampSecondType>(array, 1_000_000_000)
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                self.units::<TimestampMillisecondType>(array, 1_000_000)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                self.units::<TimestampMicrosecondType>(array, 1000)
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => self.units::<TimestampNanosecondType>(array, 1),
            DataType::Date32 => self.units::<Date32Type>(array, DAY_NS),
            DataType::Date64 => self.units::<Date64Type>(array, 1_000_000),
            DataType::Dictionary(..) => self.of_keys(array, |values, array| values.moments(array)),
            kind if is_words(kind) => self.of_words(array, moment_ns),
            _ => {
                let mut numbers = Cells::<f64>::default();
                numbers.numbers(array);
                self.counted(&numbers);
            }
        }
    }

    /// A number is a time as it is in a text: seconds or milliseconds.
    fn counted(&mut self, numbers: &Cells<f64>) {
        if let Some(whole) = numbers.whole()
            && whole.iter().all(|value| counted_ns(*value).is_some())
        {
            self.values.extend(whole.iter().filter_map(|value| counted_ns(*value)));
            return;
        }
        for row in 0..numbers.values.len() {
            self.put(match numbers.get(row) {
                Cell::Value(value) => Cell::of(counted_ns(value)),
                Cell::Empty => Cell::Empty,
                Cell::Wrong => Cell::Wrong,
            });
        }
        self.tidy();
    }

    fn units<T: ArrowPrimitiveType>(&mut self, array: &dyn Array, unit_ns: i64)
    where
        T::Native: Into<i64>,
    {
        let most = i64::MAX / unit_ns;
        let fits = |value: i64| (-most..=most).contains(&value);
        self.values.extend(array.as_primitive::<T>().values().iter().map(|value| -> i64 { (*value).into() }));
        self.judge(fits);
        self.values.iter_mut().for_each(|value| *value = value.wrapping_mul(unit_ns));
        self.empty(array);
    }
}

/// Words of a column; empty for null.
#[derive(Debug)]
pub struct Words {
    column: ArrayRef,
    /// Of a dictionary its values, of which numbers are words too.
    values: Option<ArrayRef>,
}

impl Words {
    /// Those of an array, of which numbers are words too.
    pub fn of(array: &ArrayRef) -> Self {
        let values = array.as_any_dictionary_opt().map(|keyed| in_words(keyed.values()));
        Self { column: in_words(array), values }
    }

    /// Puts the words of each row into a list, in place of what was there. Those of one key are the same bytes in
    /// memory.
    pub fn list<'a>(&'a self, out: &mut Vec<&'a [u8]>) {
        out.clear();
        match &self.values {
            None => each_text(self.column.as_ref(), |cell| out.push(cell)),
            Some(values) => Self::of_keys(self.column.as_ref(), values.as_ref(), out),
        }
    }

    fn of_keys<'a>(array: &dyn Array, values: &'a dyn Array, out: &mut Vec<&'a [u8]>) {
        let Some(keyed) = array.as_any_dictionary_opt() else { return };
        if values.is_empty() {
            out.resize(array.len(), &[]);
            return;
        }
        let nulls = keyed.keys().nulls();
        let mut last: (Option<usize>, &'a [u8]) = (None, &[]);
        for (row, key) in keyed.normalized_keys().into_iter().enumerate() {
            let key = nulls.is_none_or(|nulls| nulls.is_valid(row)).then_some(key);
            if key != last.0 {
                last = (key, key.map_or(&[], |key| text_at(values, key)));
            }
            out.push(last.1);
        }
    }
}

/// The text of each row; none for null.
fn each_text<'a>(array: &'a dyn Array, mut take: impl FnMut(&'a [u8])) {
    (0..array.len()).for_each(|row| take(text_at(array, row)));
}

/// Numbers as words, and anything else as it is.
fn in_words(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Float64 => spelt::<Float64Type>(array),
        DataType::Float32 => spelt::<Float32Type>(array),
        DataType::Float16 => spelt::<Float16Type>(array),
        DataType::Int64 => spelt::<Int64Type>(array),
        DataType::Int32 => spelt::<Int32Type>(array),
        DataType::Int16 => spelt::<Int16Type>(array),
        DataType::Int8 => spelt::<Int8Type>(array),
        DataType::UInt64 => spelt::<UInt64Type>(array),
        DataType::UInt32 => spelt::<UInt32Type>(array),
        DataType::UInt16 => spelt::<UInt16Type>(array),
        DataType::UInt8 => spelt::<UInt8Type>(array),
        _ => array.clone(),
    }
}

fn spelt<T: ArrowPrimitiveType>(array: &ArrayRef) -> ArrayRef
where
    T::Native: std::fmt::Display,
{
    let words = array.as_primitive::<T>().iter().map(|value| value.map(|value| value.to_string()));
    std::sync::Arc::new(words.collect::<StringArray>())
}

/// A row's text; none for null.
fn text_at(array: &dyn Array, row: usize) -> &[u8] {
    if array.is_null(row) {
        return &[];
    }
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
        DataType::Binary => array.as_binary::<i32>().value(row),
        DataType::LargeBinary => array.as_binary::<i64>().value(row),
        DataType::BinaryView => array.as_binary_view().value(row),
        _ => &[],
    }
}
