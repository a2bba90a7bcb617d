//! Files with holes: where their data lies, copied and told apart by it alone.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{SeekFrom, seek};

const PIECE_BYTES: usize = 4096;
const CHUNK_BYTES: usize = 1 << 20;

/// What a file holds: the digest of each 4 KiB that is not zero, by its offset. A hole and zeros are the same.
pub type Content = BTreeMap<u64, u64>;

/// Reads what `file` holds; only its data is read.
///
/// # Errors
/// Of the system.
pub fn content(file: &File) -> io::Result<Content> {
    let mut content = Content::new();
    data(file, |offset, bytes| {
        for (index, piece) in bytes.chunks(PIECE_BYTES).enumerate() {
            if piece.iter().any(|byte| *byte != 0) {
                let mut hasher = DefaultHasher::new();
                hasher.write(piece);
                content.insert(offset + (index * PIECE_BYTES) as u64, hasher.finish());
            }
        }
        Ok(())
    })?;
    Ok(content)
}

/// Copies `from` to a new file, with its holes.
///
/// # Errors
/// Of the system.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (File::open(from)?, File::create_new(to)?);
    to.set_len(from.metadata()?.len())?;
    data(&from, |offset, bytes| to.write_all_at(bytes, offset))
}

/// Hands out the data between the holes, in chunks that begin at multiples of a piece.
fn data(file: &File, mut take: impl FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<()> {
    let length = file.metadata()?.len();
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut at = 0;
    while at < length {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start / PIECE_BYTES as u64 * PIECE_BYTES as u64,
            Err(rustix::io::Errno::NXIO) => break,
            Err(error) => return Err(error.into()),
        };
        let end = seek(file, SeekFrom::Hole(start.max(at)))?.min(length);
        at = start;
        while at < end {
            let wanted = CHUNK_BYTES.min(usize::try_from(end - at).unwrap_or(CHUNK_BYTES));
            file.read_exact_at(&mut buffer[..wanted], at)?;
            take(at, &buffer[..wanted])?;
            at += wanted as u64;
        }
        // The next search begins behind a whole piece, or the end of a hole inside it is found for ever.
        at = end.max(start + 1).next_multiple_of(PIECE_BYTES as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_what_is_not_zero_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        let file = File::create_new(&a).unwrap();
        file.set_len(5_000_001).unwrap();
        file.write_all_at(b"x", 1_234_567).unwrap();
        file.write_all_at(b"end", 4_999_998).unwrap();
        file.write_all_at(&[0; 9000], 8192).unwrap();
        let before = content(&File::open(&a).unwrap()).unwrap();
        assert_eq!(before.keys().copied().collect::<Vec<_>>(), [1_232_896, 4_997_120]);
        copy(&a, &b).unwrap();
        let copied = File::options().read(true).write(true).open(&b).unwrap();
        assert_eq!(
            (content(&copied).unwrap(), copied.metadata().unwrap().len()),
            (before.clone(), 5_000_001)
        );
        copied.write_all_at(b"y", 4_000_000).unwrap();
        assert_ne!(content(&copied).unwrap(), before);
        assert_eq!(std::fs::read(&a).unwrap()[1_234_567], b'x');
    }
}
