//! A fleet's tables, and the pieces that they are read in.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fathom_demand::account_volumes::{Inventory, is_inventory, is_measured, runs};
use fathom_demand::{Dumps, is_dump};
use fathom_fleet::GroupKey;
use fathom_rows::demand_tables::{
    Groups, Header, Interest, Run, RunSink, header, is_packed, is_parquet, read_text,
};
use fathom_rows::{Hints, Values};
use fathom_tools::Refusal;

use super::volume_partition::GatheredRows;
use crate::arguments::MetricsArguments;
use crate::commands::demand_input::{self, values_of};
use crate::failure::Failure;

/// Bytes that a header is looked for in.
const START_BYTES: u64 = 64 << 10;
/// A piece of a text: so large that volumes cut by its ends are few among those in it.
const LARGEST_PIECE: u64 = 64 << 20;
const SMALLEST_PIECE: u64 = 1 << 20;
/// Pieces of a text for each processor at least, so that all have work to the end.
const PIECES_EACH: u64 = 8;
/// Folders in each other, so that a link back up ends.
const DEEPEST: usize = 16;

/// Tables of one fleet.
pub struct Inputs {
    tables: Vec<Table>,
    /// Dumps of Prometheus, which are parts of each other.
    dumps: Vec<PathBuf>,
    /// Metrics of CloudWatch; those of one list are parts of each other, and no volume is in two lists.
    measured: Vec<Vec<PathBuf>>,
    /// What the provider says of volumes and instances.
    inventory: Inventory,
}

/// What a file is that is no table.
enum InputKind {
    Table(Table),
    Dump,
    Measured,
    Inventory,
}

struct Table {
    path: PathBuf,
    content: Content,
}

/// What is known of a table before its rows are read.
enum Content {
    /// Comma-separated, so many bytes of it.
    Text(Header, u64),
    /// By columns.
    Groups(Groups),
}

/// A part of one table that is read by itself.
pub struct Piece<'a> {
    path: &'a Path,
    part: Part<'a>,
}

