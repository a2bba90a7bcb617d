//! A loop device over a disk or a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::teardown::tool;

/// A loop device of our own.
pub struct LoopDevice {
    path: String,
    /// The file behind it, as the kernel names it: a name may have gone to somebody else.
    below: PathBuf,
}

impl LoopDevice {
    /// Over `below`, past the page cache.
    ///
    /// # Errors
    /// Where `losetup` or the right to use it is missing.
    pub fn over(below: &Path) -> Result<Self, String> {
        Self::attach(below, &["--direct-io=on"])
    }

    /// Over `below`, through the page cache, so that what is written to the device is read in the file.
    ///
    /// # Errors
    /// Where `losetup` or the right to use it is missing.
    pub fn cached(below: &Path) -> Result<Self, String> {
        Self::attach(below, &[])
    }

    fn attach(below: &Path, options: &[&str]) -> Result<Self, String> {
        let name = below.display().to_string();
        let arguments = [options, &["--find", "--show", &name]].concat();
        let mut attached = tool("losetup", &arguments);
        // Between the search for a free name and its use somebody else may take it.
        for _ in 0..5 {
            if attached.is_ok() {
                break;
            }
            attached = tool("losetup", &arguments);
        }
        let below = below.canonicalize().map_err(|error| format!("{name}: {error}"))?;
        attached.map(|path| Self { path, below })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether our file is still behind the name.
    pub fn is_ours(&self) -> bool {
        let name = self.path.trim_start_matches("/dev/");
        let behind = fs::read(format!("/sys/block/{name}/loop/backing_file")).unwrap_or_default();
        let behind = behind.trim_ascii_end();
        // The kernel says so behind the name of a file that was removed meanwhile.
        behind.strip_suffix(b" (deleted)").unwrap_or(behind) == self.below.as_os_str().as_encoded_bytes()
    }

    /// Puts another file behind the same name.
    ///
    /// # Errors
    /// Where the device is held, or somebody else was given the name in between.
    pub fn swap(&mut self, below: &Path) -> Result<(), String> {
        if !self.is_ours() {
            return Err(format!("{} is somebody else's now", self.path));
        }
        tool("losetup", &["--detach", &self.path])?;
        self.below = below.canonicalize().map_err(|error| format!("{}: {error}", below.display()))?;
        let arguments = [self.path.as_str(), &below.display().to_string()];
        let mut attached = tool("losetup", &arguments);
        // The name is free when the last I/O of a program that was killed has ended.
        for _ in 0..100 {
            if attached.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            attached = tool("losetup", &arguments);
        }
        attached.map(drop)
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        // A name that went to somebody else is left alone.
        if !self.is_ours() {
            return;
        }
        if let Err(error) = tool("losetup", &["--detach", &self.path]) {
            eprintln!("left behind: {error}");
        }
    }
}
