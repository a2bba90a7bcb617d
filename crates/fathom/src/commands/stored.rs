//! The run store as commands use it: where it lies, and what a name in it stands for.

use std::path::{Path, PathBuf};

use fathom_record::{CampaignRecord, RunRecord, shell_word};
use fathom_report::runs_drawn;
use fathom_store::{Resolved, RunFilter, Store, StoreError, StoreErrorKind, default_path};

use crate::failure::Failure;

/// Where the store is to be, before it is opened.
#[derive(Clone, Debug)]
pub struct StorePlace(Option<PathBuf>);

impl StorePlace {
    /// At the place that was named, or where the user's data is.
    pub fn new(named: Option<PathBuf>) -> Self {
        Self(named)
    }

    /// The file that was named, if one was.
    pub fn named(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    fn path(&self) -> Result<PathBuf, StoreError> {
        self.0.clone().map_or_else(|| default_path(|name| std::env::var_os(name)), Ok)
    }

    /// Folder beside the store for what other tools print.
    ///
    /// # Errors
    /// When nobody knows where the user's data is.
    pub fn raw_folder(&self) -> Result<PathBuf, StoreError> {
        let mut path = self.path()?.into_os_string();
        path.push(".raw");
        Ok(path.into())
    }

    /// Opens the store for saving; makes it if there is none.
    ///
    /// # Errors
    /// As the store reports them.
    pub fn open(&self) -> Result<Store, StoreError> {
        Store::open(&self.path()?)
    }

    /// Opens the store for reading; `None` when nothing was ever saved.
    ///
    /// # Errors
    /// As the store reports them.
    pub fn open_existing(&self) -> Result<Option<Store>, StoreError> {
        match Store::open_read_only(&self.path()?) {
            Ok(store) => Ok(Some(store)),
            Err(error) if error.kind == StoreErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The words that a further command needs to find the same store, with a space in front.
    pub fn flag(&self) -> String {
        let word = |path: &PathBuf| format!(" --store {}", shell_word(&path.to_string_lossy()));
        self.0.as_ref().map_or_else(String::new, word)
    }
}

/// A run or a campaign, read.
#[derive(Debug)]
pub enum Found {
    /// A run.
    Run(Box<RunRecord>),
    /// A campaign.
    Campaign(Box<CampaignRecord>),
}

/// What a name stands for, and the store that holds it.
///
/// # Errors
/// When there is no such name, or what is there is damaged.
pub fn find(place: &StorePlace, name: &str) -> Result<(Found, Store), Failure> {
    let store = existing(place, name)?;
    let found = match store.resolve(name)? {
        Resolved::Run(id) => Found::Run(Box::new(store.run(&id)?)),
        Resolved::Campaign(id) => Found::Campaign(Box::new(store.campaign(&id)?)),
    };
    Ok((found, store))
}

/// The store in which `name` is to be found.
///
/// # Errors
/// When nothing was saved yet, or it cannot be read.
pub fn existing(place: &StorePlace, name: &str) -> Result<Store, Failure> {
    place.open_existing()?.ok_or_else(|| Failure {
        kind: "not_found",
        ..Failure::usage(
            format!("looking for `{name}`"),
            "nothing was saved yet",
            "to measure something type: fathom assess .",
        )
    })
}

/// The runs of a campaign, oldest first, with their series where its report draws them: a thousand long
/// runs with all their seconds would fill the memory. One that cannot be read is told and left out.
///
/// # Errors
/// When the store cannot be listed.
pub fn runs_of(store: &Store, campaign: &CampaignRecord) -> Result<Vec<RunRecord>, Failure> {
    let filter = RunFilter { campaign: Some(campaign.id().to_owned()), ..RunFilter::default() };
    let mut runs = Vec::new();
    for row in store.runs(&filter)?.iter().rev() {
        match store.run_without_series(&row.id) {
            Ok(run) => runs.push(run),
            Err(error) => Failure::from(error).warn(),
        }
    }
    complete_drawn(store, campaign, &mut runs);
    Ok(runs)
}

/// Gives the runs whose series a campaign's report draws all that was saved of them. One that cannot be
/// read is told and stays as it is.
pub fn complete_drawn(store: &Store, campaign: &CampaignRecord, runs: &mut [RunRecord]) {
    for id in runs_drawn(campaign, runs) {
        let Some(run) = runs.iter_mut().find(|run| run.id == id) else { continue };
        match store.run(&id) {
            Ok(whole) => *run = whole,
            Err(error) => Failure::from(error).warn(),
        }
    }
}