enum Part<'a> {
    Stretch(&'a Header, Range<u64>),
    Group(&'a Groups, usize),
    Dumps(&'a [PathBuf]),
    Measured(&'a [PathBuf], &'a Inventory),
    Gathered(&'a GatheredRows, usize),
}

/// What a row takes of a scratch file, and how often its text is longer.
const ROW_BYTES: u64 = 16;
const TEXT_LONGER: u64 = 4;

impl Inputs {
    /// Looks at the headers of all tables; those in a folder are taken in the order of their names.
    ///
    /// # Errors
    /// When one is not there, is no file, or does not name its columns; with what to type.
    pub fn open(
        paths: &[PathBuf],
        arguments: &MetricsArguments,
        by: Option<&GroupKey>,
    ) -> Result<Self, Failure> {
        let columns = match by {
            None => arguments.columns.clone(),
            Some(by) => format!("{},by={by}", arguments.columns),
        };
        let hints = Hints { columns: &columns, values: values_of(arguments), ..Hints::default() };
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() { in_folder(path, &mut files)? } else { files.push(path.clone()) }
        }
        let mut inputs = Self {
            tables: Vec::new(),
            dumps: Vec::new(),
            measured: Vec::new(),
            inventory: Inventory::default(),
        };
        let mut measured = Vec::new();
        for path in &files {
            match InputKind::of(path, &hints)? {
                InputKind::Table(table) => inputs.tables.push(table),
                InputKind::Dump => inputs.dumps.push(path.clone()),
                InputKind::Measured => measured.push(path.clone()),
                InputKind::Inventory => {
                    let read = inputs.inventory.read(&demand_input::read(path)?);
                    read.map_err(|refusal| unread_as(path, refusal))?;
                }
            }
        }
        inputs.measured = [measured].into_iter().filter(|list| !list.is_empty()).collect();
        Ok(inputs)
    }

    /// What was read of an account: its inventory, and files with the metrics of some volumes each.
    pub fn of_reading(inventory: Inventory, metrics: Vec<PathBuf>) -> Self {
        let measured = metrics.into_iter().map(|path| vec![path]).collect();
        Self { tables: Vec::new(), dumps: Vec::new(), measured, inventory }
    }

    /// What the provider says of volumes and instances.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// A file that is neither of the provider's answers, where there is one.
    pub fn stranger(&self) -> Option<&Path> {
        let tables = self.tables.iter().map(|table| &table.path);
        tables.chain(&self.dumps).map(PathBuf::as_path).next()
    }

    /// Refuses to write over what is read.
    ///
    /// # Errors
    /// When the place is one of the files.
    pub fn check_apart(&self, place: &Path) -> Result<(), Failure> {
        let Ok(place) = place.canonicalize() else { return Ok(()) };
        let tables = self.tables.iter().map(|table| &table.path);
        let mut paths = tables.chain(&self.dumps).chain(self.measured.iter().flatten());
        if !paths.any(|path| path.canonicalize().is_ok_and(|path| path == place)) {
            return Ok(());
        }
        Err(Failure::usage(
            "--rows",
            format!("{} is one of the fleet's tables", place.display()),
            "name another file",
        ))
    }

    /// All pieces, in order, for so many threads.
    pub fn pieces(&self, threads: usize) -> Vec<Piece<'_>> {
        let pieces = |table| Piece::all(table, threads as u64);
        let dumps = self.dumps.first().map(|first| Piece { path: first, part: Part::Dumps(&self.dumps) });
        let measured = self.measured.iter().filter_map(|paths| {
            Some(Piece { path: paths.first()?, part: Part::Measured(paths, &self.inventory) })
        });
        self.tables.iter().flat_map(pieces).chain(dumps).chain(measured).collect()
    }

    /// What the rows of all tables take of a scratch file, about.
    pub fn scratch_bytes(&self) -> u64 {
        let of_table = |table: &Table| match &table.content {
            Content::Text(_, bytes) => bytes / TEXT_LONGER,
            Content::Groups(groups) => groups.rows().saturating_mul(ROW_BYTES),
        };
        let of_dump = |path: &PathBuf| path.metadata().map_or(0, |meta| meta.len() / TEXT_LONGER);
        let texts = self.dumps.iter().chain(self.measured.iter().flatten());
        self.tables.iter().map(of_table).chain(texts.map(of_dump)).fold(0, u64::saturating_add)
    }
}

/// That a file is not what it looks like.
fn unread_as(path: &Path, refusal: Refusal) -> Failure {
    let place = [path.display().to_string(), refusal.place].join(", ");
    let cause = format!("not read as {}: {}", refusal.kind.expected, refusal.cause);
    Failure::usage(place.trim_end_matches(", "), cause, refusal.remedy)
}

impl InputKind {
    /// What a file's first bytes say.
    fn of(path: &Path, hints: &Hints<'_>) -> Result<Self, Failure> {
        let place = || demand_input::shown(path);
        let unread = |error: std::io::Error| {
            Failure::usage(place(), error.to_string(), "name a file that can be read").with_source(error)
        };
        let file = File::open(path).map_err(unread)?;
        let meta = file.metadata().map_err(unread)?;
        if !meta.is_file() {
            let cause = "a fleet is read twice, from files";
            return Err(Failure::usage(place(), cause, "it has to be written to a file first"));
        }
        let refused = |refusal: Refusal| unread_as(path, refusal);
        let mut start = Vec::new();
        (&file).take(START_BYTES).read_to_end(&mut start).map_err(unread)?;
        if let Some(refusal) = is_packed(&start, &place()) {
            return Err(refused(refusal));
        }
        if is_parquet(&start) {
            let groups = Groups::open(&file, hints).map_err(refused)?;
            return Ok(Self::Table(Table { path: path.to_owned(), content: Content::Groups(groups) }));
        }
        if is_inventory(&start) {
            return Ok(Self::Inventory);
        }
        if is_measured(&start) {
            return Ok(Self::Measured);
        }
        if is_dump(&start) {
            return Ok(Self::Dump);
        }
        if start.last() != Some(&b'\n') {
            start.push(b'\n');
        }
        let header = header(&start, hints).map_err(refused)?;
        Ok(Self::Table(Table { path: path.to_owned(), content: Content::Text(header, meta.len()) }))
    }
}

/// The tables of a folder and of those in it. Names that begin with `_` or `.` are marks and drafts of the writer.
fn in_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let before = files.len();
    add_tables(folder, files, 0).map_err(|error| {
        Failure::usage(folder.display().to_string(), error.to_string(), "name a folder that can be read")
            .with_source(error)
    })?;
    if files.len() == before {
        let cause = "no .parquet or .csv is in it";
        return Err(Failure::usage(folder.display().to_string(), cause, "name the files themselves"));
    }
    Ok(())
}

