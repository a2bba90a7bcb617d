//! Any bytes are a result of another tool or a refusal, and what was read contradicts no rule of the record.
#![no_main]

use fathom_fuzz::within;
use fathom_tools::result_audit::audit_run;
use fathom_tools::result_import::{Context, HEAD_BYTES, Head, IMPORTERS, ImportedItem, recognise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file_name = "x_clat.1.log";
    let _ = recognise(&Head { bytes: &bytes[..bytes.len().min(HEAD_BYTES)], file_name }, |_| None);
    let context = Context { file_name: file_name.to_owned(), ..Context::default() };
    for importer in IMPORTERS {
        let mut found = Vec::new();
        within(bytes.len(), importer.name, || {
            let mut input = bytes;
            found = importer.read(&mut input, &context).unwrap_or_default();
        });
        for imported in found {
            if let ImportedItem::Run(run) = imported {
                let written = serde_json::to_vec(&run).expect("a record can be written");
                fathom_record::parse_run(&written).expect("a record that was written can be read");
                let _ = audit_run(&run);
            }
        }
    }
});
