//! fio's logs: bandwidth, IOPS, latencies and their histograms over time, of any size.
//!
//! A log does not name itself: its file does (`x_clat.1.log`). Nor does it name the version, on which the unit
//! of latencies depends; where nothing tells it, whoever imports has to say it.

mod buckets;
mod histograms;
mod line;
mod log_samples;

use std::io::BufRead;

use fathom_record::run_record::Tool;
use jiff::Timestamp;

use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, UTF_8_MARK, unreadable};

/// Logs whose file says what they hold.
pub const LOG: Importer =
    Importer { name: "fio-log", title: "fio bandwidth, IOPS, latency or histogram log", sniff, read };

/// Latency logs of fio before 3.0.
pub const LOG_US: Importer = Importer {
    name: "fio-log-us",
    title: "fio latency log in microseconds (fio before 3.0)",
    sniff: |_| Confidence::No,
    read: |input, context| read_as(input, context, Some(Era::Microseconds), None),
};

/// Latency logs of fio since 3.0.
pub const LOG_NS: Importer = Importer {
    name: "fio-log-ns",
    title: "fio latency log in nanoseconds (fio 3.0 and later)",
    sniff: |_| Confidence::No,
    read: |input, context| read_as(input, context, Some(Era::Nanoseconds), None),
};

/// Bandwidth logs under any name.
pub const LOG_BANDWIDTH: Importer = Importer {
    name: "fio-bw-log",
    title: "fio bandwidth log",
    sniff: |_| Confidence::No,
    read: |input, context| read_as(input, context, None, Some(Kind::Bandwidth)),
};

/// IOPS logs under any name.
pub const LOG_IOPS: Importer = Importer {
    name: "fio-iops-log",
    title: "fio IOPS log",
    sniff: |_| Confidence::No,
    read: |input, context| read_as(input, context, None, Some(Kind::Iops)),
};

/// What a log holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bandwidth,
    Iops,
    /// From the submission to the completion.
    Latency,
    /// From the end of the submission to the completion.
    Completion,
    /// Of the submission.
    Submission,
    Histogram,
}

impl Kind {
    /// By the name that fio gives a file: `x_clat.1.log`, `x_clat.log`, `x_clat_hist.1.log`.
    fn of(file_name: &str) -> Option<Self> {
        let stem = file_name.strip_suffix(".log").unwrap_or(file_name);
        let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('.');
        Some(match stem.rsplit('_').next()? {
            "bw" => Kind::Bandwidth,
            "iops" => Kind::Iops,
            "lat" => Kind::Latency,
            "clat" => Kind::Completion,
            "slat" => Kind::Submission,
            "hist" => Kind::Histogram,
            _ => return None,
        })
    }

    fn is_latency(self) -> bool {
        !matches!(self, Kind::Bandwidth | Kind::Iops)
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Bandwidth => "bandwidth",
            Kind::Iops => "IOPS",
            Kind::Latency => "latency",
            Kind::Completion => "completion latency",
            Kind::Submission => "submission latency",
            Kind::Histogram => "histogram",
        }
    }

    fn metric(self) -> &'static str {
        match self {
            Kind::Bandwidth => "bandwidth",
            Kind::Iops => "iops",
            Kind::Latency => "lat",
            Kind::Completion | Kind::Histogram => "clat",
            Kind::Submission => "slat",
        }
    }
}

/// The unit of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    /// fio before 3.0.
    Microseconds,
    /// fio 3.0 and later.
    Nanoseconds,
}

impl Era {
    fn unit_ns(self) -> u64 {
        match self {
            Era::Microseconds => 1000,
            Era::Nanoseconds => 1,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Era::Microseconds => "microseconds",
            Era::Nanoseconds => "nanoseconds",
        }
    }
}

fn sniff(head: &Head<'_>) -> Confidence {
    // A head may end in the middle of a line; an only line is all that there is.
    let whole = head.bytes.iter().rposition(|b| *b == b'\n').map_or(head.bytes, |end| &head.bytes[..end]);
    let lines =
        || whole.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).take(8);
    if lines().next().is_none() {
        return Confidence::No;
    }
    let is_iolog =
        head.bytes.starts_with(b"fio version") && head.lines().next().is_some_and(|l| l.ends_with("iolog"));
    if is_iolog || lines().all(histograms::is_histogram) {
        return Confidence::Certain;
    }
    if lines().all(|line| line::sample(line).is_some()) {
        return if Kind::of(head.file_name).is_some() { Confidence::Certain } else { Confidence::Possible };
    }
    Confidence::No
}

fn read(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    read_as(input, context, None, None)
}

