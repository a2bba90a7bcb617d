//! Loop and zram devices of the tests' own, made and taken away here; tests skip where that is not allowed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

use crate::guard::Permit;
use crate::{Error, ErrorKind};
use crate::{OpenRequest, Target, TargetName};

pub const SIZE: u64 = 64 << 20;

pub fn run(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A loop device over an image file of its own.
pub struct Loop {
    pub path: String,
    pub image: PathBuf,
    pub size: u64,
    _dir: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

/// While losetup looks for a free device it opens those that others just took: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

impl Loop {
    pub fn blank() -> Option<Self> {
        Self::of(SIZE, &[])
    }

    /// Of so many bytes, with further arguments for losetup.
    pub fn of(size: u64, more: &[&str]) -> Option<Self> {
        let alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let program = std::env::current_exe().unwrap();
        // Beside the test program: sparse files have an exact map there more often than in a temporary folder.
        let dir = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let image = dir.path().join("image");
        File::create(&image).unwrap().set_len(size).unwrap();
        let mut args = vec!["--find", "--show", "--partscan"];
        args.extend(more);
        args.push(image.to_str().unwrap());
        let Some(path) = run("losetup", &args) else {
            fathom_skips::skipped("losetup makes no device here");
            return None;
        };
        Some(Self { path, image, size, _dir: dir, _alone: alone })
    }

    /// What lies behind it, to be written past it.
    pub fn behind(&self) -> File {
        File::options().read(true).write(true).open(&self.image).unwrap()
    }

    /// Whether an image of this test is behind it: while it is exchanged, the name is anybody's.
    pub fn is_ours(&self) -> bool {
        let name = self.path.trim_start_matches("/dev/");
        let behind = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap_or_default();
        behind.starts_with(self.image.parent().unwrap().to_str().unwrap())
    }

    pub fn size_words(&self) -> String {
        format!("{}-{}", Path::new(&self.path).file_name().unwrap().to_str().unwrap(), self.size)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        if self.is_ours() {
            run("losetup", &["--detach", &self.path]);
        }
    }
}

/// A zram device of the test's own.
pub struct Zram {
    pub number: u32,
}

impl Zram {
    pub fn new() -> Option<Self> {
        // Reading this file makes a device and gives its number.
        let number = fs::read_to_string("/sys/class/zram-control/hot_add").ok()?.trim().parse().ok()?;
        let zram = Self { number };
        fs::write(format!("/sys/block/zram{number}/disksize"), SIZE.to_string()).ok()?;
        Some(zram)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write("/sys/class/zram-control/hot_remove", self.number.to_string());
    }
}

pub fn open(path: &str, writes: bool, words: Option<&str>) -> Result<Target, Error> {
    let permit = words.map(|words| Permit(words.to_owned()));
    open_with(path, OpenRequest { writes, permit: permit.as_ref(), ..OpenRequest::default() })
}

pub fn open_with(path: &str, request: OpenRequest<'_>) -> Result<Target, Error> {
    Target::open(&TargetName::Path(path.into()), &request)
}

pub fn refusal(path: &str, words: Option<&str>) -> String {
    let error = open(path, true, words).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused, "{error}");
    error.to_string()
}
