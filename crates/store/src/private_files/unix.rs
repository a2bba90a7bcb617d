//! Unix: modes 0700 and 0600, folders synced so that new names survive power loss, XDG folders.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fathom_record::shell_word;

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

/// What tells a file from every other, whatever its name; a file that is open may be removed.
pub(crate) fn identity(meta: &Metadata) -> Option<(u64, u64)> {
    Some((meta.dev(), meta.ino()))
}

/// Whether a process has ended, where the system says so for certain.
pub(crate) fn has_ended(process: u32) -> bool {
    let of = |name: &str| Path::new("/proc").join(name).exists();
    of("self") && !of(&process.to_string())
}

/// What was typed to start a process of this program.
pub(crate) fn command_of(process: u32) -> Option<String> {
    let folder = Path::new("/proc").join(process.to_string());
    let own = std::fs::read("/proc/self/comm").ok()?;
    // Of another container the number may be of anybody here.
    if std::fs::read(folder.join("comm")).ok()? != own {
        return None;
    }
    let line = std::fs::read(folder.join("cmdline")).ok()?;
    let words = line.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| shell_word(&String::from_utf8_lossy(word))).collect();
    Some(words.join(" "))
}

/// Whether an operation failed because this process, or the system, has all files open that it may.
pub(crate) fn is_out_of_files(error: &io::Error) -> bool {
    // `EMFILE` and `ENFILE`, which have these numbers on every Unix.
    matches!(error.raw_os_error(), Some(24 | 23))
}
