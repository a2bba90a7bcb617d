//! Unix: modes 0700 and 0600, folders synced so that new names survive power loss, XDG folders.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Variables that [`data_home`] looks at.
pub(crate) const DATA_HOME_VARIABLES: &[&str] = &["XDG_DATA_HOME", "HOME"];

/// The folder for a user's data.
pub(crate) fn data_home(absolute: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
}

/// Makes a folder and those above it that are missing, for the user alone, and makes their names durable.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    missing.into_iter().filter_map(Path::parent).try_for_each(sync_folder)
}

/// Makes a new empty file that only the user may read and write.
///
/// # Errors
/// When a file of that name exists, among others.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a file that only the user may read and write, and makes it if it is missing.
pub(crate) fn open_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// Makes names that were added to a folder, or removed from it, durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
