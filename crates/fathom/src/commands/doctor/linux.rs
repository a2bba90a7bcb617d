//! Rights, limits and calls of Linux that runs use.

use std::path::Path;

use fathom_engine::uring;
use fathom_target::wall;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{Resource, geteuid, getrlimit};

use super::{Finding, State};

/// Open files that many jobs on many targets need at most.
const FILES: u64 = 1024;

/// What the system lets a run do, on the storage under a path too.
pub fn findings(path: &Path) -> Vec<Finding> {
    vec![rights(), io_uring(), memory_limit(), files_limit(), kernel_wall(), direct(path)]
}

fn rights() -> Finding {
    const SUBJECT: &str = "rights";
    if geteuid().is_root() {
        return Finding::new(
            SUBJECT,
            State::Good,
            "root: devices, NVMe commands and the block layer's account are open",
        );
    }
    let found = "not root: files can be measured; devices need their group's rights, --witness and NVMe commands root";
    Finding::new(SUBJECT, State::Missing, found).or("sudo fathom ...")
}

fn io_uring() -> Finding {
    match uring::available() {
        Ok(()) => Finding::new("io_uring", State::Good, "can be used"),
        Err(error) => {
            let found = format!("{}; engines aio and sync take its place", error.cause);
            Finding::new("io_uring", State::Missing, found).or(error.remedy)
        }
    }
}

fn memory_limit() -> Finding {
    const ENOUGH: u64 = 64 << 20;
    match getrlimit(Resource::Memlock).current {
        Some(bytes) if bytes < ENOUGH && !geteuid().is_root() => {
            let found = format!(
                "{} may be locked: many jobs keep no registered buffers",
                fathom_measure::Bytes(bytes)
            );
            Finding::new("locked memory", State::Missing, found).or("ulimit -l unlimited")
        }
        _ => Finding::new("locked memory", State::Good, "enough for registered buffers"),
    }
}

fn files_limit() -> Finding {
    match getrlimit(Resource::Nofile).current {
        Some(files) if files < FILES => {
            let found = format!("{files} at once: many jobs on many targets need more");
            Finding::new("open files", State::Missing, found).or(format!("ulimit -n {FILES}"))
        }
        _ => Finding::new("open files", State::Good, "enough"),
    }
}

fn kernel_wall() -> Finding {
    let facts = wall::facts();
    match (&facts.missing, facts.abi) {
        (None, Some(abi)) => {
            let open = match facts.leaves_open.as_slice() {
                [] => String::new(),
                open => format!("; it leaves open: {}", open.join(", ")),
            };
            Finding::new(
                "Landlock",
                State::Good,
                format!("ABI {abi} keeps runs from what was not named{open}"),
            )
        }
        (missing, _) => {
            let why = missing.as_deref().unwrap_or("it is not known");
            Finding::new(
                "Landlock",
                State::Missing,
                format!("{why}; fathom's own checks alone keep runs from other data"),
            )
            .or("a kernel from 5.13 on with Landlock among its lsm=")
        }
    }
}

/// Whether the storage under a path takes I/O past the page cache.
fn direct(path: &Path) -> Finding {
    const SUBJECT: &str = "direct I/O";
    let shown = path.display();
    let opened = |flags: OFlags| open(path, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR).map(drop);
    let Ok(facts) = std::fs::metadata(path) else {
        return Finding::new(SUBJECT, State::Fails, format!("{shown} is not there"))
            .or("name a folder or a file that exists");
    };
    // In a folder a file without a name stands for those that runs make.
    let kind = if facts.is_dir() { OFlags::TMPFILE | OFlags::RDWR } else { OFlags::RDONLY };
    match (opened(kind | OFlags::DIRECT), opened(kind)) {
        (Ok(()), _) => Finding::new(SUBJECT, State::Good, format!("{shown} takes it")),
        (Err(Errno::INVAL), Ok(())) => {
            Finding::new(SUBJECT, State::Missing, format!("{shown} takes buffered I/O alone"))
                .or("name a folder on a disk, or measure the page cache with --buffered")
        }
        (Err(Errno::OPNOTSUPP), _) => {
            Finding::new(SUBJECT, State::Missing, format!("not tried: {shown} takes no files without names"))
                .or("name a file on it")
        }
        (Err(error), _) => Finding::new(SUBJECT, State::Fails, format!("{shown} cannot be opened: {error}"))
            .or("name one that you may use"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_fails_and_a_folder_does_not() {
        assert_eq!(direct(Path::new("/nowhere/at/all")).state, State::Fails);
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        assert_ne!(direct(folder.path()).state, State::Fails);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
