//! Jobs about names: one call about a file or a folder for each of fio's files, which fathom makes in a folder
//! of its own.

use std::path::Path;

use fathom_record::Workload;
use fathom_record::run_plan::{RunOptions, RunPlan};
use fathom_record::workload::{Addresses, Data, Mix, Sizes, SizesByDirection};

use super::file_regions::{Place, Region};
use super::{Mapper, has_reads};
use crate::Refusal;
use crate::fio::value::{self, Size};

/// Addresses that a name stands for at least.
const LEAST_BYTES: u64 = 4096;
/// More files of a clone than this are fio's to do.
const MOST_NAMES: u64 = 1 << 20;

impl Mapper<'_> {
    /// Whether the job's engine works on names, and on no data.
    pub(super) fn is_of_names(&self) -> bool {
        self.entry().is_some_and(|entry| entry.names_alone)
    }

    /// The runs of such a job.
    pub(super) fn names(&mut self, clones: u32) -> Result<Vec<RunPlan>, Refusal> {
        let kind = self.kind()?;
        let asked = self.mix(&kind)?;
        if asked.trim_share > 0.0 {
            self.hand_over("rw=trim: a name is not trimmed");
        }
        // fio counts the calls of a job that reads as reads, also where it writes too.
        let read_share = if has_reads(&asked) { 1.0 } else { 0.0 };
        let mix = Mix { read_share, trim_share: 0.0, flush_every_writes: 0 };
        let (place, number) = self.places_of_names(clones)?;
        let bytes = self.bytes_of_a_name(number)?;
        let sizes = SizesByDirection::all(Sizes::Fixed { bytes });
        let span_bytes = bytes.saturating_mul(number);
        let region = Region::whole(span_bytes);
        self.refuse_second_passes()?;
        let (engine, RunOptions { cpus, .. }) = self.settings(&mix)?;
        let depth = self.depth()?;
        let workload = Workload {
            mix,
            addresses: Addresses::Sequential,
            offset_bytes: 0,
            span_bytes: region.span_bytes,
            alignment_bytes: None,
            arrival: self.arrival(&mix, &sizes, depth)?,
            sizes,
            data: Data::default(),
            jobs: 1,
            depth,
            length: self.length(&region, &kind)?,
            seed: self.seed()?,
            special: None,
        };
        if self.job.text("verify").is_some_and(|method| !matches!(method, "0" | "null")) {
            self.warn("verify: nothing is checked, as a name holds no data");
        }
        self.refuse_what_cannot_run(&workload);
        let options = RunOptions { direct: false, cpus, ..RunOptions::default() };
        let one = RunPlan { targets: Vec::new(), engine, workload, options };
        Ok(self.spread(one, &place, &region, clones))
    }

    /// A folder for each clone, and the number of names in each.
    fn places_of_names(&mut self, clones: u32) -> Result<(Place, u64), Refusal> {
        let folders = super::file_regions::split_names(self.job.text("directory").unwrap_or_default());
        let mut number = self.job.int("nrfiles")?.unwrap_or(1).max(1);
        let mut within = String::new();
        if let Some(given) = self.job.last("filename") {
            let names = super::file_regions::split_names(given.text());
            number = names.len().max(1) as u64;
            let folder_of =
                |name: &String| Path::new(name).parent().map(|folder| folder.to_string_lossy().into_owned());
            within = names.first().and_then(folder_of).unwrap_or_default();
            if names.iter().any(|name| folder_of(name).unwrap_or_default() != within) {
                self.hand_over("filename: names in several folders are not one job of fathom");
            }
            if clones > 1 {
                self.hand_over("filename with clones: they would make or remove one another's names");
            }
        }
        if number > MOST_NAMES {
            self.hand_over(format!("nrfiles={number}: a job has at most {MOST_NAMES} names"));
        }
        let folder = |clone: usize| {
            let outer = folders.get(clone % folders.len().max(1));
            match (outer, within.as_str()) {
                (None, "") => ".".to_owned(),
                (Some(outer), "") => super::file_regions::in_folder(None, outer),
                (outer, within) => super::file_regions::in_folder(outer, within),
            }
        };
        let files = (0..clones as usize).map(|clone| vec![folder(clone)]).collect();
        Ok((Place { files, same: 1, is_null: false }, number.min(MOST_NAMES)))
    }

    /// What a name stands for: the bytes of the file under it, where it has to be there before.
    fn bytes_of_a_name(&mut self, number: u64) -> Result<u64, Refusal> {
        let kilo = self.kilo;
        let read = |name: &str| self.job.read(name, |text| value::size(text, kilo));
        let bytes = match (read("filesize")?, read("size")?) {
            (Some(Size::Bytes(bytes)), _) if bytes > 0 => bytes,
            (_, Some(Size::Bytes(bytes))) if bytes > 0 => bytes / number.max(1),
            _ => LEAST_BYTES,
        };
        if bytes < LEAST_BYTES {
            self.warn(format!("filesize={bytes}: files have at least {LEAST_BYTES} bytes"));
        }
        let bytes = bytes.max(LEAST_BYTES);
        if !bytes.is_power_of_two() {
            self.hand_over(format!(
                "filesize={bytes}: files that are made to be looked up or removed have a power of two bytes"
            ));
        }
        Ok(bytes)
    }

    /// What was removed is not there a second time; what was made as a folder cannot be made again.
    fn refuse_second_passes(&mut self) -> Result<(), Refusal> {
        let engine = self.engine.map(|row| row.name).unwrap_or_default();
        let again = self.job.flag("time_based", false)? || self.job.int("loops")?.unwrap_or(1) > 1;
        if again && matches!(engine, "filedelete" | "dircreate" | "dirdelete") {
            self.hand_over(format!("ioengine={engine} with time_based or loops: its second pass would fail"));
        }
        Ok(())
    }
}
