//! Row groups of a Parquet file as runs of rows, one volume after the other.
//!
//! A row group is a piece: it is read by itself, a batch of rows of the columns that are needed at a time, so
//! that memory does not grow with it. Columns are found and mean the same as in a text.

mod column_batches;
mod column_kind;
mod decoding;
mod keyed_words;
mod whole_columns;
mod word_column;

use std::io;
use std::sync::Arc;

use column_batches::Column;
use column_kind::{ColumnKind, Kind};
use decoding::decoding;
use fathom_tools::Refusal;
use keyed_words::KeyedWords;
use parquet::basic::{Compression, Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedRowGroupReader;
use word_column::WordColumn;

pub use whole_columns::whole_columns;

use super::column_block::{RowBlock, spans};
use super::column_cell::Cells;
use super::run_builder::RowGatherer;
use super::{Layout, RunSink};
use crate::Hints;

const TABLE: &str = "a Parquet table";
/// Rows of a batch: large enough that pages' ends do not count, small enough to stay in a processor's cache.
const BATCH_ROWS: usize = 4096;

/// What a file's footer says.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Which column means what.
    pub layout: Layout,
    footer: Arc<ParquetMetaData>,
}

impl Groups {
    /// Reads the footer of a file; its table may hold one volume alone.
    ///
    /// # Errors
    /// When it is damaged, or does not hold the columns that are needed, with values of a kind that can be used.
    pub fn open_one<F: ChunkReader>(file: &F, hints: &Hints<'_>) -> std::result::Result<Self, Refusal> {
        Self::with(file, |names| Layout::of_one(names, hints))
    }

    /// As [`Groups::open_one`], of a table whose rows name their volume.
    ///
    /// # Errors
    /// As there.
    pub fn open<F: ChunkReader>(file: &F, hints: &Hints<'_>) -> std::result::Result<Self, Refusal> {
        Self::with(file, |names| Layout::find(names, hints))
    }

    fn with<F: ChunkReader>(
        file: &F,
        find: impl FnOnce(&[String]) -> std::result::Result<Layout, Refusal>,
    ) -> std::result::Result<Self, Refusal> {
        let footer = footer_of(file)?;
        let columns = footer.file_metadata().schema_descr().columns();
        let names: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
        let layout = find(&names)?;
        let groups = Self { layout, footer: Arc::new(footer) };
        groups.wanted().try_for_each(|(at, wanted)| check_kind(&groups.footer, at, wanted))?;
        let ats: Vec<usize> = groups.wanted().map(|(at, _)| at).collect();
        check_groups(&groups.footer, file.len(), &ats)?;
        Ok(groups)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.footer.num_row_groups()
    }

