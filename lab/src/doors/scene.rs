//! One pair set up: a folder of its own with the victim, what stands around it, and what holds it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use super::super::draw::Draw;
use super::super::loop_device::LoopDevice;
use super::door::{Door, Places, escaped};
use super::masters::Masters;
use super::snapshot::{self, FolderSnapshot};
use super::sparse::{self, Content};
use super::victim_states::State;
use super::victims::{Class, Kind};

const BLANK_BYTES: u64 = 64 << 20;

/// A LUKS header, as a volume's first 4 KiB.
const HEADER: &[u8] = b"LUKS\xba\xbe\x00\x02somebody's volume, made a moment ago";

/// What a pair stands on; its loop devices go with it.
pub struct Scene {
    pub folder: PathBuf,
    pub places: Places,
    /// The victim's plain path: a device, a file or a folder.
    pub plain: PathBuf,
    /// Names under which the victim alone stands, in the folders that are looked at.
    pub own_names: Vec<PathBuf>,
    device: Option<(LoopDevice, PathBuf)>,
    blank: Option<(LoopDevice, PathBuf)>,
}

/// What was there at one moment.
pub struct Moment {
    pub names: FolderSnapshot,
    pub device: Option<Content>,
    pub blank: Option<Content>,
}

impl Scene {
    /// Sets up a victim of `kind` for `door` in `folder`, which is made.
    ///
    /// # Errors
    /// What could not be had.
    pub fn make(
        folder: PathBuf,
        door: &Door,
        kind: &Kind,
        masters: &Masters,
        draw: &mut Draw,
    ) -> Result<Self, String> {
        let failed = |error: io::Error| format!("{}: {error}", folder.display());
        for name in ["here/tmp", "v/sub", "below"] {
            fs::create_dir_all(folder.join(name)).map_err(failed)?;
        }
        fs::write(folder.join("v/neighbour.bin"), draw.noise(5000)).map_err(failed)?;
        fs::write(folder.join("v/sub/inner.bin"), draw.noise(5000)).map_err(failed)?;
        fs::write(folder.join("here/notes.txt"), "notes\n").map_err(failed)?;
        for input in fs::read_dir(masters.inputs()).map_err(failed)?.flatten() {
            fs::copy(input.path(), folder.join("here").join(input.file_name())).map_err(failed)?;
        }
        let store = folder.join("store.sqlite");
        fs::copy(masters.store(), &store).map_err(failed)?;
        let mut scene = Self {
            places: Places::default(),
            plain: PathBuf::new(),
            own_names: Vec::new(),
            device: None,
            blank: None,
            folder: folder.clone(),
        };
        if door.uses("{B}") {
            let below = folder.join("below/blank.img");
            File::create_new(&below).and_then(|file| file.set_len(BLANK_BYTES)).map_err(failed)?;
            let device = LoopDevice::cached(&below)?;
            scene.places.blank = device.path().into();
            scene.blank = Some((device, below));
        }
        scene.place(door, kind, masters, draw)?;
        scene.write_files(door).map_err(failed)?;
        Ok(scene)
    }

    fn place(&mut self, door: &Door, kind: &Kind, masters: &Masters, draw: &mut Draw) -> Result<(), String> {
        let failed = |error: io::Error| format!("the victim: {error}");
        let (v, here) = (self.folder.join("v"), self.folder.join("here"));
        match kind.class {
            Class::Device => {
                let below = self.folder.join("below/victim.img");
                masters.copy(kind, &below, draw).map_err(failed)?;
                let device = LoopDevice::cached(&below)?;
                self.plain = device.path().into();
                symlink(&self.plain, v.join("dev0")).map_err(failed)?;
                self.places.name = "dev0".into();
                self.device = Some((device, below));
                if let Some(name) = door.at {
                    symlink(&self.plain, here.join(name)).map_err(failed)?;
                }
            }
            Class::File => {
                let name = file_name(draw);
                self.plain = v.join(&name);
                self.places.name = name;
                masters.copy(kind, &self.plain, draw).map_err(failed)?;
                self.own_names.push(self.plain.clone());
                if let Some(name) = door.at {
                    let at = here.join(name);
                    self.own_names.push(at.clone());
                    match draw.below(3) {
                        0 => symlink(&self.plain, &at),
                        1 => fs::hard_link(&self.plain, &at),
                        _ => fs::copy(&self.plain, &at).map(drop),
                    }
                    .map_err(failed)?;
                }
            }
            Class::Folder => {
                self.plain = v.clone();
                self.places.name = "neighbour.bin".into();
            }
        }
        self.places.folder = v.into();
        self.places.plain = self.plain.clone().into();
        self.places.escaped = escaped(self.plain.as_os_str());
        self.places.victim =
            if door.uses("{V}") { self.alias(kind, draw).map_err(failed)? } else { OsString::new() };
        Ok(())
    }

