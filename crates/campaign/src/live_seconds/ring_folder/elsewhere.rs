//! Systems on which no folder is known to be memory.

use std::fs::File;
use std::path::{Path, PathBuf};

/// A folder: there is none.
#[derive(Debug)]
pub enum Place {}

/// Folders to look at: none.
pub fn candidates() -> Vec<PathBuf> {
    Vec::new()
}

impl Place {
    /// The folder at a path.
    ///
    /// # Errors
    /// Always.
    pub fn of(_: &Path, _: bool) -> Result<Option<Self>, String> {
        Err("live seconds are kept on Linux alone".to_owned())
    }

    /// Whether a path lies in the same file system.
    pub fn holds(&self, _: &Path) -> bool {
        match *self {}
    }

    /// Makes a file that was not there.
    ///
    /// # Errors
    /// None.
    pub fn make(&self, _: &str) -> std::io::Result<File> {
        match *self {}
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    /// None.
    pub fn open(&self, _: &str) -> std::io::Result<File> {
        match *self {}
    }

    /// Removes a file.
    pub fn remove(&self, _: &str) {
        match *self {}
    }

    /// Names of files.
    pub fn names(&self) -> Vec<String> {
        match *self {}
    }
}

/// Processes that measure: they are not looked for.
pub fn measuring(_: &[&str]) -> Vec<(u32, String)> {
    Vec::new()
}

/// When a process was started.
pub fn started_ticks(_: u32) -> Option<u64> {
    None
}
