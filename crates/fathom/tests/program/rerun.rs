//! `fathom rerun`: the run or the campaign of a record once more, or why not.

use serde_json::Value;

use crate::typed::Typist;

/// Runs, repeats it, and gives both records.
fn twice(typist: &Typist, run: &[&str]) -> (Value, Value) {
    let first = typist.json(&[&["run"], run, &["--json", "--quiet"]].concat());
    let again = typist.json(&["rerun", first["id"].as_str().unwrap(), "--json", "--quiet"]);
    (first, again)
}

#[test]
fn a_run_is_repeated_with_its_workload_options_engine_and_target() {
    let typist = Typist::new();
    std::fs::write(typist.path("it's a $file"), vec![7u8; 1 << 20]).unwrap();
    let short = ["--time", "200ms", "--warmup", "0s"];
    let simulated =
        ["--target", "sim:gp2", "--rw", "randrw", "--rate", "2k", "--arrival", "poisson", "--time", "2s"];
    let memory = [
        "--target",
        "memory:",
        "--size",
        "1m",
        "--delay",
        "constant:1ms",
        "--jobs",
        "2",
        "--bs",
        "4k:70%,8k:30%",
    ];
    let file =
        ["--target", "it's a $file", "--engine", "sync", "--buffered", "--depth", "3", "--cpus", "any"];
    for run in [simulated.to_vec(), [&memory[..], &short].concat(), [&file[..], &short].concat()] {
        let (first, again) = twice(&typist, &run);
        assert_ne!(first["id"], again["id"]);
        for part in
            ["/workload", "/target/name", "/target/decorated", "/target/direct", "/engine/name", "/command"]
        {
            assert_eq!(first.pointer(part), again.pointer(part), "{part} of {run:?}");
        }
    }
}

