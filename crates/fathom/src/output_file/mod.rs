//! Files that results are written to: never over what is not fathom's own, and never half.

#[cfg(not(unix))]
#[path = "stream_elsewhere.rs"]
mod stream;
#[cfg(unix)]
#[path = "stream_unix.rs"]
mod stream;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The last line of a page, a text or a picture, by which it is known again.
const MARK: &str = "<!-- made by fathom -->";

/// So much of a file's start or end is looked at.
const LOOKED_AT_BYTES: u64 = 256;

/// What kind of document a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A JSON document with `format` as its first member.
    Json,
    /// HTML, Markdown or SVG: all take the same comment.
    Marked,
    /// A form of another tool, which has no room for a mark: what is there is replaced only by force.
    Foreign {
        /// Whether it is to be replaced.
        force: bool,
    },
}

/// A place that a document can be written to.
#[derive(Debug)]
pub struct OutputFile {
    /// As it was named.
    name: PathBuf,
    /// What a link of that name points to: that is replaced, not the link.
    path: PathBuf,
    content: Content,
    /// A device or a pipe, which is written to rather than replaced.
    is_stream: bool,
}

impl OutputFile {
    /// Makes sure that the file can be written: its folder takes files, and what is there already is
    /// an output of fathom. Nothing is changed.
    ///
    /// # Errors
    /// With what to type instead.
    pub fn check(name: &Path, content: Content) -> Result<Self, Failure> {
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        let mut is_stream = false;
        match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(name, &error)),
            Ok(meta) if meta.is_dir() => {
                return Err(refused(name, "it is a folder", "name a file in it"));
            }
            Ok(meta) if meta.is_file() => {
                if meta.len() > 0 && !is_own(&path, content).map_err(|error| failed(name, &error))? {
                    return Err(in_the_way(name, content));
                }
            }
            Ok(meta) if stream::is_stream(&meta) => is_stream = true,
            Ok(_) => return Err(refused(name, "it is not a file", "name a file")),
        }
        let place = Self { name: name.to_owned(), path, content, is_stream };
        if !is_stream {
            let (temporary, _) = place.temporary().map_err(|error| failed(name, &error))?;
            let _ = fs::remove_file(temporary);
        }
        Ok(place)
    }

    /// The place as it was named.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Writes the whole document, or leaves what was there.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn write(&self, document: &str) -> Result<(), Failure> {
        let mark = if self.content == Content::Marked { format!("{MARK}\n") } else { String::new() };
        self.fill(|mut file| {
            file.write_all(document.as_bytes())?;
            file.write_all(mark.as_bytes())
        })
    }

    /// Lets the document be written piece by piece, or leaves what was there.
    ///
    /// # Errors
    /// As the system reports them, and as the writer does.
    pub fn fill(&self, fill: impl FnOnce(&File) -> io::Result<()>) -> Result<(), Failure> {
        let written = if self.is_stream {
            OpenOptions::new().write(true).open(&self.path).and_then(|file| fill(&file))
        } else {
            self.replace(fill)
        };
        written.map_err(|error| failed(&self.name, &error))
    }

    fn replace(&self, fill: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let (temporary, file) = self.temporary()?;
        // Synced before it takes the name: some file systems find out only then that they are full.
        let written =
            fill(&file).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&temporary, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// A new file beside the place.
    fn temporary(&self) -> io::Result<(PathBuf, File)> {
        let mut name = std::ffi::OsString::from(".");
        name.push(self.path.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        let path = self.path.with_file_name(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok((path, file))
    }
}

/// Whether a file was written here: a document of ours by its start, a page by its last line.
fn is_own(path: &Path, content: Content) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if content == Content::Marked {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT_BYTES)))?;
    }
    let mut bytes = Vec::new();
    file.take(LOOKED_AT_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match content {
        Content::Json => {
            // A campaign names its kind first.
            let start: String = text.chars().filter(|c| !c.is_whitespace()).take(64).collect();
            start.starts_with('{') && start.contains("\"format\":\"fathom.")
        }
        Content::Marked => text.trim_end().ends_with(MARK),
        Content::Foreign { force } => force,
    })
}

fn in_the_way(name: &Path, content: Content) -> Failure {
    if let Content::Foreign { .. } = content {
        return refused(
            name,
            "there is a file already",
            "name another file, or replace that one: add --force",
        );
    }
    let remedy = format!("name another file, or move that one away: mv '{0}' '{0}.old'", name.display());
    refused(name, "there is a file that fathom did not write", remedy)
}

fn refused(path: &Path, cause: &str, remedy: impl Into<String>) -> Failure {
    Failure { status: crate::status::Status::Usage, ..Failure::output(path, cause, remedy) }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => format!("make its folder first: mkdir -p '{}'", folder.display()),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("free some space in {}, or name a file elsewhere", folder.display())
        }
        _ => "name a file in a folder that you may write to".to_owned(),
    };
    Failure::output(path, error, remedy)
}
