//! Character devices of NVMe namespaces (`/dev/ng0n1`): what they are, and the block device of the same
//! namespace, which alone tells what uses it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_record::engine_list::{NO_CACHE_OF_COMMANDS, UnsupportedRequirement};
use fathom_record::facts::{TargetFacts, TargetKind};

use super::admission::{self, Admission};
use super::device_number::DeviceNumber;
use super::inspect;
use super::io_alignment::queue_number;
use super::machine::{FileId, Machine, Node, Roots};
use super::namespace::{Namespace, namespace_id};
use super::open_refusals::{advise, claimed};
use super::origin;
use super::path_opening::{Flags, OpenedPath, reopen};
use super::{in_use, kernel_initiator, sysfs, users};
use crate::guard::{Hold, Reason};
use crate::target_opening::OpenRequest;
use crate::usable::usable;
use crate::{Error, ErrorKind};

/// Folder of a character device of a namespace, by its number.
fn folder_of(roots: &Roots, number: DeviceNumber) -> Option<PathBuf> {
    let class = roots.sys.join("class/nvme-generic");
    let is_it = |dir: &PathBuf| {
        sysfs::attribute(dir, "dev").and_then(|text| DeviceNumber::parse(&text)) == Some(number)
    };
    sysfs::entries(&class).into_iter().map(|name| class.join(name)).find(is_it)
}

/// Whether a node stands for a namespace's character device.
pub fn is_generic(path: &Path) -> bool {
    let Ok(meta) = fs::metadata(path) else { return false };
    meta.file_type().is_char_device() && folder_of(&Roots::default(), DeviceNumber::of_node(&meta)).is_some()
}

impl Machine {
    /// The block device of the namespace with this identifier behind a character device: below the same
    /// controller, or the same subsystem where a namespace has several paths. Their names need not have
    /// the same numbers. None where the kernel made none, as for command sets that it does not know.
    pub fn block_sibling(&self, generic: DeviceNumber, namespace: u32) -> Option<&Node> {
        let parent = |dir: &Path| fs::canonicalize(dir.join("device")).ok();
        let shared = parent(&folder_of(&self.roots, generic)?)?;
        self.nodes.values().find(|node| {
            node.disk.is_none()
                && sysfs::number(&node.dir, "nsid") == Some(namespace)
                && parent(&node.dir).as_ref() == Some(&shared)
        })
    }
}

/// The character device of the same namespace as a block device, by the kernel's name of that.
pub fn generic_of(block: &str) -> Option<String> {
    let roots = Roots::default();
    let names = sysfs::entries(&roots.sys.join("class/nvme-generic"));
    let found = names.into_iter().find(|name| listed_sibling(&roots, name).as_deref() == Some(block))?;
    Some(roots.dev.join(found).display().to_string())
}

/// The kernel's name of the block device that belongs to a character device, for lists: by the controller or
/// subsystem that both hang below and the number in their names, which the driver gives both alike. To open
/// the character device would tell for sure, and is left to whoever names it.
pub fn listed_sibling(roots: &Roots, generic: &str) -> Option<String> {
    let class = roots.sys.join("class");
    let parent = |dir: PathBuf| fs::canonicalize(dir.join("device")).ok();
    let shared = parent(class.join("nvme-generic").join(generic))?;
    let number = generic.rsplit_once('n')?.1;
    sysfs::entries(&class.join("block")).into_iter().find(|block| {
        let dir = class.join("block").join(block);
        let same_number = block.rsplit_once('n').is_some_and(|(_, its)| its == number);
        same_number && dir.join("nsid").exists() && parent(dir).as_ref() == Some(&shared)
    })
}

/// An open character device, what it leads to, and its block device.
pub struct GenericDevice {
    /// Open for what was asked.
    pub file: File,
    /// Its number.
    pub number: DeviceNumber,
    /// What the controller says of it.
    pub namespace: Namespace,
}

impl GenericDevice {
    /// Opens one and asks the controller about it.
    ///
    /// # Errors
    /// As the system refuses to open it, or the engine to carry it.
    pub fn open(name: &str, path: &Path, request: &OpenRequest<'_>) -> Result<Self, Error> {
        let place = format!("opening {name}");
        let fail = |error: io::Error| advise(&place, &error, path, request);
        let file = File::options().read(true).write(request.writes).open(path).map_err(fail)?;
        let meta = file.metadata().map_err(fail)?;
        let number = DeviceNumber::of_node(&meta);
        if !meta.file_type().is_char_device() {
            return Err(Error::new(ErrorKind::NoSuchTarget, place, "it changed while it was opened"));
        }
        let namespace = Namespace::of(&file)?;
        Ok(Self { file, number, namespace })
    }

    /// Its block device.
    pub fn sibling<'a>(&self, machine: &'a Machine) -> Option<&'a Node> {
        machine.block_sibling(self.number, self.namespace.id)
    }
}

