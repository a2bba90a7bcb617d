//! The lab of the `passthrough` engine: emulated NVMe controllers behind the kernel's driver, with
//! namespaces of both block sizes, one with metadata, one that is zoned, a limit of transfers, and
//! queues that are polled once the driver is loaded again.

use std::path::Path;

use super::boot_kernel::Kernel;
use super::guest::Guest;
use super::guest_programs::Programs;
use super::kernel_modules;
use super::vm::{Board, Machine, empty_disk};

const SCRIPT: &str = include_str!("guest/passthrough.sh");
/// `dm-mod` for a stack over a namespace, `ext4` for a mounted one.
const MODULES: [&str; 5] = ["nvme", "ext4", "crc32c_generic", "dm_mod", "md_mod"];
/// Of a namespace, unless said otherwise.
const NAMESPACE_BYTES: u64 = 64 << 20;
/// The conformance suite reads at 16 MiB and expects to be beyond the end.
const CONFORMANCE_BYTES: u64 = 8 << 20;

/// The machine of this lab.
///
/// # Errors
/// Where a part of it cannot be read or made.
pub fn lab(kernel: &Kernel, programs: &Programs, folder: &Path) -> Result<Machine, String> {
    let mut guest = Guest::new(SCRIPT)?;
    guest.program("fathom", &programs.fathom)?;
    guest.program("conformance", &programs.conformance)?;
    for path in ["/usr/sbin/dmsetup", "/sbin/dmsetup"].map(Path::new) {
        if path.is_file() {
            guest.program("dmsetup", path)?;
        }
    }
    guest.modules(&kernel_modules::in_order(&kernel.modules, &MODULES)?);
    let mut devices = Vec::new();
    let mut controller = |serial: &str, namespaces: &[(&str, u64)]| -> Result<(), String> {
        let id = serial.to_lowercase();
        // 2^5 pages of 4096 bytes: one command moves at most 128 KiB.
        devices.extend(["-device".to_owned(), format!("nvme,id={id},serial={serial},mdts=5")]);
        for (index, (properties, bytes)) in namespaces.iter().enumerate() {
            let (name, number) = (format!("{id}n{}", index + 1), index + 1);
            let disk = empty_disk(folder, &name, *bytes)?;
            devices.push("-drive".to_owned());
            devices.push(format!("file={},if=none,format=raw,id={name}", disk.display()));
            devices.push("-device".to_owned());
            devices.push(format!("nvme-ns,bus={id},drive={name},nsid={number},{properties}"));
        }
        Ok(())
    };
    let blocks = |bytes: u32| format!("logical_block_size={bytes},physical_block_size={bytes}");
    let (small, large) = (blocks(512), blocks(4096));
    controller("LAB512", &[(&small, NAMESPACE_BYTES)])?;
    controller("LAB4096", &[(&large, NAMESPACE_BYTES)])?;
    controller("LABSUITE", &[(&small, CONFORMANCE_BYTES)])?;
    let zoned = format!("{large},zoned=true,zoned.zone_size=4M,zoned.zone_capacity=4M");
    let metadata = format!("{small},ms=8,mset=0");
    controller("LABODD", &[(&metadata, NAMESPACE_BYTES), (&zoned, NAMESPACE_BYTES)])?;
    Ok(Machine { board: Board::X86, root: guest.finish(), processors: 2, memory_mib: 768, devices })
}
