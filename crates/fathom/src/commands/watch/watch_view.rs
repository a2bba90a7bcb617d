//! What is shown of a measurement: what runs, its newest figures, and how they went over the last minutes.

use std::collections::VecDeque;

use fathom_campaign::live_seconds::{
    DeviceLine, LiveEvent, MeasurementUpdate, RingHead, RunningMeasurement, SecondLine,
};
use fathom_campaign::{Second, StepNotice};
use fathom_measure::{ByteRate, Nanos, Rate};
use fathom_report::layout;
use fathom_report::table::clip;
use fathom_report::terminal::bars;

use crate::progress_display::progress_words::{self, RemainingTime};

/// Seconds that are kept.
const SECONDS_MAX: usize = 300;
/// Columns of the names of figures.
const NAMES: usize = 11;
/// Columns of figures, where bars stand behind them.
const FIGURES: usize = 22;
/// Fewer bars than this say nothing.
const BARS_MIN: usize = 8;
/// Lines are not wider than this, however wide the terminal.
const WIDTH_MAX: usize = 110;

/// A measurement as it was told of.
#[derive(Debug)]
pub struct View {
    head: RingHead,
    seconds: VecDeque<SecondLine>,
    /// How far the run is that goes on.
    until_ns: u64,
    saved: usize,
    complete: bool,
}

/// A figure, and what it was in each second that is kept.
struct Row {
    name: String,
    figure: String,
    history: Vec<Option<f64>>,
    /// Whether the worst of several seconds stands for them, and not their mean.
    worst: bool,
}

impl View {
    /// Of all that is in its ring.
    pub fn of(running: &mut RunningMeasurement) -> Self {
        let head = running.head().clone();
        let mut view = Self { head, seconds: VecDeque::new(), until_ns: 0, saved: 0, complete: false };
        loop {
            let news = running.news();
            view.take(&news, running);
            if news.is_empty() {
                return view;
            }
        }
    }

    /// What it is.
    pub fn head(&self) -> &RingHead {
        &self.head
    }

    /// Whether it said that it is over.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Takes in what is new; whether anything is.
    pub fn take(&mut self, news: &[MeasurementUpdate], running: &RunningMeasurement) -> bool {
        for one in news {
            match one {
                MeasurementUpdate::Line(_, LiveEvent::Second(second)) => {
                    self.until_ns = second.until_ns;
                    self.seconds.push_back(second.clone());
                    self.seconds.drain(..self.seconds.len().saturating_sub(SECONDS_MAX));
                }
                MeasurementUpdate::Line(_, LiveEvent::Saved { .. }) => self.saved += 1,
                MeasurementUpdate::Line(_, LiveEvent::Ended) => self.complete = true,
                MeasurementUpdate::Line(_, LiveEvent::Step(_)) => self.until_ns = 0,
                MeasurementUpdate::Line(_, LiveEvent::Heat(_) | LiveEvent::Unknown)
                | MeasurementUpdate::Gap => {}
            }
        }
        let is_new = !news.is_empty() || self.head != *running.head();
        self.head = running.head().clone();
        is_new
    }

