//! What fio's steady-state detection found, as figures that the file states and as series beside the run.
//!
//! fio keeps one sample for each interval of its window, of all directions together, and prints them oldest first
//! (`stat.c`, `add_ddir_status_json` and what follows it).

use fathom_record::RecordOrigin;
use fathom_record::provenance::StatedTotal;
use fathom_record::telemetry::{MetricSeries, Telemetry};

use super::result_document::Job;
use super::scan::{Kind, Scanner, Stop};

/// A `steadystate` block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SteadyState {
    /// As `iops:50%`: what is watched, and the limit.
    pub rule: String,
    pub attained: bool,
    /// Length of the window.
    pub duration_s: Option<u64>,
    /// What was held against the limit, e.g. `0.049975%`.
    criterion: String,
    max_deviation: Option<f64>,
    slope: Option<f64>,
    iops_mean: Option<f64>,
    bw_mean: Option<f64>,
    iops: Vec<f64>,
    /// Bytes per second.
    bw: Vec<f64>,
}

impl SteadyState {
    /// Reads the block that comes next; none where something else stands there.
    pub fn read(scanner: &mut Scanner<'_>) -> Result<Option<Self>, Stop> {
        if scanner.kind()? != Kind::Object {
            return scanner.skip().map(|()| None);
        }
        let mut found = Self::default();
        scanner.object(|scanner, key| {
            match key {
                b"ss" => found.rule = scanner.text()?.unwrap_or_default(),
                b"attained" => found.attained = scanner.count()? == Some(1),
                b"duration" => found.duration_s = scanner.count()?,
                b"criterion" => found.criterion = scanner.text()?.unwrap_or_default(),
                b"max_deviation" => found.max_deviation = scanner.number()?,
                b"slope" => found.slope = scanner.number()?,
                b"data" if scanner.kind()? == Kind::Object => return found.samples(scanner),
                _ => scanner.skip()?,
            }
            Ok(())
        })?;
        Ok(Some(found))
    }

