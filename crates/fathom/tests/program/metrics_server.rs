//! A real Prometheus with node_exporter, where the machine has them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::typed::{Typist, UnansweredPort};

/// Ends when the test does.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that was free a moment ago, for a server of others, which has to be given one.
fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn start(program: &str, arguments: &[String], port: u16) -> Option<Server> {
    let child =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let server = Server(child);
    let answers = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    let waited = (0..200).find(|_| {
        answers() || {
            std::thread::sleep(Duration::from_millis(50));
            false
        }
    });
    waited.map(|_| server)
}

/// Writes for a while, so that there is something to count: five times a second, so that the counters have grown
/// whenever the server asks, which it does once a second.
fn write_for(typist: &Typist, seconds: u64) {
    for _ in 0..seconds * 5 {
        let mut file = std::fs::File::create(typist.path("scratch")).unwrap();
        file.write_all(&[7u8; 1 << 16]).unwrap();
        file.sync_all().unwrap();
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// What /proc/diskstats said meanwhile: seconds since 1970, then reads, writes, bytes read and written.
struct Readings {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<(f64, [f64; 4])>>,
}

#[allow(clippy::disallowed_methods, reason = "the server's samples carry the calendar's time")]
impl Readings {
    fn start(device: &str) -> Self {
        let (stop, device) = (Arc::new(AtomicBool::new(false)), device.to_owned());
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut readings = Vec::new();
            while !told.load(Ordering::Relaxed) {
                let at_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
                let text = std::fs::read_to_string("/proc/diskstats").unwrap();
                let line = text.lines().find(|line| line.split_ascii_whitespace().nth(2) == Some(&device));
                let words: Vec<f64> = line
                    .unwrap()
                    .split_ascii_whitespace()
                    .skip(3)
                    .map(|word| word.parse().unwrap())
                    .collect();
                readings.push((at_s, [words[0], words[4], words[2] * 512.0, words[6] * 512.0]));
                std::thread::sleep(Duration::from_millis(20));
            }
            readings
        });
        Self { stop, thread }
    }

    fn finish(self) -> Vec<(f64, [f64; 4])> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// The server's own samples of a counter: seconds since 1970, and values.
fn samples(port: u16, metric: &str, device: &str) -> Vec<(f64, f64)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let query = format!("{metric}%7Bdevice%3D%22{device}%22%7D%5B1h%5D");
    write!(stream, "GET /api/v1/query?query={query} HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let values = body["data"]["result"][0]["values"].as_array().unwrap();
    let sample = |pair: &Value| (pair[0].as_f64().unwrap(), pair[1].as_str().unwrap().parse().unwrap());
    values.iter().map(sample).collect()
}

/// The profile has what the server's counters grew by, and those are what the kernel counted at the same times: each
/// sample lies between the readings before and behind it.
fn agrees_with_diskstats(record: &Value, port: u16, device: &str, readings: &[(f64, [f64; 4])]) {
    // A scrape is stamped when it begins, and may take a while on a busy machine.
    const SCRAPE_S: f64 = 1.0;
    let metrics = ["reads_completed", "writes_completed", "read_bytes", "written_bytes"];
    let series = ["reads", "writes", "read_bytes", "write_bytes"];
    let mut compared = 0;
    for (flow, (metric, ticks)) in metrics.iter().zip(series).enumerate() {
        let samples = samples(port, &format!("node_disk_{metric}_total"), device);
        for (at_s, value) in &samples {
            let before = readings.iter().rev().find(|(read_s, _)| read_s < at_s);
            let behind = readings.iter().find(|(read_s, _)| *read_s > at_s + SCRAPE_S);
            let (Some((_, before)), Some((_, behind))) = (before, behind) else { continue };
            assert!(before[flow] <= *value && *value <= behind[flow], "{metric} at {at_s}: {value}");
            compared += 1;
        }
        let ticks: u64 = record["series"][ticks].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
        // Another scrape may have come between the two questions.
        let grown = samples.iter().map(|(_, value)| value - samples[0].1);
        let nearest = grown.map(|grown| (grown - ticks as f64).abs()).fold(f64::MAX, f64::min);
        assert!(nearest <= 2.0 + ticks as f64 * 0.01, "{metric}: {ticks} in the profile, {samples:?}");
    }
    assert!(compared >= 16, "{compared} samples were compared");
}

#[test]
fn a_real_server_s_counters_become_a_profile() {
    let typist = Typist::new();
    let (exporter_port, server_port) = (port(), port());
    let exporter = start(
        "prometheus-node-exporter",
        &[
            "--collector.disable-defaults".to_owned(),
            "--collector.diskstats".to_owned(),
            format!("--web.listen-address=127.0.0.1:{exporter_port}"),
        ],
        exporter_port,
    );
    let config = format!(
        "scrape_configs:\n- job_name: node\n  scrape_interval: 1s\n  static_configs:\n  - targets: ['127.0.0.1:{exporter_port}']\n"
    );
    std::fs::write(typist.path("prometheus.yml"), config).unwrap();
    let server = start(
        "prometheus",
        &[
            format!("--config.file={}", typist.path("prometheus.yml").display()),
            format!("--storage.tsdb.path={}", typist.path("tsdb").display()),
            format!("--web.listen-address=127.0.0.1:{server_port}"),
        ],
        server_port,
    );
    let (Some(_exporter), Some(_server)) = (exporter, server) else {
        fathom_skips::skipped("prometheus or prometheus-node-exporter is not here");
        return;
    };
    let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    let mut names = text.lines().filter_map(|line| line.split_ascii_whitespace().nth(2));
    let Some(device) = names.find(|name| {
        !name.starts_with("zram") && !name.starts_with("loop") && Path::new("/dev").join(name).exists()
    }) else {
        fathom_skips::skipped("no disk is here");
        return;
    };
    let readings = Readings::start(device);
    write_for(&typist, 10);
    let readings = readings.finish();
    let url = format!("http://127.0.0.1:{server_port}");
    let record =
        typist.json(&["profile", "--prometheus", &url, "--device", device, "--from", "1h", "--json"]);
    assert_eq!((&record["source"], &record["demand"]["tick_s"]), (&"prometheus".into(), &1.into()));
    assert!(record["demand"]["ticks_seen"].as_u64().unwrap() >= 2, "{record}");
    assert!(record["start_unix_s"].as_i64().unwrap() > 1_700_000_000, "{record}");
    agrees_with_diskstats(&record, server_port, device, &readings);
    let wrong = typist.run(&["profile", "--prometheus", &url, "--device", "no-such-disk", "--from", "1h"]);
    assert_eq!(wrong.status, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("no disk's counters"), "{wrong:?}");
    let matched = typist.run(&["profile", "--prometheus", &url, "--query", "job=~", "--from", "1h"]);
    assert!(matched.stderr.contains("refused the query"), "{matched:?}");
}

#[test]
fn a_server_that_is_not_there_or_is_none_is_named() {
    let typist = Typist::new();
    let unanswered = UnansweredPort::new();
    let url = format!("http://{}", unanswered.address());
    let gone = typist.run(&["profile", "--prometheus", &url]);
    assert_eq!(gone.status, 2, "{gone:?}");
    assert!(gone.stderr.contains(&url) && gone.stderr.contains("http://localhost:9090"), "{gone:?}");
    let untimely = typist.run(&["profile", "--prometheus", &url, "--from", "yesterday"]);
    assert!(untimely.stderr.contains("7d"), "{untimely:?}");
}
