//! What a Parquet column's values mean, from its type: a number, a moment, or words.
//!
//! Source: `LogicalTypes.md` of apache/parquet-format 2.11; types of older files, which have only
//! `converted_type`, mean the same.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

/// What one column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers as they stand.
    Number,
    /// Whole numbers whose highest bit is no sign.
    Unsigned,
    /// Whole numbers over this power of ten.
    Decimal(u32),
    /// Moments in units of so many nanoseconds since 1970.
    Moment(i64),
    /// The nanoseconds of a day and the day's Julian number: times of old Hive, Impala and Spark.
    JulianMoment,
    /// Yes or no.
    Truth,
    /// Words, which may stand for a number or a time.
    Words,
}

/// What is asked of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A time.
    Moment,
    /// A count, a rate or a size.
    Number,
    /// A number of any sign, or yes or no.
    Real,
    /// A name.
    Words,
}

impl Kind {
    /// What a column's type says; `None` for types that hold neither numbers nor times nor words.
    pub fn of(column: &ColumnDescriptor) -> Option<Self> {
        if column.max_rep_level() > 0 {
            return None;
        }
        let logical = column.logical_type_ref();
        let converted = column.converted_type();
        let decimal = matches!(logical, Some(LogicalType::Decimal(_))) || converted == ConvertedType::DECIMAL;
        match column.physical_type() {
            Type::BOOLEAN => Some(Self::Truth),
            Type::FLOAT | Type::DOUBLE => Some(Self::Number),
            Type::INT96 => Some(Self::JulianMoment),
            Type::INT32 | Type::INT64 if decimal => {
                u32::try_from(column.type_scale()).ok().filter(|scale| *scale <= 18).map(Self::Decimal)
            }
            Type::INT32 | Type::INT64 => whole(logical, converted),
            Type::BYTE_ARRAY => words(logical, converted),
            // Decimals of more than 18 digits, halves and UUIDs: no metric needs them.
            Type::FIXED_LEN_BYTE_ARRAY => None,
        }
    }

    /// Whether values of this kind can be what is wanted.
    pub fn serves(self, wanted: ColumnKind) -> bool {
        match wanted {
            ColumnKind::Moment => self != Self::Truth,
            ColumnKind::Number => !matches!(self, Self::Moment(_) | Self::JulianMoment | Self::Truth),
            ColumnKind::Real => {
                matches!(self, Self::Number | Self::Unsigned | Self::Decimal(_) | Self::Truth)
            }
            ColumnKind::Words => matches!(self, Self::Words | Self::Number | Self::Unsigned),
        }
    }
}

impl ColumnKind {
    /// For messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Moment => "a time",
            Self::Number | Self::Real => "a number",
            Self::Words => "a name",
        }
    }
}

fn whole(logical: Option<&LogicalType>, converted: ConvertedType) -> Option<Kind> {
    const DAY_NS: i64 = 86_400_000_000_000;
    match (logical, converted) {
        (Some(LogicalType::Timestamp(stamp)), _) => Some(Kind::Moment(match stamp.unit {
            TimeUnit::MILLIS => 1_000_000,
            TimeUnit::MICROS => 1000,
            TimeUnit::NANOS => 1,
        })),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some(Kind::Moment(1_000_000)),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some(Kind::Moment(1000)),
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Some(Kind::Moment(DAY_NS)),
        // A time of day is no moment.
        (Some(LogicalType::Time(_)), _) | (_, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => {
            None
        }
        (Some(LogicalType::Integer(kind)), _) if !kind.is_signed => Some(Kind::Unsigned),
        (
            _,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
        ) => Some(Kind::Unsigned),
        _ => Some(Kind::Number),
    }
}

/// Bytes without a type are words too: many writers say no more of them.
fn words(logical: Option<&LogicalType>, converted: ConvertedType) -> Option<Kind> {
    match (logical, converted) {
        (Some(LogicalType::String | LogicalType::Enum), _) => Some(Kind::Words),
        (None, ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::ENUM) => Some(Kind::Words),
        _ => None,
    }
}
