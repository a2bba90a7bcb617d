//! What goes wrong is told with what to type, with its status, and as JSON where that was asked for.

use std::path::Path;

use crate::typed::Typist;

/// What is typed, the status, the kind, and words of cause or remedy.
const CASES: &[(&[&str], i32, &str, &str)] = &[
    (&["shwo"], 2, "unknown_name", "`show`"),
    (&["assess"], 2, "missing", "fathom assess ."),
    (&["run"], 2, "missing", "say what to measure"),
    (&["run", "--target", "null:", "--dpeth", "3"], 2, "unknown_name", "`--depth`"),
    (&["run", "--target", "null:", "--iodepth=3"], 2, "unknown_name", "`--depth`"),
    (&["run", "–rw", "randread"], 2, "pasted", "type `--rw`"),
    (&["run", "--target\u{a0}null:"], 2, "pasted", "type `--target null:`"),
    (&["run", "-rw", "randread"], 2, "unknown_name", "type `--rw`"),
    (&["run", "--target", "null:", "--rw", "randraed"], 2, "value", "`randread`"),
    (&["run", "--target", "null:", "--bs", "4x"], 2, "value", "4k"),
    (&["run", "--target", "null:", "--time", "30x"], 2, "value", "30s"),
    (&["run", "--target", "null:", "--depth", "0"], 2, "value", "--depth"),
    (&["run", "--target", "nul:"], 2, "plan", "did you mean null:"),
    (&["run", "--target", "sim:nvmee"], 2, "plan", "sim:nvme"),
    (&["run", "--target", "sim:nvme", "--engine", "uring"], 2, "plan", "sim"),
    (&["run", "--target", "sim:nvme", "--keep"], 2, "plan", "leave --keep out"),
    (&["run", "--target", "null:", "--buffered"], 2, "plan", "no page cache"),
    (&["run", "--target", "memory:", "--destroy", "S"], 2, "plan", "leave --destroy out"),
    (&["run", "--target", "memory:", "--rw", "write", "--durable", "all"], 2, "plan", "leave --durable out"),
    (&["run", "--target", "null:", "--io-flags", "nowait"], 2, "plan", "leave --io-flags out"),
    (&["run", "--target", "null:", "--io-flags", "nowiat"], 2, "value", "nowait"),
    (&["run", "--target", "null:", "--real-time"], 2, "plan", "simulated device"),
    (&["run", "--target", "sim:nvme", "--cpus", "0"], 2, "plan", "--real-time"),
    (&["run", "--target", "null:", "--cpus", "4095"], 2, "plan", "and not on 4095"),
    (&["run", "--target", "null:", "--flush-every", "8"], 2, "contradiction", "`randwrite`"),
    (&["run", "--target", "null:", "--duplicate", "8%"], 2, "contradiction", "about writes"),
    (&["run", "--target", ".", "--engine", "mmap", "--io-flags", "nowait"], 2, "plan", "--engine sync"),
    (&["run", "--target", ".", "--engine", "aio", "--io-flags", "hipri"], 2, "plan", "--engine sync"),
    (&["run", "--target", ".", "--buffered", "--io-flags", "atomic"], 2, "plan", "leave atomic"),
    (&["run", "--target", ".", "--engine", "uring", "--io-flags", "hipri"], 2, "plan", "--polled"),
    (&["run", "--target", ".", "--io-flags", "dontcache"], 2, "plan", "--buffered"),
    (&["run", "--target", ".", "--engine", "sync", "--polled"], 2, "plan", "--engine uring"),
    (&["run", "--target", ".", "--polled", "--buffered"], 2, "plan", "leave --polled or --buffered out"),
    (&["run", "--target", ".", "--polled", "--rw", "write", "--flush-every", "1"], 2, "plan", "passthrough"),
    (
        &["run", "--target", "a", "--target", "b", "--stripe", "64k", "--witness"],
        2,
        "plan",
        "leave --witness or --stripe out",
    ),
    (&["run", "--target", "null:", "--rw", "write", "--verify", "at-end"], 2, "plan", "leave --verify out"),
    (
        &["run", "--target", "null:", "--target", "memory:"],
        2,
        "plan",
        "no engine carries both null: and memory:",
    ),
    (&["run", "--target", "null:", "--engine", "fio"], 2, "plan", "name a file, a folder or a device"),
    (&["run", "--target", "x", "--engine", "fio@host"], 2, "plan", "add --size"),
    (
        &["run", "--target", ".", "--engine", "fio", "--rw", "write", "--verify", "at-end"],
        2,
        "plan",
        "leave --verify out",
    ),
    // Before a file of so many bytes is laid out.
    (
        &["run", "--target", ".", "--size", "8P", "--rw", "write", "--verify", "at-end", "--witness"],
        1,
        "unsupported",
        "leave --witness or --verify at-end out",
    ),
    (&["run", "--target", ".", "--size", "8P", "--engine", "uirng"], 2, "plan", "use one of: uring"),
    (&["run", "--target", ".", "--size", "8P", "--engine", "null"], 2, "plan", "use one of: uring"),
    (
        &["run", "--target", ".", "--engine", "mmap", "--rw", "write", "--durable", "data"],
        2,
        "plan",
        "--flush-every 1",
    ),
    (&["run", "--target", ".", "--size", "1m", "--bs", "2m"], 2, "plan", "1048576 bytes from byte 0"),
    (&["run", "--target", "sim:nvme,block=4k", "--bs", "512"], 2, "plan", "which have 4096 bytes here"),
    (&["run", "--target", ".", "--size", "1m", "--engine", "passthrough"], 2, "plan", "/dev/ng0n1"),
    (&["run", "--target", "null:", "--throttle", "iops=0"], 2, "value", "no I/O would ever end"),
    (&["run", "--target", "/dev/null"], 3, "no_such_target", "neither a file"),
    (&["run", "."], 2, "usage", "this is a folder; a plan file ends in .toml"),
    (&["run", "."], 2, "usage", "fathom run --target ."),
    (&["run", "missing.toml"], 2, "usage", "name a plan file that exists"),
    (&["run", "--target", "not/there"], 3, "no_such_target", "not/there"),
    (&["assess", "not/there"], 3, "no_such_target", "not/there"),
    (&["assess", ".", "--slo", "99=2ms"], 2, "value", "p99=2ms"),
    (
        &["run", "--target", "memory:1MiB", "--throttle", "throughput=1B/s", "--time", "1s"],
        2,
        "plan",
        "smaller --depth",
    ),
    (&["assess", ".", "--patterns", "randred-4k"], 2, "value", "randread"),
    (&["show", "last"], 2, "not_found", "fathom assess ."),
    (&["report", "last", "--html", "x.html"], 2, "not_found", "fathom assess ."),
    (&["report", "last"], 2, "missing", "--html"),
    (&["schema", "rum"], 2, "value", "run"),
    (&["runs", "--limit", "many"], 2, "value", "--limit"),
    (&["devices", "--all"], 2, "unknown_name", "--help"),
    (&["engines", "x"], 2, "unknown_name", "--help"),
];