    /// Rows of all of them.
    pub fn rows(&self) -> u64 {
        self.footer.row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0)).sum()
    }

    /// The columns that are read, with what each is wanted for: those of the demand first.
    fn wanted(&self) -> impl Iterator<Item = (usize, ColumnKind)> {
        let layout = &self.layout;
        let demand = layout.demand.iter().enumerate();
        let demand =
            demand.map(|(place, at)| (*at, if place == 0 { ColumnKind::Moment } else { ColumnKind::Number }));
        let words = [layout.volume, layout.current, layout.instance, layout.group].into_iter().flatten();
        demand
            .chain(layout.size.map(|at| (at, ColumnKind::Number)))
            .chain(words.map(|at| (at, ColumnKind::Words)))
    }

    /// Reads a row group.
    ///
    /// # Errors
    /// As the file reports them, or when the row group is damaged.
    pub fn read<F: ChunkReader + 'static>(
        &self,
        file: F,
        group: usize,
        taker: &mut impl RunSink,
    ) -> io::Result<()> {
        let mut rows = Rows::new(&self.layout);
        let all = self.footer.row_group(group).num_rows();
        let opened = decoding(|| self.columns(file, group));
        let read = opened.and_then(|columns| rows.read(columns, usize::try_from(all)?, taker));
        read.map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidData, format!("row group {group}: {}", said(&error)))
        })
    }

    fn columns<F: ChunkReader + 'static>(&self, file: F, group: usize) -> Result<Columns> {
        let properties = Arc::new(ReaderProperties::builder().build());
        let pages = self.footer.page_index_for_row_group(group);
        let metadata = self.footer.row_group(group);
        let reader = SerializedRowGroupReader::new(Arc::new(file), metadata, pages, properties)?;
        let columns = self.footer.file_metadata().schema_descr().columns();
        let open = |at: usize| {
            let column = &columns[at];
            let kind = Kind::of(column)
                .ok_or_else(|| ParquetError::General("a column of no known kind".to_owned()))?;
            Column::new(kind, column.max_def_level(), reader.get_column_reader(at)?)
        };
        let words = |at: usize| -> Result<WordColumn> {
            let keys = columns[at].physical_type() == Type::BYTE_ARRAY
                && columns[at].max_rep_level() == 0
                && KeyedWords::reads(metadata.column(at).encodings());
            Ok(match keys {
                true => WordColumn::keyed(reader.get_column_page_reader(at)?, columns[at].max_def_level()),
                false => WordColumn::of(open(at)?),
            })
        };
        let [time, reads, writes, read_bytes, write_bytes] = self.layout.demand;
        Ok(Columns {
            volume: self.layout.volume.map(words).transpose()?,
            time: open(time)?,
            flows: [open(reads)?, open(writes)?, open(read_bytes)?, open(write_bytes)?],
            size: self.layout.size.map(open).transpose()?,
            current: self.layout.current.map(words).transpose()?,
            instance: self.layout.instance.map(words).transpose()?,
            group: self.layout.group.map(words).transpose()?,
        })
    }
}

/// What the end of a file says of the rest of it.
fn footer_of<F: ChunkReader>(file: &F) -> std::result::Result<ParquetMetaData, Refusal> {
    decoding(|| ParquetMetaDataReader::new().parse_and_finish(file)).map_err(|error| {
        if said(&error).contains("encrypt") {
            return encrypted().at("the footer");
        }
        Refusal::new(TABLE, said(&error))
            .at("the footer")
            .or("write it again to its end: a file that is still being written has none")
            .with_source(error)
    })
}

/// Whether a column's values are of a kind that can be used.
fn check_kind(footer: &ParquetMetaData, at: usize, wanted: ColumnKind) -> std::result::Result<(), Refusal> {
    let column = &footer.file_metadata().schema_descr().columns()[at];
    if Kind::of(column).is_some_and(|kind| kind.serves(wanted)) {
        return Ok(());
    }
    let cause = format!(
        "its column {} holds {} values, and {} is needed",
        column.path().string(),
        column.physical_type(),
        wanted.words()
    );
    Err(Refusal::new(TABLE, cause)
        .at("the footer")
        .or("name another with --columns, or write it again as DOUBLE, TIMESTAMP or STRING"))
}

/// What the footer says of places and lengths is checked before anything is read by it; `ats` are the columns that are.
fn check_groups(
    footer: &ParquetMetaData,
    file_bytes: u64,
    ats: &[usize],
) -> std::result::Result<(), Refusal> {
    for (number, group) in footer.row_groups().iter().enumerate() {
        let wrong = |cause: String| Refusal::new(TABLE, cause).at(format!("row group {number}"));
        if group.num_columns() != footer.file_metadata().schema_descr().num_columns() {
            return Err(wrong("it has not the columns of the others".to_owned()));
        }
        if group.num_rows() < 0 {
            return Err(wrong(format!("it has {} rows", group.num_rows())));
        }
        for at in ats.iter().copied() {
            let chunk = group.column(at);
            let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
            let end = start.checked_add(chunk.compressed_size());
            let inside = end.and_then(|end| u64::try_from(end).ok()).is_some_and(|end| end <= file_bytes);
            if !inside || start < 0 || chunk.compressed_size() < 0 || chunk.data_page_offset() < 0 {
                return Err(wrong(format!("its column {at} lies outside of the file"))
                    .or("copy the file again: it is not whole"));
            }
            if matches!(chunk.compression(), Compression::BROTLI(_) | Compression::LZO) {
                return Err(wrong(format!("it is compressed with {}", chunk.compression()))
                    .or("write it again compressed with snappy, zstd, gzip or lz4, or not at all"));
            }
        }
    }
    Ok(())
}

