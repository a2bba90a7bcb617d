//! The tools whose telemetry is read, as importers.

use std::io::BufRead;

use fathom_record::Origin;
use fathom_record::environment::Environment;
use fathom_record::origin::StatedTotal;
use fathom_record::run::Tool;
use fathom_record::telemetry::MetricSeries;

use crate::import::{Confidence, Context, ForeignTelemetry, Head, Imported, Importer, whole};
use crate::observers::{OBSERVERS, observer, stranger};
use crate::sysstat::table::{Banner, Observed, Times};
use crate::sysstat::{iostat, mpstat, sadf, sar};
use crate::{Refusal, perf_stat, vmstat};

/// `iostat`, text and JSON.
pub const IOSTAT: Importer = Importer {
    name: "iostat",
    title: "iostat text or JSON",
    sniff: |head| sniff(head, iostat::TOOL),
    read: |input, context| read(input, context, iostat::TOOL),
};

/// `sar`, text.
pub const SAR: Importer = Importer {
    name: "sar",
    title: "sar text",
    sniff: |head| sniff(head, sar::TOOL),
    read: |input, context| read(input, context, sar::TOOL),
};

/// `sadf -j`.
pub const SADF: Importer = Importer {
    name: "sadf",
    title: "sadf JSON",
    sniff: |head| sniff(head, sadf::TOOL),
    read: |input, context| read(input, context, sadf::TOOL),
};

/// `mpstat`, text and JSON.
pub const MPSTAT: Importer = Importer {
    name: "mpstat",
    title: "mpstat text or JSON",
    sniff: |head| sniff(head, mpstat::TOOL),
    read: |input, context| read(input, context, mpstat::TOOL),
};

/// `vmstat`.
pub const VMSTAT: Importer = Importer {
    name: "vmstat",
    title: "vmstat text",
    sniff: |head| sniff(head, vmstat::TOOL),
    read: |input, context| read(input, context, vmstat::TOOL),
};

/// `perf stat`, text, CSV and JSON.
pub const PERF_STAT: Importer = Importer {
    name: "perf-stat",
    title: "perf stat text, CSV or JSON",
    sniff: |head| sniff(head, perf_stat::NAME),
    read: |input, context| read(input, context, perf_stat::NAME),
};

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

fn sniff(head: &Head<'_>, name: &str) -> Confidence {
    let found = observer(head.bytes).is_some_and(|observer| observer.name == name);
    if found { Confidence::Likely } else { Confidence::No }
}

fn read(input: &mut dyn BufRead, _: &Context, name: &str) -> Result<Vec<Imported>, Refusal> {
    let bytes = whole(input, name)?;
    let observer = OBSERVERS.iter().find(|observer| observer.name == name);
    let observe = observer.expect("every importer here is of a tool of the list").observe;
    Ok(vec![Imported::Telemetry(Box::new(foreign(observe(&bytes)?)))])
}

/// An observation as the store keeps it: doubts as quirks, the tool's own means as totals that it states.
fn foreign(observed: Observed) -> ForeignTelemetry {
    let mut origin =
        Origin { parser: observed.tool.to_owned(), era: observed.era.to_owned(), ..Origin::default() };
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
