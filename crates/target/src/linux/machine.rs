//! The block devices of a machine and how they hang together, as one picture taken at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::device_number::DeviceNumber;
use super::ioctl;
use super::mounts::{self, Mount};
use super::sysfs;
use super::users::{self, Census};

/// Where the kernel shows itself; elsewhere than usual only in tests.
#[derive(Clone, Debug)]
pub struct Roots {
    /// `/sys`.
    pub sys: PathBuf,
    /// `/proc`.
    pub proc: PathBuf,
    /// `/dev`.
    pub dev: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Self { sys: "/sys".into(), proc: "/proc".into(), dev: "/dev".into() }
    }
}

/// A file, whatever its names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    /// Device of its file system.
    pub device: DeviceNumber,
    /// Its inode.
    pub inode: u64,
}

impl FileId {
    /// Of an open or named file.
    pub fn of(meta: &fs::Metadata) -> Self {
        Self { device: DeviceNumber::holding(meta), inode: meta.ino() }
    }
}

/// What a loop device stands on.
#[derive(Clone, Debug, Default)]
pub struct Backing {
    /// As the kernel names it; a path in the mount namespace of whoever attached it.
    pub path: String,
    /// The file by what the driver says, and by what the path leads to.
    pub files: Vec<FileId>,
    /// The block device, where it is one.
    pub block: Option<DeviceNumber>,
}

/// One block device or partition.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its number.
    pub number: DeviceNumber,
    /// Kernel's name.
    pub name: String,
    /// Its folder under `/sys/devices`.
    pub dir: PathBuf,
    /// The disk of a partition.
    pub disk: Option<DeviceNumber>,
    /// First byte and length on the disk, of a partition.
    pub span_bytes: Option<(u64, u64)>,
    /// Partitions of a disk.
    pub partitions: Vec<DeviceNumber>,
    /// Devices that this one is built of.
    pub slaves: Vec<DeviceNumber>,
    /// Devices built on this one.
    pub holders: Vec<DeviceNumber>,
    /// What a loop device stands on.
    pub backing: Option<Backing>,
    /// World-wide name, where it has one.
    pub wwn: Option<String>,
}

/// All of it.
#[derive(Debug)]
pub struct Machine {
    /// Where it was read.
    pub roots: Roots,
    /// Every block device that has a number.
    pub nodes: BTreeMap<DeviceNumber, Node>,
    /// Every mount that can be seen.
    pub mounts: Vec<Mount>,
    /// What is swapped to.
    pub swaps: Vec<PathBuf>,
    /// Other processes that use block devices, and how much of them can be seen.
    pub census: Census,
}

impl Machine {
    /// Takes the picture of the machine that this process runs on.
    pub fn now() -> Self {
        Self::look(&Roots::default())
    }

    /// The same without what processes have mapped, which takes longest: for the moment before a run.
    pub fn at_a_glance() -> Self {
        Self::look_with(&Roots::default(), false)
    }

    /// Takes the picture.
    pub fn look(roots: &Roots) -> Self {
        Self::look_with(roots, true)
    }

    fn look_with(roots: &Roots, mappings: bool) -> Self {
        let (mounts, swaps) = (mounts::mounts(&roots.proc), mounts::swaps(&roots.proc));
        let census = users::of_devices(&roots.proc, mappings);
        Self { mounts, swaps, census, ..Self::look_at_devices(roots) }
    }

    /// The devices alone, for facts that no mount bears on.
    pub fn look_at_devices(roots: &Roots) -> Self {
        let mut nodes = BTreeMap::new();
        let class = roots.sys.join("class/block");
        for name in sysfs::entries(&class) {
            if let Some(node) = read_node(roots, &class, &name) {
                nodes.insert(node.number, node);
            }
        }
        let partitions: Vec<_> = nodes.values().filter_map(|node| Some((node.disk?, node.number))).collect();
        for (disk, partition) in partitions {
            if let Some(disk) = nodes.get_mut(&disk) {
                disk.partitions.push(partition);
            }
        }
        let census = Census::default();
        Self { roots: roots.clone(), nodes, mounts: Vec::new(), swaps: Vec::new(), census }
    }

    /// The node of a number.
    pub fn node(&self, number: DeviceNumber) -> Option<&Node> {
        self.nodes.get(&number)
    }

    /// The disk of a partition, anything else itself.
    pub fn disk_of<'a>(&'a self, node: &'a Node) -> &'a Node {
        node.disk.and_then(|disk| self.node(disk)).unwrap_or(node)
    }

    /// The usual path of a device's node.
    pub fn path(&self, node: &Node) -> PathBuf {
        self.roots.dev.join(node.name.replace('!', "/"))
    }

    /// What people call a device: its path, and the name of a logical volume or array behind it.
    pub fn label(&self, node: &Node) -> String {
        let path = self.path(node).display().to_string();
        match sysfs::attribute(&node.dir, "dm/name") {
            Some(name) => format!("{path} ({name})"),
            None => path,
        }
    }

    /// The device that a path such as `/dev/mapper/vg-root` stands for.
    pub fn device_at(&self, path: &Path) -> Option<DeviceNumber> {
        let under_dev = path.strip_prefix("/dev").map(|rest| self.roots.dev.join(rest));
        let path = under_dev.unwrap_or_else(|_| path.to_owned());
        if let Ok(meta) = fs::metadata(&path)
            && meta.file_type().is_block_device()
        {
            return Some(DeviceNumber::of_node(&meta));
        }
        // Without a node, as in a container, the name alone says which one the kernel means.
        let real = fs::canonicalize(&path).unwrap_or(path);
        let name = real.strip_prefix(&self.roots.dev).ok()?.to_str()?.replace('/', "!");
        self.nodes.values().find(|node| node.name == name).map(|node| node.number)
    }

