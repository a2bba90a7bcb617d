//! Tables that were made from laws are explained by what they were made of.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test panics when it is wrong")]

use std::collections::BTreeSet;
use std::path::Path;

use fathom_published::{explain_published, parse_published};
use fathom_record::verdict::Limit;

#[test]
fn what_a_table_was_made_of_is_what_is_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../evaluations/made");
    let mut shown = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let table = parse_published(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for one in explain_published(&table) {
            let label = one.asked.label.clone().unwrap();
            let claim = &one.verdict.claims[0];
            assert_eq!(claim.limit, label.cause, "{}: {:#?}", path.display(), one.verdict.claims);
            assert!(claim.probability.unwrap() >= 0.4, "{}: {claim:#?}", path.display());
            assert!(claim.evidence.iter().any(|evidence| evidence.supports), "{}", path.display());
            shown.insert(label.cause);
        }
    }
    assert_eq!(
        shown,
        BTreeSet::from([Limit::TargetCore, Limit::MemoryBandwidth, Limit::Numa, Limit::BurstNow])
    );
}