    /// Another way to write the victim's path.
    fn alias(&mut self, kind: &Kind, draw: &mut Draw) -> io::Result<OsString> {
        let here = self.folder.join("here");
        let relative = |prefix: &str, name: &OsStr| {
            let mut path = OsString::from(prefix);
            path.push(name);
            path
        };
        Ok(match (draw.below(8), kind.class) {
            (0, _) => relative("//", OsStr::from_bytes(&self.plain.as_os_str().as_bytes()[1..])),
            (1, Class::Folder) => "../v/".into(),
            (1, _) => relative("../v/", &self.places.name),
            (2, Class::Folder) => "../v/../v".into(),
            (2, _) => relative("./../v/sub/../", &self.places.name),
            (3, _) => {
                symlink(&self.plain, here.join("link"))?;
                "link".into()
            }
            (4, _) => {
                symlink(&self.plain, here.join("second"))?;
                symlink("second", here.join("first"))?;
                here.join("first").into()
            }
            (5, Class::File) => {
                fs::hard_link(&self.plain, here.join("hard.bin"))?;
                self.own_names.push(here.join("hard.bin"));
                "hard.bin".into()
            }
            (5, Class::Device) => {
                make_node(&here.join("node"), fs::metadata(&self.plain)?.rdev())?;
                "node".into()
            }
            _ => self.plain.clone().into(),
        })
    }

    fn write_files(&self, door: &Door) -> io::Result<()> {
        let here = self.folder.join("here");
        for (name, text) in &door.files {
            fs::write(here.join(name), self.places.fill(text).as_bytes())?;
        }
        let mut header = HEADER.to_vec();
        header.resize(4096, 0);
        fs::write(here.join("header"), header)
    }

    /// The words that permit the victim's loss, as fathom itself states them in `said`, and words that are
    /// almost those. Where it states none, they are put together as its documents say.
    pub fn learn_words(&mut self, said: &str, draw: &mut Draw) {
        let stated = said.lines().find_map(|line| line.split_once("type exactly: --destroy "));
        let stated = stated.map(|(_, words)| words.trim().trim_matches('\'').to_owned());
        let words: OsString = match (stated, &self.device) {
            (Some(words), _) if !words.is_empty() => words.into(),
            (_, Some((device, below))) => {
                let bytes = fs::metadata(below).map_or(0, |known| known.len());
                format!("{}-{bytes}", device.path().trim_start_matches("/dev/")).into()
            }
            _ => self.places.name.clone(),
        };
        let bytes = words.as_bytes();
        let shorter = OsString::from_vec(bytes[..bytes.len().saturating_sub(1)].to_vec());
        let mut longer = words.clone();
        longer.push("x");
        let other: OsString =
            if self.device.is_some() { "loop99-1048576".into() } else { "neighbour.bin".into() };
        let upper = OsString::from_vec(bytes.to_ascii_uppercase());
        let upper = if upper == words { "WRONG".into() } else { upper };
        self.places.wrong = match draw.below(5) {
            0 if !shorter.is_empty() => shorter,
            1 => upper,
            2 => other,
            3 => "*".into(),
            _ => longer,
        };
        self.places.words = words;
    }

    /// The state of all that is looked at.
    ///
    /// # Errors
    /// Of the system.
    pub fn moment(&self) -> io::Result<Moment> {
        let mut names = snapshot::look(&self.folder.join("v"))?;
        names.extend(snapshot::look(&self.folder.join("here"))?);
        names.retain(|path, _| path.file_name() != Some(OsStr::new("tmp")));
        let read = |held: &Option<(LoopDevice, PathBuf)>| match held {
            Some((device, below)) => behind(device, below).map(Some),
            None => Ok(None),
        };
        Ok(Moment { names, device: read(&self.device)?, blank: read(&self.blank)? })
    }

