//! Other processes that use a device or a file: their open descriptors, mappings and locks, from `/proc`.
//!
//! Databases and virtual machines use whole devices without mounting or claiming them; what `/proc` shows of
//! them is the only sign. Where it does not show all of them, [`Sight`] says so, and whoever judges counts
//! that as use.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::device_number::DeviceNumber;
use super::machine::FileId;
use super::mounts::processes;
use super::sysfs;

/// How a process uses something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It has it open for writing, or can at any time.
    Writes,
    /// It has it open for reading alone.
    Reads,
    /// It has it mapped into its memory, maybe without a descriptor.
    Maps,
    /// It has a lock or a lease on it.
    Locks,
}

/// A process that uses something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its number; 0 where the kernel names none.
    pub process: u32,
    /// Its name, as `qemu-system-x86`.
    pub name: String,
    /// What it does.
    pub access: Access,
}

/// What of the other processes can be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// Processes that are listed, without this one.
    pub listed: usize,
    /// Those among them whose descriptors may not be looked at, without the first.
    pub closed: usize,
    /// Whether the first process of the machine is such a one. Some machines keep it even from root; it starts
    /// their programs and uses no devices itself, so that it alone does not count as use.
    pub first_closed: bool,
    /// Whether some are not listed at all.
    pub unlisted: bool,
    /// Whether this process is in a PID namespace of its own, or cannot tell.
    pub enclosed: bool,
}

impl Sight {
    /// What cannot be seen, and what would let it be seen; `None` where all can.
    pub fn words(&self) -> Option<(String, &'static str)> {
        if self.enclosed {
            let text =
                "fathom runs in a PID namespace, as in a container, and processes outside of it are hidden";
            return Some((
                text.to_owned(),
                "run it on the host, or in its PID namespace (docker run --pid=host)",
            ));
        }
        if self.unlisted {
            return Some(("/proc does not list the processes of others".to_owned(), "run it with sudo"));
        }
        (self.closed > 0).then(|| {
            let text = format!(
                "the open files of {} of {} processes may not be looked at",
                self.closed, self.listed
            );
            (text, "run it with sudo")
        })
    }
}

/// Who uses block devices.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Every other process that has a device open or mapped.
    pub users: Vec<(DeviceNumber, User)>,
    /// What of the processes was seen.
    pub sight: Sight,
}

/// Looks for users of block devices among all other processes; for mappings only `with_mappings`, since
/// they are many.
pub fn of_devices(proc: &Path, with_mappings: bool) -> Census {
    let mut census = Census { users: Vec::new(), sight: sight(proc) };
    let mut mapped = HashMap::new();
    for process in others(proc) {
        census.sight.listed += 1;
        let mut found: Vec<(DeviceNumber, Access)> = Vec::new();
        let mut take = |number, access| {
            if !found.contains(&(number, access)) {
                found.push((number, access));
            }
        };
        let seen = process.each_descriptor(|meta, fd| {
            if meta.file_type().is_block_device()
                && let Some(access) = process.access(fd)
            {
                take(DeviceNumber::of_node(meta), access);
            }
        });
        if process.number == 1 {
            census.sight.first_closed = !seen;
        } else {
            census.sight.closed += usize::from(!seen);
        }
        if with_mappings {
            process.each_mapping(|mapping| {
                let device = mapped.entry((mapping.device.to_owned(), mapping.inode));
                if let Some(number) = *device.or_insert_with(|| process.mapped_device(mapping)) {
                    take(number, Access::Maps);
                }
            });
        }
        census.users.extend(found.into_iter().map(|(number, access)| (number, process.user(access))));
    }
    census
}

/// Every other process that can change this file or would notice its change: it has it open for writing,
/// mapped and shared or executed, or locked. `device` is the file system's own number where it is another
/// than that of its files, as on btrfs.
pub fn of_file(proc: &Path, file: FileId, device: Option<DeviceNumber>) -> Vec<User> {
    let mut found = Vec::new();
    let mut take = |user: User| {
        if !found.contains(&user) {
            found.push(user);
        }
    };
    for process in others(proc) {
        process.each_descriptor(|meta, fd| {
            let is_it = meta.ino() == file.inode && FileId::of(meta) == file;
            if is_it && process.access(fd) == Some(Access::Writes) {
                take(process.user(Access::Writes));
            }
        });
        process.each_mapping(|mapping| {
            if mapping.inode == file.inode && mapping.is_use() && process.maps(mapping, file, device) {
                take(process.user(Access::Maps));
            }
        });
    }
    for number in locks(proc, file, device) {
        take(Process::of(proc, number).user(Access::Locks));
    }
    found
}

