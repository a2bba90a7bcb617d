//! Which files and devices, and which part of each.

use std::collections::BTreeSet;

use fathom_record::Workload;
use fathom_record::engine_list::EngineRequirement;
use fathom_record::run_plan::RunPlan;
use fathom_record::workload::Addresses;

use super::Mapper;
use super::clone_rates::of_clones;
use super::direction::Kind;
use crate::Refusal;
use crate::fio::fio_job::{Job, JobOption};
use crate::fio::value::{self, Size};

/// Where a job's clones work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Files of each clone; one list for all where they share them.
    pub files: Vec<Vec<String>>,
    /// How many of fio's files each of them is: those whose names are one file's.
    pub same: u64,
    /// Whether addresses are all that there is of the target.
    pub is_null: bool,
}

impl Place {
    /// Files that one clone works on.
    pub fn files_each(&self) -> u64 {
        self.files.first().map_or(1, |files| files.len().max(1) as u64)
    }
}

/// The part of each file that is used, for the first clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// First byte.
    pub offset_bytes: u64,
    /// Bytes from there on, of all files that are striped together; none for all.
    pub span_bytes: Option<u64>,
    /// How much further each clone begins than the one before.
    pub increment_bytes: u64,
    /// Bytes that one pass moves, where they are known.
    pub pass_bytes: Option<u64>,
    /// Of several files that are one target: the bytes of each, to whole pages, and the first one that is used.
    pub file_bytes: Option<u64>,
    pub file_offset_bytes: u64,
    /// Bytes of the target behind the part that is used.
    pub behind_bytes: u64,
}

impl Region {
    /// Nothing is known of it.
    pub const UNKNOWN: Self = Self {
        offset_bytes: 0,
        span_bytes: None,
        increment_bytes: 0,
        pass_bytes: None,
        file_bytes: None,
        file_offset_bytes: 0,
        behind_bytes: 0,
    };

    /// One place, of which each pass moves all.
    pub fn whole(bytes: u64) -> Self {
        Self { span_bytes: Some(bytes), pass_bytes: Some(bytes), ..Self::UNKNOWN }
    }

    /// The same where I/Os leave holes between them: fio ends with the lap whose last I/O ends with the file, or that
    /// leaves the part of the file that is used; otherwise it begins again until all bytes are moved.
    pub fn ending_as(self, kind: &Kind, io_bytes: Option<u64>) -> Self {
        let Some((span, io_bytes)) = self.span_bytes.or(self.pass_bytes).zip(io_bytes) else { return self };
        let ends = self.behind_bytes > 0 || kind.ends_with_span(span, io_bytes);
        let lap = kind.lap_bytes(Some(span), io_bytes).filter(|_| ends);
        Self { pass_bytes: lap.or(self.pass_bytes), ..self }
    }

    /// The same with passes of whole I/Os, where all have `io_bytes`: fio does none that is shorter. In order, one that
    /// begins in the part that is used may end behind it, where the target has room; without a map of blocks one more
    /// is drawn until all bytes are moved.
    pub fn of_whole_ios(self, io_bytes: Option<u64>, addresses: &Addresses) -> Self {
        let Some(io_bytes) = io_bytes.filter(|bytes| *bytes > 0) else { return self };
        let floor = |bytes: u64| if bytes < io_bytes { bytes } else { bytes - bytes % io_bytes };
        let ceiling = |bytes: u64| {
            if bytes < io_bytes { bytes } else { bytes.checked_next_multiple_of(io_bytes).unwrap_or(bytes) }
        };
        let span_bytes = match self.span_bytes {
            Some(span)
                if *addresses == Addresses::Sequential
                    && self.increment_bytes == 0
                    && self.file_bytes.is_none()
                    && ceiling(span) - span <= self.behind_bytes =>
            {
                Some(ceiling(span))
            }
            span => span,
        };
        let draws_on = !matches!(addresses, Addresses::RandomCycle) && addresses.is_random();
        let pass = |bytes: u64| match draws_on || span_bytes.is_some_and(|span| ceiling(bytes) <= span) {
            true => ceiling(bytes),
            false => floor(bytes),
        };
        Self { span_bytes, pass_bytes: self.pass_bytes.map(pass), ..self }
    }
}

/// What the size of a device that is not there is taken for.
const ABSENT_BYTES: u64 = 1 << 40;

/// What parts of a target that is several files are multiples of.
const PAGE: u64 = 4096;

/// Files that a clone may have as one target.
const MOST_FILES: u64 = 256;

