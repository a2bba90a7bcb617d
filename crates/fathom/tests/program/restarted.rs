//! Sides with a restart of the machine between them: the program runs in a namespace of mounts whose kernel has another
//! boot each time, with nothing else changed.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::typed::{Answer, Typist};

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// More turns than any of these campaigns has.
const MOST_TURNS: usize = 40;

/// A machine that restarts when it is told to.
struct Machine {
    typist: Typist,
    boots: u32,
}

impl Machine {
    /// On side `old`; `None` where no mount can be made.
    fn new() -> Option<Self> {
        let machine = Self { typist: Typist::new(), boots: 0 };
        std::fs::write(machine.path("boot"), "boot-0\n").unwrap();
        std::fs::write(machine.path("side"), "old\n").unwrap();
        let mut probe = machine.inside(&["cat", BOOT_ID]);
        let seen = probe.output().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        if seen.ok().as_deref() != Some("boot-0") {
            fathom_skips::skipped("no mount can be made to give the kernel another boot");
            return None;
        }
        Some(machine)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.typist.path(name)
    }

    fn fact(&self, side: &str) -> String {
        format!("file:{}={side}", self.path("side").display())
    }

    /// A command that asks for a side after the next restart.
    fn switch(&self, side: &str) -> String {
        format!("echo {side} > '{}'", self.path("next").display())
    }

    fn inside(&self, words: &[&str]) -> Command {
        let mount = format!("mount --bind '{}' {BOOT_ID} && exec \"$@\"", self.path("boot").display());
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &mount, "sh"]).args(words);
        command
    }

    fn run(&self, words: &[&str]) -> Answer {
        let typed = self.typist.command(words);
        let program = typed.get_program();
        let words: Vec<&str> =
            std::iter::once(program).chain(typed.get_args()).map(|word| word.to_str().unwrap()).collect();
        let mut command = self.inside(&words);
        command
            .current_dir(self.typist.folder())
            .env("FATHOM_CONFIG", "/dev/null")
            .env_remove("FATHOM_STORE");
        command.output().unwrap().into()
    }

    /// Ends the boot: the side that was asked for is in force.
    fn restart(&mut self) {
        self.boots += 1;
        std::fs::write(self.path("boot"), format!("boot-{}\n", self.boots)).unwrap();
        if let Ok(next) = std::fs::read_to_string(self.path("next")) {
            std::fs::write(self.path("side"), next).unwrap();
        }
    }

    /// Types the same after each restart until nothing is waited for; how often, and the last record.
    fn until_done(&mut self, words: &[&str]) -> (usize, Value) {
        for sitting in 1..MOST_TURNS {
            let ran = self.run(words);
            assert_eq!(ran.status, 0, "{ran:?}");
            if !ran.stderr.contains("Waiting for side") {
                return (sitting, ran.json());
            }
            assert!(ran.stderr.contains("To continue after it:"), "{ran:?}");
            self.restart();
        }
        panic!("it waits for ever");
    }
}

/// The boots of all turns, each with its side.
fn boots(record: &Value) -> Vec<(String, String)> {
    let turns = record["boots"].as_array().unwrap().iter();
    turns
        .map(|turn| {
            let [boot] = turn["boots"].as_array().unwrap().as_slice() else {
                panic!("one boot a turn: {turn}")
            };
            (turn["side"].as_str().unwrap().to_owned(), boot.as_str().unwrap().to_owned())
        })
        .collect()
}

#[test]
fn a_comparison_measures_each_turn_of_a_side_in_a_boot_of_its_own() {
    let Some(mut machine) = Machine::new() else { return };
    let (is_a, is_b) = (machine.fact("old"), machine.fact("new"));
    let (before_a, before_b) = (machine.switch("old"), machine.switch("new"));
    let words = [
        "compare",
        "sim:gp3",
        "sim:gp3,iops=3300",
        "--across-restarts",
        "--settle",
        "0s",
        "--is-a",
        &is_a,
        "--is-b",
        &is_b,
        "--before-a",
        &before_a,
        "--before-b",
        &before_b,
        "--patterns",
        "randread-4k",
        "--depth",
        "32",
        "--pairs",
        "5",
        "--time",
        "500ms",
        "--seed",
        "3",
        "--json",
    ];
    let (sittings, record) = machine.until_done(&words);
    let turns = boots(&record);
    assert_eq!(turns.len(), 10, "{record}");
    let mut different: Vec<&String> = turns.iter().map(|(_, boot)| boot).collect();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), 10, "each turn has a boot that no other has: {turns:?}");
    assert!((10..=11).contains(&sittings), "{sittings}");
    // Every run is of the side that was in force in its boot.
    assert_eq!(turns.iter().filter(|(side, _)| side == "A").count(), 5);
    let shown = machine.typist.run(&["show", record["id"].as_str().unwrap()]);
    for part in ["boots", "file:", "faster"] {
        assert!(shown.stdout.contains(part), "{part}: {shown:?}");
    }
}

