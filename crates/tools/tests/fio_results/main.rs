//! fio's results: our own of an installed 3.33, and published ones where they are at hand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail by panicking"
)]

mod audit;
mod own;
mod result_options;
mod samples;

use std::path::Path;

use fathom_record::RunRecord;
use fathom_tools::Refusal;
use fathom_tools::result_import::{Context, HEAD_BYTES, Head, ImportedItem, recognise};

/// What a file is read as, by its content.
pub fn import(path: &Path) -> Result<(&'static str, Vec<ImportedItem>), String> {
    let bytes = std::fs::read(path).unwrap();
    let file_name = path.file_name().unwrap().to_string_lossy().into_owned();
    let head = Head { bytes: &bytes[..bytes.len().min(HEAD_BYTES)], file_name: &file_name };
    let importer = recognise(&head, |_| None).map_err(|unknown| unknown.to_string())?;
    let context = Context { file_name: file_name.clone(), changed_at: "2020-01-01T00:00:00Z".to_owned() };
    let found =
        importer.read(&mut bytes.as_slice(), &context).map_err(|refusal: Refusal| refusal.to_string())?;
    Ok((importer.name, found))
}

/// The runs among what was found.
pub fn runs(found: &[ImportedItem]) -> Vec<&RunRecord> {
    let runs = found.iter().filter_map(|imported| match imported {
        ImportedItem::Run(run) => Some(run.as_ref()),
        ImportedItem::Telemetry(_) => None,
    });
    runs.collect()
}

/// Holds a run against the totals that its file states, and against itself.
pub fn hold_against_stated(run: &RunRecord, name: &str) {
    let origin = run.origin.as_ref().unwrap();
    let stated = |end: &str, of: &str| -> f64 {
        let fits = |total: &&fathom_record::provenance::StatedTotal| {
            total.name.ends_with(end) && total.name.contains(of)
        };
        origin.stated.iter().filter(fits).map(|total| total.value).sum()
    };
    for direction in &run.summary.directions {
        let of = format!(".{}.", direction.direction.name());
        if direction.direction == fathom_record::Direction::Flush {
            continue;
        }
        if let Some(operations) = direction.operations {
            assert_eq!(operations as f64, stated(".total_ios", &of), "{name}: {of} operations");
        }
        assert_eq!(direction.bytes.map(|b| b as f64), Some(stated(".io_bytes", &of)), "{name}: {of} bytes");
        // fio rounds each job's KiB/s down.
        let kib_s = stated(".bw", &of);
        let jobs = run.jobs.len().max(1) as f64;
        let throughput = direction.throughput_bytes_per_s / 1024.0;
        assert!((throughput - kib_s).abs() <= jobs * 1.01, "{name}: {of} {throughput} KiB/s for {kib_s}");
        let iops = stated(".iops", &of);
        assert!((direction.operations_per_s - iops).abs() <= jobs, "{name}: {of} {iops} IOPS");
        let latencies = [&direction.service, &direction.completion, &direction.submit];
        for latency in latencies.into_iter().flatten() {
            let (min, max) = (latency.min_ns.unwrap() as f64, latency.max_ns.unwrap() as f64);
            assert!(
                min <= latency.mean_ns * 1.001 + 1.0 && latency.mean_ns <= max * 1.001 + 1.0,
                "{name}: {latency:?}"
            );
            assert!(latency.quantiles.is_sorted_by(|a, b| a.value_ns <= b.value_ns), "{name}: {latency:?}");
        }
    }
    let text = serde_json::to_vec(run).unwrap();
    assert_eq!(&fathom_record::parse_run(&text).unwrap(), run, "{name} does not read back");
}