    fn samples(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Stop> {
        scanner.object(|scanner, key| {
            match key {
                b"iops_mean" => self.iops_mean = scanner.number()?,
                b"bw_mean" => self.bw_mean = scanner.number()?,
                b"iops" => self.iops = numbers(scanner)?,
                b"bw" => self.bw = numbers(scanner)?,
                _ => scanner.skip()?,
            }
            Ok(())
        })
    }

    /// Nanoseconds from one sample to the next: the window has as many intervals as samples.
    fn interval_ns(&self) -> Option<i64> {
        let samples = self.iops.len().max(self.bw.len()) as u64;
        let window_ns = self.duration_s?.checked_mul(1_000_000_000)?;
        i64::try_from(window_ns.checked_div(samples)?).ok().filter(|ns| *ns > 0)
    }

    /// Whether each sample was taken: a window that was never full ends in zeros.
    fn is_full(&self) -> bool {
        let ends_in_zero = |samples: &[f64]| samples.last().is_some_and(|last| *last == 0.0);
        self.attained || !(ends_in_zero(&self.iops) || ends_in_zero(&self.bw))
    }

    /// The figures, as the file states them.
    fn state(&self, at: &str, origin: &mut RecordOrigin) {
        let (criterion, unit) = match self.criterion.strip_suffix('%') {
            Some(percent) => (percent, "percent"),
            None if self.rule.starts_with("bw") => (self.criterion.as_str(), "bytes/s"),
            None => (self.criterion.as_str(), "operations/s"),
        };
        let figures = [
            ("attained", Some(f64::from(u8::from(self.attained))), "1 for yes"),
            ("duration", self.duration_s.map(|s| s as f64), "s"),
            ("criterion", criterion.trim().parse().ok().filter(|value: &f64| value.is_finite()), unit),
            ("max_deviation", self.max_deviation, "as the rule"),
            ("slope", self.slope, "as the rule"),
            ("iops_mean", self.iops_mean, "operations/s"),
            ("bw_mean", self.bw_mean, "bytes/s"),
        ];
        for (name, value, unit) in figures {
            if let Some(value) = value {
                let name = format!("{at}.steadystate.{name}");
                origin.stated.push(StatedTotal { name, value, unit: unit.to_owned() });
            }
        }
    }
}

fn numbers(scanner: &mut Scanner<'_>) -> Result<Vec<f64>, Stop> {
    let mut out = Vec::new();
    if scanner.kind()? != Kind::Array {
        return scanner.skip().map(|()| out);
    }
    scanner.array(|scanner| {
        out.extend(scanner.number()?);
        Ok(())
    })?;
    Ok(out)
}

/// The samples of the jobs' windows beside the run, and the figures in its origin; `list` and `first` say where in the
/// file the jobs stand. Windows of one length have one axis: the jobs of a run end together.
pub fn telemetry(
    jobs: &[Job],
    (list, first): (&str, usize),
    run_ns: u64,
    origin: &mut RecordOrigin,
) -> Telemetry {
    let mut out = Telemetry::default();
    let states = jobs.iter().enumerate().filter_map(|(n, job)| Some((n, job.steady_state.as_ref()?)));
    for (number, state) in states.filter(|(_, state)| !state.rule.is_empty()) {
        state.state(&format!("{list}[{}]", first + number), origin);
        let samples = state.iops.len().max(state.bw.len());
        if samples == 0 {
            continue;
        }
        let Some(interval_ns) = state.interval_ns().filter(|_| state.is_full()) else {
            let reason = "the window of fio's steady state was never full, and its samples have no times";
            origin.lacks("telemetry.fio.steadystate", reason);
            continue;
        };
        // The last sample is taken when the run ends, or less than an interval before.
        let end_ns = i64::try_from(run_ns).unwrap_or(i64::MAX);
        let times: Vec<i64> = (0..samples as i64)
            .rev()
            .map(|back| end_ns.saturating_sub(back.saturating_mul(interval_ns)))
            .collect();
        if out.at_ns.is_empty() {
            out.at_ns = times;
            let what =
                "fio prints no times for its steady-state samples: the last is put at the end of the run";
            origin.quirk("steadystate_times", what);
        } else if out.at_ns != times {
            origin.lacks(
                "telemetry.fio.steadystate",
                "jobs with windows of several lengths have no common times",
            );
            continue;
        }
        let label = if jobs.len() > 1 { format!("job {number}") } else { String::new() };
        for (metric, unit, values) in [
            ("fio.steadystate.iops", "operations/s", &state.iops),
            ("fio.steadystate.bandwidth", "bytes/s", &state.bw),
        ] {
            if values.len() == samples {
                out.series.push(MetricSeries {
                    metric: metric.to_owned(),
                    label: label.clone(),
                    unit: unit.to_owned(),
                    source: "fio steadystate".to_owned(),
                    values: values.iter().copied().map(Some).collect(),
                });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> (Telemetry, RecordOrigin) {
        let state = SteadyState::read(&mut Scanner::new(&mut block.as_bytes())).expect("a block");
        let job = Job { steady_state: state, ..Job::default() };
        let mut origin = RecordOrigin::default();
        let found = telemetry(&[job], ("jobs", 2), 5_000_000_000, &mut origin);
        (found, origin)
    }

    const ATTAINED: &str = r#"{"ss": "iops:50.000000%", "duration": 3, "attained": 1, "criterion": "0.049975%",
        "max_deviation": 1.0, "slope": 0.0, "data": {"bw_mean": 8196098, "iops_mean": 2001,
        "iops": [2000, 2001, 2002], "bw": [8192000, 8196096, 8200200]}} "#;

    #[test]
    fn samples_of_a_full_window_end_with_the_run() {
        let (found, origin) = read(ATTAINED);
        assert_eq!(found.at_ns, [3_000_000_000, 4_000_000_000, 5_000_000_000]);
        let iops = found.find("fio.steadystate.iops", "").expect("a series");
        assert_eq!(iops.values, [Some(2000.0), Some(2001.0), Some(2002.0)]);
        assert_eq!(
            found.find("fio.steadystate.bandwidth", "").and_then(MetricSeries::max),
            Some(8_200_200.0)
        );
        let stated = |name: &str| {
            let name = format!("jobs[2].steadystate.{name}");
            origin
                .stated
                .iter()
                .find(|total| total.name == name)
                .map(|total| (total.value, total.unit.as_str()))
        };
        assert_eq!(stated("criterion"), Some((0.049975, "percent")));
        assert_eq!(stated("attained"), Some((1.0, "1 for yes")));
        assert_eq!(stated("bw_mean"), Some((8_196_098.0, "bytes/s")));
    }

    #[test]
    fn a_window_that_was_never_full_gives_figures_and_no_series() {
        let block = ATTAINED.replace("\"attained\": 1", "\"attained\": 0").replace("2002]", "0]");
        let (found, origin) = read(&block);
        assert_eq!(found, Telemetry::default());
        assert!(origin.why_absent("telemetry.fio.steadystate").is_some());
        assert!(origin.stated.iter().any(|total| total.name.ends_with(".slope")));
    }

    #[test]
    fn odd_blocks_are_passed_over() {
        for block in ["7 ", "{} ", r#"{"ss": "bw:1%", "duration": 0, "data": {"iops": [1, "x", {}]}} "#] {
            assert_eq!(read(block).0, Telemetry::default(), "{block}");
        }
    }
}
