//! Names of Windows on Windows: paths are themselves, `#1` is a physical drive, and a letter alone is its volume.

/// The target of this machine that a name of Windows is itself; none for other names.
pub fn target(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        return number.parse::<u32>().ok().map(|number| format!(r"\\.\PhysicalDrive{number}"));
    }
    match name.as_bytes() {
        [letter, b':'] if letter.is_ascii_alphabetic() => Some(format!(r"\\.\{name}")),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Some(name.to_owned()),
        [b'\\', ..] => Some(name.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_windows_are_themselves_there() {
        for (name, own) in [
            ("#1", Some(r"\\.\PhysicalDrive1")),
            ("#x", None),
            ("#", None),
            ("d:", Some(r"\\.\d:")),
            (r"D:\test\a.dat", Some(r"D:\test\a.dat")),
            ("D:data", Some("D:data")),
            (r"\\server\share\f", Some(r"\\server\share\f")),
            (r"\\.\PhysicalDrive1", Some(r"\\.\PhysicalDrive1")),
            (r"\data", Some(r"\data")),
            ("a.dat", None),
            (r".\a.dat", None),
            ("1:", None),
        ] {
            assert_eq!(target(name).as_deref(), own, "{name}");
        }
    }
}