#[test]
fn what_would_be_typed_is_printed_and_nothing_is_done() {
    let typist = Typist::new();
    let first = typist.json(&["run", "--target", "sim:nvme", "--time", "1s", "--seed", "7", "--json"]);
    let printed = typist.run(&["rerun", "last", "--print"]);
    let command = first["command"].as_str().unwrap().strip_prefix("fathom ").unwrap();
    assert_eq!(
        (printed.status, printed.stdout.ends_with(&format!(" {command}\n"))),
        (0, true),
        "{printed:?}"
    );
    assert!(printed.stdout.starts_with("fathom --store "), "{printed:?}");
    let permitted = typist.run(&["rerun", "last", "--print", "--destroy", "S3R1 AL"]);
    assert!(permitted.stdout.contains(" --destroy 'S3R1 AL'"), "{permitted:?}");
    assert_eq!(typist.json(&["runs", "--json"])["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_run_that_writes_is_judged_anew() {
    let typist = Typist::new();
    let run = [
        "run",
        "--target",
        "new.bin",
        "--size",
        "1m",
        "--rw",
        "randwrite",
        "--time",
        "200ms",
        "--warmup",
        "0s",
    ];
    let made = typist.json(&[&run[..], &["--keep", "--json"]].concat());
    assert_eq!(made["workload"]["mix"]["read_share"], 0.0);
    // Its own file is written again while nobody else has; another's needs permission.
    assert_eq!(typist.json(&["rerun", "last", "--json"])["workload"], made["workload"]);
    std::fs::write(typist.path("new.bin"), vec![7; 1 << 20]).unwrap();
    let before = std::fs::read(typist.path("new.bin")).unwrap();
    let refused = typist.run(&["rerun", "last"]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(refused.stderr.contains("--destroy"), "{refused:?}");
    assert_eq!(std::fs::read(typist.path("new.bin")).unwrap(), before);
    let permitted = typist.json(&["rerun", "last", "--destroy", "new.bin", "--json"]);
    assert_eq!(permitted["workload"], made["workload"]);
    assert!(!permitted["command"].as_str().unwrap().contains("--destroy"), "permission holds once");
}

#[test]
fn a_job_of_fio_that_is_alone_keeps_its_line_which_is_typed() {
    let typist = Typist::new();
    let job = ["--ioengine=null", "--rw=randread", "--size=64m", "--number_ios=200"];
    let ran = typist.run(&[&["fio", "--name=a b"], &job[..]].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    let printed = typist.run(&["rerun", "last", "--print"]);
    let line = format!(" fio '--name=a b' {}\n", job.join(" "));
    assert!(printed.status == 0 && printed.stdout.ends_with(&line), "{printed:?}");
    let refused = typist.run(&["rerun", "last"]);
    assert!(refused.status == 2 && refused.stderr.contains(line.trim()), "{refused:?}");
    assert_eq!(typist.run(&["report", "last", "--md", "text.md"]).status, 0);
    let page = std::fs::read_to_string(typist.path("text.md")).unwrap();
    assert!(page.contains(line.trim()), "{page}");

    // Of two jobs, neither line alone makes its run again.
    let two = typist.run(&[&["fio", "--name=a"], &job[..], &["--name=b"], &job[..]].concat());
    assert_eq!(two.status, 0, "{two:?}");
    assert_eq!(typist.run(&["rerun", "last", "--print"]).status, 2);
}

#[test]
fn what_a_record_cannot_tell_is_refused_with_what_to_type() {
    let typist = Typist::new();
    let result = r#"{"fio version":"fio-3.33","timestamp":1700000000,"jobs":[{"jobname":"j","groupid":0,"error":0,"elapsed":1,
        "job options":{"rw":"randread","bs":"4k","iodepth":"1"},
        "read":{"io_bytes":40960,"io_kbytes":40,"bw_bytes":40960,"bw":40,"iops":10.0,"runtime":1000,
        "total_ios":10,"short_ios":0,"drop_ios":0,
        "lat_ns":{"min":1000,"max":9000,"mean":2000.0,"stddev":10.0,"N":10}}}]}"#;
    std::fs::write(typist.path("fio.json"), result).unwrap();
    assert_eq!(typist.run(&["import", "fio.json"]).status, 0);
    let imported = typist.run(&["rerun", "last"]);
    assert_eq!(imported.status, 2, "{imported:?}");
    assert!(imported.stderr.contains("another tool measured it"), "{imported:?}");

    assert_eq!(typist.run(&["rerun", "r-19700101"]).status, 2);
}

#[test]
fn a_campaign_is_begun_anew_with_its_plan() {
    let typist = Typist::new();
    let sweep =
        ["sweep", "--target", "sim:gp3", "--over", "depth=1,2", "--time", "1s", "--passes", "1", "--json"];
    let assess = ["assess", "sim:gp3", "--budget", "60s", "--patterns", "randread-4k", "--json", "--quiet"];
    let compare = [
        "compare",
        "sim:gp3",
        "sim:gp2",
        "--patterns",
        "randread-4k",
        "--depth",
        "4",
        "--pairs",
        "5",
        "--time",
        "1s",
        "--json",
        "--quiet",
    ];
    let explain = ["explain", "--experiments", "sim:gp3", "--max-experiments", "0", "--json", "--quiet"];
    for asked in [&sweep[..], &assess, &compare, &explain] {
        let first = typist.json(asked);
        let id = first["id"].as_str().unwrap();
        let line = first["command"].as_str().unwrap().strip_prefix("fathom ").unwrap();
        let printed = typist.run(&["rerun", id, "--print"]);
        assert!(printed.stdout.ends_with(&format!(" {line}\n")), "{printed:?}");
        let again = typist.json(&["rerun", id, "--json", "--quiet"]);
        assert_ne!(again["id"], first["id"], "{asked:?}");
        assert_eq!((&again["command"], &again["plan"]), (&first["command"], &first["plan"]), "{asked:?}");
    }
}

#[test]
fn a_campaign_that_writes_is_judged_anew() {
    let typist = Typist::new();
    std::fs::write(typist.path("new.bin"), vec![7; 1 << 20]).unwrap();
    let sweep = [
        "sweep",
        "--target",
        "new.bin",
        "--rw",
        "randwrite",
        "--over",
        "depth=1,2",
        "--time",
        "200ms",
        "--warmup",
        "0s",
        "--passes",
        "1",
        "--json",
    ];
    let first = typist.json(&[&sweep[..], &["--destroy", "new.bin"]].concat());
    let id = first["id"].as_str().unwrap();
    std::fs::write(typist.path("new.bin"), vec![7; 1 << 20]).unwrap();
    let refused = typist.run(&["rerun", id]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(refused.stderr.contains("--destroy"), "{refused:?}");
    assert_eq!(std::fs::read(typist.path("new.bin")).unwrap(), vec![7; 1 << 20]);
    let permitted = typist.json(&["rerun", id, "--destroy", "new.bin", "--json"]);
    assert!(!permitted["command"].as_str().unwrap().contains("--destroy"), "permission holds once");
    let judged = typist.run(&["rerun", id, "--fail-if", "iops<1"]);
    assert!(judged.status == 2 && judged.stderr.contains("--fail-if"), "{judged:?}");
}

#[test]
fn a_campaign_of_a_record_starts_no_command_by_itself() {
    let typist = Typist::new();
    let compare = [
        "compare",
        "sim:gp3",
        "sim:gp2",
        "--before-a",
        "true",
        "--patterns",
        "randread-4k",
        "--depth",
        "4",
        "--pairs",
        "5",
        "--time",
        "1s",
        "--json",
        "--quiet",
    ];
    let first = typist.json(&compare);
    let refused = typist.run(&["rerun", first["id"].as_str().unwrap()]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(refused.stderr.contains("`true`") && refused.stderr.contains("--before-a"), "{refused:?}");
}
