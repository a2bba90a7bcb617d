//! What the character device of a namespace answers by `ioctl`: its identifier, and Identify, which
//! changes nothing.
#![allow(unsafe_code)] // `ioctl` takes a structure whose pointer and length are checked here.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use fathom_spec::Status;
use fathom_spec::admin::{IDENTIFY, IDENTIFY_BYTES, IdentifyWhat};
use fathom_spec::linux::{ADMIN_REQUEST, LinuxCommand, NAMESPACE_ID_REQUEST};

/// Identifier of the namespace behind an open character or block device.
///
/// # Errors
/// `ENOTTY` where the descriptor is no NVMe namespace.
pub fn namespace_id(file: &File) -> io::Result<u32> {
    // SAFETY: the request takes no argument.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), NAMESPACE_ID_REQUEST as _) };
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
    let mut command = LinuxCommand {
        opcode: IDENTIFY,
        namespace,
        address: data.as_mut_ptr() as u64,
        data_bytes: IDENTIFY_BYTES as u32,
        // The kernel's own timeout stands: a shorter one could make it reset the controller.
        timeout_ms: 0,
        ..LinuxCommand::default()
    };
    command.dwords_10_15[0] = what.dword10();
    // SAFETY: the structure is the one that this request takes and lives through the call; its address
    // and length are those of `data`, which nothing else refers to.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), ADMIN_REQUEST as _, &mut command) };
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
    fn a_file_is_no_namespace() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(namespace_id(&file).unwrap_err().raw_os_error(), Some(libc::ENOTTY));
        let error = identify(&file, IdentifyWhat::Namespace, 1).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
    }
}
