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
use fathom_rows::demand_tables::{Cell, Cells, is_usable, moment_ns, number};

/// Digits that every number of a metric fits into.
const DIGITS: u8 = 18;
const DAY_NS: i64 = 86_400_000_000_000;

/// What is asked of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A time.
    Moment,
    /// A count, a rate or a size.
    Number,
    /// A name.
    Words,
}

impl ColumnKind {
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

/// Takes the rows of an array as numbers from 0 up, in place of those before.
pub fn read_numbers(cells: &mut Cells<f64>, array: &dyn Array) {
    match array.data_type() {
        DataType::Float64 => {
            cells.fill(array.as_primitive::<Float64Type>().values().iter().copied(), is_usable)
        }
        DataType::Float32 => each::<Float32Type>(cells, array, f64::from),
        DataType::Float16 => each::<Float16Type>(cells, array, |value| value.to_f64()),
        DataType::Int64 => each::<Int64Type>(cells, array, |value| value as f64),
        DataType::Int32 => each::<Int32Type>(cells, array, f64::from),
        DataType::Int16 => each::<Int16Type>(cells, array, f64::from),
        DataType::Int8 => each::<Int8Type>(cells, array, f64::from),
        DataType::UInt64 => each::<UInt64Type>(cells, array, |value| value as f64),
        DataType::UInt32 => each::<UInt32Type>(cells, array, f64::from),
        DataType::UInt16 => each::<UInt16Type>(cells, array, f64::from),
        DataType::UInt8 => each::<UInt8Type>(cells, array, f64::from),
        DataType::Decimal32(_, scale) => {
            let over = 10f64.powi(i32::from(*scale));
            each::<Decimal32Type>(cells, array, |value| f64::from(value) / over);
        }
        DataType::Decimal64(_, scale) => {
            let over = 10f64.powi(i32::from(*scale));
            each::<Decimal64Type>(cells, array, |value| value as f64 / over);
        }
        DataType::Decimal128(_, scale) => {
            let over = 10f64.powi(i32::from(*scale));
            each::<Decimal128Type>(cells, array, |value| value as f64 / over);
        }
        DataType::Dictionary(..) => return read_keys(cells, array, read_numbers),
        DataType::Null => return read_nothing(cells, array),
        _ => return read_words(cells, array, number),
    }
    mark_nulls(cells, array);
}

/// Takes the rows of an array as nanoseconds since 1970, in place of those before.
pub fn read_moments(cells: &mut Cells<i64>, array: &dyn Array) {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => units::<TimestampSecondType>(cells, array, 1_000_000_000),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            units::<TimestampMillisecondType>(cells, array, 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            units::<TimestampMicrosecondType>(cells, array, 1000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => units::<TimestampNanosecondType>(cells, array, 1),
        DataType::Date32 => units::<Date32Type>(cells, array, DAY_NS),
        DataType::Date64 => units::<Date64Type>(cells, array, 1_000_000),
        DataType::Dictionary(..) => read_keys(cells, array, read_moments),
        kind if is_words(kind) => read_words(cells, array, moment_ns),
        _ => {
            let mut numbers = Cells::default();
            read_numbers(&mut numbers, array);
            cells.fill_counted(&numbers);
        }
    }
}

fn each<T: ArrowPrimitiveType>(cells: &mut Cells<f64>, array: &dyn Array, number: impl Fn(T::Native) -> f64) {
    cells.fill(array.as_primitive::<T>().values().iter().map(|value| number(*value)), is_usable);
}

fn units<T: ArrowPrimitiveType>(cells: &mut Cells<i64>, array: &dyn Array, unit_ns: i64)
where
    T::Native: Into<i64>,
{
    cells.fill_units(array.as_primitive::<T>().values().iter().map(|value| (*value).into()), unit_ns);
    mark_nulls(cells, array);
}

/// Marks what is null.
fn mark_nulls<T: Copy + Default>(cells: &mut Cells<T>, array: &dyn Array) {
    if let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        cells.empty_where(nulls.iter());
    }
}

fn read_nothing<T: Copy + Default>(cells: &mut Cells<T>, array: &dyn Array) {
    cells.clear();
    (0..array.len()).for_each(|_| cells.push(Cell::Empty));
}

fn read_words<T: Copy + Default>(cells: &mut Cells<T>, array: &dyn Array, read: impl Fn(&[u8]) -> Option<T>) {
    cells.clear();
    each_text(array, |cell| {
        let cell = cell.trim_ascii();
        cells.push(if cell.is_empty() { Cell::Empty } else { Cell::of(read(cell)) });
    });
}

fn read_keys<T: Copy + Default>(
    cells: &mut Cells<T>,
    array: &dyn Array,
    read: impl Fn(&mut Cells<T>, &dyn Array),
) {
    let Some(keyed) = array.as_any_dictionary_opt() else { return };
    let mut values = Cells::default();
    read(&mut values, keyed.values().as_ref());
    if values.is_empty() {
        return read_nothing(cells, array);
    }
    let nulls = keyed.keys().logical_nulls();
    cells.clear();
    for (row, key) in keyed.normalized_keys().into_iter().enumerate() {
        let is_there = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        cells.push(if is_there { values.get(key) } else { Cell::Empty });
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
