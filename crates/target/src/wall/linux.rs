//! The wall as Linux has it: Landlock (Linux `Documentation/userspace-api/landlock.rst`).

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use fathom_record::WallFacts;
use landlock::{
    ABI, Access, AccessFs, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
};

use super::{Reach, program};
use crate::{Error, ErrorKind};

/// The newest set of rights that is made use of; on older kernels, as much of it as they have.
const NEWEST: ABI = ABI::V7;

/// Device nodes that hold nothing and change nothing, which programs expect to be there.
const HARMLESS: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What a wall leaves open from which ABI on it does not.
const OPEN_BEFORE: [(u32, &str); 2] = [
    (3, "files elsewhere can be cut to another length, since this kernel's wall knows no truncation"),
    (5, "commands to devices (ioctl), since this kernel's wall knows none"),
];

/// What no version stops.
const ALWAYS_OPEN: [&str; 3] = [
    "commands by io_uring or ioctl to devices that were named, generic NVMe and SCSI nodes among them",
    "modes, owners, times and extended attributes of files",
    "what the process had open before the wall was put up",
];

/// A set of rules, from which any number of threads can take theirs; none where the kernel has no Landlock.
#[derive(Debug)]
pub struct Wall(Option<RulesetCreated>);

impl Wall {
    /// Takes the rules down.
    ///
    /// # Errors
    /// When a path of the reach cannot be opened, or the kernel refuses a rule.
    pub fn around(reach: &Reach) -> Result<Self, Error> {
        if super::facts().missing.is_some() {
            return Ok(Self(None));
        }
        rules(reach).map(|rules| Self(Some(rules)))
    }

    /// Restricts the calling thread.
    ///
    /// # Errors
    /// As the kernel reports them.
    pub fn enter(&self) -> Result<(), Error> {
        let Some(rules) = &self.0 else { return Ok(()) };
        let own = rules.try_clone().map_err(|error| Error::system("putting up the wall", &error))?;
        own.restrict_self().map(drop).map_err(failed)
    }
}

fn failed(error: RulesetError) -> Error {
    refused(error.to_string()).with_source(error)
}

fn rules(reach: &Reach) -> Result<RulesetCreated, Error> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let device = AccessFs::ReadFile | AccessFs::IoctlDev;
    let file = device | AccessFs::WriteFile | AccessFs::Truncate;
    // Everything but new devices and what starts programs.
    let below = AccessFs::from_all(NEWEST) & !(AccessFs::Execute | AccessFs::MakeBlock | AccessFs::MakeChar);
    let handled = Ruleset::default().handle_access(AccessFs::from_all(NEWEST)).map_err(failed)?;
    let mut rules = handled.create().map_err(failed)?;
    for entry in readable() {
        if_there(&mut rules, &entry, read);
    }
    for node in HARMLESS {
        if_there(&mut rules, Path::new(node), file);
    }
    for path in &reach.reads {
        add(&mut rules, path, device)?;
    }
    for path in &reach.writes {
        add(&mut rules, path, file)?;
    }
    for path in &reach.below {
        add(&mut rules, path, below)?;
    }
    for path in reach.starts.iter().flat_map(|path| program::with_interpreters(path)) {
        add(&mut rules, &path, AccessFs::Execute | AccessFs::ReadFile)?;
    }
    Ok(rules)
}

/// Every entry of the root but the folder of devices, which are opened only where they are named. `/dev` alone
/// cannot be taken out of a rule for all.
fn readable() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/") else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).filter(|path| path != Path::new("/dev")).collect()
}

/// A rule for a path that may be missing or closed to this process, and then needs none.
fn if_there(rules: &mut RulesetCreated, path: &Path, rights: BitFlags<AccessFs>) {
    let _ = add(rules, path, rights);
}

fn add(rules: &mut RulesetCreated, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), Error> {
    let opened = PathFd::new(path)
        .map_err(|error| refused(format!("{}: {error}", path.display())).with_source(error))?;
    // Rights on what folders hold mean nothing on a file, and the kernel refuses them there.
    let is_folder = fs::metadata(path).is_ok_and(|meta| meta.is_dir());
    let rights = if is_folder { rights } else { rights & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(opened, rights)).map(drop).map_err(failed)
}

/// A path to what is open, as long as it is.
pub fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Tries a wall on a thread that ends at once.
pub fn facts() -> WallFacts {
    let tried = std::thread::Builder::new().name("wall".to_owned()).spawn(try_out);
    match tried.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(status))) => of_status(status.landlock),
        Ok(Ok(Err(error))) => without(&error.to_string()),
        _ => without("it could not be tried"),
    }
}

fn try_out() -> Result<RestrictionStatus, RulesetError> {
    Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?.create()?.restrict_self()
}

fn of_status(status: LandlockStatus) -> WallFacts {
    match status {
        LandlockStatus::NotEnabled => {
            without("Landlock is switched off: add it to `lsm=` of the kernel's command line")
        }
        LandlockStatus::NotImplemented => without("this kernel has no Landlock, which Linux has since 5.13"),
        LandlockStatus::Available { effective_abi, .. } => {
            let abi = (effective_abi as u32).min(NEWEST as u32);
            let older = OPEN_BEFORE.iter().filter(|(since, _)| abi < *since).map(|(_, text)| *text);
            WallFacts {
                mechanism: Some("landlock".to_owned()),
                abi: Some(abi),
                missing: None,
                leaves_open: older.chain(ALWAYS_OPEN).map(str::to_owned).collect(),
            }
        }
    }
}

fn without(cause: &str) -> WallFacts {
    WallFacts { missing: Some(cause.to_owned()), ..WallFacts::default() }
}

fn refused(cause: String) -> Error {
    Error::new(ErrorKind::System, "putting up the wall around the I/O", cause)
}
