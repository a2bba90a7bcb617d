//! Opens what was named, once it is known to be safe and able to be measured honestly.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_record::engine_list::EngineEntry;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::run_plan::RunOptions;

use super::guard::Permit;
use super::name::TargetName;
use super::origin::Origin;
use super::platform::{self, Handle, OpenedPath};
use super::remote::{self, Remote};
use crate::{Error, ErrorKind};

/// What a run wants of its target.
#[derive(Clone, Copy)]
pub struct OpenRequest<'a> {
    /// Whether anything is read. Files that are not written throughout are then laid out or refused.
    pub reads: bool,
    /// Whether anything is written; a trim counts as a write.
    pub writes: bool,
    /// The run's: whether the page cache is bypassed, what is durable when a write ends, whether a device that only
    /// reading can show to be empty is read however long that takes, and whether a file that the run makes under a
    /// name of the user's stays when the target is dropped.
    pub options: &'a RunOptions,
    /// The engine that was asked for, which may work on names in a folder, or through the page cache.
    pub engine: Option<&'a EngineEntry>,
    /// Bytes of the target to use, from its start; all of an existing target where none are given,
    /// and [`DEFAULT_BYTES`](super::scratch::DEFAULT_BYTES) of a scratch file.
    pub size_bytes: Option<u64>,
    /// The words of `--destroy`.
    pub permit: Option<&'a Permit>,
    /// What the campaign that continues found here when it began; none for a campaign that begins, and for what
    /// has no campaign.
    pub origin: Option<&'a Origin>,
    /// Whether a device that is written gets a [mark](super::device_mark), and keeps room for it where no size is
    /// given.
    pub marks: bool,
    /// Whether a file has every byte of the size: a shorter one that is there is made longer where it may be written,
    /// and none is cut to whole blocks.
    pub exact: bool,
    /// Seed of the data that a new file is laid out with.
    pub seed: u64,
    /// Asked before a file is laid out, with the bytes that are written for it; absent: nothing is asked.
    pub before_layout: Option<&'a dyn Fn(u64) -> Result<(), Error>>,
    /// Ends laying out and reading when it becomes true.
    pub stop: &'a AtomicBool,
    /// Told what is done to the target before it is used: bytes done, and bytes in all.
    pub progress: Option<&'a dyn Fn(Preparation, u64, u64)>,
}

impl OpenRequest<'_> {
    /// Whether the page cache is bypassed: where the run's options say so, and the engine is no way through it.
    pub(crate) fn is_direct(&self) -> bool {
        self.options.direct && !self.engine.is_some_and(|engine| engine.through_cache)
    }

    /// Whether the run works on names in a folder, and on no file.
    pub(crate) fn is_of_names(&self) -> bool {
        self.engine.is_some_and(|engine| engine.names_alone)
    }
}

/// What takes time before a target can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// A file is written over its whole size.
    LayingOut,
    /// A device is read, to know that it is empty.
    Reading,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for OpenRequest<'_> {
    /// Direct reads of the whole target.
    fn default() -> Self {
        Self {
            reads: true,
            writes: false,
            options: <&RunOptions>::default(),
            engine: None,
            size_bytes: None,
            permit: None,
            origin: None,
            marks: false,
            exact: false,
            seed: 0,
            before_layout: None,
            stop: &NEVER,
            progress: None,
        }
    }
}

impl fmt::Debug for OpenRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenRequest")
            .field("reads", &self.reads)
            .field("writes", &self.writes)
            .field("options", &self.options)
            .field("engine", &self.engine.map(|engine| engine.name))
            .field("size_bytes", &self.size_bytes)
            .field("permit", &self.permit)
            .field("origin", &self.origin)
            .field("marks", &self.marks)
            .finish_non_exhaustive()
    }
}

/// An open target. What the run made for it goes when it is dropped.
#[derive(Debug)]
pub struct Target {
    /// As it was named.
    pub name: TargetName,
    /// What it turned out to be.
    pub facts: TargetFacts,
    /// The open file or device; none for `null:`, `memory:`, `sim:` and namespaces on the network.
    pub file: Option<Arc<Handle>>,
    /// The namespace on the network that it is.
    pub remote: Option<Arc<Remote>>,
    /// What the judgement leaves to say in a run's record.
    pub notes: Vec<String>,
    opened: Option<OpenedPath>,
}

/// Unit of I/O where nothing real sets one.
const VIRTUAL_BLOCK_BYTES: u32 = 512;

/// Address space of a simulated device until its parameters say otherwise.
const SIM_DEFAULT_BYTES: u64 = 1 << 40;

