//! What is killed: a command, the folder that it runs in, and what it needs there.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;

use crate::draw::Draw;
use crate::loop_device::LoopDevice;

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandPlace {
    /// A scratch file in its folder.
    Folder,
    /// A blank loop device, written without being named for destruction.
    Device,
    /// Files of results that are read.
    Results,
    /// A fleet's rows.
    Fleet,
}

/// A kind of command, with words between which `TARGET` stands for what it works on.
pub struct Kind {
    pub name: &'static str,
    on: CommandPlace,
    words: &'static str,
    /// Kills fall into this time.
    pub length_s: f64,
}

const SWEEP: &str =
    "sweep -q --target TARGET --rw randwrite --time 200ms --warmup 0s --over depth=1,2,4 --passes 2";
const COMPARE: &str = "compare -q TARGET --a depth=1 --b depth=2 --patterns randwrite-4k --budget 7s";

/// All kinds.
pub const KINDS: [Kind; 8] = [
    Kind {
        name: "assess folder",
        on: CommandPlace::Folder,
        words: "assess -q TARGET --budget 2s --size 16MiB --patterns randread-4k,randwrite-4k",
        length_s: 2.0,
    },
    Kind {
        name: "assess device",
        on: CommandPlace::Device,
        words: "assess -q TARGET --budget 2s --patterns randwrite-4k",
        length_s: 2.0,
    },
    Kind { name: "sweep folder", on: CommandPlace::Folder, words: SWEEP, length_s: 2.0 },
    Kind { name: "sweep device", on: CommandPlace::Device, words: SWEEP, length_s: 2.0 },
    Kind { name: "compare folder", on: CommandPlace::Folder, words: COMPARE, length_s: 5.0 },
    Kind { name: "compare device", on: CommandPlace::Device, words: COMPARE, length_s: 5.0 },
    Kind { name: "import", on: CommandPlace::Results, words: "import TARGET", length_s: 0.2 },
    Kind {
        name: "fleet",
        on: CommandPlace::Fleet,
        words: "size --fleet TARGET --region us-east-1 --values per-row --rows rows.csv --force",
        length_s: 0.4,
    },
];

const DEVICE_BYTES: u64 = 16 << 20;
/// Files of results in a folder.
const RESULTS: usize = 80;
const VOLUMES: usize = 60;
const ROWS: usize = 600;

/// A command in a folder of its own.
pub struct Scene {
    pub words: Vec<String>,
    /// Detached before the folder with the file behind it goes.
    _device: Option<LoopDevice>,
    folder: tempfile::TempDir,
}

