//! Records in other tools' forms, read back by those tools where they are here.

#![allow(clippy::print_stderr, reason = "a test says which tool it goes without")]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::typed::Typist;

/// A run to export, and its record.
fn measured() -> (Typist, Value) {
    let typist = Typist::new();
    let run =
        ["run", "--target", "sim:nvme", "--rw", "randrw", "--depth", "4", "--time", "3s", "--warmup", "1s"];
    let answer = typist.run(&run);
    assert_eq!(answer.status, 0, "{answer:?}");
    let record = typist.json(&["show", "last", "--json"]);
    (typist, record)
}

fn exists(tool: &str) -> bool {
    let found =
        Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        fathom_skips::skipped(format_args!("no {tool} reads it back"));
    }
    found
}

/// A Python with a package of this version in an environment of the tests' own, which is made where it is missing;
/// nothing where none can be made, as without a network.
fn python_with(package: &str, version: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("python-{package}-{version}"));
    let (python, done) = (folder.join("bin/python"), folder.join("complete"));
    if !done.exists() {
        let runs = |command: &mut Command| {
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        let wanted = format!("{package}=={version}");
        let made = runs(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
            && runs(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--timeout=20", &wanted]));
        if !made || std::fs::write(&done, "").is_err() {
            fathom_skips::skipped(format_args!(
                "no Python with {wanted} reads it back, and none could be made"
            ));
            return None;
        }
    }
    Some(python)
}

fn direction<'a>(record: &'a Value, name: &str) -> &'a Value {
    let directions = record["summary"]["directions"].as_array().unwrap();
    directions.iter().find(|direction| direction["direction"] == name).unwrap()
}

/// Rows of a CSV without quotes in it, by column.
fn rows(text: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines.map(|line| names.iter().copied().zip(line.split(',')).collect()).collect()
}

