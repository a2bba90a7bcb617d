//! Sample data, and the commands that it prints.

use crate::typed::Typist;

#[test]
fn the_commands_that_sample_prints_run_as_they_stand() {
    let typist = Typist::new();
    let written = typist.run(&["sample"]);
    assert_eq!(written.status, 0, "{written:?}");
    let commands: Vec<&str> =
        written.stdout.lines().filter_map(|line| line.trim_start().strip_prefix("fathom ")).collect();
    assert_eq!(commands.len(), 4, "{written:?}");
    for command in commands {
        let answer = typist.run(&command.split_whitespace().collect::<Vec<_>>());
        // Whether the simulated volume keeps up is not what is asked here.
        assert!(matches!(answer.status, 0 | 1), "{command}: {answer:?}");
        assert!(!answer.stdout.is_empty() && !answer.stderr.contains("fathom: "), "{command}: {answer:?}");
    }
    for file in ["profile.json", "verdicts.csv"] {
        assert!(typist.path(file).exists(), "{file}");
    }
}

#[test]
fn samples_replace_nothing_unless_they_are_to() {
    let typist = Typist::new();
    std::fs::write(typist.path("trace.csv"), "mine").unwrap();
    let refused = typist.run(&["sample", "--json"]);
    assert_ne!(refused.status, 0, "{refused:?}");
    assert_eq!(std::fs::read_to_string(typist.path("trace.csv")).unwrap(), "mine");
    assert!(!typist.path("node3.csv").exists(), "all or nothing");
    assert_eq!(typist.json(&["sample", "--force", "--json"])["files"][2], "trace.csv");
    assert_eq!(typist.run(&["sample", "other"]).status, 0);
    assert!(typist.path("other/volumes.csv").exists());
}
