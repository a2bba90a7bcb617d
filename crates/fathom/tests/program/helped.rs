//! What the program says of itself and of the machine, and the settings that hold where nothing is typed.

use std::process::Command;

use serde_json::Value;

use crate::typed::{Answer, Typist};

/// A command that is told no store.
fn bare(typist: &Typist, arguments: &[&str], environment: &[(&str, &str)]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args(arguments).current_dir(typist.folder()).env("FATHOM_CONFIG", "/dev/null");
    command.env_remove("FATHOM_STORE").env("XDG_DATA_HOME", typist.path("data"));
    command.envs(environment.iter().copied()).output().unwrap().into()
}

#[test]
fn help_manual_pages_and_completions_are_of_every_command() {
    let typist = Typist::new();
    let help = typist.run(&["help"]);
    assert_eq!(help.status, 0);
    for command in ["run", "runs", "doctor", "completions"] {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}");
        let of_command = typist.run(&["help", command]);
        assert!(of_command.stdout.contains(&format!("Usage: fathom {command}")), "{of_command:?}");
        assert!(typist.run(&["man", command]).stdout.contains(".SH NAME"));
    }
    assert!(typist.run(&["help", "rnu"]).stderr.contains("`run`"));
    let pages = typist.run(&["man", "--list"]).stdout;
    assert!(pages.lines().any(|page| page == "fathom") && pages.lines().any(|page| page == "fathom-run"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = typist.run(&["completions", shell]);
        assert!(script.status == 0 && script.stdout.contains("fail-if"), "{shell}");
    }
    assert_eq!(typist.run(&["completions", "csh"]).status, 2);
}

#[test]
fn a_shell_takes_the_completions() {
    let typist = Typist::new();
    let script = typist.path("fathom.bash");
    std::fs::write(&script, typist.run(&["completions", "bash"]).stdout).unwrap();
    let line = "source fathom.bash && COMP_WORDS=(fathom ru) COMP_CWORD=1 && _fathom fathom ru fathom \
                && echo ${COMPREPLY[@]}";
    let Ok(output) = Command::new("bash").args(["-c", line]).current_dir(typist.folder()).output() else {
        fathom_skips::skipped("no bash");
        return;
    };
    let answer = Answer::from(output);
    assert_eq!(answer.stdout, "run runs\n", "{answer:?}");
}

#[test]
fn scripts_of_fio_find_its_version_and_its_engines() {
    let typist = Typist::new();
    let version = typist.run(&["fio", "--version"]);
    assert_eq!(version.status, 0, "{version:?}");
    assert!(version.stdout.starts_with("fio-3.") && version.stdout.contains("-fathom-"), "{version:?}");
    assert!(typist.run(&["fio", "--enghelp"]).stdout.contains("\tio_uring\n"));
    assert!(typist.run(&["fio", "--cmdhelp=iodepth"]).stdout.starts_with("iodepth "));
    for flag in ["--client=db1", "--server"] {
        let refused = typist.run(&["fio", flag]);
        assert_eq!(refused.status, 2);
        for instead in
            ["fio's own protocol", "ssh HOST fathom fio", "fathom run --client", "--engine fio@HOST"]
        {
            assert!(refused.stderr.contains(instead), "{instead}: {refused:?}");
        }
    }
}

#[test]
fn runs_are_listed_by_time_validity_and_campaign() {
    let typist = Typist::new();
    typist.json(&["run", "--target", "sim:nvme", "--time", "1s", "--json"]);
    let swept =
        ["sweep", "--target", "sim:gp3", "--over", "depth=1,2", "--passes", "1", "--time", "1s", "--json"];
    typist.json(&swept);
    let listed = |flags: &[&str]| {
        typist.json(&[&["runs", "--json"], flags].concat())["runs"].as_array().unwrap().len()
    };
    assert_eq!(listed(&[]), 1, "test points of campaigns are left out");
    assert_eq!((listed(&["--all"]), listed(&["--campaign", "last"])), (3, 2));
    assert_eq!((listed(&["--since", "1h"]), listed(&["--since", "2199-01-01"])), (1, 0));
    assert_eq!((listed(&["--valid"]), listed(&["-n", "0"])), (1, 0));
    assert_eq!(typist.run(&["runs", "--since", "yesterday"]).status, 2);
    let text = typist.run(&["runs"]).stdout;
    assert!(text.contains("sim:nvme") && text.contains("s-"), "{text}");
}