fn encrypted() -> Refusal {
    Refusal::new(TABLE, "it is encrypted")
        .or("decrypt it where its keys are, and write it again without encryption")
}

/// What the decoder says, without its own name for itself.
fn said(error: &ParquetError) -> String {
    let text = error.to_string();
    ["Parquet error: ", "EOF: ", "External: "]
        .iter()
        .fold(text, |text, prefix| text.strip_prefix(prefix).map_or_else(|| text.clone(), str::to_owned))
}

/// Columns of a row group, as the layout names them.
struct Columns {
    volume: Option<WordColumn>,
    time: Column,
    flows: [Column; 4],
    size: Option<Column>,
    current: Option<WordColumn>,
    instance: Option<WordColumn>,
    group: Option<WordColumn>,
}

impl Columns {
    /// Reads the next rows of all but the names.
    fn read(&mut self, rows: usize) -> Result<()> {
        self.numbers().try_for_each(|column| column.read(rows))?;
        self.words().try_for_each(|column| column.read(rows))
    }

    /// Leaves them out.
    fn skip(&mut self, rows: usize) -> Result<()> {
        self.numbers().try_for_each(|column| column.skip(rows))?;
        self.words().try_for_each(|column| column.skip(rows))
    }

    fn numbers(&mut self) -> impl Iterator<Item = &mut Column> {
        std::iter::once(&mut self.time).chain(&mut self.flows).chain(&mut self.size)
    }

    fn words(&mut self) -> impl Iterator<Item = &mut WordColumn> {
        [&mut self.current, &mut self.instance, &mut self.group].into_iter().flatten()
    }
}

/// A batch of rows as cells.
struct Rows<'a> {
    layout: &'a Layout,
    times: Cells<i64>,
    flows: [Cells<f64>; 4],
    sizes: Cells<f64>,
}

impl<'a> Rows<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self { layout, times: Cells::default(), flows: Default::default(), sizes: Cells::default() }
    }

    fn read(&mut self, mut columns: Columns, all: usize, taker: &mut impl RunSink) -> Result<()> {
        let mut gather = RowGatherer::new(taker);
        let mut at = 0;
        while at < all {
            let rows = BATCH_ROWS.min(all - at);
            // The names are read first, and held apart from the columns behind them.
            let mut volume = columns.volume.take();
            if let Some(volume) = &mut volume {
                decoding(|| volume.read(rows))?;
            }
            let names = volume.as_ref().map(WordColumn::texts).unwrap_or_default();
            let spans = spans(&names, rows);
            // Where nobody asks for these volumes, what they did is not even unpacked.
            let wanted = spans.iter().any(|(name, _)| gather.wants(name));
            if wanted {
                decoding(|| columns.read(rows))?;
                self.unpack(&columns);
            } else {
                decoding(|| columns.skip(rows))?;
            }
            let block = wanted.then(|| self.block(&columns));
            for (name, span) in spans {
                if gather.rows(name, span.len() as u64)
                    && let Some(block) = &block
                {
                    block.put(span, &mut gather);
                }
            }
            drop(block);
            columns.volume = volume;
            at += rows;
        }
        gather.finish();
        Ok(())
    }

    fn unpack(&mut self, columns: &Columns) {
        columns.time.moments(&mut self.times);
        for (flow, column) in self.flows.iter_mut().zip(&columns.flows) {
            column.numbers(flow);
        }
        columns.size.iter().for_each(|column| column.numbers(&mut self.sizes));
    }

    /// The rows that were unpacked last.
    fn block<'b>(&'b self, columns: &'b Columns) -> RowBlock<'b> {
        let texts =
            |column: &'b Option<WordColumn>| column.as_ref().map(WordColumn::texts).unwrap_or_default();
        RowBlock {
            layout: self.layout,
            times: &self.times,
            flows: self.flows.each_ref(),
            sizes: columns.size.as_ref().map(|_| &self.sizes),
            current: texts(&columns.current),
            instance: texts(&columns.instance),
            group: texts(&columns.group),
        }
    }
}
