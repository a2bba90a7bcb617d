//! What a program of somebody else's has to reach to do its work, from the targets that were named and judged.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fathom_target::wall::Reach;

/// The reach of a program on targets that are all written, or all only read. Nothing that it is told by other options
/// is in it, so that the wall depends on no reading of those.
pub fn reach_on(program: &OsStr, targets: &[PathBuf], writes: bool, folder: &Path) -> Reach {
    let (writes, reads) =
        if writes { (targets.to_vec(), Vec::new()) } else { (Vec::new(), targets.to_vec()) };
    Reach { writes, reads, below: vec![folder.to_owned()], starts: vec![find_program(program)] }
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
        let reading = reach_on(OsStr::new("/no/such/fio"), &target, false, folder);
        assert_eq!((reading.writes.len(), reading.reads.as_slice()), (0, target.as_slice()));
        assert_eq!(reading.starts, [PathBuf::from("/no/such/fio")]);
        let writing = reach_on(OsStr::new("sh"), &target, true, folder);
        assert_eq!((writing.writes.as_slice(), writing.reads.len()), (target.as_slice(), 0));
        assert!(writing.starts[0].is_absolute(), "{:?}", writing.starts);
    }
}
