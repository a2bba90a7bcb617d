//! Runs as a document of fio's `--output-format=json+`, by the writer of `fathom fio`: what fathom does not measure
//! is absent.
//!
//! fathom's service latency, from the submission to the completion, stands under `lat_ns` and under `clat_ns`, which
//! scripts read most, and nothing under `slat_ns`, so that the sum that fio makes of the two holds.

use std::io::{self, Write};

use fathom_record::RunRecord;
use fathom_record::workload::{Arrival, Sizes};

use super::{DeviceUse, Devices, Entry, job};
use crate::fio::map::{PERCENTILES, ReportSettings};
use crate::foreign_series::stamp;

/// Writes runs as the jobs of one document.
pub struct RunsAsJobs<W> {
    out: W,
    jobs: usize,
    devices: Devices,
    last_ms: Option<i64>,
}

impl<W: Write> RunsAsJobs<W> {
    /// Begins the document.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn begin(mut out: W) -> io::Result<Self> {
        write!(out, "{{\n\"fio version\": \"fathom-{}\",\n\"jobs\": [", env!("CARGO_PKG_VERSION"))?;
        Ok(Self { out, jobs: 0, devices: Devices::default(), last_ms: None })
    }

    /// Writes a run as a job.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn run(&mut self, run: &RunRecord) -> io::Result<()> {
        if self.jobs > 0 {
            self.out.write_all(b",")?;
        }
        self.out.write_all(b"\n")?;
        let reporting = reporting(run);
        let entry = Entry {
            name: &run.id,
            group: u32::try_from(self.jobs).unwrap_or(u32::MAX),
            clones: run.workload.jobs,
            title: String::new(),
            reporting: &reporting,
            options: &reporting.options,
            titled: Some(run.workload.jobs),
            records: vec![run],
        };
        serde_json::to_writer_pretty(&mut self.out, &job(&entry, true))?;
        self.jobs += 1;
        self.devices.add(run);
        let start_ms =
            stamp(&run.started_at).and_then(|(at, _)| Some(at.utc_s()? * 1000 + i64::from(at.ms % 1000)));
        let end_ms = start_ms.map(|start| start + (run.summary.duration_ns / 1_000_000) as i64);
        self.last_ms = self.last_ms.max(end_ms);
        Ok(())
    }

    /// Writes what comes behind the last job. Without this the document is not whole.
    ///
    /// # Errors
    /// As the output reports them.
    pub fn finish(mut self) -> io::Result<()> {
        let devices: Vec<_> = self.devices.total().iter().map(DeviceUse::json).collect();
        self.out.write_all(b"\n],\n\"disk_util\": ")?;
        serde_json::to_writer(&mut self.out, &devices)?;
        if let Some(ms) = self.last_ms {
            write!(self.out, ",\n\"timestamp\": {},\n\"timestamp_ms\": {ms}", ms.div_euclid(1000))?;
        }
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}

/// All jobs of a run as one entry, as with `group_reporting`.
fn reporting(run: &RunRecord) -> ReportSettings {
    ReportSettings {
        percentiles: PERCENTILES.to_vec(),
        of_clat: true,
        of_lat: true,
        options: options(run),
        ..ReportSettings::default()
    }
}

/// The options of a fio job that would do about the same.
fn options(run: &RunRecord) -> Vec<(String, String)> {
    let workload = &run.workload;
    let mut options = Vec::new();
    let mut set = |key: &str, value: String| options.push((key.to_owned(), value));
    set("name", run.id.clone());
    set("filename", run.target.name.clone());
    let mix = match (workload.mix.read_share, workload.mix.trim_share) {
        (share, _) if share >= 1.0 => "read",
        _ if workload.sizes.rewrites_trimmed => "trimwrite",
        (_, share) if share >= 1.0 => "trim",
        (share, _) if share <= 0.0 => "write",
        _ => "rw",
    };
    set("rw", if workload.addresses.is_foreseeable() { mix.to_owned() } else { format!("rand{mix}") });
    if mix == "rw" {
        set("rwmixread", format!("{:.0}", workload.mix.read_share * 100.0));
    }
    let size = |sizes: &Sizes| if let Sizes::Fixed { bytes } = sizes { Some(*bytes) } else { None };
    if let (Some(read), Some(write)) = (size(&workload.sizes.read), size(&workload.sizes.write)) {
        let both = if read == write { read.to_string() } else { format!("{read},{write}") };
        set("bs", both);
    }
    set("iodepth", workload.depth.to_string());
    set("numjobs", workload.jobs.to_string());
    set("ioengine", run.engine.name.clone());
    set("direct", u8::from(run.target.direct).to_string());
    if let Arrival::Constant { rate_per_s } | Arrival::Poisson { rate_per_s } = workload.arrival {
        set("rate_iops", format!("{:.0}", rate_per_s / f64::from(workload.jobs.max(1))));
    }
    if let Some(time_ns) = workload.length.time_ns {
        set("runtime", format!("{}", time_ns.div_ceil(1_000_000_000)));
    }
    options
}

#[cfg(test)]
mod tests {
    use fathom_record::workload::Addresses;

    use super::*;

    #[test]
    fn what_a_device_can_foresee_is_no_random_job() {
        let json = include_bytes!("../../../../store/tests/golden/run-1.json");
        let mut run = fathom_record::parse_run(json).expect("the golden record is one");
        let mut rw = |addresses: Addresses| {
            run.workload.addresses = addresses;
            options(&run).into_iter().find(|(key, _)| key == "rw").expect("every job has one").1
        };
        for sequential in [
            Addresses::Sequential,
            Addresses::Interlocked,
            Addresses::Strided { stride_bytes: 65_536 },
            Addresses::Backwards { step_bytes: 4096 },
            Addresses::Parts { part_bytes: 65_536, gap_bytes: 4096 },
            Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share: 0.0 },
        ] {
            let found = rw(sequential.clone());
            assert!(!found.starts_with("rand"), "{sequential:?}: {found}");
        }
        let jumping = Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share: 0.2 };
        for random in [Addresses::RandomCycle, Addresses::Zipf { exponent: 0.9 }, jumping] {
            let found = rw(random.clone());
            assert!(found.starts_with("rand"), "{random:?}: {found}");
        }
    }
}
