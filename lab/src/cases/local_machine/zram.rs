//! A disk in memory, made for a case and full of data that does not compress.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;

const CONTROL: &str = "/sys/class/zram-control";
const CHUNK: usize = 1 << 20;

/// A zram device of our own.
pub struct Zram {
    number: u32,
}

impl Zram {
    /// A device of so many MiB, written in full.
    ///
    /// # Errors
    /// Where the kernel has none or the right to make one is missing.
    pub fn new(mebibytes: usize) -> Result<Self, String> {
        let made = fs::read_to_string(format!("{CONTROL}/hot_add"));
        let made = made.map_err(|error| format!("no zram device: {CONTROL}/hot_add: {error}"))?;
        let number = made.trim().parse().map_err(|_| format!("no zram device: `{}`", made.trim()))?;
        let device = Self { number };
        let size = format!("/sys/block/zram{number}/disksize");
        fs::write(&size, format!("{mebibytes}M")).map_err(|error| format!("{size}: {error}"))?;
        device.fill(mebibytes).map_err(|error| format!("{}: {error}", device.path().display()))?;
        Ok(device)
    }

    /// Blocks that were never written are answered without work, which is not what is tried.
    fn fill(&self, mebibytes: usize) -> std::io::Result<()> {
        let mut noise = File::open("/dev/urandom")?;
        let mut disk = OpenOptions::new().write(true).open(self.path())?;
        let mut buffer = vec![0; CHUNK];
        for _ in 0..mebibytes {
            noise.read_exact(&mut buffer)?;
            disk.write_all(&buffer)?;
        }
        disk.sync_all()
    }

    /// Lets the kernel count what the device moves, which it leaves out by default.
    ///
    /// # Errors
    /// Where it cannot be told to.
    pub fn count(&self) -> Result<(), String> {
        let place = format!("/sys/block/zram{}/queue/iostats", self.number);
        fs::write(&place, "1").map_err(|error| format!("{place}: {error}"))
    }

    pub fn path(&self) -> PathBuf {
        format!("/dev/zram{}", self.number).into()
    }

    /// `MAJOR:MINOR`, as control groups name it.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn device_number(&self) -> Result<String, String> {
        let place = format!("/sys/block/zram{}/dev", self.number);
        fs::read_to_string(&place).map(|text| text.trim().to_owned()).map_err(|e| format!("{place}: {e}"))
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        // Busy while what used it is still going away.
        for _ in 0..50 {
            if fs::write(format!("{CONTROL}/hot_remove"), self.number.to_string()).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        eprintln!(
            "left behind: /dev/zram{}; type `echo {} > {CONTROL}/hot_remove`",
            self.number, self.number
        );
    }
}
