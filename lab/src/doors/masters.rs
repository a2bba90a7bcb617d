//! What is made once for all pairs: an image of each kind of victim, a store with something to show, inputs.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::draw::Draw;
use super::super::teardown::tool;
use super::crafted_images::Image;
use super::sparse;
use super::victims::{Class, KINDS, Kind, LEAST_DEVICE_BYTES, VictimSource};

const MIB: u64 = 1 << 20;
const METRICS: &str =
    "time,reads,writes,read_bytes,write_bytes\n0,10,10,40960,40960\n1,9,11,40960,40960\n2,10,9,4096,4096\n";
const FLEET: &str = "volume,time,reads,writes,read_bytes,write_bytes\nv1,0,10,10,40960,40960\nv1,1,9,9,40960,40960\nv2,0,1,1,4096,4096\nv2,1,2,2,8192,8192\n";
const TRACE: &str = "time,op,offset,bytes\n0.0,write,0,4096\n0.001,write,8192,4096\n0.002,read,0,4096\n";

/// The folder with all of it.
pub struct Masters {
    folder: PathBuf,
    /// Kinds that can be made here.
    pub kinds: Vec<&'static Kind>,
    /// Kinds that cannot, with the reason.
    pub skipped: Vec<(&'static str, String)>,
}

impl Masters {
    /// Makes all that can be made.
    ///
    /// # Errors
    /// Where the folder cannot be written, or fathom fails where it must not.
    pub fn make(folder: PathBuf, fathom: &Path, seed: u64) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder.join("inside")).map_err(failed)?;
        fs::write(folder.join("inside/file"), "inside\n".repeat(5000)).map_err(failed)?;
        fs::write(folder.join("key"), "key").map_err(failed)?;
        let inputs = folder.join("inputs");
        fs::create_dir_all(&inputs).map_err(failed)?;
        for (name, text) in [("d.csv", METRICS), ("f.csv", FLEET), ("t.csv", TRACE)] {
            fs::write(inputs.join(name), text).map_err(failed)?;
        }
        let mut masters = Self { folder, kinds: Vec::new(), skipped: Vec::new() };
        masters.measure(fathom)?;
        for (index, kind) in KINDS.iter().enumerate() {
            match masters.image(kind, &mut Draw::new(seed, index as u64)) {
                Ok(()) => masters.kinds.push(kind),
                Err(reason) => masters.skipped.push((kind.name, reason)),
            }
        }
        Ok(masters)
    }

    /// The image of a kind.
    pub fn path(&self, kind: &Kind) -> PathBuf {
        self.folder.join(format!("{}.img", kind.name))
    }

    /// A store with a run and a campaign in it.
    pub fn store(&self) -> PathBuf {
        self.folder.join("store.sqlite")
    }

    /// Small inputs that commands read.
    pub fn inputs(&self) -> PathBuf {
        self.folder.join("inputs")
    }

    fn measure(&self, fathom: &Path) -> Result<(), String> {
        let store = self.store().display().to_string();
        let sweep = "sweep -q --target sim:nvme --count 10 --over depth=1,2 --passes 1";
        for command in [
            sweep,
            "run -q --target sim:nvme --count 1000",
            "profile inputs/d.csv --values per-row --json=inputs/p.json",
        ] {
            let output = Command::new(fathom)
                .args(["--store", &store])
                .args(command.split(' '))
                .current_dir(&self.folder)
                .stdin(Stdio::null())
                .output()
                .map_err(|error| format!("{}: {error}", fathom.display()))?;
            if output.status.code().is_none_or(|status| status > 1) {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(format!("`fathom {command}` failed: {}", said.trim()));
            }
        }
        Ok(())
    }

    fn image(&self, kind: &Kind, draw: &mut Draw) -> Result<(), String> {
        let path = self.path(kind);
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        match kind.make {
            VictimSource::Bytes(make, _) => write_image(&path, &make(draw)).map_err(failed)?,
            VictimSource::Tool(bytes, command) => self.by_tool(&path, bytes, command)?,
            VictimSource::Beheaded(bytes, command) => {
                self.by_tool(&path, bytes, command)?;
                let file = File::options().write(true).open(&path).map_err(failed)?;
                file.write_all_at(&vec![0; MIB as usize], 0).map_err(failed)?;
            }
            VictimSource::Told(bytes, command, wishes) => {
                sized(&path, bytes).map_err(failed)?;
                let words = self.words(&path, command);
                let mut child = Command::new(&words[0])
                    .args(&words[1..])
                    .stdin(Stdio::piped())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .map_err(|error| format!("`{}` is missing: {error}", words[0]))?;
                if let Some(mut stdin) = child.stdin.take() {
                    stdin.write_all(wishes.as_bytes()).map_err(failed)?;
                }
                if !child.wait().map_err(failed)?.success() {
                    return Err(format!("`{}` failed", words.join(" ")));
                }
            }
        }
        // A device has whole sectors, and a file system in a small image may leave some to be desired.
        let bytes = fs::metadata(&path).map_err(failed)?.len();
        if kind.class == Class::Device {
            let whole = bytes.max(LEAST_DEVICE_BYTES).next_multiple_of(4096);
            File::options().write(true).open(&path).and_then(|file| file.set_len(whole)).map_err(failed)?;
        }
        Ok(())
    }

    fn by_tool(&self, path: &Path, bytes: u64, command: &[&str]) -> Result<(), String> {
        if bytes > 0 {
            sized(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let words = self.words(path, command);
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        tool(&words[0], &arguments).map(drop)
    }

    fn words(&self, path: &Path, command: &[&str]) -> Vec<String> {
        let place = |word: &&str| match *word {
            "{P}" => path.display().to_string(),
            "{D}" => self.folder.join("inside").display().to_string(),
            "{K}" => self.folder.join("key").display().to_string(),
            word => word.to_owned(),
        };
        command.iter().map(place).collect()
    }

    /// A victim of this kind at `path`, drawn anew where the kind is.
    ///
    /// # Errors
    /// Of the system.
    pub fn copy(&self, kind: &Kind, path: &Path, draw: &mut Draw) -> std::io::Result<()> {
        match kind.make {
            VictimSource::Bytes(make, true) => write_image(path, &make(draw)),
            _ => sparse::copy(&self.path(kind), path),
        }
    }
}

fn sized(path: &Path, bytes: u64) -> std::io::Result<()> {
    File::create_new(path)?.set_len(bytes)
}

fn write_image(path: &Path, image: &Image) -> std::io::Result<()> {
    let file = File::create_new(path)?;
    file.set_len(image.bytes)?;
    image.pieces.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at))
}