    /// Every device whose writing can change the bytes of this one, or be changed by writing it: the
    /// device, the disk of a partition and partitions that overlap it, all partitions of a disk, and
    /// the same disk under another name.
    pub fn sharing_bytes(&self, number: DeviceNumber) -> BTreeSet<DeviceNumber> {
        let mut shared = BTreeSet::from([number]);
        let Some(node) = self.node(number) else { return shared };
        let disk = self.disk_of(node);
        let overlaps = |other: &Node| match (node.span_bytes, other.span_bytes) {
            (Some((a, a_len)), Some((b, b_len))) => {
                a < b.saturating_add(b_len) && b < a.saturating_add(a_len)
            }
            _ => true,
        };
        let twins = |other: &&Node| {
            other.disk.is_none()
                && (other.number == disk.number || (disk.wwn.is_some() && other.wwn == disk.wwn))
        };
        for disk in self.nodes.values().filter(twins) {
            shared.insert(disk.number);
            for partition in &disk.partitions {
                if self.node(*partition).is_none_or(overlaps) {
                    shared.insert(*partition);
                }
            }
        }
        shared
    }

    /// Every device below: what it, or the disk of a partition, is built of, down to the last, and what
    /// loop devices among them stand on. The disks of partitions are not below them but beside.
    pub fn below(&self, number: DeviceNumber) -> Vec<DeviceNumber> {
        let mut found = Vec::new();
        let mut waiting = vec![number];
        while let Some(next) = waiting.pop() {
            let Some(node) = self.node(next).map(|node| self.disk_of(node)) else { continue };
            let backing = node.backing.as_ref().and_then(|backing| backing.block);
            for lower in node.slaves.iter().copied().chain(backing) {
                if lower != number && !found.contains(&lower) {
                    found.push(lower);
                    waiting.push(lower);
                }
            }
        }
        found
    }

    /// Devices built directly on this one; loop devices are not listed by the kernel among holders.
    pub fn built_on(&self, number: DeviceNumber) -> Vec<&Node> {
        let holders = self.node(number).map(|node| node.holders.clone()).unwrap_or_default();
        let stands_on_it =
            |node: &&Node| node.backing.as_ref().is_some_and(|backing| backing.block == Some(number));
        let loops = self.nodes.values().filter(stands_on_it);
        holders.into_iter().filter_map(|holder| self.node(holder)).chain(loops).collect()
    }
}

fn read_node(roots: &Roots, class: &Path, name: &str) -> Option<Node> {
    let dir = fs::canonicalize(class.join(name)).ok()?;
    // Paths of a multipath NVMe device have numbers but no nodes; what they reach has its own entry.
    if sysfs::attribute(&dir, "hidden").as_deref() == Some("1") {
        return None;
    }
    let number = DeviceNumber::parse(&sysfs::attribute(&dir, "dev")?)?;
    let linked = |folder: &str| {
        let dir = dir.join(folder);
        let numbers = sysfs::entries(&dir).into_iter();
        numbers.filter_map(|name| DeviceNumber::parse(&sysfs::attribute(&dir.join(name), "dev")?)).collect()
    };
    let is_partition = dir.join("partition").exists();
    let sectors =
        |attribute: &str| sysfs::number::<u64>(&dir, attribute).map(|count| count.saturating_mul(512));
    let disk_dir = if is_partition { dir.parent()? } else { dir.as_path() };
    Some(Node {
        number,
        disk: is_partition.then(|| DeviceNumber::parse(&sysfs::attribute(disk_dir, "dev")?)).flatten(),
        span_bytes: if is_partition { sectors("start").zip(sectors("size")) } else { None },
        partitions: Vec::new(),
        slaves: linked("slaves"),
        holders: linked("holders"),
        backing: backing(roots, &dir, name),
        wwn: wwn(disk_dir),
        name: name.to_owned(),
        dir,
    })
}

/// World-wide name, which is the same on every path to a disk. Forms that a driver makes up of
/// vendor and model alone name no single disk and are left out.
fn wwn(disk_dir: &Path) -> Option<String> {
    let text = sysfs::attribute(disk_dir, "wwid").or_else(|| sysfs::attribute(disk_dir, "device/wwid"))?;
    let (kind, rest) = text.split_once('.')?;
    let is_global = matches!(kind, "eui" | "naa" | "nguid" | "uuid" | "nvme");
    (is_global && rest.bytes().any(|byte| byte != b'0')).then_some(text)
}

fn backing(roots: &Roots, dir: &Path, name: &str) -> Option<Backing> {
    let path = sysfs::attribute(dir, "loop/backing_file")?;
    let mut backing = Backing { path, ..Backing::default() };
    if let Ok(meta) = fs::metadata(&backing.path) {
        backing.files.push(FileId::of(&meta));
        if meta.file_type().is_block_device() {
            backing.block = Some(DeviceNumber::of_node(&meta));
        }
    }
    let status = File::open(roots.dev.join(name)).and_then(|device| ioctl::loop_status(&device));
    if let Ok(status) = status {
        backing.files.push(FileId { device: status.device, inode: status.inode });
        backing.block = status.block.or(backing.block);
    }
    Some(backing)
}
