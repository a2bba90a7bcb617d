//! Cells of one column of a row group, a batch of rows at a time.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::{ParquetError, Result};

use super::super::cell_numbers::number;
use super::super::column_cell::{Cell, Cells, is_usable};
use super::super::moment::moment_ns;
use super::column_kind::Kind;

/// A column that is read from its row group's first row to its last.
pub struct Column {
    kind: Kind,
    values: Values,
}

enum Values {
    Int32(Batch<parquet::data_type::Int32Type>),
    Int64(Batch<parquet::data_type::Int64Type>),
    Int96(Batch<parquet::data_type::Int96Type>),
    Float(Batch<parquet::data_type::FloatType>),
    Double(Batch<parquet::data_type::DoubleType>),
    Bytes(Batch<parquet::data_type::ByteArrayType>),
    Truths(Batch<parquet::data_type::BoolType>),
}

/// Does the same with a batch, whatever its type.
macro_rules! batch {
    ($values:expr, $batch:ident => $does:expr) => {
        match $values {
            Values::Int32($batch) => $does,
            Values::Int64($batch) => $does,
            Values::Int96($batch) => $does,
            Values::Float($batch) => $does,
            Values::Double($batch) => $does,
            Values::Bytes($batch) => $does,
            Values::Truths($batch) => $does,
        }
    };
}