impl Target {
    /// Opens a target for what is asked.
    ///
    /// A directory gets a scratch file without a name in it, and so does the directory of a path that does
    /// not exist when a size is given, unless the file is to be kept: then it gets that name. All are
    /// laid out before this returns; only where the run works on names the folder itself is opened. Existing files and
    /// devices are read as they are, and written only when the guard admits it, on the descriptor
    /// that the run then uses; a device that is not named, only once it is known to hold nothing.
    ///
    /// # Errors
    /// With what to type: [`ErrorKind::Refused`] when writing could destroy data or reading would not
    /// be a measurement, [`ErrorKind::Plan`] when the request contradicts the target,
    /// [`ErrorKind::NoSuchTarget`], [`ErrorKind::Permission`], [`ErrorKind::Unsupported`] for direct
    /// I/O and space that are not there, [`ErrorKind::Interrupted`] when laying out was stopped, and
    /// [`ErrorKind::System`].
    pub fn open(name: &TargetName, request: &OpenRequest<'_>) -> Result<Self, Error> {
        if request.size_bytes == Some(0) {
            let cause = "a size of 0 holds no I/O";
            let error = Error::new(ErrorKind::Plan, format!("target `{name}`"), cause);
            return Err(error.with_remedy("type --size 1GiB, for example"));
        }
        let (kind, size_bytes) = match name {
            TargetName::Path(path) => {
                let (opened, facts) = platform::open_path(&name.to_string(), path, request)?;
                let file = Some(opened.file_for(&name.to_string(), request)?);
                let notes = opened.notes();
                return Ok(Self {
                    name: name.clone(),
                    facts,
                    file,
                    remote: None,
                    notes,
                    opened: Some(opened),
                });
            }
            TargetName::Fabric(fabric) => {
                let (remote, facts) = remote::open(fabric, request)?;
                let (name, remote) = (name.clone(), Some(remote));
                return Ok(Self { name, facts, file: None, remote, notes: Vec::new(), opened: None });
            }
            TargetName::Null { size_bytes } => (TargetKind::Null, *size_bytes),
            TargetName::Memory { size_bytes } => (TargetKind::Memory, *size_bytes),
            TargetName::Sim(_) => (TargetKind::Simulated, SIM_DEFAULT_BYTES),
        };
        let size_bytes = request.size_bytes.unwrap_or(size_bytes);
        let facts = virtual_facts(name.to_string(), kind, size_bytes);
        Ok(Self { name: name.clone(), facts, file: None, remote: None, notes: Vec::new(), opened: None })
    }

    /// Looks once more, on the open descriptor, whether anybody began to use the target or put something on it
    /// since it was admitted for writing: for the moment just before a run. Passes for targets that are only read
    /// and for those that the run made.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] with the reasons.
    pub fn confirm(&self) -> Result<(), Error> {
        self.opened.as_ref().map_or(Ok(()), OpenedPath::confirm)
    }

    /// What a campaign remembers of it for when it continues; none for what is not a block device.
    pub fn origin(&self) -> Option<&Origin> {
        self.opened.as_ref().and_then(OpenedPath::origin)
    }

    /// Marks a device, where it gets a mark, as written by the run or campaign `by` from `at` on (RFC 3339):
    /// for the moment before the first write.
    ///
    /// # Errors
    /// [`ErrorKind::System`] when the device does not take it.
    pub fn mark(&self, at: &str, by: &str) -> Result<(), Error> {
        self.opened.as_ref().map_or(Ok(()), |opened| opened.mark(at, by))
    }

    /// Share of a stretch of the target, 0 to 1, that the page cache holds; `None` for targets
    /// without one.
    ///
    /// # Errors
    /// [`ErrorKind::System`] where the system does not say.
    pub fn cached_share(&self, range: Range<u64>) -> Result<Option<f64>, Error> {
        let Some(file) = &self.file else { return Ok(None) };
        let share = platform::cached_share(file, range);
        share.map(Some).map_err(|error| Error::system("looking into the page cache", &error))
    }

    /// Drops what the page cache holds of a stretch of the target, for runs without direct I/O.
    ///
    /// # Errors
    /// [`ErrorKind::System`] when changed pages cannot be written back.
    pub fn drop_cached(&self, range: Range<u64>) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        platform::drop_cached(file, range).map_err(|error| Error::system("emptying the page cache", &error))
    }
}

fn virtual_facts(name: String, kind: TargetKind, size_bytes: u64) -> TargetFacts {
    TargetFacts {
        size_bytes: size_bytes / u64::from(VIRTUAL_BLOCK_BYTES) * u64::from(VIRTUAL_BLOCK_BYTES),
        logical_block_bytes: VIRTUAL_BLOCK_BYTES,
        direct: true,
        ..TargetFacts::named(name, kind)
    }
}
