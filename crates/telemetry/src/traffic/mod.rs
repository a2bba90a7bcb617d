//! What went through some block devices between two moments, and which other program was busiest with
//! storage meanwhile: the devices' own counters and `/proc/PID/io`, read twice.

mod process_io;

use std::collections::HashMap;

pub use process_io::Program;

use crate::counter_growth::growth;
use crate::disk::{self, Counters, SECTOR_BYTES};
use crate::{Root, TelemetryError, TelemetryErrorKind};
use process_io::Programs;

/// Readings at the first moment.
#[derive(Debug)]
pub struct Traffic {
    root: Root,
    before: HashMap<String, Counters>,
    programs: Programs,
}

/// What grew until the second moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceTraffic {
    /// Bytes read from the devices, all of them together.
    pub read_bytes: u64,
    /// Bytes written to them.
    pub write_bytes: u64,
    /// The other program that read and wrote most on any storage; absent where none did, or none may be looked at.
    pub busiest: Option<Program>,
}

impl Traffic {
    /// Reads the counters of the devices of these kernel names.
    ///
    /// # Errors
    /// Which of them the kernel does not count, as a sentence.
    pub fn start(root: &Root, devices: &[&str]) -> Result<Self, TelemetryError> {
        let before = disk::read(root, devices);
        let uncounted = devices.iter().find(|device| {
            !before.contains_key(**device)
                || root.text(format!("/sys/class/block/{device}/queue/iostats")).as_deref() == Some("0")
        });
        match uncounted {
            Some(device) => {
                let cause = format!("The kernel does not count the I/O of {device}.");
                Err(TelemetryError::new(TelemetryErrorKind::Absent, *device, cause))
            }
            None => Ok(Self { root: root.clone(), before, programs: Programs::read(root) }),
        }
    }

    /// Reads them again; `None` where a device vanished or counts anew.
    pub fn finish(self) -> Option<DeviceTraffic> {
        let names: Vec<&str> = self.before.keys().map(String::as_str).collect();
        let after = disk::read(&self.root, &names);
        let mut moved =
            DeviceTraffic { busiest: self.programs.busiest(&self.root, &names), ..DeviceTraffic::default() };
        for (device, before) in &self.before {
            let now = after.get(device)?;
            let bytes = |before: u64, now: u64| Some(growth(before, now)? * SECTOR_BYTES);
            moved.read_bytes += bytes(before.read.sectors, now.read.sectors)?;
            moved.write_bytes += bytes(before.write.sectors, now.write.sectors)?;
        }
        Some(moved)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn counted(root: &Path, read: u64, written: u64, io: &[(u32, u64)]) {
        let line = format!("254 0 vda 1 0 {read} 4 5 0 {written} 8 9 10 11\n");
        write(root, "proc/diskstats", &line);
        for (process, bytes) in io {
            write(
                root,
                &format!("proc/{process}/io"),
                &format!("rchar: 9\nread_bytes: {bytes}\nwrite_bytes: 1\n"),
            );
            write(root, &format!("proc/{process}/comm"), &format!("program-{process}\n"));
            let is_kernels = *process == 70;
            write(root, &format!("proc/{process}/cmdline"), if is_kernels { "" } else { "program" });
        }
    }

    #[test]
    fn growth_is_in_bytes_and_names_the_busiest_other_program() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path());
        let own = std::process::id();
        counted(folder.path(), 100, 50, &[(own, 5), (70, 0), (71, 1_000_000), (72, 10)]);
        let traffic = Traffic::start(&root, &["vda"]).unwrap();
        counted(
            folder.path(),
            300,
            60,
            &[(own, 900_000), (70, 800_000), (71, 1_000_100), (72, 70_000), (73, 60_000)],
        );
        let moved = traffic.finish().unwrap();
        assert_eq!((moved.read_bytes, moved.write_bytes), (200 * 512, 10 * 512));
        let busiest = moved.busiest.unwrap();
        assert_eq!((busiest.process, busiest.name.as_str(), busiest.bytes), (72, "program-72", 69_990));
    }

    #[test]
    fn a_program_that_has_the_device_open_comes_before_busier_ones() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path());
        let busiest = |opener: u32| {
            let _ = fs::remove_dir_all(folder.path().join("proc"));
            counted(folder.path(), 0, 0, &[(71, 0), (72, 0), (73, 0)]);
            let fds = folder.path().join(format!("proc/{opener}/fd"));
            fs::create_dir_all(&fds).unwrap();
            std::os::unix::fs::symlink("/dev/vda", fds.join("7")).unwrap();
            let traffic = Traffic::start(&root, &["vda"]).unwrap();
            counted(folder.path(), 9, 9, &[(71, 1_000_000), (72, 200_000), (73, 50_000)]);
            traffic.finish().unwrap().busiest.unwrap().process
        };
        assert_eq!((busiest(72), busiest(73)), (72, 71), "73 moved too little");
    }

    #[test]
    fn what_is_not_counted_is_said_and_what_vanishes_is_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path());
        counted(folder.path(), 1, 1, &[]);
        assert!(Traffic::start(&root, &["vdb"]).unwrap_err().cause.contains("vdb"));
        write(folder.path(), "sys/class/block/vda/queue/iostats", "0\n");
        assert!(Traffic::start(&root, &["vda"]).is_err());
        write(folder.path(), "sys/class/block/vda/queue/iostats", "1\n");
        let traffic = Traffic::start(&root, &["vda"]).unwrap();
        write(folder.path(), "proc/diskstats", "");
        assert_eq!(traffic.finish(), None);
    }
}
