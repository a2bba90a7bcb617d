//! Which files and devices a job of the installed fio touches, how, and how large fio wants each file to be.
//!
//! fio lays a file out anew that is shorter than what a job asks for, also for a job that only reads: it removes
//! the file and writes another one of its name. So the size is worked out here as fio works it out.

use super::option_passing::{self, Verdict};
use crate::fio::fio_job::{Job, JobOption};
use crate::fio::map;
use crate::fio::option_tables::TouchedTargets;
use crate::fio::value::{self, Size};
use crate::{Refusal, ToolTarget};

/// What a job touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JobTargets {
    /// Its files and devices, those of all clones.
    pub targets: Vec<ToolTarget>,
    /// The lines of the job that say so; the last of an option's lines stand for all.
    pub lines: Vec<(&'static str, String)>,
}

/// More clones or files than this are not worked out.
const MOST: u64 = 1024;

/// Works out what a job touches. `folder` is where relative names begin; `bytes_of` tells the size of what exists.
pub(super) fn touched(
    job: &Job,
    folder: &str,
    bytes_of: &dyn Fn(&str) -> Option<u64>,
) -> Result<JobTargets, Refusal> {
    let direction = direction(job)?;
    match engine(job)? {
        TouchedTargets::Nothing => return of_nothing(job),
        TouchedTargets::Files => {}
    }
    let clones = count(job, "numjobs")?;
    let named = job.last("filename").filter(|given| !given.text().is_empty());
    let number = if named.is_some() { 1 } else { count(job, "nrfiles")? };
    if clones.saturating_mul(number) > MOST * 4 {
        let cause = format!("numjobs and nrfiles together name {} files", clones.saturating_mul(number));
        return Err(Refusal::new(super::WHAT, cause).at(job.name.as_str()).or("name fewer of them"));
    }
    let own = map::files(job, clones as usize, number);
    let mut touched = JobTargets { lines: place_lines(job, folder, named, number)?, ..JobTargets::default() };
    let extent = Extent::of(job)?;
    extent.lines(&mut touched.lines);
    touched.lines.push(("allow_file_create", "0".to_owned()));
    let writes = direction.writes || writes_beside(job);
    let (may_be_made, is_removed) = (job.flag("allow_file_create", true)?, job.flag("unlink", false)?);
    for (clone, files) in (0u64..).zip(&own) {
        for file in files {
            let path = absolute(folder, file);
            let end_bytes = extent.end_bytes(clone, files.len() as u64, bytes_of(&path));
            touched.targets.push(ToolTarget {
                path,
                writes,
                reads: direction.reads,
                end_bytes,
                may_be_made,
                is_removed,
            });
        }
    }
    Ok(touched)
}

struct Direction {
    reads: bool,
    writes: bool,
}

fn direction(job: &Job) -> Result<Direction, Refusal> {
    let Some(given) = job.last("rw") else { return Ok(Direction { reads: true, writes: false }) };
    let (reads, writes) = match given.text().split(':').next().unwrap_or_default() {
        "read" | "randread" => (true, false),
        "rw" | "readwrite" | "randrw" => (true, true),
        "write" | "randwrite" | "trim" | "randtrim" | "trimwrite" | "randtrimwrite" => (false, true),
        other => {
            return Err(given
                .refuse(format!("unknown direction `{other}`"))
                .or("use read, write, trim, rw or trimwrite, or one of them with `rand` in front"));
        }
    };
    Ok(Direction { reads, writes })
}

/// Whether an option beside the direction makes a job write.
fn writes_beside(job: &Job) -> bool {
    job.options.iter().any(|given| match option_passing::verdict(given.row) {
        Verdict::Writes(harmless) => !harmless.contains(&given.text()),
        _ => false,
    })
}

fn engine(job: &Job) -> Result<TouchedTargets, Refusal> {
    let Some(given) = job.last("ioengine") else { return Ok(TouchedTargets::Files) };
    option_passing::engine(given.text()).ok_or_else(|| {
        given
            .refuse(format!(
                "ioengine={} reaches more than the files and devices that a job names",
                given.text()
            ))
            .or("use libaio, io_uring or psync; what fathom itself does with each engine is in docs/interop.md")
    })
}

/// Without a file nothing is named; the size is then that of the I/O.
fn of_nothing(job: &Job) -> Result<JobTargets, Refusal> {
    let mut touched = JobTargets::default();
    Extent::of(job)?.lines(&mut touched.lines);
    if let Some(given) = job.last("nrfiles") {
        touched.lines.push(("nrfiles", given.text().to_owned()));
    }
    Ok(touched)
}

fn count(job: &Job, option: &str) -> Result<u64, Refusal> {
    match job.int(option)?.unwrap_or(1).max(1) {
        number if number > MOST => {
            let given = job.last(option).expect("a number was read from it");
            Err(given.refuse(format!("{number} is above {MOST}")).or(format!("use {option}={MOST} or fewer")))
        }
        number => Ok(number),
    }
}

