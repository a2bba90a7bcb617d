//! Opens paths: first to look, then to use, by the descriptor and never by the name again.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use fathom_record::facts::{TargetFacts, TargetKind};

use super::admission::{self, Admission};
use super::character_device::{is_generic, open_namespace};
use super::file_mount::{self, mount_of, space};
use super::inspect;
use super::machine::Machine;
use super::open_refusals::{advise, claimed, lock, no_direct, refuse_non_storage};
use super::origin;
use super::scratch::{Folder, TemporaryPath};
use super::{extents, file_signature, io_alignment, ioctl, kernel_initiator};
use crate::device_mark::Mark;
use crate::durability::open_flags;
use crate::filling::{self, Layout};
use crate::origin::Origin;
use crate::scratch;
use crate::target_opening::{OpenRequest, Preparation};
use crate::usable::usable;
use crate::{Error, ErrorKind};

/// An open path, and what it owes.
#[derive(Debug)]
pub struct OpenedPath {
    file: Arc<File>,
    /// How it was admitted for writing; none for targets that are read or were made by the run.
    admitted: Option<Admission>,
    /// Taken away when this is dropped.
    made: Option<TemporaryPath>,
    /// What is remembered of a device.
    origin: Option<Origin>,
    /// Whether it is a file of fathom's making that stays.
    signs: bool,
}

impl OpenedPath {
    /// An open device that the run did not make.
    pub fn of_device(file: Arc<File>, admitted: Option<Admission>, origin: Option<Origin>) -> Self {
        Self { file, admitted, made: None, origin, signs: false }
    }

    /// What a campaign remembers of it.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Writes the mark of a device that has one.
    pub fn mark(&self, at: &str, by: &str) -> Result<(), Error> {
        let Some(Origin { mark: Some(id), size_bytes, .. }) = self.origin else { return Ok(()) };
        let mark = Mark { id, device_bytes: size_bytes, at: at.to_owned(), by: by.to_owned() };
        origin::write(&self.file, &mark)
    }

    /// The descriptor for the run's I/O: the one that was admitted, or a second one of the same file whose
    /// writes end when they are durable. Laying out needs no such waits, and the first one keeps lock and
    /// claim.
    ///
    /// # Errors
    /// When the second one is refused.
    pub fn file_for(&self, name: &str, request: &OpenRequest<'_>) -> Result<Arc<File>, Error> {
        let Some(durable) = request.options.durable else { return Ok(Arc::clone(&self.file)) };
        let flags = Flags {
            writes: request.writes,
            direct: request.is_direct(),
            alone: false,
            durable: open_flags(durable),
        };
        let file = reopen(&Machine::at_a_glance(), &self.file, flags).map_err(|error| {
            Error::system(format!("opening {name} with --durable {}", durable.name()), &error)
                .with_remedy("leave --durable out, and flush instead: --flush-every 1")
        })?;
        leave_access_times(&file);
        Ok(Arc::new(file))
    }

    /// Looks again at the target's use, and at what appeared on it; see [`Admission::confirm`].
    ///
    /// # Errors
    /// As the guard gives its reasons.
    pub fn confirm(&self) -> Result<(), Error> {
        self.admitted.as_ref().map_or(Ok(()), |admission| admission.confirm(&self.file))
    }

    /// What the judgement leaves to say in the run's record.
    pub fn notes(&self) -> Vec<String> {
        self.admitted.as_ref().map_or_else(Vec::new, |admission| admission.notes.clone())
    }
}

impl Drop for OpenedPath {
    /// Signs what fathom made and leaves behind, and gives the lock back at once: a kernel that still takes a ring
    /// apart may keep the file open for a while.
    fn drop(&mut self) {
        if self.signs {
            file_signature::sign(&self.file);
        }
        if self.admitted.is_some() {
            // A device has none, and closing gives back what this could not.
            let _ = rustix::fs::flock(&*self.file, rustix::fs::FlockOperation::Unlock);
        }
    }
}

/// Opens a path for what is asked; see [`Target::open`](crate::Target::open).
pub fn open_path(
    name: &str,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let (opened, facts) = admitted(name, path, request)?;
    leave_access_times(&opened.file);
    Ok((opened, facts))
}

