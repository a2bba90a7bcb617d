//! What stands in a folder, and what of it is no longer as it was.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::sparse::{self, Content};

/// All names below a folder, with what stands under them.
pub type FolderSnapshot = BTreeMap<PathBuf, Thing>;

/// What stands under a name. Times of reading are left out: reading is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    File { bytes: u64, modified_ns: i128, mode: u32, content: Content },
    Folder { mode: u32 },
    Link(PathBuf),
    Device(u64),
    Other,
}

/// Looks at all that lies below `folder`.
///
/// # Errors
/// Of the system.
pub fn look(folder: &Path) -> io::Result<FolderSnapshot> {
    let mut seen = FolderSnapshot::new();
    gather(folder, &mut seen)?;
    Ok(seen)
}

fn gather(folder: &Path, seen: &mut FolderSnapshot) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let known = fs::symlink_metadata(&path)?;
        seen.insert(path.clone(), thing(&path, &known)?);
        if known.is_dir() {
            gather(&path, seen)?;
        }
    }
    Ok(())
}

fn thing(path: &Path, known: &Metadata) -> io::Result<Thing> {
    let kind = known.file_type();
    Ok(if kind.is_symlink() {
        Thing::Link(fs::read_link(path)?)
    } else if kind.is_dir() {
        Thing::Folder { mode: known.mode() }
    } else if kind.is_block_device() {
        Thing::Device(known.rdev())
    } else if kind.is_file() {
        Thing::File {
            bytes: known.len(),
            modified_ns: i128::from(known.mtime()) * 1_000_000_000 + i128::from(known.mtime_nsec()),
            mode: known.mode(),
            content: sparse::content(&File::open(path)?)?,
        }
    } else {
        Thing::Other
    })
}

/// What was there before and is not the same, in words; what is new is nobody's loss.
pub fn changes(before: &FolderSnapshot, after: &FolderSnapshot) -> Vec<(PathBuf, String)> {
    let change = |(path, old): (&PathBuf, &Thing)| {
        let what = match (old, after.get(path)) {
            (_, None) => "is gone".to_owned(),
            (old, Some(new)) if old == new => return None,
            (Thing::File { content: a, bytes: x, .. }, Some(Thing::File { content: b, bytes: y, .. })) => {
                file_change(a, b, *x, *y)
            }
            _ => "is something else".to_owned(),
        };
        Some((path.clone(), what))
    };
    before.iter().filter_map(change).collect()
}

fn file_change(before: &Content, after: &Content, bytes: u64, bytes_after: u64) -> String {
    let summary = content_change(before, after);
    match (summary, bytes == bytes_after) {
        (Some(what), true) => what,
        (Some(what), false) => format!("{bytes} bytes before, {bytes_after} now; {what}"),
        (None, false) => format!("{bytes} bytes before, {bytes_after} now"),
        (None, true) => "the same bytes, but another time of change or other rights".to_owned(),
    }
}

/// How many pieces of 4 KiB differ, and where the first lies; `None` where none does.
pub fn content_change(before: &Content, after: &Content) -> Option<String> {
    let lost = before.iter().filter(|(at, digest)| after.get(at) != Some(digest)).map(|(at, _)| *at);
    let new = after.keys().filter(|at| !before.contains_key(at)).copied();
    let mut places: Vec<u64> = lost.chain(new).collect();
    places.sort_unstable();
    let first = places.first()?;
    Some(format!("{} blocks of 4 KiB changed, the first at byte {first}", places.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_and_new_names_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::create_dir(place("sub")).unwrap();
        for name in ["same", "cut", "gone", "sub/inner"] {
            fs::write(place(name), [7; 10_000]).unwrap();
        }
        std::os::unix::fs::symlink("same", place("link")).unwrap();
        let before = look(folder.path()).unwrap();
        assert_eq!(before.len(), 6);
        assert!(changes(&before, &look(folder.path()).unwrap()).is_empty());
        fs::write(place("new"), "new").unwrap();
        fs::write(place("cut"), [7; 5_000]).unwrap();
        fs::remove_file(place("gone")).unwrap();
        fs::remove_file(place("link")).unwrap();
        fs::write(place("link"), "").unwrap();
        fs::write(place("sub/inner"), [7; 10_000]).unwrap();
        let changed = changes(&before, &look(folder.path()).unwrap());
        let words: Vec<&str> = changed.iter().map(|(_, what)| what.as_str()).collect();
        assert_eq!(words.len(), 4, "{words:?}");
        assert!(words[0].starts_with("10000 bytes before, 5000 now; "), "{words:?}");
        assert_eq!(words[1..3], ["is gone", "is something else"]);
        assert!(words[3].starts_with("the same bytes"), "{words:?}");
    }
}
