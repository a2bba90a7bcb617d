//! Whole drives and volumes, past their file systems: read as they are, drives written once the judgement of
//! [`drives`](crate::drives) admits it, volumes never. Nothing is locked, dismounted or taken offline.

use std::fs::File;
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::sync::Arc;

use fathom_record::facts::{DeviceFacts, TargetFacts, TargetKind};
use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};

use super::dos_names::RawName;
use super::drives::{self, NUMBER, control};
use super::handle::{Handle, SHARED};
use super::open::{Admission, OpenedPath, Subject, remarks};
use super::volumes::EXTENTS;
use crate::drives::{Question, block_of, drives_of, size_of_drive};
use crate::guard::{Findings, Hold, Identity, Reason};
use crate::origin::Origin;
use crate::target_opening::OpenRequest;
use crate::usable::usable;
use crate::{Device, Error, ErrorKind};

/// `IOCTL_DISK_GET_LENGTH_INFO`.
const LENGTH: u32 = 0x0007_405c;
/// Unit of I/O where nothing tells a smaller one: every drive's sectors divide it.
const BLOCK_BYTES: u32 = 4096;
const READS: u32 = GENERIC_READ;
const READS_AND_WRITES: u32 = GENERIC_READ | GENERIC_WRITE;

/// What opens a drive or a volume once more, and knows whether it is still the same.
#[derive(Debug)]
pub struct RawReopen {
    name: RawName,
    fingerprint: DeviceFingerprint,
}

/// What tells devices apart: how each answers to its number, its place, its length and what it is. Failures are answers
/// too: the same device fails in the same way.
#[derive(Debug, PartialEq, Eq)]
struct DeviceFingerprint([Result<Vec<u8>, i32>; 4]);

impl DeviceFingerprint {
    fn by(device: &File) -> Self {
        let asked = |code| control(device, code, &[]).map_err(|error| error.raw_os_error().unwrap_or(0));
        Self([asked(NUMBER), asked(EXTENTS), asked(LENGTH), drives::ask(device, Question::Descriptor)])
    }
}

impl RawReopen {
    /// Opens it for reading, or for writing too, with flags of `CreateFile`.
    ///
    /// # Errors
    /// As the system reports them, and where another device has its name by now.
    pub fn open(&self, writes: bool, flags: u32) -> io::Result<File> {
        let opened = open(self.name, if writes { READS_AND_WRITES } else { READS }, flags)?;
        if DeviceFingerprint::by(&opened) != self.fingerprint {
            return Err(io::Error::other(format!("{} is another device by now", self.name.path())));
        }
        Ok(opened)
    }
}

fn open(name: RawName, access: u32, flags: u32) -> io::Result<File> {
    File::options().access_mode(access).share_mode(SHARED).custom_flags(flags).open(name.path())
}

/// Opens a drive or a volume to ask it what it is, without a right to read or to write.
///
/// # Errors
/// As the system reports them, with what to do.
pub fn open_for_looking(place: &str, name: RawName) -> Result<File, Error> {
    open(name, 0, 0).map_err(|error| not_opened(place, &error))
}

fn not_opened(place: &str, error: &io::Error) -> Error {
    let failed = Error::system(place, error);
    let remedy = match failed.kind {
        ErrorKind::Permission => "start the terminal as administrator, which reading past file systems needs",
        _ => "see which drives are here: fathom devices",
    };
    failed.with_remedy(remedy)
}

