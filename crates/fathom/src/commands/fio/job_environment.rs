//! What fio's jobs ask of the machine: files, variables, sizes of targets.

#[cfg(not(unix))]
#[path = "device_elsewhere.rs"]
mod device;
#[cfg(unix)]
#[path = "device_unix.rs"]
mod device;

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use fathom_tools::Refusal;
use fathom_tools::fio::fio_job::Variables;
use fathom_tools::fio::job_expansion::FileText;
use fathom_tools::fio::read_iolog::{self, IoLogFacts};

use crate::failure::Failure;

/// Job files beyond this are something else.
const MOST_BYTES: u64 = 8 << 20;

/// A job file; `-` is standard input.
///
/// # Errors
/// When it cannot be read.
pub fn job_file(name: &str) -> Result<FileText, Failure> {
    let text = if name == "-" { read_all(io::stdin()) } else { read(Path::new(name)) };
    let text = text.map_err(|error| {
        Failure::usage(
            format!("reading the job file {name}"),
            error.to_string(),
            "name a job file, or begin a job with --name=NAME",
        )
        .with_source(error)
    })?;
    Ok(FileText { name: name.to_owned(), text })
}

/// A file that another one includes: by its name as it stands, or beside the other.
///
/// # Errors
/// When neither can be read.
pub fn included(name: &str, from: &str) -> io::Result<String> {
    let beside = Path::new(from).parent().map(|folder| folder.join(name));
    match (read(Path::new(name)), beside) {
        (Err(_), Some(beside)) => read(&beside),
        (outcome, _) => outcome,
    }
}

fn read(path: &Path) -> io::Result<String> {
    read_all(File::open(path)?)
}

fn read_all(source: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(damaged("it is larger than 8 MiB"));
    }
    text(&bytes)
}

fn damaged(cause: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause.into())
}

/// Comments may be in any encoding. Options may not: with a letter replaced, a name is another file's.
fn text(bytes: &[u8]) -> io::Result<String> {
    let is_comment = |line: &[u8]| matches!(line.trim_ascii_start().first(), Some(b'#' | b';') | None);
    let broken = bytes
        .split(|byte| *byte == b'\n')
        .position(|line| std::str::from_utf8(line).is_err() && !is_comment(line));
    match broken {
        Some(line) => Err(damaged(format!("line {} is not valid UTF-8", line + 1))),
        None => Ok(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// What variables of job files stand for here.
pub fn variables() -> Variables<'static> {
    /// Of every Linux that fathom is built for.
    const PAGE_BYTES: u64 = 4096;
    let processors = std::thread::available_parallelism().map_or(1, |number| number.get() as u64);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    let kib: u64 = kib.unwrap_or(0);
    let environment = &|name: &str| std::env::var(name).ok();
    Variables { environment, processors, page_bytes: PAGE_BYTES, memory_mib: kib / 1024 }
}

/// What a log of I/Os holds.
///
/// # Errors
/// When it cannot be read, or breaks off in a line.
pub fn log(name: &str) -> Result<Option<IoLogFacts>, Refusal> {
    let file = File::open(name)
        .map_err(|error| Refusal::caused_by("a log of I/Os", error).or("name one that can be read"))?;
    read_iolog::survey(BufReader::new(file))
}

/// Bytes of a file or device that is there.
pub fn target_bytes(name: &str) -> Option<u64> {
    let meta = fs::metadata(name).ok()?;
    if meta.is_file() { Some(meta.len()) } else { device::bytes(name, &meta) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_read_with_letters_replaced() {
        assert!(text(b"# caf\xe9\n[a]\n ; \xff\nrw=read\n").unwrap().contains("rw=read"));
        let cause = text(b"[a]\nfilename=/data/\xff.bin\n").unwrap_err();
        assert_eq!(cause.to_string(), "line 2 is not valid UTF-8");
    }
}