/// Other processes that can write through the character device of a namespace, which is only looked up and
/// not opened.
pub fn writers(machine: &Machine, path: &Path) -> Vec<Reason> {
    let Ok(meta) = fs::metadata(path) else { return Vec::new() };
    let users = users::of_file(&machine.roots.proc, FileId::of(&meta), None);
    users.iter().map(|user| in_use::used_by(user, &path.display().to_string())).collect()
}

/// Opens a namespace for what is asked. Writing it is judged, and claimed, on its block device: the
/// commands themselves pass every check of the kernel's.
pub fn open_namespace(
    name: &str,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    if !request.is_direct() {
        // That the path is a namespace is known here first.
        let UnsupportedRequirement { cause, remedy, .. } = NO_CACHE_OF_COMMANDS;
        return Err(Error::new(ErrorKind::Plan, place, cause).with_remedy(remedy));
    }
    let generic = GenericDevice::open(name, path, request)?;
    let machine = Machine::now();
    let sibling = generic.sibling(&machine);
    refuse_zones(&place, sibling)?;
    let (mut admitted, mut remembered) = (None, None);
    if request.writes {
        let writing = format!("writing to {name}");
        let claimed = claim(&writing, &machine, &generic, path, request)?;
        remembered = claimed
            .claim()
            .and_then(|claim| origin::remembered(&machine, claim, request.origin, (true, None)));
        admitted = Some(claimed);
    }
    let namespace = generic.namespace;
    let block_bytes = namespace.block_bytes();
    let fabric =
        sibling.and_then(|node| kernel_initiator::facts(&machine.roots.sys, &machine.disk_of(node).name));
    let facts = TargetFacts {
        fabric: fabric.map(Box::new),
        size_bytes: usable(name, namespace.size_bytes, block_bytes, request.size_bytes)?,
        logical_block_bytes: block_bytes,
        physical_block_bytes: sibling
            .and_then(|node| queue_number(&machine, node, "queue/physical_block_size")),
        direct: true,
        devices: sibling.map(|node| machine.facts(node)).into_iter().collect(),
        ..TargetFacts::named(name, TargetKind::NvmeNamespace)
    };
    Ok((OpenedPath::of_device(Arc::new(generic.file), admitted, remembered), facts))
}

/// Zones are written in order only, and their state is not what a random workload expects. Where the
/// controller did not tell its command set, the block device does.
fn refuse_zones(place: &str, sibling: Option<&Node>) -> Result<(), Error> {
    let zoned = sibling.and_then(|node| sysfs::attribute(&node.dir, "queue/zoned"));
    match zoned.filter(|model| model != "none") {
        None => Ok(()),
        Some(model) => {
            let cause = format!("it is zoned ({model}), and NVMe commands are sent to plain namespaces only");
            Err(Error::new(ErrorKind::Unsupported, place, cause).with_remedy("name another target"))
        }
    }
}

/// Takes the block device of the namespace for this run alone, if it may be written.
fn claim(
    writing: &str,
    machine: &Machine,
    generic: &GenericDevice,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<Admission, Error> {
    let refuse = |cause: String| {
        Error::new(ErrorKind::Refused, writing, cause)
            .with_remedy("it is never written to: choose another target")
    };
    let Some(node) = generic.sibling(machine) else {
        return Err(refuse(without_sibling().text));
    };
    let block_path = machine.path(node);
    let fail = |error: &io::Error| {
        Error::system(format!("looking at {}", block_path.display()), error)
            .with_remedy(super::open_refusals::how_to_reach(&block_path, "rw"))
    };
    let looking = inspect::open_for_looking(&block_path).map_err(|error| fail(&error))?;
    let stands_for = looking.metadata().map_err(|error| fail(&error))?;
    let is_block = stands_for.file_type().is_block_device();
    let same_namespace = namespace_id(&looking).is_ok_and(|id| id == generic.namespace.id);
    if !is_block || DeviceNumber::of_node(&stands_for) != node.number || !same_namespace {
        return Err(refuse(format!("{} stands for another device", block_path.display())));
    }
    let judge = |machine: &Machine| {
        let mut findings = origin::hold(writing, machine, &looking, request.origin)?;
        findings.reasons.extend(writers(machine, path));
        Ok(findings)
    };
    admission::judge(writing, request.permit, Machine::now, judge)?;
    let flags = Flags { writes: true, direct: true, alone: true, durable: 0 };
    let claimed_alone = admission::claim(|| reopen(machine, &looking, flags));
    let claim = claimed_alone.map_err(|error| match error.raw_os_error() {
        Some(libc::EBUSY) => claimed(writing, machine, &looking),
        _ => fail(&error),
    })?;
    // On the descriptor that is held, now that nobody else can claim the device.
    let more = |machine: &Machine| writers(machine, path);
    Ok(Admission::of_device(writing.to_owned(), &claim, &looking, request, more)?.holding(claim))
}

/// Nothing that a namespace without a block device holds can be known.
pub fn without_sibling() -> Reason {
    let text = "its block device was not found, so that it is not known what uses it and what it holds";
    Reason::new(Hold::Unknown, text)
}
