//! A file system made on a disk and mounted.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::super::teardown::tool;

/// A mount of our own.
pub struct MountGuard {
    place: PathBuf,
}

impl MountGuard {
    /// Makes a file system of `kind` on `device` and mounts it at `place`.
    ///
    /// # Errors
    /// Where `mkfs` of that kind or the right to mount is missing.
    pub fn new(kind: &str, device: &Path, place: &Path) -> Result<Self, String> {
        let disk = device.display().to_string();
        tool(&format!("mkfs.{kind}"), &["-q", &disk])?;
        std::fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
        tool("mount", &["-t", kind, &disk, &place.display().to_string()])?;
        Ok(Self { place: place.to_owned() })
    }
}

impl Drop for MountGuard {
    fn drop(&mut self) {
        let place = self.place.display().to_string();
        // Busy while a program that was ended has I/O in flight.
        for _ in 0..50 {
            if tool("umount", &[&place]).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        eprintln!("left behind: a file system; type `umount {place}`");
    }
}
