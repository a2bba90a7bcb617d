//! Records of other tools: the words for what they do not tell, and for where they come from.

use fathom_record::RunRecord;

use crate::number;
use crate::sheet::{Entry, entry};

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

/// What the file says nothing of, as sentences.
pub fn gaps(run: &RunRecord) -> Vec<String> {
    let origin = run.origin.iter();
    origin.flat_map(|o| &o.absent).map(|absent| format!("{}: {}", absent.field, absent.reason)).collect()
}

#[cfg(test)]
mod tests {
    use fathom_record::Origin;
    use fathom_record::run::Tool;

    use crate::terminal::{self, Style};

    #[test]
    fn what_the_tool_did_not_report_is_said_and_never_a_number() {
        let json = include_bytes!("../../../fuzz/seeds/record/run.json");
        let mut run = fathom_record::parse_run(json).expect("a record");
        run.tool = Tool { name: "fio".to_owned(), version: "2.1.4".to_owned() };
        let mut origin =
            Origin { file: "old.json".to_owned(), parser: "fio JSON".to_owned(), ..Origin::default() };
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
