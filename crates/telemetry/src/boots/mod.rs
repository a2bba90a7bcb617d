//! Which boot of the machine this is, how long it has been up and how busy, and the facts that tell its states apart.
//!
//! A campaign whose sides are states of the machine asks these before each run: a fact that cannot be read tells
//! nothing, and is an error with its cause.

#[cfg(not(any(target_os = "linux", windows)))]
mod boot_elsewhere;
#[cfg(target_os = "linux")]
mod boot_linux;
#[cfg(windows)]
mod boot_windows;

#[cfg(not(any(target_os = "linux", windows)))]
use boot_elsewhere as boot;
#[cfg(target_os = "linux")]
use boot_linux as boot;
#[cfg(windows)]
use boot_windows as boot;

use std::io::{self, Read};
use std::path::Path;

use fathom_record::campaign::MachineFact;

use crate::Root;

/// Of a file that tells a side so much is read.
const FILE_BYTES: u64 = 4096;

/// Time of all processors since the machine started, in ticks of any length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    /// In which they did something.
    pub busy: u64,
    /// All.
    pub all: u64,
}

/// The name of this boot, which no other boot of this machine has.
///
/// # Errors
/// Where the system does not say.
pub fn id(root: &Root) -> io::Result<String> {
    boot::id(root)
}

/// How long the machine has been up, in seconds; `None` where the system does not say.
pub fn up_s(root: &Root) -> Option<f64> {
    boot::up_s(root)
}

/// Time of all processors; `None` where the system does not say.
pub fn processor_time(root: &Root) -> Option<ProcessorTime> {
    boot::processor_time(root)
}

/// What a fact is now.
///
/// # Errors
/// Where it cannot be read here, and why.
pub fn fact(root: &Root, fact: &MachineFact) -> io::Result<String> {
    match fact {
        MachineFact::Kernel => boot::kernel(root),
        MachineFact::Driver(device) => boot::driver(root, device),
        MachineFact::File(path) => first_line(&boot::place(root, path)),
        MachineFact::Sysctl(name) => boot::sysctl(root, name),
        MachineFact::Registry(name) => boot::registry(name),
    }
}

/// The first line of a file, without blanks at its ends.
fn first_line(path: &Path) -> io::Result<String> {
    // Opening what is no file may wait for ever.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(FILE_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// What has no such fact.
fn absent(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("{what} is not there on this system"))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// A machine of files.
    fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn a_boot_has_a_name_an_age_and_its_processors() {
        let (_folder, root) = machine(&[
            ("proc/sys/kernel/random/boot_id", "0f1e-22\n"),
            ("proc/uptime", "350.25 600.00\n"),
            ("proc/stat", "cpu  10 5 15 60 10 0 0 0 0 0\ncpu0 1 1 1 1\n"),
        ]);
        assert_eq!(id(&root).unwrap(), "0f1e-22");
        assert_eq!(up_s(&root), Some(350.25));
        assert_eq!(processor_time(&root), Some(ProcessorTime { busy: 30, all: 100 }));
        let (_folder, nothing) =
            machine(&[("proc/sys/kernel/random/boot_id", "\n"), ("proc/stat", "cpu x\n")]);
        assert!(id(&nothing).is_err());
        assert_eq!((up_s(&nothing), processor_time(&nothing)), (None, None));
    }

    #[test]
    fn facts_are_read_where_they_are_and_what_cannot_be_read_is_an_error() {
        let (folder, root) = machine(&[
            ("proc/sys/kernel/osrelease", "6.12.9-cloud\n"),
            ("proc/sys/vm/dirty_ratio", "20\n"),
            ("etc/side", "native\nmore\n"),
        ]);
        let device = folder.path().join("sys/class/block/nvme0n1/device/device");
        std::fs::create_dir_all(&device).unwrap();
        std::os::unix::fs::symlink("../drivers/nvme", device.join("driver")).unwrap();
        let told = |text: &str| fact(&root, &MachineFact::parse(text).unwrap());
        assert_eq!(told("kernel").unwrap(), "6.12.9-cloud");
        assert_eq!(told("sysctl:vm.dirty_ratio").unwrap(), "20");
        assert_eq!(told("file:/etc/side").unwrap(), "native");
        assert_eq!(told("driver:nvme0n1").unwrap(), "nvme");
        for wrong in ["driver:sda", "sysctl:vm.none", "file:/etc", "file:/none", "registry:HKLM\\A\\B"] {
            assert!(told(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn this_machine_says_them_of_itself() {
        let root = Root::system();
        assert!(!id(&root).unwrap().is_empty());
        assert!(up_s(&root).unwrap() > 0.0);
        let time = processor_time(&root).unwrap();
        assert!(time.busy <= time.all && time.all > 0, "{time:?}");
        assert!(fact(&root, &MachineFact::Kernel).unwrap().contains('.'));
    }
}
