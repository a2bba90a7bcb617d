//! Names that Windows does not take for a file in a folder: devices, streams, and what it would silently change. Pure,
//! so that its cases are tried on any system.

use crate::{Error, ErrorKind};

/// Names of devices, in any folder and with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// The same before a digit.
const PORTS: [&str; 2] = ["com", "lpt"];

/// What is opened past the file systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawName {
    /// A whole drive, by its number.
    Drive(u32),
    /// What lies in a volume, by its letter.
    Volume(char),
}

impl RawName {
    /// As the system takes it.
    pub fn path(self) -> String {
        match self {
            Self::Drive(number) => format!(r"\\.\PhysicalDrive{number}"),
            Self::Volume(letter) => format!(r"\\.\{letter}:"),
        }
    }
}

/// The beginning of names past the file systems, and the word of drives behind it.
const RAW: &str = r"\\.\";
const DRIVE: &str = "physicaldrive";

/// Reads what names a drive or a volume; none for what names a file or a folder, or nothing at all.
///
/// # Errors
/// [`ErrorKind::Plan`] for what is nearly such a name: it stands for nothing, or for something else.
pub fn raw(place: &str, name: &str) -> Result<Option<RawName>, Error> {
    let same = name.replace('/', r"\").to_lowercase();
    let Some(rest) = same.strip_prefix(RAW) else { return Ok(None) };
    let refuse = |cause: &str, remedy: String| {
        Err(Error::new(ErrorKind::Plan, place, cause.to_owned()).with_remedy(remedy))
    };
    if let Some(digits) = rest.strip_prefix(DRIVE) {
        let number = digits.parse::<u32>().ok().filter(|number| number.to_string() == digits);
        return match number {
            Some(number) => Ok(Some(RawName::Drive(number))),
            None => {
                let remedy = r"write it as \\.\PhysicalDrive1: fathom devices lists all".to_owned();
                refuse("no drive is called that: a number without zeros before it belongs there", remedy)
            }
        };
    }
    if !has_drive(rest) {
        return Ok(None);
    }
    let letter = rest.as_bytes()[0].to_ascii_uppercase() as char;
    match &rest[2..] {
        "" => Ok(Some(RawName::Volume(letter))),
        _ => {
            let remedy = format!(r"for the volume type \\.\{letter}: and for a folder on it {letter}:\");
            refuse("with more behind its colon it is a folder or a file, and not the volume", remedy)
        }
    }
}

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
        let cause = "devices are not opened by such names".to_owned();
        let remedy =
            r"name a file or a folder, e.g. D:\test, a drive (\\.\PhysicalDrive1) or a volume (\\.\D:)";
        return refuse(ErrorKind::Unsupported, cause, remedy);
    }
    let behind = if has_drive(&same) { &same[2..] } else { same.as_str() };
    if has_drive(&same) && !behind.starts_with('\\') {
        let cause = "without a backslash behind the colon it means wherever that drive was left".to_owned();
        let remedy = r"write the whole path, e.g. D:\test, or for the volume itself \\.\D:";
        return refuse(ErrorKind::Plan, cause, remedy);
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
            r"\\?\Volume{00000000-0000-0000-0000-000000000000}",
            r"\\?\PhysicalDrive1",
        ] {
            assert_eq!(require_plain("x", name).unwrap_err().kind, ErrorKind::Unsupported, "{name}");
        }
    }

    #[test]
    fn drives_and_volumes_are_known_however_they_are_typed() {
        for (name, known) in [
            (r"\\.\PhysicalDrive0", RawName::Drive(0)),
            (r"\\.\physicaldrive12", RawName::Drive(12)),
            ("//./PHYSICALDRIVE1", RawName::Drive(1)),
            (r"\\.\PhysicalDrive4294967295", RawName::Drive(u32::MAX)),
            (r"\\.\d:", RawName::Volume('D')),
            ("//./D:", RawName::Volume('D')),
        ] {
            assert_eq!(raw("x", name).unwrap(), Some(known), "{name}");
            assert_eq!(raw("x", &known.path()).unwrap(), Some(known));
        }
        for name in [
            r"D:\test",
            "PhysicalDrive0",
            "#1",
            r".\PhysicalDrive0",
            r"\\.\GLOBALROOT\Device\Harddisk1\DR1",
            r"\\?\PhysicalDrive0",
            r"\\.\CdRom0",
            r"\\.\",
            r"\\.\é:",
        ] {
            assert_eq!(raw("x", name).unwrap(), None, "{name}");
        }
    }

    #[test]
    fn what_is_nearly_a_drive_or_a_volume_is_refused_with_what_to_type() {
        for name in [
            r"\\.\PhysicalDrive",
            r"\\.\PhysicalDrive01",
            r"\\.\PhysicalDrive+1",
            r"\\.\PhysicalDrive1\",
            r"\\.\PhysicalDrive4294967296",
            r"\\.\PhysicalDrive 1",
            r"\\.\PhysicalDriveX",
            r"\\.\d:\",
            r"\\.\D:data",
            "//./D:/data",
        ] {
            let error = raw("x", name).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Plan, "{name}");
            assert!(error.remedy.contains(r"\\.\"), "{error}");
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
