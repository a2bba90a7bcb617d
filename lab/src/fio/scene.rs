//! The folder and devices in which both tools find the same before each run.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

use super::super::draw::Draw;
use super::super::loop_device::LoopDevice;
use super::super::teardown::tool;
use super::shared_job::{DATA_BYTES, Job};

/// Bytes of each device.
const DEVICE_BYTES: u64 = 32 << 20;
const DEVICES: usize = 4;
/// Bytes of noise from which all files are filled, again and again.
const NOISE_BYTES: usize = 4 << 20;

/// The lab's own place.
pub struct Scene {
    folder: PathBuf,
    noise: Vec<u8>,
    devices: Vec<LoopDevice>,
    /// Why there are no devices.
    pub without_devices: Option<String>,
}

impl Scene {
    /// In a folder of the lab's own.
    ///
    /// # Errors
    /// Where it cannot be written to.
    pub fn new(folder: &Path) -> Result<Self, String> {
        let mut draw = Draw::new(1, 1);
        let noise = (0..NOISE_BYTES).map(|_| draw.below(256) as u8).collect();
        let mut scene = Self { folder: folder.to_owned(), noise, devices: Vec::new(), without_devices: None };
        for number in 0..DEVICES {
            let image = folder.join(format!("device-{number}"));
            let made = File::create(&image).and_then(|file| file.set_len(DEVICE_BYTES));
            made.map_err(|error| format!("{}: {error}", image.display()))?;
            match LoopDevice::cached(&image) {
                Ok(device) => scene.devices.push(device),
                Err(reason) => scene.without_devices = Some(reason),
            }
        }
        Ok(scene)
    }

    /// The folder in which a tool works.
    pub fn here(&self) -> PathBuf {
        self.folder.join("here")
    }

    /// A folder for what is no part of the scene: the job file, the store, traces.
    pub fn beside(&self) -> &Path {
        &self.folder
    }

    /// Names of the devices.
    pub fn devices(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.path().to_owned()).collect()
    }

    /// The text with the devices' names in place.
    pub fn filled_in(&self, text: &str) -> String {
        let devices = self.devices.iter().enumerate();
        devices.fold(text.to_owned(), |text, (number, device)| {
            text.replace(&format!("{{DEV{number}}}"), device.path())
        })
    }

    /// Makes everything anew for a run of `job`.
    ///
    /// # Errors
    /// Of the system, or where a device went to somebody else.
    pub fn set(&self, job: &Job) -> Result<(), String> {
        let here = self.here();
        for path in [here.clone(), self.folder.join("store")] {
            if path.exists() {
                fs::remove_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            }
            fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        for name in job.values("directory").flat_map(|value| value.split(':')) {
            let folder = Path::new(name);
            if folder.components().all(|part| matches!(part, Component::Normal(_))) {
                fs::create_dir_all(here.join(folder)).map_err(|error| format!("{name}: {error}"))?;
            }
        }
        self.fill(&here.join("data"), DATA_BYTES)?;
        for (name, bytes) in &job.files {
            self.fill(&here.join(name), *bytes)?;
        }
        let needed =
            self.devices.iter().enumerate().filter(|(at, _)| job.text.contains(&format!("{{DEV{at}}}")));
        for (_, device) in needed {
            if !device.is_ours() {
                return Err(format!("{} went to somebody else", device.path()));
            }
            self.fill(Path::new(device.path()), DEVICE_BYTES)?;
            tool("blockdev", &["--flushbufs", device.path()])?;
        }
        let path = self.folder.join("job.fio");
        fs::write(&path, self.filled_in(&job.text)).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Fills a file or device of our own with noise, and waits until it is stored.
    fn fill(&self, path: &Path, bytes: u64) -> Result<(), String> {
        let fill = || -> std::io::Result<()> {
            let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
            let mut left = bytes;
            let mut offset = 0;
            while left > 0 {
                let piece = self.noise.get(..left.min(NOISE_BYTES as u64) as usize).unwrap_or(&self.noise);
                file.write_all_at(piece, offset)?;
                offset += piece.len() as u64;
                left -= piece.len() as u64;
            }
            file.flush()?;
            file.sync_all()
        };
        fill().map_err(|error| format!("{}: {error}", path.display()))
    }
}
