//! The benches' program, as it is started.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::process::Command;

#[test]
fn what_is_not_asked_rightly_is_not_measured() {
    let said = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_benches")).args(words).output().unwrap();
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    let (all, status) = said(&["--help"]);
    assert!(status == Some(0) && all.contains("clients") && all.contains("network"), "{all}");
    assert_eq!(said(&["--no-such-flag"]).1, Some(2));
}
