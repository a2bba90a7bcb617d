//! Everything that stands against writing what was opened.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::content::Content;
use super::device_number::DeviceNumber;
use super::emptiness;
use super::ioctl;
use super::machine::{FileId, Machine, Node};
use super::sysfs;
use crate::guard::{Findings, Hold, Identity, Reason};
use crate::signature::{self, Scan, SignatureClass};
use crate::{Error, ErrorKind};

/// Every reason against writing what this descriptor stands for: its use and its bytes. The names
/// that led to it play no part, so that links, renames and races do not matter.
///
/// # Errors
/// When the descriptor itself cannot be looked at.
pub fn hold(machine: &Machine, file: &File) -> Result<Findings, Error> {
    let meta = file.metadata().map_err(|error| Error::system("looking at the opened target", &error))?;
    let mut findings = hold_without_bytes(machine, file, &meta)?;
    if meta.file_type().is_block_device()
        && let Some(node) = machine.node(DeviceNumber::of_node(&meta))
    {
        findings.reasons.extend(bytes_of(machine, file, node));
    }
    Ok(findings)
}

/// The same without reading its bytes: what can change while a run that was admitted goes on, whose
/// own data the bytes may be by now.
///
/// # Errors
/// When the descriptor itself cannot be looked at.
pub fn hold_without_bytes(machine: &Machine, file: &File, meta: &Metadata) -> Result<Findings, Error> {
    if meta.file_type().is_block_device() {
        return Ok(use_of_device(machine, file, DeviceNumber::of_node(meta)));
    }
    if !meta.is_file() {
        let cause = "it is neither a regular file nor a block device";
        return Err(Error::new(ErrorKind::NoSuchTarget, "looking at the opened target", cause));
    }
    let path = opened_path(machine, file);
    let words = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut reasons = machine.use_of_file(FileId::of(meta), &path);
    let text = format!("{} was there before the run ({} bytes)", path.display(), meta.len());
    reasons.push(Reason::new(Hold::ExistingFile, text));
    Ok(Findings { reasons, identity: Identity { words, also: Vec::new() }, own: false })
}

/// The path by which the kernel knows an open file now.
pub fn opened_path(machine: &Machine, file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    let link = machine.roots.proc.join("self/fd").join(file.as_raw_fd().to_string());
    fs::read_link(link).unwrap_or_default()
}

fn use_of_device(machine: &Machine, file: &File, number: DeviceNumber) -> Findings {
    let mut reasons = machine.use_of(number);
    let Some(node) = machine.node(number) else {
        return Findings {
            reasons,
            identity: Identity { words: String::new(), also: Vec::new() },
            own: false,
        };
    };
    if ioctl::block_read_only(file).unwrap_or(false)
        && reasons.iter().all(|reason| reason.hold != Hold::ReadOnly)
    {
        let text = format!("{} takes no writes", machine.label(node));
        reasons.push(Reason::new(Hold::ReadOnly, text));
    }
    // A number can be given to another disk while the descriptor still stands for the first.
    let listed = sysfs::number::<u64>(&machine.disk_of(node).dir, "diskseq");
    if let (Ok(opened), Some(listed)) = (ioctl::disk_sequence(file), listed)
        && opened != listed
    {
        let text = format!("{} was replaced by another device since it was opened", machine.label(node));
        reasons.push(Reason::new(Hold::Unknown, text).first("start again"));
    }
    Findings { reasons, identity: machine.identity(node), own: false }
}

fn bytes_of(machine: &Machine, file: &File, node: &Node) -> Vec<Reason> {
    let label = machine.label(node);
    if sysfs::attribute(&node.dir, "dm/suspended").as_deref() == Some("1") {
        let text = format!("{label} is suspended, so that its bytes cannot be looked at");
        return vec![Reason::new(Hold::Unknown, text).first("type: sudo dmsetup resume NAME")];
    }
    let size_bytes = ioctl::block_size_bytes(file).unwrap_or(0);
    let mut reasons = scan_reasons(&label, file, 0, size_bytes, &|_| true);
    for partition in node.partitions.iter().filter_map(|partition| machine.node(*partition)) {
        if let Some((start, length)) = partition.span_bytes {
            let length = length.min(size_bytes.saturating_sub(start));
            reasons.extend(scan_reasons(&machine.label(partition), file, start, length, &|_| true));
        }
    }
    if node.disk.is_some() {
        reasons.extend(disk_around(machine, machine.disk_of(node)));
    }
    reasons
}

/// Signatures on the disk of a partition, other than the table that made the partition: a disk that
/// is a member of an array or pool as a whole has the partition's bytes among its own.
fn disk_around(machine: &Machine, disk: &Node) -> Vec<Reason> {
    let label = machine.label(disk);
    let unseen = |cause: &str| {
        let text = format!("{label}, the disk around it, could not be looked at: {cause}");
        vec![Reason::new(Hold::Unreadable, text)]
    };
    let opened = match open_for_looking(&machine.path(disk)) {
        Ok(opened) => opened,
        Err(error) => return unseen(&error.to_string()),
    };
    match opened.metadata() {
        Ok(meta) if DeviceNumber::of_node(&meta) == disk.number => {}
        _ => return unseen("its node stands for another device"),
    }
    let size_bytes = ioctl::block_size_bytes(&opened).unwrap_or(0);
    let mut reasons =
        scan_reasons(&label, &opened, 0, size_bytes, &|class| class != SignatureClass::PartitionTable);
    reasons.retain(|reason| reason.hold == Hold::Signature);
    reasons
}

/// Opens a device to look at it, past the page cache where that is possible; never waits for a medium.
///
/// # Errors
/// As the system reports them.
pub fn open_for_looking(path: &Path) -> std::io::Result<File> {
    let open = |flags: i32| {
        File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | flags).open(path)
    };
    open(libc::O_DIRECT).or_else(|_| open(0))
}

fn scan_reasons(
    label: &str,
    file: &File,
    start_bytes: u64,
    size_bytes: u64,
    counts: &dyn Fn(SignatureClass) -> bool,
) -> Vec<Reason> {
    match Content::new(file, start_bytes, size_bytes) {
        Ok(content) => reasons_of(label, signature::scan(&content), counts),
        Err(error) => {
            vec![Reason::new(Hold::Unreadable, format!("{label} could not be looked at: {error}"))]
        }
    }
}

fn reasons_of(label: &str, scan: Scan, counts: &dyn Fn(SignatureClass) -> bool) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let explained = !scan.signatures.is_empty();
    for found in scan.signatures.iter().filter(|found| counts(found.class)) {
        let text = format!("{label} holds: {} (signature at byte {})", found.name, found.offset_bytes);
        reasons.push(Reason::new(Hold::Signature, text));
    }
    if let Some(at) = scan.nonzero_at_bytes.filter(|_| !explained) {
        reasons.push(emptiness::unknown_data(label, at));
    }
    if let Some((at, error)) = scan.unreadable {
        reasons.push(emptiness::unreadable(label, at, &error));
    }
    reasons
}
