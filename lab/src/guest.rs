//! A guest's first root: a shell, programs with the libraries they need, kernel modules, and a script.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::cpio::Archive;
use super::kernel_modules::Module;

/// Where Debian and others put a busybox that needs no library.
const SHELLS: [&str; 3] = ["/bin/busybox", "/usr/bin/busybox", "/usr/lib/initramfs-tools/bin/busybox"];
/// What every guest's script can say.
const WORDS: &str = include_str!("guest/words.sh");
/// The first process: mounts, then the script.
const INIT: &str = include_str!("guest/init.sh");

/// A root that grows.
pub struct Guest {
    archive: Archive,
}

/// What guests need and is not here, with what to install.
pub fn missing() -> Option<String> {
    shell().is_none().then(|| "no static busybox: apt-get install busybox-static".to_owned())
}

fn shell() -> Option<&'static str> {
    SHELLS.into_iter().find(|path| Path::new(path).is_file() && libraries(Path::new(path)).is_empty())
}

impl Guest {
    /// A root with a shell that will run `script` and then end the machine.
    ///
    /// # Errors
    /// Where the shell cannot be read.
    pub fn new(script: &str) -> Result<Self, String> {
        Self::with_shell(script, Path::new(shell().ok_or("no static busybox")?))
    }

    /// The same with the shell of another processor.
    ///
    /// # Errors
    /// Where the shell cannot be read.
    pub fn with_shell(script: &str, shell: &Path) -> Result<Self, String> {
        let mut guest = Self { archive: Archive::default() };
        for folder in ["proc", "sys", "dev", "tmp", "mnt", "modules"] {
            guest.archive.folder(folder);
        }
        guest.archive.file("bin/busybox", &read(shell)?);
        guest.archive.file("init", INIT.as_bytes());
        guest.archive.file("words.sh", WORDS.as_bytes());
        guest.archive.file("script.sh", script.as_bytes());
        guest.archive.file("etc/passwd", b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n");
        Ok(guest)
    }

    /// A program as `/bin/NAME`, with its libraries where it looks for them.
    ///
    /// # Errors
    /// Where one of them cannot be read.
    pub fn program(&mut self, name: &str, path: &Path) -> Result<(), String> {
        self.archive.file(&format!("bin/{name}"), &read(path)?);
        for library in libraries(path) {
            let bytes = read(Path::new(&library))?;
            self.archive.file(library.trim_start_matches('/'), &bytes);
        }
        Ok(())
    }

    /// Modules as `/modules/NAME.ko`, and `/modules/order` with their names.
    pub fn modules(&mut self, modules: &[Module]) {
        let mut order = String::new();
        for module in modules {
            self.archive.file(&format!("modules/{}.ko", module.name), &module.bytes);
            order += &format!("{}\n", module.name);
        }
        self.archive.file("modules/order", order.as_bytes());
    }

    /// The archive for the kernel.
    pub fn finish(self) -> Vec<u8> {
        self.archive.finish()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Shared libraries of a program, its loader among them; none of a static one.
fn libraries(program: &Path) -> Vec<String> {
    let Ok(output) = Command::new("ldd").arg(program).output() else { return Vec::new() };
    listed(&String::from_utf8_lossy(&output.stdout))
}

/// `libc.so.6 => /lib/libc.so.6 (0x...)` and `/lib64/ld-linux.so.2 (0x...)`.
fn listed(text: &str) -> Vec<String> {
    let path = |line: &str| {
        let place = line.split_once("=>").map_or(line, |(_, place)| place).split_whitespace().next()?;
        place.starts_with('/').then(|| place.to_owned())
    };
    text.lines().filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_taken_from_what_ldd_says() {
        let text =
            "\tlinux-vdso.so.1 (0x7ff)\n\tlibc.so.6 => /lib/x/libc.so.6 (0x7f)\n\t/lib64/ld.so.2 (0x7f)\n";
        assert_eq!(listed(text), ["/lib/x/libc.so.6", "/lib64/ld.so.2"]);
        assert!(listed("\tnot a dynamic executable\n").is_empty());
    }
}
