//! The second wall: whatever does the I/O is kept, by the kernel, from changing, starting or opening what was not
//! named for it.
//!
//! The [guard](crate::guard) judges names and what lies behind them. This wall does not judge: it holds
//! a thread, or a program that a thread starts, to a [`Reach`], whatever its code tries. On Linux it is Landlock,
//! which restricts the calling thread and all that it starts from then on, and never the rest of the process.

#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod platform;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(target_os = "linux")]
mod program;

use std::path::PathBuf;
use std::sync::OnceLock;

use fathom_record::WallFacts;

pub use platform::path_of;

use crate::Error;

/// Where a wall is open. What is not listed is neither changed nor started, and devices that are not listed are not
/// even opened for reading. Descriptors that are open already stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Files and devices that exist, to be read and written.
    pub writes: Vec<PathBuf>,
    /// Devices to be read.
    pub reads: Vec<PathBuf>,
    /// Folders below which anything may be made, written and removed.
    pub below: Vec<PathBuf>,
    /// Programs that may be started, with what the system needs to start them.
    pub starts: Vec<PathBuf>,
}

/// A wall, ready to be put around threads.
#[derive(Debug)]
pub struct Wall(platform::Wall);

impl Wall {
    /// A wall that is open where `reach` says.
    ///
    /// # Errors
    /// When the kernel has walls and this one cannot be built, as where a path of the reach is not there.
    pub fn around(reach: &Reach) -> Result<Self, Error> {
        platform::Wall::around(reach).map(Self)
    }

    /// Puts the wall around the calling thread, for good. Where the kernel has none, nothing happens.
    ///
    /// # Errors
    /// When the kernel refuses, as inside of sixteen walls already.
    pub fn enter(&self) -> Result<(), Error> {
        self.0.enter()
    }

    /// Does some work on a thread of its own, behind the wall.
    ///
    /// # Errors
    /// When there is no thread to be had, or the kernel refuses the wall.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let behind = || self.enter().map(|()| work());
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("walled".to_owned()).spawn_scoped(scope, behind);
            let thread =
                thread.map_err(|error| Error::system("starting a thread behind the wall", &error))?;
            // A panic goes on where the work was asked for.
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// The wall that this kernel can hold, and what it does not stop. Found out once.
pub fn facts() -> &'static WallFacts {
    static FACTS: OnceLock<WallFacts> = OnceLock::new();
    FACTS.get_or_init(platform::facts)
}

/// A sentence for runs without a wall; none where there is one.
pub fn warning() -> Option<String> {
    let missing = facts().missing.as_deref()?;
    Some(format!(
        "The kernel keeps this run from nothing ({missing}): fathom's own checks alone keep it from what was not named."
    ))
}

#[cfg(test)]
mod tests;
