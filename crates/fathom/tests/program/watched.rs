//! `fathom watch` and `--metrics`: a measurement of another process, as it goes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::typed::{Answer, Typist};

/// A run that goes on for some seconds.
const RUN: [&str; 9] =
    ["run", "--target", "memory:16MiB", "--rw", "randread", "--rate", "2k", "--warmup", "0s"];

/// Ends when the test does.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether this machine has memory for live seconds.
fn has_memory() -> bool {
    let has = std::fs::read_to_string("/proc/mounts").is_ok_and(|text| text.contains(" /dev/shm tmpfs "));
    if !has {
        fathom_skips::skipped("no /dev/shm in memory for live seconds");
    }
    has
}

fn start(typist: &Typist, time: &str, more: &[&str]) -> Started {
    let arguments = [&RUN[..], &["--time", time], more].concat();
    let mut command = typist.command(&arguments);
    Started(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap())
}

/// How it stands, once its ring is there and has a second.
fn once(typist: &Typist, run: &Started, columns: &str) -> Answer {
    let pid = run.0.id().to_string();
    for _ in 0..600 {
        let mut command = typist.command(&["watch", &pid, "--once"]);
        let answer: Answer = command.env("COLUMNS", columns).output().unwrap().into();
        if answer.status == 0 && answer.stdout.contains("rate") {
            return answer;
        }
        assert!(answer.status == 0 || answer.stderr.contains("no running measurement"), "{answer:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nothing was seen of {pid}");
}

/// The ring of a process, in one of the folders where it may be.
fn ring(pid: u32) -> Option<PathBuf> {
    let own = Command::new("id").arg("-u").output().unwrap().stdout;
    let shared = format!("/dev/shm/fathom-{}", String::from_utf8_lossy(&own).trim());
    let session = std::env::var("XDG_RUNTIME_DIR").map(|path| path + "/fathom").ok();
    let files = [Some(shared), session].into_iter().flatten().filter_map(|path| std::fs::read_dir(path).ok());
    let of_pid = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{pid}-"));
    files.flatten().flatten().map(|entry| entry.path()).find(of_pid)
}

#[test]
fn a_run_is_watched_to_its_end_and_leaves_nothing() {
    if !has_memory() {
        return;
    }
    let typist = Typist::new();
    let mut run = start(&typist, "6s", &["--quiet"]);
    let pid = run.0.id();
    let stands = once(&typist, &run, "80");
    let first = stands.stdout.lines().next().unwrap();
    assert!(first.starts_with(&format!("run memory:16MiB, process {pid}, r-")), "{first}");
    for part in ["IOPS", "p99 ", "in flight", "fathom "] {
        assert!(stands.stdout.contains(part), "{part}: {}", stands.stdout);
    }
    let narrow = once(&typist, &run, "20").stdout;
    // A single word is never cut: it is an id.
    let too_wide = |line: &&str| line.chars().count() > 20 && line.trim().contains(' ');
    assert_eq!(narrow.lines().find(too_wide), None, "{narrow}");
    assert!(narrow.lines().any(|line| line.starts_with("rate ") && line.ends_with("IOPS")), "{narrow}");

    let lines = typist.run(&["watch", &pid.to_string(), "--json"]);
    assert_eq!(lines.status, 0, "{lines:?}");
    let lines: Vec<Value> = lines.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |format: &str| lines.iter().filter(|line| line["format"] == format).collect::<Vec<_>>();
    assert_eq!((of("fathom.live").len(), lines[0]["pid"].as_u64()), (1, Some(u64::from(pid))));
    let seconds = of("fathom.second");
    assert!(
        seconds.len() >= 2 && seconds.iter().all(|second| second["iops"].as_f64() > Some(0.0)),
        "{lines:?}"
    );
    assert_eq!(of("fathom.saved").len(), 1);
    assert_eq!(lines.last().unwrap()["format"], "fathom.ended");
    assert_eq!(lines.last().unwrap()["complete"], true);

    // Valid or not on a busy machine, it came to its end.
    assert!(matches!(run.0.wait().unwrap().code(), Some(0 | 1)));
    assert_eq!(ring(pid), None);
    let gone = typist.run(&["watch", &pid.to_string()]);
    assert!(gone.status == 2 && gone.stderr.contains("fathom watch"), "{gone:?}");
}

#[test]
fn what_is_killed_ends_without_a_word_and_is_swept() {
    if !has_memory() {
        return;
    }
    let typist = Typist::new();
    let mut run = start(&typist, "60s", &["--quiet"]);
    let pid = run.0.id();
    once(&typist, &run, "80");
    let mut watch = Started(typist.start(&["watch", &pid.to_string()]));
    let mut lines = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("run memory:16MiB"));
    run.0.kill().unwrap();
    run.0.wait().unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.last().unwrap().contains("exited without finishing"), "{rest:?}");
    assert_eq!(watch.0.wait().unwrap().code(), Some(1));
    assert_eq!(typist.run(&["watch", &pid.to_string()]).status, 2);
    assert_eq!(ring(pid), None);
}

