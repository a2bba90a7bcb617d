//! fio's output for people, of 2.0 and later, as run records; and its terse lines, refused with what to ask fio for.
//!
//! Counts, run times and percentiles stand there whole. Rates and sizes are rounded to a few digits: a rate is
//! taken from count and time, and bytes from count and size of an I/O, and what is printed has to agree. Where
//! sizes vary, the bytes are absent.

mod printed_figures;
mod result_parser;

use std::io::BufRead;

use fathom_record::{RecordOrigin, RunRecord};

use super::fio_json_results::fio_records;
use super::prefixes;
use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, text, whole};

/// Reads normal output; refuses terse lines with the reason.
pub const IMPORTER: Importer =
    Importer { name: "fio-text", title: "fio's text for people (its terse lines are refused)", sniff, read };

const EXPECTED: &str = "fio text";

fn sniff(head: &Head<'_>) -> Confidence {
    if head.lines().take(64).any(is_terse) {
        return Confidence::Likely;
    }
    let has_rates = [" IOPS=", " iops=", ", iops ="].iter().any(|word| head.contains(word));
    let has_latencies =
        ["lat (usec)", "lat (msec)", "lat (nsec)", "clat percentiles"].iter().any(|word| head.contains(word));
    // A result in JSON behind it is what is read.
    let is_json = head.contains("\"fio version\"");
    if has_rates && has_latencies && !is_json { Confidence::Likely } else { Confidence::No }
}

/// `3;fio-3.33;name;...`
fn is_terse(line: &str) -> bool {
    let mut fields = line.split(';');
    let version = fields.next().is_some_and(|field| matches!(field.trim(), "2" | "3" | "4" | "5"));
    version && fields.next().is_some_and(|field| field.starts_with("fio-")) && fields.count() > 40
}

fn read(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, EXPECTED)?;
    let mut origin = RecordOrigin { parser: EXPECTED.to_owned(), ..RecordOrigin::default() };
    let text = text(&bytes, &mut origin);
    let mut runs = records(&text, &origin, context)?;
    if let Some(text) = runs.is_empty().then(|| prefixes::without(&text)).flatten() {
        let (name, what) = prefixes::QUIRK;
        origin.quirk(name, what);
        runs = records(&text, &origin, context)?;
    }
    if runs.is_empty() && text.lines().any(is_terse) {
        return Err(Refusal::new(EXPECTED, "terse lines have no names, no counts and no options")
            .or("let fio write --output-format=json+ (or terse,json+)"));
    }
    if runs.is_empty() {
        return Err(Refusal::new(
            EXPECTED,
            "no job in it has rates, a run time and a count of I/Os (its `issued` line)",
        )
        .or("let fio write --output-format=json+ (or normal,json+)"));
    }
    runs.iter_mut().for_each(name_what_text_lacks);
    Ok(runs.into_iter().map(|run| ImportedItem::Run(Box::new(run))).collect())
}

fn records(text: &str, origin: &RecordOrigin, context: &Context) -> Result<Vec<RunRecord>, Refusal> {
    let documents = result_parser::documents(text)?;
    let several = documents.len() > 1;
    let mut runs: Vec<RunRecord> = Vec::new();
    for (number, document) in documents.into_iter().enumerate() {
        let part = if several { format!("result {}", number + 1) } else { String::new() };
        let mut common = origin.clone();
        common.quirk(
            "rounded",
            "fio's text rounds: latencies hold to their last digit, and rates are from count and time",
        );
        if document.cut_off {
            common.quirk("cut_off", "a job without its count of I/Os was left out");
        }
        runs.extend(fio_records::runs(document, &part, &common, context));
    }
    Ok(runs)
}

