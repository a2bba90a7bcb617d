//! A loop device over a disk or a file, past the page cache.

use std::path::Path;

use super::held::tool;

/// A loop device of our own.
pub struct LoopDevice {
    path: String,
}

impl LoopDevice {
    /// Over `below`.
    ///
    /// # Errors
    /// Where `losetup` or the right to use it is missing.
    pub fn over(below: &Path) -> Result<Self, String> {
        let below = below.display().to_string();
        tool("losetup", &["--direct-io=on", "--find", "--show", &below]).map(|path| Self { path })
    }

    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        if let Err(error) = tool("losetup", &["--detach", &self.path]) {
            eprintln!("left behind: {error}");
        }
    }
}
