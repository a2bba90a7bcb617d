//! A first look at what exists under a name, before anything is opened for use.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::dos_names::{self, RawName};
use super::in_use::FileId;
use super::open::{findings, look_at, open_for_looking, system};
use super::{call, raw, volumes};
use crate::Error;
use crate::guard::Findings;
use crate::origin::Origin;

/// What exists, open to be looked at.
#[derive(Debug)]
pub struct Glimpse {
    file: File,
    known: GlimpseId,
}

/// What tells it from others.
#[derive(Debug)]
enum GlimpseId {
    File(FileId),
    Raw(RawName),
}

impl Glimpse {
    /// Of a path; `None` where there is nothing yet, or a folder, so that a file will be made.
    ///
    /// # Errors
    /// When what is there cannot be opened.
    pub fn of(name: &str, path: &Path) -> Result<Option<Self>, Error> {
        let place = format!("opening {name}");
        if let Some(raw) = dos_names::raw(&place, name)? {
            return Ok(Some(Self { file: raw::open_for_looking(&place, raw)?, known: GlimpseId::Raw(raw) }));
        }
        dos_names::require_plain(&place, name)?;
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => {}
            // What is neither is refused when it is opened.
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(system(&place, &error)),
        }
        let file = open_for_looking(&place, path)?;
        let known = GlimpseId::File(look_at(&place, &file)?.id);
        Ok(Some(Self { file, known }))
    }

    /// Everything against writing it, and how permission names it.
    ///
    /// # Errors
    /// None: what cannot be found out stands among the reasons.
    pub fn findings(&self, _: &str, _: Option<&Origin>) -> Result<Findings, Error> {
        match self.known {
            GlimpseId::File(_) => Ok(findings(&self.file)),
            GlimpseId::Raw(name) => raw::findings(name, &self.file),
        }
    }

    /// Whether both are the same file or device, or one lies on the other. What does not say where it lies may share bytes
    /// with any device.
    pub fn shares_bytes_with(&self, other: &Self) -> bool {
        match (&self.known, &other.known) {
            (GlimpseId::File(one), GlimpseId::File(other)) => one == other,
            (GlimpseId::Raw(RawName::Volume(one)), GlimpseId::Raw(RawName::Volume(other))) => one == other,
            _ => {
                let (one, other) = (self.drives(), other.drives());
                one.is_empty() || other.is_empty() || one.iter().any(|number| other.contains(number))
            }
        }
    }

    /// The drives that it lies on; none where it does not say.
    fn drives(&self) -> Vec<u32> {
        match self.known {
            GlimpseId::Raw(name) => raw::lies_on(name, &self.file),
            GlimpseId::File(_) => {
                call::volume(&self.file).map(|volume| volumes::drives_under(&volume.root)).unwrap_or_default()
            }
        }
    }
}
