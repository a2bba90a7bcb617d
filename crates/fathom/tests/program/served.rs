//! `fathom nvmet`: what it says when it is ready and at its end, and what it refuses to serve.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use serde_json::Value;

use crate::clients::JsonLineReader;
use crate::typed::Typist;

/// A target that is ready, and what it said.
struct Serving {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    ready: Value,
}

fn serve(typist: &Typist, arguments: &[&str]) -> Serving {
    started(typist, &[&["nvmet", "--listen", "127.0.0.1:0", "--json"], arguments].concat())
}

fn started(typist: &Typist, arguments: &[&str]) -> Serving {
    let mut child = typist.start(arguments);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    Serving { child, lines, ready: serde_json::from_str(&line).unwrap() }
}

impl Serving {
    /// Ends it as Ctrl-C does; gives what it says then.
    fn end(mut self) -> Value {
        let sent = Command::new("kill").args(["-s", "INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let line = self.lines.next().unwrap().unwrap();
        assert!(self.child.wait().unwrap().success());
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Serving {
    /// A test that failed leaves nothing behind that listens.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_says_what_it_serves_and_ends_at_ctrl_c() {
    let typist = Typist::new();
    let serving =
        serve(&typist, &["memory:16MiB", "null:", "--delay", "constant:100us", "--memory", "64MiB"]);
    let ready = &serving.ready;
    assert_eq!((&ready["ready"], &ready["queues"]), (&Value::Bool(true), &Value::from(2)));
    let port = ready["address"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let nqn = ready["nqn"].as_str().unwrap();
    assert_eq!(ready["namespaces"][0]["size_bytes"], 16 << 20);
    assert_eq!(ready["namespaces"][1]["target"], format!("nvme+tcp://127.0.0.1:{port}/{nqn}/2"));
    let stream = std::net::TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
    drop(stream);
    let ended = serving.end();
    assert_eq!((&ended["ready"], &ended["failed"]), (&Value::Bool(false), &Value::from(0)));
}

/// A target that is killed in the middle of a run and comes back at its place costs the run an outage, and no I/O.
#[test]
fn a_run_outlives_a_target_that_is_killed_and_comes_back() {
    let typist = Typist::new();
    let serving = serve(&typist, &["memory:16MiB"]);
    let (name, address) =
        (serving.ready["namespaces"][0]["target"].clone(), serving.ready["address"].clone());
    let (name, address) = (name.as_str().unwrap(), address.as_str().unwrap());
    let target = format!("{name}?reconnect=30");
    let load = [
        "run", "--target", &target, "--rw", "randread", "--jobs", "2", "--depth", "4", "--time", "4s",
        "--warmup", "0s", "--quiet",
    ];
    let mut run = typist.start(&[&load[..], &["--json-lines"]].concat());
    let mut told = JsonLineReader::by(&mut run);
    // Of both jobs.
    told.seconds(1);
    drop(serving);
    // The time itself is tested: the record reports an outage of about as long.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let again = ["nvmet", "memory:16MiB", "--listen", address, "--json"];
    let _back = started(&typist, &again);
    let record: Value = serde_json::from_str(&told.last()).unwrap();
    run.wait().unwrap();
    assert_eq!(record["ending"]["reason"], "complete", "{}", record["ending"]);
    let outages = &record["target"]["fabric"]["outages"];
    assert_eq!(outages["count"], 2, "{outages}");
    let longest_ns = outages["longest_ns"].as_u64().unwrap();
    assert!(longest_ns >= 400_000_000 && outages["total_ns"].as_u64().unwrap() >= longest_ns, "{outages}");
    let reads = &record["summary"]["directions"][0];
    assert_eq!(reads["errors"], 0);
    assert!(reads["service"]["max_ns"].as_u64().unwrap() >= longest_ns, "{reads}");
}

#[test]
fn people_read_what_to_type_on_the_other_side() {
    let typist = Typist::new();
    let answer = typist.run(&["nvmet", "null:", "--listen", "127.0.0.1:0", "--time", "200ms"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    for words in
        ["nvme connect -t tcp -a 127.0.0.1 -s ", "target name: nvme+tcp://127.0.0.1:", "Served 0 reads"]
    {
        assert!(answer.stdout.contains(words), "{words}: {answer:?}");
    }
}

#[test]
fn an_address_that_others_reach_asks_who_may_connect() {
    let typist = Typist::new();
    let answer = typist.run(&["nvmet", "null:", "--listen", "0.0.0.0:0"]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("--allow-host"), "{answer:?}");
    let answer = typist.run(&["nvmet", "null:", "--allow-host", "not a name"]);
    assert_eq!(answer.status, 2);
    for open in [&["--allow-any-host"][..], &["--allow-host", "nqn.2014-08.org.example:host"]] {
        let all = [&["nvmet", "null:", "--listen", "0.0.0.0:0", "--time", "10ms"], open].concat();
        assert_eq!(typist.run(&all).status, 0);
    }
}

#[test]
fn files_that_hold_data_are_served_for_reading_and_judged_for_writing() {
    let typist = Typist::new();
    std::fs::write(typist.path("data"), vec![3; 4 << 20]).unwrap();
    let refused = typist.run(&["nvmet", "data", "--writable", "--listen", "127.0.0.1:0", "--time", "10ms"]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(refused.stderr.contains("--destroy data"), "{refused:?}");
    let serving = serve(&typist, &["data"]);
    assert_eq!(serving.ready["namespaces"][0]["read_only"], true);
    // What is served is in use: nobody writes to it behind the hosts' backs.
    let run = ["run", "--target", "data", "--rw", "randwrite", "--time", "100ms", "--destroy", "data"];
    let answer = typist.run(&run);
    assert_eq!(answer.status, 3, "{answer:?}");
    serving.end();
    assert!(std::fs::read(typist.path("data")).unwrap().iter().all(|byte| *byte == 3));
    let both = serve(&typist, &["data", "--writable", "--destroy", "data"]);
    assert_eq!(both.ready["namespaces"][0]["read_only"], false);
    both.end();
}

#[test]
fn a_stripe_is_one_namespace_over_all() {
    let typist = Typist::new();
    for name in ["a", "b"] {
        std::fs::write(typist.path(name), vec![3; 4 << 20]).unwrap();
    }
    let serving = serve(&typist, &["a", "b", "--stripe", "64k"]);
    assert_eq!(serving.ready["namespaces"].as_array().unwrap().len(), 1);
    assert_eq!(serving.ready["namespaces"][0]["size_bytes"], 8 << 20);
    serving.end();
    let refused = typist.run(&["nvmet", "null:", "null:", "--stripe", "64k"]);
    assert_eq!(refused.status, 2, "{refused:?}");
}
