//! The rows that `fathom size --fleet` wrote of a fleet, in memory: by columns, in the order of the volumes' names, with
//! what they add up to.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use fathom_fleet::Tally;
use fathom_record::fleet_record::{FleetRow, FleetStatus};
use fathom_rows::demand_tables::{WholeColumn, WholeKind, WordColumn, is_parquet, whole_columns};
use fathom_tools::RefusalAbout;

use crate::answer::Refusal;
use crate::page_server::{PageError, PageErrorKind};

/// Most rows: browsers scroll no further.
const ROWS_MAX: u64 = 500_000;
/// A larger amount of money, or another figure, is none.
const FIGURE_MAX: f64 = 1e15;
const REMEDY: &str = "give a file that this has written: fathom size --fleet TABLE --rows verdicts.parquet";
const REMEDY_MANY: &str = "make a smaller one: duckdb -c \"COPY (SELECT * FROM 'verdicts.parquet' ORDER BY saves_month \
                           DESC LIMIT 500000) TO 'most.parquet'\"";

const REMEDY_MIXED: &str = "make a file of each: duckdb -c \"COPY (SELECT * FROM 'verdicts.parquet' WHERE currency = \
                            'USD') TO 'usd.parquet'\"";

/// Columns with words.
const WORDS: [&str; 10] = [
    "volume",
    "group",
    "status",
    "reason",
    "rests_on",
    "offer",
    "offer_type",
    "current",
    "notes",
    "currency",
];
/// Columns with numbers.
const NUMBERS: [&str; 19] = [
    "tick_s",
    "ticks",
    "ticks_seen",
    "needs_iops",
    "needs_iops_least",
    "needs_bytes_per_s",
    "plateau_share",
    "offer_members",
    "offer_size_gib",
    "offer_iops",
    "offer_bytes_per_s",
    "offer_month",
    "offer_headroom",
    "offer_risk",
    "current_month",
    "current_holds",
    "current_headroom",
    "current_risk",
    "saves_month",
];
/// What no such file is without.
const NEEDED: [&str; 7] =
    ["volume", "status", "offer", "offer_month", "offer_risk", "current_month", "saves_month"];

/// Rows by columns.
#[derive(Debug)]
pub(crate) struct FleetTable {
    /// The file's name without folders.
    pub(crate) name: String,
    /// Another file under the name has another.
    pub(crate) stamp: String,
    /// How many rows there are.
    pub(crate) rows: usize,
    /// What they add up to.
    pub(crate) tally: Tally,
    /// In the order of [`WORDS`], and then of [`NUMBERS`].
    columns: Vec<Option<WholeColumn>>,
    /// Each row's name in small letters.
    small_names: Vec<String>,
}

/// Where a fleet's rows lie, and what was read there.
#[derive(Debug)]
pub(crate) struct FleetPlace {
    path: PathBuf,
    opened: Option<(Stamp, FleetTable)>,
}

/// What another file under the name has differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    changed: Option<SystemTime>,
    made: Option<SystemTime>,
}

impl Stamp {
    fn text(self) -> String {
        let since = |at: Option<SystemTime>| {
            at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok())
                .map_or(0, |since| since.as_nanos())
        };
        format!("{:x}-{:x}-{:x}", self.bytes, since(self.changed), since(self.made))
    }
}

/// Refuses a file that cannot be the rows of a fleet, as soon as it is named.
pub(crate) fn admit(path: &Path) -> Result<(), PageError> {
    let refuse = |cause: String| {
        let place = format!("the fleet {}", path.display());
        PageError::new(PageErrorKind::Fleet, place, cause).with_remedy(REMEDY)
    };
    let mut start = [0u8; 4];
    match File::open(path).and_then(|mut file| file.read_exact(&mut start)) {
        Err(error) => Err(refuse(error.to_string()).with_source(error)),
        Ok(()) if is_parquet(&start) => Ok(()),
        Ok(()) => Err(refuse("it is not Parquet".to_owned())),
    }
}

