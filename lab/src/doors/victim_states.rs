//! How a victim is in use while the door is tried.
#![allow(unsafe_code)] // A mapping outlives its descriptor on purpose, which no safe type allows.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::mm::{MapFlags, ProtFlags};

use super::super::loop_device::LoopDevice;
use super::super::teardown::{GuardStack, tool};
use super::victims::{Class, Kind, Mounts};

/// What holds the victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Idle,
    Mounted,
    MountedReadOnly,
    BindMounted,
    MountedElsewhere,
    LazilyUnmounted,
    SwappedTo,
    LoopAbove,
    OpenForWriting,
    OpenForReading,
    Exclusive,
    Mapped,
    Locked,
    Served,
    ReadOnly,
    Immutable,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Mounted => "mounted",
            Self::MountedReadOnly => "mounted read-only",
            Self::BindMounted => "mounted by a bind mount alone",
            Self::MountedElsewhere => "mounted in another namespace",
            Self::LazilyUnmounted => "lazily unmounted",
            Self::SwappedTo => "swapped to",
            Self::LoopAbove => "under a loop device",
            Self::OpenForWriting => "open for writing",
            Self::OpenForReading => "open for reading",
            Self::Exclusive => "held exclusively",
            Self::Mapped => "mapped, its descriptor closed",
            Self::Locked => "locked",
            Self::Served => "served by qemu-nbd",
            Self::ReadOnly => "read-only",
            Self::Immutable => "immutable",
        }
    }

    /// Whether even the right words must not let anybody write: somebody else writes there, or relies on
    /// what is there.
    pub fn forbids(self) -> bool {
        !matches!(self, Self::Idle | Self::OpenForReading | Self::Locked | Self::ReadOnly | Self::Immutable)
    }

    /// Those that a victim of this kind can be in.
    pub fn of(kind: &Kind) -> Vec<Self> {
        let mut states = match kind.class {
            Class::Folder => return vec![Self::Idle],
            Class::Device => vec![
                Self::LoopAbove,
                Self::OpenForWriting,
                Self::OpenForReading,
                Self::Exclusive,
                Self::Mapped,
                Self::Locked,
                Self::Served,
            ],
            Class::File => vec![
                Self::LoopAbove,
                Self::OpenForWriting,
                Self::OpenForReading,
                Self::Mapped,
                Self::Locked,
                Self::ReadOnly,
                Self::Immutable,
            ],
        };
        let read_only = [Self::MountedReadOnly, Self::MountedElsewhere, Self::LazilyUnmounted];
        match kind.mounts {
            Mounts::Never => {}
            Mounts::Swap => states.extend([Self::SwappedTo; 4]),
            Mounts::ReadOnly => states.extend(read_only),
            Mounts::Both => {
                states.extend(read_only);
                states.extend([Self::Mounted, Self::Mounted, Self::BindMounted]);
            }
        }
        // An empty or tiny file cannot be mapped or put under a loop device.
        let tiny = ["empty", "one-byte", "fio-json", "fio-text", "json", "page", "iolog", "verify-state"];
        if tiny.contains(&kind.name) {
            states.retain(|state| ![Self::LoopAbove, Self::Mapped].contains(state));
        }
        states
    }
}

/// Puts what stands at `path` into a state, with mounts in `folder`; it is so until the guards are dropped.
///
/// # Errors
/// The reason why it cannot be had here.
pub fn enter(state: State, kind: &Kind, path: &Path, folder: &Path) -> Result<GuardStack, String> {
    let mut held = GuardStack::default();
    let (place, second) = (folder.join("mnt"), folder.join("mnt2"));
    match state {
        State::Idle => {}
        State::Mounted => held.keep(Mount::make(kind, path, &place, false)?),
        State::MountedReadOnly => held.keep(Mount::make(kind, path, &place, true)?),
        State::BindMounted => {
            let first = Mount::make(kind, path, &place, true)?;
            make_folder(&second)?;
            tool("mount", &["--bind", &words(&place), &words(&second)])?;
            held.keep(Mount(words(&second)));
            drop(first);
        }
        State::MountedElsewhere => held.keep(MountNamespace::mount(kind, path, &place)?),
        State::LazilyUnmounted => {
            let mounted = Mount::make(kind, path, &place, true)?;
            let root = File::open(&place).map_err(|error| error.to_string())?;
            tool("umount", &["--lazy", &mounted.0])?;
            std::mem::forget(mounted);
            held.keep(root);
        }
        State::SwappedTo => {
            // Two areas of one image have one name, so the kernel is given the path.
            tool("swapon", &["--priority", "0", &words(path)])?;
            held.keep(Swap(words(path)));
        }
        State::LoopAbove => held.keep(LoopDevice::cached(path)?),
        State::OpenForWriting => held.keep(open(path, true, 0)?),
        State::OpenForReading => held.keep(open(path, false, 0)?),
        State::Exclusive => held.keep(open(path, true, libc::O_EXCL)?),
        State::Mapped => held.keep(Mapping::of(&open(path, true, 0)?)?),
        State::Locked => {
            let file = open(path, false, 0)?;
            rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|e| e.to_string())?;
            held.keep(file);
        }
        State::Served => held.keep(Server::of(path, folder)?),
        State::ReadOnly => {
            let rights = std::os::unix::fs::PermissionsExt::from_mode(0o444);
            fs::set_permissions(path, rights).map_err(|error| error.to_string())?;
        }
        State::Immutable => {
            tool("chattr", &["+i", "--", &words(path)])?;
            held.keep(ImmutableFile(words(path)));
        }
    }
    Ok(held)
}

