//! The POSIX shell, and a command's processes as one group.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

/// The shell and the flag before a command.
pub const SHELL: [&str; 2] = ["/bin/sh", "-c"];

/// Puts what will be started into a group of its own: Ctrl-C on the terminal does not reach it.
pub fn apart(command: &mut Command) {
    command.process_group(0);
}

/// Ends the command and everything that it started.
pub fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
