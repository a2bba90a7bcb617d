//! Systems without a wall that a process can put around its own threads.

use std::path::PathBuf;

use fathom_record::WallFacts;

use super::Reach;
use crate::{Error, Handle};

/// No wall.
#[derive(Debug)]
pub struct Wall;

impl Wall {
    /// Nothing to build.
    ///
    /// # Errors
    /// None.
    pub fn around(_: &Reach) -> Result<Self, Error> {
        Ok(Self)
    }

    /// Nothing happens.
    ///
    /// # Errors
    /// None.
    pub fn enter(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// There is no such path, and nobody who follows it.
pub fn path_of(_: &Handle) -> PathBuf {
    PathBuf::new()
}

/// That there is none.
pub fn facts() -> WallFacts {
    let missing = Some("this system has none".to_owned());
    WallFacts { missing, ..WallFacts::default() }
}
