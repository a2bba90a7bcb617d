//! One file from the disk through its importer, with its name, digest and time in what comes out.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use fathom_record::RunRecord;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::recognise::{DemandOf, HEAD_BYTES, Unrecognised, recognise};
use super::{Context, Head, Imported, Importer};
use crate::Refusal;

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
        found: Vec<Imported>,
    },
    /// Its bytes were read before.
    Known,
    /// No importer takes it.
    Unrecognised(Unrecognised),
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

/// Reads a file with the importer that is most sure of it, or with the one that is named. `is_known` is asked by
/// digest before anything is parsed; `demand_of` says of what no importer knows whether it is a demand.
pub fn read_file(
    path: &Path,
    named: Option<&'static Importer>,
    is_known: &dyn Fn(&str) -> bool,
    demand_of: DemandOf,
) -> FileOutcome {
    attempt(path, named, is_known, demand_of).unwrap_or_else(FileOutcome::Failed)
}

fn attempt(
    path: &Path,
    named: Option<&'static Importer>,
    is_known: &dyn Fn(&str) -> bool,
    demand_of: DemandOf,
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
                Err(unrecognised) => return Ok(FileOutcome::Unrecognised(unrecognised)),
            }
        }
    };
    let sha256 = digest(&mut file)?;
    if is_known(&sha256) {
        return Ok(FileOutcome::Known);
    }
    file.seek(SeekFrom::Start(0))?;
    let changed = file.metadata()?.modified()?;
    let changed_at = Timestamp::try_from(changed).map(|time| time.to_string()).unwrap_or_default();
    let context = Context { file_name, changed_at };
    let mut input = BufReader::with_capacity(1 << 16, file);
    Ok(match importer.read(&mut input, &context) {
        Err(refusal) => FileOutcome::Refused { importer, refusal },
        Ok(mut found) => {
            for (number, imported) in found.iter_mut().enumerate() {
                sign(imported, &context.file_name, &sha256, number);
            }
            FileOutcome::Read { importer, sha256, found }
        }
    })
}

fn digest(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes into an origin which file it is of, and gives a run its name.
fn sign(imported: &mut Imported, file_name: &str, sha256: &str, number: usize) {
    // A record of fathom's own keeps its name.
    let Some(origin) = imported.origin_mut() else { return };
    (origin.file, origin.sha256) = (file_name.to_owned(), sha256.to_owned());
    if let Imported::Run(run) = imported {
        name(run, sha256, number);
    }
}

/// Gives an imported run an id that sorts by its start, and is the same for the same file.
pub fn name(run: &mut RunRecord, sha256: &str, number: usize) {
    let started: Timestamp = run.started_at.parse().unwrap_or_default();
    let digits = sha256.get(..8).unwrap_or("00000000");
    run.id = format!("i-{}-{digits}-n{number}", started.strftime("%Y%m%d-%H%M%S%3f"));
}
