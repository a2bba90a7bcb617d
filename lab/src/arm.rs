//! The lab of Linux on Arm: the engines' conformance suite, and fathom on a disk, on Debian's kernel for Arm in an emulated
//! machine with two processors.

use std::path::{Path, PathBuf};

use super::boot_kernel::Kernel;
use super::command_line::Guest;
use super::guest;
use super::guest_programs;
use super::kernel_modules;
use super::vm::{Board, Machine, empty_disk};

const SCRIPT: &str = include_str!("guest/arm.sh");
const MODULES: [&str; 5] = ["virtio_pci", "virtio_blk", "ext4", "crc32c_generic", "virtio_rng"];
const DISK_BYTES: u64 = 256 << 20;
/// Where the packages of Debian have their shell that needs no library.
const SHELLS: [&str; 2] = ["bin/busybox", "usr/bin/busybox"];

/// What this lab needs beyond QEMU and a kernel and is not here, with what to do.
pub fn missing(options: &Guest) -> Option<String> {
    if shell(&options.kernel_root).is_none() {
        let root = options.kernel_root.display();
        return Some(format!("no busybox for Arm below {root}: unpack busybox-static of arm64 there"));
    }
    options
        .fathom
        .is_none()
        .then(|| "no fathom for Arm named: cargo lab arm --fathom PATH; see --help".to_owned())
}

fn shell(root: &Path) -> Option<PathBuf> {
    SHELLS.into_iter().map(|path| root.join(path)).find(|path| path.is_file())
}

/// The machine of this lab.
///
/// # Errors
/// Where a part of it cannot be read or made.
pub fn lab(root: &Path, kernel: &Kernel, options: &Guest, folder: &Path) -> Result<Machine, String> {
    let shell = shell(&options.kernel_root).ok_or("no busybox for Arm")?;
    let mut guest = guest::Guest::with_shell(SCRIPT, &shell)?;
    guest.program("fathom", &guest_programs::one(root, options)?)?;
    guest.program("conformance", &guest_programs::conformance_for_arm(root)?)?;
    guest.modules(&kernel_modules::in_order(&kernel.modules, &MODULES)?);
    let disk = empty_disk(folder, "disk", DISK_BYTES)?;
    let devices = vec![
        "-drive".to_owned(),
        format!("file={},if=none,format=raw,id=disk", disk.display()),
        "-device".to_owned(),
        "virtio-blk-pci,drive=disk,serial=LABARM,num-queues=2".to_owned(),
    ];
    Ok(Machine { board: Board::Arm, root: guest.finish(), processors: 2, memory_mib: 1024, devices })
}
