//! A CSV file of the catalogue, whose rows are found by their first column and changed cell by cell.

use std::fmt;
use std::path::Path;

/// A file in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added(String),
    /// Cells of it changed: column, before, now.
    Changed(String, Vec<(String, String, String)>),
    /// The API does not name it any more; it stays.
    Gone(String),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(row) => write!(f, "new      {row}"),
            Self::Gone(row) => write!(f, "unnamed  {row}"),
            Self::Changed(row, cells) => {
                let cell =
                    |(column, before, now): &(String, String, String)| format!("{column} {before} -> {now}");
                write!(f, "changed  {row}: {}", cells.iter().map(cell).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl Change {
    /// How many of each.
    pub fn summary(changes: &[Self]) -> String {
        let count = |kind: fn(&Self) -> bool| changes.iter().filter(|change| kind(change)).count();
        let added = count(|change| matches!(change, Self::Added(_)));
        let changed = count(|change| matches!(change, Self::Changed(..)));
        let gone = count(|change| matches!(change, Self::Gone(_)));
        format!("{added} new, {changed} changed, {gone} no longer named")
    }
}

impl Sheet {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or a row has another number of cells than the first.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns =
            reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect();
        let row = |row: csv::Result<csv::StringRecord>| {
            row.map(|row| row.iter().map(str::to_owned).collect()).map_err(|error| error.to_string())
        };
        let rows = reader.records().map(row).collect::<Result<_, _>>()?;
        Ok(Self { columns, rows })
    }

    /// Index of a column.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn column(&self, name: &str) -> Result<usize, String> {
        self.columns.iter().position(|column| column == name).ok_or_else(|| format!("no column `{name}`"))
    }

    /// Whether there is such a column.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column == name)
    }

    /// Sets cells of a row; the columns that changed by more than how a number is written.
    ///
    /// # Errors
    /// A column that the file does not have.
    pub fn set(
        &mut self,
        row: usize,
        cells: &[(&str, &str)],
    ) -> Result<Vec<(String, String, String)>, String> {
        let mut changed = Vec::new();
        for (name, value) in cells {
            let column = self.column(name)?;
            let Some(cell) = self.rows.get_mut(row).and_then(|row| row.get_mut(column)) else { continue };
            if !same(cell, value) {
                changed.push(((*name).to_owned(), cell.clone(), (*value).to_owned()));
                *cell = (*value).to_owned();
            }
        }
        Ok(changed)
    }

    /// The row whose first cell is that of `cells`, made at its place in the order if there is none, with these
    /// cells.
    ///
    /// # Errors
    /// A column that the file does not have.
    pub fn put(&mut self, cells: &[(&str, &str)]) -> Result<Option<Change>, String> {
        let Some((_, key)) = cells.first() else { return Ok(None) };
        let first = |row: &Vec<String>| row.first().map(String::as_str).unwrap_or_default().to_owned();
        if let Some(at) = self.rows.iter().position(|row| first(row) == *key) {
            let changed = self.set(at, cells)?;
            return Ok((!changed.is_empty()).then(|| Change::Changed((*key).to_owned(), changed)));
        }
        let sorted = self.rows.is_sorted_by_key(first);
        let at = if sorted {
            self.rows.partition_point(|row| first(row).as_str() < *key)
        } else {
            self.rows.len()
        };
        self.rows.insert(at, vec![String::new(); self.columns.len()]);
        self.set(at, cells)?;
        Ok(Some(Change::Added((*key).to_owned())))
    }

    /// Writes it, beside the file and then over it, so that no half of it is ever there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let said = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.columns).map_err(|error| said(&error))?;
        for row in &self.rows {
            writer.write_record(row).map_err(|error| said(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| said(&error))?;
        let beside = path.with_extension("csv.new");
        std::fs::write(&beside, bytes)
            .and_then(|()| std::fs::rename(&beside, path))
            .map_err(|error| said(&error))
    }
}

/// Equal as text or as numbers.
fn same(a: &str, b: &str) -> bool {
    a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_changed_cell_by_cell_and_new_ones_keep_the_order() {
        let mut sheet = Sheet::parse("key,a,b\nm,1,x\nz,2,\"y, z\"\n").unwrap();
        assert_eq!(sheet.put(&[("key", "m"), ("a", "1.0")]).unwrap(), None, "the same number");
        let changed = sheet.put(&[("key", "z"), ("a", "3")]).unwrap().unwrap();
        assert_eq!(changed.to_string(), "changed  z: a 2 -> 3");
        assert_eq!(sheet.put(&[("key", "n"), ("b", "q")]).unwrap(), Some(Change::Added("n".to_owned())));
        let keys: Vec<&str> = sheet.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(keys, ["m", "n", "z"]);
        assert!(sheet.put(&[("key", "n"), ("c", "q")]).unwrap_err().contains("no column `c`"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        sheet.write(&path).unwrap();
        assert_eq!(Sheet::read(&path).unwrap(), sheet);
    }
}