impl<'a> Mapper<'a> {
    pub(super) fn place(&mut self, clones: u32) -> Result<Place, Refusal> {
        let is_null = self.is_null();
        if is_null {
            return Ok(Place { files: vec![vec!["null:".to_owned()]], same: 1, is_null });
        }
        if let Some((given, names)) = self.named() {
            if names.is_empty() {
                return Err(given.refuse("it is empty").or("name a file or a device"));
            }
            if names.iter().any(|name| name == "-") {
                self.hand_over("filename=-: standard input is not a target");
            }
            // Clones in several folders have files of their own.
            let folders = split_names(self.job.text("directory").unwrap_or_default());
            let own = if folders.len() > 1 { clones as usize } else { 1 };
            let (names, same) = self.each_once(names);
            return Ok(Place { files: in_folders(&folders, own, |_| names.clone()), same, is_null });
        }
        let number = self.job.int("nrfiles")?.unwrap_or(1).max(1);
        if number > MOST_FILES {
            self.hand_over(format!("nrfiles={number}: a job has at most {MOST_FILES} files"));
        }
        let mut files = files(self.job, clones as usize, number.min(MOST_FILES));
        // A format without the job's number gives all clones one file.
        if files.iter().all(|own| own == &files[0]) {
            files.truncate(1);
        }
        // One without the file's number gives a clone the same file several times.
        let is_one = |names: &Vec<String>| names.iter().all(|name| *name == names[0]);
        let same = if files.iter().all(is_one) { number.min(MOST_FILES) } else { 1 };
        if same > 1 {
            files.iter_mut().for_each(|names| names.truncate(1));
        }
        Ok(Place { files, same, is_null })
    }

    /// Each name once, and how many of fio's files it stands for.
    fn each_once(&mut self, mut names: Vec<String>) -> (Vec<String>, u64) {
        let distinct: BTreeSet<&String> = names.iter().collect();
        match (distinct.len(), names.len()) {
            (1, number) => {
                names.truncate(1);
                (names, number as u64)
            }
            (distinct, number) => {
                if distinct < number {
                    self.hand_over(
                        "filename: a file that is named twice among others has two positions, which is not a pattern of \
                         fathom",
                    );
                }
                (names, 1)
            }
        }
    }

    /// A device is never made; a file is, unless the job forbids it.
    pub(super) fn refuse_what_is_not_there(&mut self, place: &Place) -> Result<(), Refusal> {
        if place.is_null {
            return Ok(());
        }
        let mut missing =
            place.files.iter().flatten().filter(|name| (self.around.target_bytes)(name).is_none()).peekable();
        let first = missing.peek().map(|name| (*name).clone());
        self.absent_device = missing.find(|name| is_of_a_device(name)).cloned();
        match (first, self.job.last("allow_file_create")) {
            (Some(name), Some(given)) if !self.job.flag("allow_file_create", true)? => Err(given
                .refuse(format!("there is no file {name}, and none may be made"))
                .or("make it first, or leave allow_file_create out")),
            _ => Ok(()),
        }
    }

    /// What names the targets, and their names: of an engine with drivers the path that its driver takes.
    fn named(&mut self) -> Option<(&'a JobOption, Vec<String>)> {
        let job = self.job;
        let by_name = || job.last("filename").map(|given| (given, named_files(job)));
        if !self.engine.is_some_and(|row| row.has_drivers) {
            if job.options.iter().filter(|given| given.row.name == "filename").count() > 1 {
                self.warn(format!(
                    "filename is given more than once: the job works on all of {}, as in fio",
                    named_files(job).join(" and ")
                ));
            }
            return by_name();
        }
        let driver = self.job.text("libblkio_driver").unwrap_or_default();
        if driver != "io_uring" {
            let words = "of libblkio's drivers only io_uring is an engine of fathom";
            self.hand_over(format!("libblkio_driver={driver}: {words}"));
        }
        let path = job.last("libblkio_path");
        path.map(|given| (given, split_names(given.text()))).or_else(by_name)
    }

