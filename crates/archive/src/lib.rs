//! Zip archives, the same bytes for the same content: times are those of the format's first day.
//!
//! They are bundles of texts, wheels and releases for Windows, which are small and only written. The crates `zip` and
//! `rawzip` read archives too, in many forms, and would be compiled into each program for the sake of these 70 lines.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFile {
    /// Its path, with `/`.
    pub path: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
/// What reads it has to know: folders and deflate.
const NEEDS: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
const DEFLATE: u16 = 8;
/// 1 January 1980.
const DAY: u16 = 1 << 5 | 1;
/// A plain file of Unix that everybody may read.
const ATTRIBUTES: u32 = 0o100_644 << 16;

/// The archive (PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
///
/// # Errors
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge) when it would be larger than the format without extensions takes.
pub fn zip(files: &[ArchiveFile]) -> io::Result<Vec<u8>> {
    let (mut out, mut central) = (Vec::new(), Vec::new());
    for file in files {
        let start = length(out.len())?;
        let packed = deflate(&file.content)?;
        let mut crc = Crc::new();
        crc.update(&file.content);
        let mut facts = Vec::new();
        for half in [NEEDS, FLAGS, DEFLATE, 0, DAY] {
            facts.extend(half.to_le_bytes());
        }
        for whole in [crc.sum(), length(packed.len())?, length(file.content.len())?] {
            facts.extend(whole.to_le_bytes());
        }
        let name = u16::try_from(file.path.len())
            .map_err(|_| too_large(format!("{}: the path is too long", file.path)))?;
        facts.extend(name.to_le_bytes());
        // No extra fields.
        facts.extend(0u16.to_le_bytes());
        out.extend(LOCAL.to_le_bytes());
        out.extend(&facts);
        out.extend(file.path.as_bytes());
        out.extend(packed);
        central.extend(CENTRAL.to_le_bytes());
        // Made by Unix.
        central.extend((3 << 8 | NEEDS).to_le_bytes());
        central.extend(&facts);
        // No comment, on the first disk, of no kind.
        central.extend([0; 6]);
        central.extend(ATTRIBUTES.to_le_bytes());
        central.extend(start.to_le_bytes());
        central.extend(file.path.as_bytes());
    }
    let start = length(out.len())?;
    let count = u16::try_from(files.len()).map_err(|_| too_large("too many files"))?;
    out.extend(&central);
    out.extend(END.to_le_bytes());
    out.extend([0; 4]);
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(length(central.len())?.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    Ok(out)
}

fn too_large(cause: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, cause.into())
}

fn length(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(|_| too_large("a zip archive has at most 4 GiB"))
}

fn deflate(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).and_then(|()| encoder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_is_packed_is_found_where_the_directory_says() {
        let file = |path: &str, content: &str| ArchiveFile { path: path.to_owned(), content: content.into() };
        let files = [file("a/b.py", &"x = 1\n".repeat(500)), file("empty", "")];
        let bytes = zip(&files).unwrap();
        assert_eq!(bytes, zip(&files).unwrap());
        let half = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let whole = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = bytes.len() - 22;
        assert_eq!((whole(end), half(end + 10)), (END as usize, 2));
        let mut at = whole(end + 16);
        for file in &files {
            assert_eq!(whole(at), CENTRAL as usize);
            let (packed, plain, name, local) =
                (whole(at + 20), whole(at + 24), half(at + 28), whole(at + 42));
            assert_eq!((plain, name), (file.content.len(), file.path.len()));
            assert_eq!(
                (whole(local), &bytes[local + 30..local + 30 + name]),
                (LOCAL as usize, file.path.as_bytes())
            );
            let data = &bytes[local + 30 + name..][..packed];
            let mut content = Vec::new();
            flate2::read::DeflateDecoder::new(data).read_to_end(&mut content).unwrap();
            assert_eq!(content, file.content);
            at += 46 + name;
        }
        assert_eq!(at, end);
    }
}
