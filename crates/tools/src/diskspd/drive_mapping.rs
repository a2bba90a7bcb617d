//! Which folder or device of this machine stands for a drive, share or disk of Windows.

use super::own;
use crate::Refusal;

/// Names of Windows, each with the path that stands for it here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drives(Vec<(String, String)>);

/// Schemes of targets that are no paths.
const SCHEMES: [&str; 3] = ["sim:", "null:", "memory:"];

/// Whether a target is simulated, memory or nothing, so that it is no path and has no cache.
pub fn is_virtual(target: &str) -> bool {
    SCHEMES.iter().any(|scheme| target.starts_with(scheme))
}

impl Drives {
    /// Reads entries as `D:=/mnt/scratch`, `#2=/dev/nvme1n1` or `\\server\share=/mnt/share`; later ones go
    /// before earlier ones.
    ///
    /// # Errors
    /// The first entry that is none.
    pub fn read<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, Refusal> {
        let mut drives = Vec::new();
        for entry in entries.into_iter().filter(|entry| !entry.trim().is_empty()) {
            let wrong = || {
                Refusal::new("drive of Windows", "it is not a name and the path that stands for it")
                    .at(format!("`{entry}`"))
                    .or("type, for example: --drive D:=/mnt/scratch")
            };
            let (name, path) = entry.trim().split_once('=').ok_or_else(wrong)?;
            let is_name = is_drive(name) || disk_number(name).is_some() || name.starts_with(r"\\");
            if !is_name || path.is_empty() {
                return Err(wrong());
            }
            drives.insert(0, (name.trim_end_matches('\\').to_ascii_lowercase(), path.to_owned()));
        }
        Ok(Self(drives))
    }

    /// The target of this machine that a path of a command line or profile means.
    ///
    /// # Errors
    /// A path of Windows that nobody gave a place here, with what to type.
    pub fn local(&self, path: &str) -> Result<String, Refusal> {
        let refuse = |cause: String, name: &str, example: &str| {
            Err(Refusal::new("target of diskspd", cause)
                .at(format!("`{path}`"))
                .or(format!("say what stands for it here: --drive '{name}={example}'")))
        };
        if path.is_empty() || path.contains('\0') {
            return Err(Refusal::new("target of diskspd", "it has no name"));
        }
        if path.starts_with('*') {
            let cause = "it is a template of a profile, and nothing was given for it";
            return Err(Refusal::new("target of diskspd", cause)
                .at(format!("`{path}`"))
                .or("name one target behind the flags for each template"));
        }
        if is_virtual(path) {
            return Ok(path.to_owned());
        }
        if let Some(number) = disk_number(path) {
            return match self.find(path).map(str::to_owned).or_else(|| own::target(path)) {
                Some(device) => Ok(device),
                None => refuse(
                    format!("disk {number} of Windows is not a device on this machine"),
                    path,
                    "/dev/nvme1n1",
                ),
            };
        }
        let name = match path.get(..2) {
            Some(drive) if is_drive(drive) => drive,
            Some(r"\\") => share_of(path),
            _ => return own::target(path).map_or_else(|| relative(path), Ok),
        };
        let Some(place) = self.find(name) else {
            if let Some(own) = own::target(path) {
                return Ok(own);
            }
            let what = if name.len() == 2 { "drive" } else { "share" };
            return refuse(
                format!("{what} {name} of Windows is not a folder on this machine"),
                name,
                "/mnt/scratch",
            );
        };
        let below = path[name.len()..].replace('\\', "/");
        let below = below.trim_start_matches('/');
        if below.split('/').any(|part| part == "..") {
            let cause = "it leads out of the folder that stands for its drive";
            return Err(Refusal::new("target of diskspd", cause).at(format!("`{path}`")));
        }
        Ok(if below.is_empty() {
            place.to_owned()
        } else {
            format!("{}/{below}", place.trim_end_matches('/'))
        })
    }

    fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, path)| path.as_str())
    }
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

fn disk_number(text: &str) -> Option<u32> {
    text.strip_prefix('#')?.parse().ok()
}

/// `\\server\share` of a longer path.
fn share_of(path: &str) -> &str {
    let end = path[2..].match_indices('\\').nth(1).map_or(path.len(), |(at, _)| at + 2);
    &path[..end]
}

/// A path of this machine, or a relative one of Windows, which has no drive.
fn relative(path: &str) -> Result<String, Refusal> {
    if path.starts_with(['/', '.']) && !path.starts_with(r".\") {
        return Ok(path.to_owned());
    }
    let path = path.strip_prefix(r".\").unwrap_or(path);
    // With a folder in front no name is taken for a scheme or a device.
    Ok(format!("./{}", path.replace('\\', "/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_paths_go_where_they_were_told_to() {
        let drives =
            Drives::read(["D:=/mnt/d/", r"\\host\files=/srv/files", "#2=/dev/nvme1n1"]).expect("drives");
        for (path, local) in [
            (r"D:\testfile.dat", "/mnt/d/testfile.dat"),
            (r"d:\a\b.dat", "/mnt/d/a/b.dat"),
            ("D:testfile.dat", "/mnt/d/testfile.dat"),
            ("D:", "/mnt/d/"),
            (r"\\HOST\files\x\y.dat", "/srv/files/x/y.dat"),
            ("#2", "/dev/nvme1n1"),
            ("testfile.dat", "./testfile.dat"),
            (r".\testfile.dat", "./testfile.dat"),
            ("/dev/sdc1", "/dev/sdc1"),
            ("sim:nvme", "sim:nvme"),
        ] {
            assert_eq!(drives.local(path).as_deref(), Ok(local), "{path}");
        }
    }

    #[test]
    fn a_path_without_a_place_here_is_refused() {
        let none = Drives::default();
        for (path, told) in
            [(r"E:\x", "--drive 'E:=/mnt/scratch'"), ("#1", "--drive '#1=/dev"), (r"\\a\b\c", r"'\\a\b=/mnt")]
        {
            assert!(none.local(path).expect_err(path).to_string().contains(told), "{path}");
        }
        assert!(none.local("*1").is_err() && none.local("").is_err());
        let drives = Drives::read(["D:=/mnt/d"]).expect("a drive");
        assert!(drives.local(r"D:\..\etc\passwd").is_err());
        for wrong in ["D", "D:=", "=x", "DD:=/x", "#x=/y"] {
            assert!(Drives::read([wrong]).is_err(), "{wrong}");
        }
    }
}
