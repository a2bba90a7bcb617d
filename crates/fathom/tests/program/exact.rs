//! What is printed to be typed is exact, and nothing is cut or left out for who reads it.

use serde_json::Value;

use crate::typed::{Answer, Typist};

/// Types a printed line in a shell, with the program under test in the place of its name.
fn type_again(typist: &Typist, line: &str) -> Option<Answer> {
    let (verb, rest) = line.strip_prefix("fathom ").and_then(|rest| rest.split_once(' ')).expect("a command");
    let script = format!("exec {} --store store {verb} --json {rest}", env!("CARGO_BIN_EXE_fathom"));
    let mut shell = std::process::Command::new("bash");
    match shell.arg("-c").arg(script).current_dir(typist.folder()).output() {
        Ok(output) => Some(output.into()),
        Err(_) => {
            fathom_skips::skipped("no bash");
            None
        }
    }
}

const POISSON: [&str; 13] = [
    "run",
    "--target",
    "sim:gp2",
    "--rw",
    "randread",
    "--rate",
    "2k",
    "--arrival",
    "poisson",
    "--time",
    "3s",
    "--seed",
    "7",
];

#[test]
fn the_command_of_a_report_makes_the_same_run_again() {
    let typist = Typist::new();
    let record = typist.json(&[&POISSON[..], &["--json"]].concat());
    let command = record["command"].as_str().unwrap();
    assert!(command.contains("--rate 2k --arrival poisson"), "{command}");
    for (flag, file) in [("--html", "run.html"), ("--md", "run.md")] {
        assert_eq!(typist.run(&["report", "last", flag, file]).status, 0);
        let report = std::fs::read_to_string(typist.path(file)).unwrap();
        assert!(report.contains(command), "{file}: {command}");
        assert!(!report.contains("no command that makes"), "{file}");
    }
    let Some(again) = type_again(&typist, command) else { return };
    let again = again.json();
    assert_eq!(again["workload"], record["workload"]);
    assert_eq!(again["summary"]["directions"], record["summary"]["directions"]);
    assert_eq!(again["command"], record["command"]);
}

#[test]
fn commands_of_campaigns_ask_for_the_same_and_quote_what_a_shell_would_read() {
    let typist = Typist::new();
    let name = "it's a $file";
    std::fs::write(typist.path(name), vec![0u8; 1 << 20]).unwrap();
    let run = [
        "run",
        "--target",
        name,
        "--buffered",
        "--time",
        "200ms",
        "--warmup",
        "0s",
        "--delay",
        "constant:1ms",
        "--json",
    ];
    let run = typist.run(&run).json();
    let delayed = [
        "assess",
        "sim:gp3",
        "--patterns",
        "randread-4k",
        "--budget",
        "20s",
        "--delay",
        "constant:1ms",
        "--json",
    ];
    let assessed = typist.run(&delayed).json();
    let sweep = [
        "sweep",
        "--target",
        "sim:gp3",
        "--over",
        "depth=1,2",
        "--time",
        "1s",
        "--passes",
        "3",
        "--throttle",
        "iops=900",
        "--json",
    ];
    let swept = typist.run(&sweep).json();
    for (record, plan) in [(run, "/workload"), (assessed, "/plan"), (swept, "/plan")] {
        let command = record["command"].as_str().unwrap_or_else(|| panic!("{record}"));
        let Some(again) = type_again(&typist, command) else { return };
        let again = again.json();
        assert_eq!(again.pointer(plan), record.pointer(plan), "{command}");
        assert_eq!(again.pointer("/target/name"), record.pointer("/target/name"), "{command}");
        assert_eq!(again.pointer("/target/decorated"), record.pointer("/target/decorated"), "{command}");
    }
}

#[test]
fn nothing_is_cut_or_left_out_for_a_program_that_reads() {
    let typist = Typist::new();
    assert_eq!(typist.run(&POISSON).status, 0);
    let piped = |arguments: &[&str]| {
        let answer: Answer = typist.command(arguments).env_remove("COLUMNS").output().unwrap().into();
        answer.stdout
    };
    let listed = piped(&["runs"]);
    let heading = listed.lines().next().unwrap();
    for column in
        ["run", "started", "target", "workload", "jobs × depth", "IOPS", "throughput", "p99", "outcome"]
    {
        assert!(heading.contains(column), "{column}: {listed}");
    }
    assert!(!listed.contains("hidden columns"), "{listed}");

    let rows: String = (0..3600).map(|s| format!("{},1000,0,4096000,0\n", 1_700_000_000 + s)).collect();
    let table = format!("time,read_iops,write_iops,read_bytes_per_s,write_bytes_per_s\n{rows}");
    std::fs::write(typist.path("demand.csv"), table).unwrap();
    let asked =
        ["size", "demand.csv", "--size", "100GiB", "--region", "eu-central-1", "--prove", "/mnt/a new/file"];
    for columns in ["40", "100"] {
        let answer: Answer = typist.command(&asked).env("COLUMNS", columns).output().unwrap().into();
        let command = "  fathom run --like profile.json --scale 1.3 --target '/mnt/a new/file' --time 1800s --json=proof.json";
        assert!(answer.stdout.lines().any(|line| line == command), "{columns}: {answer:?}");
    }
}

#[test]
fn an_objective_that_is_missed_comes_first_and_is_an_exit_status() {
    let typist = Typist::new();
    let asked = ["assess", "sim:gp3", "--patterns", "randread-4k", "--budget", "20s", "--seed", "3"];
    assert_eq!(typist.run(&asked).status, 0);
    let missed = typist.run(&[&asked[..], &["--slo", "p99=1us"]].concat());
    assert_eq!(missed.status, 1, "{missed:?}");
    let said = missed.stdout.find("the objective p99 ≤ 1");
    assert!(said.is_some() && said < missed.stdout.find("limited by"), "{missed:?}");
    let held = typist.run(&[&asked[..], &["--slo", "p99=1s"]].concat());
    assert_eq!(held.status, 0, "{held:?}");
}

#[test]
fn a_budget_that_is_too_short_and_simulated_time_are_said() {
    let typist = Typist::new();
    let short = typist.run(&["assess", "sim:nvme", "--budget", "2s"]);
    assert!(
        short.stderr.contains("too short for 7 patterns") && short.stderr.contains("--budget"),
        "{short:?}"
    );
    assert!(short.stderr.contains("of simulated time left"), "{short:?}");
    let record: Value = typist.json(&["run", "--target", "sim:nvme", "--time", "1s", "--json"]);
    assert_eq!(record["target"]["kind"], "simulated");
}