impl FleetPlace {
    pub(crate) fn of(path: PathBuf) -> Self {
        Self { path, opened: None }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The rows, read again where the file is another one.
    pub(crate) fn table(&mut self) -> Result<&FleetTable, Refusal> {
        let place = format!("reading the fleet {}", self.path.display());
        let failed = |error: std::io::Error| {
            Refusal::new(404, "not_found", error.to_string()).at(&place).with_remedy(REMEDY)
        };
        let file = File::open(&self.path).map_err(failed)?;
        let facts = file.metadata().map_err(failed)?;
        let stamp = Stamp { bytes: facts.len(), changed: facts.modified().ok(), made: facts.created().ok() };
        let table = match self.opened.take() {
            Some((known, table)) if known == stamp => table,
            _ => {
                let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                FleetTable::read(file, name, stamp.text()).map_err(|refusal| refusal.at(&place))?
            }
        };
        Ok(&self.opened.insert((stamp, table)).1)
    }
}

impl FleetTable {
    fn read(file: File, name: String, stamp: String) -> Result<Self, Refusal> {
        let words = WORDS.map(|name| (name, WholeKind::Words));
        let wanted: Vec<_> =
            words.into_iter().chain(NUMBERS.map(|name| (name, WholeKind::Numbers))).collect();
        let mut columns = whole_columns(&Arc::new(file), &wanted, ROWS_MAX).map_err(|refusal| {
            let remedy = if refusal.kind.about == RefusalAbout::TooMany { REMEDY_MANY } else { REMEDY };
            Refusal::from(refusal).with_remedy(remedy)
        })?;
        let lacking = |name: &&&str| {
            wanted.iter().zip(&columns).all(|((known, _), column)| *known != **name || column.is_none())
        };
        let lacking: Vec<&str> = NEEDED.iter().filter(lacking).copied().collect();
        if !lacking.is_empty() {
            let cause = format!("it has no column {}", lacking.join(", no "));
            return Err(Refusal::new(422, "foreign", cause).with_remedy(REMEDY));
        }
        sort(&mut columns);
        let mut table =
            Self { name, stamp, rows: 0, tally: Tally::default(), columns, small_names: Vec::new() };
        table.rows = table.words("volume").map_or(0, |names| names.places.len());
        if let [first, second, ..] = table.currencies() {
            let cause = format!("its amounts are in {first} and in {second}, which do not add up");
            return Err(Refusal::new(422, "foreign", cause).with_remedy(REMEDY_MIXED));
        }
        for row in 0..table.rows {
            let whole = table.row(row)?;
            table.tally.put(&whole);
            table.small_names.push(whole.volume.to_lowercase());
        }
        Ok(table)
    }

    /// A column with words.
    pub(crate) fn words(&self, name: &str) -> Option<&WordColumn> {
        let at = WORDS.iter().position(|known| *known == name)?;
        match self.columns.get(at)?.as_ref()? {
            WholeColumn::Words(column) => Some(column),
            WholeColumn::Numbers(_) => None,
        }
    }

    /// The currency of its amounts, as `USD`; absent where the file does not say.
    pub(crate) fn currency(&self) -> Option<&str> {
        self.currencies().first().map(String::as_str)
    }

    fn currencies(&self) -> &[String] {
        self.words("currency").map_or(&[], |column| &column.words)
    }

    /// A column with numbers; what is not known is not a number.
    pub(crate) fn numbers(&self, name: &str) -> Option<&[f64]> {
        let at = WORDS.len() + NUMBERS.iter().position(|known| *known == name)?;
        match self.columns.get(at)?.as_ref()? {
            WholeColumn::Numbers(values) => Some(values),
            WholeColumn::Words(_) => None,
        }
    }

