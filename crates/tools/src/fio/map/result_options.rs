//! What a job asks of its I/Os, part by part: for results of fio, which did it whatever fathom can do of it.

use fathom_record::Workload;
use fathom_record::workload::{Addresses, Arrival, Length};

use super::clone_rates::of_clones;
use super::direction::Kind;
use super::file_regions::{Place, Region};
use super::special_options::JobShape;
use super::{JobContext, Mapper, extremes};
use crate::Refusal;
use crate::fio::fio_job::{Job, JobOption};

/// A field of a workload that a job does not tell, or that cannot hold what it tells, and why.
pub(crate) type UnstatedField = (&'static str, String);

/// Puts all that a job's options say into a workload, but for its seed. Its number of jobs, which are the
/// job's clones, and its depth are known. What cannot be told stays as it is, or is the nearest that can.
pub(crate) fn ask(job: &Job, workload: &mut Workload) -> Vec<UnstatedField> {
    let around = JobContext { target_bytes: &|_| None, log: &|_| Ok(None), new_seed: 0 };
    let mapper = match Mapper::new(job, &around) {
        Ok(mapper) => mapper,
        Err(refusal) => {
            let fields = ["mix", "addresses", "sizes", "data", "arrival", "span_bytes", "length", "special"];
            return fields.map(|field| (field, words(&refusal))).into();
        }
    };
    let mut asking = OptionReader { mapper, untold: Vec::new() };
    // Whether fathom has the engine is of no matter to what fio did with it.
    asking.mapper.reasons.clear();
    asking.mapper.is_done = true;
    asking.all(workload);
    asking.untold
}

struct OptionReader<'a> {
    mapper: Mapper<'a>,
    untold: Vec<UnstatedField>,
}

impl<'a> OptionReader<'a> {
    fn all(&mut self, out: &mut Workload) {
        let Some(kind) = self.kind() else {
            if let Some(sizes) = self.part("sizes", |mapper| mapper.sizes(&Kind::READS)) {
                out.sizes = sizes;
            }
            self.extent(None, out);
            return self.left_open_by_directions();
        };
        if let Some(mix) = self.part("mix", |mapper| mapper.mix(&kind)) {
            out.mix = mix;
        }
        if let Some(sizes) = self.part("sizes", |mapper| mapper.sizes(&kind)) {
            out.sizes = sizes;
        }
        if let Some(addresses) = self.part("addresses", |mapper| mapper.addresses(&kind, &out.sizes)) {
            out.addresses = addresses;
        }
        let alignment = self.part("alignment_bytes", |mapper| mapper.alignment(&kind, &out.sizes));
        out.alignment_bytes = alignment.flatten();
        if let Some(data) = self.part("data", |mapper| mapper.data(&out.mix)) {
            out.data = data;
        }
        let arrival = self.part("arrival", |mapper| mapper.arrival(&out.mix, &out.sizes, out.depth));
        if let Some(arrival) = arrival {
            out.arrival = of_clones(arrival, out.jobs);
        }
        self.held_back_otherwise(&out.arrival);
        self.extent(Some(&kind), out);
    }

    /// The part of the target, how long the job goes on, and what few jobs ask for.
    fn extent(&mut self, kind: Option<&Kind>, out: &mut Workload) {
        // Two clones show whether all of them have the same files.
        let before = self.untold.len();
        let Some(place) = self.part("span_bytes", |mapper| mapper.place(out.jobs.min(2))) else { return };
        let is_whole = self.untold.len() == before;
        let region = self.part("span_bytes", |mapper| mapper.region(&place));
        let alike = match extremes(&out.mix, &out.sizes) {
            (smallest, largest) if smallest == largest => Some(largest),
            _ => None,
        };
        let region = match (region, kind) {
            (Some(region), Some(kind)) => region.of_whole_ios(alike, &out.addresses).ending_as(kind, alike),
            (region, _) => region.unwrap_or(Region::UNKNOWN),
        };
        (out.offset_bytes, out.span_bytes) = (region.offset_bytes, region.span_bytes);
        let length = self.part("length", |mapper| mapper.length(&region, kind.unwrap_or(&Kind::READS)));
        out.length = of_all(length.unwrap_or_default(), out.jobs);
        let Some(kind) = kind else { return };
        let special = self.part("special", |mapper| {
            mapper.special(&JobShape {
                kind,
                mix: &out.mix,
                sizes: &out.sizes,
                addresses: &out.addresses,
                place: &place,
                region: &region,
                depth: out.depth,
                alignment_bytes: out.alignment_bytes,
            })
        });
        out.special = special.flatten();
        if let Some(special) = out.special.as_mut().filter(|_| !is_whole) {
            special.files = None;
        }
        self.parts_of_clones(&place, &region, out);
    }

