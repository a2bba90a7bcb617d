//! What is said when a target cannot be opened as asked, with what to type.

use std::fs::File;
use std::io;
use std::path::Path;

use super::device_number::DeviceNumber;
use super::file_mount::{self, mount_of};
use super::machine::Machine;
use crate::guard::{self, Hold, Reason};
use crate::target_opening::OpenRequest;
use crate::{Error, ErrorKind};

/// Lets pass what lies on storage or in memory; files that show the kernel do not.
///
/// # Errors
/// For those.
pub fn refuse_non_storage(place: &str, machine: &Machine, file: &File, is_device: bool) -> Result<(), Error> {
    match mount_of(machine, file) {
        Some(mount) if !is_device && !file_mount::is_storage(mount) => {
            let cause = format!("a file of {} is not storage", mount.kind);
            Err(Error::new(ErrorKind::NoSuchTarget, place, cause)
                .with_remedy("name a file on a disk, a block device or a folder"))
        }
        _ => Ok(()),
    }
}

/// Direct I/O was asked for and is not there.
pub fn no_direct(place: &str, machine: &Machine, file: &File) -> Error {
    let kind = mount_of(machine, file).map_or("this file system", |mount| mount.kind.as_str());
    let cause = format!("{kind} has no direct I/O here, so that the page cache would be measured");
    Error::new(ErrorKind::Unsupported, place, cause).with_remedy(
        "name a folder on another file system, or add --buffered to measure through the page cache knowingly",
    )
}

/// The kernel refused exclusive use: something claimed the device, whether it was seen or not.
pub fn claimed(place: &str, machine: &Machine, file: &File) -> Error {
    let mut reasons = Vec::new();
    if let Ok(meta) = file.metadata() {
        reasons = machine.use_of(DeviceNumber::of_node(&meta));
    }
    let text = "the kernel says that it is in use: mounted in another namespace, or part of a pool or array";
    reasons.push(Reason::new(Hold::InUse, text).first("unmount or stop what uses it"));
    let nobody = guard::Identity { words: String::new(), also: Vec::new() };
    match guard::admit(place, &reasons, &nobody, None) {
        Err(error) => error,
        Ok(()) => Error::new(ErrorKind::Refused, place, text),
    }
}

/// Keeps a second run off the same file, and notices programs that lock what they use.
///
/// # Errors
/// [`ErrorKind::Refused`] when somebody else holds the lock.
pub fn lock(place: &str, file: &File) -> Result<(), Error> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => {
            Err(Error::new(ErrorKind::Refused, place, "another program holds a lock on it")
                .with_remedy("it is in use and not writable: end that program first"))
        }
        // Some network file systems have no locks; the guard looked at who has it open.
        _ => Ok(()),
    }
}

/// What the system said, and what to type.
pub fn advise(place: &str, error: &io::Error, path: &Path, request: &OpenRequest<'_>) -> Error {
    let rights = if request.writes { "rw" } else { "r" };
    let failed = Error::system(place, error);
    let remedy = match (error.raw_os_error(), failed.kind) {
        // The one error that has no number of the system's.
        (None, _) => "mount it first: mount -t proc proc /proc".to_owned(),
        (Some(libc::EMFILE | libc::ENFILE), _) => failed.remedy.clone(),
        (Some(libc::EROFS), _) => "the file system is read-only: name a target on another".to_owned(),
        (Some(libc::ETXTBSY), _) => "it is a program that runs: name another target".to_owned(),
        (Some(libc::ELOOP), _) => format!("its links lead in a circle: see `namei {}`", path.display()),
        (_, ErrorKind::Permission) => how_to_reach(path, rights),
        (_, ErrorKind::NoSuchTarget) => "`fathom devices` lists what is here".to_owned(),
        _ => "check that it is there and has a medium; `fathom devices` lists what is here".to_owned(),
    };
    failed.with_remedy(remedy)
}

/// What to do about a path that may not be opened. The superuser is only kept out by what holds the
/// whole process: the list of devices of its container, or a security module.
pub fn how_to_reach(path: &Path, rights: &str) -> String {
    let path = path.display();
    if rustix::process::geteuid().is_root() {
        format!("in a container, pass the device in with --device {path}; for a file, look at: lsattr {path}")
    } else {
        format!("run it with sudo, or give yourself access: sudo setfacl -m u:$USER:{rights} {path}")
    }
}