#[test]
fn without_a_restart_nothing_is_measured_and_another_side_is_refused() {
    let Some(mut machine) = Machine::new() else { return };
    let (is_a, is_b) = (machine.fact("old"), machine.fact("new"));
    let words = [
        "compare",
        "sim:gp3",
        "--across-restarts",
        "--settle=0s",
        "--is-a",
        &is_a,
        "--is-b",
        &is_b,
        "--patterns",
        "randread-4k",
        "--depth",
        "1",
        "--pairs",
        "5",
        "--time",
        "500ms",
        "--seed",
        "3",
    ];
    let count =
        |machine: &Machine| machine.typist.run(&["runs", "--all", "--json"]).stdout.matches("\"r-").count();
    // The first turn may be of the side that the machine is on.
    let first = machine.run(&words);
    assert!(first.status == 0 && first.stderr.contains("switch to it, restart the machine"), "{first:?}");
    let made = count(&machine);
    let again = machine.run(&words);
    assert!(again.status == 0 && again.stderr.contains("Waiting for side"), "{again:?}");
    assert_eq!(count(&machine), made, "a boot is measured in once");
    // The machine restarts into a third state.
    std::fs::write(machine.path("next"), "other\n").unwrap();
    machine.restart();
    let wrong = machine.run(&words);
    assert!(wrong.status != 0 && wrong.stderr.contains("the machine is not on side"), "{wrong:?}");
    assert!(wrong.stderr.contains("is other, not"), "{wrong:?}");
    assert_eq!(count(&machine), made);
}

#[test]
fn a_restart_in_the_middle_of_its_command_loses_nothing() {
    let Some(mut machine) = Machine::new() else { return };
    let (is_a, is_b) = (machine.fact("old"), machine.fact("new"));
    // Whoever runs the command is gone before it returns.
    let kill = |switch: String| format!("{switch}; kill -9 $PPID");
    let (before_a, before_b) = (kill(machine.switch("old")), kill(machine.switch("new")));
    let words = [
        "compare",
        "sim:gp3",
        "--across-restarts",
        "--settle=0s",
        "--is-a",
        &is_a,
        "--is-b",
        &is_b,
        "--before-a",
        &before_a,
        "--before-b",
        &before_b,
        "--patterns",
        "randread-4k",
        "--depth",
        "1",
        "--pairs",
        "5",
        "--time",
        "500ms",
        "--seed",
        "3",
        "--json",
    ];
    let mut ended = None;
    for _ in 0..MOST_TURNS {
        let ran = machine.run(&words);
        if ran.status == 0 {
            ended = Some(ran.json());
            break;
        }
        machine.restart();
    }
    let record = ended.expect("it comes to its end");
    assert_eq!(boots(&record).len(), 10, "{record}");
    assert!(record["finished_at"].is_string(), "{record}");
}

#[test]
fn a_repetition_visits_all_steps_of_a_side_in_its_boot() {
    let Some(mut machine) = Machine::new() else { return };
    let side = machine.path("side").display().to_string();
    let (is_old, is_new) = (format!("translating=file:{side}=old"), format!("native=file:{side}=new"));
    let before_old = format!("translating={}", machine.switch("old"));
    let before_new = format!("native={}", machine.switch("new"));
    let words = [
        "repeat",
        "windows-native-nvme",
        "--target",
        "sim:nvme",
        "--across-restarts",
        "--settle",
        "0s",
        "--is",
        &is_old,
        "--is",
        &is_new,
        "--before",
        &before_old,
        "--before",
        &before_new,
        "--time",
        "200ms",
        "--warmup",
        "50ms",
        "--passes",
        "2",
        "--until",
        "0.001%",
        "--size",
        "1GiB",
        "--seed",
        "3",
        "--quiet",
        "--json",
    ];
    let (_, record) = machine.until_done(&words);
    let turns = boots(&record);
    assert_eq!(turns.len(), 4, "{record}");
    let cells = record["cells"].as_array().unwrap();
    assert!(!cells.is_empty() && cells.iter().all(|cell| cell["result"].is_object()), "{record}");
}

#[test]
fn sides_that_are_not_told_apart_are_refused_before_anything_is_opened() {
    let typist = Typist::new();
    for (words, said) in [
        (&["--across-restarts"][..], "no fact identifies the machine as A"),
        (&["--is-a", "kernel=6.1*"], "--across-restarts"),
        (&["--settle", "1m"], "--across-restarts"),
        (&["--across-restarts", "--is-a", "kernel=6.1*", "--is-b", "kernel=6.1*"], "never be distinguished"),
        (
            &["--across-restarts", "--is-a", "stack=native", "--is-b", "kernel=1"],
            "not a valid fact of a machine",
        ),
    ] {
        let ran = typist.run(&[&["compare", "sim:gp3", "sim:io2"], words].concat());
        assert!(ran.status == 2 && ran.stderr.contains(said), "{words:?}: {ran:?}");
    }
}