/// The lines that name the files: all from the root, so that the folder fio runs in does not matter.
fn place_lines(
    job: &Job,
    folder: &str,
    named: Option<&JobOption>,
    number: u64,
) -> Result<Vec<(&'static str, String)>, Refusal> {
    let mut lines = Vec::new();
    let folders = map::split_names(job.text("directory").unwrap_or_default());
    let join = |names: &[String]| {
        let escaped: Vec<String> = names.iter().map(|name| name.replace(':', "\\:")).collect();
        escaped.join(":")
    };
    let from_root = |names: &[String]| names.iter().map(|name| absolute(folder, name)).collect::<Vec<_>>();
    if let Some(given) = named {
        let names = map::named_files(job);
        if names.is_empty() || names.iter().any(|name| name == "-") {
            return Err(given
                .refuse("standard input and output are not targets")
                .or("name a file or a device"));
        }
        let names = if folders.is_empty() { from_root(&names) } else { names };
        check_names(given, &names)?;
        lines.push(("filename", join(&names)));
    } else {
        lines.push(("nrfiles", number.to_string()));
        if let Some(given) = job.last("filename_format") {
            let keys = ["$jobname", "$jobnum", "$filenum"];
            let rest = keys.iter().fold(given.text().to_owned(), |rest, key| rest.replace(key, "-"));
            check_names(given, &[rest])?;
            lines.push(("filename_format", given.text().to_owned()));
        }
    }
    // Names that fio makes from the root on have no folder before them.
    let is_from_root = job.text("filename_format").is_some_and(|format| format.starts_with('/'));
    if !folders.is_empty() || named.is_none() && !is_from_root {
        let folders = if folders.is_empty() { vec![folder.to_owned()] } else { from_root(&folders) };
        if let Some(given) = job.last("directory") {
            check_names(given, &folders)?;
        }
        lines.push(("directory", join(&folders)));
    }
    Ok(lines)
}

/// Letters that fio reads in another way than as part of a name.
fn check_names(given: &JobOption, names: &[String]) -> Result<(), Refusal> {
    let odd = |letter: &char| super::is_read_otherwise(*letter);
    let spaced = |name: &&String| name.trim() != name.as_str() || name.chars().any(|letter| odd(&letter));
    match names.iter().find(spaced) {
        None => Ok(()),
        Some(name) => Err(given
            .refuse(format!("fio would read `{name}` as another name than it is"))
            .or("name it without blanks at its ends, quotes, backslashes, `$`, `;` and `#`")),
    }
}

fn absolute(folder: &str, name: &str) -> String {
    let name = name.strip_prefix("./").unwrap_or(name);
    if name.starts_with('/') { name.to_owned() } else { format!("{}/{name}", folder.trim_end_matches('/')) }
}

/// What part of its files a job asks for.
struct Extent {
    size: Option<Size>,
    file_bytes: Option<(u64, u64)>,
    offset: Option<Size>,
    increment: Option<Size>,
    /// Offsets in percent are rounded up to no more than this.
    align_bytes: u64,
}

impl Extent {
    fn of(job: &Job) -> Result<Self, Refusal> {
        let kilo = job.kilo_base()?;
        let read = |name: &str| {
            let size = job.read(name, |text| value::size(text, kilo))?;
            match (size, job.last(name)) {
                (Some(Size::Zones(_)), Some(given)) => {
                    Err(given.refuse("how large a zone is, only the device knows").or("write it in bytes"))
                }
                (size, _) => Ok(size),
            }
        };
        let file_bytes = job.read("filesize", |text| {
            let (least, most) = text.split_once('-').unwrap_or((text, text));
            let bytes = |text: &str| value::bytes(text, kilo);
            Ok((bytes(least)?, bytes(most)?))
        })?;
        let block_bytes = |name: &str| {
            let text = job.text(name).unwrap_or_default();
            let sizes = text.split([',', '-', '/', ':']).filter_map(|part| value::bytes(part, kilo).ok());
            sizes.max().unwrap_or(0)
        };
        let align_bytes =
            ["bs", "bsrange", "bssplit", "offset_align"].iter().map(|name| block_bytes(name)).max();
        Ok(Self {
            size: read("size")?,
            file_bytes: file_bytes.filter(|(_, most)| *most > 0),
            offset: read("offset")?,
            increment: read("offset_increment")?,
            align_bytes: align_bytes.unwrap_or(0).max(1 << 20),
        })
    }

    /// The same in plain bytes, which any version of fio reads alike.
    fn lines(&self, lines: &mut Vec<(&'static str, String)>) {
        let text = |size: Size| match size {
            Size::Bytes(bytes) => bytes.to_string(),
            Size::Percent(percent) => format!("{percent}%"),
            Size::Zones(zones) => format!("{zones}z"),
        };
        for (name, size) in
            [("size", self.size), ("offset", self.offset), ("offset_increment", self.increment)]
        {
            lines.extend(size.map(|size| (name, text(size))));
        }
        lines.extend(self.file_bytes.map(|(least, most)| match least == most {
            true => ("filesize", least.to_string()),
            false => ("filesize", format!("{least}-{most}")),
        }));
    }

    /// Where the part of one of so many files ends that a clone asks for, at most; none for what is there.
    fn end_bytes(&self, clone: u64, files: u64, known: Option<u64>) -> Option<u64> {
        if let Some((least, most)) = self.file_bytes {
            // A file within the bounds is taken as it is.
            let fits = known.is_some_and(|bytes| (least..=most).contains(&bytes));
            return if fits { None } else { Some(most) };
        }
        let Some(Size::Bytes(size)) = self.size.filter(|size| *size != Size::Bytes(0)) else { return None };
        let whole = known.unwrap_or(0);
        let part = |size: Option<Size>| size.map_or(0, |size| size.of(whole));
        let is_share = |size: &Option<Size>| matches!(size, Some(Size::Percent(_)));
        let slack = if is_share(&self.offset) || is_share(&self.increment) { self.align_bytes } else { 0 };
        let offset = part(self.offset).saturating_add(part(self.increment).saturating_mul(clone));
        let files = files.max(1);
        // What does not divide goes to the first files.
        let each = (size / files).saturating_add(size % files);
        Some(offset.saturating_add(slack).saturating_add(each))
    }
}
