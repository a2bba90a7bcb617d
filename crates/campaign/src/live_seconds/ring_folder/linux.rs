//! tmpfs and ramfs, by what the kernel says of the folder that is open.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, fstatfs, open, openat, unlinkat};
use rustix::process::geteuid;

/// Kinds of file systems that are memory, by their magic numbers.
const MEMORY: [u32; 2] = [0x0102_1994, 0x8584_58f6];
/// Where a user's own memory-backed folder is named by the session.
const VARIABLE: &str = "XDG_RUNTIME_DIR";
/// Where every user may make one.
const SHARED: &str = "/dev/shm";

/// A folder that is open.
#[derive(Debug)]
pub struct Place {
    folder: File,
    /// Number of its file system.
    device: u64,
}

/// Folders to look at, the best first: one that the session names for this user, and one where every user may.
pub fn candidates() -> Vec<PathBuf> {
    let own = std::env::var_os(VARIABLE).map(PathBuf::from).filter(|path| path.is_absolute());
    let shared = Path::new(SHARED).join(format!("fathom-{}", geteuid().as_raw()));
    own.map(|path| path.join("fathom")).into_iter().chain([shared]).collect()
}

/// Whether a file system is memory.
fn is_memory(file: &File) -> bool {
    fstatfs(file).is_ok_and(|facts| MEMORY.contains(&(facts.f_type as u32)))
}

impl Place {
    /// The folder at a path, which is made where `makes`; otherwise `None` where it is not there. It has to be memory, a
    /// folder itself, this user's, and closed to all others.
    ///
    /// # Errors
    /// What it lacks, in words.
    pub fn of(path: &Path, makes: bool) -> Result<Option<Self>, String> {
        let above = path.parent().unwrap_or(Path::new("/"));
        let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        let parent = File::open(above).map_err(|error| failed(above, error))?;
        if !is_memory(&parent) {
            return Err(format!("{} is not in memory (tmpfs): it may be on a disk", above.display()));
        }
        // A folder in somebody else's would be in their way: /dev/shm is everybody's.
        let is_shared = above == Path::new(SHARED);
        let owner = parent.metadata().map_err(|error| failed(above, error))?.uid();
        if !is_shared && owner != geteuid().as_raw() {
            return Err(format!("{} belongs to another user", above.display()));
        }
        if makes {
            match DirBuilder::new().mode(0o700).create(path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(failed(path, error));
                }
                _ => {}
            }
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = match open(path, flags, Mode::empty()) {
            Ok(folder) => File::from(folder),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(failed(path, error.into())),
        };
        let facts = folder.metadata().map_err(|error| failed(path, error))?;
        if facts.uid() != geteuid().as_raw() || facts.mode() & 0o077 != 0 {
            return Err(format!("{} belongs to another user, or is open to others", path.display()));
        }
        if !is_memory(&folder) {
            return Err(format!("{} is not in memory (tmpfs): it may be on a disk", path.display()));
        }
        Ok(Some(Self { folder, device: facts.dev() }))
    }

    /// Whether a path lies in the same file system; of one that is not there, no.
    pub fn holds(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|facts| facts.dev() == self.device)
    }

    /// Makes a file that was not there, for this user alone.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn make(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Opens a file of this user alone for reading.
    ///
    /// # Errors
    /// When it is none, and as the system reports them.
    pub fn open(&self, name: &str) -> io::Result<File> {
        // A pipe of that name is not waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file: File = openat(&self.folder, name, flags, Mode::empty())?.into();
        let facts = file.metadata()?;
        let is_own = facts.is_file() && facts.uid() == geteuid().as_raw() && facts.mode() & 0o077 == 0;
        if is_own { Ok(file) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    /// Removes a file; one that has gone already is no failure.
    pub fn remove(&self, name: &str) {
        let _ = unlinkat(&self.folder, name, AtFlags::empty());
    }

    /// Names of what lies in it.
    pub fn names(&self) -> Vec<String> {
        let Ok(entries) = Dir::read_from(&self.folder) else { return Vec::new() };
        let name = |entry: rustix::fs::DirEntry| entry.file_name().to_str().ok().map(str::to_owned);
        entries.flatten().filter_map(name).collect()
    }
}

/// Processes of this user that run this program's commands that measure: their numbers, and those commands.
pub fn measuring(commands: &[&str]) -> Vec<(u32, String)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let own = geteuid().as_raw();
    let process = |entry: fs::DirEntry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let folder = entry.path();
        let is_own = fs::metadata(&folder).ok()?.uid() == own;
        let program = fs::read_link(folder.join("exe")).ok().filter(|_| is_own)?;
        if !program.file_name()?.to_str()?.starts_with("fathom") {
            return None;
        }
        let line = fs::read(folder.join("cmdline")).ok()?;
        let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        let is_flag = |at: usize| words[at].starts_with(b"-") || words[at - 1] == b"--store";
        let command = (1..words.len()).find(|at| !is_flag(*at)).map(|at| words[at])?;
        let known = commands.iter().find(|known| known.as_bytes() == command)?;
        Some((pid, (*known).to_owned()))
    };
    entries.flatten().filter_map(process).collect()
}

/// When a process was started, in ticks since boot; `None` where there is none of that number.
pub fn started_ticks(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in brackets and may hold any.
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}
