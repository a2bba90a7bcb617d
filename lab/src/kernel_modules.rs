//! Kernel modules in the order in which they are loaded, by what each says it depends on. No `depmod`
//! is needed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module, unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The named modules with all that they need, each after what it needs. Those that the kernel has built
/// in have no file and are left out.
///
/// # Errors
/// Where a file cannot be read or unpacked.
pub fn in_order(folder: &Path, wanted: &[&str]) -> Result<Vec<Module>, String> {
    let mut files = BTreeMap::new();
    collect(folder, &mut files);
    let mut ordered = Vec::new();
    for name in wanted {
        add(name, &files, &mut Vec::new(), &mut ordered)?;
    }
    Ok(ordered)
}

fn collect(folder: &Path, files: &mut BTreeMap<String, PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if let Some((name, _)) = entry.file_name().to_str().and_then(|name| name.split_once(".ko")) {
            files.insert(plain(name), path);
        }
    }
}

/// File names and dependencies write `-` and `_` for the same.
fn plain(name: &str) -> String {
    name.replace('-', "_")
}

fn add(
    name: &str,
    files: &BTreeMap<String, PathBuf>,
    on_the_way: &mut Vec<String>,
    ordered: &mut Vec<Module>,
) -> Result<(), String> {
    let name = plain(name);
    let Some(path) = files.get(&name) else { return Ok(()) };
    if on_the_way.contains(&name) || ordered.iter().any(|module| module.name == name) {
        return Ok(());
    }
    on_the_way.push(name.clone());
    let bytes = unpacked(path)?;
    for needed in dependencies(&bytes) {
        add(&needed, files, on_the_way, ordered)?;
    }
    ordered.push(Module { name, bytes });
    Ok(())
}

fn unpacked(path: &Path) -> Result<Vec<u8>, String> {
    let fail = |error: String| format!("{}: {error}", path.display());
    let program = match path.extension().and_then(|extension| extension.to_str()) {
        Some("xz") => "xz",
        Some("zst") => "zstd",
        Some("gz") => "gzip",
        _ => return fs::read(path).map_err(|error| fail(error.to_string())),
    };
    let output = Command::new(program).arg("-dc").arg(path).output();
    let output = output.map_err(|error| fail(format!("`{program}` cannot be started: {error}")))?;
    if output.status.success() { Ok(output.stdout) } else { Err(fail("it cannot be unpacked".to_owned())) }
}

/// `depends=` and `softdep=pre:` of a module's own description, whose entries end with zeros.
fn dependencies(bytes: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for entry in bytes.split(|byte| *byte == 0) {
        if let Some(list) = entry.strip_prefix(b"depends=") {
            let list = String::from_utf8_lossy(list);
            names.extend(list.split(',').filter(|name| !name.is_empty()).map(str::to_owned));
        }
        if let Some(list) = entry.strip_prefix(b"softdep=pre: ") {
            names.extend(String::from_utf8_lossy(list).split_whitespace().map(str::to_owned));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_after_what_they_need() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, content: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        write("kernel/nvme.ko", "\0depends=nvme-core,built_in\0x=y\0");
        write("kernel/a/nvme-core.ko", "\0depends=t10_pi\0softdep=pre: crc\0");
        write("kernel/t10-pi.ko", "\0depends=\0");
        write("kernel/crc.ko", "\0depends=nvme-core\0");
        let names: Vec<_> = in_order(folder.path(), &["nvme", "nvme_core", "absent"])
            .unwrap()
            .into_iter()
            .map(|module| module.name)
            .collect();
        assert_eq!(names, ["t10_pi", "crc", "nvme_core", "nvme"]);
    }
}
