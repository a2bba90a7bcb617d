//! `runs/ID/analysis`: what a run's seconds say, and where their rate changed its level, by the same code as
//! `fathom analyse`.

use fathom_campaign::{AnalysisSubject, WHOLE_SECOND_NS, analyse};
use fathom_record::analysis_record::Level;
use fathom_report::analysis_findings;
use fathom_store::Store;
use serde::Serialize;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};
use crate::shelf::Shelf;

#[derive(Serialize)]
struct AnalysisAnswer {
    format: &'static str,
    version: u32,
    /// Whether the seconds are steady, in a word.
    verdict: &'static str,
    /// In sentences: why they are not, and cliffs and modes of the latencies.
    findings: Vec<String>,
    /// Stretches between changes of the level; one where there was none.
    levels: Vec<Stretch>,
}

/// A level, in seconds from the run's first I/O.
#[derive(Serialize)]
struct Stretch {
    from_s: f64,
    until_s: f64,
    rate_per_s: f64,
}

pub(super) fn answer(
    shelf: &mut Shelf,
    id: &str,
    mut parameters: QueryParameters,
) -> Result<Answer, Refusal> {
    let store = super::store(shelf, &mut parameters)?;
    parameters.end()?;
    store.run_row(id)?;
    let path = store.path().to_owned();
    let open = || Store::open_read_only(&path);
    let analysis = analyse(&open, AnalysisSubject::Run(id), 1)?;
    let Some(run) = analysis.runs.first() else {
        return Err(Refusal::new(500, "store", analysis.unreadable.join("; ")));
    };
    json(&AnalysisAnswer {
        format: "fathom.page.analysis",
        version: 1,
        verdict: run.steadiness.verdict.name(),
        findings: analysis_findings(&analysis),
        levels: stretches(store, id, &run.levels)?,
    })
}

/// Levels count whole seconds behind the warm-up; here they are in the run's own time.
fn stretches(store: &Store, id: &str, levels: &[Level]) -> Result<Vec<Stretch>, Refusal> {
    let mut whole = Vec::new();
    store.visit_intervals(id, |interval| {
        if !interval.warmup && interval.duration_ns >= WHOLE_SECOND_NS {
            whole.push((interval.start_ns, interval.start_ns.saturating_add(interval.duration_ns)));
        }
    })?;
    let at = |second: u32| whole.get(second as usize);
    let stretch = |level: &Level| {
        let (from, until) = (at(level.from_s)?.0, at(level.to_s.checked_sub(1)?)?.1);
        Some(Stretch { from_s: from as f64 / 1e9, until_s: until as f64 / 1e9, rate_per_s: level.rate_per_s })
    };
    Ok(levels.iter().filter_map(stretch).collect())
}

#[cfg(test)]
mod tests {
    use fathom_record::RunRecord;

    use super::super::tests::{ask, record, refused, shelf};

    /// A run whose rate halves at second 80, behind a warm-up of one second.
    fn falling() -> RunRecord {
        let (mut run, slow) = (record(1, 160, 400), record(1, 160, 200));
        for (at, interval) in slow.intervals.into_iter().enumerate().skip(80) {
            run.intervals[at] = interval;
        }
        run
    }

    #[test]
    fn a_level_that_falls_is_placed_in_the_run_s_own_time() {
        let run = falling();
        let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
        let found = ask(&mut shelf, &format!("runs/{}/analysis", run.id), "");
        let levels = found["levels"].as_array().unwrap();
        assert_eq!(levels.len(), 2, "{found}");
        let figures =
            |at: usize| ["from_s", "until_s", "rate_per_s"].map(|name| levels[at][name].as_f64().unwrap());
        // Where a level ends is known to a second.
        let near = |found: [f64; 3], [from, until, rate]: [f64; 3]| {
            let far = (found[0] - from).abs().max((found[1] - until).abs());
            far <= 1.0 && (found[2] / rate - 1.0).abs() < 0.01
        };
        assert!(near(figures(0), [1.0, 80.0, 400.0]) && near(figures(1), [80.0, 160.0, 200.0]), "{found}");
        assert_eq!(figures(0)[1], figures(1)[0], "one begins where the other ends");
        assert!(found["verdict"] != "steady" && found["findings"][0].as_str().is_some(), "{found}");
    }

    #[test]
    fn a_run_without_seconds_has_no_level_and_one_that_is_not_there_is_said_not_to_be() {
        let mut run = record(1, 3, 50);
        run.intervals.clear();
        let (_folder, mut shelf) = shelf(std::slice::from_ref(&run));
        let found = ask(&mut shelf, &format!("runs/{}/analysis", run.id), "");
        assert_eq!(found["levels"].as_array().map(Vec::len), Some(0), "{found}");
        assert_eq!(refused(&mut shelf, "runs/none/analysis", "").status, 404);
        let one = format!("runs/{}/analysis", run.id);
        assert_eq!(refused(&mut shelf, &one, "store=1").status, 404);
        assert_eq!(refused(&mut shelf, &one, "width=1").status, 400);
    }
}