/// The reasons that hold for text, where those of JSON would not be true.
fn name_what_text_lacks(run: &mut RunRecord) {
    let unsaid = run.summary.directions.iter().any(|direction| direction.bytes.is_none());
    let Some(origin) = &mut run.origin else { return };
    for absent in &mut origin.absent {
        if absent.field == "started_at" {
            absent.reason =
                "the text has a time of the day without its zone; this is when the file was last changed"
                    .to_owned();
        }
    }
    if unsaid {
        origin
            .lacks("summary.directions.bytes", "sizes vary, and fio's text rounds the bytes to a few digits");
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::Direction;

    use super::*;

    fn found(text: &str) -> Result<Vec<RunRecord>, Refusal> {
        let runs = read(&mut text.as_bytes(), &Context::default())?;
        Ok(runs
            .into_iter()
            .filter_map(|found| match found {
                ImportedItem::Run(run) => Some(*run),
                ImportedItem::Telemetry(_) => None,
            })
            .collect())
    }

    const NEW: &str = "\
r: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=32
fio-3.1
Starting 1 process

r: (groupid=0, jobs=1): err= 0: pid=1529227: Fri Jun 19 01:58:18 2020
   read: IOPS=109k, BW=426MiB/s (447MB/s)(25.0GiB/60001msec)
    slat (usec): min=3, max=235, avg= 5.98, stdev= 2.18
    clat (usec): min=63, max=5864, avg=285.14, stdev=58.59
     lat (usec): min=68, max=5869, avg=291.45, stdev=58.71
    clat percentiles (usec):
     |  1.00th=[  221], 50.00th=[  285], 99.00th=[  383]
  cpu          : usr=34.20%, sys=65.50%, ctx=5858, majf=0, minf=65
     issued rwt: total=6550034,0,0, short=0,0,0, dropped=0,0,0
";

    #[test]
    fn counts_are_whole_and_rates_come_from_them() {
        let runs = found(NEW).unwrap();
        let [run] = runs.as_slice() else { panic!("one run") };
        let read = run.summary.direction(Direction::Read).unwrap();
        assert_eq!(read.operations, Some(6_550_034));
        assert_eq!(read.bytes, Some(6_550_034 * 4096));
        assert!((read.operations_per_s - 6_550_034.0 / 60.001).abs() < 1e-6);
        let service = read.service.as_ref().unwrap();
        assert_eq!((service.min_ns, service.max_ns), (Some(68_000), Some(5_869_000)));
        let median = read.completion.as_ref().unwrap().quantiles.iter().find(|q| q.q == 0.5).unwrap();
        assert!(median.low_ns < 284_500 && 285_500 < median.high_ns, "{median:?}");
        assert_eq!((run.workload.depth, run.tool.version.as_str()), (32, "3.1"));
        for (printed, agrees) in
            [("24.0GiB", true), ("23.0GiB", false), ("26.0GiB", false), ("24.5GiB", false)]
        {
            let runs = found(&NEW.replace("25.0GiB", printed)).unwrap();
            let bytes = runs[0].summary.direction(Direction::Read).unwrap().bytes;
            assert_eq!(bytes, agrees.then_some(6_550_034 * 4096), "{printed}: fio 3.1 cuts fractions off");
        }
    }

    #[test]
    fn a_result_in_a_log_or_a_quotation_is_the_same_result() {
        let plain = found(NEW).unwrap();
        for before in
            ["> ", "2025-01-01T00:00:00Z ", "2021-06-01 10:00:00,123 process L0669 DEBUG| [stdout] "]
        {
            let text: String = NEW.lines().map(|line| format!("{before}{line}\n")).collect();
            let runs = found(&text).unwrap();
            assert_eq!(runs[0].summary, plain[0].summary, "{before}");
            assert!(
                runs[0].origin.as_ref().unwrap().quirks.iter().any(|quirk| quirk.name == "line_prefixes")
            );
        }
    }

    #[test]
    fn old_text_with_several_groups_is_a_run_each() {
        let text = "\
a: (g=0): rw=write, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=8
b: (g=1): rw=randrw, bs=4K-64K/4K-64K/4K-64K, ioengine=sync, iodepth=1
fio-2.16
a: (groupid=0, jobs=4): err= 0: pid=1: Tue Feb 27 20:36:40 2018
  write: io=48864KB, bw=824505B/s, iops=201, runt= 60687msec
    clat (usec): min=14, max=3997.5K, avg=604737.54, stdev=823448.56
     issued    : total=r=0/w=12216/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0
b: (groupid=1, jobs=1): err= 4: pid=2: Tue Feb 27 20:36:40 2018
  read : io=1024KB, bw=102KB/s, iops=10, runt= 10000msec
    clat (msec): min=1, max=9, avg= 2.00, stdev= 1.00
     issued    : total=r=100/w=0/d=0, short=r=0/w=0/d=0
";
        let runs = found(text).unwrap();
        assert_eq!(runs.len(), 2);
        let write = runs[0].summary.direction(Direction::Write).unwrap();
        assert_eq!((write.operations, write.bytes), (Some(12216), Some(12216 * 4096)));
        assert_eq!(write.completion.as_ref().unwrap().max_ns, Some(3_997_500_000));
        assert_eq!(runs[0].workload.jobs, 4);
        let read = runs[1].summary.direction(Direction::Read).unwrap();
        assert_eq!(read.bytes, None, "sizes vary");
        assert!(runs[1].origin.as_ref().unwrap().why_absent("summary.directions.bytes").is_some());
        assert_eq!(runs[1].ending, fathom_record::run_record::RunEnding::Interrupted);
    }

    #[test]
    fn a_line_that_somebody_made_bold_is_read_and_one_that_is_not_read_leaves_no_result() {
        let plain = found(NEW).unwrap().remove(0).summary;
        for bold in ["**read: IOPS=109k**, BW", "**_read:IOPS=109k_** , BW"] {
            let text = NEW.replace("   read: IOPS=109k, BW", bold);
            assert_eq!(found(&text).unwrap().remove(0).summary, plain, "{bold}");
        }
        let odd = NEW.replace("   read: IOPS", "   reads IOPS");
        assert!(found(&odd).is_err(), "I/Os without a rate are no result");
    }

    #[test]
    fn what_contradicts_itself_or_has_no_counts_is_refused() {
        let wrong = NEW.replace("IOPS=109k", "IOPS=209k");
        let refusal = found(&wrong).unwrap_err();
        assert!(refusal.to_string().contains("line 6"), "{refusal}");
        let cut = NEW.split("  cpu").next().unwrap();
        assert!(found(cut).unwrap_err().to_string().contains("issued"));
        let terse = format!("3;fio-3.33;t3;0;0;{}\n", "0;".repeat(60));
        assert!(found(&terse).unwrap_err().to_string().contains("terse"));
        let both = found(&format!("{terse}{NEW}")).unwrap();
        assert_eq!(both[0].summary, found(NEW).unwrap()[0].summary, "--output-format=terse,normal");
    }

    #[test]
    fn the_same_group_of_several_jobs_again_is_another_run() {
        let group = NEW.replace("jobs=1)", "jobs=4)");
        assert_ne!(group, NEW);
        let header = group.find("(groupid=").and_then(|at| group[..at].rfind('\n')).unwrap() + 1;
        let end = group.find("Run status group").unwrap_or(group.len());
        let twice = format!("{}{}{}", &group[..end], &group[header..end], &group[end..]);
        assert_eq!(found(&group).unwrap().len(), 1);
        let runs = found(&twice).unwrap();
        assert_eq!(runs.len(), 2);
        let counts = |at: usize| runs[at].summary.directions[0].operations;
        assert_eq!((counts(0), counts(1)), (Some(6_550_034), Some(6_550_034)));
    }

    #[test]
    fn text_for_people_is_known() {
        let sure = |text: &str| sniff(&Head { bytes: text.as_bytes(), file_name: "x" });
        assert_eq!(sure(NEW), Confidence::Likely);
        assert_eq!(sure("the article said IOPS=5 and no more\n"), Confidence::No);
    }
}
