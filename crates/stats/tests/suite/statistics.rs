//! The short form of every suite of `cargo xtask statistics`: each figure keeps its bound.

use fathom_truth::{Effort, Figure, SUITES};

#[test]
fn every_suite_keeps_its_bounds() {
    let broken: Vec<String> = SUITES
        .iter()
        .flat_map(|suite| (suite.run)(Effort::Short))
        .filter(|figure| !figure.met())
        .map(|figure: Figure| figure.to_string())
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