/// What is known before the processes are looked at. The first process of a namespace is always there.
fn sight(proc: &Path) -> Sight {
    /// Inode of the first PID namespace, `PROC_PID_INIT_INO`, Linux `include/linux/proc_ns.h`.
    const FIRST: &str = "pid:[4026531836]";
    let namespace = fs::read_link(proc.join("self/ns/pid"));
    Sight {
        unlisted: !proc.join("1").exists(),
        enclosed: !namespace.is_ok_and(|namespace| namespace == Path::new(FIRST)),
        ..Sight::default()
    }
}

/// One process under `/proc`.
struct Process {
    number: u32,
    dir: PathBuf,
}

fn others(proc: &Path) -> impl Iterator<Item = Process> {
    let own = std::process::id();
    processes(proc).into_iter().filter_map(move |dir| {
        let number = dir.file_name()?.to_str()?.parse().ok()?;
        (number != own).then_some(Process { number, dir })
    })
}

impl Process {
    fn of(proc: &Path, number: u32) -> Self {
        Self { number, dir: proc.join(number.to_string()) }
    }

    fn user(&self, access: Access) -> User {
        let name = sysfs::attribute(&self.dir, "comm").unwrap_or_default();
        User { process: self.number, name, access }
    }

    /// Every open descriptor; false where some of them may not be looked at.
    fn each_descriptor(&self, mut take: impl FnMut(&Metadata, &str)) -> bool {
        let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        let folder = self.dir.join("fd");
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // A process that ended meanwhile uses nothing.
            Err(error) => return !is_closed(&error),
        };
        let mut seen = true;
        for entry in entries.flatten() {
            match fs::metadata(entry.path()) {
                Ok(meta) => take(&meta, &entry.file_name().to_string_lossy()),
                Err(error) => seen &= !is_closed(&error),
            }
        }
        seen
    }

    /// How a descriptor was opened: the last two bits of the octal `flags:` line. What cannot be read counts
    /// as writable; `None` where it stands for a name alone, which uses nothing.
    fn access(&self, fd: &str) -> Option<Access> {
        let info = fs::read_to_string(self.dir.join("fdinfo").join(fd)).ok();
        let flags = info.and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("flags:").map(str::to_owned))?;
            i32::from_str_radix(line.trim(), 8).ok()
        });
        match flags {
            Some(flags) if flags & libc::O_PATH != 0 => None,
            Some(flags) if flags & libc::O_ACCMODE == libc::O_RDONLY => Some(Access::Reads),
            _ => Some(Access::Writes),
        }
    }

    /// Every mapping of a file.
    fn each_mapping(&self, mut take: impl FnMut(&Mapping<'_>)) {
        let Ok(text) = fs::read(self.dir.join("maps")) else { return };
        let text = String::from_utf8_lossy(&text);
        text.lines().filter_map(Mapping::parse).for_each(|mapping| take(&mapping));
    }

    /// The mapped file itself, whatever became of its name; `None` without the right to follow the link.
    fn mapped_file(&self, mapping: &Mapping<'_>) -> Option<Metadata> {
        fs::metadata(self.dir.join("map_files").join(mapping.link_name())).ok()
    }

    fn mapped_device(&self, mapping: &Mapping<'_>) -> Option<DeviceNumber> {
        let meta = self.mapped_file(mapping).or_else(|| fs::metadata(mapping.path).ok())?;
        meta.file_type().is_block_device().then(|| DeviceNumber::of_node(&meta))
    }

    fn maps(&self, mapping: &Mapping<'_>, file: FileId, device: Option<DeviceNumber>) -> bool {
        match self.mapped_file(mapping) {
            Some(meta) => FileId::of(&meta) == file,
            None => mapping.number().is_some_and(|number| number == file.device || Some(number) == device),
        }
    }
}

/// A line of `/proc/PID/maps`.
struct Mapping<'a> {
    range: &'a str,
    rights: &'a str,
    device: &'a str,
    inode: u64,
    path: &'a str,
}

impl<'a> Mapping<'a> {
    /// `None` for memory without a file.
    fn parse(line: &'a str) -> Option<Self> {
        let mut rest = line;
        let mut word = || {
            let (word, after) = rest.split_once(' ')?;
            rest = after.trim_start();
            Some(word)
        };
        let (range, rights, _, device, inode) = (word()?, word()?, word()?, word()?, word()?.parse().ok()?);
        (inode != 0 && rest.starts_with('/')).then_some(Self { range, rights, device, inode, path: rest })
    }

