//! One file from the disk through its importer, with its name, digest and time in what comes out.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use fathom_record::RunRecord;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::recognise::{DemandProbe, HEAD_BYTES, recognise};
use super::{Context, Head, ImportedItem, Importer};
use crate::{Fault, Refusal};

/// What became of a file.
#[derive(Debug)]
pub enum FileOutcome {
    /// It was read.
    Read {
        /// By which importer.
        importer: &'static Importer,
        /// SHA-256 of its bytes, in hexadecimal digits.
        sha256: String,
        /// What was in it, each run with an id.
        found: Vec<ImportedItem>,
    },
    /// Its bytes were read before.
    Known,
    /// No importer takes it.
    Unrecognised(Fault),
    /// Its importer refused it.
    Refused {
        /// Which importer.
        importer: &'static Importer,
        /// Why.
        refusal: Refusal,
    },
    /// The system could not read it.
    Failed(io::Error),
}

/// Files that were read before.
#[derive(Clone, Debug, Default)]
pub struct KnownFiles {
    digests: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl FromIterator<(String, String)> for KnownFiles {
    /// Of digests, in hexadecimal digits, and names without folders.
    fn from_iter<I: IntoIterator<Item = (String, String)>>(files: I) -> Self {
        let (digests, names) = files.into_iter().unzip();
        Self { digests, names }
    }
}

/// Reads a file with the importer that is most sure of it, or with the one that is named. `demand_of` says of what no
/// importer knows whether it is a demand.
///
/// Where a file of its name is known, its digest is taken before anything is parsed; otherwise of the bytes as they
/// are parsed, so that they are read once.
pub fn read_file(
    path: &Path,
    named: Option<&'static Importer>,
    known: &KnownFiles,
    demand_of: DemandProbe,
) -> FileOutcome {
    attempt(path, named, known, demand_of).unwrap_or_else(FileOutcome::Failed)
}

fn attempt(
    path: &Path,
    named: Option<&'static Importer>,
    known: &KnownFiles,
    demand_of: DemandProbe,
) -> io::Result<FileOutcome> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        // A disk would be read to its end, and a pipe cannot be read twice.
        return Err(io::Error::other("not a regular file"));
    }
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let importer = match named {
        Some(importer) => importer,
        None => {
            let mut head = Vec::new();
            (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
            match recognise(&Head { bytes: &head, file_name: &file_name }, demand_of) {
                Ok(importer) => importer,
                Err(fault) => return Ok(FileOutcome::Unrecognised(fault)),
            }
        }
    };
    file.seek(SeekFrom::Start(0))?;
    if known.names.contains(&file_name) {
        let mut digesting = DigestReader::new(&mut file);
        digesting.pass_all()?;
        if known.digests.contains(&digesting.finish()?) {
            return Ok(FileOutcome::Known);
        }
        file.seek(SeekFrom::Start(0))?;
    }
    let changed = file.metadata()?.modified()?;
    let changed_at = Timestamp::try_from(changed).map(|time| time.to_string()).unwrap_or_default();
    let context = Context { file_name, changed_at };
    let mut input = BufReader::with_capacity(STEP, DigestReader::new(file));
    let read = importer.read(&mut input, &context);
    // An importer need not read what it does not take.
    let mut digesting = input.into_inner();
    digesting.pass_all()?;
    let sha256 = digesting.finish()?;
    if known.digests.contains(&sha256) {
        return Ok(FileOutcome::Known);
    }
    Ok(match read {
        Err(refusal) => FileOutcome::Refused { importer, refusal },
        Ok(mut found) => {
            for (number, imported) in found.iter_mut().enumerate() {
                sign(imported, &context.file_name, &sha256, number);
            }
            FileOutcome::Read { importer, sha256, found }
        }
    })
}

/// Bytes that are read at once.
const STEP: usize = 1 << 16;

/// A file whose digest is taken of its bytes as they are read.
struct DigestReader<R> {
    inner: R,
    hash: Sha256,
    failed: Option<io::Error>,
}

impl<R: Read> DigestReader<R> {
    /// From its start on.
    fn new(inner: R) -> Self {
        Self { inner, hash: Sha256::new(), failed: None }
    }

    /// Reads what is left.
    fn pass_all(&mut self) -> io::Result<()> {
        io::copy(&mut BufReader::with_capacity(STEP, self), &mut io::sink()).map(drop)
    }

    /// The digest of all that was read, in hexadecimal digits.
    ///
    /// # Errors
    /// When any of it could not be read.
    fn finish(self) -> io::Result<String> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }
}

impl<R: Read> Read for DigestReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(length) => {
                self.hash.update(&buffer[..length]);
                Ok(length)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            // Told to whoever reads, and again at the end to whoever asks for the digest.
            Err(error) => {
                let kind = error.kind();
                self.failed.get_or_insert(error);
                Err(kind.into())
            }
        }
    }
}

/// Writes into an origin which file it is of, and gives a run its name.
fn sign(imported: &mut ImportedItem, file_name: &str, sha256: &str, number: usize) {
    // A record of fathom's own keeps its name.
    let Some(origin) = imported.origin_mut() else { return };
    (origin.file, origin.sha256) = (file_name.to_owned(), sha256.to_owned());
    if let ImportedItem::Run(run) = imported {
        name(run, sha256, number);
    }
}

/// Gives an imported run an id that sorts by its start, and is the same for the same file.
pub fn name(run: &mut RunRecord, sha256: &str, number: usize) {
    let started: Timestamp = run.started_at.parse().unwrap_or_default();
    let digits = sha256.get(..8).unwrap_or("00000000");
    run.id = format!("i-{}-{digits}-n{number}", started.strftime("%Y%m%d-%H%M%S%3f"));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails behind its first bytes.
    struct BrokenReader(bool);

    impl Read for BrokenReader {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(io::Error::new(io::ErrorKind::NotConnected, "the cable is out"));
            }
            buffer[0] = b'a';
            Ok(1)
        }
    }

    #[test]
    fn a_digest_is_of_all_bytes_however_many_an_importer_took() {
        const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for taken in 0..=3 {
            let mut digesting = DigestReader::new(&b"abc"[..]);
            digesting.read_exact(&mut vec![0; taken]).unwrap();
            digesting.pass_all().unwrap();
            assert_eq!(digesting.finish().unwrap(), ABC, "{taken}");
        }
    }

    #[test]
    fn what_could_not_be_read_has_no_digest() {
        let mut digesting = DigestReader::new(BrokenReader(false));
        assert!(digesting.read_to_end(&mut Vec::new()).is_err());
        assert_eq!(digesting.finish().unwrap_err().to_string(), "the cable is out");
    }

    #[test]
    fn a_file_is_known_by_its_bytes_under_any_name() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let read = |known: &KnownFiles| read_file(path, super::super::by_name("iostat"), known, |_| None);
        assert!(matches!(read(&KnownFiles::default()), FileOutcome::Refused { .. }));
        let mut digesting = DigestReader::new(File::open(path).unwrap());
        digesting.pass_all().unwrap();
        let sha256 = digesting.finish().unwrap();
        for name in ["Cargo.toml", "other.toml"] {
            let known = KnownFiles::from_iter([(sha256.clone(), name.to_owned())]);
            assert!(matches!(read(&known), FileOutcome::Known), "{name}");
        }
        let known = KnownFiles::from_iter([("00".to_owned(), "Cargo.toml".to_owned())]);
        assert!(matches!(read(&known), FileOutcome::Refused { .. }));
    }
}