fn words(path: &Path) -> String {
    path.display().to_string()
}

fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn open(path: &Path, writing: bool, flags: i32) -> Result<File, String> {
    let opened = OpenOptions::new().read(true).write(writing).custom_flags(flags).open(path);
    opened.map_err(|error| format!("{}: {error}", path.display()))
}

fn options(kind: &Kind, read_only: bool) -> &'static str {
    match (kind.name, read_only) {
        // Copies of one image have one name, which this file system refuses twice.
        ("xfs", _) => "ro,nouuid,norecovery",
        (_, true) => "ro",
        (_, false) => "rw,noatime",
    }
}

struct Mount(String);

impl Mount {
    fn make(kind: &Kind, device: &Path, place: &Path, read_only: bool) -> Result<Self, String> {
        make_folder(place)?;
        tool("mount", &["-o", options(kind, read_only), &words(device), &words(place)])?;
        let mounted = Self(words(place));
        let root = File::open(place).map_err(|error| error.to_string())?;
        // What mounting itself writes is on the device before anybody looks at it.
        rustix::fs::syncfs(&root).map_err(|error| error.to_string())?;
        Ok(mounted)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        for _ in 0..50 {
            if tool("umount", &[&self.0]).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        eprintln!("left behind: a file system; type `umount {}`", self.0);
    }
}

struct Swap(String);

impl Drop for Swap {
    fn drop(&mut self) {
        if let Err(error) = tool("swapoff", &[&self.0]) {
            eprintln!("left behind: {error}");
        }
    }
}

struct ImmutableFile(String);

impl Drop for ImmutableFile {
    fn drop(&mut self) {
        if let Err(error) = tool("chattr", &["-i", "--", &self.0]) {
            eprintln!("left behind: {error}");
        }
    }
}

/// A shell in a mount namespace of its own, which ends when its input does, also with this program.
struct MountNamespace(Child);

impl MountNamespace {
    fn mount(kind: &Kind, device: &Path, place: &Path) -> Result<Self, String> {
        make_folder(place)?;
        let script = "mount --make-rprivate / && mount -o \"$1\" \"$2\" \"$3\" && echo ready && exec cat";
        let mut child = Command::new("unshare")
            .args(["--mount", "sh", "-c", script, "sh", options(kind, true)])
            .args([device, place])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("unshare: {error}"))?;
        let mut line = String::new();
        let read = child.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let elsewhere = Self(child);
        match read {
            Some(Ok(_)) if line == "ready\n" => Ok(elsewhere),
            _ => Err("it cannot be mounted in a namespace of its own".to_owned()),
        }
    }
}

impl Drop for MountNamespace {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // The mount goes with its namespace when the last process in it was waited for.
        let _ = self.0.wait();
    }
}

/// A server that has the device open for writing.
struct Server(Child);

impl Server {
    fn of(device: &Path, folder: &Path) -> Result<Self, String> {
        let socket = folder.join("nbd.socket");
        let child = Command::new("qemu-nbd")
            .args(["--persistent", "--format=raw", "--cache=none", "--socket"])
            .args([&socket, device])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("qemu-nbd: {error}"))?;
        let mut server = Self(child);
        for _ in 0..400 {
            if socket.exists() {
                return Ok(server);
            }
            if server.0.try_wait().is_ok_and(|ended| ended.is_some()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("qemu-nbd does not serve it".to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A writable shared mapping of the first page.
struct Mapping(*mut std::ffi::c_void);

const PAGE_BYTES: usize = 4096;

impl Mapping {
    fn of(file: &File) -> Result<Self, String> {
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses the address, so nothing of this program is replaced; nobody reads or
        // writes through the mapping.
        let mapped =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), PAGE_BYTES, rights, MapFlags::SHARED, file, 0) };
        mapped.map(Self).map_err(|error| format!("it cannot be mapped: {error}"))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: address and length are those of the mapping that was made, and nothing points into it.
        let _ = unsafe { rustix::mm::munmap(self.0, PAGE_BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::victims::KINDS;
    use super::*;

    #[test]
    fn states_fit_their_kinds() {
        let of = |name: &str| State::of(KINDS.iter().find(|kind| kind.name == name).unwrap());
        assert!(of("ext4").contains(&State::Mounted) && !of("xfs").contains(&State::Mounted));
        assert!(of("swap").contains(&State::SwappedTo) && of("swap-file").contains(&State::SwappedTo));
        assert!(!of("empty").contains(&State::Mapped) && of("text").contains(&State::Immutable));
        assert!(State::Mounted.forbids() && !State::OpenForReading.forbids());
    }

    #[test]
    fn files_are_held_and_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [1; 8192]).unwrap();
        let kind = KINDS.iter().find(|kind| kind.name == "text").unwrap();
        let held = enter(State::Locked, kind, &path, folder.path()).unwrap();
        let other = File::open(&path).unwrap();
        assert!(rustix::fs::flock(&other, FlockOperation::NonBlockingLockExclusive).is_err());
        drop(held);
        assert!(rustix::fs::flock(&other, FlockOperation::NonBlockingLockExclusive).is_ok());
        drop(enter(State::Mapped, kind, &path, folder.path()).unwrap());
    }
}
