//! Opens files: first to look, then to use, by the handle and never by the name again. Drives and volumes go on to
//! [`raw`](super::raw).

use std::fs::{self, File};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use fathom_record::engine_list::{
    NO_CACHE_ON_WINDOWS, NO_DURABLE_WRITES_ON_WINDOWS, NO_KEPT_FILES_ON_WINDOWS, UnsupportedRequirement,
};
use fathom_record::facts::{FileSystemFacts, TargetFacts, TargetKind};
use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{FILE_READ_ATTRIBUTES, SYNCHRONIZE};

use super::call::{self, Volume};
use super::dos_names::{self, RawName};
use super::drives;
use super::file_space::{space, written_share};
use super::folder::Folder;
use super::handle::{Handle, SHARED};
use super::in_use::{self, Answers, FileState};
use super::{raw, valid};
use crate::filling::{self, Layout};
use crate::guard::{self, Findings, Identity, Permit};
use crate::origin::Origin;
use crate::scratch;
use crate::target_opening::{OpenRequest, Preparation};
use crate::usable::usable;
use crate::{Device, Error, ErrorKind};

/// An open file or device, and what it owes.
#[derive(Debug)]
pub struct OpenedPath {
    pub(super) handle: Arc<Handle>,
    /// How it was admitted for writing; none for what is read or was made by the run.
    pub(super) admitted: Option<Admission>,
    pub(super) notes: Vec<String>,
    /// What a campaign remembers of a device.
    pub(super) origin: Option<Origin>,
}

/// How something was admitted for writing.
#[derive(Debug)]
pub struct Admission {
    /// What is being done, for messages: `writing to D:\data.bin`.
    pub place: String,
    /// The words of `--destroy`.
    pub permit: Option<Permit>,
    /// What is judged.
    pub subject: Subject,
}

/// What is judged, and by which questions.
#[derive(Clone, Copy, Debug)]
pub enum Subject {
    /// A file.
    File,
    /// A drive or a volume.
    Raw(RawName),
}

impl Admission {
    /// Lets pass what may be written as it is now.
    ///
    /// # Errors
    /// As the guard gives its reasons.
    pub fn admit(&self, anchor: &File) -> Result<(), Error> {
        let found = match self.subject {
            Subject::File => findings(anchor),
            Subject::Raw(name) => raw::findings(name, anchor)?,
        };
        guard::admit(&self.place, &found.reasons, &found.identity, self.permit.as_ref())
    }
}

impl OpenedPath {
    /// What a campaign remembers of a device; none of a file.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Writes the mark of a device that has one: none has.
    ///
    /// # Errors
    /// None.
    pub fn mark(&self, _: &str, _: &str) -> Result<(), Error> {
        Ok(())
    }

    /// What the run opens its lanes from.
    ///
    /// # Errors
    /// None.
    pub fn file_for(&self, _: &str, _: &OpenRequest<'_>) -> Result<Arc<Handle>, Error> {
        Ok(Arc::clone(&self.handle))
    }

    /// Judges it again: between runs fathom has no lane of it open either.
    ///
    /// # Errors
    /// As the guard gives its reasons.
    pub fn confirm(&self) -> Result<(), Error> {
        self.admitted.as_ref().map_or(Ok(()), |admission| admission.admit(self.handle.anchor()))
    }

    /// What the judgement leaves to say in the run's record.
    pub fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Opens a path for what is asked; see [`Target::open`](crate::Target::open).
pub fn open_path(
    name: &str,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let raw = dos_names::raw(&place, name)?;
    if raw.is_none() {
        dos_names::require_plain(&place, name)?;
    }
    refuse_what_is_not_here(&place, request)?;
    if let Some(raw) = raw {
        return raw::open_raw(name, raw, request);
    }
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return new_file(name, path, request),
        Err(error) => return Err(system(&place, &error)),
    };
    if meta.is_dir() {
        return scratch_file(name, path, request);
    }
    if meta.is_file() {
        return existing(name, path, request);
    }
    let cause = "it is neither a file nor a folder";
    Err(Error::new(ErrorKind::NoSuchTarget, place, cause).with_remedy("name a file or a folder"))
}

