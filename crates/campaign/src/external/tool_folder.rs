//! The folder that keeps what a tool was given and what it printed: new for each run, and so is every file in it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use fathom_engine::EngineError;

/// Makes the folder of a run below `raw`; never one that is there.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(raw: &Path, id: &str) -> Result<PathBuf, EngineError> {
    let folder = raw.join(id);
    let failed = |error: std::io::Error| {
        let place = format!("making the folder {} for the tool's output", folder.display());
        EngineError::system(place, &error)
            .with_remedy("name a store in a folder that you may write to: --store FILE")
    };
    fs::create_dir_all(raw).and_then(|()| fs::create_dir(&folder)).map_err(failed)?;
    folder.canonicalize().map_err(failed)
}

/// A new file in such a folder, open for writing.
///
/// # Errors
/// When it is there already, or cannot be made.
pub fn new_file(path: &Path) -> Result<File, EngineError> {
    File::create_new(path).map_err(|error| EngineError::system(format!("making {}", path.display()), &error))
}

/// A new file in such a folder, whole.
///
/// # Errors
/// As [`new_file`], and when it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), EngineError> {
    new_file(path)?
        .write_all(text.as_bytes())
        .map_err(|error| EngineError::system(format!("writing {}", path.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_there_is_taken() {
        let raw = tempfile::tempdir().unwrap();
        let folder = make_folder(&raw.path().join("s.raw"), "r-1").unwrap();
        write(&folder.join("job.fio"), "[a]\n").unwrap();
        assert!(write(&folder.join("job.fio"), "[b]\n").is_err());
        assert!(new_file(&folder.join("job.fio")).is_err());
        assert_eq!(fs::read_to_string(folder.join("job.fio")).unwrap(), "[a]\n");
        assert!(make_folder(&raw.path().join("s.raw"), "r-1").is_err());
    }
}
