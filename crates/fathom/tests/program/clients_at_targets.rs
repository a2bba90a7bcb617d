//! An agent at the target's machine: it says what that did, measures nothing, and is no part of the sum.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use fathom_record::client_facts::TargetSide;
use fathom_record::run_record::RunEnding;
use fathom_record::{RunRecord, parse_run};
use serde_json::Value;

use crate::clients::JsonLineReader;
use crate::typed::Typist;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// A target of this program on the loopback; ended when it is dropped.
struct Serving {
    child: Child,
    name: String,
}

impl Serving {
    fn start() -> Self {
        let words = ["nvmet", "null:", "--listen", "127.0.0.1:0", "--json", "--queues", "8"];
        let mut child = Command::new(FATHOM).args(words).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let name = ready["namespaces"][0]["target"].as_str().unwrap().to_owned();
        Self { child, name }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn side(record: &RunRecord) -> &TargetSide {
    record.clients.as_deref().unwrap().target_side.as_deref().unwrap()
}

#[test]
fn it_names_the_process_that_serves_and_adds_nothing_to_the_sum() {
    let typist = Typist::new();
    let serving = Serving::start();
    let load = ["run", "--target", &serving.name, "--rw", "randread", "--rate", "2000", "--depth", "4"];
    let shape = ["--time", "3s", "--warmup", "1s", "--quiet", "--json"];
    let clients = ["--client", "a=local", "--client", "t=local role=target", "--client", "b=local"];
    let answer = typist.run(&[load.as_slice(), &shape, &clients].concat());
    let sum = parse_run(answer.stdout.as_bytes()).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    assert_eq!(sum.ending, RunEnding::Complete, "{answer:?}");
    let facts = sum.clients.as_deref().unwrap();
    let names: Vec<&str> = facts.clients.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    // Two clients ask for 2,000 a second each; the third asks for nothing.
    assert_eq!((sum.workload.jobs, sum.summary.offered_per_s), (2, Some(4000.0)));
    let rate = sum.summary.operations_per_s();
    assert!((rate / 4000.0 - 1.0).abs() < 0.05, "{rate}");
    let side = side(&sum);
    assert_eq!((side.name.as_str(), side.role.as_str(), side.shared), ("t", "target", true));
    let server = side.server.as_ref().unwrap_or_else(|| panic!("{:?}", side.notes));
    assert_eq!(server.process, serving.child.id());
    let (cores, thread) = (server.cores.unwrap(), server.busiest_thread.unwrap());
    assert!(cores > 0.0 && cores < 8.0 && thread > 0.0 && thread <= 1.0, "{server:?}");
    assert!(!side.cores_busy.is_empty() && side.cpu_kinds.iter().any(|kind| kind.name == "system"));
    assert!(side.interfaces.iter().any(|interface| interface.received_bytes_per_s > 0.0), "{side:?}");
    assert!(side.telemetry.at_ns.len() >= 3 && side.environment.is_some());
    let shown = typist.run(&["show", &sum.id]);
    assert!(
        shown.stdout.contains("t (target)") && shown.stdout.contains("The target's machine"),
        "{shown:?}"
    );
    let again = typist.run(&["show", &sum.id, "--json"]);
    assert_eq!(parse_run(again.stdout.as_bytes()).unwrap().clients, sum.clients, "kept as it was");
}

#[test]
fn a_target_side_that_is_lost_ends_the_run_and_is_named() {
    let typist = Typist::new();
    let client = format!(r"'t=exec:sh -c '\''echo $$ > t.pid; exec {FATHOM} agent'\''' role=target");
    let words = ["run", "--target", "null:", "--rate", "100", "--time", "30s", "--warmup", "0s", "--quiet"];
    let clients = ["--json-lines", "--client", "a=local", "--client", &client];
    let mut run = typist.start(&[words.as_slice(), &clients].concat());
    let mut told = JsonLineReader::by(&mut run);
    // 100 I/Os; its agent has been there since before them.
    told.seconds(1);
    let process = std::fs::read_to_string(typist.path("t.pid")).unwrap();
    assert!(Command::new("kill").args(["-KILL", process.trim()]).status().unwrap().success());
    let last = told.last();
    run.wait().unwrap();
    let sum = parse_run(last.as_bytes()).unwrap_or_else(|error| panic!("{error}: {last}"));
    let RunEnding::Failed { error } = &sum.ending else { panic!("{:?}", sum.ending) };
    assert!(error.contains("client t"), "{error}");
    assert!(sum.summary.operations().unwrap() > 20, "what was measured is kept");
    assert!(matches!(side(&sum).ending, RunEnding::Failed { .. }));
}

#[test]
fn who_measures_nothing_measures_nothing_alone_and_knows_its_devices() {
    let typist = Typist::new();
    let refused = |clients: &[&str]| {
        let words = ["run", "--target", "null:", "--time", "1s", "--quiet"];
        let clients = clients.iter().flat_map(|client| ["--client", client]).collect::<Vec<_>>();
        let answer = typist.run(&[words.as_slice(), &clients].concat());
        assert_ne!(answer.status, 0, "{answer:?}");
        answer.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(refused(&["t=local role=target"]).contains("no other client measures"));
    let two = refused(&["a=local", "t=local role=target", "u=local role=target"]);
    assert!(two.contains("t and u both have the role"), "{two}");
    let writes = refused(&["a=local", "t=local role=target destroy=S1"]);
    assert!(writes.contains("writes nothing"), "{writes}");
    let missing = refused(&["a=local", "t=local role=target target=/dev/null"]);
    assert!(
        missing.contains("client t") && missing.contains("`/dev/null` is not a block device"),
        "{missing}"
    );
}