#[test]
fn csv_holds_the_summary_and_the_seconds_that_make_it() {
    let (typist, record) = measured();
    let answer = typist.run(&["export", "last", "--as", "csv"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let rows = rows(&answer.stdout);
    for name in ["read", "write"] {
        let of = |scope: &str| -> Vec<&HashMap<&str, &str>> {
            rows.iter().filter(|row| row["scope"] == scope && row["direction"] == name).collect()
        };
        let summary = of("summary")[0];
        let expected = direction(&record, name);
        assert_eq!(summary["operations"], expected["operations"].to_string());
        assert_eq!(
            summary["service_mean_ns"].parse::<f64>().unwrap(),
            expected["service"]["mean_ns"].as_f64().unwrap()
        );
        let seconds: u64 = of("second")
            .iter()
            .filter(|row| row["warmup"] == "false")
            .map(|row| row["operations"].parse::<u64>().unwrap())
            .sum();
        assert_eq!(seconds, expected["operations"].as_u64().unwrap());
        assert!(of("second").iter().any(|row| row["warmup"] == "true"));
    }
}

#[test]
fn a_file_is_replaced_only_by_force() {
    let (typist, _) = measured();
    std::fs::write(typist.path("mine.csv"), "mine").unwrap();
    let export = ["export", "last", "--as", "csv", "--output", "mine.csv"];
    let answer = typist.run(&export);
    assert_eq!(answer.status, 2, "{answer:?}");
    assert!(answer.stderr.contains("--force"), "{answer:?}");
    assert_eq!(std::fs::read_to_string(typist.path("mine.csv")).unwrap(), "mine");
    let answer = typist.run(&[&export[..], &["--force"]].concat());
    assert_eq!((answer.status, answer.stdout.as_str()), (0, ""), "{answer:?}");
    assert!(std::fs::read_to_string(typist.path("mine.csv")).unwrap().starts_with("run,campaign,"));
    let answer = typist.run(&["export", "last"]);
    assert!(answer.status == 2 && answer.stderr.contains("fathom export last --as csv"), "{answer:?}");
    let answer = typist.run(&["export", "nothing", "--as", "csv", "--output", "none.csv"]);
    assert_eq!(answer.status, 2, "{answer:?}");
    assert!(!typist.path("none.csv").exists());
}

#[test]
fn fio_json_has_the_same_counts_and_percentiles() {
    let (typist, record) = measured();
    let answer = typist.run(&["export", "last", "--as", "fio-json"]);
    let document = answer.json();
    for name in ["read", "write"] {
        let (job, own) = (&document["jobs"][0][name], direction(&record, name));
        assert_eq!((&job["total_ios"], &job["io_bytes"]), (&own["operations"], &own["bytes"]));
        let bins: u64 =
            job["clat_ns"]["bins"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(bins, own["operations"].as_u64().unwrap());
        for quantile in own["service"]["quantiles"].as_array().unwrap() {
            let percent = format!("{:.6}", quantile["q"].as_f64().unwrap() * 100.0);
            let Some(value) = job["clat_ns"]["percentile"][&percent].as_u64() else { continue };
            let (low, high) = (quantile["low_ns"].as_u64().unwrap(), quantile["high_ns"].as_u64().unwrap());
            assert!((low..=high).contains(&value), "{percent}: {value} not in {low}..={high}");
        }
    }
    std::fs::write(typist.path("out.json"), &answer.stdout).unwrap();
    if exists("fio_jsonplus_clat2csv") {
        let tool = Command::new("fio_jsonplus_clat2csv")
            .current_dir(typist.folder())
            .args(["out.json", "out.csv"])
            .output();
        let tool = tool.unwrap();
        if String::from_utf8_lossy(&tool.stderr).contains("No module named 'six'") {
            fathom_skips::skipped("no python3-six, without which fio_jsonplus_clat2csv does not start");
            return;
        }
        assert!(tool.status.success(), "{tool:?}");
        let mut files = std::fs::read_dir(typist.folder()).unwrap().map(|entry| entry.unwrap().path());
        let table = files.find(|path| path.extension().is_some_and(|end| end == "csv")).unwrap();
        let last = std::fs::read_to_string(table).unwrap();
        assert!(last.lines().count() > 10, "{last}");
    }
}

#[test]
fn fio_plot_draws_what_the_export_holds() {
    let (typist, _) = measured();
    let Some(python) = python_with("fio-plot", "1.1.21") else { return };
    std::fs::create_dir(typist.path("plots")).unwrap();
    let answer = typist.run(&["export", "last", "--as", "fio-json", "--output", "plots/run.json"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    // A histogram of latencies, and rates by depth.
    for (kind, picture) in [("-H", "histogram.png"), ("-l", "depths.png")] {
        let drawn = Command::new(python.with_file_name("fio-plot"))
            .current_dir(typist.folder())
            .args(["-i", "plots", "-T", "title", "-r", "randrw", "-f", "read", "-d", "4", "-n", "1"])
            .args([kind, "-o", picture])
            .output()
            .unwrap();
        assert!(drawn.status.success() && typist.path(picture).exists(), "{kind}: {drawn:?}");
    }
}

#[test]
fn the_reference_parser_takes_what_openmetrics_says() {
    let (typist, record) = measured();
    let Some(python) = python_with("prometheus_client", "0.20.0") else { return };
    assert_eq!(typist.run(&["export", "last", "--as", "openmetrics", "--output", "run.om"]).status, 0);
    let script = "import sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as p\n\
                  for family in p(open('run.om').read()):\n    for sample in family.samples:\n        \
                  print(sample.name, sample.labels.get('direction', ''), sample.value)\n";
    let read = Command::new(python).current_dir(typist.folder()).args(["-c", script]).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let text = String::from_utf8(read.stdout).unwrap();
    for name in ["read", "write"] {
        let rate = direction(&record, name)["operations_per_s"].as_f64().unwrap();
        let start = format!("fathom_run_rate_operations_per_second {name} ");
        let found = text.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
        assert_eq!(found.parse::<f64>().unwrap(), rate);
    }
}

#[test]
fn parquet_reads_back_as_the_csv() {
    let (typist, _) = measured();
    let answer = typist.run(&["export", "last", "--as", "parquet", "--output", "run.parquet"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let bytes = std::fs::read(typist.path("run.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let footer = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap());
    assert!((footer as usize) < bytes.len());
    let script = "import sys\nimport pyarrow.parquet as p, pyarrow.csv as c\nt = p.read_table('run.parquet')\n\
                  v = c.ConvertOptions(column_types=t.schema, strings_can_be_null=True)\n\
                  u = c.read_csv('run.csv', convert_options=v)\nassert t.num_rows > 5 and t.equals(u), (t, u)\n";
    let known = Command::new("python3").args(["-c", "import pyarrow"]).stderr(Stdio::null()).status();
    if !known.is_ok_and(|status| status.success()) {
        fathom_skips::skipped("no python3 with pyarrow reads it back");
        return;
    }
    assert_eq!(typist.run(&["export", "last", "--as", "csv", "--output", "run.csv"]).status, 0);
    let read = Command::new("python3").current_dir(typist.folder()).args(["-c", script]).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}

#[test]
fn prometheus_takes_what_openmetrics_says() {
    let (typist, record) = measured();
    let answer = typist.run(&["export", "last", "--as", "openmetrics", "--output", "run.om"]);
    assert_eq!(answer.status, 0, "{answer:?}");
    let text = std::fs::read_to_string(typist.path("run.om")).unwrap();
    assert!(text.ends_with("# EOF\n"), "{text}");
    if !exists("promtool") || !exists("prometheus") {
        return;
    }
    // The classic check knows no moments in seconds; without them the text is the same.
    let plain: String = text
        .lines()
        .map(|line| {
            let line = if line.starts_with('#') { line } else { line.rsplit_once(' ').unwrap().0 };
            format!("{line}\n")
        })
        .collect();
    let mut lint = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut once = std::collections::HashSet::new();
    let distinct: String = plain
        .lines()
        .filter(|line| once.insert(line.rsplit_once(' ').map_or(*line, |(series, _)| series).to_owned()))
        .map(|line| format!("{line}\n"))
        .collect();
    lint.stdin.take().unwrap().write_all(distinct.as_bytes()).unwrap();
    let lint = lint.wait_with_output().unwrap();
    assert!(lint.status.success(), "{}", String::from_utf8_lossy(&lint.stderr));
    let blocks = Command::new("promtool")
        .current_dir(typist.folder())
        .args(["tsdb", "create-blocks-from", "openmetrics", "run.om", "data"])
        .output()
        .unwrap();
    assert!(blocks.status.success(), "{blocks:?}");
    // Simulated seconds pass faster than those of the clock: the run's end may still lie ahead.
    let moment =
        text.lines().rfind(|line| line.starts_with("fathom_run_rate_")).unwrap().rsplit(' ').next().unwrap();
    let found = ask_prometheus(typist.folder(), "fathom_run_rate_operations_per_second", moment);
    let results = found["data"]["result"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{found}");
    for result in results {
        let name = result["metric"]["direction"].as_str().unwrap();
        let value: f64 = result["value"][1].as_str().unwrap().parse().unwrap();
        assert_eq!(value, direction(&record, name)["operations_per_s"].as_f64().unwrap());
    }
}

/// Starts Prometheus on the blocks in `data`, and asks it.
fn ask_prometheus(folder: &Path, query: &str, moment: &str) -> Value {
    std::fs::write(folder.join("prometheus.yml"), "").unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut server = Command::new("prometheus")
        .current_dir(folder)
        .args([
            "--config.file=prometheus.yml",
            "--storage.tsdb.path=data",
            &format!("--web.listen-address={address}"),
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut answer = None;
    for _ in 0..300 {
        std::thread::sleep(Duration::from_millis(100));
        answer = asked(&address, query, moment).filter(|text| text.contains("\"success\""));
        if answer.is_some() {
            break;
        }
    }
    let _ = server.kill();
    let _ = server.wait();
    let answer = answer.expect("Prometheus answers within 30 s");
    serde_json::from_str(&answer[answer.find('{').unwrap()..=answer.rfind('}').unwrap()]).unwrap()
}

fn asked(address: &str, query: &str, moment: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    // Version 1.0 of HTTP, so that the answer comes in one piece and ends with the connection.
    write!(stream, "GET /api/v1/query?query={query}&time={moment} HTTP/1.0\r\nHost: {address}\r\n\r\n")
        .ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}