    /// Whether all loop devices still lead to files of this scene.
    pub fn is_ours(&self) -> bool {
        [&self.device, &self.blank].into_iter().flatten().all(|(device, _)| device.is_ours())
    }

    /// The devices' names that no longer lead to them; they do again afterwards, so that the machine keeps its
    /// names whatever was tried.
    ///
    /// # Errors
    /// Of the system.
    pub fn lost_names(&self) -> io::Result<Vec<String>> {
        let mut lost = Vec::new();
        for (device, _) in [&self.device, &self.blank].into_iter().flatten() {
            if restore_name(device)? {
                lost.push(device.path().to_owned());
            }
        }
        Ok(lost)
    }

    /// Somebody writes a header to the blank device.
    ///
    /// # Errors
    /// Of the system.
    pub fn put_header(&self) -> io::Result<()> {
        let Some((device, _)) = &self.blank else { return Ok(()) };
        let header = fs::read(self.folder.join("here/header"))?;
        let file = File::options().write(true).open(device.path())?;
        file.write_all_at(&header, 0)?;
        file.sync_all()
    }

    /// Whether the blank device begins with that header.
    ///
    /// # Errors
    /// Of the system.
    pub fn header_is_kept(&self) -> io::Result<bool> {
        let Some((device, below)) = &self.blank else { return Ok(true) };
        behind(device, below)?;
        let mut first = vec![0; 4096];
        File::open(below)?.read_exact_at(&mut first, 0)?;
        Ok(first == fs::read(self.folder.join("here/header"))?)
    }

    /// Another disk of the same size comes behind the blank device's name, or the victim's where there is none.
    ///
    /// # Errors
    /// What could not be had.
    pub fn swap_disk(&mut self, draw: &mut Draw) -> Result<(), String> {
        let Some((device, below)) = self.blank.as_mut().or(self.device.as_mut()) else { return Ok(()) };
        let other = self.folder.join("below/other.img");
        let made = fs::metadata(&*below).and_then(|known| {
            let file = File::create_new(&other)?;
            file.set_len(known.len())?;
            file.write_all_at(&draw.noise(known.len().min(1 << 20) as usize), 0)?;
            file.write_all_at(&draw.noise(4096), known.len() / 8192 * 4096)
        });
        made.map_err(|error| format!("the other disk: {error}"))?;
        device.swap(&other)?;
        *below = other;
        Ok(())
    }
}

/// Makes a loop device's name again where it is gone or leads elsewhere, and says whether it was.
fn restore_name(device: &LoopDevice) -> io::Result<bool> {
    let path = Path::new(device.path());
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let number = fs::read_to_string(format!("/sys/block/{name}/dev"))?;
    let parts = number.trim().split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let Some((major, minor)) = parts else { return Ok(false) };
    let number = rustix::fs::makedev(major, minor);
    let stands = fs::symlink_metadata(path)
        .is_ok_and(|known| known.file_type().is_block_device() && known.rdev() == number);
    if stands {
        return Ok(false);
    }
    if fs::symlink_metadata(path).is_ok() {
        fs::remove_file(path)?;
    }
    make_node(path, number)?;
    Ok(true)
}

fn make_node(path: &Path, number: u64) -> io::Result<()> {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::BlockDevice, mode, number)?;
    Ok(())
}

/// What lies below a loop device, with all that the kernel still holds back written out.
fn behind(device: &LoopDevice, below: &Path) -> io::Result<Content> {
    // A device whose name is gone has nothing left to write out by that name.
    if let Ok(file) = File::open(device.path()) {
        file.sync_all()?;
    }
    sparse::content(&File::open(below)?)
}

/// Names as people and programs choose them, and those that break programs.
fn file_name(draw: &mut Draw) -> OsString {
    let names: [&[u8]; 10] = [
        b"data.bin",
        b"data.bin",
        b"data.bin",
        b"with space.bin",
        b"-dash.bin",
        b"a:b.bin",
        b"\xff\xfe.bin",
        b"esc\x1b[31m.bin",
        b"k\xc3\xa4se.bin",
        b"quote'.bin",
    ];
    OsString::from_vec(names[draw.below(names.len())].to_vec())
}

/// How a victim is described, so that it can be made again by hand.
pub fn description(kind: &Kind, state: State, scene: &Scene) -> String {
    format!(
        "{} ({}), {}",
        kind.name,
        super::door::quoted(std::slice::from_ref(&scene.places.plain)),
        state.name()
    )
}
