//! The file that takes a row for each volume.

use std::io::{self, BufWriter};
use std::path::Path;

use fathom_export::row_writer::{RowForm, RowWriter};
use fathom_export::{GroupedRow, PricedRow};
use fathom_record::fleet_record::FleetRow;

use crate::failure::Failure;
use crate::output_file::{Content, OutputFile};

/// Takes a volume's row, and the currency of its amounts.
pub type TakeRow<'a> = dyn FnMut(&FleetRow, &str) -> io::Result<()> + 'a;

/// Writes what a reading finds, row by row, with a column of groups where there are some. What the reading itself refuses
/// comes before what the file does.
///
/// # Errors
/// As the reading, or as the system reports them.
pub fn write_rows(
    file: &OutputFile,
    form: RowForm,
    grouped: bool,
    mut read: impl FnMut(&mut TakeRow<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut outcome = Ok(());
    let written = file.fill(|out| {
        let out = BufWriter::new(out);
        let mut writer = if grouped {
            RowWriter::begin::<GroupedRow<'_>>(form, out)?
        } else {
            RowWriter::begin::<PricedRow<'_>>(form, out)?
        };
        outcome = read(&mut |row, currency| {
            let row = PricedRow { row, currency };
            if grouped { writer.row(&GroupedRow(row)) } else { writer.row(&row) }
        });
        if outcome.is_err() {
            return Err(io::Error::other("not read to its end"));
        }
        writer.finish()
    });
    outcome?;
    written
}

/// The file, and its form by its ending.
///
/// # Errors
/// When the ending names none, or the file may not be written.
pub fn rows_file(path: &Path, force: bool) -> Result<(OutputFile, RowForm), Failure> {
    let form = RowForm::of(path).ok_or_else(|| {
        let cause = format!("{} has no ending that names a form", path.display());
        Failure::usage("--rows", cause, "end it with .csv, .jsonl or .parquet")
    })?;
    Ok((OutputFile::check(path, Content::Foreign { force })?, form))
}