    /// Whether what is written to the file shows in the process, or what the process writes in the file, or
    /// the process executes it.
    fn is_use(&self) -> bool {
        self.rights.ends_with('s') || self.rights.contains('x')
    }

    /// As the links to mapped files are named: without the zeros that `maps` pads short addresses with.
    fn link_name(&self) -> String {
        let short = |address: &str| format!("{:0>1}", address.trim_start_matches('0'));
        self.range.split('-').map(short).collect::<Vec<_>>().join("-")
    }

    fn number(&self) -> Option<DeviceNumber> {
        hexadecimal(self.device)
    }
}

/// `fe:00`, as `maps` and `locks` write a device.
fn hexadecimal(text: &str) -> Option<DeviceNumber> {
    let (major, minor) = text.split_once(':')?;
    let number = |text| u32::from_str_radix(text, 16).ok();
    Some(DeviceNumber { major: number(major)?, minor: number(minor)? })
}

/// Processes with locks and leases on a file, from `/proc/locks`, without this one; 0 for a lock that belongs
/// to an open file rather than to a process.
fn locks(proc: &Path, file: FileId, device: Option<DeviceNumber>) -> Vec<u32> {
    let text = fs::read_to_string(proc.join("locks")).unwrap_or_default();
    let holder = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(1).skip_while(|word| *word == "->");
        let holder = words.nth(3)?.parse::<i64>().ok()?;
        let (at, inode) = words.next()?.rsplit_once(':')?;
        let at = hexadecimal(at)?;
        let is_it = inode.parse() == Ok(file.inode) && (at == file.device || Some(at) == device);
        is_it.then(|| u32::try_from(holder).unwrap_or(0))
    };
    text.lines().filter_map(holder).filter(|number| *number != std::process::id()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_are_read_with_their_paths() {
        let line = "7f1c0000-7f1c1000 rw-s 00001000 00:06 1034                       /dev/my disk (deleted)";
        let mapping = Mapping::parse(line).unwrap();
        assert_eq!((mapping.inode, mapping.path), (1034, "/dev/my disk (deleted)"));
        assert!(mapping.is_use() && mapping.number() == Some(DeviceNumber { major: 0, minor: 6 }));
        let low = Mapping::parse("00400000-00452000 r--p 00000000 fe:00 17 /bin/x").unwrap();
        assert!(!low.is_use() && low.link_name() == "400000-452000");
        for none in ["7f00-7f01 rw-p 00000000 00:00 0 ", "7f00-7f01 r-xp 00000000 00:00 0 [vdso]", "", "x y"]
        {
            assert!(Mapping::parse(none).is_none(), "{none}");
        }
    }

    #[test]
    fn locks_and_leases_are_found_by_file_system_and_inode() {
        let dir = tempfile::tempdir().unwrap();
        let text = "1: FLOCK  ADVISORY  WRITE 100 fe:00:42 0 EOF\n2: POSIX  ADVISORY  READ 101 fe:00:43 0 EOF\n\
                    3: OFDLCK ADVISORY  READ -1 00:2d:42 0 EOF\n4: LEASE  ACTIVE    READ 102 fe:00:42 0 EOF\n\
                    4: -> FLOCK  ADVISORY  WRITE 103 fe:00:42 0 EOF\nbroken\n";
        fs::write(dir.path().join("locks"), text).unwrap();
        let of = |major, minor| DeviceNumber { major, minor };
        let file = FileId { device: of(0xfe, 0), inode: 42 };
        assert_eq!(locks(dir.path(), file, None), [100, 102, 103]);
        // As on btrfs, where files have another number than their file system.
        let file = FileId { device: of(0, 0x99), inode: 42 };
        assert_eq!(locks(dir.path(), file, Some(of(0, 0x2d))), [0]);
    }

    #[test]
    fn what_is_hidden_is_said() {
        let sight = |closed, unlisted, enclosed| {
            Sight { listed: 9, closed, unlisted, enclosed, first_closed: true }.words()
        };
        assert_eq!(sight(0, false, false), None);
        assert!(sight(3, false, false).unwrap().0.contains("3 of 9 processes"));
        assert!(sight(0, true, false).unwrap().1.contains("sudo"));
        assert!(sight(3, true, true).unwrap().0.contains("PID namespace"));
    }
}
