//! What a job asks of its I/Os, part by part: for results of fio, which did it whatever fathom can do of it.

use fathom_record::Workload;
use fathom_record::workload::Arrival;

use super::arrival::of_clones;
use super::direction::Kind;
use super::{JobContext, Mapper};
use crate::Refusal;
use crate::fio::job::{Job, JobOption};

/// A field of a workload that a job does not tell, or that cannot hold what it tells, and why.
pub(crate) type UnstatedField = (&'static str, String);

/// Puts directions, addresses, sizes, data and arrival of a job into a workload whose number of jobs, which are the
/// job's clones, and whose depth are known. What cannot be told stays as it is, or is the nearest that can.
pub(crate) fn ask(job: &Job, workload: &mut Workload) -> Vec<UnstatedField> {
    let around = JobContext { target_bytes: &|_| None, log: &|_| Ok(None), new_seed: 0 };
    let mapper = match Mapper::new(job, &around) {
        Ok(mapper) => mapper,
        Err(refusal) => {
            let fields = ["mix", "addresses", "sizes", "data", "arrival"];
            return fields.map(|field| (field, words(&refusal))).into();
        }
    };
    let mut asking = OptionReader { mapper, untold: Vec::new() };
    // Whether fathom has the engine is of no matter to what fio did with it.
    asking.mapper.reasons.clear();
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
        found.map_err(|refusal| self.untold.push((field, words(&refusal)))).ok()
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