impl Scene {
    /// Sets up what a kind of command needs.
    ///
    /// # Errors
    /// Where a loop device or a file cannot be made.
    pub fn make(kind: &Kind, draw: &mut Draw) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the folder of a command cannot be made: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        let here = folder.path().join("here");
        fs::create_dir(&here).map_err(failed)?;
        let mut device = None;
        let mut target = match kind.on {
            CommandPlace::Folder => ".".to_owned(),
            CommandPlace::Results => "results".to_owned(),
            CommandPlace::Fleet => "fleet.csv".to_owned(),
            CommandPlace::Device => {
                let image = folder.path().join("image");
                File::create(&image).and_then(|file| file.set_len(DEVICE_BYTES)).map_err(failed)?;
                device.insert(LoopDevice::cached(&image)?).path().to_owned()
            }
        };
        match kind.on {
            CommandPlace::Results => results(&here, draw).map_err(failed)?,
            CommandPlace::Fleet => fs::write(here.join("fleet.csv"), fleet(draw)).map_err(failed)?,
            // A scratch file is laid out before each command: a small one.
            CommandPlace::Folder if !kind.words.contains("--size") => target += " --size 16MiB",
            CommandPlace::Folder | CommandPlace::Device => {}
        }
        let words = kind.words.replace("TARGET", &target).split_whitespace().map(str::to_owned).collect();
        Ok(Self { words, _device: device, folder })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the command printed last.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn output(&self) -> Result<String, String> {
        let said = fs::read(self.folder().join("said")).map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Ids of runs that it printed, which are then saved.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn reported(&self) -> Result<Vec<String>, String> {
        Ok(ids(&self.output()?))
    }

    /// Names in the folder that nobody asked for, once the command has come to its end.
    ///
    /// # Errors
    /// Where the folder cannot be listed.
    pub fn left_behind(&self) -> Result<Vec<String>, String> {
        let listed = fs::read_dir(self.folder().join("here")).map_err(|error| error.to_string())?;
        let names = listed.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut left: Vec<String> = names.filter(|name| !is_expected(name)).collect();
        let rows = fs::read_to_string(self.folder().join("here/rows.csv"));
        left.extend(rows.ok().filter(|rows| !is_whole(rows)).map(|_| "rows.csv, not whole".to_owned()));
        Ok(left)
    }
}

/// A row for each volume, and the heading.
fn is_whole(rows: &str) -> bool {
    rows.ends_with('\n') && rows.lines().count() == 1 + VOLUMES
}

/// Words that are ids of runs, as `r-20261123-003918619-d526`.
fn ids(said: &str) -> Vec<String> {
    let is_id = |word: &&str| {
        word.strip_prefix("r-").is_some_and(|rest| {
            rest.len() == 23 && rest.split('-').map(str::len).eq([8, 9, 4]) && rest.starts_with("20")
        })
    };
    let words = said.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    words.filter(is_id).map(str::to_owned).collect()
}

/// Results, the store with its log, and drafts of killed processes, which go when they are a minute old.
fn is_expected(name: &str) -> bool {
    let is_draft =
        name.starts_with(".fathom-") && name.ends_with(".part") || name.starts_with(".s.sqlite.new-");
    is_draft
        || ["results", "fleet.csv", "rows.csv", "s.sqlite", "s.sqlite-wal", "s.sqlite-shm", "s.sqlite.raw"]
            .contains(&name)
}

/// Results in fio's form, each of its own.
fn results(here: &Path, draw: &mut Draw) -> std::io::Result<()> {
    let folder = here.join("results");
    fs::create_dir(&folder)?;
    for number in 0..RESULTS {
        let ios = draw.round(1e3, 1e6);
        let text = format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"job{number}","error":0,
            "job options":{{"rw":"randread","bs":"4k","iodepth":"8"}},
            "read":{{"io_bytes":{},"total_ios":{ios},"iops":{}.0,"runtime":10000}}}}]}}"#,
            ios * 4096,
            ios / 10
        );
        fs::write(folder.join(format!("{number}.json")), text)?;
    }
    Ok(())
}

/// Rows of a fleet in the order of time, so that they have to be gathered volume by volume.
fn fleet(draw: &mut Draw) -> String {
    let mut text = "volume,time,reads,writes,read_bytes,write_bytes,size,current\n".to_owned();
    for row in 0..ROWS {
        for volume in 0..VOLUMES {
            let writes = draw.round(3e3, 3e5);
            let time = 1_700_000_000 + row * 300;
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "v{volume},{time},{},{writes},{},{},107374182400,",
                writes / 4,
                writes * 1024,
                writes * 4096
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_leaves_is_told_from_what_it_made() {
        for name in ["s.sqlite-wal", "rows.csv", ".s.sqlite.new-7-0"] {
            assert!(is_expected(name), "{name}");
        }
        for name in ["fathom-scratch-7-0.tmp", "s.sqlite.campaign-a.lock", ".rows.csv.1", "core"] {
            assert!(!is_expected(name), "{name}");
        }
    }

    #[test]
    fn ids_are_found_in_what_is_printed() {
        let said = "saved; again: fathom show r-20261123-003918619-d526 --store x\nr-1, r-x-y-z";
        assert_eq!(ids(said), ["r-20261123-003918619-d526"]);
        assert!(!is_whole("volume\nv1"));
    }

    #[test]
    fn a_fleet_has_a_row_for_each_volume_and_time() {
        let text = fleet(&mut Draw::new(1, 1));
        assert_eq!(text.lines().count(), 1 + ROWS * VOLUMES);
        assert!(text.lines().skip(1).all(|line| line.split(',').count() == 8));
    }
}
