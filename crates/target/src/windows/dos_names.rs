//! Names that Windows does not take for a file in a folder: devices, streams, and what it would silently change. Pure,
//! so that its cases are tried on any system.

use crate::{Error, ErrorKind};

/// Names of devices, in any folder and with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// The same before a digit.
const PORTS: [&str; 2] = ["com", "lpt"];

/// Whether a name begins with the letter of a drive.
pub fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Lets pass what names a file or a folder and nothing else.
///
/// # Errors
/// [`ErrorKind::Unsupported`] for devices, [`ErrorKind::Plan`] for names that stand for something else than they say.
pub fn require_plain(place: &str, name: &str) -> Result<(), Error> {
    let refuse = |kind, cause: String, remedy: &str| {
        Err(Error::new(kind, place, cause).with_remedy(remedy.to_owned()))
    };
    let same = name.replace('/', r"\");
    if [r"\\.\", r"\\?\", r"\??\"].iter().any(|prefix| same.starts_with(prefix)) {
        let cause = "devices and volumes are not opened on this operating system".to_owned();
        return refuse(ErrorKind::Unsupported, cause, r"name a file or a folder by its drive, as D:\test");
    }
    let behind = if has_drive(&same) { &same[2..] } else { same.as_str() };
    if has_drive(&same) && !behind.starts_with('\\') {
        let cause = "without a backslash behind the colon it means wherever that drive was left".to_owned();
        return refuse(ErrorKind::Plan, cause, r"write the whole path, as D:\test");
    }
    for part in behind.split('\\').filter(|part| !matches!(*part, "" | "." | "..")) {
        if let Some(letter) = part.chars().find(|c| c.is_control() || r#"<>:"|?*"#.contains(*c)) {
            let cause = format!("`{part}` holds {letter:?}, which no name of a file has");
            return refuse(ErrorKind::Plan, cause, "name one file; behind a colon would be a stream of it");
        }
        if part.ends_with(['.', ' ']) {
            let cause = format!("`{part}` ends in a full stop or a space, which the system leaves out");
            return refuse(ErrorKind::Plan, cause, "leave it out, or choose another name");
        }
        if is_device(part) {
            let cause = format!("`{part}` is the name of a device in every folder");
            return refuse(ErrorKind::Plan, cause, "choose another name");
        }
    }
    Ok(())
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let port = PORTS.iter().find_map(|port| stem.strip_prefix(port));
    let digit = |rest: &str| {
        let mut letters = rest.chars();
        matches!((letters.next(), letters.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    DEVICES.contains(&stem.as_str()) || port.is_some_and(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_pass() {
        for name in [
            r"C:\data\a.bin",
            r"c:/data/a.bin",
            r"\\server\share\file",
            r".\a",
            r"..\a.b.c",
            "a",
            r"C:\",
            "com",
            "com10",
            "console",
            "nullable.dat",
            r"\data",
            "lpt",
            "ünï.bin",
        ] {
            assert!(require_plain("x", name).is_ok(), "{name}");
        }
    }

    #[test]
    fn devices_are_not_opened() {
        for name in [
            r"\\.\PhysicalDrive0",
            r"//./PhysicalDrive1",
            r"\\?\Volume{0}\",
            r"\??\C:\x",
            r"\\.\d:\",
            r"\\.\GLOBALROOT\Device\Harddisk1\DR1",
            r"\\?\UNC\server\share",
        ] {
            assert_eq!(require_plain("x", name).unwrap_err().kind, ErrorKind::Unsupported, "{name}");
        }
    }

    #[test]
    fn names_that_stand_for_something_else_are_refused() {
        for name in [
            "C:",
            "C:data",
            "nul",
            "NUL.dat",
            r"C:\data\con",
            "aux.txt",
            "COM1",
            "lpt9.txt",
            "com¹",
            "nul ",
            "a.",
            r"C:\a \b",
            "file:stream",
            "file::$DATA",
            "*",
            "a?",
            r#""D:\"#,
            "a\tb",
            r"nul.\a",
            "CONIN$",
        ] {
            assert_eq!(require_plain("x", name).unwrap_err().kind, ErrorKind::Plan, "{name}");
        }
    }

    #[test]
    fn a_drive_is_one_letter() {
        assert!(has_drive(r"D:\x") && has_drive("d:"));
        assert!(!has_drive("sim:x") && !has_drive("1:") && !has_drive("D") && !has_drive(""));
    }
}
