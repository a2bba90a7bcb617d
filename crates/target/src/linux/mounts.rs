//! What is mounted and swapped to, from `/proc/*/mountinfo` and `/proc/swaps`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::device_number::DeviceNumber;

/// One line of a `mountinfo` (Linux `Documentation/filesystems/proc.rst`, section 3.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Number of the mount, as `/proc/self/fdinfo` names it.
    pub id: u64,
    /// Device of the file system, major 0 where it is not one block device's.
    pub device: DeviceNumber,
    /// Where it is mounted.
    pub point: PathBuf,
    /// `ext4`, `btrfs`, ...
    pub kind: String,
    /// What was mounted, in the words of the file system.
    pub source: String,
    /// Options of the mount and, after a semicolon, of the file system.
    pub options: String,
    /// Whether it was seen in another mount namespace than this process's.
    pub elsewhere: bool,
}

/// All mounts of this process, and those of every other namespace whose processes can be seen.
pub fn mounts(proc: &Path) -> Vec<Mount> {
    let mut found = parse_mounts(&read(&proc.join("self/mountinfo")), false);
    let namespace = |process: &Path| fs::read_link(process.join("ns/mnt")).ok();
    let mut seen: HashSet<PathBuf> = namespace(&proc.join("self")).into_iter().collect();
    for process in processes(proc) {
        if namespace(&process).is_some_and(|its| seen.insert(its)) {
            found.extend(parse_mounts(&read(&process.join("mountinfo")), true));
        }
    }
    found
}

/// Folders of all processes under `/proc`.
pub fn processes(proc: &Path) -> Vec<PathBuf> {
    let is_process = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let Ok(entries) = fs::read_dir(proc) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(is_process).collect()
}

/// Files and devices that are swapped to, by the paths that `/proc/swaps` gives.
pub fn swaps(proc: &Path) -> Vec<PathBuf> {
    read(&proc.join("swaps"))
        .lines()
        .skip(1)
        .filter_map(|line| line.split_ascii_whitespace().next())
        .map(|path| PathBuf::from(unescape(path)))
        .collect()
}

/// A text file whose bytes need not be UTF-8; empty if it cannot be read.
fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn parse_mounts(text: &str, elsewhere: bool) -> Vec<Mount> {
    text.lines().filter_map(|line| parse_mount(line, elsewhere)).collect()
}

fn parse_mount(line: &str, elsewhere: bool) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ');
    let id = left.next()?.parse().ok()?;
    let device = DeviceNumber::parse(left.nth(1)?)?;
    let point = PathBuf::from(unescape(left.nth(1)?));
    let own_options = left.next()?;
    let mut right = right.split(' ');
    let kind = right.next()?.to_owned();
    let source = unescape(right.next()?);
    let options = match right.next() {
        Some(super_options) => format!("{own_options};{}", unescape(super_options)),
        None => own_options.to_owned(),
    };
    Some(Mount { id, device, point, kind, source, options, elsewhere })
}

/// Undoes the `\040` by which the kernel writes spaces, tabs, line ends and backslashes.
fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let octal = tail.first_chunk::<3>().filter(|digits| digits.iter().all(|d| (b'0'..b'8').contains(d)));
        match octal {
            Some(digits) if byte == b'\\' => {
                out.push(digits.iter().fold(0u8, |value, digit| value.wrapping_mul(8) + (digit - b'0')));
                rest = &tail[3..];
            }
            _ => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_lines_are_read_with_their_escapes_and_optional_fields() {
        let text = "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:7 - ext3 /dev/ro\\134ot rw,errors=x\n\
                    41 35 0:45 / /pool rw - btrfs /dev/sdb1 rw,subvol=/\n\
                    broken line\n42 x 8:1";
        let mounts = parse_mounts(text, false);
        assert_eq!(mounts.len(), 2);
        assert_eq!(mounts[0].device, DeviceNumber { major: 98, minor: 0 });
        assert_eq!(mounts[0].point, Path::new("/mnt 2"));
        assert_eq!(
            (mounts[0].kind.as_str(), mounts[0].source.as_str(), mounts[0].options.as_str()),
            ("ext3", "/dev/ro\\ot", "rw,noatime;rw,errors=x")
        );
        assert_eq!(mounts[1].source, "/dev/sdb1");
    }

    #[test]
    fn this_process_sees_its_root() {
        let mounts = mounts(Path::new("/proc"));
        assert!(mounts.iter().any(|mount| mount.point == Path::new("/") && !mount.elsewhere));
    }
}