/// What files are not opened with here. Plans are refused it by their engine's entry before anything is opened; whoever
/// opens for another purpose meets it here.
fn refuse_what_is_not_here(place: &str, request: &OpenRequest<'_>) -> Result<(), Error> {
    let of_names = ("engines of names are not here on this operating system", "use --engine sync");
    let text = |lack: UnsupportedRequirement| (lack.cause, lack.remedy);
    let asked = [
        (request.is_of_names(), of_names),
        (!request.is_direct(), text(NO_CACHE_ON_WINDOWS)),
        (request.options.durable.is_some(), text(NO_DURABLE_WRITES_ON_WINDOWS)),
        (request.options.keep, text(NO_KEPT_FILES_ON_WINDOWS)),
    ];
    asked.into_iter().find(|(asked, _)| *asked).map_or(Ok(()), |(_, (cause, remedy))| {
        Err(Error::new(ErrorKind::Unsupported, place, cause).with_remedy(remedy))
    })
}

fn existing(name: &str, path: &Path, request: &OpenRequest<'_>) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("opening {name}");
    let anchor = open_for_looking(&place, path)?;
    let look = look_at(&place, &anchor)?;
    if request.reads {
        look.require_data(&place)?;
    }
    let mut admitted = None;
    if request.writes {
        let (place, permit) = (format!("writing to {name}"), request.permit.cloned());
        let admission = Admission { place, permit, subject: Subject::File };
        admission.admit(&anchor)?;
        admitted = Some(admission);
    }
    let volume = call::volume(&anchor).map_err(|error| system(&place, &error))?;
    let devices = drives::under(&volume.root);
    let mut facts = facts_of(name, &volume, &devices);
    facts.size_bytes = usable(name, look.size_bytes, facts.logical_block_bytes, request.size_bytes)?;
    let (handle, size_bytes) = (Handle::new(anchor, request.writes), facts.size_bytes);
    let share = || written_share(&handle, 0..size_bytes).map_err(|error| system(&place, &error));
    facts.written_share = share()?;
    if facts.written_share.is_some_and(|written| written < valid::WHOLE) {
        fill_or_refuse(name, &handle, admitted.is_some(), &facts, request)?;
        facts.written_share = share()?;
    }
    let mut notes = look.notes();
    notes.extend(remarks(&devices));
    if request.reads && facts.written_share.is_none() {
        notes.push(
            "How much of the file was ever written is not known here: what was not reads as zeros without \
             reaching the device."
                .to_owned(),
        );
    }
    Ok((OpenedPath { handle: Arc::new(handle), admitted, notes, origin: None }, facts))
}

/// A file with unwritten parts is written in full where its destruction was permitted, otherwise not read: behind its
/// valid data reads do not reach the device, and writes are carried out one after the other.
fn fill_or_refuse(
    name: &str,
    handle: &Handle,
    may_write: bool,
    facts: &TargetFacts,
    request: &OpenRequest<'_>,
) -> Result<(), Error> {
    let written = facts.written_share.unwrap_or_default();
    if !may_write {
        let cause = format!(
            "only {:.1} % of its {} bytes were ever written; the rest reads as zeros without reaching the device, \
             so reads would not measure it",
            100.0 * written,
            facts.size_bytes
        );
        return Err(Error::new(ErrorKind::Refused, format!("reading {name}"), cause).with_remedy(
            "name its folder, so that a scratch file is written in full there, or copy the file",
        ));
    }
    let place = format!("filling {name}");
    let room = space(handle.anchor()).map_err(|error| system(&place, &error))?;
    let missing = (facts.size_bytes as f64 * (1.0 - written)) as u64;
    scratch::size_for(&place, Some(missing.max(scratch::UNIT_BYTES)), room)?;
    lay_out(handle, (&place, facts.size_bytes), room.reserve_bytes() / 2, request)
}

/// Writes all of a file past the cache.
fn lay_out(
    handle: &Handle,
    (place, size_bytes): (&str, u64),
    keep_free_bytes: u64,
    request: &OpenRequest<'_>,
) -> Result<(), Error> {
    let told =
        |done, total| request.progress.iter().for_each(|told| told(Preparation::LayingOut, done, total));
    let layout = Layout { seed: request.seed, stop: request.stop, progress: Some(&told), keep_free_bytes };
    request.before_layout.map_or(Ok(()), |ask| ask(size_bytes))?;
    let lane = handle.open_lane().map_err(|error| system(place, &error))?;
    filling::lay_out(&lane, 0..size_bytes, &layout)
}

