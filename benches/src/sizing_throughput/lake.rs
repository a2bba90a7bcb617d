//! A fleet's table as Parquet, as most writers make it: dictionaries, snappy; volume by volume, or a file for each day.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{Counts, FIRST_TICK_S, MINUTES, SEED};

const SCHEMA: &str = "message fleet { required binary volume (UTF8); required int64 time; required int64 reads; \
     required int64 writes; required int64 read_bytes; required int64 write_bytes; }";
/// Volumes of a row group, which then has about as many rows as writers put into one.
const VOLUMES_A_GROUP: u64 = 16;

/// Writes volumes one after the other, a row each minute; returns the file's length.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, volumes: Range<u64>) -> Result<u64, String> {
    let mut table = Table::create(path)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED + volumes.start);
    let mut at = volumes.start;
    while at < volumes.end {
        let end = volumes.end.min(at + VOLUMES_A_GROUP);
        let mut rows = Rows::default();
        for volume in at..end {
            let (name, mut counts) = (name(volume), Counts::new(&mut random, 60));
            (0..MINUTES).for_each(|minute| rows.put(&name, minute, counts.next(&mut random)));
        }
        table.group(&rows)?;
        at = end;
    }
    table.close()
}

/// Writes a file for each day into a folder, minute after minute with a row of every volume; returns their length.
///
/// # Errors
/// When one cannot be written.
pub fn write_days(folder: &Path, volumes: u64) -> Result<u64, String> {
    const MINUTES_A_DAY: u64 = 1440;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut all: Vec<(ByteArray, Counts)> =
        (0..volumes).map(|volume| (name(volume), Counts::new(&mut random, 60))).collect();
    let mut bytes = 0;
    for day in 0..MINUTES / MINUTES_A_DAY {
        let mut rows = Rows::default();
        for minute in day * MINUTES_A_DAY..(day + 1) * MINUTES_A_DAY {
            all.iter_mut().for_each(|(name, counts)| rows.put(name, minute, counts.next(&mut random)));
        }
        let mut table = Table::create(&folder.join(format!("day-{day:02}.parquet")))?;
        table.group(&rows)?;
        bytes += table.close()?;
    }
    Ok(bytes)
}

fn name(volume: u64) -> ByteArray {
    ByteArray::from(format!("vol-{volume:08x}").into_bytes())
}

/// The rows of a group, column by column.
#[derive(Default)]
struct Rows {
    names: Vec<ByteArray>,
    columns: [Vec<i64>; 5],
}

impl Rows {
    fn put(&mut self, name: &ByteArray, minute: u64, counts: [u64; 4]) {
        self.names.push(name.clone());
        let values = std::iter::once(FIRST_TICK_S + minute * 60).chain(counts);
        self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value as i64));
    }
}

/// A file that is being written.
struct Table {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
}

impl Table {
    fn create(path: &Path) -> Result<Self, String> {
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let made = parse_message_type(SCHEMA)
            .and_then(|schema| SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)));
        let writer = made.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path: path.to_owned(), writer })
    }

    fn group(&mut self, rows: &Rows) -> Result<(), String> {
        put(&mut self.writer, rows).map_err(|error| format!("{}: {error}", self.path.display()))
    }

    fn close(self) -> Result<u64, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.path.display());
        self.writer.close().map_err(|error| failed(&error))?;
        self.path.metadata().map(|meta| meta.len()).map_err(|error| failed(&error))
    }
}

fn put(writer: &mut SerializedFileWriter<File>, rows: &Rows) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    if let Some(mut column) = group.next_column()? {
        column.typed::<ByteArrayType>().write_batch(&rows.names, None, None)?;
        column.close()?;
    }
    for values in &rows.columns {
        let Some(mut column) = group.next_column()? else { break };
        column.typed::<Int64Type>().write_batch(values, None, None)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}
