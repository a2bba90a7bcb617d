//! Admin commands through the kernel's NVMe driver. Only the two that [`ReadCommand`] can name are
//! ever sent, and both change nothing.
#![allow(unsafe_code)] // `ioctl` takes a structure whose pointer and length are checked here.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use fathom_spec::linux::{ADMIN_REQUEST, LinuxCommand};

use super::ReadCommand;

/// An open controller.
pub struct Controller(File);

impl Controller {
    /// Opens `/dev/nvme0` or the like.
    ///
    /// # Errors
    /// As opening a file fails; commonly for want of permission.
    pub fn open(node: &Path) -> io::Result<Self> {
        File::open(node).map(Self)
    }

    /// Sends a command and fills `data` with what it returns.
    ///
    /// # Errors
    /// As the driver refuses it, or with the status that the controller returned.
    pub fn read(&self, command: ReadCommand, data: &mut [u8]) -> io::Result<()> {
        let data_bytes = u32::try_from(data.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "more than 4 GiB asked for"))?;
        let (opcode, namespace, dword10) = command.words(data_bytes);
        let mut sent = LinuxCommand {
            opcode,
            namespace,
            address: data.as_mut_ptr() as u64,
            data_bytes,
            // The kernel's own timeout stands: a shorter one could make it reset the controller.
            timeout_ms: 0,
            ..LinuxCommand::default()
        };
        sent.dwords_10_15[0] = dword10;
        // SAFETY: the structure is the one that this request takes and lives through the call; its
        // address and length are those of `data`, which is borrowed exclusively.
        let status = unsafe { libc::ioctl(self.0.as_raw_fd(), ADMIN_REQUEST as _, &mut sent) };
        match status {
            0 => Ok(()),
            ..0 => Err(io::Error::last_os_error()),
            status => Err(io::Error::other(format!("the controller returned status {status:#x}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_controller_refuses() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let controller = Controller::open(file.path()).unwrap();
        let error = controller.read(ReadCommand::Health, &mut [0; 512]).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
        assert!(Controller::open(Path::new("/nonexistent/nvme0")).is_err());
    }
}
