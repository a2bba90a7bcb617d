//! Verdicts and growths as Arrow columns, and back.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use fathom_export::row_writer::Row;
use fathom_export::{Kind, PricedRow, Value};
use fathom_fleet::VolumeGrowth;
use fathom_record::fleet_record::{FleetRow, FleetStatus};
use fathom_sizing::fleet_volumes::{Growth, RequirementClass};
use fathom_tools::Refusal;

/// Rows of a batch.
pub const BATCH: usize = 1024;
const NOTES: &str = "notes";
const CURRENCY: &str = "currency";
const GROWTHS: [(&str, DataType, bool); 6] = [
    ("volume", DataType::Utf8, false),
    ("rows", DataType::Int64, false),
    ("hash", DataType::Int64, false),
    ("growth", DataType::Int64, true),
    ("rests_on", DataType::Utf8, true),
    ("horizon_s", DataType::Int64, true),
];

/// One volume of a table of growths.
pub struct GrowthRow {
    /// Its name.
    pub volume: String,
    /// Rows that it has.
    pub rows: u64,
    /// How its requirement grew; absent where its history says nothing, or it is not in the sample.
    pub grown: Option<VolumeGrowth>,
}

/// The columns of verdicts: those of the program's rows, with a list of notes. Counts are signed, because Spark has no
/// others.
pub fn verdict_schema() -> SchemaRef {
    let field = |shape: fathom_export::row_writer::Shape| {
        let kind = match shape.kind {
            _ if shape.name == NOTES => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
            Kind::Text => DataType::Utf8,
            Kind::Integer => DataType::Int64,
            Kind::Real => DataType::Float64,
            Kind::Flag => DataType::Boolean,
        };
        Field::new(shape.name, kind, shape.name != "volume")
    };
    Arc::new(Schema::new(PricedRow::shapes().into_iter().map(field).collect::<Vec<_>>()))
}

/// The columns of growths.
pub fn growth_schema() -> SchemaRef {
    let field = |(name, kind, null): (&str, DataType, bool)| Field::new(name, kind, null);
    Arc::new(Schema::new(GROWTHS.map(field).to_vec()))
}

/// An order as a batch: numbers of rows.
///
/// # Errors
/// None that a caller can cause.
pub fn order_batch(rows: Vec<u32>) -> Result<RecordBatch, ArrowError> {
    let schema = Schema::new(vec![Field::new("row", DataType::UInt32, false)]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(UInt32Array::from(rows))])
}

/// Verdicts as a batch, with the currency of their amounts.
///
/// # Errors
/// None that a caller can cause: columns are of one length and of their types.
pub fn verdict_batch(rows: &[FleetRow], currency: &str) -> Result<RecordBatch, ArrowError> {
    let values: Vec<Vec<Value>> = rows.iter().map(|row| PricedRow { row, currency }.values()).collect();
    let column = |(at, shape): (usize, fathom_export::row_writer::Shape)| -> ArrayRef {
        if shape.name == NOTES {
            return Arc::new(notes(rows));
        }
        let cells = values.iter().map(|row| &row[at]);
        match shape.kind {
            Kind::Text => {
                let mut column = StringBuilder::new();
                cells.for_each(|cell| column.append_option(text(cell)));
                Arc::new(column.finish())
            }
            Kind::Integer => {
                let mut column = Int64Builder::new();
                cells.for_each(|cell| column.append_option(integer(cell)));
                Arc::new(column.finish())
            }
            Kind::Real => {
                let mut column = Float64Builder::new();
                cells.for_each(|cell| column.append_option(real(cell)));
                Arc::new(column.finish())
            }
            Kind::Flag => {
                let mut column = BooleanBuilder::new();
                cells.for_each(|cell| column.append_option(flag(cell)));
                Arc::new(column.finish())
            }
        }
    };
    let columns = PricedRow::shapes().into_iter().enumerate().map(column).collect();
    RecordBatch::try_new(verdict_schema(), columns)
}