/// Spares each read the look at the time of the last access, which costs some percent on fast devices.
/// Only the owner of a file may ask for it; without it a read is a little slower and not otherwise
/// different.
fn leave_access_times(file: &File) {
    let asked = rustix::fs::fcntl_getfl(file).map(|flags| flags | rustix::fs::OFlags::NOATIME);
    let _ = asked.and_then(|flags| rustix::fs::fcntl_setfl(file, flags));
}

fn admitted(name: &str, path: &Path, request: &OpenRequest<'_>) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return new_file(name, path, request),
        Err(error) => return Err(advise(&place, &error, path, request)),
    };
    if request.options.keep {
        let cause = "only a file that the run makes can be kept, and this exists already";
        let error = Error::new(ErrorKind::Plan, place, cause);
        return Err(error.with_remedy("leave --keep out, or name a file that does not exist yet"));
    }
    if request.is_of_names() {
        return folder_of_names(name, path, request);
    }
    if meta.is_dir() {
        return scratch_file(name, path, request);
    }
    let kind = meta.file_type();
    if kind.is_block_device() || kind.is_file() {
        return existing(name, path, request);
    }
    if is_generic(path) {
        return open_namespace(name, path, request);
    }
    let cause = "it is neither a file nor a block device";
    Err(Error::new(ErrorKind::NoSuchTarget, place, cause)
        .with_remedy("name a file, a block device or a folder; `fathom devices` lists what is here"))
}

/// Flags beyond reading and writing.
#[derive(Clone, Copy, Default)]
pub struct Flags {
    /// Writing too.
    pub writes: bool,
    /// Past the page cache.
    pub direct: bool,
    /// Fails where the kernel or another program has claimed the device.
    pub alone: bool,
    /// `O_DSYNC` or `O_SYNC`; 0 for neither.
    pub durable: i32,
}

/// Opens again what a descriptor stands for, whatever became of its names.
pub fn reopen(machine: &Machine, file: &File, flags: Flags) -> io::Result<File> {
    let link = machine.roots.proc.join("self/fd").join(file.as_raw_fd().to_string());
    let direct = if flags.direct { libc::O_DIRECT } else { 0 };
    let alone = if flags.alone { libc::O_EXCL } else { 0 };
    let opened = File::options()
        .read(true)
        .write(flags.writes)
        .custom_flags(direct | alone | flags.durable)
        .open(link);
    opened.map_err(|error| match error.kind() {
        // What is open is there, so that it is the link which is missing.
        io::ErrorKind::NotFound => io::Error::other(NO_PROC),
        _ => error,
    })
}

/// The system without its list of processes, as in some containers.
const NO_PROC: &str = "nothing is mounted at /proc, through which it is opened";

fn existing(name: &str, path: &Path, request: &OpenRequest<'_>) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let fail = |error: &io::Error| advise(&place, error, path, request);
    let looking = inspect::open_for_looking(path).map_err(|error| fail(&error))?;
    let meta = looking.metadata().map_err(|error| fail(&error))?;
    let is_device = meta.file_type().is_block_device();
    if !is_device && !meta.is_file() {
        return Err(Error::new(ErrorKind::NoSuchTarget, place, "it changed while it was opened"));
    }
    let writing = format!("writing to {name}");
    let machine = if request.writes {
        let look = |machine: &Machine| origin::hold(&writing, machine, &looking, request.origin);
        admission::judge(&writing, request.permit, Machine::now, look)?.0
    } else {
        let machine = Machine::at_a_glance();
        origin::standing(&place, &machine, &looking, request.origin)?;
        machine
    };
    refuse_non_storage(&place, &machine, &looking, is_device)?;
    let direct = request.is_direct() && io_alignment::takes_direct(&machine, &looking);
    if request.is_direct() && !direct {
        return Err(no_direct(&place, &machine, &looking));
    }
    let flags = Flags { writes: request.writes, direct, alone: request.writes && is_device, durable: 0 };
    let opened = admission::claim(|| reopen(&machine, &looking, flags));
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::EBUSY) => claimed(&writing, &machine, &looking),
        Some(libc::EINVAL) if direct => no_direct(&place, &machine, &looking),
        _ => fail(&error),
    })?;
    let (admitted, own) = judged(writing, (&file, &looking), is_device, request)?;
    let size_bytes = if is_device { ioctl::block_size_bytes(&file) } else { Ok(meta.len()) };
    let size_bytes = size_bytes.map_err(|error| fail(&error))?;
    let size_bytes = if is_device {
        size_bytes
    } else {
        extended(name, &machine, (&file, admitted.is_some()), size_bytes, request)?
    };
    let mut opened = OpenedPath { file: Arc::new(file), admitted, made: None, origin: None, signs: own };
    let mut facts = facts_of(name, &machine, &opened.file, direct, is_device);
    let marks = request.marks && request.writes && is_device;
    let for_data = if marks && request.size_bytes.is_none() {
        origin::before_mark(&opened.file, size_bytes)
    } else {
        size_bytes
    };
    // The page cache takes parts of blocks.
    let block_bytes = if request.exact && !is_device { 1 } else { facts.logical_block_bytes };
    facts.size_bytes = usable(name, for_data, block_bytes, request.size_bytes)?;
    let used_bytes = marks.then_some(facts.size_bytes);
    opened.origin = origin::remembered(&machine, &opened.file, request.origin, (request.writes, used_bytes));
    facts.written_share = share(&place, &opened.file, facts.size_bytes)?;
    if !is_device && request.reads && facts.written_share.is_some_and(|share| share < WRITTEN) {
        fill_or_refuse(name, &opened, &mut facts, request)?;
    }
    Ok((opened, facts))
}

