//! Records of other tools: the words for what they do not tell, and for where they come from.

use fathom_record::RunRecord;

use crate::sheet::{Entry, entry, series_sheet};
use crate::{number, value_words};

/// The text, or that it was not measured, or not reported by the tool that measured.
pub fn known(run: &RunRecord, text: Option<String>) -> String {
    text.unwrap_or_else(|| missing(run))
}

/// What stands in the place of a number that the record does not have.
pub fn missing(run: &RunRecord) -> String {
    if run.is_imported() { format!("not reported by {}", tool(run)) } else { number::NOT_MEASURED.to_owned() }
}

/// The tool and its version, as `fio 2.1.4`.
pub fn tool(run: &RunRecord) -> String {
    format!("{} {}", run.tool.name, run.tool.version).trim_end().to_owned()
}

/// Where an imported record was read from; nothing for fathom's own.
pub fn origin(run: &RunRecord) -> Vec<Entry> {
    let Some(origin) = &run.origin else { return Vec::new() };
    let part = if origin.part.is_empty() { String::new() } else { format!(", {}", origin.part) };
    let era = if origin.era.is_empty() { String::new() } else { format!(", {}", origin.era) };
    let mut out = vec![
        entry("measured by", tool(run)),
        entry("read from", format!("{}{part} ({}{era})", origin.file, origin.parser)),
        entry("SHA-256", origin.sha256.clone()),
    ];
    out.extend(origin.quirks.iter().map(|quirk| entry(&quirk.name.replace('_', " "), quirk.what.clone())));
    out
}

/// The workload in full; nothing where an imported record only holds guesses of it.
pub fn workload(run: &RunRecord) -> Option<String> {
    is_told(run, "workload").then(|| value_words::workload(&run.workload))
}

/// The I/O in a few words, for titles.
pub fn io(run: &RunRecord) -> String {
    match (is_told(run, "workload"), series_sheet::is_all(run)) {
        (true, _) => value_words::io(&run.workload),
        (false, true) => format!("telemetry of {}", run.tool.name),
        (false, false) => "workload not stated".to_owned(),
    }
}

/// The target; nothing where the file names none.
pub fn target(run: &RunRecord) -> Option<String> {
    is_told(run, "target").then(|| value_words::target(&run.target))
}

/// What a page is of: the I/O and its target.
pub fn title(run: &RunRecord) -> String {
    match is_told(run, "target") {
        true => format!("{} on {}", io(run), run.target.name),
        false => value_words::sentence(&io(run)),
    }
}

fn is_told(run: &RunRecord, field: &str) -> bool {
    run.origin.as_ref().is_none_or(|origin| origin.why_absent(field).is_none())
}

/// What the file says nothing of, as sentences.
pub fn gaps(run: &RunRecord) -> Vec<String> {
    let origin = run.origin.iter();
    origin.flat_map(|o| &o.absent).map(|absent| format!("{}: {}", absent.field, absent.reason)).collect()
}

#[cfg(test)]
mod tests {
    use fathom_record::RecordOrigin;
    use fathom_record::run_record::Tool;

    use crate::terminal::{self, Style};

    #[test]
    fn a_record_of_series_shows_them_and_no_workload() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut run = fathom_record::parse_run(json).expect("a record");
        let mut origin = RecordOrigin { file: "x_clat.log".to_owned(), ..RecordOrigin::default() };
        origin.lacks("workload", "a log names no workload");
        origin.lacks("target", "a log names no target");
        run.origin = Some(origin);
        run.tool = Tool { name: "fio".to_owned(), version: String::new() };
        run.summary.directions.clear();
        (run.checks, run.jobs, run.targets) = (Vec::new(), Vec::new(), Vec::new());
        run.telemetry.at_ns = vec![500_000_000, 1_000_000_000];
        run.telemetry.series = (0..25)
            .map(|at| fathom_record::telemetry::MetricSeries {
                metric: "fio.clat".to_owned(),
                label: format!("write {at}"),
                unit: "ns".to_owned(),
                source: "fio log".to_owned(),
                values: vec![Some(90_000.0), Some(110_000.0)],
            })
            .collect();
        let style = Style { width: 100, ..Style::default() };
        let text = terminal::run(&run, style);
        for told in ["only series over time: 25 of fio", "fio.clat", "100 us", "5 more series"] {
            assert!(text.contains(told), "{told}: {text}");
        }
        for untold in ["workload  ", "random", "in flight", "sees no workload"] {
            assert!(!text.contains(untold), "{untold}: {text}");
        }
        for page in
            [crate::html::run(&run).expect("a page"), crate::markdown::run(&run).expect("a text").text]
        {
            assert!(page.contains("fio.clat") && !page.contains("random"), "{page}");
        }
    }

    #[test]
    fn what_the_tool_did_not_report_is_said_and_never_a_number() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut run = fathom_record::parse_run(json).expect("a record");
        run.tool = Tool { name: "fio".to_owned(), version: "2.1.4".to_owned() };
        let mut origin = RecordOrigin {
            file: "old.json".to_owned(),
            parser: "fio JSON".to_owned(),
            ..RecordOrigin::default()
        };
        origin.lacks("clock", "fio does not report it");
        run.origin = Some(origin);
        (run.clock, run.summary.in_flight_mean, run.summary.cpu_user_ns) = (None, None, None);
        for direction in &mut run.summary.directions {
            direction.errors = None;
            direction.completion = direction.service.take();
        }
        let style = Style { width: 100, ..Style::default() };
        let text = terminal::run(&run, style);
        assert!(text.contains("I/Os in flight not reported by fio 2.1.4"), "{text}");
        assert!(text.contains("read from") && text.contains("old.json (fio JSON)"), "{text}");
        assert!(text.contains("read completion") && text.contains("clock: fio does not report it"), "{text}");
        crate::html::run(&run).expect("a page");
        crate::markdown::run(&run).expect("a text");
    }
}
