//! fio's logs: a line a window and direction, from the seconds of run records or from single I/Os, or a line an I/O.

use std::fmt::Write;

use fathom_measure::Histogram;
use fathom_record::{Direction, DirectionInterval, EndedIo, RunRecord};

use crate::fio::bins::bin_of;
use crate::fio::map::{Log, LogKind, LogValue, ReportSettings};

/// A log, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name, with the folder that its prefix names.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// fio's number of a direction.
fn number_of(direction: Direction) -> Option<u32> {
    match direction {
        Direction::Read => Some(0),
        Direction::Write => Some(1),
        Direction::Trim => Some(2),
        Direction::Flush => None,
    }
}

/// Names of the logs that [`log_files`] gives.
pub fn log_names(reporting: &ReportSettings, number: usize) -> Vec<String> {
    reporting.logs.iter().flat_map(|log| names(log, reporting, number)).collect()
}

fn names(log: &Log, reporting: &ReportSettings, number: usize) -> Vec<String> {
    let endings: &[&str] = match log.kind {
        LogKind::Bandwidth => &["bw"],
        LogKind::Iops => &["iops"],
        // Submission is part of both, and has no log of its own.
        LogKind::Latency => &["clat", "lat"],
        LogKind::Histogram => &["clat_hist"],
    };
    let job = if reporting.log_per_job { format!(".{number}") } else { String::new() };
    endings.iter().map(|ending| format!("{}_{ending}{job}.log", log.prefix)).collect()
}

/// The logs that a clone asked for. `ios` are its I/Os where lines are of single ones, in their order; `number` is what
/// tells its files from those of the command's other clones, from 1; `epoch_ms` is the run's start.
pub fn log_files(
    (record, ios): (&RunRecord, &[EndedIo]),
    reporting: &ReportSettings,
    number: usize,
    epoch_ms: u64,
) -> Vec<LogFile> {
    let text = |log: &Log| match log.window_ms {
        // As in fio, which counts no windows then.
        None if log.kind == LogKind::Histogram => String::new(),
        None => lines_of_ios(ios, (log, reporting), epoch_ms),
        Some(window_ms) if log.is_of_seconds() => {
            let mut windows = windows(record, window_ms);
            if log.kind == LogKind::Histogram {
                leave_out_last(&mut windows);
            }
            lines_of_windows(windows, (log, reporting), epoch_ms)
        }
        Some(window_ms) if log.kind == LogKind::Histogram => {
            lines_of_windows(windows_that_an_io_ended(ios, window_ms), (log, reporting), epoch_ms)
        }
        Some(window_ms) => lines_of_windows(windows_of_ios(ios, window_ms), (log, reporting), epoch_ms),
    };
    let files = |log: &Log| {
        let text = text(log);
        names(log, reporting, number).into_iter().map(move |name| LogFile { name, text: text.clone() })
    };
    reporting.logs.iter().flat_map(files).collect()
}

/// A line an I/O: of bandwidth what it alone would come to, of rates a one.
fn lines_of_ios(ios: &[EndedIo], (log, reporting): (&Log, &ReportSettings), epoch_ms: u64) -> String {
    let mut text = String::new();
    for io in ios {
        let Some(which) = number_of(io.direction) else { continue };
        let at_ms = io.at_ns / 1_000_000 + if reporting.log_epoch { epoch_ms } else { 0 };
        let value = match log.kind {
            LogKind::Bandwidth => (u64::from(io.bytes) * 1_000_000).checked_div(io.service_ns).unwrap_or(0),
            LogKind::Iops => 1,
            LogKind::Latency | LogKind::Histogram => io.service_ns,
        };
        let offset = if reporting.log_offset { io.offset } else { 0 };
        let _ = writeln!(text, "{at_ms}, {value}, {which}, {}, {offset}", io.bytes);
    }
    text
}

/// A line a window and direction. A mean is of no one size.
fn lines_of_windows(
    windows: Vec<Window>,
    (log, reporting): (&Log, &ReportSettings),
    epoch_ms: u64,
) -> String {
    let mut text = String::new();
    for window in windows {
        let at_ms = window.end_ns / 1_000_000 + if reporting.log_epoch { epoch_ms } else { 0 };
        for direction in window.directions {
            let Some(which) = number_of(direction.direction) else { continue };
            let bytes = direction.bytes.checked_div(direction.operations).unwrap_or(0);
            let seconds = window.length_ns as f64 / 1e9;
            let value = match log.kind {
                LogKind::Bandwidth => format!("{}", (direction.bytes as f64 / seconds / 1024.0) as u64),
                LogKind::Iops => format!("{}", (direction.operations as f64 / seconds) as u64),
                LogKind::Latency => latency(&direction.service, reporting.log_value),
                LogKind::Histogram => histogram(&direction.service, reporting.log_coarseness),
            };
            let _ = match log.kind {
                LogKind::Histogram => writeln!(text, "{at_ms}, {which}, {bytes}, {value}"),
                _ => writeln!(text, "{at_ms}, {value}, {which}, 0, 0"),
            };
        }
    }
    text
}

