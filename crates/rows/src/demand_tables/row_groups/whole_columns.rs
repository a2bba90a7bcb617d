//! Columns of a Parquet file as a whole, by name: of a table that has a row a volume and fits into memory.

use std::sync::Arc;

use fathom_tools::{Refusal, RefusalAbout};
use parquet::errors::Result as Decoded;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedRowGroupReader;

use super::super::words_of;
use super::column_batches::Column;
use super::column_kind::{ColumnKind, Kind};
use super::decoding::decoding;
use super::{BATCH_ROWS, TABLE, check_groups, check_kind, footer_of, said};
use crate::demand_tables::{WholeColumn, WholeKind, WordColumn};

/// Reads columns by their names; one that the table does not have is absent.
///
/// # Errors
/// When the file is damaged, a column holds values of another kind, or it has more rows than that.
pub fn whole_columns<F: ChunkReader + 'static>(
    file: &Arc<F>,
    wanted: &[(&str, WholeKind)],
    rows_max: u64,
) -> Result<Vec<Option<WholeColumn>>, Refusal> {
    let footer = footer_of(file.as_ref())?;
    let of_group = |group: &RowGroupMetaData| u64::try_from(group.num_rows()).unwrap_or(0);
    let rows = footer.row_groups().iter().fold(0, |rows: u64, group| rows.saturating_add(of_group(group)));
    if rows > rows_max {
        let cause = format!("it has {rows} rows, and up to {rows_max} are read");
        return Err(Refusal::new(TABLE, cause).about(RefusalAbout::TooMany));
    }
    let names = footer.file_metadata().schema_descr().columns();
    let place = |name: &str| names.iter().position(|column| column.path().string() == name);
    let places: Vec<Option<usize>> = wanted.iter().map(|(name, _)| place(name)).collect();
    for (at, (_, kind)) in places.iter().zip(wanted).filter_map(|(at, wanted)| Some((at.as_ref()?, wanted))) {
        check_kind(&footer, *at, kind.wanted())?;
    }
    let found: Vec<usize> = places.iter().flatten().copied().collect();
    check_groups(&footer, file.len(), &found)?;
    let mut columns: Vec<Option<WholeColumn>> =
        places.iter().zip(wanted).map(|(at, (_, kind))| at.map(|_| kind.empty())).collect();
    for group in 0..footer.num_row_groups() {
        let read = decoding(|| read(&footer, file, group, &places, &mut columns));
        read.map_err(|error| {
            Refusal::new(TABLE, said(&error)).at(format!("row group {group}")).with_source(error)
        })?;
    }
    Ok(columns)
}

impl WholeKind {
    fn wanted(self) -> ColumnKind {
        match self {
            Self::Numbers => ColumnKind::Real,
            Self::Words => ColumnKind::Words,
        }
    }

    fn empty(self) -> WholeColumn {
        match self {
            Self::Numbers => WholeColumn::Numbers(Vec::new()),
            Self::Words => WholeColumn::Words(WordColumn::default()),
        }
    }
}

/// Adds the rows of a group.
fn read<F: ChunkReader + 'static>(
    footer: &ParquetMetaData,
    file: &Arc<F>,
    group: usize,
    places: &[Option<usize>],
    columns: &mut [Option<WholeColumn>],
) -> Decoded<()> {
    let properties = Arc::new(ReaderProperties::builder().build());
    let (metadata, pages) = (footer.row_group(group), footer.page_index_for_row_group(group));
    let reader = SerializedRowGroupReader::new(Arc::clone(file), metadata, pages, properties)?;
    let all = usize::try_from(metadata.num_rows())?;
    let described = footer.file_metadata().schema_descr().columns();
    for (at, column) in places.iter().zip(columns) {
        let (Some(at), Some(into)) = (at, column) else { continue };
        // Its kind was checked.
        let Some(kind) = Kind::of(&described[*at]) else { continue };
        let mut from = Column::new(kind, described[*at].max_def_level(), reader.get_column_reader(*at)?)?;
        add(&mut from, all, into)?;
    }
    Ok(())
}

fn add(from: &mut Column, all: usize, into: &mut WholeColumn) -> Decoded<()> {
    let (mut numbers, mut words) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < all {
        let rows = BATCH_ROWS.min(all - at);
        from.read(rows)?;
        match into {
            WholeColumn::Numbers(values) => {
                from.reals(&mut numbers);
                values.append(&mut numbers);
            }
            WholeColumn::Words(values) => {
                from.words(&mut words);
                words.drain(..).for_each(|word| values.push(&words_of(word.data())));
            }
        }
        at += rows;
    }
    Ok(())
}
