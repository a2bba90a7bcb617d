//! Arguments that go through a command such as ssh, whose far end has a shell that reads them once more.

use std::ffi::OsStr;

use fathom_tools::Refusal;

use super::tool::ToolEngine;

/// What cmd.exe, PowerShell or a POSIX shell does not hand on as it stands. A backslash is a path of Windows.
const READ_AGAIN: &str = " \t\r\n\"'`$;&|<>*?()[]{}!^%~";

/// Refuses what a shell at the far end would cut or replace: a part of a name is another name, and what lies there
/// was not permitted.
///
/// # Errors
/// Names the argument and the letter.
pub fn check<'a>(
    external: &ToolEngine,
    arguments: impl IntoIterator<Item = &'a OsStr>,
) -> Result<(), Refusal> {
    if external.program.len() < 2 {
        return Ok(());
    }
    for argument in arguments {
        let text = argument.to_string_lossy();
        if let Some(letter) = text.chars().find(|letter| READ_AGAIN.contains(*letter)) {
            let refusal = Refusal::new(
                "arguments for a command on another machine",
                format!("a shell there would read {letter:?} and hand on something else"),
            );
            return Err(refusal.at(format!("`{text}`")).or("name the target without it"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_change_is_refused_where_there_is_one() {
        let there = ToolEngine::of("diskspd:ssh host diskspd.exe").unwrap();
        let here = ToolEngine::of("diskspd").unwrap();
        let path = |text: &'static str| [OsStr::new("-b4K"), OsStr::new(text)];
        for harmless in ["D:\\data\\test.dat", "#1", "/dev/nvme0n1"] {
            assert!(check(&there, path(harmless)).is_ok(), "{harmless}");
        }
        for harmful in ["D:\\my data\\x", "a;b", "$HOME/x", "C:\\%TEMP%\\x", "*"] {
            let refusal = check(&there, path(harmful)).unwrap_err();
            assert!(refusal.to_string().contains(harmful), "{refusal}");
            assert!(check(&here, path(harmful)).is_ok(), "no shell reads {harmful} here");
        }
    }
}
