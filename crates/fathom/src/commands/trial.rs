//! `FATHOM_TRIAL=2s,64MiB`: a foreign command line tried for a moment before it is left alone for hours.
//!
//! A command that somebody printed or keeps is typed as it stands; only what it takes of time and space is less.

use fathom_measure::{Bytes, Nanos};
use fathom_plan::RunPlan;
use fathom_record::Workload;
use fathom_tools::diskspd::MappedSpan;
use fathom_tools::fio::map::{Executor, MappedJob};

use crate::failure::Failure;

const VARIABLE: &str = "FATHOM_TRIAL";

/// What a run of a trial takes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    time: Nanos,
    /// Of each target.
    size: Bytes,
}

impl Trial {
    /// The trial that the environment asks for, if it asks for one.
    ///
    /// # Errors
    /// When it is no time and size.
    pub fn from_environment() -> Result<Option<Self>, Failure> {
        match std::env::var(VARIABLE) {
            Ok(text) if !text.is_empty() => Self::of(&text).map(Some),
            _ => Ok(None),
        }
    }

    fn of(text: &str) -> Result<Self, Failure> {
        let read = || {
            let (time, size) = text.split_once(',')?;
            let (time, size): (Nanos, Bytes) = (time.trim().parse().ok()?, size.trim().parse().ok()?);
            (time.0 > 0 && size.0 > 0).then_some(Self { time, size })
        };
        read().ok_or_else(|| {
            let cause =
                format!("`{text}` is not the most that a run may take of time and of a target's size");
            Failure::usage(VARIABLE, cause, format!("set it as {VARIABLE}=2s,64MiB, or unset it"))
        })
    }

    /// What is said of it beside the results.
    pub fn note(&self) -> String {
        format!(
            "A trial ({VARIABLE}): the run took at most {}, and {} of its target, whatever was asked for.",
            self.time, self.size
        )
    }

    fn shorten(&self, workload: &mut Workload) {
        let length = &mut workload.length;
        length.time_ns = Some(length.time_ns.map_or(self.time.0, |ns| ns.min(self.time.0)));
        length.warmup_ns = length.warmup_ns.min(self.time.0);
        workload.span_bytes = workload.span_bytes.map(|bytes| bytes.min(self.size.0));
    }

    /// Of several files in turn each has its part of the size.
    fn shorten_files(&self, run: &mut RunPlan) {
        const PAGE: u64 = 4096;
        let turns = run.workload.special.as_mut().and_then(|special| special.files.as_mut());
        let Some(turns) = turns else { return };
        let largest = run.workload.sizes.read.max_bytes().max(run.workload.sizes.write.max_bytes());
        let part = (self.size.0 / u64::from(turns.files.max(1))).max(largest);
        let file_bytes = turns.offset_bytes.saturating_add(part).next_multiple_of(PAGE);
        turns.file_bytes = turns.file_bytes.min(file_bytes);
        run.workload.span_bytes = Some(turns.file_bytes.saturating_mul(turns.files.into()));
        run.options.stripe_bytes = Some(turns.file_bytes);
    }

    /// Shortens the jobs that fathom runs itself, and how long each waits before it begins.
    pub fn shorten_jobs(&self, mapped: &mut [MappedJob]) {
        for job in mapped {
            job.start_after_ns = job.start_after_ns.min(self.time.0);
            match &mut job.doer {
                Executor::Fathom(runs) => {
                    for run in runs {
                        self.shorten(&mut run.workload);
                        self.shorten_files(run);
                    }
                }
                Executor::Burner(burner) => {
                    burner.time_ns = Some(burner.time_ns.map_or(self.time.0, |ns| ns.min(self.time.0)));
                }
                Executor::Fio(_) => {}
            }
        }
    }

    /// Shortens time spans of diskspd.
    pub fn shorten_spans(&self, mappings: &mut [MappedSpan]) {
        for mapping in mappings {
            self.shorten(&mut mapping.run.workload);
            mapping.create_bytes = mapping.create_bytes.map(|bytes| bytes.min(self.size.0));
            mapping.notes.push(self.note());
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_tools::fio::cmdline;
    use fathom_tools::fio::fio_job::Variables;
    use fathom_tools::fio::job_expansion;
    use fathom_tools::fio::map::{JobContext, map};

    use super::*;

    #[test]
    fn a_job_that_would_wait_waits_no_longer_than_the_trial() {
        let words =
            ["--name=a", "--ioengine=null", "--size=1g", "--rw=read", "--startdelay=60", "--runtime=60"];
        let invocation = cmdline::parse(&words.map(str::to_owned)).unwrap();
        let variables = Variables { environment: &|_| None, processors: 1, page_bytes: 4096, memory_mib: 1 };
        let jobs = job_expansion::jobs(&invocation, &[], &variables, &mut |_, _| {
            Err(std::io::ErrorKind::NotFound.into())
        })
        .unwrap();
        let around = JobContext { target_bytes: &|_| None, log: &|_| Ok(None), new_seed: 1 };
        let mut mapped = vec![map(&jobs[0], &around).unwrap()];
        assert_eq!(mapped[0].start_after_ns, 60_000_000_000);
        Trial::of("2s,64MiB").unwrap().shorten_jobs(&mut mapped);
        assert_eq!(mapped[0].start_after_ns, 2_000_000_000);
    }

    #[test]
    fn a_trial_is_a_time_and_a_size() {
        let trial = Trial::of("2s,64MiB").unwrap();
        assert_eq!((trial.time.0, trial.size.0), (2_000_000_000, 64 << 20));
        for wrong in ["2s", "0s,1MiB", "2s,0", "x,y", "1MiB,2s"] {
            assert!(Trial::of(wrong).unwrap_err().remedy.contains("2s,64MiB"), "{wrong}");
        }
    }
}