    /// The part of the target, from `size`, `filesize`, `offset` and `offset_increment`.
    pub(super) fn region(&mut self, place: &Place) -> Result<Region, Refusal> {
        let kilo = self.kilo;
        // Of several sizes between colons fio takes the last.
        let last = |text: &str| value::size(text.rsplit(':').next().unwrap_or(text), kilo);
        let read = |name: &str| self.job.read(name, last);
        let (size, offset, increment) = (read("size")?, read("offset")?, read("offset_increment")?);
        if [size, offset, increment].iter().any(|size| matches!(size, Some(Size::Zones(_)))) {
            self.hand_over("a size in zones: zones are not part of fathom's patterns");
        }
        let file_size = self.file_size()?;
        // What each of fio's files has of a size; those that are one file overlap, and each moves its own.
        let files = place.files_each() * place.same;
        let known = self.known_bytes(place);
        let own = match (file_size, known) {
            (Some(Size::Bytes(bytes)), _) if bytes > 0 => Some(bytes),
            _ => known.filter(|bytes| *bytes > 0),
        };
        let whole = match (own, size) {
            (Some(own), _) => own,
            (None, Some(Size::Bytes(bytes))) => bytes / files,
            _ => 0,
        };
        let offset_bytes = offset.map_or(0, |offset| offset.of(whole));
        let increment_bytes = increment.map_or(0, |increment| increment.of(whole));
        let span = match (size, file_size) {
            // Each file whole, where both are given: size then says how much is moved.
            (_, Some(Size::Bytes(bytes))) if bytes > 0 => Some(bytes.saturating_sub(offset_bytes)),
            (Some(Size::Bytes(0)) | None, _) => None,
            (Some(Size::Bytes(bytes)), _) => Some(bytes / files),
            (Some(Size::Percent(100)), _) => own.map(|own| own.saturating_sub(offset_bytes)),
            (Some(percent), _) => own.map(|own| percent.of(own).min(own.saturating_sub(offset_bytes))),
        };
        let is_share = matches!(size, Some(Size::Percent(percent)) if percent != 100)
            || matches!(offset, Some(Size::Percent(percent)) if percent > 0);
        if is_share && own.is_none() {
            self.hand_over(if self.is_done {
                "a share of a target whose size the result does not name"
            } else {
                "a size in percent needs an existing target, and this one does not exist"
            });
        }
        if size.is_none() && file_size.is_none() && known.is_none() && !self.is_done {
            self.hand_over("a file that is to be made needs a size, as in fio");
        }
        let of_all = |bytes: u64| bytes.saturating_mul(place.files_each());
        let span_bytes = span.map(of_all);
        let to_end = known.filter(|bytes| *bytes > 0).map(|bytes| of_all(bytes.saturating_sub(offset_bytes)));
        let pass_bytes = match (size, span_bytes) {
            // With a file size, the size says how much of the files is moved.
            (Some(Size::Bytes(size)), Some(span)) if size > 0 && file_size.is_some() => {
                Some(size.min(span.saturating_mul(place.same)))
            }
            (_, span) => span.or(to_end).map(|pass| pass.saturating_mul(place.same)),
        };
        let file_end = span.map(|span| span.saturating_add(offset_bytes));
        let behind_bytes = known.zip(file_end).map_or(0, |(there, end)| there.saturating_sub(end));
        let (file_bytes, file_offset_bytes) = (None, 0);
        let one = Region {
            offset_bytes,
            span_bytes,
            increment_bytes,
            pass_bytes,
            file_bytes,
            file_offset_bytes,
            behind_bytes,
        };
        Ok(if place.files_each() < 2 { one } else { self.over_files(one, place, file_end) })
    }

    fn file_size(&mut self) -> Result<Option<Size>, Refusal> {
        if self.job.text("filesize").is_some_and(|text| text.contains('-')) {
            self.hand_over("filesize: files of several sizes are not one target");
        }
        let kilo = self.kilo;
        self.job.read("filesize", |text| value::size(text.split(['-', ':']).next().unwrap_or(text), kilo))
    }

    /// Bytes of a target that is there already; of several the first one's, as they are used alike.
    fn known_bytes(&self, place: &Place) -> Option<u64> {
        match &place.files[0] {
            _ if place.is_null => Some(0),
            // So that all else that the job says is read: it is refused when it is to be run.
            _ if self.absent_device.is_some() => Some(ABSENT_BYTES),
            names => (self.around.target_bytes)(&names[0]),
        }
    }

    /// The same over several files, which lie one after the other; each is used to `file_end`, or whole.
    fn over_files(&mut self, one: Region, place: &Place, file_end: Option<u64>) -> Region {
        if one.increment_bytes > 0 {
            self.hand_over(
                "offset_increment with several files: each clone would have a part of its own of each",
            );
        }
        let offset_bytes = one.offset_bytes;
        let smallest = place.files.iter().flatten().filter_map(|name| (self.around.target_bytes)(name)).min();
        let file_bytes = file_end.or(smallest).map(|bytes| bytes / PAGE * PAGE);
        let file_bytes = file_bytes.filter(|bytes| *bytes > offset_bytes);
        Region {
            offset_bytes: 0,
            span_bytes: file_bytes.map(|bytes| bytes.saturating_mul(place.files_each())),
            increment_bytes: 0,
            file_bytes,
            file_offset_bytes: offset_bytes,
            ..one
        }
    }

