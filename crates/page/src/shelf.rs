//! The stores and fleets that are served, by number: opened for reading, and again where their file was replaced.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use fathom_store::{RunFacets, Store, StoreError};

use crate::answer::{IntervalRange, Refusal, Seconds};
use crate::deadline::Deadline;
use crate::fleet_table::{FleetPlace, FleetTable};

/// Stores by number, from 0.
#[derive(Debug)]
pub struct Shelf {
    places: Vec<Place>,
    fleets: Vec<FleetPlace>,
    is_editable: bool,
}

#[derive(Debug)]
struct Place {
    path: PathBuf,
    opened: Option<OpenStore>,
}

/// A store, and when its file was made: another file under the name has another moment. One that another process brings
/// up to date has tables for which something else stands in here.
#[derive(Debug)]
struct OpenStore {
    store: Store,
    deadline: Deadline,
    made: Option<SystemTime>,
    version: i64,
    /// The values of all runs, and the data that they are of: counting takes a second where there are many.
    facets: Option<(i64, RunFacets)>,
    /// The seconds that were read last, and the data that they are of: a chart and the heat map below it are of the same.
    seconds: Option<CachedSeconds>,
}

/// Seconds of a run, as they were asked for.
#[derive(Debug)]
struct CachedSeconds {
    data: i64,
    id: String,
    cut: IntervalRange,
    seconds: Arc<Seconds>,
}

impl Shelf {
    /// Stores at these places; they are opened when they are first asked.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        let places = paths.into_iter().map(|path| Place { path, opened: None }).collect();
        Self { places, fleets: Vec::new(), is_editable: false }
    }

    /// The same with the rows of fleets beside the stores.
    #[must_use]
    pub fn with_fleets(mut self, paths: Vec<PathBuf>) -> Self {
        self.fleets = paths.into_iter().map(FleetPlace::of).collect();
        self
    }

    /// The same, saying that what people say may be changed.
    #[must_use]
    pub(crate) fn editable(mut self, is_editable: bool) -> Self {
        self.is_editable = is_editable;
        self
    }

    /// Whether what people say may be changed.
    pub(crate) fn is_editable(&self) -> bool {
        self.is_editable
    }

    /// Where the stores lie, in the order of their numbers.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().map(|place| place.path.as_path())
    }

    /// The store of that number, open; `None` where there is none of it.
    ///
    /// # Errors
    /// When it cannot be opened, or its file has gone.
    pub fn store(&mut self, number: usize) -> Option<Result<&Store, StoreError>> {
        self.places.get_mut(number).map(Place::store)
    }

    /// The values of all runs of the store of that number, counted again where it has changed; `None` where there is none of it.
    pub(crate) fn facets(&mut self, number: usize) -> Option<Result<RunFacets, StoreError>> {
        self.places.get_mut(number).map(Place::facets)
    }

    /// The seconds of a run in the store of that number; `None` where there is none of it.
    pub(crate) fn seconds(
        &mut self,
        number: usize,
        id: &str,
        cut: IntervalRange,
    ) -> Option<Result<Arc<Seconds>, Refusal>> {
        self.places.get_mut(number).map(|place| place.seconds(id, cut))
    }

    /// The store of that number, for one change of what people say while that has come as far as they saw.
    pub(crate) fn store_to_change(
        &mut self,
        number: usize,
        sequence: i64,
    ) -> Option<Result<Store, StoreError>> {
        let place = self.places.get_mut(number)?;
        // One that is not there is not made.
        let found = place.store().map(|_| ());
        Some(found.and_then(|()| Store::open(&place.path)).map(|store| store.only_at(sequence)))
    }

    /// Where the rows of fleets lie, in the order of their numbers.
    pub(crate) fn fleet_paths(&self) -> impl Iterator<Item = &Path> {
        self.fleets.iter().map(FleetPlace::path)
    }

    /// The fleet of that number, read; `None` where there is none of it.
    pub(crate) fn fleet(&mut self, number: usize) -> Option<Result<&FleetTable, Refusal>> {
        self.fleets.get_mut(number).map(FleetPlace::table)
    }
}

impl Place {
    fn store(&mut self) -> Result<&Store, StoreError> {
        self.opened().map(|opened| &opened.store)
    }

    fn facets(&mut self) -> Result<RunFacets, StoreError> {
        let opened = self.opened()?;
        let data = opened.store.data_version()?;
        if let Some((known, facets)) = &opened.facets
            && *known == data
        {
            return Ok(facets.clone());
        }
        let facets = opened.store.run_facets(&[])?;
        opened.facets = Some((data, facets.clone()));
        Ok(facets)
    }

    fn seconds(&mut self, id: &str, cut: IntervalRange) -> Result<Arc<Seconds>, Refusal> {
        let opened = self.opened()?;
        let data = opened.store.data_version()?;
        let is_same = |kept: &&CachedSeconds| (kept.data, kept.id.as_str(), kept.cut) == (data, id, cut);
        if let Some(kept) = opened.seconds.as_ref().filter(is_same) {
            return Ok(Arc::clone(&kept.seconds));
        }
        let seconds = Arc::new(Seconds::read(&opened.store, id, cut)?);
        opened.seconds = Some(CachedSeconds { data, id: id.to_owned(), cut, seconds: Arc::clone(&seconds) });
        Ok(seconds)
    }

    fn opened(&mut self) -> Result<&mut OpenStore, StoreError> {
        let made = std::fs::metadata(&self.path).ok().map(|facts| facts.created().ok());
        let is_same = |opened: &OpenStore| {
            made == Some(opened.made) && opened.store.version().is_ok_and(|version| version == opened.version)
        };
        // Asked for its version before it is known to be the same, it has to have time for that.
        if let Some(opened) = &self.opened {
            opened.deadline.begin(Deadline::QUERY_TIME);
        }
        let opened = match self.opened.take().filter(is_same) {
            Some(opened) => opened,
            None => {
                let deadline = Deadline::after(Deadline::QUERY_TIME);
                let heeded = deadline.clone();
                let store = Store::open_read_only(&self.path)?.interrupted_by(move || heeded.has_passed())?;
                OpenStore {
                    version: store.version()?,
                    store,
                    deadline,
                    made: made.flatten(),
                    facets: None,
                    seconds: None,
                }
            }
        };
        Ok(self.opened.insert(opened))
    }
}
