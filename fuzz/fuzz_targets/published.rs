//! Any text is a published table, rows of a spreadsheet or a table of evidence, or is refused; what was read is audited and explained.
#![no_main]

use fathom_attribute::evidence::Table;
use fathom_fuzz::within;
use fathom_published::{audit_published, explain_published, parse_published, parse_separated, remarks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    within(text.len(), "evidence", || drop(Table::parse(text)));
    let mut read = None;
    within(text.len(), "published table", || read = parse_published(text).or_else(|_| parse_separated(text, "rows")).ok());
    let Some(published) = read else { return };
    let _ = (audit_published(&published), remarks(&published));
    for explained in explain_published(&published) {
        let sum: f64 = explained.weighed.iter().map(|weighed| weighed.probability).sum();
        assert!((sum - 1.0).abs() < 1e-6, "probabilities come to {sum}");
    }
});
