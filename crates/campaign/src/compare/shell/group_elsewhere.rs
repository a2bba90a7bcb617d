//! The shell of Windows; what a command started is left to itself.

use std::process::{Child, Command};

/// The shell and the flag before a command.
pub const SHELL: [&str; 2] = ["cmd", "/C"];

/// Nothing sets a command apart here.
pub fn apart(_: &mut Command) {}

/// Ends the command.
pub fn end(child: &mut Child) {
    // It may have ended meanwhile.
    let _ = child.kill();
}
