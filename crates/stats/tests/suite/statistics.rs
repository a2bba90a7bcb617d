//! The short form of every suite of `cargo xtask statistics`: each figure keeps its bound.

use std::sync::atomic::{AtomicUsize, Ordering};

use fathom_truth::{Effort, Figure, SUITES};

#[test]
fn every_suite_keeps_its_bounds() {
    let next = AtomicUsize::new(0);
    let share = || {
        let suites = std::iter::from_fn(|| SUITES.get(next.fetch_add(1, Ordering::Relaxed)));
        suites.flat_map(|suite| (suite.run)(Effort::Short)).collect::<Vec<Figure>>()
    };
    // Two suites at once: no figure is of time.
    let mut figures = std::thread::scope(|scope| {
        let others = scope.spawn(share);
        [share(), others.join().unwrap()].concat()
    });
    figures.retain(|figure| !figure.met());
    let broken: Vec<String> = figures.iter().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