    /// Clones of one file go over it each for itself, and those that begin apart have a part each.
    fn parts_of_clones(&mut self, place: &Place, region: &Region, out: &mut Workload) {
        let apart_bytes = region.increment_bytes;
        if out.jobs < 2 || place.is_null || (place.files.len() > 1 && apart_bytes == 0) {
            return;
        }
        let walks = !out.addresses.is_random() && !matches!(out.addresses, Addresses::Laps { .. });
        match (&out.addresses, region.span_bytes) {
            // Each job of a record that goes in order has an equal part of the span.
            (Addresses::Sequential, Some(span)) if apart_bytes == span && place.files.len() == 1 => {
                out.span_bytes = Some(span.saturating_mul(u64::from(out.jobs)));
            }
            (Addresses::Sequential, _) if apart_bytes == 0 => {
                out.addresses = Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share: 0.0 };
            }
            _ if apart_bytes > 0 => {
                let why = "offset_increment: each clone begins elsewhere, and a record has one offset";
                self.untold.push(("offset_bytes", why.to_owned()));
            }
            _ if walks => {
                let why = "each clone goes over all of it for itself, which a record has for reading in order alone";
                self.untold.push(("addresses", why.to_owned()));
            }
            _ => {}
        }
    }

    /// What `rw` says. Without it fio reads, but what does not name it may be no whole list of options.
    fn kind(&mut self) -> Option<Kind> {
        let read = match self.mapper.job.last("rw") {
            Some(_) => self.part("addresses", Mapper::kind),
            None => {
                self.untold.push(("addresses", "the result does not name it".to_owned()));
                None
            }
        };
        if read.is_none() {
            let why = self.untold.last().map(|(_, why)| why.clone()).unwrap_or_default();
            self.untold.push(("mix", why));
        }
        read
    }

    /// A part, if it makes sense. What fathom hands a job over for, a record has no place for either.
    fn part<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Mapper<'a>) -> Result<T, Refusal>,
    ) -> Option<T> {
        let found = read(&mut self.mapper);
        let reasons = self.mapper.reasons.drain(..);
        self.untold.extend(reasons.map(|reason| (field, reason)));
        found.map_err(|refusal| self.untold.push((field_of(&refusal, field), words(&refusal)))).ok()
    }

    /// What is of each direction, where no direction is known.
    fn left_open_by_directions(&mut self) {
        let of_directions = [
            ("data.verify", "verify"),
            ("arrival", "rate"),
            ("arrival", "rate_iops"),
            ("arrival", "thinktime"),
            ("arrival", "latency_target"),
        ];
        for (field, name) in of_directions {
            if let Some(given) = self.mapper.job.last(name).filter(|given| given.text() != "0") {
                let why = format!("{}, and of which directions is not known", said(given));
                self.untold.push((field, why));
            }
        }
    }

    /// What holds a loop back and is no arrival of a record.
    fn held_back_otherwise(&mut self, arrival: &Arrival) {
        let job = self.mapper.job;
        let pauses = matches!(arrival, Arrival::Pausing { .. });
        let of_time = job.last("thinktime_iotime").filter(|_| pauses);
        for given in [job.last("latency_target"), of_time].into_iter().flatten().filter(|it| it.matters()) {
            let why = format!("the loop was held back by {}, which a record does not hold", said(given));
            self.untold.push(("arrival", why));
        }
    }
}

/// The length of all jobs together, from one clone's.
fn of_all(one: Length, jobs: u32) -> Length {
    let all = |count: Option<u64>| count.map(|count| count.saturating_mul(u64::from(jobs)));
    Length { bytes: all(one.bytes), operations: all(one.operations), ..one }
}

/// The field that an option fills which cannot be read; otherwise the one that was asked for.
fn field_of(refusal: &Refusal, field: &'static str) -> &'static str {
    match refusal.place.as_str() {
        "offset" | "offset_increment" => "offset_bytes",
        "runtime" => "length.time_ns",
        "ramp_time" => "length.warmup_ns",
        "number_ios" => "length.operations",
        "io_size" | "loops" if field == "length" => "length.bytes",
        _ => field,
    }
}

fn said(given: &JobOption) -> String {
    format!("{}={}", given.row.name, given.text())
}

/// Cause and option, without what to do: what ran is not to be written anew.
fn words(refusal: &Refusal) -> String {
    if refusal.place.is_empty() {
        refusal.cause.clone()
    } else {
        format!("{}: {}", refusal.place, refusal.cause)
    }
}
