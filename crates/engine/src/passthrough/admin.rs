//! What the character device of a namespace answers by `ioctl`: its identifier, and Identify, which
//! changes nothing.
#![allow(unsafe_code)] // `ioctl` takes a structure whose pointer and length are checked here.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use fathom_spec::Status;
use fathom_spec::admin::{IDENTIFY, IDENTIFY_BYTES, IdentifyWhat};

/// `NVME_IOCTL_ID`, `_IO('N', 0x40)`, Linux `include/uapi/linux/nvme_ioctl.h`.
const ID: u32 = (b'N' as u32) << 8 | 0x40;

/// `NVME_IOCTL_ADMIN_CMD`: `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const ADMIN_COMMAND: u32 = 3 << 30 | (size_of::<AdminCommand>() as u32) << 16 | (b'N' as u32) << 8 | 0x41;

/// `struct nvme_passthru_cmd`.
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dwords_2_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    dwords_10_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

/// Identifier of the namespace behind an open character or block device.
///
/// # Errors
/// `ENOTTY` where the descriptor is no NVMe namespace.
pub fn namespace_id(file: &File) -> io::Result<u32> {
    // SAFETY: the request takes no argument.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), ID as _) };
    match u32::try_from(answer) {
        Err(_) => Err(io::Error::last_os_error()),
        Ok(0) => Err(io::Error::other("the driver names no namespace")),
        Ok(id) => Ok(id),
    }
}

/// Sends Identify and returns what the controller said.
///
/// # Errors
/// `EACCES` without the right (before Linux 6.2: `CAP_SYS_ADMIN`), otherwise as the driver refuses it,
/// or with the status that the controller returned.
pub fn identify(file: &File, what: IdentifyWhat, namespace: u32) -> io::Result<Box<[u8; IDENTIFY_BYTES]>> {
    let mut data = Box::new([0; IDENTIFY_BYTES]);
    let mut command = AdminCommand {
        opcode: IDENTIFY,
        namespace,
        address: data.as_mut_ptr() as u64,
        data_bytes: IDENTIFY_BYTES as u32,
        // The kernel's own timeout stands: a shorter one could make it reset the controller.
        timeout_ms: 0,
        ..AdminCommand::default()
    };
    command.dwords_10_15[0] = what.dword10();
    // SAFETY: the structure is the one that this request takes and lives through the call; its address
    // and length are those of `data`, which nothing else refers to.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), ADMIN_COMMAND as _, &mut command) };
    match answer {
        0 => Ok(data),
        ..0 => Err(io::Error::last_os_error()),
        status => Err(io::Error::other(Status(status as u16).to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_the_kernel_s() {
        assert_eq!((size_of::<AdminCommand>(), ADMIN_COMMAND, ID), (72, 0xc048_4e41, 0x4e40));
    }

    #[test]
    fn a_file_is_no_namespace() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(namespace_id(&file).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        let error = identify(&file, IdentifyWhat::Namespace, 1).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
    }
}