/// Opens a drive or a volume for what is asked.
///
/// # Errors
/// As [`Target::open`](crate::Target::open).
pub fn open_raw(
    name: &str,
    raw: RawName,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let anchor = open(raw, READS, 0).map_err(|error| not_opened(&place, &error))?;
    let mut admitted = None;
    if request.writes {
        let admission = Admission {
            place: format!("writing to {name}"),
            permit: request.permit.cloned(),
            subject: Subject::Raw(raw),
        };
        admission.admit(&anchor)?;
        admitted = Some(admission);
    }
    let (devices, mut notes) = (devices_of(raw, &anchor)?, Vec::new());
    let there = length(raw, &anchor).or(request.size_bytes).ok_or_else(|| {
        let cause = "it does not say how large it is";
        Error::new(ErrorKind::Unsupported, &place, cause).with_remedy("add the size: --size 1GiB")
    })?;
    let block_bytes = block_of(|question| drives::ask(&anchor, question).ok()).unwrap_or_else(|| {
        notes.push(format!("It does not say how large its blocks are: {BLOCK_BYTES} bytes are taken."));
        BLOCK_BYTES
    });
    let facts = TargetFacts {
        size_bytes: usable(name, there, block_bytes, request.size_bytes)?,
        logical_block_bytes: block_bytes,
        physical_block_bytes: devices.first().and_then(|device| device.claims.physical_block_bytes),
        direct: true,
        devices: devices.iter().map(|device| device.facts.clone()).collect(),
        ..TargetFacts::named(name, TargetKind::BlockDevice)
    };
    notes.extend(remarks(&devices));
    let origin = origin(raw, devices.first().map(|device| &device.facts), there, request.writes);
    request.origin.map_or(Ok(()), |began| began.require(&place, Some(&origin)).map(drop))?;
    let again = RawReopen { name: raw, fingerprint: DeviceFingerprint::by(&anchor) };
    let handle = Arc::new(Handle::of_device(anchor, request.writes, again));
    Ok((OpenedPath { handle, admitted, notes, origin: Some(origin) }, facts))
}

/// What a campaign knows it by when it continues: numbers of drives and letters may have changed.
fn origin(raw: RawName, drive: Option<&DeviceFacts>, size_bytes: u64, writes: bool) -> Origin {
    let name = raw.path().trim_start_matches(r"\\.\").to_owned();
    let serial = drive.and_then(|facts| facts.serial.clone());
    Origin { name, serial, size_bytes, sequence: None, boot: None, writes, mark: None }
}

/// Its length; of a drive also by its geometry.
fn length(raw: RawName, device: &File) -> Option<u64> {
    let told =
        control(device, LENGTH, &[]).ok().and_then(|bytes| Some(u64::from_le_bytes(*bytes.first_chunk()?)));
    let geometry = || match raw {
        RawName::Drive(_) => size_of_drive(&drives::ask(device, Question::Geometry).ok()?),
        // Its geometry is that of the whole drive.
        RawName::Volume(_) => None,
    };
    told.filter(|bytes| *bytes > 0).or_else(geometry)
}

/// The drives that it lies on, by their numbers; none where it does not say.
pub fn lies_on(raw: RawName, device: &File) -> Vec<u32> {
    match raw {
        RawName::Drive(number) => vec![number],
        RawName::Volume(_) => {
            control(device, EXTENTS, &[]).ok().and_then(|bytes| drives_of(&bytes)).unwrap_or_default()
        }
    }
}

fn devices_of(raw: RawName, anchor: &File) -> Result<Vec<Device>, Error> {
    let numbers = lies_on(raw, anchor);
    let is_under =
        |device: &Device| numbers.iter().any(|number| device.facts.name == format!("PhysicalDrive{number}"));
    Ok(drives::devices()?.into_iter().filter(is_under).collect())
}

/// Everything against writing what is open, and how permission names it.
///
/// # Errors
/// None: what cannot be found out stands among the reasons.
pub fn findings(raw: RawName, anchor: &File) -> Result<Findings, Error> {
    let refused = |text: String| {
        let identity = Identity { words: raw.path(), also: Vec::new() };
        Findings { reasons: vec![Reason::new(Hold::Unknown, text)], identity, own: false }
    };
    let RawName::Drive(number) = raw else {
        return Ok(refused(format!(
            "{} is a volume, which is written only while it is locked, and fathom locks none",
            raw.path()
        )));
    };
    // The last one is that which is open.
    let judged = drives::around(anchor, number)?.devices().pop();
    Ok(judged.map_or_else(
        || refused(format!("what {} is could not be established", raw.path())),
        |device| Findings { reasons: device.reasons, identity: device.identity, own: false },
    ))
}