/// Judges, where anything is written, on the descriptor that will be, now that nobody else can claim it; and whether a
/// file is as fathom left it.
fn judged(
    writing: String,
    (file, looking): (&File, &File),
    is_device: bool,
    request: &OpenRequest<'_>,
) -> Result<(Option<Admission>, bool), Error> {
    if !request.writes {
        return Ok((None, false));
    }
    if is_device {
        return Ok((Some(Admission::of_device(writing, file, looking, request, |_| Vec::new())?), false));
    }
    lock(&writing, file)?;
    // Looked at before anything is written, and after nobody else can be.
    let own = file_signature::is_as_left(file);
    Ok((Some(Admission::of_file(writing, file, request, own)?), own))
}

/// Writes bytes behind the end of a file that may be written, as many as are missing where every byte is wanted; its
/// length. What was written for that is not left in the page cache: the first pass over it would be of memory.
fn extended(
    name: &str,
    machine: &Machine,
    (file, may_write): (&File, bool),
    there: u64,
    request: &OpenRequest<'_>,
) -> Result<u64, Error> {
    let wanted = request.size_bytes.filter(|wanted| request.exact && *wanted > there);
    let Some(missing) = wanted.map(|wanted| there..wanted) else { return Ok(there) };
    let place = format!("making {name} longer");
    if !may_write {
        let cause = format!("it has {} bytes, fewer than the {} of the job", missing.start, missing.end);
        return Err(Error::new(ErrorKind::Plan, place, cause).with_remedy("use a smaller size"));
    }
    let room = space(file).map_err(|error| Error::system(&place, &error))?;
    let bytes = missing.end - missing.start;
    scratch::size_for(&place, Some(bytes.max(scratch::UNIT_BYTES)), room)?;
    let told =
        |done, total| request.progress.iter().for_each(|told| told(Preparation::LayingOut, done, total));
    let keep_free_bytes = room.reserve_bytes() / 2;
    let layout = Layout { seed: request.seed, stop: request.stop, progress: Some(&told), keep_free_bytes };
    let end = missing.end;
    request.before_layout.map_or(Ok(()), |ask| ask(bytes))?;
    filling::lay_out(&whole_or_cached(machine, file, &missing)?, missing.clone(), &layout)?;
    if !request.is_direct() {
        super::drop_cached(file, missing).map_err(|error| Error::system(&place, &error))?;
    }
    Ok(end)
}

/// A descriptor through which a stretch can be written: past the page cache only what is whole units.
fn whole_or_cached(machine: &Machine, file: &File, range: &Range<u64>) -> Result<File, Error> {
    let is_whole = |at: u64| at.is_multiple_of(scratch::UNIT_BYTES);
    let opened = match is_whole(range.start) && is_whole(range.end) {
        true => file.try_clone(),
        false => reopen(machine, file, Flags { writes: true, ..Flags::default() }),
    };
    opened.map_err(|error| Error::system("laying out the file", &error))
}

