//! What a namespace says of itself, as far as reading and writing it depends on it.

mod namespace_ioctl;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use fathom_spec::admin::IdentifyWhat;
use fathom_spec::descriptors::{CommandSet, command_set};
use fathom_spec::identify_controller::OptionalCommand;
use fathom_spec::{IdentifyController, IdentifyNamespace};

use crate::{Error, ErrorKind};

pub use namespace_ioctl::namespace_id;

/// CAP.MPSMIN cannot be read from user space. 4096 is the least that it can say, so that the transfer
/// limit that follows is one that holds.
const MIN_PAGE_BYTES: u64 = 4096;

/// Larger blocks than this are a format that nothing has.
const LARGEST_BLOCK_SHIFT: u32 = 20;

/// A namespace that this engine can carry I/O to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Its identifier.
    pub id: u32,
    /// Size of a logical block as a power of two: 9 for 512 bytes.
    pub block_shift: u32,
    /// Size.
    pub size_bytes: u64,
    /// Bytes that one command moves at most, where the controller (MDTS) or the kernel's driver sets a limit.
    pub max_transfer_bytes: Option<u64>,
    /// Whether it takes Dataset Management, which carries trims.
    pub deallocates: bool,
}

impl Namespace {
    /// Asks an open character device.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchTarget`] for what is no NVMe namespace, [`ErrorKind::Permission`] without the
    /// right to send Identify, [`ErrorKind::Unsupported`] for what this engine cannot carry: another
    /// command set, or blocks with metadata.
    pub fn of(file: &File) -> Result<Self, Error> {
        const PLACE: &str = "identifying the NVMe namespace";
        let fail = |error: io::Error| match error.raw_os_error() {
            Some(libc::ENOTTY | libc::EINVAL) => {
                Error::new(ErrorKind::NoSuchTarget, PLACE, "it is not an NVMe character device")
                    .with_remedy("name one such as /dev/ng0n1; `fathom devices` lists what is here")
            }
            Some(libc::EACCES | libc::EPERM) => not_permitted(PLACE),
            _ => Error::system(PLACE, &error),
        };
        let id = namespace_id(file).map_err(fail)?;
        let controller = namespace_ioctl::identify(file, IdentifyWhat::Controller, 0).map_err(fail)?;
        // Controllers before 1.3, and kernels that ask for a right first, have no such list.
        let set = namespace_ioctl::identify(file, IdentifyWhat::NamespaceDescriptors, id)
            .ok()
            .and_then(|list| command_set(list.as_slice()));
        let namespace = namespace_ioctl::identify(file, IdentifyWhat::Namespace, id).map_err(fail)?;
        let mut found =
            Self::from_identified(id, controller.as_slice(), namespace.as_slice(), set).map_err(|cause| {
                Error::new(ErrorKind::Unsupported, PLACE, cause)
                    .with_remedy("name its block device, /dev/nvmeXnY, where there is one")
            })?;
        let limits = [found.max_transfer_bytes, driver_limit_bytes(file)];
        found.max_transfer_bytes = limits.into_iter().flatten().min();
        Ok(found)
    }

    /// From the two structures; the error says what the engine cannot carry.
    fn from_identified(
        id: u32,
        controller: &[u8],
        namespace: &[u8],
        set: Option<CommandSet>,
    ) -> Result<Self, String> {
        if let Some(other) = set.filter(|set| *set != CommandSet::NVM) {
            return Err(format!("it speaks the {} command set, and only NVM is carried here", other.name()));
        }
        let controller = IdentifyController::parse(controller).map_err(|error| error.to_string())?;
        let namespace = IdentifyNamespace::parse(namespace).map_err(|error| error.to_string())?;
        let format = namespace.format().ok_or("it names a format of blocks that it does not have")?;
        let metadata_bytes = format.ms.get();
        if metadata_bytes > 0 {
            return Err(format!(
                "its blocks carry {metadata_bytes} bytes of metadata each, which this engine does not move"
            ));
        }
        let block_shift = u32::from(format.lbads);
        if format.block_bytes().is_none() || block_shift > LARGEST_BLOCK_SHIFT {
            return Err(format!("blocks of 2^{block_shift} bytes cannot be carried"));
        }
        let size_bytes = namespace.size_bytes().filter(|bytes| *bytes > 0);
        Ok(Self {
            id,
            block_shift,
            size_bytes: size_bytes.ok_or("it has no size")?,
            max_transfer_bytes: controller.max_transfer_bytes(MIN_PAGE_BYTES),
            deallocates: controller.supports(OptionalCommand::DatasetManagement),
        })
    }

