//! `fathom export`: records in forms that other tools read.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use fathom_export::Form;
use fathom_record::RunRecord;
use fathom_store::{RunFilter, Store, StoreError};

use super::store_access::{StorePlace, StoredItem, find};
use crate::arguments::{ExportArguments, ExportForm};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// Writes it to the file that was named, or to stdout.
///
/// # Errors
/// When there is no such name, the file is there already, or it cannot be written.
pub fn perform(place: &StorePlace, arguments: &ExportArguments) -> Result<Status, Failure> {
    let form = match arguments.form {
        ExportForm::Csv => Form::Csv,
        ExportForm::Parquet => Form::Parquet,
        ExportForm::OpenMetrics => Form::OpenMetrics,
        ExportForm::FioJson => Form::FioJson,
    };
    let content = Content::Foreign { force: arguments.force };
    let file = arguments.output.as_deref().map(|path| OutputFile::check(path, content)).transpose()?;
    if file.is_none() && !form.is_text() && io::stdout().is_terminal() {
        let remedy = "name a file: add --output FILE\nor send it on: fathom export ... > FILE";
        return Err(Failure::usage("stdout", "this form is not for a terminal", remedy));
    }
    if file.is_none() && crate::stdout::was_closed() {
        return Err(output::stdout_closed());
    }
    let (found, store) = find(place, &arguments.name)?;
    let ids = match &found {
        StoredItem::Run(_) => Vec::new(),
        StoredItem::Campaign(campaign) => {
            let filter = RunFilter { campaign: Some(campaign.id().to_owned()), ..RunFilter::default() };
            store.runs(&filter)?.into_iter().rev().map(|row| row.id).collect()
        }
    };
    let runs = Runs { found: &found, ids, store: &store };
    match file {
        Some(file) => {
            let mut left_out = 0;
            file.fill(|out| runs.write(form, out).map(|count| left_out = count))?;
            output::message(&format!("wrote {}", file.name().display()));
            Ok(status(left_out))
        }
        None => match runs.write(form, io::stdout().lock()) {
            Ok(left_out) => Ok(status(left_out)),
            // A reader that has gone, as `head` does, is no failure.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Status::Done),
            Err(error) => Err(Failure::system("writing to stdout", error)),
        },
    }
}

fn status(left_out: u64) -> Status {
    if left_out == 0 { Status::Done } else { Status::Invalid }
}

/// What is written, one run in memory at a time.
struct Runs<'a> {
    found: &'a StoredItem,
    ids: Vec<String>,
    store: &'a Store,
}

impl Runs<'_> {
    /// Writes all runs; how many could not be read, which is told.
    fn write(&self, form: Form, out: impl Write) -> io::Result<u64> {
        let mut exporter = form.begin(BufWriter::new(out))?;
        let mut left_out = 0;
        if let StoredItem::Run(run) = self.found {
            exporter.run(run)?;
        }
        for run in self.ids.iter().map(|id| self.read(id)) {
            match run {
                Ok(run) => exporter.run(&run)?,
                Err(error) => {
                    Failure::from(error).warn();
                    left_out += 1;
                }
            }
        }
        exporter.finish()?;
        Ok(left_out)
    }

    fn read(&self, id: &str) -> Result<RunRecord, StoreError> {
        self.store.run(id)
    }
}