    /// Everything, within a width.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let width = width.clamp(20, WIDTH_MAX) - 1;
        let mut lines = self.titles(width);
        let Some(second) = self.seconds.back() else {
            lines.extend(layout::wrapped("", "no second of it is complete yet", "  ", width));
            return lines;
        };
        let warmup = if second.warmup { ", warm-up" } else { "" };
        let age = format!("second {} of its run{warmup}", second.until_ns.div_ceil(1_000_000_000));
        lines.push(clip(&age, width));
        let rows = self.rows(second);
        let room = width.saturating_sub(NAMES + FIGURES + 1);
        let per_bar = if room < BARS_MIN { 0 } else { self.seconds.len().div_ceil(room).max(1) };
        lines.extend(rows.iter().map(|row| line(row, width, per_bar)));
        if per_bar > 0 {
            let each = if per_bar == 1 {
                "a second".to_owned()
            } else {
                format!("{per_bar} s, latencies their worst")
            };
            lines.push(clip(&format!("{:NAMES$}each bar is {each}; from 0 to the highest", ""), width));
        }
        lines
    }

    /// Which of several it is, and its newest figures.
    pub fn in_short(&self, width: usize) -> Vec<String> {
        let width = width.clamp(20, WIDTH_MAX);
        let RingHead { pid, command, target, .. } = &self.head;
        let figures = self.seconds.back().map(|second| progress_words::figures(&Second::from(second)));
        let step = self.step().map(|step| format!(", {}", progress_words::step(&step))).unwrap_or_default();
        let figures = figures.map(|figures| format!("; {figures}")).unwrap_or_default();
        layout::wrapped(&format!("{pid}  "), &format!("{command} {target}{step}{figures}"), "    ", width)
    }

    /// What is new as lines of a log.
    pub fn news(&self, news: &[MeasurementUpdate]) -> Vec<String> {
        let mut lines = if news.is_empty() { self.titles(100) } else { Vec::new() };
        for one in news {
            match one {
                MeasurementUpdate::Line(_, LiveEvent::Second(second)) => {
                    let left = self.left().after(second.until_ns);
                    lines.push(format!("  {}; {left}", progress_words::figures(&Second::from(second))));
                }
                MeasurementUpdate::Line(_, LiveEvent::Step(step)) => {
                    lines.push(progress_words::step(&StepNotice::from(step)))
                }
                MeasurementUpdate::Line(_, LiveEvent::Saved { run }) => lines.push(format!("  saved {run}")),
                MeasurementUpdate::Gap => lines.push("  some seconds were not read in time".to_owned()),
                MeasurementUpdate::Line(_, LiveEvent::Heat(_) | LiveEvent::Ended | LiveEvent::Unknown) => {}
            }
        }
        lines
    }

    fn step(&self) -> Option<StepNotice> {
        self.head.step.as_ref().map(StepNotice::from)
    }

    fn left(&self) -> RemainingTime {
        let at_start_ns = self.head.step.as_ref().and_then(|step| step.left_ns);
        RemainingTime { at_start_ns, simulated: self.head.simulated }
    }

    fn titles(&self, width: usize) -> Vec<String> {
        let RingHead { pid, command, target, devices, campaign, run, .. } = &self.head;
        let on = if devices.is_empty() { String::new() } else { format!(" ({})", devices.join(", ")) };
        let id = campaign.as_deref().or(run.as_deref()).map(|id| format!(", {id}")).unwrap_or_default();
        let mut lines =
            layout::wrapped("", &format!("{command} {target}{on}, process {pid}{id}"), "  ", width);
        if let Some(step) = self.step() {
            let saved = if self.saved > 0 { format!("; {} saved lately", self.saved) } else { String::new() };
            let left = self.left().after(self.until_ns);
            let words = format!("{}; {left}{saved}", progress_words::step(&step));
            lines.extend(layout::wrapped("", &words, "  ", width));
        }
        lines
    }

    fn rows(&self, second: &SecondLine) -> Vec<Row> {
        let each = |of: &dyn Fn(&SecondLine) -> Option<f64>| self.seconds.iter().map(of).collect::<Vec<_>>();
        let row = |name: &str, figure: Option<String>, history: Vec<Option<f64>>, worst| {
            figure.map(|figure| Row { name: name.to_owned(), figure, history, worst })
        };
        let time = |ns: Option<u64>| ns.map(|ns| Nanos(ns).to_string());
        let seen = |ns: Option<u64>| ns.map(|ns| ns as f64);
        let share = |share: f64| format!("{:.0} % of all CPUs", share * 100.0);
        let mut rows = vec![
            row("rate", Some(format!("{} IOPS", Rate(second.iops))), each(&|s| Some(s.iops)), false),
            row(
                "throughput",
                Some(ByteRate(second.throughput_bytes_per_s).to_string()),
                each(&|s| Some(s.throughput_bytes_per_s)),
                false,
            ),
            row("p50", time(second.service_p50_ns), each(&|s| seen(s.service_p50_ns)), true),
            row("p99", time(second.service_p99_ns), each(&|s| seen(s.service_p99_ns)), true),
            row("p99.9", time(second.service_p999_ns), each(&|s| seen(s.service_p999_ns)), true),
            row("in flight", Some(format!("{:.1}", second.in_flight)), each(&|s| Some(s.in_flight)), false),
            row("fathom", second.cpus.map(|cpus| format!("{cpus:.2} CPUs")), each(&|s| s.cpus), false),
            row("machine", second.cpu_busy.map(share), each(&|s| s.cpu_busy), false),
        ];
        let errors: u64 = self.seconds.iter().map(|second| second.errors).fold(0, u64::saturating_add);
        let errors = (errors > 0).then(|| format!("{errors} in these seconds"));
        rows.push(row("errors", errors, each(&|s| Some(s.errors as f64)), false));
        for (at, device) in second.devices.iter().enumerate() {
            rows.push(row(&device.name, figures_of(device), each(&|s| load_of(s.devices.get(at)?)), false));
        }
        rows.into_iter().flatten().collect()
    }
}

/// What a device did, in words.
fn figures_of(device: &DeviceLine) -> Option<String> {
    let sum = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(|a, b| a + b);
    let rate = Rate(sum(device.reads, device.writes)?);
    let bytes = sum(device.read_bytes, device.write_bytes).map(|bytes| format!(", {}", ByteRate(bytes)));
    Some(format!("{rate}/s{}", bytes.unwrap_or_default()))
}

fn load_of(device: &DeviceLine) -> Option<f64> {
    device.reads.into_iter().chain(device.writes).reduce(|a, b| a + b)
}

