//! What a run leaves in its folder: names with sizes, logs with lines, and what kind of content.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

/// Blocks in which content is looked at, in bytes.
const BLOCK: usize = 4096;

/// A file as it was left.
#[derive(Clone, Debug, PartialEq)]
pub enum Thing {
    Folder,
    File {
        bytes: u64,
        content: Content,
    },
    /// Lines and columns of a log.
    Log {
        lines: usize,
        columns: usize,
    },
}

/// What kind of bytes a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// Share of blocks of 4 KiB that are all zero.
    pub zero: f64,
    /// Share of blocks that are unlike all before them.
    pub distinct: f64,
    /// Mean entropy of the bytes of a block, in bits a byte: 8 is noise.
    pub entropy: f64,
}

/// Everything below `here`, by name; fio's files of verification states are its own and left out.
pub fn look(here: &Path) -> BTreeMap<String, Thing> {
    let mut things = BTreeMap::new();
    gather(here, here, &mut things);
    things
}

fn gather(here: &Path, folder: &Path, things: &mut BTreeMap<String, Thing>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = path.strip_prefix(here).unwrap_or(&path).display().to_string();
        if name.ends_with("-verify.state") {
            continue;
        }
        if path.is_dir() {
            things.insert(name, Thing::Folder);
            gather(here, &path, things);
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let thing = if name.ends_with(".log") {
            let text = String::from_utf8_lossy(&bytes);
            let columns = text.lines().next().map_or(0, |line| line.split(',').count());
            Thing::Log { lines: text.lines().count(), columns }
        } else {
            Thing::File { bytes: bytes.len() as u64, content: Content::of(&bytes) }
        };
        things.insert(name, thing);
    }
}

impl Content {
    /// Looks at whole blocks; what is shorter than one has zeros throughout.
    pub fn of(bytes: &[u8]) -> Self {
        let blocks: Vec<&[u8]> = bytes.chunks_exact(BLOCK).collect();
        if blocks.is_empty() {
            return Self::default();
        }
        let count = blocks.len() as f64;
        let zero = blocks.iter().filter(|block| block.iter().all(|byte| *byte == 0)).count() as f64;
        let distinct = blocks.iter().collect::<HashSet<_>>().len() as f64;
        let entropy: f64 = blocks.iter().map(|block| entropy(block)).sum();
        Self { zero: zero / count, distinct: distinct / count, entropy: entropy / count }
    }
}

fn entropy(block: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let share = |count: u32| f64::from(count) / block.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| share(*count) * (1.0 / share(*count)).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_content_are_told_apart() {
        let zeros = Content::of(&[0; 2 * BLOCK]);
        assert_eq!((zeros.zero, zeros.distinct, zeros.entropy), (1.0, 0.5, 0.0));
        let counted: Vec<u8> = (0..=255).cycle().take(BLOCK).collect();
        assert_eq!(Content::of(&counted).entropy, 8.0);
        let four = Content::of(&[0xde, 0xad, 0xbe, 0xef].repeat(1024));
        assert_eq!((four.zero, four.entropy), (0.0, 2.0));
        assert_eq!(Content::of(&[1; 10]), Content::default());
    }

    #[test]
    fn names_sizes_and_logs_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/data"), [7; 5000]).unwrap();
        fs::write(folder.path().join("a_lat.1.log"), "1, 2, 0, 4096, 0\n2, 2, 0, 4096, 0\n").unwrap();
        fs::write(folder.path().join("local-a-0-verify.state"), "x").unwrap();
        let things = look(folder.path());
        assert_eq!(things.keys().collect::<Vec<_>>(), ["a_lat.1.log", "sub", "sub/data"]);
        assert_eq!(things["a_lat.1.log"], Thing::Log { lines: 2, columns: 5 });
        assert!(matches!(things["sub/data"], Thing::File { bytes: 5000, .. }));
    }
}
