//! The table by columns: Parquet with flat optional columns, without compression.
//!
//! Written here in full, because that part of the format is small: a build without the `parquet` crate, which
//! takes half as long as all of this program, writes it too. Texts are kept once each in a dictionary,
//! which is what a table of runs needs most. Source: `README.md`, `Encodings.md` and
//! `src/main/thrift/parquet.thrift` of apache/parquet-format 2.10.

mod page;
mod thrift;

use std::io::{self, Write};

use fathom_record::RunRecord;

use super::Exporter;
use super::record_columns::{COLUMNS, Kind, Value};
use super::record_rows::lines;
use super::row_writer::Shape;
use page::pages;
use thrift::Compact;

const MAGIC: &[u8; 4] = b"PAR1";
/// Rows of a group: large enough that headers do not count, small enough to be held.
const GROUP_ROWS: usize = 64 * 1024;
/// Encodings, by their numbers in the format.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;

/// Writes the table by columns.
pub struct Parquet<W> {
    out: W,
    columns: Vec<Shape>,
    at: u64,
    /// Values that wait for their group, by column.
    waiting: Vec<Vec<Value>>,
    groups: Vec<Group>,
}

/// A row group as the footer names it.
struct Group {
    rows: u64,
    bytes: u64,
    chunks: Vec<Chunk>,
}

/// One column of a row group.
struct Chunk {
    column: usize,
    values: u64,
    bytes: u64,
    dictionary_at: Option<u64>,
    data_at: u64,
}

impl<W: Write> Parquet<W> {
    /// Writes the first bytes.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin(mut out: W, columns: Vec<Shape>) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        let waiting = columns.iter().map(|_| Vec::new()).collect();
        Ok(Self { out, columns, at: MAGIC.len() as u64, waiting, groups: Vec::new() })
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
        let footer = self.footer();
        self.put(&footer)?;
        self.put(&(footer.len() as u32).to_le_bytes())?;
        self.put(MAGIC)?;
        self.out.flush()
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes the rows that wait as a group.
    fn write_group(&mut self) -> io::Result<()> {
        let rows = self.waiting.first().map_or(0, Vec::len) as u64;
        if rows == 0 {
            return Ok(());
        }
        let start = self.at;
        let mut chunks = Vec::with_capacity(self.columns.len());
        for column in 0..self.columns.len() {
            let values = std::mem::take(&mut self.waiting[column]);
            chunks.push(self.write_chunk(column, &values)?);
        }
        self.groups.push(Group { rows, bytes: self.at - start, chunks });
        Ok(())
    }

    fn write_chunk(&mut self, column: usize, values: &[Value]) -> io::Result<Chunk> {
        let start = self.at;
        let pages = pages(self.columns[column].kind, values);
        let mut dictionary_at = None;
        if let Some((bytes, texts)) = &pages.dictionary {
            dictionary_at = Some(self.at);
            self.put(&page_header(2, bytes.len(), |header| {
                header.inner(7, |page| {
                    page.i32(1, *texts as i32);
                    page.i32(2, PLAIN);
                });
            }))?;
            self.put(bytes)?;
        }
        let data_at = self.at;
        let encoding = if pages.dictionary.is_some() { RLE_DICTIONARY } else { PLAIN };
        self.put(&page_header(0, pages.data.len(), |header| {
            header.inner(5, |page| {
                page.i32(1, values.len() as i32);
                page.i32(2, encoding);
                page.i32(3, RLE);
                page.i32(4, RLE);
            });
        }))?;
        self.put(&pages.data)?;
        let bytes = self.at - start;
        Ok(Chunk { column, values: values.len() as u64, bytes, dictionary_at, data_at })
    }

    /// The footer: schema, groups, and where each column's pages begin.
    fn footer(&self) -> Vec<u8> {
        let mut footer = Compact::default();
        footer.i32(1, 2);
        let elements: Vec<Option<usize>> =
            std::iter::once(None).chain((0..self.columns.len()).map(Some)).collect();
        footer.structs(2, &elements, |schema, element| match element {
            None => {
                schema.text(4, "fathom");
                schema.i32(5, self.columns.len() as i32);
            }
            Some(column) => {
                schema.i32(1, physical_type(self.columns[*column].kind));
                schema.i32(3, 1);
                schema.text(4, self.columns[*column].name);
                if self.columns[*column].kind == Kind::Text {
                    schema.i32(6, 0);
                }
            }
        });
        footer.i64(3, self.groups.iter().map(|group| group.rows).sum::<u64>() as i64);
        footer.structs(4, &self.groups, |out, group| {
            out.structs(1, &group.chunks, |out, chunk| {
                write_chunk_meta(out, chunk, &self.columns[chunk.column])
            });
            out.i64(2, group.bytes as i64);
            out.i64(3, group.rows as i64);
        });
        let described: Vec<usize> = (0..self.columns.len()).collect();
        footer.structs(5, &described, |pair, column| {
            pair.text(1, self.columns[*column].name);
            pair.text(2, self.columns[*column].what);
        });
        footer.text(6, concat!("fathom version ", env!("CARGO_PKG_VERSION")));
        footer.stop();
        footer.bytes
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

/// The header of a page that is not compressed, so that it has one size.
fn page_header(kind: i32, bytes: usize, rest: impl FnOnce(&mut Compact)) -> Vec<u8> {
    let mut header = Compact::default();
    header.i32(1, kind);
    header.i32(2, bytes as i32);
    header.i32(3, bytes as i32);
    rest(&mut header);
    header.stop();
    header.bytes
}

fn write_chunk_meta(out: &mut Compact, chunk: &Chunk, column: &Shape) {
    let start = chunk.dictionary_at.unwrap_or(chunk.data_at);
    out.i64(2, start as i64);
    out.inner(3, |meta| {
        meta.i32(1, physical_type(column.kind));
        let encodings =
            if column.kind == Kind::Text { [PLAIN, RLE, RLE_DICTIONARY].as_slice() } else { &[PLAIN, RLE] };
        meta.i32s(2, encodings);
        meta.one_text(3, column.name);
        meta.i32(4, 0);
        meta.i64(5, chunk.values as i64);
        meta.i64(6, chunk.bytes as i64);
        meta.i64(7, chunk.bytes as i64);
        meta.i64(9, chunk.data_at as i64);
        if let Some(at) = chunk.dictionary_at {
            meta.i64(11, at as i64);
        }
    });
}

/// The format's type of a kind.
fn physical_type(kind: Kind) -> i32 {
    match kind {
        Kind::Flag => 0,
        Kind::Integer => 2,
        Kind::Real => 5,
        Kind::Text => 6,
    }
}
