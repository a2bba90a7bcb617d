//! A control group that limits I/O or processor time, in both versions of control groups.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the hierarchies are mounted.
const MOUNT: &str = "/sys/fs/cgroup";
/// Period of processor quotas.
const PERIOD_US: u64 = 100_000;

/// What a group limits.
#[derive(Clone, Copy, Debug)]
pub enum Limit<'a> {
    /// Reads a second of a device, `MAJOR:MINOR`.
    ReadIops(&'a str, u64),
    /// Bytes read a second of a device.
    ReadBytes(&'a str, u64),
    /// Bytes written a second of a device.
    WriteBytes(&'a str, u64),
    /// Processors' worth of time.
    Cores(f64),
}

/// A group of our own.
pub struct Group {
    folder: PathBuf,
}

impl Group {
    /// A group with one limit.
    ///
    /// # Errors
    /// Where no hierarchy has the controller, or the right to make groups is missing.
    pub fn new(limit: Limit<'_>) -> Result<Self, String> {
        let controller = match limit {
            Limit::Cores(_) => ["cpu", "cpu"],
            _ => ["blkio", "io"],
        };
        let old = Path::new(MOUNT).join(controller[0]);
        let (parent, is_old) =
            if old.join("cgroup.procs").is_file() { (old, true) } else { (unified(controller[1])?, false) };
        let name = format!("fathom-lab-{}", std::process::id());
        let folder = (0..)
            .map(|number| parent.join(format!("{name}-{number}")))
            .find(|folder| !folder.exists())
            .ok_or("no free name")?;
        fs::create_dir(&folder)
            .map_err(|error| format!("no control group: {}: {error}", folder.display()))?;
        let group = Self { folder };
        for (file, text) in if is_old { version_1(limit) } else { version_2(limit) } {
            let place = group.folder.join(file);
            fs::write(&place, text).map_err(|error| format!("{}: {error}", place.display()))?;
        }
        Ok(group)
    }

    /// What a process writes its id to, to join.
    pub fn members(&self) -> PathBuf {
        self.folder.join("cgroup.procs")
    }
}

/// The unified hierarchy, with the controller handed down to its groups.
fn unified(controller: &str) -> Result<PathBuf, String> {
    let root = [MOUNT.to_owned(), format!("{MOUNT}/unified")]
        .map(PathBuf::from)
        .into_iter()
        .find(|root| root.join("cgroup.controllers").is_file())
        .ok_or_else(|| format!("no control groups at {MOUNT}"))?;
    let has = fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
    if !has.split_whitespace().any(|word| word == controller) {
        return Err(format!("no `{controller}` controller of control groups"));
    }
    let control = root.join("cgroup.subtree_control");
    fs::write(&control, format!("+{controller}"))
        .map_err(|error| format!("{}: {error}", control.display()))?;
    Ok(root)
}

fn version_1(limit: Limit<'_>) -> Vec<(&'static str, String)> {
    match limit {
        Limit::ReadIops(device, rate) => {
            vec![("blkio.throttle.read_iops_device", format!("{device} {rate}"))]
        }
        Limit::ReadBytes(device, rate) => {
            vec![("blkio.throttle.read_bps_device", format!("{device} {rate}"))]
        }
        Limit::WriteBytes(device, rate) => {
            vec![("blkio.throttle.write_bps_device", format!("{device} {rate}"))]
        }
        Limit::Cores(cores) => vec![
            ("cpu.cfs_period_us", PERIOD_US.to_string()),
            ("cpu.cfs_quota_us", ((cores * PERIOD_US as f64) as u64).to_string()),
        ],
    }
}

fn version_2(limit: Limit<'_>) -> Vec<(&'static str, String)> {
    match limit {
        Limit::ReadIops(device, rate) => vec![("io.max", format!("{device} riops={rate}"))],
        Limit::ReadBytes(device, rate) => vec![("io.max", format!("{device} rbps={rate}"))],
        Limit::WriteBytes(device, rate) => vec![("io.max", format!("{device} wbps={rate}"))],
        Limit::Cores(cores) => {
            vec![("cpu.max", format!("{} {PERIOD_US}", (cores * PERIOD_US as f64) as u64))]
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its members may still be on their way out.
        for _ in 0..50 {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        eprintln!("left behind: {}; type `rmdir {}`", self.folder.display(), self.folder.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_as_each_version_reads_them() {
        assert_eq!(
            version_1(Limit::ReadIops("7:1", 300)),
            [("blkio.throttle.read_iops_device", "7:1 300".to_owned())]
        );
        assert_eq!(version_2(Limit::WriteBytes("7:1", 300)), [("io.max", "7:1 wbps=300".to_owned())]);
        assert_eq!(version_1(Limit::Cores(0.4))[1], ("cpu.cfs_quota_us", "40000".to_owned()));
        assert_eq!(version_2(Limit::Cores(1.5)), [("cpu.max", "150000 100000".to_owned())]);
    }
}
