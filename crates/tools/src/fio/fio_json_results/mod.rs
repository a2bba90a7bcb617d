//! fio's JSON and JSON+ output, of 2.1 and later, as run records.
//!
//! The file is scanned without a tree ([`scan`]) as it passes by ([`streamed_file`]), documents are found wherever they
//! stand ([`result_document`]), and each job, group, or set of clones becomes a run ([`fio_records`]).

mod coarse_percentiles;
mod combine;
mod errno;
pub(in crate::fio) mod fio_records;
mod numbers;
pub(in crate::fio) mod result_document;
mod result_workload;
mod scan;
mod steady_state;
mod streamed_file;

use std::io::BufRead;

use fathom_record::{RecordOrigin, RunRecord};

use super::prefixes;
use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, UTF_8_MARK, unreadable};
use result_document::{Document, Surroundings, documents};
use streamed_file::InputEnd;

/// Reads `fio --output-format=json` and `json+`.
pub const IMPORTER: Importer = Importer { name: "fio-json", title: "fio JSON or JSON+ output", sniff, read };

const EXPECTED: &str = "fio JSON";

fn sniff(head: &Head<'_>) -> Confidence {
    if !head.contains("\"fio version\"") {
        return Confidence::No;
    }
    let is_result = ["\"jobs\"", "\"client_stats\"", "\"jobname\""].iter().any(|key| head.contains(key));
    if is_result { Confidence::Certain } else { Confidence::Likely }
}

fn read(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    Ok(boxed(runs(input, context)?))
}

/// The same runs, each by itself: what they leave is given back on the way, so that a file of thousands is not held twice.
fn boxed(mut runs: Vec<RunRecord>) -> Vec<ImportedItem> {
    const STRETCH: usize = 256;
    let mut out = Vec::with_capacity(runs.len());
    runs.reverse();
    while let Some(run) = runs.pop() {
        out.push(ImportedItem::Run(Box::new(run)));
        if runs.len().is_multiple_of(STRETCH) {
            runs.shrink_to_fit();
        }
    }
    out
}

/// All runs of a file.
///
/// # Errors
/// When there is no whole result in it, or two versions of one.
pub fn runs(input: &mut dyn BufRead, context: &Context) -> Result<Vec<RunRecord>, Refusal> {
    let mut origin = RecordOrigin { parser: EXPECTED.to_owned(), ..RecordOrigin::default() };
    let start = input.fill_buf().map_err(|error| unreadable(EXPECTED, error))?;
    if start.starts_with(UTF_8_MARK) {
        origin.quirk("byte_order_mark", "a UTF-8 byte order mark at the beginning was left out");
    }
    let (found, around, passed) = documents(input, EXPECTED)?;
    refuse_conflicts(&passed)?;
    if !found.is_empty() {
        return records((found, around), origin, context);
    }
    let text = prefixes::without(&String::from_utf8_lossy(passed.kept.as_deref().unwrap_or_default()));
    if let Some(text) = text {
        let (found, around, _) = documents(&mut text.as_bytes(), EXPECTED)?;
        if !found.is_empty() {
            let (name, what) = prefixes::QUIRK;
            origin.quirk(name, what);
            return records((found, around), origin, context);
        }
    }
    Err(Refusal::new(EXPECTED, "there is no object with a \"fio version\" and jobs"))
}

fn records(
    (mut found, around): (Vec<Document>, Surroundings),
    mut origin: RecordOrigin,
    context: &Context,
) -> Result<Vec<RunRecord>, Refusal> {
    note_surroundings(around, &mut origin);
    let count = found.len();
    drop_snapshots(&mut found, &mut origin);
    let mut out = Vec::new();
    let several = found.len() > 1;
    let line = found.first().map_or(1, |document| document.line);
    // Each document goes as its runs come, so that a file of thousands is not held in both forms.
    for (number, document) in found.into_iter().enumerate() {
        let part = if several { format!("document {}", number + 1) } else { String::new() };
        let mut common = origin.clone();
        common.era = era(&document).to_owned();
        if document.cut_off {
            let kept = document.jobs.len();
            common.quirk(
                "cut_off",
                format!(
                    "the file ends, or is damaged, in the middle of a result; its first {kept} jobs are whole"
                ),
            );
        }
        out.extend(fio_records::runs(document, &part, &common, context));
    }
    if out.is_empty() {
        let cause = match count {
            1 => "the result has no whole job",
            _ => "no result has a whole job",
        };
        return Err(Refusal::new(EXPECTED, cause).at(format!("line {line}")));
    }
    Ok(out)
}

