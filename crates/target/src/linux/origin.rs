//! Knows a block device again, reads the mark on it, and writes it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use super::content::Content;
use super::device_number::DeviceNumber;
use super::inspect;
use super::machine::Machine;
use super::{file_signature, ioctl};
use crate::device_mark::{self, Mark, MarkId};
use crate::guard::{self, FathomData, Findings};
use crate::origin::{Origin, OriginMatch};
use crate::signature::ReadAt;
use crate::{Arena, Error};

/// The device behind a descriptor as it is now, and the mark on it; `None` for what is not a block device.
fn look(machine: &Machine, file: &File) -> Option<(Origin, Option<Mark>)> {
    let number = DeviceNumber::of_node(&file.metadata().ok()?);
    let size_bytes = ioctl::block_size_bytes(file).ok()?;
    let node = machine.node(number)?;
    let mark = read(file, size_bytes);
    let boot = fs::read_to_string(machine.roots.proc.join("sys/kernel/random/boot_id"));
    let origin = Origin {
        name: node.name.clone(),
        serial: machine.numbers(node).into_iter().next(),
        size_bytes,
        sequence: ioctl::disk_sequence(file).ok(),
        boot: boot.ok().map(|id| id.trim().to_owned()),
        writes: false,
        mark: mark.as_ref().map(|mark| mark.id),
    };
    Some((origin, mark))
}

/// The mark on a device; one that cannot be read is none.
fn read(file: &File, size_bytes: u64) -> Option<Mark> {
    let (at, length) = device_mark::place(size_bytes, logical_block_bytes(file))?;
    let mut unit = vec![0; length as usize];
    Content::new(file, 0, size_bytes).ok()?.read_at(at, &mut unit).ok()?;
    Mark::read(&unit, size_bytes)
}

fn logical_block_bytes(file: &File) -> u32 {
    rustix::fs::ioctl_blksszget(file).unwrap_or(512)
}

/// Bytes of a device before its mark; all where none fits.
pub fn before_mark(file: &File, size_bytes: u64) -> u64 {
    device_mark::place(size_bytes, logical_block_bytes(file)).map_or(size_bytes, |(at, _)| at)
}

/// Writes a mark at its place, past the page cache or through it; when this returns, it is on the device.
///
/// # Errors
/// As the system reports them.
pub fn write(file: &File, mark: &Mark) -> Result<(), Error> {
    let place = "marking the device as written by fathom";
    let fail = |error: std::io::Error| Error::system(place, &error);
    let Some((at, length)) = device_mark::place(mark.device_bytes, logical_block_bytes(file)) else {
        return Ok(());
    };
    let mut unit = Arena::new(1, length)?;
    let unit = &mut unit.slice(0)[..length as usize];
    mark.write_to(unit);
    file.write_all_at(unit, at).and_then(|()| file.sync_data()).map_err(fail)
}

/// How an opened target stands to the campaign that continues on it; `None` where none does.
///
/// # Errors
/// [`ErrorKind::Refused`](crate::ErrorKind::Refused) for another device than the campaign began on.
pub fn standing(
    place: &str,
    machine: &Machine,
    file: &File,
    origin: Option<&Origin>,
) -> Result<Option<OriginMatch>, Error> {
    let Some(origin) = origin else { return Ok(None) };
    let now = look(machine, file).map(|(now, _)| now);
    origin.require(place, now.as_ref()).map(Some)
}

/// Every reason against writing, with what fathom itself wrote known as such.
///
/// # Errors
/// As [`inspect::hold`] and [`standing`].
pub fn hold(place: &str, machine: &Machine, file: &File, origin: Option<&Origin>) -> Result<Findings, Error> {
    let mut findings = inspect::hold(machine, file)?;
    let standing = standing(place, machine, file, origin)?;
    let mark = look(machine, file).and_then(|(now, mark)| Some((now.name, mark?)));
    let data = match (standing, mark) {
        (Some(OriginMatch::Own), _) => Some((String::new(), FathomData::Own)),
        (_, Some((name, mark))) => Some((format!("/dev/{name}"), FathomData::Other(mark))),
        (_, None) => file_signature::is_as_left(file).then(|| (String::new(), FathomData::Own)),
    };
    if let Some((label, data)) = data {
        findings.own = matches!(data, FathomData::Own);
        guard::account_for(&mut findings.reasons, &label, &data);
    }
    Ok(findings)
}

/// What a campaign remembers of a device that it opened, for when it continues: with the mark that it was given
/// before, or a new one where one has room behind the bytes that are used.
pub fn remembered(
    machine: &Machine,
    file: &File,
    before: Option<&Origin>,
    (writes, used_bytes): (bool, Option<u64>),
) -> Option<Origin> {
    let (now, _) = look(machine, file)?;
    let at = before_mark(file, now.size_bytes);
    let marked = at < now.size_bytes && used_bytes.is_some_and(|used| used <= at);
    let mark =
        (writes && marked).then(|| before.and_then(|before| before.mark).unwrap_or_else(MarkId::random));
    Some(Origin { writes, mark, ..now })
}