#[test]
fn failures_have_a_status_a_kind_and_what_to_type() {
    for (typed, status, kind, words) in CASES {
        let typist = Typist::new();
        let answer = typist.run(typed);
        assert_eq!(answer.status, *status, "{typed:?}: {answer:?}");
        assert_eq!(answer.stdout, "", "{typed:?}");
        // The place or the fact comes first, and no word for the kind of failure.
        assert!(!answer.stderr.starts_with(&format!("fathom: {}: ", kind.replace('_', " "))), "{answer:?}");
        assert!(answer.stderr.starts_with("fathom: "), "{answer:?}");
        assert!(answer.stderr.contains(words), "{typed:?}: {answer:?}");

        let answer = typist.run(&[typed, &["--json"][..]].concat());
        assert_eq!(answer.status, *status, "{typed:?}: {answer:?}");
        let document = answer.json();
        assert_eq!(document["format"], "fathom.error", "{typed:?}");
        assert_eq!(document["kind"], *kind, "{typed:?}: {document}");
        for member in ["place", "cause", "remedy"] {
            assert!(document[member].is_string(), "{document}");
        }
        assert_ne!(document["place"], "", "{document}");
        assert_ne!(document["cause"], "", "{document}");
    }
}

#[test]
fn nothing_typed_is_told_what_to_type() {
    let answer = Typist::new().run(&[]);
    assert_eq!((answer.status, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("fathom assess ."), "{answer:?}");
}

#[test]
fn a_failure_goes_to_the_file_that_json_was_to_go_to() {
    let typist = Typist::new();
    let answer = typist.run(&["run", "--target", "not/there", "--json", "out.json"]);
    assert_eq!((answer.status, answer.stdout.as_str()), (3, ""));
    let text = std::fs::read_to_string(typist.path("out.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["kind"], "no_such_target");
}

#[test]
fn a_plan_file_is_blamed_by_its_line() {
    let typist = Typist::new();
    std::fs::write(typist.path("plan.toml"), "target = \"null:\"\n\ndpeth = 4\n").unwrap();
    let answer = typist.run(&["run", "plan.toml"]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("plan.toml:3") && answer.stderr.contains("`depth`"), "{answer:?}");
    std::fs::write(typist.path("binary.toml"), [0xff, 0xfe, 0]).unwrap();
    assert_eq!(typist.run(&["run", "binary.toml"]).status, 2);
}

#[test]
fn writing_to_a_disk_in_use_is_refused() {
    let typist = Typist::new();
    for disk in ["/dev/vda", "/dev/sda", "/dev/nvme0n1"] {
        if Path::new(disk).exists() {
            let ask = ["run", "--target", disk, "--rw", "randwrite", "--time", "1s", "--json"];
            let answer = typist.run(&ask);
            assert_eq!(answer.status, 3, "{answer:?}");
            assert_ne!(answer.json()["cause"], "");
        }
    }
    // A file that was there is data too.
    let precious = vec![7u8; 1 << 20];
    std::fs::write(typist.path("precious"), &precious).unwrap();
    let answer = typist.run(&["run", "--target", "precious", "--rw", "randwrite", "--time", "1s", "--json"]);
    assert_eq!(answer.status, 3, "{answer:?}");
    assert_eq!(answer.json()["kind"], "refused");
    assert!(answer.json()["remedy"].as_str().unwrap().contains("--destroy"), "{answer:?}");
    assert_eq!(std::fs::read(typist.path("precious")).unwrap(), precious);
}

#[test]
fn a_store_that_is_none_loses_no_run_and_starts_no_assessment() {
    let typist = Typist::new();
    std::fs::write(typist.path("store"), "this is no database, but somebody's text").unwrap();
    let ran = typist.run(&["run", "--target", "sim:nvme", "--time", "1s", "--json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(ran.json()["format"], "fathom.run");
    assert!(ran.stderr.contains("nothing was saved"), "{ran:?}");
    let assessed = typist.run(&["assess", "sim:nvme", "--json"]);
    assert_eq!(assessed.status, 1);
    assert_eq!(assessed.json()["kind"], "store");
    assert!(assessed.stderr.contains("--store"), "{assessed:?}");
    let text = std::fs::read_to_string(typist.path("store")).unwrap();
    assert_eq!(text, "this is no database, but somebody's text");
}

#[test]
fn a_target_that_fails_is_an_invalid_measurement() {
    // Half the rate that is offered can be served, so that the run is overloaded and says so.
    let typist = Typist::new();
    let ask = ["run", "--target", "sim:gp3", "--rate", "6k", "--time", "5s", "--json"];
    let answer = typist.run(&ask);
    assert_eq!(answer.status, 1, "{}", answer.stderr);
    let record = answer.json();
    let failed = |check: &serde_json::Value| check["outcome"] == "fail";
    assert!(record["checks"].as_array().unwrap().iter().any(failed), "{}", record["checks"]);
    let listed = typist.run(&["runs"]);
    assert!(listed.stdout.contains("failed"), "{listed:?}");
}

#[test]
fn a_limit_of_open_files_is_blamed_and_not_the_store() {
    let typist = Typist::new();
    let mut told = 0;
    for limit in 4..24 {
        let line = format!(
            "ulimit -n {limit}; exec {} --store s.sqlite run --target sim:gp3 --time 100ms",
            env!("CARGO_BIN_EXE_fathom")
        );
        let mut command = std::process::Command::new("bash");
        let output = command.args(["-c", &line]).current_dir(typist.folder()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            assert!(said.to_lowercase().contains("too many open files"), "{limit}: {said}");
            assert!(!said.contains("writable"), "{limit}: {said}");
            told += 1;
        }
    }
    assert!(told > 0, "a limit of 4 is enough for nothing");
}

#[test]
fn a_machine_without_its_list_of_processes_is_told_what_to_mount() {
    let typist = Typist::new();
    let line = format!(
        "mount -t tmpfs none /proc && exec {} --store s.sqlite run --target . --size 8MiB --time 1s",
        env!("CARGO_BIN_EXE_fathom")
    );
    let mut command = std::process::Command::new("unshare");
    let output = command.args(["-m", "bash", "-c", &line]).current_dir(typist.folder()).output();
    let Some(output) = output.ok().filter(|output| output.status.code() == Some(1)) else {
        fathom_skips::skipped("no mount namespace can be made here");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("fathom") {
        assert!(said.contains("mount -t proc proc /proc"), "{said}");
    } else {
        fathom_skips::skipped(said);
    }
}
