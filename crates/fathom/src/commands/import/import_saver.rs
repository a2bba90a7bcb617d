//! What was read, into the store: runs as they come, and telemetry beside the run that it belongs to.

use std::path::{Path, PathBuf};

use fathom_campaign::calendar_now;
use fathom_order::InOrder;
use fathom_record::RunRecord;
use fathom_store::{ImportRow, Store, StoreErrorKind};
use fathom_tools::result_import::{
    Attachment, Context, FileOutcome, ForeignTelemetry, ImportedItem, alone, attach, name,
};

use super::input_files::InputFile;
use crate::failure::Failure;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: PathBuf,
    pub is_named: bool,
    /// `read`, `known`, `skipped` or `refused`.
    pub state: State,
    /// What read it, in words.
    pub format: String,
    /// Ids of its runs, or of the run that it was put beside.
    pub runs: Vec<String>,
    /// Oddities that were handled, or why it was not read.
    pub remarks: Vec<String>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Read,
    Known,
    Skipped,
    Refused,
}

/// Telemetry that waits until all runs are there.
struct PendingTelemetry {
    entry: usize,
    import: ImportRow,
    found: Vec<ForeignTelemetry>,
}

/// Saves what comes.
pub struct ImportSaver<'a> {
    store: &'a Store,
    beside: Option<String>,
    entries: Vec<Entry>,
    waiting: Vec<PendingTelemetry>,
}

impl<'a> ImportSaver<'a> {
    /// Into this store; `beside` is the run that telemetry is for.
    pub fn new(store: &'a Store, beside: Option<String>) -> Self {
        Self { store, beside, entries: Vec::new(), waiting: Vec::new() }
    }

    /// Takes a file's outcome.
    ///
    /// # Errors
    /// When the store fails.
    pub fn take(&mut self, file: &InputFile, outcome: FileOutcome) -> Result<(), Failure> {
        let mut entry = Entry {
            path: file.path.clone(),
            is_named: file.is_named,
            state: State::Skipped,
            format: String::new(),
            runs: Vec::new(),
            remarks: Vec::new(),
        };
        match outcome {
            FileOutcome::Known => entry.state = State::Known,
            FileOutcome::Unrecognised(fault) => entry.remarks.push(fault.in_one_line()),
            FileOutcome::Failed(error) => {
                entry.state = State::Refused;
                entry.remarks.push(error.to_string());
            }
            FileOutcome::Refused { importer, refusal } => {
                (entry.state, entry.format) = (State::Refused, importer.title.to_owned());
                entry.remarks.push(refusal.to_string());
            }
            FileOutcome::Read { importer, sha256, found } => {
                entry.format = importer.title.to_owned();
                let file = file.path.file_name().map(|name| name.to_string_lossy().into_owned());
                let import = ImportRow {
                    sha256,
                    file: file.unwrap_or_default(),
                    importer: importer.name.to_owned(),
                    at: calendar_now(),
                };
                return self.keep(entry, import, found);
            }
        }
        self.entries.push(entry);
        Ok(())
    }

    fn keep(&mut self, mut entry: Entry, import: ImportRow, found: Vec<ImportedItem>) -> Result<(), Failure> {
        entry.state = State::Read;
        let (mut runs, mut telemetry) = (Vec::new(), Vec::new());
        for imported in found {
            match imported {
                ImportedItem::Run(run) => runs.push(*run),
                ImportedItem::Telemetry(found) => telemetry.push(*found),
            }
        }
        let origins =
            runs.iter().filter_map(|run| run.origin.as_ref()).chain(telemetry.iter().map(|t| &t.origin));
        for quirk in origins.flat_map(|origin| &origin.quirks) {
            if !entry.remarks.contains(&quirk.what) {
                entry.remarks.push(quirk.what.clone());
            }
        }
        if !runs.is_empty() || telemetry.is_empty() {
            match self.store.put_import(&import, &runs) {
                Ok(()) => entry.runs = runs.into_iter().map(|run| run.id).collect(),
                // A record of fathom's own that was measured here, or came by another file.
                Err(error) if error.kind == StoreErrorKind::Exists => entry.state = State::Known,
                Err(error) => return Err(error.into()),
            }
        }
        if !telemetry.is_empty() {
            self.waiting.push(PendingTelemetry { entry: self.entries.len(), import, found: telemetry });
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Places the telemetry, and gives what became of each file.
    ///
    /// # Errors
    /// When the store fails.
    pub fn finish(mut self) -> Result<Vec<Entry>, Failure> {
        for waiting in std::mem::take(&mut self.waiting) {
            self.place(waiting)?;
        }
        self.entries.put_in_order_by(|a, b| a.path.cmp(&b.path));
        Ok(self.entries)
    }

    fn place(&mut self, waiting: PendingTelemetry) -> Result<(), Failure> {
        let PendingTelemetry { entry, import, found } = waiting;
        let chosen = match &self.beside {
            Some(id) => Some(id.clone()),
            None => self.beside_in_folder(entry, &found)?,
        };
        if let Some(id) = chosen {
            let mut run = self.store.run(&id)?;
            let placed = found.iter().all(|found| attach(&mut run, found) != Attachment::Apart);
            if placed {
                self.store.put_import_beside(&import, &run)?;
                self.entries[entry].remarks.push(format!("attached to run {id}"));
                self.entries[entry].runs.push(id);
                return Ok(());
            }
            self.entries[entry].remarks.push(format!("not attached to run {id}: it ran at another time"));
        }
        let context = Context { file_name: import.file.clone(), changed_at: import.at.clone() };
        let mut runs: Vec<RunRecord> = found.into_iter().map(|found| alone(found, &context)).collect();
        for (number, run) in runs.iter_mut().enumerate() {
            name(run, &import.sha256, number);
        }
        self.store.put_import(&import, &runs)?;
        self.entries[entry].runs.extend(runs.into_iter().map(|run| run.id));
        Ok(())
    }

    /// The run of the same folder that the telemetry is of: the one that ran at its time, or the only one.
    fn beside_in_folder(&self, entry: usize, found: &[ForeignTelemetry]) -> Result<Option<String>, Failure> {
        let folder = |path: &Path| path.parent().map(Path::to_path_buf);
        let own = folder(&self.entries[entry].path);
        let in_folder =
            self.entries.iter().filter(|other| folder(&other.path) == own && other.state == State::Read);
        let ids: Vec<&String> = in_folder.flat_map(|other| &other.runs).collect();
        let mut fitting = Vec::new();
        for id in &ids {
            let mut run = self.store.run_without_series(id)?;
            if run.summary.directions.is_empty() {
                continue;
            }
            match found.iter().map(|found| attach(&mut run, found)).next() {
                Some(Attachment::ByTime) => fitting.push((*id).clone()),
                Some(Attachment::BySameStart) if ids.len() == 1 => fitting.push((*id).clone()),
                _ => {}
            }
        }
        Ok(match fitting.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        })
    }
}
