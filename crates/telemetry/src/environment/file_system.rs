//! The file system that a file lies in, and how it is mounted.

#[cfg_attr(target_os = "linux", path = "space_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "space_elsewhere.rs")]
mod space;

use std::path::{Path, PathBuf};

use super::Facts;
use crate::Root;

const MOUNTS: &str = "/proc/self/mountinfo";

/// One line of `/proc/self/mountinfo` (Linux `Documentation/filesystems/proc.rst`, section 3.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Which folder of the file system is mounted.
    pub root: PathBuf,
    /// Where.
    pub point: PathBuf,
    /// Options of this mount.
    pub options: String,
    /// `ext4`, `xfs`, `cgroup2`...
    pub kind: String,
    /// The device, or what stands for it.
    pub source: String,
    /// Options of the file system itself.
    pub super_options: String,
}

/// Mounts in their order; of two at one place the later hides the earlier.
pub(crate) fn parse_mounts(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_mount).collect()
}

fn parse_mount(line: &str) -> Option<Mount> {
    let (fixed, tail) = line.split_once(" - ")?;
    let mut fixed = fixed.split(' ').skip(3);
    let (root, point, options) = (fixed.next()?, fixed.next()?, fixed.next()?);
    let mut tail = tail.split(' ');
    Some(Mount {
        root: unescape(root).into(),
        point: unescape(point).into(),
        options: options.to_owned(),
        kind: tail.next()?.to_owned(),
        source: unescape(tail.next()?),
        super_options: tail.next().unwrap_or("").to_owned(),
    })
}

/// Undoes the kernel's octal escapes of blanks and backslashes: `\040` is a blank.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = match tail {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] if *first == b'\\' => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[3..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The mount that a path lies in: the longest mount point above it, the last of equals.
fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count())
}

/// The path, or the nearest folder above it that exists, with links followed.
fn existing(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.ancestors().find_map(|place| place.canonicalize().ok())
}

/// The mount that a file or a folder lies in, and its path with links followed.
pub(super) fn mount_above(root: &Root, target: &Path) -> Option<(Mount, PathBuf)> {
    let path = existing(target).filter(|path| path.is_file() || path.is_dir())?;
    let mounts = parse_mounts(&root.text(MOUNTS)?);
    Some((mount_of(&mounts, &path)?.clone(), path))
}

pub(super) fn describe(facts: &mut Facts<'_>, target: &Path) {
    let Some((mount, path)) = mount_above(facts.root(), target) else { return };
    let point = mount.point.display().to_string();
    let subject = ("file_system", point.as_str());
    facts.add(subject, "kind", &mount.kind, MOUNTS);
    facts.add(subject, "source", &mount.source, MOUNTS);
    let options = format!("{},{}", mount.options, mount.super_options);
    facts.add(subject, "options", options.trim_end_matches(','), MOUNTS);
    if let Some(space) = space::of(&path) {
        facts.add(subject, "total_bytes", space.total_bytes, "statvfs");
        facts.add(subject, "free_bytes", space.free_bytes, "statvfs");
        facts.add(subject, "block_bytes", space.block_bytes, "statvfs");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n\
        30 27 0:26 / /mnt/a\\040b rw shared:5 master:1 - tmpfs tmpfs rw,size=1k\n\
        31 27 0:27 /sub /mnt rw - btrfs /dev/sdb rw,subvol=/sub\n\
        32 27 0:28 / /mnt rw,sync - xfs /dev/sdc rw\nbroken line\n1 2 3 - x\n";

    #[test]
    fn the_longest_and_last_mount_above_a_path_holds_it() {
        let mounts = parse_mounts(TEXT);
        assert_eq!(mounts.len(), 4);
        let kind = |path: &str| mount_of(&mounts, Path::new(path)).unwrap().kind.as_str();
        assert_eq!(kind("/home/x"), "ext4");
        assert_eq!(kind("/mnt/file"), "xfs");
        assert_eq!(kind("/mnt/a b/file"), "tmpfs");
        assert_eq!(kind("/mnttoo"), "ext4");
        assert_eq!(mounts[2].root, Path::new("/sub"));
        assert_eq!(mounts[1].super_options, "rw,size=1k");
    }

    #[test]
    fn escapes_are_undone_and_others_left() {
        assert_eq!(unescape("a\\040b\\134c\\0"), "a b\\c\\0");
        assert_eq!(unescape("\\999\\"), "\\999\\");
    }

    proptest! {
        #[test]
        fn any_line_can_be_read(line in "[ -~\\\\]{0,120}") {
            for mount in parse_mounts(&line) {
                prop_assert!(line.contains(&mount.kind));
            }
            let _ = unescape(&line);
        }
    }
}