#[test]
fn the_end_of_a_watch_is_not_that_of_the_run() {
    if !has_memory() {
        return;
    }
    let typist = Typist::new();
    let mut run = start(&typist, "60s", &["--quiet"]);
    once(&typist, &run, "80");
    let mut watch = Started(typist.start(&["watch", &run.0.id().to_string()]));
    let mut first = String::new();
    BufReader::new(watch.0.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    assert!(Command::new("kill").args(["-s", "TERM", &watch.0.id().to_string()]).status().unwrap().success());
    assert!(!watch.0.wait().unwrap().success());
    assert!(run.0.try_wait().unwrap().is_none(), "it goes on");
    once(&typist, &run, "80");
}

#[test]
fn a_run_is_scraped_while_it_runs() {
    let typist = Typist::new();
    let mut run = start(&typist, "60s", &["--metrics", "0"]);
    let mut said = BufReader::new(run.0.stderr.take().unwrap()).lines();
    let address = said
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("metrics: http://")?.strip_suffix("/metrics")?.to_owned()))
        .unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut looks = 0;
    let text = loop {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\nAccept: */*\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        if text.contains("\nfathom_rate_operations_per_second{") && text.contains("\nfathom_cpu_busy_ratio") {
            break text;
        }
        looks += 1;
        assert!(text.starts_with("HTTP/1.1 200 OK") && looks < 300, "{text}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(text.contains("fathom_run{") && text.contains("target=\"memory:16MiB\""), "{text}");
    assert!(text.contains("\nfathom_service_latency_seconds{warmup=\"false\",q=\"0.99\"} 0.0"), "{text}");
    let body = text.split_once("\r\n\r\n").unwrap().1;
    let is_sound = |line: &str| {
        let value = line.rsplit(' ').next().unwrap_or_default();
        line.starts_with("# ") || line.starts_with("fathom_") && value.parse::<f64>().is_ok()
    };
    assert_eq!(body.lines().find(|line| !is_sound(line)), None);
    let declared = body.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let mut declared: Vec<&str> = declared.collect();
    let all = declared.len();
    declared.sort_unstable();
    declared.dedup();
    assert_eq!(declared.len(), all, "each metric stands in one piece");
}

#[test]
fn an_address_that_cannot_be_had_is_refused_before_anything_is_measured() {
    let typist = Typist::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).unwrap();
    for address in [taken.1.as_str(), "nowhere:9400", "70000", "192.0.2.1:9400"] {
        let answer = typist.run(&[&RUN[..], &["--time", "1s", "--metrics", address]].concat());
        assert!(answer.status == 2 && answer.stderr.contains("--metrics"), "{address}: {answer:?}");
    }
    assert!(!typist.path("store").exists());
}

#[test]
fn what_runs_is_listed_for_programs() {
    if !has_memory() {
        return;
    }
    let typist = Typist::new();
    let run = start(&typist, "60s", &["--quiet"]);
    once(&typist, &run, "80");
    let listed = typist.run(&["watch", "--json", "--once"]);
    assert_eq!(listed.status, 0, "{listed:?}");
    let listed = listed.json();
    let own =
        listed["running"].as_array().unwrap().iter().find(|one| one["pid"] == run.0.id()).unwrap().clone();
    assert_eq!((&listed["format"], &own["command"]), (&"fathom.running".into(), &"run".into()));
    assert!(own["second"]["iops"].as_f64() > Some(0.0), "{own}");
}
