//! The labs' program, as it is started.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::process::Command;

#[test]
fn each_lab_tells_its_flags() {
    let said = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lab")).args(words).output().unwrap();
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    let (all, status) = said(&["--help"]);
    assert_eq!(status, Some(0));
    for lab in
        ["cases", "doors", "evaluations", "fabrics", "fio", "imports", "independent", "kills", "sizing"]
    {
        assert!(all.contains(&format!("  {lab} ")), "{all}");
        let (own, status) = said(&[lab, "--help"]);
        assert!(status == Some(0) && own.contains("Usage: cargo lab"), "{lab}: {own}");
    }
    assert_eq!(said(&["no-such-lab"]).1, Some(2));
}
