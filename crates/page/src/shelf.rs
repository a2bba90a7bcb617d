//! The stores that are served, by number: opened for reading, and again where their file was replaced.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fathom_store::{Store, StoreError};

/// Stores by number, from 0.
#[derive(Debug)]
pub struct Shelf {
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    path: PathBuf,
    opened: Option<Opened>,
}

/// A store, and when its file was made: another file under the name has another moment. One that another process brings
/// up to date has tables for which something else stands in here.
#[derive(Debug)]
struct Opened {
    store: Store,
    made: Option<SystemTime>,
    version: i64,
}

impl Shelf {
    /// Stores at these places; they are opened when they are first asked.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self { places: paths.into_iter().map(|path| Place { path, opened: None }).collect() }
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
}

impl Place {
    fn store(&mut self) -> Result<&Store, StoreError> {
        let made = std::fs::metadata(&self.path).ok().map(|facts| facts.created().ok());
        let is_same = |opened: &Opened| {
            made == Some(opened.made) && opened.store.version().is_ok_and(|version| version == opened.version)
        };
        let opened = match self.opened.take().filter(is_same) {
            Some(opened) => opened,
            None => {
                let store = Store::open_read_only(&self.path)?;
                Opened { version: store.version()?, store, made: made.flatten() }
            }
        };
        Ok(&self.opened.insert(opened).store)
    }
}