#[test]
fn the_store_is_where_the_environment_or_the_config_file_says() {
    let typist = Typist::new();
    let run = ["run", "--target", "sim:nvme", "--time", "1s", "-q"];
    std::fs::write(typist.path("config.toml"), "store = 'of-config.sqlite'\n[run]\ndepth = 4\n").unwrap();
    let config = [("FATHOM_CONFIG", "config.toml")];
    let answer = bare(&typist, &run, &config);
    assert_eq!(answer.status, 0, "{answer:?}");
    assert!(typist.path("of-config.sqlite").exists() && !answer.stderr.contains("--store"), "{answer:?}");
    let shown: Value = bare(&typist, &["show", "last", "--json"], &config).json();
    assert_eq!(shown["workload"]["depth"], 4);
    let typed = bare(&typist, &[&run[..], &["--depth", "2"]].concat(), &config);
    assert!(typed.stdout.contains("depth 2"), "{typed:?}");

    let both = [("FATHOM_CONFIG", "config.toml"), ("FATHOM_STORE", "of-environment.sqlite")];
    assert_eq!(bare(&typist, &run, &both).status, 0);
    assert!(typist.path("of-environment.sqlite").exists());
    let settings = bare(&typist, &["config", "--json"], &both).json();
    assert_eq!(
        (&settings["store"], &settings["store_from"]),
        (&"of-environment.sqlite".into(), &"environment".into())
    );
    assert_eq!(settings["defaults"][0]["flags"][0], "--depth=4");
    assert!(bare(&typist, &["config"], &both).stdout.contains("fathom run --depth=4"));
}

#[test]
fn a_config_file_with_an_unknown_key_is_refused_by_name() {
    let typist = Typist::new();
    std::fs::write(typist.path("config.toml"), "[run]\ntmie = '5s'\n").unwrap();
    let config = [("FATHOM_CONFIG", "config.toml")];
    for command in [&["config"][..], &["run", "--target", "null:"][..]] {
        let answer = bare(&typist, command, &config);
        assert_eq!(answer.status, 2, "{answer:?}");
        assert!(answer.stderr.contains("config.toml: [run] unknown key `tmie`"), "{answer:?}");
        assert!(answer.stderr.contains("did you mean `time`?"), "{answer:?}");
    }
    assert_eq!(bare(&typist, &["help", "config"], &config).status, 0);
    assert_eq!(bare(&typist, &["runs"], &[("FATHOM_CONFIG", "nowhere.toml")]).status, 2);
}

#[test]
fn the_doctor_looks_and_changes_nothing() {
    let typist = Typist::new();
    let report = bare(&typist, &["doctor", "--json"], &[]).json();
    assert_eq!((&report["format"], &report["usable"]), (&"fathom.doctor".into(), &Value::Bool(true)));
    let subjects: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["subject"].as_str().unwrap())
        .collect();
    for subject in ["rights", "io_uring", "Landlock", "direct I/O", "run store"] {
        assert!(subjects.contains(&subject), "{subjects:?}");
    }
    assert_eq!(std::fs::read_dir(typist.folder()).unwrap().count(), 0);
    let absent = bare(&typist, &["doctor", "no/such/folder"], &[]);
    assert_eq!(absent.status, 1);
    assert!(absent.stdout.contains("FAIL direct I/O"), "{absent:?}");
}

#[test]
fn what_other_tools_call_it_is_told_in_fathoms_words() {
    let typist = Typist::new();
    for (words, advice) in [
        (&["-b4K"][..], "`--bs`"),
        (&["-iodepth=32"], "`--depth`"),
        (&["--time_based"], "leave it out"),
        (&["--rwmixwrite", "30"], "`--read-share`"),
        (&["if=/dev/sda"], "--rw read"),
        (&["--bs", "4kb"], "did you mean `4k` (4096 bytes)?"),
        (&["--like", "p.json", "--replay", "t.csv"], "cannot be used with"),
    ] {
        let answer = typist.run(&[&["run", "--target", "null:"], words].concat());
        assert_eq!(answer.status, 2, "{words:?}: {answer:?}");
        assert!(answer.stderr.contains(advice), "{words:?}: {answer:?}");
    }
    let meant = typist.json(&["run", "--target", "sim:nvme", "--time", "2", "--warmup", "1sec", "--json"]);
    assert_eq!(meant["workload"]["length"]["time_ns"], 2_000_000_000_u64);
    assert_eq!(meant["workload"]["length"]["warmup_ns"], 1_000_000_000_u64);
}

#[test]
fn a_self_test_says_what_it_tried_and_leaves_nothing_but_its_archive() {
    let typist = Typist::new();
    let words = ["doctor", "--self-test", ".", "--zip", "answers.zip", "--redact", "path", "--json"];
    let answer = bare(&typist, &words, &[]);
    let report = answer.json();
    assert_eq!(report["format"], "fathom.self_test");
    let checks = report["checks"].as_array().unwrap();
    let failed: Vec<&Value> = checks.iter().filter(|check| check["outcome"] == "failed").collect();
    // How far two clocks are apart is a measurement, which a busy machine may spoil.
    assert!(failed.iter().all(|check| check["name"] == "clock"), "{failed:#?}");
    let came_of = |name: &str| &checks.iter().find(|check| check["name"] == name).unwrap()["outcome"];
    for name in [
        "memory:, content verified",
        "engine sync, depth 8",
        "a file that is open for writing elsewhere",
        "store, read back",
    ] {
        assert_eq!(came_of(name), "passed", "{name}");
    }
    assert_eq!(came_of("engine iocp, depth 1"), "skipped");
    let left: Vec<_> =
        std::fs::read_dir(typist.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["answers.zip"]);
    assert!(
        answer.stderr.contains("answers.zip will hold:") && answer.stderr.contains("self-test.json"),
        "{answer:?}"
    );
    // An archive of somebody else's name is not written over.
    assert_eq!(bare(&typist, &words, &[]).status, 2);
    assert_eq!(bare(&typist, &["doctor", "--zip", "a.zip"], &[]).status, 2);
}