fn scratch_file(
    name: &str,
    path: &Path,
    request: &OpenRequest<'_>,
) -> Result<(OpenedPath, TargetFacts), Error> {
    let place = format!("making a file for {name}");
    let folder = Folder::open(path)?;
    let room = space(folder.file()).map_err(|error| system(&place, &error))?;
    let size_bytes = scratch::size_for(&place, request.size_bytes, room)?;
    let volume = call::volume(folder.file()).map_err(|error| system(&place, &error))?;
    let handle = Handle::new(folder.scratch()?, true);
    // What was found free before may shrink while it is written, but not to nothing.
    lay_out(&handle, (&place, size_bytes), room.reserve_bytes() / 2, request)?;
    let devices = drives::under(&volume.root);
    let facts = TargetFacts {
        size_bytes,
        scratch: true,
        // All of it was just written past the cache.
        written_share: Some(1.0),
        ..facts_of(name, &volume, &devices)
    };
    let notes = remarks(&devices);
    Ok((OpenedPath { handle: Arc::new(handle), admitted: None, notes, origin: None }, facts))
}

fn new_file(name: &str, path: &Path, request: &OpenRequest<'_>) -> Result<(OpenedPath, TargetFacts), Error> {
    let absent = Error::new(ErrorKind::NoSuchTarget, format!("opening {name}"), "no such file");
    if path.file_name().is_none() || name.ends_with(['/', '\\']) {
        return Err(absent.with_remedy("name a folder that exists"));
    }
    if request.size_bytes.is_none() {
        return Err(absent
            .with_remedy(format!("to have it made, add its size: --size 1GiB; otherwise check `{name}`")));
    }
    scratch_file(name, path.parent().unwrap_or(Path::new("")), request)
}

/// What the system said of a path, and what to type.
pub fn system(place: &str, error: &io::Error) -> Error {
    let failed = Error::system(place, error);
    let remedy = match failed.kind {
        ErrorKind::Permission => "name a file that you may open, or start the terminal as administrator",
        _ => "check that it exists, and that no other program has it open exclusively",
    };
    failed.with_remedy(remedy)
}

/// Opens a file for its attributes alone: such a handle takes no part in what programs share of a file.
pub fn open_for_looking(place: &str, path: &Path) -> Result<File, Error> {
    let options = FILE_READ_ATTRIBUTES | SYNCHRONIZE;
    let opened = File::options().access_mode(options).share_mode(SHARED).open(path);
    opened.map_err(|error| system(place, &error))
}

/// What the system says of an open file.
pub fn look_at(place: &str, file: &File) -> Result<FileState, Error> {
    call::look(file).map_err(|error| system(place, &error))
}

/// Everything against writing an open file, and how permission names it.
pub fn findings(anchor: &File) -> Findings {
    // Nobody else has it open where it can be opened without anything shared.
    let alone = call::reopen(anchor, GENERIC_READ | GENERIC_WRITE, 0, 0).map(drop);
    let answers = Answers { path: call::path_of(anchor), look: call::look(anchor), alone };
    let path = answers.path.as_deref().unwrap_or_default();
    let words = path.rsplit('\\').next().unwrap_or_default().to_owned();
    let reasons = in_use::reasons(&answers);
    Findings { reasons, identity: Identity { words, also: Vec::new() }, own: false }
}

/// What is odd about the drivers under a target, as a run's record says it.
pub fn remarks(devices: &[Device]) -> Vec<String> {
    let odd = |device: &Device| {
        let carried = device.carried.as_ref()?;
        let told = carried.remark.iter().chain(&carried.unflushed);
        Some(told.map(|what| format!("{}: {what}.", device.path)).collect::<Vec<_>>())
    };
    devices.iter().filter_map(odd).flatten().collect()
}

fn facts_of(name: &str, volume: &Volume, devices: &[Device]) -> TargetFacts {
    TargetFacts {
        logical_block_bytes: volume.sector_bytes,
        direct: true,
        devices: devices.iter().map(|device| device.facts.clone()).collect(),
        file_system: Some(FileSystemFacts {
            kind: volume.file_system.clone(),
            mount_point: volume.root.clone(),
            options: String::new(),
            free_bytes: Some(volume.free_bytes),
        }),
        ..TargetFacts::named(name, TargetKind::File)
    }
}
