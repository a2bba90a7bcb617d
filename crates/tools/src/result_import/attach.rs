//! Telemetry of one file beside the run of another.

use fathom_record::RunRecord;
use fathom_record::environment_facts::Environment;
use fathom_record::telemetry::AbsentSource;
use jiff::Timestamp;

use super::ForeignTelemetry;

/// How telemetry was put beside a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// By calendar time, which both tell.
    ByTime,
    /// Both counted from the same start, because one tells no time.
    BySameStart,
    /// Not at all: by calendar time they do not overlap.
    Apart,
}

/// Puts telemetry beside a run, on the run's time axis. Series of another cadence than those that are there
/// already lie on an axis of their own, so the axes are merged and what was not sampled is absent.
pub fn attach(run: &mut RunRecord, found: &ForeignTelemetry) -> Attachment {
    let stands = run.origin.as_ref().is_none_or(|origin| origin.why_absent("started_at").is_none());
    let time = |text: &str| text.parse::<Timestamp>().ok();
    let both = found.started_at.as_deref().and_then(time).zip(time(&run.started_at).filter(|_| stands));
    let (shift_ns, how) = match both {
        Some((theirs, ours)) => match i64::try_from(theirs.duration_since(ours).as_nanos()) {
            Ok(shift) => (shift, Attachment::ByTime),
            Err(_) => return Attachment::Apart,
        },
        None => (0, Attachment::BySameStart),
    };
    let at_ns: Vec<i64> = found.telemetry.at_ns.iter().map(|at| at.saturating_add(shift_ns)).collect();
    let end_ns = i64::try_from(run.summary.duration_ns).unwrap_or(i64::MAX);
    if how == Attachment::ByTime && !at_ns.iter().any(|at| (0..=end_ns).contains(at)) {
        return Attachment::Apart;
    }
    merge(run, found, &at_ns);
    let from = if found.origin.file.is_empty() { found.tool.name.clone() } else { found.origin.file.clone() };
    run.notes.push(match how {
        Attachment::BySameStart => {
            format!(
                "Telemetry of {from} is attached to the run as if both had started together: a time is missing."
            )
        }
        _ => format!("Telemetry of {from} is attached to the run by calendar time."),
    });
    how
}

fn merge(run: &mut RunRecord, found: &ForeignTelemetry, at_ns: &[i64]) {
    let own = &mut run.telemetry;
    let mut axis: Vec<i64> = own.at_ns.iter().chain(at_ns).copied().collect();
    axis.sort_unstable();
    axis.dedup();
    let placed = |times: &[i64], values: &[Option<f64>]| {
        let mut all = vec![None; axis.len()];
        for (time, value) in times.iter().zip(values) {
            if let Ok(at) = axis.binary_search(time) {
                all[at] = *value;
            }
        }
        all
    };
    for series in &mut own.series {
        series.values = placed(&own.at_ns, &series.values);
    }
    for series in &found.telemetry.series {
        let mut series = series.clone();
        series.values = placed(at_ns, &series.values);
        own.series.push(series);
    }
    let absent: Vec<AbsentSource> =
        found.telemetry.absent.iter().filter(|a| !own.absent.contains(a)).cloned().collect();
    own.absent.extend(absent);
    own.at_ns = axis;
    if run.environment == Environment::default() {
        run.environment = found.environment.clone();
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::RecordOrigin;
    use fathom_record::run_record::Tool;
    use fathom_record::telemetry::{MetricSeries, Telemetry};

    use super::super::{Context, blank};
    use super::*;

    fn tool(name: &str) -> Tool {
        Tool { name: name.to_owned(), version: "1".to_owned() }
    }

    fn run_at(started_at: &str) -> RunRecord {
        let mut run = blank(tool("fio"), RecordOrigin::default(), &Context::default());
        run.started_at = started_at.to_owned();
        run.summary.duration_ns = 10_000_000_000;
        run
    }

    fn found_at(started_at: Option<&str>) -> ForeignTelemetry {
        let series = MetricSeries {
            metric: "cpu.busy".to_owned(),
            label: String::new(),
            unit: "share".to_owned(),
            source: "mpstat".to_owned(),
            values: vec![Some(0.25), Some(0.5)],
        };
        let at_ns = vec![1_000_000_000, 2_000_000_000];
        ForeignTelemetry {
            tool: tool("mpstat"),
            started_at: started_at.map(str::to_owned),
            telemetry: Telemetry { at_ns, series: vec![series], ..Telemetry::default() },
            environment: Environment::default(),
            origin: RecordOrigin::default(),
        }
    }

    #[test]
    fn times_decide_where_samples_lie() {
        let mut run = run_at("2026-11-20T10:00:00Z");
        assert_eq!(attach(&mut run, &found_at(Some("2026-11-20T10:00:03Z"))), Attachment::ByTime);
        assert_eq!(run.telemetry.at_ns, [4_000_000_000, 5_000_000_000]);
        assert_eq!(attach(&mut run, &found_at(None)), Attachment::BySameStart);
        assert_eq!(run.telemetry.at_ns, [1_000_000_000, 2_000_000_000, 4_000_000_000, 5_000_000_000]);
        assert_eq!(run.telemetry.series[0].values, [None, None, Some(0.25), Some(0.5)]);
        assert_eq!(run.telemetry.series[1].values, [Some(0.25), Some(0.5), None, None]);
    }

    #[test]
    fn what_happened_at_another_time_stays_away() {
        let mut run = run_at("2026-11-20T10:00:00Z");
        assert_eq!(attach(&mut run, &found_at(Some("2026-11-20T11:00:00Z"))), Attachment::Apart);
        assert_eq!(run.telemetry, Telemetry::default());
    }

    #[test]
    fn a_start_that_is_only_the_files_time_decides_nothing() {
        let mut run = run_at("2026-11-20T10:00:00Z");
        run.origin.as_mut().unwrap().lacks("started_at", "not told");
        assert_eq!(attach(&mut run, &found_at(Some("2026-11-20T11:00:00Z"))), Attachment::BySameStart);
    }
}
