//! The run store as commands use it: where it lies, and what a name in it stands for.

use std::path::{Path, PathBuf};

use fathom_record::{CampaignRecord, RunRecord, shell_word};
use fathom_report::runs_drawn;
use fathom_store::{RunFilter, Store, StoreError, StoreErrorKind, StoredId, default_path, raw_folder};

use crate::config::Config;
use crate::failure::Failure;

/// Names the store where no flag does.
const VARIABLE: &str = "FATHOM_STORE";

/// Where the store is to be, before it is opened.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// A flag names it.
    Named(PathBuf),
    /// The environment does.
    Environment(PathBuf),
    /// The config file does.
    Config(PathBuf),
    /// Where the user's data is.
    Default,
}

impl StorePlace {
    /// At the place that was named: by a flag, the environment or the config file; otherwise where the user's data is.
    ///
    /// # Errors
    /// When the config file has an error.
    pub fn of(named: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(path) = named {
            return Ok(Self::Named(path));
        }
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            return Ok(Self::Environment(path.into()));
        }
        Ok(Config::read()?.store().map_or(Self::Default, Self::Config))
    }

    /// The file that was named, if one was.
    pub fn named(&self) -> Option<&Path> {
        match self {
            Self::Named(path) | Self::Environment(path) | Self::Config(path) => Some(path),
            Self::Default => None,
        }
    }

    /// What put it there, in a word for programs.
    pub fn origin(&self) -> &'static str {
        match self {
            Self::Named(_) => "flag",
            Self::Environment(_) => "environment",
            Self::Config(_) => "config",
            Self::Default => "default",
        }
    }

    /// The store's file.
    ///
    /// # Errors
    /// When nobody knows where the user's data is.
    pub fn path(&self) -> Result<PathBuf, StoreError> {
        match self.named() {
            Some(path) => Ok(path.to_owned()),
            None => default_path(|name| std::env::var_os(name)),
        }
    }

    /// Folder beside the store for what other tools print.
    ///
    /// # Errors
    /// When nobody knows where the user's data is.
    pub fn raw_folder(&self) -> Result<PathBuf, StoreError> {
        Ok(raw_folder(&self.path()?))
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
            Err(error) if error.kind == StoreErrorKind::NoStore => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The words that a further command needs to find the same store, with a space in front; none where it would
    /// find it by itself.
    pub fn flag(&self) -> String {
        match self {
            Self::Named(path) => format!(" --store {}", shell_word(&path.to_string_lossy())),
            Self::Environment(_) | Self::Config(_) | Self::Default => String::new(),
        }
    }
}

/// A run or a campaign, read.
#[derive(Debug)]
pub enum StoredItem {
    /// A run.
    Run(Box<RunRecord>),
    /// A campaign.
    Campaign(Box<CampaignRecord>),
}

/// What a name stands for, and the store that holds it.
///
/// # Errors
/// When there is no such name, or what is there is damaged.
pub fn find(place: &StorePlace, name: &str) -> Result<(StoredItem, Store), Failure> {
    let store = existing(place, name)?;
    let found = match store.resolve(name)? {
        StoredId::Run(id) => StoredItem::Run(Box::new(store.run(&id)?)),
        StoredId::Campaign(id) => StoredItem::Campaign(Box::new(store.campaign(&id)?)),
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
