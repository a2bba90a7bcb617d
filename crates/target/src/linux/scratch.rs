//! Files that a run makes for itself, and that leave nothing behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::file_mount::{self, mount_of};
use super::machine::{FileId, Machine};
use crate::{Error, ErrorKind};

/// A file or an empty folder with a name that the run gave, which is taken away when this is dropped.
#[derive(Debug)]
pub struct TemporaryPath {
    path: PathBuf,
    id: FileId,
}

impl TemporaryPath {
    /// Leaves the file where it is.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for TemporaryPath {
    fn drop(&mut self) {
        // Somebody may have put another file there since; that one is not ours to remove.
        let is_ours = fs::symlink_metadata(&self.path).is_ok_and(|meta| FileId::of(&meta) == self.id);
        if is_ours {
            let _ = fs::remove_file(&self.path).or_else(|_| fs::remove_dir(&self.path));
        }
    }
}

/// A folder, open, that files can be made in.
pub struct Folder {
    dir: File,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder of a file system that holds files.
    ///
    /// # Errors
    /// When it cannot be opened, or shows the kernel rather than storage, e.g. `/dev` and `/proc` do.
    pub fn open(machine: &Machine, path: &Path) -> Result<Self, Error> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let place = format!("opening the folder {}", path.display());
        let dir = File::options()
            .read(true)
            .open(path)
            .map_err(|error| Error::system(&place, &error).with_remedy("name a folder that exists"))?;
        match mount_of(machine, &dir) {
            Some(mount) if !file_mount::is_storage(mount) => {
                let cause = format!("{} there is not a file system for files", mount.kind);
                Err(Error::new(ErrorKind::NoSuchTarget, place, cause).with_remedy(
                    "name a folder on a disk, or an existing device; `fathom devices` lists them",
                ))
            }
            _ => Ok(Self { dir, path: path.to_owned() }),
        }
    }

    /// The open folder.
    pub fn file(&self) -> &File {
        &self.dir
    }

    /// A file without a name, which vanishes when it is closed, however the process ends. Where the
    /// file system cannot make one, a new file is made and its name removed at once.
    ///
    /// # Errors
    /// As the system reports them, with what to type.
    pub fn nameless(&self) -> Result<File, Error> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.dir, ".", flags, OWNER) {
            Ok(file) => Ok(file.into()),
            // Not supported there; kernels and file systems differ in how they say so.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => {
                self.unlinked()
            }
            Err(error) => Err(self.failed("making a scratch file", error)),
        }
    }

    /// A new file under a name that was free, and that is free again.
    fn unlinked(&self) -> Result<File, Error> {
        for attempt in 0..1000u32 {
            let name = format!("fathom-scratch-{}-{attempt}.tmp", std::process::id());
            match self.create(&name) {
                Ok(file) => {
                    rustix::fs::unlinkat(&self.dir, &name, AtFlags::empty())
                        .map_err(|error| self.failed("removing the name of the scratch file", error))?;
                    return Ok(file);
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(self.failed("making a scratch file", error)),
            }
        }
        Err(self.failed("making a scratch file", Errno::EXIST))
    }

    /// A new file with a name of the user's choosing; never one that exists.
    ///
    /// # Errors
    /// As the system reports them, with what to type.
    pub fn named(&self, name: &str) -> Result<(File, TemporaryPath), Error> {
        let file = self.create(name).map_err(|error| self.failed(&format!("making {name}"), error))?;
        let meta = file.metadata().map_err(|error| Error::system("looking at the new file", &error))?;
        let made = self.made(name, &meta);
        Ok((file, made))
    }

    /// A new folder of the run's own, open.
    ///
    /// # Errors
    /// As the system reports them, with what to type.
    pub fn own(&self) -> Result<(File, TemporaryPath), Error> {
        const WHAT: &str = "making a folder for the names";
        for attempt in 0..1000u32 {
            let name = format!("fathom-names-{}-{attempt}", std::process::id());
            match rustix::fs::mkdirat(&self.dir, &name, Mode::RWXU) {
                Ok(()) => {}
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(self.failed(WHAT, error)),
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = rustix::fs::openat(&self.dir, &name, flags, Mode::empty());
            let folder = File::from(opened.map_err(|error| self.failed(WHAT, error))?);
            let meta = folder.metadata().map_err(|error| Error::system(WHAT, &error))?;
            return Ok((folder, self.made(&name, &meta)));
        }
        Err(self.failed(WHAT, Errno::EXIST))
    }

    /// Whole, so that it is found again should the process change its folder.
    fn made(&self, name: &str, meta: &fs::Metadata) -> TemporaryPath {
        let dir = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        TemporaryPath { path: dir.join(name), id: FileId::of(meta) }
    }

    fn create(&self, name: &str) -> Result<File, Errno> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        rustix::fs::openat(&self.dir, name, flags, OWNER).map(File::from)
    }

    fn failed(&self, what: &str, error: Errno) -> Error {
        let remedy = match error {
            Errno::ACCESS | Errno::PERM => "name a folder that you may write to",
            Errno::ROFS => "the file system is read-only: name a folder on another",
            Errno::EXIST => "that name is taken, by a link that leads nowhere perhaps: choose another",
            Errno::NOSPC | Errno::DQUOT => "free some space, or name a folder on another file system",
            _ => "name a folder on another file system",
        };
        let place = format!("{what} in {}", self.path.display());
        Error::system(place, &error.into()).with_remedy(remedy)
    }
}

/// Readable and writable for its owner alone.
const OWNER: Mode = Mode::from_raw_mode(0o600);

/// Gives a file its size, and space where the file system can give it without data; the space reads
/// as zeros until it is written.
///
/// # Errors
/// When there is no room, or the size cannot be set.
pub fn allocate(file: &File, range: &std::ops::Range<u64>) -> std::io::Result<()> {
    let length = range.end.saturating_sub(range.start);
    let given = rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), range.start, length);
    match given {
        Ok(()) => Ok(()),
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => Err(error.into()),
        Err(_) if file.metadata()?.len() < range.end => file.set_len(range.end),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_scratch_file_takes_no_name_that_is_there_and_keeps_none() {
        let dir = tempfile::tempdir().unwrap();
        let taken = dir.path().join(format!("fathom-scratch-{}-0.tmp", std::process::id()));
        fs::write(&taken, "of somebody").unwrap();
        let folder = Folder::open(&Machine::now(), dir.path()).unwrap();
        for file in [folder.unlinked().unwrap(), folder.nameless().unwrap()] {
            file.set_len(4096).unwrap();
            assert_eq!(file.metadata().unwrap().nlink(), 0);
        }
        assert_eq!(fs::read_to_string(&taken).unwrap(), "of somebody");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_is_never_made_over_another_nor_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(&Machine::now(), dir.path()).unwrap();
        fs::write(dir.path().join("there"), "of somebody").unwrap();
        std::os::unix::fs::symlink("elsewhere", dir.path().join("link")).unwrap();
        for name in ["there", "link"] {
            let error = folder.named(name).map(|_| ()).unwrap_err();
            assert!(error.remedy.contains("that name is taken"), "{error}");
        }
        assert_eq!(fs::read_to_string(dir.path().join("there")).unwrap(), "of somebody");
        assert!(!dir.path().join("elsewhere").exists());
    }
}
