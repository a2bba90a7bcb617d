//! A first look at what exists under a name, before anything is opened for use.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use super::character_device::{GenericDevice, is_generic};
use super::device_number::DeviceNumber;
use super::inspect;
use super::machine::{FileId, Machine};
use super::open_refusals::advise;
use super::origin;
use crate::Error;
use crate::guard::Findings;
use crate::origin::Origin;
use crate::target_opening::OpenRequest;

/// An existing file or block device, open to be looked at.
#[derive(Debug)]
pub struct Glimpse {
    machine: Machine,
    file: File,
    identity: Id,
}

#[derive(Clone, Copy, Debug)]
enum Id {
    Device(DeviceNumber),
    File(FileId),
}

impl Glimpse {
    /// Of a path; `None` where there is nothing yet, or a folder, so that a file will be made.
    ///
    /// # Errors
    /// When what is there cannot be opened.
    pub fn of(name: &str, path: &Path) -> Result<Option<Self>, Error> {
        let fail =
            |error: io::Error| advise(&format!("opening {name}"), &error, path, &OpenRequest::default());
        let meta = match fs::metadata(path) {
            Ok(meta) if meta.is_file() || meta.file_type().is_block_device() => meta,
            // Judged by the block device of the same namespace.
            Ok(_) if is_generic(path) => {
                let machine = Machine::at_a_glance();
                let generic = GenericDevice::open(name, path, &OpenRequest::default())?;
                let block = generic.sibling(&machine).map(|node| machine.path(node));
                return block.map_or(Ok(None), |block| Self::of(name, &block));
            }
            // What is neither is refused when it is opened.
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let is_device = meta.file_type().is_block_device();
        let file = inspect::open_for_looking(path).map_err(fail)?;
        let identity =
            if is_device { Id::Device(DeviceNumber::of_node(&meta)) } else { Id::File(FileId::of(&meta)) };
        Ok(Some(Self { machine: Machine::now(), file, identity }))
    }

    /// Everything against writing it, and how permission names it; `origin` is what the campaign that continues
    /// found here.
    ///
    /// # Errors
    /// When it cannot be looked at, or is another device.
    pub fn findings(&self, place: &str, origin: Option<&Origin>) -> Result<Findings, Error> {
        origin::hold(place, &self.machine, &self.file, origin)
    }

    /// Whether writing one of the two could change the other's bytes: the same file, the same device, or
    /// a disk and its partition. A file and the device below it do not count; the file system sees to that.
    pub fn shares_bytes_with(&self, other: &Self) -> bool {
        match (self.identity, other.identity) {
            (Id::File(one), Id::File(two)) => one == two,
            (Id::Device(one), Id::Device(two)) => {
                let reach = |from, to| {
                    self.machine.sharing_bytes(from).contains(&to) || self.machine.below(from).contains(&to)
                };
                reach(one, two) || reach(two, one)
            }
            (Id::File(file), Id::Device(device)) | (Id::Device(device), Id::File(file)) => {
                let node = self.machine.node(device);
                node.and_then(|node| node.backing.as_ref())
                    .is_some_and(|backing| backing.files.contains(&file))
            }
        }
    }
}
