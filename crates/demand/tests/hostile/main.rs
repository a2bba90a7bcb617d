//! Texts that nobody wrote as a demand, and that somebody may have changed: they are read or refused, without a
//! panic, and without holding more than a hundred times their size.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests may fail by panicking"
)]

#[path = "../../../tools/tests/hostile/changed.rs"]
mod changed;
#[path = "../../../tools/tests/hostile/counting.rs"]
mod counting;

use std::collections::BTreeSet;
use std::path::Path;

use fathom_demand::{Text, read};
use fathom_rows::Hints;
use fathom_rows::trace_demand::{TraceSelection, TraceStream};

use crate::changed::{each_changed, files_below, wide};
use crate::counting::within;

#[test]
fn changed_files_of_every_format_are_read_or_refused() {
    each_changed(fathom_skips::folder_named_by("FATHOM_SAMPLES"), |bytes, _| {
        let text = Text { name: "a", bytes };
        within(bytes.len(), "demand", || drop(read(&[text], &Hints::default())));
        within(bytes.len(), "trace", || {
            if let Ok(mut stream) = TraceStream::open(|| Ok(bytes), TraceSelection::default()) {
                while let Ok(Some(_)) = stream.next() {}
            }
        });
    });
}

#[test]
fn demand_is_read_in_either_encoding() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let paths = ["demand", "telemetry"].iter().flat_map(|folder| files_below(&seeds.join(folder)));
    let mut sources = BTreeSet::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let of = |bytes: &[u8]| read(&[Text { name: "a", bytes }], &Hints::default());
        let narrow = of(text.as_bytes());
        for bytes in [wide(&text, u16::to_le_bytes), wide(&text, u16::to_be_bytes)] {
            assert_eq!(of(&bytes), narrow, "{}", path.display());
        }
        sources.extend(narrow.ok().map(|found| found.source));
    }
    for source in ["Alibaba trace", "blkparse"] {
        assert!(sources.contains(source), "{source} is not in {sources:?}");
    }
}
