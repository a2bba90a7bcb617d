//! A fleet's tables, and the pieces that they are read in.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fathom_interop::Refusal;
use fathom_interop::demand::{Hints, Values};
use fathom_interop::fleet::{Header, Taker, header, read_text};

use crate::arguments::MetricsArguments;
use crate::commands::demand::values_of;
use crate::failure::Failure;

/// Bytes that a header is looked for in.
const START_BYTES: u64 = 64 << 10;
/// A piece of a text: so large that volumes cut by its ends are few among those in it.
const LARGEST_PIECE: u64 = 64 << 20;
const SMALLEST_PIECE: u64 = 1 << 20;
/// Pieces of a text for each processor at least, so that all have work to the end.
const PIECES_EACH: u64 = 8;

/// Tables of one fleet.
pub struct Inputs {
    tables: Vec<Table>,
}

struct Table {
    path: PathBuf,
    header: Header,
    bytes: u64,
}

/// A part of one table that is read by itself.
pub struct Piece<'a> {
    table: &'a Table,
    stretch: Range<u64>,
}

impl Inputs {
    /// Looks at the headers of all tables.
    ///
    /// # Errors
    /// When one is not there, is no file, or does not name its columns; with what to type.
    pub fn open(paths: &[PathBuf], arguments: &MetricsArguments) -> Result<Self, Failure> {
        let hints = Hints { columns: &arguments.columns, values: values_of(arguments), ..Hints::default() };
        let tables = paths.iter().map(|path| Table::open(path, &hints)).collect::<Result<_, _>>()?;
        Ok(Self { tables })
    }

    /// All pieces, in order, for so many threads.
    pub fn pieces(&self, threads: usize) -> Vec<Piece<'_>> {
        let pieces = |table| Piece::all(table, threads as u64);
        self.tables.iter().flat_map(pieces).collect()
    }
}

impl Table {
    fn open(path: &Path, hints: &Hints<'_>) -> Result<Self, Failure> {
        let place = || path.display().to_string();
        let unread = |error: std::io::Error| {
            Failure::usage(place(), error.to_string(), "name a file that can be read")
        };
        let file = File::open(path).map_err(unread)?;
        let meta = file.metadata().map_err(unread)?;
        if !meta.is_file() {
            let cause = "a fleet is read twice, from files";
            return Err(Failure::usage(place(), cause, "it has to be written to a file first"));
        }
        let refused = |refusal: Refusal| {
            let place = format!("{}, {}", place(), refusal.place);
            Failure::usage(
                place,
                format!("not read as {}: {}", refusal.expected, refusal.cause),
                refusal.remedy,
            )
        };
        let mut start = Vec::new();
        file.take(START_BYTES).read_to_end(&mut start).map_err(unread)?;
        if start.last() != Some(&b'\n') {
            start.push(b'\n');
        }
        let header = header(&start, hints).map_err(refused)?;
        Ok(Self { path: path.to_owned(), header, bytes: meta.len() })
    }
}

impl<'a> Piece<'a> {
    fn all(table: &'a Table, threads: u64) -> Vec<Self> {
        let each = (table.bytes / (threads.max(1) * PIECES_EACH)).clamp(SMALLEST_PIECE, LARGEST_PIECE);
        let starts = (0..table.bytes).step_by(usize::try_from(each).unwrap_or(usize::MAX));
        starts.map(|start| Self { table, stretch: start..(start + each).min(table.bytes) }).collect()
    }

    /// The table's file.
    pub fn path(&self) -> &Path {
        &self.table.path
    }

    /// What the table's values are.
    pub fn values(&self) -> Values {
        self.table.header.layout.values
    }

    /// Reads it.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn read(&self, taker: &mut impl Taker) -> std::io::Result<()> {
        read_text(File::open(&self.table.path)?, &self.table.header, self.stretch.clone(), taker)
    }
}
