//! The files that paths stand for.

use std::fs;
use std::path::{Path, PathBuf};

use fathom_order::InOrder;

use crate::failure::Failure;

/// One file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it was named, and not found in a folder.
    pub is_named: bool,
}

/// All of them, each once, those of a folder by name.
pub type Files = Vec<InputFile>;

/// Collects the files.
///
/// # Errors
/// When a path is not there, or a folder cannot be listed.
pub fn collect(paths: &[PathBuf]) -> Result<Files, Failure> {
    let mut files: Files = Vec::new();
    for path in paths {
        let failed = |error: std::io::Error| Failure {
            kind: "not_found",
            ..Failure::usage(path.display().to_string(), error.to_string(), "name an existing file or folder")
                .with_source(error)
        };
        if fs::metadata(path).map_err(failed)?.is_dir() {
            below(path, &mut files).map_err(failed)?;
        } else {
            files.push(InputFile { path: path.clone(), is_named: true });
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.path.clone()));
    Ok(files)
}

/// Plain files of a folder and of those below. Links to folders are not followed, so there are no circles.
fn below(folder: &Path, files: &mut Files) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.put_in_order_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !is_hidden {
            below(&path, files)?;
        } else if !is_hidden && fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            files.push(InputFile { path, is_named: false });
        }
    }
    Ok(())
}
