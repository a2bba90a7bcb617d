//! The lab of NVMe over TCP: the kernel's host against `fathom nvmet` and fathom's host against the kernel's target,
//! both ends in one guest, over its loopback.

use std::path::{Path, PathBuf};

use super::boot_kernel::Kernel;
use super::guest::Guest;
use super::kernel_modules;
use super::vm::{Board, Machine};

const SCRIPT: &str = include_str!("guest/fabrics.sh");
/// Both ends of NVMe over TCP, disks of memory and of nothing, a file system, and a network that delays and loses.
const MODULES: [&str; 9] =
    ["nvme_tcp", "nvmet_tcp", "crc32c_generic", "brd", "null_blk", "ext4", "configfs", "nvmet", "sch_netem"];

/// A program of this machine.
fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    folders.split(':').map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())
}

/// What this lab needs beyond the others and is not here, with what to install.
pub fn missing() -> Option<String> {
    program("nvme").is_none().then(|| "no nvme-cli: apt-get install nvme-cli".to_owned())
}

/// The machine of this lab; a short one has one pass over each group of cases.
///
/// # Errors
/// Where a part of it cannot be read or made.
pub fn lab(kernel: &Kernel, fathom: &Path, is_short: bool) -> Result<Machine, String> {
    let mut guest = Guest::new(&format!("short={}\n{SCRIPT}", u8::from(is_short)))?;
    guest.program("fathom", fathom)?;
    // A name of its own for tc: busybox has one that knows no netem.
    for (name, there) in [("nvme", "nvme"), ("fio", "fio"), ("tc", "netem")] {
        if let Some(path) = program(name) {
            guest.program(there, &path)?;
        }
    }
    guest.modules(&kernel_modules::in_order(&kernel.modules, &MODULES)?);
    Ok(Machine {
        board: Board::X86,
        root: guest.finish(),
        processors: 2,
        memory_mib: 1024,
        devices: Vec::new(),
    })
}
