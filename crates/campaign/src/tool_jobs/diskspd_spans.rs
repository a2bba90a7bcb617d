//! From a mapped time span of diskspd to a run plan, and from the runs' records to diskspd's result.

use fathom_record::RunRecord;
use fathom_tools::diskspd::record_conversion::span_of;
use fathom_tools::diskspd::{MappedSpan, Profile, Results};

use crate::single_run::this_tool;
use fathom_plan::{RunOptions, RunPlan};

/// A time span that was run: its record, and its targets as diskspd names them.
#[derive(Clone, Debug)]
pub struct SpanRun {
    /// What was measured.
    pub record: RunRecord,
    /// In the order of the record's targets.
    pub paths: Vec<String>,
}

/// The plan of one time span. `engine` is what the user asked for; `permits`, `check_empty` and `keep` are as in
/// any plan.
pub fn diskspd_plan(
    span: &MappedSpan,
    engine: Option<&str>,
    permits: &[String],
    check_empty: bool,
    keep: bool,
) -> RunPlan {
    let run = span.run.clone();
    let options = RunOptions { permits: permits.to_vec(), check_empty, keep, ..run.options };
    RunPlan { engine: engine.map(str::to_owned).or(run.engine), options, ..run }
}

/// The result of all time spans that were run, in diskspd's words. `computer` is the machine's name.
pub fn diskspd_results(profile: &Profile, ran: &[SpanRun], computer: Option<String>) -> Results {
    let tool = this_tool();
    let first = ran.first().map(|span| &span.record);
    let spans = profile.spans.iter().zip(ran);
    Results {
        command_line: profile.command_line.clone(),
        version: Some(format!("{} {}", tool.name, tool.version)),
        version_date: None,
        computer,
        started: first.and_then(|record| started(&record.started_at)),
        processors: first.map(|record| u64::from(record.environment.cpus)).filter(|cpus| *cpus > 0),
        spans: spans.map(|(span, ran)| span_of(&ran.record, span, &ran.paths)).collect(),
        profile: Some(profile.clone()),
        quirks: Vec::new(),
    }
}

/// `2026-11-20T22:46:54.123Z` as diskspd writes it, `2026/11/20 22:46:54 UTC`.
fn started(at: &str) -> Option<String> {
    let (date, time) = at.split_once('T')?;
    Some(format!("{} {} UTC", date.replace('-', "/"), time.get(..8)?))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fathom_tools::diskspd::{Command, Drives, map, print_text, read_command};

    use super::*;
    use crate::{NoProgress, run_once};

    fn run(line: &str) -> (Profile, Vec<SpanRun>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Ok(Command::Run(profile)) = read_command(&words, 1) else { unreachable!("{line}") };
        let mapping = map(&profile.spans[0], &Drives::default(), &|_| None).expect(line);
        let plan = diskspd_plan(&mapping, None, &[], false, false);
        let record = run_once(&plan, &mut NoProgress, &AtomicBool::new(false)).expect(line);
        (*profile, vec![SpanRun { record, paths: mapping.paths }])
    }

    #[test]
    fn a_simulated_run_prints_totals_that_are_the_sums_of_its_rows() {
        let (profile, ran) = run("-b4K -r -w30 -o8 -t3 -d4 -W1 -Su -L -D sim:nvme");
        let results = diskspd_results(&profile, &ran, Some("here".to_owned()));
        let span = &results.spans[0];
        for (title, total) in span.totals.each() {
            let total = total.expect(title);
            let of = |row: &fathom_tools::diskspd::results::ThreadRow| {
                let sections = row.counts.each();
                sections
                    .iter()
                    .find(|(name, _)| *name == title)
                    .and_then(|(_, counts)| **counts)
                    .expect(title)
            };
            assert!(total.operations > 0, "{title}");
            assert_eq!(
                span.rows.iter().map(|row| of(row).operations).sum::<u64>(),
                total.operations,
                "{title}"
            );
            assert_eq!(span.rows.iter().map(|row| of(row).bytes).sum::<u64>(), total.bytes, "{title}");
            let mean: f64 =
                span.rows.iter().map(|row| of(row).mean_ms.unwrap() * of(row).operations as f64).sum::<f64>()
                    / total.operations as f64;
            assert!((mean / total.mean_ms.unwrap() - 1.0).abs() < 1e-9, "{title}: {mean}");
        }
        assert_eq!(span.seconds, Some(4.0));
        assert_eq!(span.iops.len(), 4);
        let text = print_text::print(&results);
        for line in [
            "performing mix test (read/write ratio: 70/30)",
            "actual test time:\t4.00s",
            "thread count:\t\t3",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }

    #[test]
    fn a_limit_holds_for_each_thread() {
        let (_, ran) = run("-b4K -r -w0 -o8 -t2 -d4 -W1 -g500i sim:nvme");
        let rate = ran[0].record.summary.operations_per_s();
        assert!((rate - 1000.0).abs() < 5.0, "{rate}");
    }
}
