//! Telemetry as an import: how the tools of [`OBSERVERS`] are told apart there, and what is kept of a text.

use std::io::BufRead;

use fathom_record::RecordOrigin;
use fathom_record::environment_facts::Environment;
use fathom_record::provenance::StatedTotal;
use fathom_record::run_record::Tool;
use fathom_record::telemetry::MetricSeries;

use crate::Refusal;
use crate::foreign_series::{Banner, MachineTables, Times};
use crate::observers::{OBSERVERS, observer, stranger};
use crate::result_import::{Confidence, ForeignTelemetry, Head, ImportedItem, Importer, whole};

/// What looks like telemetry and cannot be: it is refused with what it is.
pub const STRANGER: Importer = Importer {
    name: "not-telemetry",
    title: "columns of bare numbers and lists of processes, refused with what is missing",
    sniff: |head| {
        let text = String::from_utf8_lossy(head.bytes);
        if crate::observers::is_stranger(&text) { Confidence::Possible } else { Confidence::No }
    },
    read: |input, _| Err(stranger(&whole(input, "telemetry")?)),
};

/// How sure it is that a file is of the tool.
pub(crate) fn sniff(head: &Head<'_>, name: &str) -> Confidence {
    let found = observer(head.bytes).is_some_and(|observer| observer.name == name);
    if found { Confidence::Likely } else { Confidence::No }
}

/// What a file of the tool holds.
pub(crate) fn read(input: &mut dyn BufRead, name: &'static str) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, name)?;
    let observer = OBSERVERS.iter().find(|observer| observer.name == name);
    let observe = observer.expect("every importer here is of a tool of the list").observe;
    Ok(vec![ImportedItem::Telemetry(Box::new(foreign(observe(&bytes)?)))])
}

/// An observation as the store keeps it: doubts as quirks, the tool's own means as totals that it states.
fn foreign(observed: MachineTables) -> ForeignTelemetry {
    let mut origin = RecordOrigin {
        parser: observed.tool.to_owned(),
        era: observed.era.to_owned(),
        ..RecordOrigin::default()
    };
    for (number, note) in observed.notes.iter().enumerate() {
        origin.quirk(&format!("note_{}", number + 1), note.clone());
    }
    if observed.times == Times::Counted {
        origin.lacks("telemetry.at_ns", format!("{} states no times; reports are counted", observed.tool));
    }
    origin.stated =
        [("mean since the machine started", &observed.since_boot), ("mean over all", &observed.averages)]
            .into_iter()
            .flat_map(|(what, list)| list.iter().filter_map(move |series| stated(what, series)))
            .collect();
    let started_at = observed.start_utc_s.and_then(|s| jiff::Timestamp::from_second(s).ok());
    ForeignTelemetry {
        tool: Tool { name: observed.tool.to_owned(), version: String::new() },
        started_at: started_at.map(|moment| moment.to_string()),
        environment: observed.banner.as_ref().map(environment).unwrap_or_default(),
        telemetry: observed.telemetry,
        origin,
    }
}

fn stated(what: &str, series: &MetricSeries) -> Option<StatedTotal> {
    let value = series.values.first().copied().flatten()?;
    let of = if series.label.is_empty() { String::new() } else { format!(" of {}", series.label) };
    Some(StatedTotal { name: format!("{what}: {}{of}", series.metric), value, unit: series.unit.clone() })
}

fn environment(banner: &Banner) -> Environment {
    Environment {
        os: banner.system.clone(),
        kernel: banner.release.clone(),
        cpus: banner.processors.unwrap_or(0),
        ..Environment::default()
    }
}