/// Shares above this count as whole: rounding, not holes.
const WRITTEN: f64 = 0.999_999;

/// A file with unwritten parts is laid out when its destruction was permitted, otherwise not read.
fn fill_or_refuse(
    name: &str,
    opened: &OpenedPath,
    facts: &mut TargetFacts,
    request: &OpenRequest<'_>,
) -> Result<(), Error> {
    if opened.admitted.is_none() {
        let share = facts.written_share.unwrap_or_default() * 100.0;
        let cause = format!(
            "only {share:.1} % of its {} bytes were ever written; the rest reads as zeros without reaching the \
             device, so reads would not measure it",
            facts.size_bytes
        );
        let remedy = "name its folder, so that a scratch file is written in full there, or fill the file: \
                      cp --sparse=never OLD NEW";
        return Err(Error::new(ErrorKind::Refused, format!("reading {name}"), cause).with_remedy(remedy));
    }
    let place = format!("filling {name}");
    let room = space(&*opened.file).map_err(|error| Error::system(&place, &error))?;
    let missing = facts.size_bytes as f64 * (1.0 - facts.written_share.unwrap_or_default());
    scratch::size_for(&place, Some((missing as u64).max(scratch::UNIT_BYTES)), room)?;
    fill(opened, facts, request)
}

fn fill(opened: &OpenedPath, facts: &mut TargetFacts, request: &OpenRequest<'_>) -> Result<(), Error> {
    let system = |error: io::Error| Error::system("laying out the file", &error);
    let room = space(&*opened.file).map_err(system)?;
    // What was found free when the file was admitted may shrink while it is written, but not to nothing.
    let keep_free_bytes = room.reserve_bytes() / 2;
    let told =
        |done, total| request.progress.iter().for_each(|told| told(Preparation::LayingOut, done, total));
    let layout = Layout { seed: request.seed, stop: request.stop, progress: Some(&told), keep_free_bytes };
    let file = whole_or_cached(&Machine::at_a_glance(), &opened.file, &(0..facts.size_bytes))?;
    request.before_layout.map_or(Ok(()), |ask| ask(facts.size_bytes))?;
    filling::lay_out(&file, 0..facts.size_bytes, &layout)?;
    facts.written_share = share("laying out the file", &opened.file, facts.size_bytes)?;
    if let Some(written) = facts.written_share.filter(|share| *share < WRITTEN) {
        let cause = format!("the file system holds only {:.1} % of what was written", written * 100.0);
        let error = Error::new(ErrorKind::Refused, "laying out the file", cause);
        return Err(error.with_remedy("name a folder on another file system"));
    }
    if !facts.direct {
        super::drop_cached(&opened.file, 0..facts.size_bytes).map_err(system)?;
    }
    Ok(())
}

/// A folder of the run's own in it, below which engines make and remove names. Its addresses count names.
fn folder_of_names(
    name: &str,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let machine = Machine::at_a_glance();
    let folder = Folder::open(&machine, path)?;
    if !folder.file().metadata().is_ok_and(|meta| meta.is_dir()) {
        let cause = "it is a file, and the engine works on names in a folder";
        return Err(Error::new(ErrorKind::Plan, place, cause).with_remedy("name a folder"));
    }
    let (file, made) = folder.own()?;
    let room = space(&file).map_err(|error| Error::system(&place, &error))?;
    let mut facts = facts_of(name, &machine, &file, false, false);
    // What is looked up or removed is as long as its addresses.
    facts.size_bytes = scratch::size_for(&place, request.size_bytes, room)?;
    facts.scratch = true;
    Ok((
        OpenedPath { file: Arc::new(file), admitted: None, made: Some(made), origin: None, signs: false },
        facts,
    ))
}

fn scratch_file(
    name: &str,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let machine = Machine::at_a_glance();
    let folder = Folder::open(&machine, path)?;
    made(name, &machine, &folder, request, || folder.nameless().map(|file| (file, None)))
}

