//! The table by columns: Parquet with flat optional columns, without compression, and texts once each in a dictionary,
//! which is what a table of runs needs most.
//!
//! The crate that reads Parquet puts the file together: headers, places and the footer. What is in a page is made here:
//! the crate's own writers of columns have all encodings in them, and would make the program 0.7 MB larger.

mod page;

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use fathom_record::RunRecord;
use page::pages;
use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, Type, TypePtr};

use super::Exporter;
use super::record_columns::{COLUMNS, Kind, Value};
use super::record_rows::lines;
use super::row_writer::Shape;

/// Rows of a group: large enough that headers do not count, small enough to be held.
const GROUP_ROWS: usize = 64 * 1024;

/// Writes the table by columns.
pub struct Parquet<W> {
    out: W,
    kinds: Vec<Kind>,
    /// Values that wait for their group, by column.
    waiting: Vec<Vec<Value>>,
    /// What is written goes through memory, a group at a time, so that one writer serves outputs of any type.
    file: SerializedFileWriter<Vec<u8>>,
}

impl<W: Write> Parquet<W> {
    /// Writes the first bytes.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin(out: W, columns: &[Shape]) -> io::Result<Self> {
        let file = SerializedFileWriter::new(Vec::new(), schema(columns)?, Arc::new(properties(columns)))?;
        let kinds = columns.iter().map(|column| column.kind).collect();
        let mut table = Self { out, kinds, waiting: vec![Vec::new(); columns.len()], file };
        table.hand_over()?;
        Ok(table)
    }

    /// Takes a row: a value for each column, in their order.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn row(&mut self, values: impl Iterator<Item = Value>) -> io::Result<()> {
        self.waiting.iter_mut().zip(values).for_each(|(waiting, value)| waiting.push(value));
        if self.waiting.first().is_some_and(|waiting| waiting.len() >= GROUP_ROWS) {
            return self.write_group();
        }
        Ok(())
    }

    /// Writes what waits and what comes behind the last row.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        self.file.finish()?;
        self.hand_over()?;
        self.out.flush()
    }

    /// Writes the rows that wait as a group.
    fn write_group(&mut self) -> io::Result<()> {
        if self.waiting.first().is_none_or(Vec::is_empty) {
            return Ok(());
        }
        let columns = self.file.schema_descr().columns().to_vec();
        let mut group = self.file.next_row_group()?;
        for ((column, kind), waiting) in columns.iter().zip(&self.kinds).zip(&mut self.waiting) {
            let (bytes, chunk) = chunk(column, *kind, &std::mem::take(waiting))?;
            group.append_column(&bytes, chunk)?;
        }
        group.close()?;
        self.hand_over()
    }

    /// Hands over what was written into memory; the writer counts its bytes by itself.
    fn hand_over(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.out.write_all(&std::mem::take(self.file.inner_mut()))
    }
}

impl<W: Write> Exporter for Parquet<W> {
    fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        lines(run, &mut |line| self.row(COLUMNS.iter().map(|column| column.of(line))))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.end()
    }
}

