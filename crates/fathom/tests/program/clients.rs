//! Several clients as one run: sums that are exact, and clients that are lost, late, wrong or loud.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use fathom_measure::{Clock, Histogram, WallClock};
use fathom_record::client_facts::ClientsFacts;
use fathom_record::run_record::RunEnding;
use fathom_record::{CheckName, CheckOutcome, RunRecord, parse_run};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// Time from its start.
pub struct Stopwatch(WallClock, u64);

impl Stopwatch {
    pub fn start() -> Self {
        let (clock, _) = WallClock::start_on_system_clock();
        Self(clock, clock.now_ns())
    }

    pub fn seconds(&self) -> f64 {
        (self.0.now_ns() - self.1) as f64 / 1e9
    }
}

/// What a run with `--json-lines` prints, as it comes.
pub struct JsonLineReader(std::io::Lines<BufReader<ChildStdout>>);

impl JsonLineReader {
    pub fn by(run: &mut Child) -> Self {
        Self(BufReader::new(run.stdout.take().unwrap()).lines())
    }

    /// Waits until so many more seconds have been measured; a run that ends before fails the test.
    pub fn seconds(&mut self, count: usize) {
        for _ in 0..count {
            let line = self.0.next().expect("a line comes for each second").unwrap();
            assert!(line.contains("\"fathom.second\""), "{line}");
        }
    }

    /// Waits for the end; gives the last line, which is the record.
    pub fn last(self) -> String {
        self.0.map(Result::unwrap).last().expect("the record comes last")
    }
}

fn fathom(folder: &Path, words: &[&str]) -> Command {
    let mut command = quiet(folder, words);
    command.arg("--json");
    command
}

/// A run that is not told yet in which form to print.
fn quiet(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(FATHOM);
    command.arg("run").args(words).arg("--quiet").current_dir(folder);
    command.env("FATHOM_STORE", folder.join("runs.sqlite"));
    command
}

fn record(printed: &[u8]) -> RunRecord {
    parse_run(printed).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(printed)))
}

