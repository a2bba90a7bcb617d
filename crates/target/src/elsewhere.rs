//! A platform whose files and devices fathom does not open yet: targets are `null:`, `memory:` and `sim:`.
//!
//! What needs an open target cannot be called here, because there is none: the types of open things have no values.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use fathom_record::facts::TargetFacts;
use fathom_record::workload::AccessHint;

use crate::device::Device;
use crate::guard::Findings;
use crate::open::OpenRequest;
use crate::origin::Origin;
use crate::scratch::Space;
use crate::stretch::Stretch;
use crate::{Error, ErrorKind};

/// An open path: there is none.
#[derive(Debug)]
pub enum Opened {}

impl Opened {
    /// What a campaign remembers of it.
    pub fn origin(&self) -> Option<&Origin> {
        match *self {}
    }

    /// Writes the mark of a device that has one.
    pub fn mark(&self, _: &str, _: &str) -> Result<(), Error> {
        match *self {}
    }

    /// The descriptor that the run uses.
    pub fn file_for(&self, _: &str, _: &OpenRequest<'_>) -> Result<Arc<File>, Error> {
        match *self {}
    }

    /// Looks once more whether it is in use.
    pub fn confirm(&self) -> Result<(), Error> {
        match *self {}
    }

    /// What the judgement leaves to say.
    pub fn notes(&self) -> Vec<String> {
        match *self {}
    }
}

/// A first look at what exists under a name: there is none.
#[derive(Debug)]
pub enum Glimpse {}

impl Glimpse {
    /// Of a path.
    ///
    /// # Errors
    /// Always.
    pub fn of(name: &str, _: &Path) -> Result<Option<Self>, Error> {
        Err(unsupported(name))
    }

    /// What is found out of it.
    pub fn findings(&self, _: &str, _: Option<&Origin>) -> Result<Findings, Error> {
        match *self {}
    }

    /// Whether both are the same bytes.
    pub fn shares_bytes_with(&self, _: &Self) -> bool {
        match *self {}
    }
}

fn unsupported(name: &str) -> Error {
    let cause = "this build measures no files and devices on this operating system yet";
    Error::new(ErrorKind::Unsupported, format!("opening {name}"), cause)
        .with_remedy("use a target of fathom's own: null:, memory: or sim:gp3, for example")
}

fn nobody_knows<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Opens a path.
///
/// # Errors
/// Always.
pub fn open_path(name: &str, _: &Path, _: &OpenRequest<'_>) -> Result<(Opened, TargetFacts), Error> {
    Err(unsupported(name))
}

/// Devices that could be measured: none is looked for.
pub fn devices() -> Result<Vec<Device>, Error> {
    Ok(Vec::new())
}

/// The generic device of a block device.
pub fn generic_of(_: &str) -> Option<String> {
    None
}

/// Whether what is open is a block device: none can be opened.
pub fn is_block_device(_: &File) -> bool {
    false
}

/// Tells the system how a file will be read.
pub fn advise(_: &File, _: Range<u64>, _: AccessHint) -> io::Result<()> {
    nobody_knows()
}

/// Share of a stretch that is cached.
pub fn cached_share(_: &File, _: Range<u64>) -> io::Result<f64> {
    nobody_knows()
}

/// Drops what is cached of a stretch.
pub fn drop_cached(_: &File, _: Range<u64>) -> io::Result<()> {
    nobody_knows()
}

/// Drops what is cached of a stretch and was not changed.
pub fn forget(_: &File, _: Range<u64>) -> io::Result<()> {
    nobody_knows()
}

/// Where a file lies.
pub fn stretches(_: &File, _: &Range<u64>) -> io::Result<Vec<Stretch>> {
    nobody_knows()
}

/// Share of a stretch that was written.
pub fn written_share(_: &File, _: Range<u64>) -> io::Result<Option<f64>> {
    Ok(None)
}

/// Room of the file system that a file is in.
pub fn space(_: &File) -> io::Result<Space> {
    nobody_knows()
}

/// Has a file take its room.
pub fn allocate(_: &File, _: &Range<u64>) -> io::Result<()> {
    nobody_knows()
}

/// Writes at a place, as Unix has it.
pub trait FileExt {
    /// Writes all of `bytes` at `offset`.
    ///
    /// # Errors
    /// As the system reports them.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
}

impl FileExt for File {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut file: &File = self;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }
}
