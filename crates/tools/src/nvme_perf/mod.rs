//! SPDK's spdk_nvme_perf (`perf` in older versions): its text, with the histograms of `-L`.

pub mod workload_as_command;

use std::io::BufRead;

use fathom_record::RecordOrigin;

use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, text, whole};
use crate::spdk;
use crate::spdk::record::record_of;

/// Reads what spdk_nvme_perf prints.
pub const IMPORTER: Importer =
    Importer { name: "spdk-nvme-perf", title: "SPDK spdk_nvme_perf text output", sniff, read };

const WHAT: &str = "spdk_nvme_perf text";
const TOOL: &str = "spdk_nvme_perf";

fn sniff(head: &Head<'_>) -> Confidence {
    let has = |needle: &str| head.contains(needle);
    // Bdevperf has the same table with a time or failures in it.
    let table = has("Device Information") && has("Average") && !has("runtime(s)") && !has("Fail/s");
    match (table, has(" from core ")) {
        (true, true) => Confidence::Certain,
        (true, false) => Confidence::Likely,
        (false, _) if has("Associating ") && has(" with lcore ") => Confidence::Possible,
        _ => Confidence::No,
    }
}

fn read(input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    let bytes = whole(input, WHAT)?;
    let mut origin = RecordOrigin { parser: "spdk_nvme_perf text".to_owned(), ..RecordOrigin::default() };
    let text = text(&bytes, &mut origin);
    let outcomes = spdk::read(&text, WHAT)?;
    let several = outcomes.len() > 1;
    let record = |(at, outcome)| {
        let part = if several { format!("result {}", at + 1) } else { String::new() };
        ImportedItem::Run(Box::new(record_of(
            outcome,
            TOOL,
            RecordOrigin { part, ..origin.clone() },
            context,
        )))
    };
    Ok(outcomes.iter().enumerate().map(record).collect())
}