/// What is said where nothing is measured.
fn refusal(folder: &Path, words: &[&str]) -> String {
    let output = fathom(folder, words).output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn clients(record: &RunRecord) -> &ClientsFacts {
    record.clients.as_deref().unwrap()
}

#[test]
fn four_clients_add_up_bucket_for_bucket_and_offer_what_one_process_does() {
    let folder = tempfile::tempdir().unwrap();
    let load = [
        "--target",
        "null:",
        "--delay",
        "exponential:1ms",
        "--depth",
        "32",
        "--time",
        "4s",
        "--warmup",
        "1s",
    ];
    let four = [
        "--rate", "500", "--client", "a=local", "--client", "b=local", "--client", "c=local", "--client",
        "d=local",
    ];
    // Beside one another: neither load fills a processor.
    let measured = || {
        let mut one = fathom(folder.path(), &[load.as_slice(), &["--rate", "2000", "--jobs", "4"]].concat());
        let mut four = fathom(folder.path(), &[load.as_slice(), &four].concat());
        std::thread::scope(|scope| {
            let one = scope.spawn(move || one.output().unwrap());
            (four.output().unwrap(), one.join().unwrap())
        })
    };
    let mut ratios = Vec::new();
    let sum = loop {
        let (output, one) = measured();
        let sum = record(&output.stdout);
        assert_eq!(sum.ending, RunEnding::Complete, "{}", String::from_utf8_lossy(&output.stderr));
        let ratio = sum.summary.operations_per_s() / record(&one.stdout).summary.operations_per_s();
        ratios.push(ratio);
        if (ratio - 1.0).abs() < 0.005 {
            break sum;
        }
        // A machine that stands still at the end of one takes some of its last I/Os; it does not do so each time.
        assert!(ratios.len() < 3, "{ratios:?}");
    };
    let parts = &clients(&sum).clients;
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    // Each agent's own histogram, as it counted it, against the one of the sum.
    let mut added = Histogram::new();
    for part in parts {
        let own = part.summary.directions[0].service_histogram.as_ref().unwrap();
        added.merge(&Histogram::try_from(own).unwrap());
    }
    let merged = sum.summary.directions[0].service_histogram.as_ref().unwrap();
    assert_eq!(Histogram::try_from(merged).unwrap(), added);
    assert_eq!((sum.workload.jobs, sum.summary.offered_per_s), (4, Some(2000.0)));
    let skew = sum.checks.iter().find(|check| check.name == CheckName::ClientSkew).unwrap();
    assert_ne!(skew.outcome, CheckOutcome::NotApplicable);
    assert_eq!(clients(&sum).overlap_share, 1.0);
}

/// A run of a minute that tells its seconds, on two clients whose agents write their process's number to a file first.
fn long_run(folder: &Path) -> Child {
    let client = |name: &str| {
        let line = format!("echo $$ > {name}.pid; exec {FATHOM} agent");
        format!("{name}=exec:sh -c '{line}'")
    };
    let words = ["--target", ".", "--rw", "randwrite", "--size", "1MiB", "--rate", "100", "--time", "60s"];
    let mut command = quiet(folder, &words);
    command.args(["--json-lines", "--warmup", "0s", "--client", &client("a"), "--client", &client("b")]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn agent(folder: &Path, name: &str) -> String {
    let path = folder.join(format!("{name}.pid"));
    let clock = Stopwatch::start();
    while clock.seconds() < 30.0 {
        match std::fs::read_to_string(&path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    panic!("no agent {name}")
}

fn signal(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
}

fn runs(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_client_that_is_killed_or_stands_still_ends_the_run_and_is_named() {
    // Both at once: nearly all of it is waiting.
    std::thread::scope(|scope| {
        for how in ["-KILL", "-STOP"] {
            scope.spawn(move || loses_a_client(how));
        }
    });
}

fn loses_a_client(how: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = long_run(folder.path());
    let mut told = JsonLineReader::by(&mut run);
    let lost = agent(folder.path(), "b");
    // 400 I/Os of both.
    told.seconds(2);
    let begun = Stopwatch::start();
    signal(how, &lost);
    let last = told.last();
    let status = run.wait().unwrap();
    // Five seconds of silence, and what the others need to end.
    assert!(begun.seconds() < 9.5, "{how}: {} s", begun.seconds());
    assert_eq!(status.code(), Some(1), "{how}");
    let sum = record(last.as_bytes());
    let RunEnding::Failed { error } = &sum.ending else { panic!("{how}: {:?}", sum.ending) };
    assert!(error.contains("client b"), "{how}: {error}");
    assert!(sum.summary.operations().unwrap() > 100, "{how}: what was measured is kept");
    assert_eq!((clients(&sum).skew_bound_ns, clients(&sum).start_bound_ns), (None, None));
    assert!(!runs(&lost), "{how}: nothing is left behind");
}

#[test]
fn agents_of_a_coordinator_that_is_killed_are_gone_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = long_run(folder.path());
    let mut told = JsonLineReader::by(&mut run);
    let agents = ["a", "b"].map(|name| agent(folder.path(), name));
    told.seconds(1);
    run.kill().unwrap();
    run.wait().unwrap();
    let clock = Stopwatch::start();
    while agents.iter().any(|agent| runs(agent)) {
        assert!(clock.seconds() < 5.0, "an agent is left");
        std::thread::sleep(Duration::from_millis(20));
    }
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(name.ends_with(".pid") || name.starts_with("runs.sqlite"), "{name} is left");
    }
}

#[test]
fn a_greeting_and_a_flood_of_messages_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        format!("echo Welcome; printf 'no line end'; yes flood | head -c 3000000 >&2; exec {FATHOM} agent");
    let client = format!("loud=exec:sh -c '{}'", line.replace('\'', "'\\''"));
    let words = ["--target", "null:", "--rate", "200", "--time", "1s", "--warmup", "0s", "--client", &client];
    let output = fathom(folder.path(), &words).output().unwrap();
    let sum = record(&output.stdout);
    assert_eq!(sum.ending, RunEnding::Complete);
    assert_eq!(clients(&sum).clients[0].name, "loud");
    assert!(output.stderr.len() < 20_000, "{} bytes", output.stderr.len());
}

#[test]
fn what_cannot_work_is_refused_with_the_client_that_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |client: &str, more: &[&str]| {
        let target: &[&str] = if more.is_empty() { &["--target", "null:"] } else { more };
        let words = ["--time", "1s", "--client", "good=local", "--client", client];
        refusal(folder.path(), &[words.as_slice(), target].concat())
    };
    let hello = r#"{"fathom":"agent","protocol":1,"version":"0.0.1","record":1,"os":"linux","architecture":"x","host":"h"}"#;
    std::fs::write(folder.path().join("old.sh"), format!("echo '{hello}'; cat > /dev/null\n")).unwrap();
    let said = refused("old=exec:sh old.sh", &[]);
    assert!(
        said.contains("client old") && said.contains("0.0.1") && said.contains(env!("CARGO_PKG_VERSION")),
        "{said}"
    );
    let said = refused("shell=exec:sh -c 'echo no such command >&2; exit 127'", &[]);
    assert!(said.contains("client shell") && said.contains("no such command"), "{said}");
    let said = refused("ssh:-oProxyCommand=touch", &[]);
    assert!(said.contains("not a valid name of a host"), "{said}");
    assert!(refused("good=local", &[]).contains("two clients are called `good`"));
    let said = refused("b=local", &["--target", "missing.bin"]);
    let is_named = said.contains("client good") || said.contains("client b ");
    assert!(is_named && said.contains("missing.bin"), "{said}");
    let said = refused("b=local", &["--target", "sim:nvme"]);
    assert!(said.contains("--real-time"), "{said}");
}

#[test]
fn two_clients_on_one_machine_cannot_write_one_file_and_read_it_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.bin"), vec![7u8; 8 << 20]).unwrap();
    let both = [
        "--target", "data.bin", "--time", "1s", "--warmup", "0s", "--rate", "100", "--client", "a=local",
        "--client", "b=local",
    ];
    let writing = ["--rw", "randwrite", "--destroy", "data.bin"];
    let said = refusal(folder.path(), &[both.as_slice(), &writing].concat());
    // The guard refuses the one that comes second: by its lock or by the run that it sees.
    assert!(said.contains("client ") && (said.contains("refused") || said.contains("in use")), "{said}");
    let reading = ["--rw", "randread", "--partition"];
    let output = fathom(folder.path(), &[both.as_slice(), &reading].concat()).output().unwrap();
    let sum = record(&output.stdout);
    assert_eq!((&sum.ending, clients(&sum).partitioned), (&RunEnding::Complete, true));
    assert_eq!(sum.ledger.span_bytes, Some(4 << 20));

    // Of several targets each client has a part of each, as far as the smallest reaches.
    std::fs::write(folder.path().join("smaller.bin"), vec![7u8; 4 << 20]).unwrap();
    let second = ["--target", "smaller.bin", "--jobs", "2"];
    let output = fathom(folder.path(), &[both.as_slice(), &reading, &second].concat()).output().unwrap();
    let sum = record(&output.stdout);
    assert_eq!((&sum.ending, clients(&sum).partitioned), (&RunEnding::Complete, true));
}

#[test]
fn a_sum_is_held_against_so_many_times_an_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    let load = ["--target", "null:", "--rate", "500", "--depth", "8", "--time", "3s", "--warmup", "0s"];
    let one = record(&fathom(folder.path(), &load).output().unwrap().stdout);
    let clients = ["--client", "a=local", "--client", "b=local"];
    let expected = format!("{}*2", one.id);
    let links = ["--expect-link", "3MB/s"];
    let words = [load.as_slice(), &clients, &links, &["--expect", &expected]].concat();
    let mixed = [load.as_slice(), &["--rw", "randrw", "--expect", &expected]].concat();
    // Beside one another: neither load fills a processor.
    let [sum, other] = std::thread::scope(|scope| {
        let measured = |words| record(&fathom(folder.path(), words).output().unwrap().stdout);
        [&words, &mixed].map(|words| scope.spawn(move || measured(words))).map(|run| run.join().unwrap())
    });
    let held = sum.expectation.as_deref().unwrap();
    assert_eq!((held.of.as_str(), held.times), (one.id.as_str(), 2));
    let wanted = 2.0 * one.summary.operations_per_s();
    assert!((held.operations_per_s / wanted - 1.0).abs() < 1e-9, "{held:?}");
    // 3 MB/s carry 732 of the 1,000 blocks a second.
    assert!((held.capped_operations_per_s - 3e6 / 4096.0).abs() < 1.0 && held.is_capped(), "{held:?}");
    assert!(held.reached_share > 1.3 && held.interval.is_some(), "{held:?}");
    let balance = sum.clients.as_deref().and_then(|facts| facts.balance).unwrap();
    assert!(balance.jain_index > 0.99, "{balance:?}");
    let store = folder.path().join("runs.sqlite");
    let shown = Command::new(FATHOM).args(["show", &sum.id]).env("FATHOM_STORE", store).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("Expected: 2 times") && shown.contains("Jain's index"), "{shown}");

    let refused = refusal(folder.path(), &["--target", "null:", "--expect", "r-none*2"]);
    assert!(refused.contains("r-none"), "{refused}");
    let refused = refusal(folder.path(), &["--target", "null:", "--expect", &expected, "--expect-link", "0"]);
    assert!(refused.contains("must be above 0") && refused.contains("47GB/s"), "{refused}");
    assert!(other.expectation.is_none());
    assert!(
        other.notes.iter().any(|note| note.starts_with("Nothing was expected of it")),
        "{:?}",
        other.notes
    );
}