/// A figure with its bars, each of `per_bar` seconds; 0 for none.
fn line(row: &Row, width: usize, per_bar: usize) -> String {
    let name = clip(&row.name, NAMES - 1);
    if per_bar == 0 {
        let aligned = format!("{name:<NAMES$}{}", row.figure);
        let forms = [aligned, format!("{name} {}", row.figure)];
        let fitting = forms.into_iter().find(|form| form.chars().count() <= width);
        // The unit says what it is.
        return fitting.unwrap_or_else(|| clip(&row.figure, width));
    }
    let of = |seconds: &[Option<f64>]| {
        let known: Vec<f64> = seconds.iter().flatten().copied().collect();
        match row.worst {
            true => known.into_iter().reduce(f64::max),
            false => (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64),
        }
    };
    // The newest bar is whole, so that bars do not change as they move.
    let bars = bars(row.history.rchunks(per_bar).rev().map(of));
    clip(&format!("{name:<NAMES$}{:<FIGURES$} {bars}", row.figure), width)
}

#[cfg(test)]
mod tests {
    use fathom_campaign::live_seconds::StepLine;

    use super::*;

    fn second(at: u64) -> SecondLine {
        let device =
            DeviceLine { name: "nvme1n1".to_owned(), reads: Some(87_000.0), ..DeviceLine::default() };
        SecondLine {
            until_ns: (at + 1) * 1_000_000_000,
            iops: 87_100.0 + at as f64,
            throughput_bytes_per_s: 357e6,
            service_p50_ns: Some(345_000),
            service_p99_ns: Some(1_200_000),
            in_flight: 32.0,
            cpus: Some(0.42),
            cpu_busy: Some(0.21),
            devices: vec![device],
            ..SecondLine::default()
        }
    }

    fn view(seconds: u64) -> View {
        let step = StepLine {
            title: "4 KiB random read".to_owned(),
            number: 2,
            of: 7,
            jobs: 1,
            depth: 32,
            purpose: "climb".to_owned(),
            run_ns: 5_000_000_000,
            left_ns: Some(100_000_000_000),
        };
        let head = RingHead {
            pid: 1234,
            command: "assess".to_owned(),
            target: "/dev/nvme1n1".to_owned(),
            devices: vec!["nvme1n1".to_owned()],
            campaign: Some("a-1".to_owned()),
            step: Some(step),
            ..RingHead::default()
        };
        let until_ns = seconds * 1_000_000_000;
        View { head, seconds: (0..seconds).map(second).collect(), until_ns, saved: 3, complete: false }
    }

    #[test]
    fn figures_stand_before_their_bars_and_what_was_not_measured_has_no_line() {
        let lines = view(60).lines(80);
        assert_eq!(lines[0], "assess /dev/nvme1n1 (nvme1n1), process 1234, a-1");
        assert!(
            lines[1].starts_with("2 of 7: 4 KiB random read, 1 × 32, climb; 40 s left; 3 saved"),
            "{lines:?}"
        );
        let of = |name: &str| lines.iter().find(|line| line.starts_with(name)).unwrap();
        assert!(of("rate").contains("87.2 k IOPS") && of("rate").ends_with('█'), "{lines:?}");
        assert!(of("p99").contains("1.20 ms") && of("fathom").contains("0.42 CPUs"), "{lines:?}");
        assert!(of("nvme1n1").contains("87.0 k/s") && of("machine").contains("21 %"), "{lines:?}");
        assert!(
            !lines.iter().any(|line| line.starts_with("p99.9") || line.starts_with("errors")),
            "{lines:?}"
        );
        assert!(lines.iter().any(|line| line.contains("each bar is 2 s")), "{lines:?}");
    }

    #[test]
    fn every_width_is_kept_and_a_narrow_one_keeps_the_figures() {
        for width in [0, 20, 21, 40, 41, 42, 80, 200, usize::MAX] {
            for seconds in [0, 1, 7, 300] {
                let lines = view(seconds).lines(width);
                let room = width.clamp(20, WIDTH_MAX);
                // What is one word is never cut: it is a path.
                let long = |line: &&String| line.chars().count() >= room && line.trim().contains(' ');
                assert_eq!(lines.iter().find(long), None, "{width}: {lines:?}");
            }
        }
        let narrow = view(300).lines(20);
        assert!(narrow.iter().any(|line| line == "rate 87.4 k IOPS"), "{narrow:?}");
        assert!(view(0).lines(80).concat().contains("no second"));
    }

    #[test]
    fn a_log_has_a_line_for_each_second() {
        let view = view(1);
        assert_eq!(view.news(&[]).len(), 2);
        let news = [
            MeasurementUpdate::Line(0, LiveEvent::Second(second(0))),
            MeasurementUpdate::Gap,
            MeasurementUpdate::Line(2, LiveEvent::Ended),
        ];
        let lines = view.news(&news);
        assert_eq!(lines[0], "  87.1 k IOPS, 357 MB/s, p99 1.20 ms; 1 min 39 s left");
        assert_eq!(lines.len(), 2);
    }
}