/// A file that git could not merge holds two versions of its numbers.
fn refuse_conflicts(passed: &InputEnd) -> Result<(), Refusal> {
    let Some(line) = passed.mark else { return Ok(()) };
    Err(Refusal::new(EXPECTED, "git's merge-conflict marks leave two versions of the numbers")
        .at(format!("line {line}"))
        .or("take one side with git checkout --ours or --theirs, and import that"))
}

fn note_surroundings(around: Surroundings, origin: &mut RecordOrigin) {
    let quirks = [
        (around.before, "text_before_json", "text before the result was passed over"),
        (around.between, "text_between_json", "text between results was passed over"),
        (around.after, "text_after_json", "text after the result was passed over"),
    ];
    for (_, name, what) in quirks.into_iter().filter(|(seen, ..)| *seen) {
        origin.quirk(name, what);
    }
}

/// What `--status-interval` prints on its way to the result: the same jobs, each time with all I/Os so far.
/// Only the last holds the whole run.
fn drop_snapshots(found: &mut Vec<Document>, origin: &mut RecordOrigin) {
    let before = found.len();
    let mut kept: Vec<Document> = Vec::with_capacity(before);
    for document in found.drain(..) {
        if kept.last().is_some_and(|last| is_continued(last, &document)) {
            kept.pop();
        }
        kept.push(document);
    }
    *found = kept;
    if found.len() < before {
        let what = format!(
            "{before} results in the file, of which {} are the state of the same run at an earlier time (--status-interval)",
            before - found.len()
        );
        origin.quirk("status_interval", what);
    }
}

/// Whether a result is the same run at a later time: as much later as its jobs have run longer.
fn is_continued(earlier: &Document, later: &Document) -> bool {
    let shape = |document: &Document| -> Vec<(String, Vec<(String, String)>)> {
        document.jobs.iter().map(|job| (job.name.clone(), job.options.clone())).collect()
    };
    let Some((then, now)) = earlier.printed_ms.zip(later.printed_ms) else { return false };
    let ran = |document: &Document| document.jobs.iter().filter_map(|job| job.elapsed_s).max();
    let Some((ran_then, ran_now)) = ran(earlier).zip(ran(later)) else { return false };
    let counted = |document: &Document| -> u64 {
        let flows = document.jobs.iter().flat_map(|job| [&job.read, &job.write, &job.trim, &job.mixed]);
        flows.flatten().filter_map(|flow| flow.total_ios).fold(0, u64::saturating_add)
    };
    // Elapsed time is in whole seconds, rounded up, of each.
    let apart_s = now.saturating_sub(then) / 1000;
    now >= then
        && ran_now >= ran_then
        && (ran_now - ran_then).abs_diff(apart_s) <= 1
        && ran_then.saturating_add(apart_s) + 1 >= ran_now
        && counted(later) >= counted(earlier)
        && (apart_s > 0 || ran_now > ran_then || counted(later) > counted(earlier))
        && shape(earlier) == shape(later)
}

/// The unit of its latencies: microseconds before 3.0.
fn era(document: &Document) -> &'static str {
    let flows = document.jobs.iter().flat_map(|job| [&job.read, &job.write, &job.trim, &job.mixed]).flatten();
    let units = flows.flat_map(|flow| [&flow.clat, &flow.lat, &flow.slat]).flatten();
    match units.map(|latency| latency.unit_ns).max() {
        Some(1000) => "microseconds",
        Some(_) => "nanoseconds",
        None => "",
    }
}
