//! A real Prometheus with node_exporter, where the machine has them.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::typed::Typist;

/// Ends when the test does.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A port that was free a moment ago.
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

/// Writes for a while, so that there is something to count.
fn write_for(typist: &Typist, seconds: u64) {
    for _ in 0..seconds * 5 {
        let mut file = std::fs::File::create(typist.path("scratch")).unwrap();
        file.write_all(&[7u8; 1 << 16]).unwrap();
        file.sync_all().unwrap();
        std::thread::sleep(Duration::from_millis(200));
    }
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
        eprintln!("prometheus or prometheus-node-exporter is not here: not tested");
        return;
    };
    let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
    let mut names = text.lines().filter_map(|line| line.split_ascii_whitespace().nth(2));
    let Some(device) = names.find(|name| {
        !name.starts_with("zram") && !name.starts_with("loop") && Path::new("/dev").join(name).exists()
    }) else {
        eprintln!("no disk is here: not tested");
        return;
    };
    write_for(&typist, 10);
    let url = format!("http://127.0.0.1:{server_port}");
    let record =
        typist.json(&["profile", "--prometheus", &url, "--device", device, "--from", "1h", "--json"]);
    assert_eq!((&record["source"], &record["demand"]["tick_s"]), (&"prometheus".into(), &1.into()));
    assert!(record["demand"]["ticks_seen"].as_u64().unwrap() >= 2, "{record}");
    assert!(record["start_unix_s"].as_i64().unwrap() > 1_700_000_000, "{record}");
    let wrong = typist.run(&["profile", "--prometheus", &url, "--device", "no-such-disk", "--from", "1h"]);
    assert_eq!(wrong.status, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("no disk's counters"), "{wrong:?}");
    let matched = typist.run(&["profile", "--prometheus", &url, "--query", "job=~", "--from", "1h"]);
    assert!(matched.stderr.contains("refused the query"), "{matched:?}");
}

#[test]
fn a_server_that_is_not_there_or_is_none_is_named() {
    let typist = Typist::new();
    let url = format!("http://127.0.0.1:{}", port());
    let gone = typist.run(&["profile", "--prometheus", &url]);
    assert_eq!(gone.status, 2, "{gone:?}");
    assert!(gone.stderr.contains(&url) && gone.stderr.contains("http://localhost:9090"), "{gone:?}");
    let secured = typist.run(&["profile", "--prometheus", "https://there:9090"]);
    assert!(secured.stderr.contains("TLS") && secured.stderr.contains("curl"), "{secured:?}");
    let untimely = typist.run(&["profile", "--prometheus", &url, "--from", "yesterday"]);
    assert!(untimely.stderr.contains("7d"), "{untimely:?}");
}
