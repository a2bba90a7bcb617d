//! A file that the kernel fills anew at each read, kept open between samples.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use crate::error::of_system;
use crate::{Root, TelemetryError};

/// Longest text that is read: a bound on memory, far above what these files hold.
const LIMIT_BYTES: u64 = 4 << 20;

/// One file and the buffer that it is read into.
#[derive(Debug)]
pub(crate) struct KeptFile {
    path: PathBuf,
    name: &'static str,
    open: Option<File>,
    bytes: Vec<u8>,
}

impl KeptFile {
    /// Names the file; it is opened at the first read.
    pub fn new(root: &Root, name: &'static str) -> Self {
        Self { path: root.path(name), name, open: None, bytes: Vec::new() }
    }

    /// Its text now.
    ///
    /// # Errors
    /// As opening or reading fails; the next read opens it again.
    pub fn read(&mut self) -> io::Result<Cow<'_, str>> {
        let result = self.fill();
        if result.is_err() {
            self.open = None;
        }
        result.map(|()| String::from_utf8_lossy(&self.bytes))
    }

    /// Its text now.
    ///
    /// # Errors
    /// As [`read`](Self::read); the words for the record end with `remedy`.
    pub fn text(&mut self, remedy: &str) -> Result<Cow<'_, str>, TelemetryError> {
        let name = self.name;
        self.read().map_err(|error| {
            let cause = format!("{name} could not be read ({error}): {remedy}");
            of_system(name, cause, error)
        })
    }

    fn fill(&mut self) -> io::Result<()> {
        let file = match &mut self.open {
            Some(file) => file,
            None => self.open.insert(File::open(&self.path)?),
        };
        file.seek(SeekFrom::Start(0))?;
        self.bytes.clear();
        file.take(LIMIT_BYTES).read_to_end(&mut self.bytes)?;
        Ok(())
    }
}