impl Column {
    /// A column whose kind is known; `present` is the definition level of cells that are not null.
    ///
    /// # Errors
    /// When the reader is of a type that no kind has.
    pub fn new(kind: Kind, present: i16, reader: ColumnReader) -> Result<Self> {
        let values = match reader {
            ColumnReader::Int32ColumnReader(reader) => Values::Int32(Batch::new(present, reader)),
            ColumnReader::Int64ColumnReader(reader) => Values::Int64(Batch::new(present, reader)),
            ColumnReader::Int96ColumnReader(reader) => Values::Int96(Batch::new(present, reader)),
            ColumnReader::FloatColumnReader(reader) => Values::Float(Batch::new(present, reader)),
            ColumnReader::DoubleColumnReader(reader) => Values::Double(Batch::new(present, reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Values::Bytes(Batch::new(present, reader)),
            ColumnReader::BoolColumnReader(reader) => Values::Truths(Batch::new(present, reader)),
            ColumnReader::FixedLenByteArrayColumnReader(_) => {
                return Err(ParquetError::General(
                    "a column is not of the type that the footer says".to_owned(),
                ));
            }
        };
        Ok(Self { kind, values })
    }

    /// Reads the next rows.
    ///
    /// # Errors
    /// When the column is damaged or ends before them.
    pub fn read(&mut self, rows: usize) -> Result<()> {
        batch!(&mut self.values, batch => batch.read(rows))
    }

    /// Leaves the next rows out.
    ///
    /// # Errors
    /// As [`Column::read`].
    pub fn skip(&mut self, rows: usize) -> Result<()> {
        batch!(&mut self.values, batch => batch.skip(rows))
    }

    /// The rows that were read, as numbers from 0 up.
    pub fn numbers(&self, out: &mut Cells<f64>) {
        let ten = |scale: u32| 10f64.powi(scale as i32);
        match (&self.values, self.kind) {
            (Values::Int32(batch), Kind::Unsigned) => batch.numbers(out, |value| f64::from(*value as u32)),
            (Values::Int64(batch), Kind::Unsigned) => batch.numbers(out, |value| *value as u64 as f64),
            (Values::Int32(batch), Kind::Decimal(scale)) => {
                let over = ten(scale);
                batch.numbers(out, |value| f64::from(*value) / over);
            }
            (Values::Int64(batch), Kind::Decimal(scale)) => {
                let over = ten(scale);
                batch.numbers(out, |value| *value as f64 / over);
            }
            (Values::Int32(batch), _) => batch.numbers(out, |value| f64::from(*value)),
            (Values::Int64(batch), _) => batch.numbers(out, |value| *value as f64),
            (Values::Float(batch), _) => batch.numbers(out, |value| f64::from(*value)),
            (Values::Double(batch), _) => batch.numbers(out, |value| *value),
            (Values::Int96(batch), _) => batch.cells(out, |_| Cell::Wrong),
            (Values::Truths(batch), _) => batch.cells(out, |_| Cell::Wrong),
            (Values::Bytes(batch), _) => batch.cells(out, |value| words(value, number)),
        }
    }

    /// The rows that were read, as numbers of any sign, 1 for yes; not a number where there is none.
    pub fn reals(&self, out: &mut Vec<f64>) {
        let over = |value: f64, scale: u32| value / 10f64.powi(scale as i32);
        let none = || f64::NAN;
        match (&self.values, self.kind) {
            (Values::Int32(batch), Kind::Unsigned) => batch.put(out, none, |value| f64::from(*value as u32)),
            (Values::Int64(batch), Kind::Unsigned) => batch.put(out, none, |value| *value as u64 as f64),
            (Values::Int32(batch), Kind::Decimal(scale)) => {
                batch.put(out, none, |value| over(f64::from(*value), scale))
            }
            (Values::Int64(batch), Kind::Decimal(scale)) => {
                batch.put(out, none, |value| over(*value as f64, scale))
            }
            (Values::Int32(batch), _) => batch.put(out, none, |value| f64::from(*value)),
            (Values::Int64(batch), _) => batch.put(out, none, |value| *value as f64),
            (Values::Float(batch), _) => batch.put(out, none, |value| f64::from(*value)),
            (Values::Double(batch), _) => batch.put(out, none, |value| *value),
            (Values::Truths(batch), _) => batch.put(out, none, |value| f64::from(u8::from(*value))),
            (Values::Int96(batch), _) => batch.put(out, none, |_| f64::NAN),
            (Values::Bytes(batch), _) => batch.put(out, none, |_| f64::NAN),
        }
    }

    /// The rows that were read, as nanoseconds since 1970.
    pub fn moments(&self, out: &mut Cells<i64>) {
        match (&self.values, self.kind) {
            (Values::Int32(batch), Kind::Moment(unit_ns)) => {
                batch.units(out, |value| i64::from(*value), unit_ns)
            }
            (Values::Int64(batch), Kind::Moment(unit_ns)) => batch.units(out, |value| *value, unit_ns),
            (Values::Int96(batch), _) => batch.cells(out, |value| Cell::of(julian_ns(value))),
            (Values::Bytes(batch), _) => batch.cells(out, |value| words(value, moment_ns)),
            _ => {
                let mut numbers = Cells::default();
                self.numbers(&mut numbers);
                out.fill_counted(&numbers);
            }
        }
    }

    /// The rows that were read, as words; empty for null. They are handed over, and not there a second time.
    pub fn words(&mut self, out: &mut Vec<ByteArray>) {
        let number = |value: i64, unsigned: bool| match unsigned {
            true => ByteArray::from((value as u64).to_string().into_bytes()),
            false => ByteArray::from(value.to_string().into_bytes()),
        };
        let unsigned = self.kind == Kind::Unsigned;
        match &mut self.values {
            Values::Bytes(batch) if batch.all_there() => std::mem::swap(out, &mut batch.values),
            Values::Bytes(batch) => batch.put(out, empty, Clone::clone),
            Values::Int32(batch) if unsigned => {
                batch.put(out, empty, |value| number(i64::from(*value as u32), true))
            }
            Values::Int32(batch) => batch.put(out, empty, |value| number(i64::from(*value), false)),
            Values::Int64(batch) => batch.put(out, empty, |value| number(*value, unsigned)),
            Values::Float(batch) => {
                batch.put(out, empty, |value| ByteArray::from(format!("{value}").into_bytes()))
            }
            Values::Double(batch) => {
                batch.put(out, empty, |value| ByteArray::from(format!("{value}").into_bytes()))
            }
            Values::Int96(batch) => batch.put(out, empty, |_| empty()),
            Values::Truths(batch) => batch.put(out, empty, |_| empty()),
        }
    }
}

fn empty() -> ByteArray {
    ByteArray::from(Vec::new())
}

fn words<T>(cell: &ByteArray, read: impl Fn(&[u8]) -> Option<T>) -> Cell<T> {
    let cell = cell.data().trim_ascii();
    if cell.is_empty() { Cell::Empty } else { Cell::of(read(cell)) }
}

/// The Julian day 2,440,588 is the first of 1970 (`INT96` of parquet-mr, "Impala's timestamps").
fn julian_ns(value: &Int96) -> Option<i64> {
    let [low, high, day] = *value.data() else { return None };
    let of_day_ns = i64::try_from(u64::from(high) << 32 | u64::from(low)).ok()?;
    (i64::from(day) - 2_440_588).checked_mul(86_400_000_000_000)?.checked_add(of_day_ns)
}

/// The values of some rows.
struct Batch<T: DataType> {
    reader: ColumnReaderImpl<T>,
    present: i16,
    /// A level for each row of a column that may be null.
    levels: Vec<i16>,
    /// Of rows that are not null.
    values: Vec<T::T>,
}

impl<T: DataType> Batch<T> {
    fn new(present: i16, reader: ColumnReaderImpl<T>) -> Self {
        Self { reader, present, levels: Vec::new(), values: Vec::new() }
    }

    fn read(&mut self, rows: usize) -> Result<()> {
        self.levels.clear();
        self.values.clear();
        let levels = (self.present > 0).then_some(&mut self.levels);
        let (read, _, _) = self.reader.read_records(rows, levels, None, &mut self.values)?;
        let there = match self.present {
            0 => rows,
            present => self.levels.iter().filter(|level| **level == present).count(),
        };
        let whole =
            read == rows && (self.present == 0 || self.levels.len() == rows) && self.values.len() == there;
        if whole { Ok(()) } else { Err(ended()) }
    }

    fn skip(&mut self, rows: usize) -> Result<()> {
        if self.reader.skip_records(rows)? == rows { Ok(()) } else { Err(ended()) }
    }

    /// Whether no row that was read is null.
    fn all_there(&self) -> bool {
        self.present == 0 || self.values.len() == self.levels.len()
    }

    /// Cells of which each may be anything.
    fn cells<C: Copy + Default>(&self, out: &mut Cells<C>, mut cell: impl FnMut(&T::T) -> Cell<C>) {
        out.clear();
        if self.all_there() {
            return self.values.iter().for_each(|value| out.push(cell(value)));
        }
        let mut values = self.values.iter();
        for level in &self.levels {
            let value = (*level == self.present).then(|| values.next()).flatten();
            out.push(value.map_or(Cell::Empty, &mut cell));
        }
    }

    /// Cells with a number each.
    fn numbers(&self, out: &mut Cells<f64>, number: impl Fn(&T::T) -> f64) {
        if self.all_there() {
            return out.fill(self.values.iter().map(number), is_usable);
        }
        self.cells(out, |value| Cell::of(Some(number(value)).filter(|number| is_usable(*number))));
    }

    /// Cells with a time each, in whole units.
    fn units(&self, out: &mut Cells<i64>, units: impl Fn(&T::T) -> i64, unit_ns: i64) {
        if self.all_there() {
            return out.fill_units(self.values.iter().map(units), unit_ns);
        }
        self.cells(out, |value| Cell::of(units(value).checked_mul(unit_ns)));
    }

    fn put<C>(&self, out: &mut Vec<C>, null: impl Fn() -> C, mut cell: impl FnMut(&T::T) -> C) {
        out.clear();
        if self.all_there() {
            out.extend(self.values.iter().map(cell));
            return;
        }
        let mut values = self.values.iter();
        out.extend(self.levels.iter().map(|level| match *level == self.present {
            true => values.next().map_or_else(&null, &mut cell),
            false => null(),
        }));
    }
}

fn ended() -> ParquetError {
    ParquetError::EOF("a column ends before its row group does".to_owned())
}
