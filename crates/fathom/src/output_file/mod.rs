//! The one door through which files of results go: never onto a device, never over what fathom did not
//! write, and never half.
//!
//! ```text
//!  name ─► what is there ─► nothing ─────────────► new file beside it ─► synced ─► looked at again ─► takes the name
//!                     ├──► fathom's own, by its build ──┘
//!                     ├──► somebody else's file ─► refused, but for --force
//!                     ├──► pipe, terminal, /dev/null ─► written to
//!                     └──► folder, device, anything else ─► refused, --force or not
//! ```

mod file_ownership;
#[cfg(not(unix))]
#[path = "stream_elsewhere.rs"]
mod stream;
#[cfg(unix)]
#[path = "stream_unix.rs"]
mod stream;

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use fathom_record::shell_word;

use crate::failure::Failure;

/// What kind of document a file holds, by which one that is there is known again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A JSON document with `format` as its first member.
    Json,
    /// HTML, Markdown or SVG: all take the same comment.
    Marked,
    /// Results in fio's forms.
    FioResult {
        /// Whether somebody else's file is to be replaced.
        force: bool,
    },
    /// A form of another tool, in which nothing tells who wrote it: what is there is replaced only by force.
    Foreign {
        /// Whether it is to be replaced.
        force: bool,
    },
}

impl Content {
    /// Whether a file of this kind was written here.
    fn is_own(self, file: &File) -> io::Result<bool> {
        match self {
            Self::Json => file_ownership::is_document(file),
            Self::Marked => file_ownership::is_marked(file),
            Self::FioResult { force: true } | Self::Foreign { force: true } => Ok(true),
            Self::FioResult { force: false } => file_ownership::is_fio_result(file),
            Self::Foreign { force: false } => Ok(false),
        }
    }

    fn takes_force(self) -> bool {
        matches!(self, Self::FioResult { .. } | Self::Foreign { .. })
    }
}

/// A place that a document can be written to.
#[derive(Debug)]
pub struct OutputFile {
    /// As it was named.
    name: PathBuf,
    content: Content,
    /// Whether somebody typed the name: an empty file of a name that was only derived is somebody else's.
    typed: bool,
}

/// What is at a place, and so what becomes of it.
enum Destination {
    /// Nothing, or a file that is replaced and had these permissions. The path is what a link of the name
    /// points to: that is replaced, not the link.
    File(PathBuf, Option<Permissions>),
    /// A pipe or a terminal, which is written to.
    Stream,
}

impl OutputFile {
    /// Makes sure that the file can be written: its folder takes files, and what is there already is
    /// an output of fathom. Nothing is changed.
    ///
    /// # Errors
    /// With what to type instead.
    pub fn check(name: &Path, content: Content) -> Result<Self, Failure> {
        Self { name: name.to_owned(), content, typed: true }.checked()
    }

    /// The same for a file whose name follows from another one: what is there already is an output of fathom, and
    /// not merely empty.
    ///
    /// # Errors
    /// With what to type instead.
    pub fn check_derived(name: &Path, content: Content) -> Result<Self, Failure> {
        Self { name: name.to_owned(), content, typed: false }.checked()
    }

    fn checked(self) -> Result<Self, Failure> {
        let (place, name) = (&self, &self.name);
        if let Destination::File(path, _) = place.look()? {
            let (temporary, _) = temporary(&path).map_err(|error| failed(name, error))?;
            let _ = fs::remove_file(temporary);
        }
        Ok(self)
    }

    /// The place as it was named.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Writes the whole document, or leaves what was there.
    ///
    /// # Errors
    /// As the system reports them; and when somebody else's file came there since it was checked.
    pub fn write(&self, document: &str) -> Result<(), Failure> {
        let mark = if self.content == Content::Marked {
            format!("{}\n", file_ownership::MARK)
        } else {
            String::new()
        };
        self.fill(|mut file| {
            file.write_all(document.as_bytes())?;
            file.write_all(mark.as_bytes())
        })
    }