fn add_tables(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) -> std::io::Result<()> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let hidden = path.file_name().is_none_or(|name| {
            name.as_encoded_bytes().starts_with(b"_") || name.as_encoded_bytes().starts_with(b".")
        });
        let is_table = path.extension().is_some_and(|ending| ending == "parquet" || ending == "csv");
        if hidden {
            continue;
        } else if path.is_dir() && depth < DEEPEST {
            add_tables(&path, files, depth + 1)?;
        } else if is_table && !path.is_dir() {
            files.push(path);
        }
    }
    Ok(())
}

impl<'a> Piece<'a> {
    fn all(table: &'a Table, threads: u64) -> Vec<Self> {
        let piece = |part| Self { path: &table.path, part };
        match &table.content {
            Content::Text(header, bytes) => {
                let each = (bytes / (threads.max(1) * PIECES_EACH)).clamp(SMALLEST_PIECE, LARGEST_PIECE);
                let starts = (0..*bytes).step_by(usize::try_from(each).unwrap_or(usize::MAX));
                let stretch = |start: u64| Part::Stretch(header, start..(start + each).min(*bytes));
                starts.map(stretch).map(piece).collect()
            }
            Content::Groups(groups) => {
                (0..groups.count()).map(|group| piece(Part::Group(groups, group))).collect()
            }
        }
    }

    /// A part of rows that were gathered.
    pub fn gathered(gathered: &'a GatheredRows, part: usize) -> Self {
        Self { path: gathered.folder(), part: Part::Gathered(gathered, part) }
    }

    /// The table's file.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Whether none of its volumes goes on in the pieces beside it.
    pub fn is_whole(&self) -> bool {
        matches!(self.part, Part::Gathered(..) | Part::Measured(..))
    }

    /// That it cannot be read.
    pub fn unread(&self, error: std::io::Error) -> Failure {
        let place = self.path.display().to_string();
        Failure::usage(place, error.to_string(), "name files that can be read to their end")
            .with_source(error)
    }

    /// What the table's values are.
    pub fn values(&self) -> Values {
        match &self.part {
            Part::Stretch(header, _) => header.layout.values,
            Part::Group(groups, _) => groups.layout.values,
            // What counters grew by; rows that were gathered say themselves what they are.
            Part::Dumps(_) | Part::Measured(..) | Part::Gathered(..) => Values::PerRow,
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// As the system reports them, or when it is damaged.
    pub fn read(&self, taker: &mut impl RunSink) -> std::io::Result<()> {
        match &self.part {
            Part::Stretch(header, stretch) => {
                read_text(File::open(self.path)?, header, stretch.clone(), taker)
            }
            Part::Group(groups, group) => groups.read(File::open(self.path)?, *group, taker),
            Part::Gathered(gathered, part) => gathered.read(*part, taker),
            Part::Measured(paths, inventory) => {
                let texts: Vec<Vec<u8>> = paths.iter().map(std::fs::read).collect::<Result<_, _>>()?;
                let refused = |refusal: Refusal| std::io::Error::new(ErrorKind::InvalidData, refusal);
                for run in runs(&texts, inventory).map_err(refused)? {
                    let is_wanted = taker.interest(run.volume.as_bytes()) == Interest::Rows;
                    let named = || Run { volume: run.volume.clone(), rows: run.rows, ..Run::default() };
                    taker.take(if is_wanted { run } else { named() });
                }
                Ok(())
            }
            Part::Dumps(paths) => {
                let mut dumps = Dumps::default();
                for path in *paths {
                    let refused = |refusal: Refusal| {
                        std::io::Error::new(ErrorKind::InvalidData, format!("{}: {refusal}", path.display()))
                    };
                    dumps.add(&std::fs::read(path)?).map_err(refused)?;
                }
                dumps.read(taker);
                Ok(())
            }
        }
    }
}
