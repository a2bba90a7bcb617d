//! The shell of Windows; what a command started is left to itself, and no process inherits a file.

use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use fathom_target::Handle;

use super::ChildSignal;

/// The shell and the flag before a command.
pub(crate) const SHELL: [&str; 2] = ["cmd", "/C"];

/// Nothing sets a command apart here.
pub(crate) fn apart(command: &mut Command) -> &mut Command {
    command
}

/// Ends a process, whatever it is to be asked: there is no other word for it here.
pub(crate) fn ask(child: &mut Child, _: ChildSignal) {
    // It may have ended meanwhile.
    let _ = child.kill();
}

/// The signal that ended a process: there are none.
pub(crate) fn ended_by(_: ExitStatus) -> Option<i32> {
    None
}

/// This program.
///
/// # Errors
/// As the system reports them.
pub(crate) fn own_program() -> io::Result<File> {
    File::open(std::env::current_exe()?)
}

/// The name of this machine, as its environment has it.
pub(crate) fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Whether it is of a block device: none has a name among the files.
pub(crate) fn is_block_device(_: &Metadata) -> bool {
    false
}

/// Whether two paths lie in one file system: nobody says it here.
pub(crate) fn share_file_system(_: &Path, _: &Path) -> bool {
    false
}

/// Gives a file its length.
///
/// # Errors
/// As the system reports them.
pub(crate) fn give_room(file: &File, range: &Range<u64>) -> io::Result<()> {
    file.set_len(range.end)
}

/// What a child inherits: nothing.
#[derive(Debug)]
pub(crate) enum InheritedFile {}

/// A file as a child inherits it: none is.
pub(crate) fn inherit(_: &Handle) -> Option<(String, InheritedFile)> {
    None
}
