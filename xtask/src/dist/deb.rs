//! A package for Debian and its kin: the program, its manual pages and its completions.

use super::archive::{Entry, ar, gzip, tar};

/// Where Debian looks for licences; it asks that those which every machine has are named and not repeated.
const COPYRIGHT: &str = "\
Copyright (c) 2026 the fathom authors
License: MIT or Apache-2.0, as you choose. LICENSE-MIT beside this file is the one; Debian has the other in
/usr/share/common-licenses/Apache-2.0. The licences of what others wrote and is built in are in NOTICES.txt.
";

/// What the package says of itself.
pub struct Package<'a> {
    pub version: &'a str,
    /// Debian's name of the architecture.
    pub architecture: &'a str,
}

/// Debian's name of a target's architecture.
pub fn architecture(target: &str) -> Option<&'static str> {
    match target.split('-').next()? {
        "x86_64" => Some("amd64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

impl Package<'_> {
    pub fn file_name(&self) -> String {
        format!("fathom_{}_{}.deb", self.version, self.architecture)
    }

    /// The package's bytes.
    ///
    /// # Errors
    /// When a path has no room in an archive.
    pub fn bytes(&self, files: &[Entry], time_s: u64) -> Result<Vec<u8>, String> {
        let mut files = files.to_vec();
        files.push(Entry::new("usr/share/doc/fathom/copyright", 0o644, COPYRIGHT));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let control = [Entry::new("control", 0o644, self.control(&files))];
        Ok(ar(
            &[
                ("debian-binary", b"2.0\n".to_vec()),
                ("control.tar.gz", gzip(&tar(&control, "./", time_s)?)?),
                ("data.tar.gz", gzip(&tar(&files, "./", time_s)?)?),
            ],
            time_s,
        ))
    }

    fn control(&self, files: &[Entry]) -> String {
        let kib: usize = files.iter().map(|file| file.content.len().div_ceil(1024)).sum();
        format!(
            "Package: fathom\nVersion: {}\nArchitecture: {}\nMaintainer: The fathom authors <fathom@localhost>\n\
             Installed-Size: {kib}\nSection: admin\nPriority: optional\nSuggests: fio, ca-certificates\n\
             Description: what storage can really do, what limits it, and how sure that is\n \
             Measures files, block devices and NVMe namespaces, checks its own\n \
             measurements, says what limits them, and works out the cheapest storage\n that meets a demand.\n",
            self.version, self.architecture
        )
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn dpkg_reads_the_package() {
        let package = Package { version: "1.2.3", architecture: "amd64" };
        let files = [Entry::new("usr/bin/fathom", 0o755, vec![0; 3000])];
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(package.file_name());
        std::fs::write(&path, package.bytes(&files, 1_700_000_000).expect("a package")).expect("written");
        let Ok(read) = Command::new("dpkg-deb").arg("--field").arg(&path).output() else { return };
        let text = String::from_utf8_lossy(&read.stdout).into_owned();
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        assert!(text.contains("Package: fathom\n") && text.contains("Installed-Size: 4\n"), "{text}");
        let listed = Command::new("dpkg-deb").arg("--contents").arg(&path).output().expect("it was there");
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(listed.contains("./usr/bin/fathom") && listed.contains("./usr/share/doc/fathom/copyright"));
    }

    #[test]
    fn architectures_have_debians_names() {
        assert_eq!(architecture("x86_64-unknown-linux-musl"), Some("amd64"));
        assert_eq!(architecture("aarch64-unknown-linux-musl"), Some("arm64"));
        assert_eq!(architecture("riscv64gc-unknown-linux-gnu"), None);
    }
}