fn schema(columns: &[Shape]) -> Result<TypePtr> {
    let field = |column: &Shape| {
        let (physical, logical) = match column.kind {
            Kind::Flag => (Physical::BOOLEAN, None),
            Kind::Integer => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_>>()?;
    Type::group_type_builder("fathom").with_fields(fields).build().map(Arc::new)
}

/// What the file says of itself, and what each column is, for people.
fn properties(columns: &[Shape]) -> WriterProperties {
    let described =
        columns.iter().map(|column| KeyValue::new(column.name.to_owned(), column.what.to_owned()));
    WriterProperties::builder()
        .set_created_by(concat!("fathom version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(described.collect()))
        .set_offset_index_disabled(true)
        .build()
}

/// A column's values of a group: pages, and what the footer says of them.
fn chunk(column: &ColumnDescPtr, kind: Kind, values: &[Value]) -> Result<(Bytes, ColumnCloseResult)> {
    let pages = pages(kind, values);
    let num_values = values.len() as u32;
    let mut out = TrackedWrite::new(Vec::new());
    let mut writer = SerializedPageWriter::new(&mut out);
    let mut put = |page: Page, bytes: usize| {
        writer.write_page(CompressedPage::new(page, bytes)).map(|written| written.offset as i64)
    };
    let mut dictionary_at = None;
    let mut encoding = Encoding::PLAIN;
    if let Some((dictionary, texts)) = pages.dictionary {
        let bytes = dictionary.len();
        let page = Page::DictionaryPage {
            buf: dictionary.into(),
            num_values: texts as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        dictionary_at = Some(put(page, bytes)?);
        encoding = Encoding::RLE_DICTIONARY;
    }
    let bytes = pages.data.len();
    let levels = Encoding::RLE;
    let page = Page::DataPage {
        buf: pages.data.into(),
        num_values,
        encoding,
        def_level_encoding: levels,
        rep_level_encoding: levels,
        statistics: None,
    };
    let data_at = put(page, bytes)?;
    writer.close()?;
    let bytes = Bytes::from(out.into_inner()?);
    let length = bytes.len() as i64;
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_encodings(vec![Encoding::PLAIN, levels, encoding])
        .set_num_values(num_values.into())
        .set_total_compressed_size(length)
        .set_total_uncompressed_size(length)
        .set_dictionary_page_offset(dictionary_at)
        .set_data_page_offset(data_at)
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written: num_values.into(),
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok((bytes, close))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    #[test]
    fn what_is_written_is_read_back_row_by_row() {
        let shapes = [
            Shape { name: "word", kind: Kind::Text, what: "a word" },
            Shape { name: "count", kind: Kind::Integer, what: "a count" },
            Shape { name: "share", kind: Kind::Real, what: "a share" },
            Shape { name: "holds", kind: Kind::Flag, what: "whether" },
        ];
        let rows = [
            [Value::Text("a".to_owned()), Value::Integer(7), Value::Absent, Value::Flag(true)],
            [Value::Absent, Value::Integer(u64::MAX), Value::Real(0.5), Value::Absent],
        ];
        let mut out = Vec::new();
        let mut table = Parquet::begin(&mut out, &shapes).unwrap();
        // More than a group takes.
        let all = GROUP_ROWS + 3;
        (0..all).try_for_each(|at| table.row(rows[at % 2].iter().cloned())).unwrap();
        table.end().unwrap();
        let file = SerializedFileReader::new(Bytes::from(out)).unwrap();
        assert_eq!(file.metadata().num_row_groups(), 2);
        let described = file.metadata().file_metadata().key_value_metadata().unwrap();
        assert_eq!((described[3].key.as_str(), described[3].value.as_deref()), ("holds", Some("whether")));
        let wanted = [
            [Field::Str("a".to_owned()), Field::Long(7), Field::Null, Field::Bool(true)],
            [Field::Null, Field::Long(i64::MAX), Field::Double(0.5), Field::Null],
        ];
        let read = file.get_row_iter(None).unwrap().map(|row| row.unwrap());
        let mut count = 0;
        for (at, row) in read.enumerate() {
            let fields: Vec<Field> = row.get_column_iter().map(|(_, field)| field.clone()).collect();
            assert_eq!(fields, wanted[at % 2], "{at}");
            count += 1;
        }
        assert_eq!(count, all);
    }

    #[test]
    fn a_table_without_rows_is_whole() {
        let mut out = Vec::new();
        let shape = Shape { name: "count", kind: Kind::Integer, what: "a count" };
        Parquet::begin(&mut out, &[shape]).unwrap().end().unwrap();
        assert_eq!(SerializedFileReader::new(Bytes::from(out)).unwrap().metadata().num_row_groups(), 0);
    }
}
