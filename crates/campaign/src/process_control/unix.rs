//! The POSIX shell, a command's processes as one group, and descriptors that a child inherits.

use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::ChildSignal;

/// The shell and the flag before a command.
pub(crate) const SHELL: [&str; 2] = ["/bin/sh", "-c"];

/// Puts what will be started into a group of its own: Ctrl-C on the terminal does not reach it.
pub(crate) fn apart(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Asks a process that was started apart, and everything that it started; one that has ended takes nothing.
pub(crate) fn ask(child: &mut Child, what: ChildSignal) {
    let signal = match what {
        ChildSignal::Interrupt => Signal::INT,
        ChildSignal::End => Signal::TERM,
        ChildSignal::Kill => Signal::KILL,
    };
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

/// The signal that ended a process, if one did.
pub(crate) fn ended_by(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// This very program, as it runs, whatever lies under its name by now.
///
/// # Errors
/// As the system reports them.
pub(crate) fn own_program() -> io::Result<File> {
    File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Whether it is of a block device.
pub(crate) fn is_block_device(meta: &Metadata) -> bool {
    meta.file_type().is_block_device()
}

/// Whether two paths lie in one file system; of one that is not there yet its folder says it.
pub(crate) fn share_file_system(one: &Path, other: &Path) -> bool {
    let device = |path: &Path| {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let meta = fs::metadata(path).or_else(|_| fs::metadata(folder.unwrap_or(Path::new("."))));
        meta.ok().map(|meta| meta.dev())
    };
    device(one).is_some_and(|one| device(other) == Some(one))
}

/// Gives a file room; where its file system cannot, it has room when it is written.
///
/// # Errors
/// As the system reports them.
pub(crate) fn give_room(file: &File, range: &Range<u64>) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), range.start, range.end - range.start) {
        Err(Errno::OPNOTSUPP) => file.set_len(range.end),
        outcome => Ok(outcome?),
    }
}

/// What a child inherits.
pub(crate) type InheritedFile = OwnedFd;

/// A file as a child inherits it, with the path by which it reaches it; `None` where the process can open no more.
pub(crate) fn inherit(file: &File) -> Option<(String, InheritedFile)> {
    // A duplicate is not closed when a program is started.
    let inherited = rustix::io::dup(file).ok()?;
    Some((format!("/proc/self/fd/{}", inherited.as_raw_fd()), inherited))
}
