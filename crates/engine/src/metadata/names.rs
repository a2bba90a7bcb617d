//! Names in a folder of the engine's own: nothing that was there before is touched, and nothing stays.

use std::ffi::CString;
use std::fs::File;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, statat, unlinkat};
use rustix::io::{Errno, write};

use super::NameAct;
use crate::{EngineError, ErrorKind};

/// More names than this a job are refused: each is held in memory and made before the run, or removed after it.
const MOST: u64 = 1 << 20;

/// Files for their owner alone.
const FILE: Mode = Mode::from_raw_mode(0o600);
/// Folders too.
const FOLDER: Mode = Mode::from_raw_mode(0o700);

/// Tells the folders of one process apart.
static NEXT: AtomicU32 = AtomicU32::new(0);

impl NameAct {
    /// Whether what it is done to has to be there before.
    pub(super) fn needs_it_there(self) -> bool {
        !matches!(self, Self::CreateFile | Self::CreateFolder)
    }
}

/// The names of one engine.
#[derive(Debug)]
pub struct Names {
    act: NameAct,
    parent: Arc<File>,
    /// The engine's own folder, and its name in the parent.
    folder: OwnedFd,
    own: CString,
    names: Box<[CString]>,
    first_byte: u64,
    /// Binary logarithm of the bytes of addresses that a name stands for.
    shift: u32,
    /// The file that the last act opened, to be closed outside of its time.
    opened: Option<OwnedFd>,
}

impl Names {
    /// One for each `content` long stretch of `span`. What is to be looked up or removed is made; files
    /// with that content.
    ///
    /// # Errors
    /// When the length is no power of two, there would be too many names, or the file system refuses.
    pub fn make(
        act: NameAct,
        parent: &Arc<File>,
        span: Range<u64>,
        content: &[u8],
    ) -> Result<Self, EngineError> {
        let each = content.len() as u64;
        if !each.is_power_of_two() {
            let cause = format!("a name for each {each} bytes of addresses: it has to be a power of two");
            return Err(EngineError::new(ErrorKind::Plan, "naming files", cause)
                .with_remedy("use --bs 4KiB, for example"));
        }
        let count = (span.end - span.start) / each;
        if count > MOST {
            let cause = format!("{count} names are more than the {MOST} that a job has");
            return Err(EngineError::new(ErrorKind::Plan, "naming files", cause)
                .with_remedy("use a smaller --size, or a larger --bs: a name stands for --bs bytes of it"));
        }
        let (folder, own) = own_folder(parent)?;
        let name = |number: u64| CString::new(number.to_string()).expect("digits hold no zero byte");
        let names = Self {
            act,
            parent: Arc::clone(parent),
            folder,
            own,
            names: (0..count).map(name).collect(),
            first_byte: span.start,
            shift: each.trailing_zeros(),
            opened: None,
        };
        if act.needs_it_there() {
            names.make_all(content).map_err(|errno| failed("making what the run works on", errno))?;
        }
        Ok(names)
    }

    /// Makes what is to be looked up or removed.
    fn make_all(&self, content: &[u8]) -> Result<(), Errno> {
        for name in &self.names {
            if self.act.is_of_folders() {
                mkdirat(&self.folder, name, FOLDER)?;
                continue;
            }
            let file = openat(&self.folder, name, OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY, FILE)?;
            let mut left = content;
            while !left.is_empty() {
                left = &left[write(&file, left)?..];
            }
        }
        Ok(())
    }

    /// Does to the name of an address what this engine does.
    #[inline]
    pub fn act_on(&mut self, offset: u64) -> Result<(), Errno> {
        let number = offset.wrapping_sub(self.first_byte) >> self.shift;
        let Some(name) = self.names.get(number as usize) else { return Err(Errno::INVAL) };
        let folder = &self.folder;
        match self.act {
            NameAct::CreateFile => {
                let opened = openat(folder, name, OFlags::CREATE | OFlags::RDWR, FILE)?;
                self.opened = Some(opened);
                Ok(())
            }
            NameAct::CreateFolder => mkdirat(folder, name, FOLDER),
            NameAct::StatFile | NameAct::StatFolder => statat(folder, name, AtFlags::empty()).map(drop),
            NameAct::DeleteFile => unlinkat(folder, name, AtFlags::empty()),
            NameAct::DeleteFolder => unlinkat(folder, name, AtFlags::REMOVEDIR),
        }
    }

    /// Ends what an act leaves open.
    #[inline]
    pub fn settle(&mut self) {
        self.opened = None;
    }
}

/// A new folder under a name that was free.
fn own_folder(parent: &File) -> Result<(OwnedFd, CString), EngineError> {
    const TRIES: u32 = 1000;
    for _ in 0..TRIES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = CString::new(format!("fathom-names-{}-{number}", std::process::id()))
            .expect("the name holds no zero byte");
        match mkdirat(parent, &name, FOLDER) {
            Ok(()) => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let folder = openat(parent, &name, flags, Mode::empty());
                return match folder {
                    Ok(folder) => Ok((folder, name)),
                    Err(errno) => {
                        let _ = unlinkat(parent, &name, AtFlags::REMOVEDIR);
                        Err(failed("opening a folder for the names", errno))
                    }
                };
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(failed("making a folder for the names", errno)),
        }
    }
    Err(failed("making a folder for the names", Errno::EXIST))
}

fn failed(place: &str, errno: Errno) -> EngineError {
    let remedy = match errno {
        Errno::NOTDIR => "name a folder: names are made in one of the engine's own there",
        Errno::ACCESS | Errno::PERM => "name a folder that you may write to",
        Errno::NOSPC | Errno::DQUOT => "use a smaller --size, or name a folder on another file system",
        _ => "name a folder on another file system",
    };
    EngineError::system(place, &errno.into()).with_remedy(remedy)
}

impl Drop for Names {
    /// Removes what is left of the names, and the folder. All of it is the engine's own.
    fn drop(&mut self) {
        let flags = if self.act.is_of_folders() { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        for name in &self.names {
            // Removed by the run, or never made.
            let _ = unlinkat(&self.folder, name, flags);
        }
        let _ = unlinkat(&*self.parent, &self.own, AtFlags::REMOVEDIR);
    }
}