fn notes(rows: &[FleetRow]) -> impl Array + use<> {
    let mut column = ListBuilder::new(StringBuilder::new());
    for row in rows {
        row.notes.iter().for_each(|note| column.values().append_value(note));
        column.append(!row.notes.is_empty());
    }
    column.finish()
}

fn text(cell: &Value) -> Option<&str> {
    if let Value::Text(text) = cell { Some(text) } else { None }
}

fn integer(cell: &Value) -> Option<i64> {
    if let Value::Integer(count) = cell { i64::try_from(*count).ok() } else { None }
}

fn real(cell: &Value) -> Option<f64> {
    if let Value::Real(measure) = cell { Some(*measure) } else { None }
}

fn flag(cell: &Value) -> Option<bool> {
    if let Value::Flag(flag) = cell { Some(*flag) } else { None }
}

/// Growths as a batch.
///
/// # Errors
/// As [`verdict_batch`].
pub fn growth_batch(rows: &[GrowthRow]) -> Result<RecordBatch, ArrowError> {
    let (mut volumes, mut counts, mut hashes) =
        (StringBuilder::new(), Int64Builder::new(), Int64Builder::new());
    let (mut growths, mut classes, mut horizons) =
        (Int64Builder::new(), StringBuilder::new(), Int64Builder::new());
    for row in rows {
        volumes.append_value(&row.volume);
        counts.append_value(row.rows as i64);
        hashes.append_value(fathom_sizing::fleet_volumes::hash(row.volume.as_bytes()) as i64);
        growths.append_option(row.grown.map(|grown| i64::from(grown.growth.thousandths)));
        classes.append_option(row.grown.map(|grown| grown.growth.class.words()));
        horizons.append_option(row.grown.and_then(|grown| i64::try_from(grown.horizon_s).ok()));
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(volumes.finish()),
        Arc::new(counts.finish()),
        Arc::new(hashes.finish()),
        Arc::new(growths.finish()),
        Arc::new(classes.finish()),
        Arc::new(horizons.finish()),
    ];
    RecordBatch::try_new(growth_schema(), columns)
}

/// Columns of a batch by their names, in types that every engine hands back.
struct NamedColumns<'a> {
    batch: &'a RecordBatch,
    table: &'static str,
}

impl NamedColumns<'_> {
    fn refused(&self, name: &str) -> Refusal {
        Refusal::new(self.table, format!("its column {name} is missing or of another type"))
            .at("the schema")
            .or("give the rows as they were made")
    }

    fn column(&self, name: &str) -> Result<&ArrayRef, Refusal> {
        self.batch.column_by_name(name).ok_or_else(|| self.refused(name))
    }

    fn texts(&self, name: &str) -> Result<Vec<Option<String>>, Refusal> {
        texts(self.column(name)?.as_ref()).ok_or_else(|| self.refused(name))
    }

    fn integers(&self, name: &str) -> Result<Vec<Option<i64>>, Refusal> {
        let column = self.column(name)?.as_primitive_opt::<Int64Type>();
        column.map(|column| column.iter().collect()).ok_or_else(|| self.refused(name))
    }

    fn reals(&self, name: &str) -> Result<Vec<Option<f64>>, Refusal> {
        let column = self.column(name)?.as_primitive_opt::<Float64Type>();
        column.map(|column| column.iter().collect()).ok_or_else(|| self.refused(name))
    }

    fn flags(&self, name: &str) -> Result<Vec<Option<bool>>, Refusal> {
        let column = self.column(name)?.as_boolean_opt();
        column.map(|column| column.iter().collect()).ok_or_else(|| self.refused(name))
    }

    fn lists(&self, name: &str) -> Result<Vec<Vec<String>>, Refusal> {
        let column = self.column(name)?;
        let list = |row: usize| match column.data_type() {
            DataType::List(_) => texts(column.as_list::<i32>().value(row).as_ref()),
            DataType::LargeList(_) => texts(column.as_list::<i64>().value(row).as_ref()),
            _ => None,
        };
        let words = |row| list(row).map(|texts| texts.into_iter().flatten().collect());
        (0..column.len()).map(|row| words(row).ok_or_else(|| self.refused(name))).collect()
    }
}

