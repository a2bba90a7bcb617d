//! Finds a kernel to boot: an image and the folder of its modules.

use std::fs;
use std::path::{Path, PathBuf};

/// Where packages put modules: those of Debian 13 and later name the folder that `/lib` is a link to.
const MODULES: [&str; 2] = ["lib/modules", "usr/lib/modules"];

/// A kernel with its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub version: String,
    pub image: PathBuf,
    pub modules: PathBuf,
}

/// The newest kernel below a root that has its modules there, one made for virtual machines first.
///
/// # Errors
/// That there is none, with what to install.
pub fn find(root: &Path) -> Result<Kernel, String> {
    let entries = fs::read_dir(root.join("boot")).into_iter().flatten().flatten();
    let mut kernels: Vec<Kernel> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix("vmlinuz-")?.to_owned();
            let mut folders = MODULES.iter().map(|folder| root.join(folder).join(&version));
            let modules = folders.find(|folder| folder.is_dir())?;
            Some(Kernel { version, image: entry.path(), modules })
        })
        .collect();
    kernels.sort_by_key(|kernel| (kernel.version.contains("cloud"), numbers(&kernel.version)));
    kernels.pop().ok_or_else(|| {
        format!(
            "no kernel with modules below {}: apt-get install linux-image-cloud-amd64, or see `cargo lab --help`",
            root.display()
        )
    })
}

/// `6.12.9-1-cloud` as numbers, so that 6.12 comes after 6.9.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_kernel_with_modules_is_found() {
        let root = tempfile::tempdir().unwrap();
        assert!(find(root.path()).unwrap_err().contains("apt-get install"));
        for (version, has_modules) in
            [("6.9.1-cloud", true), ("6.12.0-cloud", true), ("7.0-generic", true), ("8.0-cloud", false)]
        {
            fs::create_dir_all(root.path().join("boot")).unwrap();
            fs::write(root.path().join("boot").join(format!("vmlinuz-{version}")), "").unwrap();
            if has_modules {
                fs::create_dir_all(root.path().join("lib/modules").join(version)).unwrap();
            }
        }
        assert_eq!(find(root.path()).unwrap().version, "6.12.0-cloud");
    }

    #[test]
    fn modules_below_usr_are_found() {
        let root = tempfile::tempdir().unwrap();
        let modules = root.path().join("usr/lib/modules/6.12.1-arm64");
        fs::create_dir_all(&modules).unwrap();
        fs::create_dir_all(root.path().join("boot")).unwrap();
        fs::write(root.path().join("boot/vmlinuz-6.12.1-arm64"), "").unwrap();
        assert_eq!(find(root.path()).unwrap().modules, modules);
    }
}
