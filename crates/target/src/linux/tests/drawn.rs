//! Draws `/sys`, `/proc` and `/dev` of a machine into a folder.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use crate::linux::device_number::DeviceNumber;
use crate::linux::machine::{Machine, Roots};

/// The folder and what was drawn in it.
pub struct Drawn {
    dir: TempDir,
    mounts: String,
}

impl Drawn {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["sys/class/block", "sys/devices", "sys/fs", "proc/self/ns", "dev/mapper"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        symlink("mnt:[1]", dir.path().join("proc/self/ns/mnt")).unwrap();
        // The first PID namespace, with its first process: all others are seen.
        symlink("pid:[4026531836]", dir.path().join("proc/self/ns/pid")).unwrap();
        fs::create_dir_all(dir.path().join("proc/1")).unwrap();
        Self { dir, mounts: String::new() }
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn link(&self, path: &str, to: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to, path).unwrap();
    }

    /// Takes a file, link or empty folder away.
    pub fn without(self, path: &str) -> Self {
        let path = self.dir.path().join(path);
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        self
    }

    /// A link, and the drawing.
    pub fn and_link(self, path: &str, to: &str) -> Self {
        self.link(path, to);
        self
    }

    /// A disk, or anything else that is no partition, of 1 GiB.
    pub fn disk(self, name: &str, number: &str) -> Self {
        self.device(name, name, number);
        self
    }

    /// A partition of a disk, with start and length in sectors.
    pub fn partition(self, disk: &str, name: &str, number: &str, start: u64, length: u64) -> Self {
        let dir = format!("{disk}/{name}");
        self.device(name, &dir, number);
        let nth: String = name.chars().rev().take_while(char::is_ascii_digit).collect();
        self.write(&format!("sys/devices/{dir}/partition"), &nth);
        self.write(&format!("sys/devices/{dir}/start"), &start.to_string());
        self.write(&format!("sys/devices/{dir}/size"), &length.to_string());
        self
    }

    fn device(&self, name: &str, dir: &str, number: &str) {
        self.write(&format!("sys/devices/{dir}/dev"), number);
        self.write(&format!("sys/devices/{dir}/size"), "2097152");
        self.write(&format!("sys/devices/{dir}/ro"), "0");
        self.write(&format!("dev/{name}"), "");
        self.link(&format!("sys/class/block/{name}"), &format!("../../devices/{dir}"));
    }

    /// One device built on others.
    pub fn built(self, upper: &str, on: &[&str]) -> Self {
        for lower in on {
            let dir = fs::canonicalize(self.dir.path().join("sys/class/block").join(lower)).unwrap();
            let upper_dir = fs::canonicalize(self.dir.path().join("sys/class/block").join(upper)).unwrap();
            for (from, folder, to, name) in
                [(&dir, "holders", &upper_dir, upper), (&upper_dir, "slaves", &dir, lower)]
            {
                fs::create_dir_all(from.join(folder)).unwrap();
                symlink(to, from.join(folder).join(name)).unwrap();
            }
        }
        self
    }

    pub fn attribute(self, device: &str, name: &str, text: &str) -> Self {
        let dir = fs::canonicalize(self.dir.path().join("sys/class/block").join(device)).unwrap();
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// A line of this process's `mountinfo`.
    pub fn mount(mut self, number: &str, point: &str, kind: &str, source: &str, options: &str) -> Self {
        self.mounts += &format!("30 1 {number} / {point} rw - {kind} {source} {options}\n");
        self.write("proc/self/mountinfo", &self.mounts);
        self
    }

    /// A line of the `mountinfo` of a process in another namespace.
    pub fn mount_elsewhere(self, number: &str, point: &str) -> Self {
        self.write("proc/77/mountinfo", &format!("9 1 {number} / {point} rw - ext4 source rw\n"));
        self.link("proc/77/ns/mnt", "mnt:[2]");
        self
    }

    pub fn swap(self, path: &str) -> Self {
        self.write("proc/swaps", &format!("Filename Type Size Used Priority\n{path} partition 1 0 -2\n"));
        self
    }

    pub fn look(self) -> DrawnMachine {
        let at = |folder: &str| fs::canonicalize(self.dir.path()).unwrap().join(folder);
        let machine = Machine::look(&Roots { sys: at("sys"), proc: at("proc"), dev: at("dev") });
        DrawnMachine { machine, _drawn: self }
    }
}

/// The picture, with the drawing behind it: some attributes are read only when they are needed.
pub struct DrawnMachine {
    machine: Machine,
    _drawn: Drawn,
}

impl Deref for DrawnMachine {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl DerefMut for DrawnMachine {
    fn deref_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

pub fn number(machine: &Machine, name: &str) -> DeviceNumber {
    machine.nodes.values().find(|node| node.name == name).unwrap().number
}
