//! A fleet's table as Parquet, as most writers make it: row groups of some volumes, dictionaries, snappy.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
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
    let failed = |error: ParquetError| format!("{}: {error}", path.display());
    let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = parse_message_type(SCHEMA).map_err(failed)?;
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED + volumes.start);
    let mut at = volumes.start;
    while at < volumes.end {
        let end = volumes.end.min(at + VOLUMES_A_GROUP);
        group(&mut writer, at..end, &mut random).map_err(failed)?;
        at = end;
    }
    writer.close().map_err(failed)?;
    path.metadata().map(|meta| meta.len()).map_err(|error| format!("{}: {error}", path.display()))
}

fn group(
    writer: &mut SerializedFileWriter<File>,
    volumes: Range<u64>,
    random: &mut Xoshiro256PlusPlus,
) -> Result<(), ParquetError> {
    let rows = ((volumes.end - volumes.start) * MINUTES) as usize;
    let mut names = Vec::with_capacity(rows);
    let mut columns: [Vec<i64>; 5] = std::array::from_fn(|_| Vec::with_capacity(rows));
    for volume in volumes {
        let name = ByteArray::from(format!("vol-{volume:08x}").into_bytes());
        let mut counts = Counts::new(random, 60);
        for minute in 0..MINUTES {
            names.push(name.clone());
            columns[0].push((FIRST_TICK_S + minute * 60) as i64);
            for (column, count) in columns[1..].iter_mut().zip(counts.next(random)) {
                column.push(count as i64);
            }
        }
    }
    let mut group = writer.next_row_group()?;
    if let Some(mut column) = group.next_column()? {
        column.typed::<ByteArrayType>().write_batch(&names, None, None)?;
        column.close()?;
    }
    for values in &columns {
        let Some(mut column) = group.next_column()? else { break };
        column.typed::<Int64Type>().write_batch(values, None, None)?;
        column.close()?;
    }
    group.close()?;
    Ok(())
}
