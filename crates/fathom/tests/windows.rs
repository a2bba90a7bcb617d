//! The program on Windows, as it is typed: what it measures, keeps, shows and refuses. Wine does for all of it but devices.
#![cfg(windows)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail by panicking")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of a name that is more than letters, where commands are typed, and beside it a config file that says nothing.
struct Desk {
    home: TempDir,
    folder: PathBuf,
}

#[derive(Debug)]
struct Answer {
    status: i32,
    stdout: String,
    stderr: String,
}

/// `ERROR_INTERNAL_ERROR` of Windows.
const INTERNAL_ERROR: i32 = 1359;
/// Self-checks that a short run under an emulator fails, where I/Os end inside their calls.
const OF_TIME: [&str; 6] =
    ["in_flight", "littles_law", "standstill", "generator_busy", "reap_lag", "lost_intervals"];
const BRIEF: [&str; 8] = ["--bs", "4k", "--depth", "4", "--count", "2000", "--verify", "on-read"];

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("fäthom desk");
        fs::create_dir(&folder).unwrap();
        File::create(home.path().join("config.toml")).unwrap();
        Self { home, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        // Named by the machine that built it, without a drive.
        let program = std::path::absolute(Path::new(env!("CARGO_BIN_EXE_fathom"))).unwrap();
        let mut command = Command::new(program);
        command.current_dir(&self.folder).args(words).env("COLUMNS", "100").stdin(Stdio::null());
        command.env("FATHOM_CONFIG", self.home.path().join("config.toml")).env_remove("FATHOM_STORE");
        command
    }

    fn types(&self, words: &[&str]) -> Answer {
        let mut command = self.command(&[&["--store", "runs.sqlite"], words].concat());
        // Wine's server starts no process at times, on a machine with more to do than CPUs.
        let not_started = |error: &std::io::Error| error.raw_os_error() == Some(INTERNAL_ERROR);
        let first = command.output();
        let answer = if first.as_ref().is_err_and(not_started) { command.output() } else { first };
        answer.unwrap().into()
    }

    /// A run that moves its data and keeps it, however its time went; and its record.
    fn runs(&self, words: &[&str]) -> Value {
        let answer = self.types(&[&["run"], words, &["--json", "--quiet"]].concat());
        assert!([0, 1].contains(&answer.status), "{words:?}: {answer:?}");
        let record = answer.json();
        assert_eq!(
            (&record["format"], &record["ending"]["reason"]),
            (&"fathom.run".into(), &"complete".into()),
            "{answer:?}"
        );
        let failed = record["checks"].as_array().unwrap().iter().filter(|check| check["outcome"] == "fail");
        for check in failed {
            assert!(OF_TIME.iter().any(|name| check["name"] == *name), "{check}");
        }
        record
    }

    /// A file of random bytes that no run made.
    fn file(&self, name: &str) -> Vec<u8> {
        let bytes: Vec<u8> =
            (0..1u32 << 18).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        File::create(self.path(name)).unwrap().write_all(&bytes).unwrap();
        bytes
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

#[test]
fn it_says_what_it_is_and_what_it_can() {
    let desk = Desk::new();
    let version = desk.types(&["--version"]);
    assert_eq!(
        (version.status, version.stdout.as_str()),
        (0, concat!("fathom ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    assert!(desk.types(&["help", "run"]).stdout.contains("Usage: fathom run"));
    assert!(desk.types(&["engines"]).stdout.contains("iocp"));
    let doctor = desk.types(&["doctor", "--json"]).json();
    assert_eq!(doctor["usable"], true, "{doctor:#}");
    let absent = desk.types(&["doctor", r"no\such\folder"]);
    assert!(absent.status == 1 && absent.stdout.contains("FAIL files"), "{absent:?}");
    assert!(!desk.path("runs.sqlite").exists());
}

#[test]
fn what_was_measured_is_kept_and_read_again() {
    let desk = Desk::new();
    let record = desk.runs(&[&["--target", "memory:16MiB", "--rw", "randrw"], &BRIEF[..]].concat());
    let id = record["id"].as_str().unwrap();
    let listed = desk.types(&["runs", "--json"]).json();
    assert_eq!(listed["runs"][0]["id"], id);
    let shown = desk.types(&["show", "last", "--json"]).json();
    for part in ["workload", "engine", "summary", "intervals", "checks", "environment"] {
        assert_eq!(shown[part], record[part], "{part}");
    }
    assert!(desk.types(&["show", id]).stdout.contains("memory"));
    let report = desk.types(&["report", id, "--html", "page.html"]);
    assert_eq!(report.status, 0, "{report:?}");
    let page = fs::read_to_string(desk.path("page.html")).unwrap();
    assert!(page.to_lowercase().starts_with("<!doctype html") && page.contains("memory:16MiB"));
    // Its own page is replaced, and what it did not write is not.
    assert_eq!(desk.types(&["report", id, "--html", "page.html"]).status, 0);
    fs::write(desk.path("mine.html"), "mine").unwrap();
    assert_eq!(desk.types(&["report", id, "--html", "mine.html"]).status, 2);
    assert_eq!(fs::read_to_string(desk.path("mine.html")).unwrap(), "mine");
    let with_report = ["run", "--target", "null:", "--count", "5000", "--report", "run.html", "--quiet"];
    assert_eq!(desk.types(&with_report).status, 0);
    assert!(desk.path("run.html").exists());
    assert_eq!(desk.types(&["export", id, "--as", "csv", "--output", "run.csv"]).status, 0);
    assert_eq!(desk.types(&["delete", id, "--yes"]).status, 0);
    assert_eq!(desk.types(&["show", id]).status, 2);
}

#[test]
fn a_folder_is_measured_on_a_file_that_is_gone_afterwards() {
    let desk = Desk::new();
    fs::create_dir(desk.path("data")).unwrap();
    for engine in ["iocp", "sync"] {
        let target = ["--target", "data", "--size", "8MiB", "--engine", engine, "--rw", "randrw"];
        let record = desk.runs(&[&target[..], &BRIEF].concat());
        assert_eq!((&record["engine"]["name"], &record["target"]["scratch"]), (&engine.into(), &true.into()));
        assert_eq!(record["target"]["direct"], true);
        assert_eq!(fs::read_dir(desk.path("data")).unwrap().count(), 0);
    }
    let calls =
        desk.runs(&[&["--target", "data", "--size", "8MiB", "--rw", "randread"], &BRIEF[..]].concat());
    let features = calls["engine"]["features"].as_array().unwrap();
    let counted = features.iter().find(|feature| feature["name"] == "ended_inside_call").unwrap();
    assert!(counted["note"].as_str().unwrap().contains(" of 2000 I/Os"), "{counted}");
    let refused = desk
        .types(&["run", "--target", "data", "--size", "8MiB", "--engine", "uring", "--count", "8", "--json"]);
    assert_eq!(refused.json()["kind"], "unsupported");
    assert!(refused.stderr.contains("iocp"), "{refused:?}");
}

#[test]
fn a_file_that_is_there_is_written_by_its_name_alone() {
    let desk = Desk::new();
    let before = desk.file("there.bin");
    let there = || fs::read(desk.path("there.bin")).unwrap();
    let reads = ["--target", "there.bin", "--rw", "randread", "--bs", "4k", "--count", "64"];
    desk.runs(&reads);
    let writes = ["--target", "there.bin", "--rw", "randwrite", "--bs", "4k", "--count", "64"];
    for more in [&[][..], &["--destroy", "other.bin"]] {
        let answer = desk.types(&[&["run"], &writes[..], more, &["--json"]].concat());
        assert_eq!((answer.status, &answer.json()["kind"]), (3, &"refused".into()), "{answer:?}");
        assert!(answer.stderr.contains("--destroy there.bin"), "{answer:?}");
    }
    let held = File::open(desk.path("there.bin")).unwrap();
    let named = [&["run"], &writes[..], &["--destroy", "there.bin", "--json"]].concat();
    assert_eq!(desk.types(&named).json()["kind"], "refused");
    drop(held);
    assert!(there() == before);
    desk.runs(&[&writes[..], &["--destroy", "there.bin"]].concat());
    assert!(there() != before);
}

#[test]
fn names_that_are_no_files_are_refused_before_anything_is_opened() {
    let desk = Desk::new();
    desk.file("there.bin");
    let long = format!(r"C:\{}\x.bin", "d".repeat(20_000));
    for name in [
        "nul",
        "NUL.dat",
        "con",
        "aux.txt",
        "COM1",
        "lpt9.txt",
        "there.bin.",
        "there.bin ",
        "C:",
        "C:data",
        r"\\.\D:",
        r"\\.\d:\",
        r"\\?\",
        r"\??\",
        r"\\.\PhysicalDrive",
        r"\\.\PhysicalDrive01",
        r"\\.\PhysicalDrive99",
        r"\\.\PhysicalDrive1\",
        r"\\.\PhysicalDrive4294967296",
        r"\\.\CdRom0",
        r"\\?\PhysicalDrive0",
        "PhysicalDrive0",
        r"\\.\GLOBALROOT\Device\Harddisk1\DR1",
        r"\\?\Volume{00000000-0000-0000-0000-000000000000}",
        r"\\?\Volume{00000000-0000-0000-0000-000000000000}\",
        "#1",
        "//./PhysicalDrive01",
        "/dev/sda",
        "/d/test",
        r"\\?\UNC\server\share\f",
        "there.bin:stream",
        "there.bin::$DATA",
        "*",
        "\"D:\\",
        r"\\server\share\f",
        r"\absent\rooted.bin",
        "absent.bin",
        long.as_str(),
    ] {
        let answer =
            desk.types(&["run", "--target", name, "--rw", "randread", "--count", "1", "--json", "--quiet"]);
        assert!([1, 2, 3].contains(&answer.status), "{name}: {answer:?}");
        assert_eq!(answer.json()["format"], "fathom.error", "{name}: {answer:?}");
    }
    assert_eq!(desk.types(&["runs", "--json"]).json()["runs"].as_array().unwrap().len(), 0);
}

#[test]
fn drives_and_volumes_are_refused_for_writing_whatever_is_typed() {
    let desk = Desk::new();
    for name in [r"\\.\PhysicalDrive0", r"\\.\physicaldrive0", "//./PhysicalDrive0", r"\\.\C:", r"\\.\c:"] {
        for permit in [&[][..], &["--destroy", "PhysicalDrive0"], &["--destroy", name]] {
            let writes = ["run", "--target", name, "--rw", "randwrite", "--count", "1", "--json", "--quiet"];
            let answer = desk.types(&[&writes[..], permit].concat());
            assert_eq!(answer.json()["format"], "fathom.error", "{name}: {answer:?}");
            let kind = answer.json()["kind"].as_str().unwrap().to_owned();
            assert!(
                ["refused", "no_such_target", "permission", "system"].contains(&kind.as_str()),
                "{answer:?}"
            );
        }
    }
    assert_eq!(desk.types(&["runs", "--json"]).json()["runs"].as_array().unwrap().len(), 0);
}

#[test]
fn a_volume_is_read_past_its_file_system() {
    let Ok(volume) = std::env::var("FATHOM_RAW_VOLUME") else {
        fathom_skips::skipped("a volume that is read past its file system: FATHOM_RAW_VOLUME names none");
        return;
    };
    let desk = Desk::new();
    for engine in ["iocp", "sync"] {
        let reads = ["--target", &volume, "--size", "8MiB", "--engine", engine, "--rw", "randread"];
        let record = desk.runs(&[&reads[..], &["--bs", "4k", "--depth", "4", "--count", "2000"]].concat());
        let target = &record["target"];
        assert_eq!(
            (&target["kind"], &target["direct"]),
            (&"block_device".into(), &true.into()),
            "{target:#}"
        );
        assert_eq!(record["summary"]["directions"][0]["errors"], 0);
    }
}

#[test]
fn a_command_of_diskspd_names_what_it_means_on_windows() {
    let desk = Desk::new();
    desk.file("there.bin");
    let file = desk.path("there.bin");
    let flags = ["diskspd", "-b4K", "-r", "-o4", "-d1", "-W0", "-L", "-Su"];
    let ran = desk.types(&[&flags[..], &[file.to_str().unwrap()]].concat());
    assert!([0, 1].contains(&ran.status) && ran.stdout.contains("Read IO\n"), "{ran:?}");
    // The volume of a letter is not written, and neither is a drive.
    for name in ["C:", "#0"] {
        let refused = desk.types(&[&flags[..], &["-w100", name]].concat());
        assert!(
            [1, 2, 3].contains(&refused.status) && refused.stderr.contains(r"\\.\"),
            "{name}: {refused:?}"
        );
    }
}

#[test]
fn plans_that_need_another_system_are_refused_by_what_they_ask_for() {
    let desk = Desk::new();
    for (words, said) in [
        (&["--engine", "aio"][..], "iocp"),
        (&["--engine", "mmap"], "iocp"),
        (&["--buffered"], "--buffered"),
        (&["--durable", "all", "--rw", "write"], "--durable"),
        (&["--keep"], "--keep"),
        (&["--rw", "randtrim"], "trim"),
        (&["--io-flags", "nowait"], "--io-flags"),
    ] {
        let target = ["run", "--target", ".", "--size", "8MiB", "--count", "8", "--json", "--quiet"];
        let answer = desk.types(&[&target[..], words].concat());
        assert!([1, 2].contains(&answer.status), "{words:?}: {answer:?}");
        assert_eq!(answer.json()["format"], "fathom.error", "{words:?}");
        assert!(answer.stderr.contains(said), "{words:?}: {answer:?}");
    }
    let left = fs::read_dir(&desk.folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| name.to_string_lossy().starts_with("runs.sqlite")));
}

#[test]
fn names_that_are_no_unicode_or_longer_than_any_path_are_refused() {
    use std::ffi::OsString;
    use std::os::windows::ffi::OsStringExt;

    let desk = Desk::new();
    for units in [&[0xd800][..], &[0x61, 0xdfff, 0x62], &[0xdc00, 0xd800]] {
        let mut command =
            desk.command(&["--store", "runs.sqlite", "run", "--rw", "randread", "--count", "1"]);
        let answer: Answer = command.arg("--target").arg(OsString::from_wide(units)).output().unwrap().into();
        assert!([1, 2, 3].contains(&answer.status), "{units:?}: {answer:?}");
    }
    // Longer than a command line may be.
    let long = format!(r"C:\{}\x.bin", "d".repeat(40_000));
    fs::write(desk.path("long.toml"), format!("target = '{long}'\nrw = \"randread\"\ncount = 1\n")).unwrap();
    let answer = desk.types(&["run", "long.toml", "--json"]);
    assert!([1, 2, 3].contains(&answer.status) && answer.json()["format"] == "fathom.error", "{answer:?}");
}

#[test]
fn numbers_that_no_machine_has_are_refused_or_carried_out() {
    let desk = Desk::new();
    for words in [&["--cpus", "70"][..], &["--cpus", "1:5"], &["--bs", "1000"], &["--bs", "4097"]] {
        let target = ["run", "--target", ".", "--size", "8MiB", "--count", "8", "--json", "--quiet"];
        let answer = desk.types(&[&target[..], words].concat());
        assert!([1, 2, 3].contains(&answer.status), "{words:?}: {answer:?}");
        assert_eq!(answer.json()["format"], "fathom.error", "{words:?}: {answer:?}");
    }
    let deep =
        ["run", "--target", ".", "--size", "8MiB", "--count", "8", "--depth", "100000", "--json", "--quiet"];
    let answer = desk.types(&deep);
    let format = answer.json()["format"].clone();
    assert!(["fathom.run", "fathom.error"].iter().any(|known| format == *known), "{answer:?}");
}

#[test]
fn plan_files_of_windows_are_read() {
    let desk = Desk::new();
    fs::create_dir(desk.path("data")).unwrap();
    let data = desk.path("data");
    let plan =
        format!("target = '{}'\r\nsize = \"8MiB\"\r\nrw = \"randread\"\r\ncount = 64\r\n", data.display());
    fs::write(desk.path("plan.toml"), &plan).unwrap();
    let record = desk.runs(&["plan.toml"]);
    assert_eq!(record["target"]["name"], data.to_str().unwrap());
    fs::write(desk.path("marked.toml"), format!("\u{feff}{plan}")).unwrap();
    desk.runs(&["marked.toml"]);
    // Between double quotes a backslash begins a letter: this one is a tabulator.
    fs::write(desk.path("plan.toml"), "target = \"D:\\test\"\r\n").unwrap();
    let answer = desk.types(&["run", "plan.toml", "--json"]);
    assert!(answer.status > 0 && answer.json()["format"] == "fathom.error", "{answer:?}");
}

#[test]
fn an_assessment_and_a_comparison_come_to_their_ends() {
    let desk = Desk::new();
    let assessed = desk.types(&[
        "assess",
        "sim:gp3",
        "--budget",
        "30s",
        "--patterns",
        "randread-4k",
        "--json",
        "--quiet",
    ]);
    assert_eq!(assessed.status, 0, "{assessed:?}");
    assert_eq!(assessed.json()["kind"], "assess");
    let short =
        ["--patterns", "randread-4k", "--depth", "32", "--time", "1s", "--pairs", "5", "--json", "--quiet"];
    let compared = desk.types(&[&["compare", "sim:gp3", "sim:gp3,iops=3090"], &short[..]].concat());
    assert_eq!(compared.status, 0, "{compared:?}");
    assert_eq!(compared.json()["workloads"][0]["metrics"][0]["decision"], "faster");
    assert_eq!(desk.types(&["report", "last", "--md", "text.md"]).status, 0);
    assert!(desk.path("text.md").exists());
}

#[test]
fn a_self_test_finds_nothing_wrong() {
    let desk = Desk::new();
    let answer = desk.types(&["doctor", "--self-test", ".", "--zip", "answers.zip", "--json"]);
    let report = answer.json();
    let checks = report["checks"].as_array().unwrap();
    let failed: Vec<&Value> = checks.iter().filter(|check| check["outcome"] == "failed").collect();
    // How far two clocks are apart is a measurement, and the processor's may be none that an emulator vouches for.
    assert!(failed.iter().all(|check| check["name"] == "clock"), "{failed:#?}");
    assert!(answer.stderr.contains("answers.zip will hold:"), "{answer:?}");
    let archive = fs::read(desk.path("answers.zip")).unwrap();
    assert!(archive.starts_with(b"PK"));
    assert_eq!(fs::read_dir(&desk.folder).unwrap().count(), 1);
}

#[test]
fn drives_answer_or_say_why_not_and_are_read_again_from_a_file() {
    let desk = Desk::new();
    let listed = desk.types(&["devices", "--json"]);
    assert_eq!((listed.status, &listed.json()["format"]), (0, &"fathom.devices".into()), "{listed:?}");
    for device in listed.json()["devices"].as_array().unwrap() {
        // An emulator invents answers: nothing of it is ever writable.
        assert_eq!(device["verdict"]["writing"], "never", "{device:#}");
    }
    assert_eq!(desk.types(&["devices", "--capture", "drives.json"]).status, 0);
    let again = desk.types(&["devices", "--from", "drives.json", "--json"]);
    assert_eq!(again.json()["devices"], listed.json()["devices"], "{again:?}");
    fs::write(desk.path("broken.json"), "{}").unwrap();
    assert_eq!(desk.types(&["devices", "--from", "broken.json"]).status, 2);
}

#[test]
fn a_killed_assessment_is_continued_by_the_same_command() {
    let desk = Desk::new();
    let ask = ["assess", "memory:16MiB", "--budget", "10s", "--patterns", "randread-4k", "--json", "--quiet"];
    let ids = || -> Vec<Value> {
        let list = desk.types(&["runs", "--all", "--json"]).json();
        list["runs"].as_array().unwrap().iter().map(|run| run["id"].clone()).collect()
    };
    let mut started = desk.command(&[&["--store", "runs.sqlite"], &ask[..]].concat());
    let mut child = started.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    for _ in 0..600 {
        if ids().len() >= 2 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = ids();
    assert!(before.len() >= 2);
    let continued = desk.types(&ask);
    assert_eq!(continued.status, 0, "{continued:?}");
    let after = ids();
    assert!(before.iter().all(|id| after.contains(id)) && after.len() > before.len(), "{before:?} {after:?}");
    assert_eq!(desk.types(&["runs", "--all", "--json"]).json()["campaigns"].as_array().unwrap().len(), 1);
}

#[test]
fn without_a_profile_results_are_printed_and_it_is_said_that_none_is_saved() {
    let desk = Desk::new();
    let mut command = desk.command(&["run", "--target", "sim:nvme", "--time", "1s", "--seed", "1"]);
    for name in ["LOCALAPPDATA", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    let answer: Answer = command.output().unwrap().into();
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stdout.contains("IOPS") && answer.stderr.contains("--store FILE"), "{answer:?}");
}