    /// One run for all clones where fathom's jobs are what the clones are, and one a clone otherwise: each is the one that
    /// is given, on targets of its own.
    pub(super) fn spread(
        &mut self,
        mut one: RunPlan,
        place: &Place,
        region: &Region,
        clones: u32,
    ) -> Vec<RunPlan> {
        let Some(stripe_bytes) = self.stripe(&one.workload, place, region) else { return Vec::new() };
        one.options.stripe_bytes = stripe_bytes;
        let walks = !one.workload.addresses.is_random();
        if place.same > 1 && walks {
            let same = place.same;
            self.hand_over(format!(
                "{same} files of one name: several positions in one file are not a pattern of fathom"
            ));
        }
        let shared = place.files.len() == 1 && clones > 1;
        // Jobs of one run share a walk, but for laps, which each has for itself as fio's clones do.
        let shares_walk = walks && !matches!(one.workload.addresses, Addresses::Laps { .. });
        let apart = region.increment_bytes > 0
            || (shared && shares_walk && !place.is_null)
            || (!shared && stripe_bytes.is_some());
        if clones > 1 && apart {
            let alone = |clone: u32| {
                let mut run = one.clone();
                let apart_bytes = region.increment_bytes.saturating_mul(u64::from(clone));
                run.workload.offset_bytes = run.workload.offset_bytes.saturating_add(apart_bytes);
                run.workload.seed = run.workload.seed.wrapping_add(u64::from(clone));
                run.targets.clone_from(&place.files[clone as usize % place.files.len()]);
                run
            };
            return (0..clones).map(alone).collect();
        }
        one.targets = match stripe_bytes {
            Some(_) => place.files[0].clone(),
            None => place.files.iter().flatten().cloned().collect(),
        };
        one.workload.jobs = clones;
        let length = &mut one.workload.length;
        for count in [&mut length.bytes, &mut length.operations].into_iter().flatten() {
            *count = count.saturating_mul(u64::from(clones));
        }
        one.workload.arrival = of_clones(one.workload.arrival, clones);
        vec![one]
    }

    /// The chunk by which a clone's files are one target: each file is one, and they lie one after the other. `None`
    /// where they cannot be one.
    fn stripe(&mut self, one: &Workload, place: &Place, region: &Region) -> Option<Option<u64>> {
        if place.files_each() < 2 {
            return Some(None);
        }
        if !self.entry().is_some_and(|entry| entry.takes(EngineRequirement::Stripe))
            || one.mix.trim_share > 0.0
        {
            self.hand_over("several files of one job are one target of fathom on engines aio, uring and sync alone, without trims");
            return None;
        }
        region.file_bytes.map(Some)
    }
}

/// Whether a name is a device's, and no file is made under it where it is missing.
pub fn is_of_a_device(name: &str) -> bool {
    name.starts_with("/dev/") && !name.starts_with("/dev/shm/")
}

/// The files and devices of each clone of a job: those that `filename` names, or as many as `number` with the names
/// that fio makes.
pub fn files(job: &Job, clones: usize, number: u64) -> Vec<Vec<String>> {
    let folders = split_names(job.text("directory").unwrap_or_default());
    let named = named_files(job);
    let format = job.text("filename_format").filter(|format| !format.is_empty());
    let format = format.unwrap_or("$jobname.$jobnum.$filenum");
    in_folders(&folders, clones, |clone| {
        if named.is_empty() {
            (0..number).map(|file| file_name(&job.name, format, clone, file)).collect()
        } else {
            named.clone()
        }
    })
}

/// The names of all that `filename` says: fio adds each one to those before, those of `[global]` too.
pub fn named_files(job: &Job) -> Vec<String> {
    let given = job.options.iter().filter(|given| given.row.name == "filename");
    given.flat_map(|given| split_names(given.text())).collect()
}

/// The names of each clone, in the folder that is its in turn.
fn in_folders(folders: &[String], clones: usize, names: impl Fn(usize) -> Vec<String>) -> Vec<Vec<String>> {
    let of_clone = |clone: usize| {
        let folder = folders.get(clone % folders.len().max(1));
        names(clone).iter().map(|name| in_folder(folder, name)).collect()
    };
    (0..clones).map(of_clone).collect()
}

fn file_name(job: &str, format: &str, clone: usize, file: u64) -> String {
    format
        .replace("$jobname", job)
        .replace("$jobnum", &clone.to_string())
        .replace("$filenum", &file.to_string())
        .replace("$clientuid.", "")
        .replace("$clientuid", "")
}

/// Names between colons; a colon behind a backslash belongs to its name.
pub fn split_names(text: &str) -> Vec<String> {
    let text = text.trim().trim_matches('"');
    let mut names = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let last = names.last_mut().expect("there is always one");
        match letter {
            '\\' => last.extend(letters.next()),
            ':' => names.push(String::new()),
            letter => last.push(letter),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// A name in a folder, as a target that cannot be taken for anything else than a path.
pub(super) fn in_folder(folder: Option<&String>, name: &str) -> String {
    let path = match folder {
        Some(folder) => format!("{}/{name}", folder.trim_end_matches('/')),
        None => name.to_owned(),
    };
    if path.starts_with('/') || path.starts_with("./") || path.starts_with("../") {
        path
    } else {
        format!("./{path}")
    }
}
