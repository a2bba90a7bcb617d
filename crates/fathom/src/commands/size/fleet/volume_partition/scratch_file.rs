//! A file without a name that rows lie in while a fleet is judged: it is gone when this process is, however it ends.

#[cfg(unix)]
#[path = "scratch_unix.rs"]
mod at;
#[cfg(windows)]
#[path = "scratch_windows.rs"]
mod at;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_measure::Bytes;

use crate::exit_status::Status;
use crate::failure::Failure;

/// Bytes that are written by all threads and read by any.
pub struct Scratch {
    file: File,
    end: AtomicU64,
}

/// Bytes of it that were written at once.
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    at: u64,
    length: usize,
}

impl Scratch {
    /// Makes a file in a folder that has room for so many bytes.
    ///
    /// # Errors
    /// When there is no such folder, it takes no files, or it has no room; with what to type.
    pub fn open(folder: &Path, needs_bytes: u64) -> Result<Self, Failure> {
        let file = tempfile::tempfile_in(folder).map_err(|error| failed(folder, error))?;
        let free_bytes = at::free_bytes(&file, folder).map_err(|error| failed(folder, error))?;
        if free_bytes < needs_bytes {
            let cause =
                format!("about {} are needed in it, and {} are free", Bytes(needs_bytes), Bytes(free_bytes));
            return Err(Failure::usage(place(folder), cause, ELSEWHERE));
        }
        Ok(Self { file, end: AtomicU64::new(0) })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn write(&self, bytes: &[u8]) -> io::Result<Chunk> {
        let at = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        at::write_all(&self.file, bytes, at)?;
        Ok(Chunk { at, length: bytes.len() })
    }

    /// Reads a chunk behind what is there already.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn read(&self, chunk: Chunk, bytes: &mut Vec<u8>) -> io::Result<()> {
        let start = bytes.len();
        bytes.resize(start + chunk.length, 0);
        at::read_exact(&self.file, &mut bytes[start..], chunk.at)
    }
}

impl Chunk {
    /// How long it is.
    pub fn bytes(self) -> u64 {
        self.length as u64
    }
}

const ELSEWHERE: &str = "name a folder with more room: --scratch FOLDER";

fn place(folder: &Path) -> String {
    format!("scratch in {}", folder.display())
}

/// What the system says of a folder.
pub fn failed(folder: &Path, error: io::Error) -> Failure {
    let remedy = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => ELSEWHERE,
        _ => "name a folder that you may write to: --scratch FOLDER",
    };
    Failure { status: Status::Usage, remedy: remedy.to_owned(), ..Failure::system(place(folder), error) }
}

/// Where files of any size may lie for a while: `/tmp` is memory on many machines (Filesystem Hierarchy Standard 3.0,
/// "/var/tmp").
pub fn usual_folder() -> PathBuf {
    let named = std::env::var_os("TMPDIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let large = PathBuf::from("/var/tmp");
    named.unwrap_or_else(|| if large.is_dir() { large } else { std::env::temp_dir() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_no_file_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::open(folder.path(), 1).unwrap();
        let chunks = [&b"one"[..], b"", b"three"].map(|bytes| scratch.write(bytes).unwrap());
        let mut bytes = b"0".to_vec();
        chunks.iter().rev().for_each(|chunk| scratch.read(*chunk, &mut bytes).unwrap());
        assert_eq!(bytes, b"0threeone");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_without_room_or_none_is_refused_with_what_to_type() {
        let folder = tempfile::tempdir().unwrap();
        for (folder, needs) in [(folder.path(), u64::MAX), (Path::new("/proc/absent"), 1)] {
            let refused = Scratch::open(folder, needs).err().unwrap();
            assert!(refused.remedy.contains("--scratch"), "{refused:?}");
        }
    }
}