fn texts(array: &dyn Array) -> Option<Vec<Option<String>>> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(owned).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(owned).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(owned).collect(),
        _ => return None,
    })
}

/// Verdicts of a batch, as they were made. The currency of their amounts is held against that of others before them, and
/// kept.
///
/// # Errors
/// When a column is missing or of another type; when amounts are in two currencies.
pub fn verdicts(batch: &RecordBatch, currency: &mut Option<String>) -> Result<Vec<FleetRow>, Refusal> {
    let named = NamedColumns { batch, table: "a fleet's verdicts" };
    for found in named.texts(CURRENCY)?.into_iter().flatten() {
        let known = currency.get_or_insert_with(|| found.clone());
        if *known != found {
            let cause = format!("their amounts are in {known} and in {found}, which do not add up");
            return Err(Refusal::new(named.table, cause).or("add up the rows of each currency by themselves"));
        }
    }
    let counts = |name| -> Result<Vec<Option<u64>>, Refusal> {
        let unsigned = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
        Ok(named.integers(name)?.into_iter().map(unsigned).collect())
    };
    let names = named.texts("volume")?;
    let mut rows: Vec<FleetRow> = names
        .into_iter()
        .map(|name| fathom_sizing::fleet_volumes::unjudged(&name.unwrap_or_default(), ""))
        .collect();
    macro_rules! fill {
        ($($column:ident: $read:expr),* $(,)?) => {
            $(for (row, value) in rows.iter_mut().zip($read(stringify!($column))?) {
                row.$column = value;
            })*
        };
    }
    let texts = |name| named.texts(name);
    let (reals, flags) = (|name| named.reals(name), |name| named.flags(name));
    fill!(
        tick_s: counts, ticks: counts, ticks_seen: counts, needs_iops: counts, needs_iops_least: counts,
        rests_on: texts, needs_bytes_per_s: counts, plateau_share: reals, offer: texts, offer_type: texts,
        offer_members: counts, offer_size_gib: counts, offer_iops: counts, offer_bytes_per_s: counts,
        offer_month: reals, offer_headroom: reals, offer_risk: reals, current: texts, current_month: reals,
        current_holds: flags, current_headroom: reals, current_risk: reals, saves_month: reals,
    );
    let lists = named.lists(NOTES)?;
    let reasons = named.texts("reason")?;
    let statuses = named.texts("status")?;
    for (row, ((notes, reason), status)) in rows.iter_mut().zip(lists.into_iter().zip(reasons).zip(statuses))
    {
        row.notes = notes;
        row.reason = reason.unwrap_or_default();
        row.status = match status.as_deref() {
            Some("sized") => FleetStatus::Sized,
            Some("throttled") => FleetStatus::Throttled,
            Some("not_judged") => FleetStatus::NotJudged,
            _ => return Err(named.refused("status")),
        };
    }
    Ok(rows)
}

/// Growths of a batch, and how many rows and volumes they are of.
///
/// # Errors
/// When a column is missing or of another type.
pub fn growths(batch: &RecordBatch) -> Result<(Vec<VolumeGrowth>, u64), Refusal> {
    let named = NamedColumns { batch, table: "a fleet's growths" };
    let (hashes, growths) = (named.integers("hash")?, named.integers("growth")?);
    let (classes, horizons) = (named.texts("rests_on")?, named.integers("horizon_s")?);
    let rows =
        named.integers("rows")?.into_iter().flatten().filter_map(|rows| u64::try_from(rows).ok()).sum();
    let mut grown = Vec::new();
    for (((hash, growth), class), horizon_s) in hashes.into_iter().zip(growths).zip(classes).zip(horizons) {
        let (Some(hash), Some(growth)) = (hash, growth) else { continue };
        let class =
            class.as_deref().and_then(RequirementClass::of_words).ok_or_else(|| named.refused("rests_on"))?;
        let thousandths = u32::try_from(growth).map_err(|_| named.refused("growth"))?;
        let horizon_s = horizon_s.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or(0);
        grown.push(VolumeGrowth { hash: hash as u64, growth: Growth { thousandths, class }, horizon_s });
    }
    Ok((grown, rows))
}
