//! Archives, byte for byte the same for the same content: tar (ustar) and ar.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path without a slash in front.
    pub path: String,
    /// Its permissions, e.g. `0o755`.
    pub mode: u32,
    pub content: Vec<u8>,
}

impl Entry {
    pub fn new(path: impl Into<String>, mode: u32, content: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), mode, content: content.into() }
    }
}

const BLOCK: usize = 512;
const NAME_BYTES: usize = 100;

/// A tar archive with the folders that its files lie in, all owned by root; `prefix` goes before each path.
///
/// # Errors
/// When a path has no room in a header.
pub fn tar(entries: &[Entry], prefix: &str, time_s: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    for entry in entries {
        for (at, _) in entry.path.match_indices('/') {
            let folder = entry.path[..=at].to_owned();
            if !folders.contains(&folder) {
                header(&mut out, (&format!("{prefix}{folder}"), b'5'), (0o755, 0, time_s))?;
                folders.push(folder);
            }
        }
        let size = entry.content.len() as u64;
        header(&mut out, (&format!("{prefix}{}", entry.path), b'0'), (entry.mode, size, time_s))?;
        out.extend_from_slice(&entry.content);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

/// One header: a name and its kind, then permissions, size and time.
fn header(
    out: &mut Vec<u8>,
    (name, kind): (&str, u8),
    (mode, size, time_s): (u32, u64, u64),
) -> Result<(), String> {
    if name.len() > NAME_BYTES {
        return Err(format!("{name}: a path in an archive has at most {NAME_BYTES} bytes"));
    }
    let mut block = [0u8; BLOCK];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{time_s:011o}"));
    put(148, "        ");
    put(257, "ustar");
    put(263, "00");
    put(265, "root");
    put(297, "root");
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&block);
    Ok(())
}

/// Compressed as gzip does, without a name or a time.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| format!("gzip: {error}"))
}

/// An ar archive, as Debian's packages are.
pub fn ar(members: &[(&str, Vec<u8>)], time_s: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, content) in members {
        let size = content.len();
        out.extend_from_slice(
            format!("{name:<16}{time_s:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, "100644").as_bytes(),
        );
        out.extend_from_slice(content);
        if size % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn tar_reads_what_is_written() {
        let entries = [
            Entry::new("usr/bin/x", 0o755, "program"),
            Entry::new("usr/share/doc/x/README", 0o644, vec![b'a'; 1000]),
        ];
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.tar.gz");
        let bytes = gzip(&tar(&entries, "./", 1_700_000_000).expect("an archive")).expect("compressed");
        std::fs::write(&path, bytes).expect("written");
        let Ok(listed) = Command::new("tar").arg("-tvzf").arg(&path).output() else { return };
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(text.contains("-rwxr-xr-x root/root") && text.contains("./usr/share/doc/x/README"), "{text}");
    }

    #[test]
    fn members_of_an_ar_archive_begin_at_even_places() {
        let archive =
            ar(&[("debian-binary", b"2.0\n".to_vec()), ("odd", b"abc".to_vec()), ("end", Vec::new())], 7);
        assert_eq!(archive.len(), 8 + (60 + 4) + (60 + 4) + 60);
        assert!(
            archive
                .starts_with(b"!<arch>\ndebian-binary   7           0     0     100644  4         `\n2.0\n")
        );
    }

    #[test]
    fn a_path_without_room_is_refused() {
        assert!(tar(&[Entry::new("x".repeat(101), 0o644, "")], "", 0).is_err());
    }
}