fn read_as(
    input: &mut dyn BufRead,
    context: &Context,
    era: Option<Era>,
    kind: Option<Kind>,
) -> Result<Vec<ImportedItem>, Refusal> {
    const EXPECTED: &str = "fio log";
    let failed = |error| unreadable(EXPECTED, error);
    if input.fill_buf().map_err(failed)?.starts_with(UTF_8_MARK) {
        input.consume(UTF_8_MARK.len());
    }
    let start = input.fill_buf().map_err(failed)?;
    if start.starts_with(b"fio version") {
        return Err(Refusal::new(
            EXPECTED,
            "an I/O trace (iolog), which is to be replayed and holds no result",
        ));
    }
    let first = start.split(|b| *b == b'\n').next().unwrap_or_default().trim_ascii();
    if histograms::is_histogram(first) {
        return histograms::read(input, context);
    }
    let forced = kind.is_some();
    let Some(kind) = kind.or_else(|| Kind::of(&context.file_name)) else {
        let cause =
            "the file's name does not say what it logs, as _bw, _iops, _lat, _clat, _slat and _hist do";
        let remedy = match era {
            // Whoever names a unit means a latency.
            Some(_) => "name it after its latency: x_lat.log, x_clat.log or x_slat.log",
            None => "rename it, as x_clat.log, or say what it is: --as fio-bw-log or --as fio-iops-log",
        };
        return Err(Refusal::new(EXPECTED, cause).or(remedy));
    };
    if kind == Kind::Histogram {
        return histograms::read(input, context);
    }
    log_samples::read(input, kind, (era, forced), context)
}

/// fio, of a version that a log does not tell.
fn tool() -> Tool {
    Tool { name: "fio".to_owned(), version: String::new() }
}

/// The calendar time of a log's first line, where it counts from 1970 (`log_unix_epoch`).
fn started_at(first_ms: u64) -> Option<String> {
    /// 2001 in milliseconds; a run of thirty years is not one.
    const EARLIEST_MS: u64 = 1_000_000_000_000;
    let ms = i64::try_from(first_ms).ok().filter(|_| first_ms >= EARLIEST_MS)?;
    Timestamp::from_millisecond(ms).ok().map(|time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_import::recognise;

    #[test]
    fn a_file_says_what_it_logs() {
        for (name, kind) in [
            ("a_bw.1.log", Some(Kind::Bandwidth)),
            ("a-KERNEL_iops.log", Some(Kind::Iops)),
            ("h_clat_hist.12.log", Some(Kind::Histogram)),
            ("random-read-depth-4_slat.44.log", Some(Kind::Submission)),
            ("notes.log", None),
        ] {
            assert_eq!(Kind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn logs_are_known_by_their_lines_and_by_name() {
        let sure = |bytes: &[u8], file_name| sniff(&Head { bytes, file_name });
        assert_eq!(sure(b"500, 2008, 0, 0\n1000, 2004, 0, 0\n", "x_bw.log"), Confidence::Certain);
        assert_eq!(sure(b"500, 2008, 0, 0\n1000, 2004, 0, 0\n", "x.csv"), Confidence::Possible);
        assert_eq!(sure(b"a, b, c, d\n", "x_bw.log"), Confidence::No);
        assert_eq!(sure(b"500, 2008, 0, 0", "x_bw.log"), Confidence::Certain, "one line without an end");
        assert_eq!(sure(b"fio version 3 iolog\n1 x add\n", "x.log"), Confidence::Certain);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        let context = Context { file_name: "x_bw.log".to_owned(), ..Context::default() };
        let text = &b"500, 2008, 0, 0\n1000, 2004, 0, 0\n"[..];
        let marked = [UTF_8_MARK, text].concat();
        assert_eq!(
            recognise(&Head { bytes: &marked, file_name: "x_bw.log" }, |_| None).unwrap().name,
            LOG.name
        );
        let read = |bytes: &[u8]| LOG.read(&mut &*bytes, &context).unwrap();
        assert_eq!(format!("{:?}", read(&marked)), format!("{:?}", read(text)));
    }

    #[test]
    fn a_unit_is_of_a_latency_and_the_name_has_to_say_which() {
        let context = Context { file_name: "x.log".to_owned(), ..Context::default() };
        let read = |importer: &Importer| importer.read(&mut &b"500, 2008, 0, 0\n"[..], &context).unwrap_err();
        assert!(read(&LOG_NS).remedy.contains("x_slat.log"), "{}", read(&LOG_NS));
        assert!(read(&LOG).remedy.contains("--as fio-bw-log"));
    }

    #[test]
    fn a_log_with_calendar_time_starts_then() {
        assert_eq!(started_at(1_795_184_497_678).as_deref(), Some("2026-11-20T14:21:37.678Z"));
        assert_eq!(started_at(500), None);
    }
}
