//! fathom's own run records, from `--json` files: they come in as they are.

use std::io::BufRead;

use fathom_record::parse_run;

use crate::Refusal;
use crate::result_import::{Confidence, Context, Head, ImportedItem, Importer, whole};

/// Reads `fathom run --json` and `fathom show --json`.
pub const IMPORTER: Importer = Importer { name: "fathom-run", title: "fathom's own run record", sniff, read };

fn sniff(head: &Head<'_>) -> Confidence {
    if head.contains("\"fathom.run\"") { Confidence::Certain } else { Confidence::No }
}

fn read(input: &mut dyn BufRead, _: &Context) -> Result<Vec<ImportedItem>, Refusal> {
    const EXPECTED: &str = "fathom run record";
    let bytes = whole(input, EXPECTED)?;
    let record = parse_run(&bytes).map_err(|error| Refusal::new(EXPECTED, error.cause).or(error.remedy))?;
    Ok(vec![ImportedItem::Run(Box::new(record))])
}
