//! The program of the house's tasks, as it is started: what needs no tool and changes nothing.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::process::Command;

fn said(words: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(words).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn each_task_that_has_more_words_tells_them_and_does_nothing() {
    let (all, status) = said(&["--help"]);
    assert_eq!(status, Some(0));
    for task in ["dist", "page", "catalog"] {
        assert!(all.contains(&format!("\n  {task} ")), "{all}");
        let (own, status) = said(&[task, "--help"]);
        assert!(status == Some(0) && own.contains(&format!("cargo xtask {task}")), "{task}: {own}");
    }
}

#[test]
fn an_unknown_task_is_an_error() {
    assert_eq!(said(&["no-such-task"]).1, Some(2));
}