    /// The columns that it has.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let all = WORDS.into_iter().chain(NUMBERS);
        all.zip(&self.columns).filter_map(|(name, column)| column.as_ref().map(|_| name))
    }

    /// Rows whose names hold this, whatever the size of the letters.
    pub(crate) fn found(&self, part: &str) -> Vec<u32> {
        let part = part.to_lowercase();
        let names = self.small_names.iter().enumerate();
        names.filter(|(_, name)| name.contains(&part)).map(|(row, _)| row as u32).collect()
    }

    /// One row in whole.
    ///
    /// # Errors
    /// When nothing is known to have come of it.
    pub(crate) fn row(&self, row: usize) -> Result<FleetRow, Refusal> {
        let word = |name: &str| self.words(name).and_then(|column| column.word(row)).map(str::to_owned);
        let figure = |name: &str| {
            let value = self.numbers(name).and_then(|values| values.get(row)).copied();
            value.filter(|value| value.abs() <= FIGURE_MAX)
        };
        let whole = |name: &str| figure(name).filter(|value| *value >= 0.0).map(|value| value as u64);
        let share = |name: &str| figure(name).filter(|value| (0.0..=1.0).contains(value));
        let volume = word("volume").unwrap_or_default();
        let status = word("status").unwrap_or_default();
        Ok(FleetRow {
            status: match status.as_str() {
                "sized" => FleetStatus::Sized,
                "throttled" => FleetStatus::Throttled,
                "not_judged" => FleetStatus::NotJudged,
                other => {
                    let cause = format!(
                        "the status of {volume:?} is {other:?}, and not sized, throttled or not_judged"
                    );
                    return Err(Refusal::new(422, "foreign", cause).with_remedy(REMEDY));
                }
            },
            volume,
            group: word("group"),
            reason: word("reason").unwrap_or_default(),
            tick_s: whole("tick_s"),
            ticks: whole("ticks"),
            ticks_seen: whole("ticks_seen"),
            needs_iops: whole("needs_iops"),
            needs_iops_least: whole("needs_iops_least"),
            rests_on: word("rests_on"),
            needs_bytes_per_s: whole("needs_bytes_per_s"),
            plateau_share: share("plateau_share"),
            offer: word("offer"),
            offer_type: word("offer_type"),
            offer_members: whole("offer_members"),
            offer_size_gib: whole("offer_size_gib"),
            offer_iops: whole("offer_iops"),
            offer_bytes_per_s: whole("offer_bytes_per_s"),
            offer_month: figure("offer_month"),
            offer_headroom: figure("offer_headroom"),
            offer_risk: share("offer_risk"),
            current: word("current"),
            current_month: figure("current_month"),
            current_holds: figure("current_holds").map(|holds| holds != 0.0),
            current_headroom: figure("current_headroom"),
            current_risk: share("current_risk"),
            saves_month: figure("saves_month"),
            notes: word("notes").into_iter().collect(),
        })
    }
}

/// Puts rows in the order of their names, and the words of other columns in that of the alphabet.
fn sort(columns: &mut [Option<WholeColumn>]) {
    let Some(Some(WholeColumn::Words(names))) = columns.first() else { return };
    let small: Vec<String> = names.words.iter().map(|name| name.to_lowercase()).collect();
    let key = |row: &u32| {
        let place = names.places[*row as usize] as usize;
        (small.get(place), names.words.get(place), *row)
    };
    let mut order: Vec<u32> = (0..names.places.len() as u32).collect();
    order.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    for column in columns.iter_mut().flatten() {
        match column {
            WholeColumn::Numbers(values) => *values = put(&order, values),
            WholeColumn::Words(column) => {
                column.sort();
                column.places = put(&order, &column.places);
            }
        }
    }
}

fn put<T: Copy>(order: &[u32], values: &[T]) -> Vec<T> {
    order.iter().map(|row| values[*row as usize]).collect()
}

#[cfg(test)]
mod tests;