#[test]
fn drives_of_another_machine_are_listed_from_a_file_and_never_free() {
    let typist = Typist::new();
    let answers = r#"[{"question": "geometry", "bytes": "0000000000000000000000000000000000000000000200000000000001000000"},
                     {"question": "trim", "error": 1}]"#;
    let drives = format!(r#"[{{"number": 3, "answers": {answers}}}]"#);
    let file = |version: u32| {
        format!(r#"{{"format": "fathom.drives", "version": {version}, "settings": [], "drives": {drives}}}"#)
    };
    std::fs::write(typist.path("drives.json"), file(1)).unwrap();
    let listed = typist.json(&["devices", "--from", "drives.json", "--json"]);
    let device = &listed["devices"][0];
    assert_eq!(
        (&device["path"], &device["facts"]["size_bytes"]),
        (&r"\\.\PhysicalDrive3".into(), &(1u64 << 32).into())
    );
    assert_eq!(device["verdict"]["writing"], "never");
    assert!(
        typist
            .run(&["devices", "PhysicalDrive3", "--from", "drives.json"])
            .stdout
            .contains("could not be established")
    );
    for broken in [file(2), "{}".to_owned(), file(1).replace("geometry", "colour"), file(1)[..90].to_owned()]
    {
        std::fs::write(typist.path("drives.json"), broken).unwrap();
        assert_eq!(typist.run(&["devices", "--from", "drives.json"]).status, 2);
    }
    let refused = typist.run(&["devices", "--capture", "here.json"]);
    assert_eq!((refused.status, typist.path("here.json").exists()), (1, false), "{refused:?}");
}

#[test]
fn drives_of_another_machine_say_their_stack_their_drivers_and_what_holds_them() {
    let typist = Typist::new();
    let drives = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/drives/two.json");
    let said = |drive: &str| typist.run(&["devices", drive, "--from", drives]).stdout;
    let volume = said("PhysicalDrive0");
    for words in [
        "disk 10.0.26100.8521 over stornvme 10.0.26100.8521",
        "native NVMe is asked for and not in force",
        "EBS statistics: stornvme does not pass",
        "where volume",
    ] {
        assert!(volume.contains(words), "{words}: {volume}");
    }
    let native = said("PhysicalDrive1");
    for words in ["volume C: (NTFS) on it is mounted", "the system runs from volume C:", "paged to volume C:"]
    {
        assert!(native.contains(words), "{words}: {native}");
    }
    assert!(!native.contains("not in force"), "{native}");
    let listed = typist.json(&["devices", "--from", drives, "--json"]);
    let stacks = listed["devices"].as_array().unwrap().iter().map(|device| &device["carried"]["stack"]);
    assert!(stacks.eq(["scsi", "native"]), "{listed:#}");
}

#[test]
fn of_a_machine_that_answered_all_the_drive_that_is_offline_is_written_by_its_serial_number() {
    let typist = Typist::new();
    let drives = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/drives/offline.json");
    let told = |file: &str| {
        let listed = typist.json(&["devices", "--from", file, "--json"]);
        let devices = listed["devices"].as_array().unwrap().clone();
        devices
            .iter()
            .map(|device| device["verdict"]["writing"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told(drives), ["never", "with_permission", "never"]);
    // Sentences may be broken anywhere.
    let said = |drive: &str| {
        let text = typist.run(&["devices", drive, "--from", drives]).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said("PhysicalDrive1").contains("permit --destroy S4EWNX0R"), "{}", said("PhysicalDrive1"));
    assert!(said("PhysicalDrive2").contains("Set-Disk -Number 2 -IsOffline $true"));
    let system = said("PhysicalDrive0");
    assert!(system.contains("the system runs from volume C:") && !system.contains("Set-Disk"), "{system}");

    // Without any one of these answers, or with the machine's volumes in doubt, nothing is written.
    let whole: Value = serde_json::from_slice(&std::fs::read(drives).unwrap()).unwrap();
    let doubted = |change: &dyn Fn(&mut Value)| {
        let mut machine = whole.clone();
        change(&mut machine);
        std::fs::write(typist.path("doubted.json"), machine.to_string()).unwrap();
        assert_eq!(told("doubted.json"), ["never"; 3]);
    };
    for question in ["descriptor", "geometry", "layout", "attributes", "number", "writable", "clustered"] {
        doubted(&|machine| {
            let answers = machine["drives"][1]["answers"].as_array_mut().unwrap();
            answers.retain(|answer| answer["question"] != question);
        });
    }
    doubted(&|machine| machine["volumes_listed"] = false.into());
    doubted(&|machine| machine["volumes"][0]["roles"] = serde_json::json!([]));
    doubted(&|machine| machine["volumes"][3]["device"] = Value::Null);
    doubted(&|machine| machine["volumes"] = serde_json::json!([]));
}