    /// Writes the beginning of a document that grows, and leaves it open for what follows.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn begin(&self, beginning: &str) -> Result<File, Failure> {
        self.filled(|mut file| file.write_all(beginning.as_bytes()))
    }

    /// What is said when more could not be written.
    pub fn failed(&self, error: io::Error) -> Failure {
        failed(&self.name, error)
    }

    /// Lets the document be written piece by piece, or leaves what was there.
    ///
    /// # Errors
    /// As [`write`](Self::write), and as the writer does.
    pub fn fill(&self, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<(), Failure> {
        self.filled(fill).map(drop)
    }

    fn filled(&self, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<File, Failure> {
        match self.look()? {
            Destination::Stream => self.send(fill),
            Destination::File(path, _) => self.replace(&path, fill),
        }
    }

    /// What is at the place now.
    fn look(&self) -> Result<Destination, Failure> {
        let name = &self.name;
        let failed = |error: io::Error| failed(name, error);
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.clone());
        let meta = match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
                    let leads = fs::read_link(&path).unwrap_or_default();
                    let cause = format!("it is a link to {}, which is not there", leads.display());
                    return Err(refused(name, &cause, "name the file itself"));
                }
                return Ok(Destination::File(path, None));
            }
            other => other.map_err(failed)?,
        };
        if meta.is_dir() {
            return Err(refused(name, "it is a folder", "name a file in it"));
        }
        if stream::is_stream(&meta) || meta.is_file() && stream::is_opened_already(name) {
            return Ok(Destination::Stream);
        }
        if !meta.is_file() {
            return Err(refused(name, "it is a device, not a file", "name a file"));
        }
        // Opened for writing, though nothing is written to it: that tells of a file that is protected.
        if let Err(error) = OpenOptions::new().write(true).open(&path) {
            return Err(protected(name, error));
        }
        if meta.len() > 0 || !self.typed {
            let file = File::open(&path).map_err(failed)?;
            if !self.content.is_own(&file).map_err(failed)? {
                return Err(self.in_the_way());
            }
        }
        Ok(Destination::File(path, Some(meta.permissions())))
    }

    /// Writes to a pipe, a terminal, or what the shell has opened; behind what is in it.
    fn send(&self, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<File, Failure> {
        let opened = OpenOptions::new().append(true).open(&self.name);
        let file = opened.map_err(|error| failed(&self.name, error))?;
        let meta = file.metadata().map_err(|error| failed(&self.name, error))?;
        // Of the file that is open, so that no other can have taken its name in between.
        if !(stream::is_stream(&meta) || meta.is_file() && stream::is_opened_already(&self.name)) {
            return Err(refused(&self.name, "it changed while it was opened", "name a file"));
        }
        fill(&file).map_err(|error| failed(&self.name, error))?;
        Ok(file)
    }

    fn replace(&self, path: &Path, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<File, Failure> {
        let failed = |error: io::Error| failed(&self.name, error);
        let (temporary, file) = temporary(path).map_err(failed)?;
        // Synced before it takes the name: some file systems find out only then that they are full.
        let written = fill(&file).and_then(|()| file.sync_all()).map_err(failed);
        let published = written.and_then(|()| match self.look()? {
            Destination::File(now, permissions) if now == path => {
                if let Some(permissions) = &permissions {
                    file.set_permissions(permissions.clone()).map_err(failed)?;
                }
                publish(&temporary, path, permissions.is_some()).map_err(failed)
            }
            _ => Err(refused(&self.name, "it changed while the results were made", "name another file")),
        });
        let _ = fs::remove_file(&temporary);
        published.map(|()| file)
    }

    fn in_the_way(&self) -> Failure {
        let name = &self.name;
        let word = shell_word(&name.to_string_lossy());
        let mut remedy = format!("name another file, or move that one away: mv {word} {word}.old");
        if self.content.takes_force() {
            remedy += "\nor replace it: add --force";
        }
        let cause = match self.content {
            Content::Foreign { .. } => "there is a file already",
            _ => "there is a file that fathom did not write",
        };
        refused(name, cause, remedy)
    }
}

/// Gives a file that is whole its name. Where nothing had it, a file that takes it at this moment stays.
fn publish(temporary: &Path, path: &Path, replaces: bool) -> io::Result<()> {
    if !replaces {
        match fs::hard_link(temporary, path) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            // A file system without hard links.
            Err(_) => {}
        }
    }
    fs::rename(temporary, path)
}

/// A new file beside a place.
fn temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    for attempt in 0..100 {
        let name = format!(".fathom-{}-{attempt}.part", std::process::id());
        let path = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (path, file)),
        }
    }
    Err(io::Error::other("too many unfinished files of other runs are in its folder: rm .fathom-*.part"))
}

fn refused(path: &Path, cause: &str, remedy: impl Into<String>) -> Failure {
    Failure { status: crate::exit_status::Status::Usage, ..Failure::output(path, cause, remedy) }
}

fn protected(name: &Path, error: io::Error) -> Failure {
    if error.kind() != ErrorKind::PermissionDenied {
        return failed(name, error);
    }
    let word = shell_word(&name.to_string_lossy());
    let cause = format!("the existing file may not be changed ({error})");
    let remedy = format!("name another file, or see what protects it: ls -l {word}; lsattr {word}");
    Failure { cause, ..Failure::output(name, error, remedy) }
}

fn failed(path: &Path, error: io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = shell_word(&folder.to_string_lossy());
    let remedy = match error.kind() {
        ErrorKind::NotFound => format!("make its folder first: mkdir -p {shown}"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("free some space in {shown}, or name a file elsewhere")
        }
        ErrorKind::AlreadyExists => "another file took the name meanwhile: name another file".to_owned(),
        _ => "name a file in a folder that you may write to".to_owned(),
    };
    Failure::output(path, error, remedy)
}