    /// Size of a logical block in bytes.
    pub fn block_bytes(&self) -> u32 {
        1 << self.block_shift
    }

    /// Refuses a largest read or write that the controller would refuse.
    ///
    /// # Errors
    /// [`ErrorKind::Plan`] with the limit.
    pub fn admit_transfer(&self, bytes: u64) -> Result<(), Error> {
        let Some(most) = self.max_transfer_bytes.filter(|most| bytes > *most) else { return Ok(()) };
        let cause = format!(
            "an I/O of {bytes} bytes is more than the {most} bytes that one command moves at most (the \
             controller's MDTS, or the driver's limit); NVMe commands are not split on their way"
        );
        Err(Error::new(ErrorKind::Plan, "starting engine passthrough", cause).with_remedy(format!(
            "use --bs {}k or smaller, or the block device, whose driver splits larger I/Os",
            most >> 10
        )))
    }
}

/// What the kernel's driver lets one command move: `max_hw_sectors_kb` of the block devices beside the
/// character device, which all have the limit of their controller.
fn driver_limit_bytes(file: &File) -> Option<u64> {
    let number = file.metadata().ok()?.rdev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let beside = fs::read_dir(format!("/sys/dev/char/{major}:{minor}/device")).ok()?;
    let limit = |folder: PathBuf| -> Option<u64> {
        fs::read_to_string(folder.join("queue/max_hw_sectors_kb")).ok()?.trim().parse().ok()
    };
    let kib = beside.flatten().filter_map(|entry| limit(entry.path())).min()?;
    kib.checked_mul(1024).filter(|bytes| *bytes > 0)
}

/// The kernel kept a command back (`nvme_cmd_allowed` of Linux `drivers/nvme/host/ioctl.c`).
pub fn not_permitted(place: &str) -> Error {
    let cause = "this process may not send it NVMe commands";
    Error::new(ErrorKind::Permission, place, cause).with_remedy(
        "run it with sudo: before Linux 6.2 all of them take CAP_SYS_ADMIN; since then a device that reports its \
         commands' effects takes reads from whoever may open it, and writes from whoever may open it for writing",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controller() -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        (bytes[77], bytes[520]) = (7, 1 << 2);
        bytes
    }

    /// 1000 blocks in format 1, of 4096 bytes, out of two.
    fn namespace() -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        bytes[..8].copy_from_slice(&1000u64.to_le_bytes());
        (bytes[25], bytes[26]) = (1, 1);
        (bytes[130], bytes[134]) = (9, 12);
        bytes
    }

    fn read(namespace: &[u8], set: Option<CommandSet>) -> Result<Namespace, String> {
        Namespace::from_identified(3, &controller(), namespace, set)
    }

    #[test]
    fn a_plain_namespace_is_understood() {
        let found = read(&namespace(), None).unwrap();
        let expected = Namespace {
            id: 3,
            block_shift: 12,
            size_bytes: 4_096_000,
            max_transfer_bytes: Some(512 << 10),
            deallocates: true,
        };
        assert_eq!(found, expected);
        assert_eq!(read(&namespace(), Some(CommandSet::NVM)), Ok(expected));
    }

    #[test]
    fn what_cannot_be_carried_is_refused_with_the_reason() {
        let changed = |at: usize, value: u8| {
            let mut bytes = namespace();
            bytes[at] = value;
            bytes
        };
        for (bytes, set, words) in [
            (changed(132, 8), None, "8 bytes of metadata"),
            (changed(134, 63), None, "2^63"),
            (changed(134, 3), None, "2^3"),
            (changed(26, 2), None, "does not have"),
            (changed(26, 0), Some(CommandSet(2)), "Zoned Namespace"),
            (vec![0; 4096], None, "2^0"),
            (vec![0; 100], None, "takes 4096 bytes"),
        ] {
            let error = read(&bytes, set).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        let mut empty = namespace();
        empty[..8].fill(0);
        assert_eq!(read(&empty, None), Err("it has no size".to_owned()));
    }

    #[test]
    fn transfers_beyond_the_limit_are_refused_with_it() {
        let mut namespace = read(&namespace(), None).unwrap();
        namespace.admit_transfer(512 << 10).unwrap();
        let error = namespace.admit_transfer((512 << 10) + 4096).unwrap_err();
        assert!(error.cause.contains("524288") && error.remedy.contains("--bs 512k"), "{error}");
        namespace.max_transfer_bytes = None;
        namespace.admit_transfer(1 << 40).unwrap();
    }
}
