//! What a program of somebody else's has to reach to do its work, from the targets that were named and judged.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Files, devices and folders that a child works with. Nothing that a child was told by other options is among them,
/// so that whoever enforces this depends on no reading of those.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Files and devices that exist and may be written.
    pub targets: Vec<PathBuf>,
    /// Files and devices that are only read.
    pub reads: Vec<PathBuf>,
    /// Folders below which it may make, write and remove anything.
    pub folders: Vec<PathBuf>,
    /// The program that is started.
    pub program: PathBuf,
}

impl Reach {
    /// The reach of a program on targets that are all written, or all only read.
    pub fn on(program: &OsStr, targets: &[PathBuf], writes: bool, folder: &Path) -> Self {
        let (targets, reads) =
            if writes { (targets.to_vec(), Vec::new()) } else { (Vec::new(), targets.to_vec()) };
        Self { targets, reads, folders: vec![folder.to_owned()], program: find_program(program) }
    }
}

/// The file of a program: its path, or where the search path finds it; the name itself where it does not.
pub fn find_program(name: &OsStr) -> PathBuf {
    let path = Path::new(name);
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = if path.components().count() > 1 {
        Some(path.to_owned())
    } else {
        std::env::split_paths(&search).map(|folder| folder.join(path)).find(|file| file.is_file())
    };
    let found = found.unwrap_or_else(|| path.to_owned());
    found.canonicalize().unwrap_or(found)
}

/// Mounted file systems of huge pages, in which SPDK makes files for its memory.
pub fn huge_page_folders() -> Vec<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let fields = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    fields
        .filter(|fields| fields.get(2) == Some(&"hugetlbfs"))
        .map(|fields| PathBuf::from(fields[1]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_read_is_not_among_what_may_be_written() {
        let (folder, target) = (Path::new("/raw"), [PathBuf::from("/dev/x")]);
        let reading = Reach::on(OsStr::new("/no/such/fio"), &target, false, folder);
        assert_eq!((reading.targets.len(), reading.reads.as_slice()), (0, target.as_slice()));
        assert_eq!(reading.program, Path::new("/no/such/fio"));
        let writing = Reach::on(OsStr::new("sh"), &target, true, folder);
        assert_eq!((writing.targets.as_slice(), writing.reads.len()), (target.as_slice(), 0));
        assert!(writing.program.is_absolute(), "{:?}", writing.program);
    }
}
