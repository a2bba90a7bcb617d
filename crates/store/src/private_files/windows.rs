//! Windows: the profile's folders are private already, and folders need no syncing.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Variables that [`data_home`] looks at.
pub(crate) const DATA_HOME_VARIABLES: &[&str] = &["XDG_DATA_HOME", "LOCALAPPDATA"];

/// The folder for a user's data.
pub(crate) fn data_home(absolute: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("XDG_DATA_HOME").or_else(|| absolute("LOCALAPPDATA"))
}

/// Makes a folder and those above it that are missing.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Makes a new empty file.
///
/// # Errors
/// When a file of that name exists, among others.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Opens a file, and makes it if it is missing.
pub(crate) fn open_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Nothing: NTFS journals its folders.
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Nothing is: a file that is open keeps its name.
pub(crate) fn identity(_meta: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Nobody says so.
pub(crate) fn has_ended(_process: u32) -> bool {
    false
}

/// Nobody says so.
pub(crate) fn command_of(_process: u32) -> Option<String> {
    None
}

/// There is no such limit.
pub(crate) fn is_out_of_files(_error: &io::Error) -> bool {
    false
}