fn latency(service: &Histogram, value: LogValue) -> String {
    let mean = service.mean().unwrap_or(0.0) as u64;
    let most = service.max().unwrap_or(0);
    match value {
        LogValue::Mean => format!("{mean}"),
        LogValue::Largest => format!("{most}"),
        LogValue::Both => format!("{mean}, {most}"),
    }
}

/// Counts of all of fio's bins, neighbours added up by the coarseness.
fn histogram(service: &Histogram, coarseness: u32) -> String {
    const BINS: usize = 29 * 64;
    let mut counts = vec![0u64; BINS >> coarseness];
    for (bucket, count) in service.buckets() {
        let bin = bin_of(fathom_measure::histogram::bucket_bounds(bucket).0) >> coarseness;
        let last = counts.len() - 1;
        counts[bin.min(last)] += count;
    }
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

struct Window {
    end_ns: u64,
    length_ns: u64,
    directions: Vec<Counts>,
}

struct Counts {
    direction: Direction,
    operations: u64,
    bytes: u64,
    service: Histogram,
}

/// The measured seconds, put together to windows of at least `window_ms`.
fn windows(record: &RunRecord, window_ms: u64) -> Vec<Window> {
    let measured = || record.intervals.iter().filter(|interval| !interval.warmup);
    let start_ns = measured().next().map_or(0, |interval| interval.start_ns);
    let mut windows: Vec<Window> = Vec::new();
    for interval in measured() {
        let open = windows.last_mut().filter(|window| window.length_ns < window_ms.saturating_mul(1_000_000));
        let window = match open {
            Some(window) => window,
            None => {
                windows.push(Window { end_ns: 0, length_ns: 0, directions: Vec::new() });
                windows.last_mut().expect("one was pushed")
            }
        };
        window.length_ns += interval.duration_ns;
        window.end_ns = interval.start_ns + interval.duration_ns - start_ns;
        interval.directions.iter().for_each(|direction| window.add(direction));
    }
    windows
}

/// Windows of `window_ms` from the start on; the last one ends with its last I/O.
fn windows_of_ios(ios: &[EndedIo], window_ms: u64) -> Vec<Window> {
    let window_ns = window_ms.saturating_mul(1_000_000).max(1);
    let mut windows: Vec<Window> = Vec::new();
    for io in ios {
        let start_ns = io.at_ns / window_ns * window_ns;
        if windows.last().is_none_or(|last| last.end_ns <= start_ns) {
            windows.push(Window {
                end_ns: start_ns.saturating_add(window_ns),
                length_ns: window_ns,
                directions: Vec::new(),
            });
        }
        let window = windows.last_mut().expect("one was pushed");
        window.counts(io.direction).take(io);
    }
    if let (Some(last), Some(io)) = (windows.last_mut(), ios.last()) {
        let left_ns = last.end_ns - io.at_ns;
        // A millisecond short of its end it is whole.
        if left_ns > 1_000_000 {
            (last.end_ns, last.length_ns) = (io.at_ns, (last.length_ns - left_ns).max(1));
        }
    }
    windows
}

/// fio's windows of histograms: those of a direction follow one another from its first I/O on, and the first I/O that
/// ends at or behind a window's end writes its line, with all since the line before and itself. What comes after the
/// last line has none.
fn windows_that_an_io_ended(ios: &[EndedIo], window_ms: u64) -> Vec<Window> {
    /// A direction's counts since its last line, and where its window begins.
    struct OpenWindow {
        begin_ms: u64,
        window: Window,
    }
    let empty =
        || Window { end_ns: 0, length_ns: window_ms.saturating_mul(1_000_000), directions: Vec::new() };
    let mut open: Vec<(Direction, OpenWindow)> = Vec::new();
    let mut written = Vec::new();
    for io in ios {
        let at_ms = io.at_ns / 1_000_000;
        let known = open.iter().position(|(direction, _)| *direction == io.direction);
        let place = known.unwrap_or_else(|| {
            open.push((io.direction, OpenWindow { begin_ms: 0, window: empty() }));
            open.len() - 1
        });
        let (_, open) = &mut open[place];
        // To fio a window that begins in the first millisecond has not begun.
        if open.begin_ms == 0 {
            open.begin_ms = at_ms;
        }
        open.window.counts(io.direction).take(io);
        if at_ms - open.begin_ms >= window_ms {
            open.begin_ms += window_ms;
            open.window.end_ns = io.at_ns;
            written.push(std::mem::replace(&mut open.window, empty()));
        }
    }
    written
}

/// Takes each direction's last window away: no I/O behind it writes its line.
fn leave_out_last(windows: &mut [Window]) {
    let mut ended: Vec<Direction> = Vec::new();
    for window in windows.iter_mut().rev() {
        window.directions.retain(|counts| {
            let is_last = counts.operations > 0 && !ended.contains(&counts.direction);
            if is_last {
                ended.push(counts.direction);
            }
            !is_last && ended.contains(&counts.direction)
        });
    }
}

impl Counts {
    fn take(&mut self, io: &EndedIo) {
        self.operations += 1;
        self.bytes += u64::from(io.bytes);
        self.service.record(io.service_ns);
    }
}

impl Window {
    fn counts(&mut self, direction: Direction) -> &mut Counts {
        let known = self.directions.iter().position(|counts| counts.direction == direction);
        let place = known.unwrap_or_else(|| {
            let service = Histogram::new();
            self.directions.push(Counts { direction, operations: 0, bytes: 0, service });
            self.directions.len() - 1
        });
        &mut self.directions[place]
    }

    fn add(&mut self, second: &DirectionInterval) {
        let counts = self.counts(second.direction);
        counts.operations += second.operations;
        counts.bytes += second.bytes;
        if let Ok(histogram) = Histogram::try_from(&second.service) {
            counts.service.merge(&histogram);
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::RecordOrigin;
    use fathom_record::run_record::Tool;

    use super::*;
    use crate::result_import::{Context, blank};

    fn io(at_ms: u64, direction: Direction) -> EndedIo {
        EndedIo { at_ns: at_ms * 1_000_000, service_ns: 2_000_000, offset: 8192, bytes: 4096, direction }
    }

    #[test]
    fn windows_of_half_seconds_end_where_they_are_to() {
        let ios = [
            io(100, Direction::Read),
            io(400, Direction::Write),
            io(499, Direction::Read),
            io(500, Direction::Read),
            io(1700, Direction::Read),
        ];
        let windows = windows_of_ios(&ios, 500);
        let ends: Vec<u64> = windows.iter().map(|window| window.end_ns / 1_000_000).collect();
        assert_eq!(ends, [500, 1000, 1700], "the last one ends with its I/O");
        let first: Vec<u64> = windows[0].directions.iter().map(|counts| counts.operations).collect();
        assert_eq!(first, [2, 1]);
        assert_eq!(windows[2].length_ns, 200_000_000);
    }

    #[test]
    fn a_histogram_is_written_by_the_io_behind_its_window() {
        let every_10_ms = |direction| move |at: u64| io(at * 10, direction);
        let mut ios: Vec<EndedIo> = (0..200).map(every_10_ms(Direction::Read)).collect();
        ios.extend((30..45).map(every_10_ms(Direction::Write)));
        ios.sort_by_key(|io| io.at_ns);
        let windows = windows_that_an_io_ended(&ios, 500);
        let lines: Vec<(u64, u64)> =
            windows.iter().map(|w| (w.end_ns / 1_000_000, w.directions[0].operations)).collect();
        // The first window begins at 10 ms; the writes end before their first one does.
        assert_eq!(lines, [(510, 52), (1010, 50), (1510, 50)]);
    }

    #[test]
    fn the_last_second_of_a_direction_has_no_histogram() {
        let mut windows = windows_of_ios(
            &[io(100, Direction::Read), io(600, Direction::Write), io(1200, Direction::Read)],
            500,
        );
        leave_out_last(&mut windows);
        let left: Vec<Vec<Direction>> = windows
            .iter()
            .map(|window| window.directions.iter().map(|counts| counts.direction).collect())
            .collect();
        assert_eq!(left, [vec![Direction::Read], vec![], vec![]]);
    }

    #[test]
    fn a_histogram_log_without_windows_is_empty() {
        let log = Log { kind: LogKind::Histogram, prefix: "h".to_owned(), window_ms: None };
        assert!(log.is_of_seconds(), "no single I/Os are needed for it");
        let reporting = ReportSettings { logs: vec![log], log_per_job: true, ..ReportSettings::default() };
        let tool = Tool { name: "fio".to_owned(), version: "1".to_owned() };
        let record = blank(tool, RecordOrigin::default(), &Context::default());
        let files = log_files((&record, &[]), &reporting, 1, 0);
        assert_eq!((files[0].name.as_str(), files[0].text.as_str()), ("h_clat_hist.1.log", ""));
    }
}
