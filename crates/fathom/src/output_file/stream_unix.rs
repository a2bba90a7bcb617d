//! Places that are written to rather than replaced, on Unix.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Devices that take everything and keep nothing, and the terminal.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Folders whose names stand for what this process has open.
const OPENED: [&str; 3] = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];

/// Whether it takes what is written, as pipes, terminals and `/dev/null` do. Any other character device may be
/// a disk's, a tape's or a watchdog's, for which opening it is enough to do something; block devices hold data.
pub fn is_stream(meta: &Metadata) -> bool {
    let kind = meta.file_type();
    kind.is_fifo() || kind.is_char_device() && (is_known(meta) || is_terminal(meta))
}

fn is_known(meta: &Metadata) -> bool {
    DEVICES.iter().any(|name| fs::metadata(name).is_ok_and(|known| known.rdev() == meta.rdev()))
}

/// Whether the node is the one of a terminal, by the names that the system gives to those.
fn is_terminal(meta: &Metadata) -> bool {
    let same = |path: &Path| fs::metadata(path).is_ok_and(|known| known.rdev() == meta.rdev());
    let of_folder = |folder: &str, start: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| {
            entry.file_name().to_string_lossy().starts_with(start)
                && entry.file_type().is_ok_and(|kind| kind.is_char_device())
                && same(&entry.path())
        })
    };
    same(Path::new("/dev/console")) || of_folder("/dev/pts", "") || of_folder("/dev", "tty")
}

/// Whether a name stands for something that this process has open, to which is added wherever it leads: the
/// shell has opened the file for it.
pub fn is_opened_already(name: &Path) -> bool {
    let name = name.to_string_lossy();
    ["/dev/stdout", "/dev/stderr"].contains(&name.as_ref())
        || OPENED.iter().any(|folder| name.starts_with(folder))
}
