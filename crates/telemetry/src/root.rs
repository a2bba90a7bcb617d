//! Where the machine's files are: `/`, or a tree that a test made.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The folder that stands for `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Default for Root {
    fn default() -> Self {
        Self::system()
    }
}

impl Root {
    /// The machine itself.
    pub fn system() -> Self {
        Self(PathBuf::from("/"))
    }

    /// A tree elsewhere.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Where an absolute path of the machine lies; steps upwards in it are left out.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let names = path.as_ref().components().filter(|c| matches!(c, Component::Normal(_)));
        self.0.join(names.collect::<PathBuf>())
    }

    /// A small file as text, without blanks at its ends.
    ///
    /// # Errors
    /// As reading a file fails; also for attributes that their driver refuses to show.
    pub fn read(&self, path: impl AsRef<Path>) -> io::Result<String> {
        let bytes = std::fs::read(self.path(path))?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// A small file as it is, absent if it cannot be read.
    pub fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        std::fs::read(self.path(path)).ok()
    }

    /// A small file as text, absent if it cannot be read or holds nothing.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        self.read(path).ok().filter(|text| !text.is_empty())
    }

    /// A small file as a number.
    pub fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Names in a folder, sorted; none if it cannot be read.
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(path)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The place that a path leads to, with all links followed, as the machine names it.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let real = self.path(path).canonicalize().ok()?;
        let root = self.0.canonicalize().ok()?;
        Some(Path::new("/").join(real.strip_prefix(root).ok()?))
    }

    /// Last name of the place that a link leads to, as `nvme` for `.../drivers/nvme`.
    pub fn link_name(&self, path: impl AsRef<Path>) -> Option<String> {
        let target = std::fs::read_link(self.path(path)).ok()?;
        Some(target.file_name()?.to_str()?.to_owned())
    }

    /// Whether something is there.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }
}
