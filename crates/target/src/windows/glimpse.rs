//! A first look at what exists under a name, before anything is opened for use.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::in_use::FileId;
use super::open::{findings, look_at, open_for_looking, system};
use crate::Error;
use crate::guard::Findings;
use crate::origin::Origin;

/// An existing file, open to be looked at.
#[derive(Debug)]
pub struct Glimpse {
    file: File,
    id: FileId,
}

impl Glimpse {
    /// Of a path; `None` where there is nothing yet, or a folder, so that a file will be made.
    ///
    /// # Errors
    /// When what is there cannot be opened.
    pub fn of(name: &str, path: &Path) -> Result<Option<Self>, Error> {
        let place = format!("opening {name}");
        super::dos_names::require_plain(&place, name)?;
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => {}
            // What is neither is refused when it is opened.
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(system(&place, &error)),
        }
        let file = open_for_looking(&place, path)?;
        let id = look_at(&place, &file)?.id;
        Ok(Some(Self { file, id }))
    }

    /// Everything against writing it, and how permission names it.
    ///
    /// # Errors
    /// None: what cannot be found out stands among the reasons.
    pub fn findings(&self, _: &str, _: Option<&Origin>) -> Result<Findings, Error> {
        Ok(findings(&self.file))
    }

    /// Whether both are the same file.
    pub fn shares_bytes_with(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