fn new_file(name: &str, path: &Path, request: &OpenRequest<'_>) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let machine = Machine::at_a_glance();
    let (parent, file_name) = (path.parent().unwrap_or(Path::new("")), path.file_name());
    let bare = file_name.and_then(|name| name.to_str()).filter(|_| parent.as_os_str().is_empty());
    let device = bare.map(|name| machine.roots.dev.join(name)).filter(|device| device.exists());
    let remedy = match (&device, request.size_bytes) {
        (Some(device), _) => format!("did you mean {}? A file of that name is ./{name}", device.display()),
        (None, None) if path.starts_with(&machine.roots.dev) => "see what is here: fathom devices".to_owned(),
        (None, None) => format!("to have it made, add its size: --size 1GiB; otherwise check `{name}`"),
        (None, Some(_)) => String::new(),
    };
    let ends_in_slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let absent = Error::new(ErrorKind::NoSuchTarget, &place, "no such file or device");
    let Some(file_name) = file_name.and_then(|name| name.to_str()).filter(|_| !ends_in_slash) else {
        return Err(absent.with_remedy("name a folder that exists"));
    };
    if !remedy.is_empty() {
        return Err(absent.with_remedy(remedy));
    }
    let folder = Folder::open(&machine, parent)?;
    made(name, &machine, &folder, request, || {
        if !request.options.keep {
            return folder.nameless().map(|file| (file, None));
        }
        let (file, made) = folder.named(file_name)?;
        Ok((file, Some(made)))
    })
}

/// A file of the run's own: room first, then the file, then its bytes.
fn made(
    name: &str,
    machine: &Machine,
    folder: &Folder,
    request: &OpenRequest<'_>,
    make: impl FnOnce() -> Result<(File, Option<TemporaryPath>), Error>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("making a file for {name}");
    let room = space(folder.file()).map_err(|error| Error::system(&place, &error))?;
    let whole_bytes = |bytes: u64| bytes.max(1).next_multiple_of(scratch::UNIT_BYTES);
    let size_bytes = match request.size_bytes.filter(|_| request.exact) {
        Some(bytes) => scratch::size_for(&place, Some(whole_bytes(bytes)), room)?.min(bytes),
        None => scratch::size_for(&place, request.size_bytes, room)?,
    };
    let (file, made) = make()?;
    let direct = request.is_direct() && io_alignment::takes_direct(machine, &file);
    if request.is_direct() && !direct {
        return Err(no_direct(&place, machine, &file));
    }
    let file =
        reopen(machine, &file, Flags { writes: true, direct, ..Flags::default() }).map_err(|error| {
            match error.raw_os_error() {
                Some(libc::EINVAL) if direct => no_direct(&place, machine, &file),
                _ => advise(&place, &error, Path::new(name), request),
            }
        })?;
    let mut facts = facts_of(name, machine, &file, direct, false);
    facts.size_bytes = size_bytes;
    facts.scratch = true;
    let mut opened = OpenedPath { file: Arc::new(file), admitted: None, made, origin: None, signs: false };
    fill(&opened, &mut facts, request)?;
    if request.options.keep {
        // Only now: what was not finished is not kept.
        if let Some(made) = opened.made.take() {
            made.keep();
            opened.signs = true;
        }
    }
    Ok((opened, facts))
}

fn facts_of(name: &str, machine: &Machine, file: &File, direct: bool, is_device: bool) -> TargetFacts {
    let devices: Vec<_> =
        machine.devices_under(file).into_iter().filter_map(|number| machine.node(number)).collect();
    let fabric = devices
        .iter()
        .find_map(|node| kernel_initiator::facts(&machine.roots.sys, &machine.disk_of(node).name));
    TargetFacts {
        fabric: fabric.map(Box::new),
        logical_block_bytes: io_alignment::logical_block_bytes(machine, file),
        physical_block_bytes: io_alignment::physical_block_bytes(machine, file),
        direct,
        devices: devices.into_iter().map(|node| machine.facts(node)).collect(),
        file_system: mount_of(machine, file)
            .filter(|_| !is_device)
            .map(|mount| file_mount::facts(mount, file)),
        ..TargetFacts::named(name, if is_device { TargetKind::BlockDevice } else { TargetKind::File })
    }
}

fn share(place: &str, file: &File, size_bytes: u64) -> Result<Option<f64>, Error> {
    extents::written_share(file, 0..size_bytes).map_err(|error| Error::system(place, &error))
}
