//! Results: what is read agrees with the totals that a file itself states, or the file is refused.

use fathom_record::{Direction, RunRecord};
use fathom_tools::Refusal;
use fathom_tools::result_import::{Context, Head, ImportedItem, by_name, recognise};

use crate::files;

/// The runs in a file: by the importer that it is recognised by, or by a named one.
pub fn import(name: &str, bytes: &[u8], importer: Option<&str>) -> Result<Vec<RunRecord>, String> {
    let head = Head { bytes: &bytes[..bytes.len().min(256 << 10)], file_name: name };
    let importer = match importer {
        Some(name) => by_name(name).expect("an importer"),
        None => recognise(&head, |_| None).map_err(|error| error.to_string())?,
    };
    let context = Context { file_name: name.to_owned(), changed_at: "2026-01-01T00:00:00Z".to_owned() };
    let found = importer.read(&mut &*bytes, &context).map_err(|refusal: Refusal| refusal.to_string())?;
    let runs = found.into_iter().filter_map(|imported| match imported {
        ImportedItem::Run(run) => Some(*run),
        ImportedItem::Telemetry(_) => None,
    });
    Ok(runs.collect())
}

fn is_near(value: f64, told: f64, share: f64, absolute: f64) -> bool {
    (value - told).abs() <= told.abs() * share + absolute
}

/// Holds a record against what its file states.
pub fn check_stated(name: &str, run: &RunRecord) {
    let origin = run.origin.as_ref().expect("an origin");
    assert!(!origin.stated.is_empty() || origin.quirks.iter().any(|q| q.name == "no_total"), "{name}");
    let summary = &run.summary;
    for total in &origin.stated {
        let (section, what) = total.name.rsplit_once(' ').expect("a section and a name");
        let direction = match section {
            "Read IO" | "Read IO I/O per" => Some(Direction::Read),
            "Write IO" | "Write IO I/O per" => Some(Direction::Write),
            _ => None,
        };
        let of =
            || summary.directions.iter().filter(|found| direction.is_none_or(|it| found.direction == it));
        let value = match total.unit.as_str() {
            "bytes" => of().filter_map(|found| found.bytes).sum::<u64>() as f64,
            "operations" => of().filter_map(|found| found.operations).sum::<u64>() as f64,
            "operations/s" => of().map(|found| found.operations_per_s).sum(),
            "MiB/s" => of().map(|found| found.throughput_bytes_per_s).sum::<f64>() / 1_048_576.0,
            "ms" | "us" if direction.is_none() => {
                let unit = if total.unit == "ms" { 1e6 } else { 1e3 };
                match summary.service_mean_ns() {
                    Some(mean_ns) => mean_ns / unit,
                    None => continue,
                }
            }
            _ => continue,
        };
        assert!(
            is_near(value, total.value, 0.001, 0.011),
            "{name}: {what} of {section}: {value}, told {total:?}"
        );
    }
    let ordered = |found: &fathom_record::LatencySummary| {
        let values: Vec<u64> = found.quantiles.iter().map(|quantile| quantile.value_ns).collect();
        values.is_sorted() && found.min_ns.zip(found.max_ns).is_none_or(|(min, max)| min <= max)
    };
    assert!(summary.directions.iter().filter_map(|found| found.service.as_ref()).all(ordered), "{name}");
}

/// Reads every file of a folder; each refusal has to hold one of the expected reasons.
fn folder(folder: &str, importer: Option<&str>, expected: &[(&str, &str)]) -> Vec<(String, Vec<RunRecord>)> {
    let mut read = Vec::new();
    for (name, bytes) in files(folder) {
        let expected = expected.iter().find(|(part, _)| name.contains(part)).map(|(_, reason)| *reason);
        match (import(&name, &bytes, importer), expected) {
            (Ok(runs), None) => {
                assert!(!runs.is_empty(), "{name}");
                runs.iter().for_each(|run| check_stated(&name, run));
                read.push((name, runs));
            }
            (Err(refusal), Some(reason)) => assert!(refusal.contains(reason), "{name}: {refusal}"),
            (Err(refusal), None) => panic!("{name}: {refusal}"),
            (Ok(_), Some(reason)) => panic!("{name} was read, and should be refused: {reason}"),
        }
    }
    read
}

#[test]
fn diskspd_text_agrees_with_its_totals() {
    let read = folder(
        "diskspd_text",
        Some("diskspd-text"),
        &[
            ("4969b219", "somebody grouped its digits"),
            ("5c790044", "somebody grouped its digits"),
            ("677dc214", "none of its tables"),
            ("issue15", "ends after 2 rows and has no total"),
            ("issue45", "latencies alone"),
            ("issue91", "table of CPUs"),
        ],
    );
    let of = |part: &str| read.iter().find(|(name, _)| name.contains(part)).map(|(_, runs)| &runs[0]);
    if let Some(run) = of("block0") {
        let write = run.summary.direction(Direction::Write).expect("writes");
        assert_eq!((write.operations, write.bytes), (Some(2_894_265), Some(11_854_909_440)));
        let service = write.service.as_ref().expect("latencies");
        assert_eq!((service.min_ns, service.max_ns), (Some(100_000), Some(135_744_000)));
        assert_eq!(service.quantile_ns(0.99), Some(3_153_000));
        assert_eq!((run.workload.jobs, run.workload.depth, run.jobs.len()), (8, 8, 8));
        assert_eq!(run.started_at, "2019-07-25T21:46:27Z");
        assert_eq!(run.target.size_bytes, 1 << 30);
    }
    if let Some(run) = of("issue56") {
        assert_eq!(run.target.name, "#2");
        assert!(run.origin.as_ref().unwrap().quirks.iter().any(|quirk| quirk.name == "mb_is_mib"));
        assert!((run.summary.duration_ns as f64 / 1e9 - 600.0).abs() < 0.1, "from the rate");
    }
}

#[test]
fn diskspd_xml_agrees_with_its_totals() {
    let read = folder("diskspd_xml", None, &[]);
    for (name, runs) in &read {
        assert_eq!(runs[0].summary.duration_ns, 120_000_000_000, "{name}");
        assert_eq!(runs[0].summary.operations(), Some(16), "{name}");
    }
    folder("diskspd_xml_invented", None, &[("", "no <Path>")]);
}

#[test]
fn fragments_of_diskspd_are_refused_as_what_they_are() {
    for (name, bytes) in files("diskspd_fragment") {
        let refusal = import(&name, &bytes, None).expect_err(&name);
        let reasons =
            ["what was asked for, and no result", "none of its tables", "a profile", "no known format"];
        assert!(reasons.iter().any(|reason| refusal.contains(reason)), "{name}: {refusal}");
    }
}

#[test]
fn bdevperf_agrees_with_its_totals() {
    let read = folder(
        "spdk_bdevperf",
        None,
        &[
            ("dpa_handedited", "no head"),
            ("issue3201", "warnings of depths"),
            ("issue2104", "no known format"),
        ],
    );
    let of = |part: &str| read.iter().find(|(name, _)| name.contains(part)).map(|(_, runs)| &runs[0]);
    if let Some(run) = of("failover_qd1_") {
        assert_eq!((run.workload.depth, run.workload.mix.write_share()), (1, 1.0));
        let write = run.summary.direction(Direction::Write).expect("writes");
        let operations = write.operations.expect("counted by the histogram") as f64;
        assert!((operations / 300.0 - 3856.66).abs() < 1.0, "{operations}");
        let p99 = write.service.as_ref().and_then(|s| s.quantiles.iter().find(|q| q.q == 0.99)).expect("p99");
        assert_eq!(p99.high_ns, 364_251, "as its latency summary says");
    }
    if let Some(run) = of("issue1116") {
        assert_eq!(run.jobs.len(), 16);
        assert!(
            (run.summary.operations_per_s() - 39_137_939.41).abs() < 0.01,
            "{}",
            run.summary.operations_per_s()
        );
        assert_eq!(run.summary.directions[0].service, None);
    }
    if let Some(run) = of("block1.json") {
        assert!((run.summary.operations_per_s() - 2_416_888.236).abs() < 0.01);
        assert_eq!((run.workload.jobs, run.workload.depth), (2, 16));
    }
}

#[test]
fn spdk_nvme_perf_agrees_with_its_totals() {
    let not_results = [
        ("README.md", "no known format"),
        (".sh", "no known format"),
        ("results.csv", "no known format"),
        ("iostat_py", "no known format"),
    ];
    let read = folder("spdk_nvme_perf", None, &not_results);
    let of = |part: &str| read.iter().find(|(name, _)| name.contains(part)).map(|(_, runs)| runs.as_slice());
    if let Some([first, second]) = of("issue970") {
        assert_eq!(first.summary.operations_per_s(), 135_405.05);
        assert_eq!((second.workload.depth, second.summary.operations_per_s()), (64, 176_907.23));
        assert_eq!(second.tool.version, "19.10-pre");
    } else if crate::samples().is_some() {
        panic!("issue970 holds two results");
    }
    if let Some([run]) = of("curio") {
        assert_eq!((run.jobs.len(), run.summary.operations_per_s()), (9, 8_006_785.9));
        assert_eq!(run.summary.duration_ns, 0);
        assert!(run.origin.as_ref().unwrap().why_absent("summary.duration_ns").is_some());
    }
}

#[test]
fn our_own_results_read_back() {
    let runs = import("out.txt", include_str!("own/diskspd.txt").as_bytes(), None).expect("a result");
    check_stated("own/diskspd.txt", &runs[0]);
    assert_eq!((runs[0].workload.jobs, runs[0].workload.depth), (3, 8));
    assert_eq!(runs[0].workload.mix.read_share, 0.7);
    let runs = import("out.txt", include_str!("own/bdevperf.txt").as_bytes(), None).expect("a result");
    check_stated("own/bdevperf.txt", &runs[0]);
    assert_eq!((runs[0].tool.version.as_str(), runs[0].workload.mix.read_share), ("26.05", 0.7));
    let service = runs[0].summary.directions[0].service.as_ref().expect("latencies");
    assert_eq!(service.quantile_ns(0.99), Some(752));
}

/// A table of latencies in which each is `ms` longer.
fn longer(table: &str, ms: f64) -> String {
    let cell = |cell: &str| match cell.trim().parse::<f64>() {
        Ok(value) => format!(" {:.3} ", value + ms),
        Err(_) => cell.to_owned(),
    };
    let lines = table.lines().map(|line| line.split('|').map(cell).collect::<Vec<_>>().join("|"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn threads_of_a_pool_that_old_versions_do_not_print_are_counted() {
    let own = include_str!("own/diskspd.txt");
    let text = own.replace("\t\tthreads per file: 3\n", "");
    assert_ne!(text, own);
    for text in [own, &text] {
        let run = import("out.txt", text.as_bytes(), None).expect("a result").remove(0);
        assert_eq!((run.workload.jobs, run.workload.depth), (3, 8));
        assert_eq!(run.summary.in_flight_requested, Some(24.0));
    }
}

#[test]
fn latencies_of_one_target_are_not_those_of_all() {
    let own = include_str!("own/diskspd.txt");
    let (before, table) = own.split_once("\nTotal latency distribution:\n").expect("its latencies");
    // The last thread has another target.
    let of_thread = |line: &str| match line.starts_with("     2 |") {
        true => line.replace("sim:nvme", "E:\\b.dat"),
        false => line.to_owned(),
    };
    let before = before.lines().map(of_thread).collect::<Vec<_>>().join("\n");
    let (first, second) = (longer(table, 1.0), longer(table, 2.0));
    let old = format!("{before}\n\nsim:nvme\n{first}\nE:\\b.dat\n{second}\ntotal:\n{table}");
    let new = format!(
        "{before}\n\nLatency distribution: sim:nvme\n{first}\nLatency distribution: E:\\b.dat\n{second}\nTotal latency distribution:\n{table}"
    );
    for text in [&old, &new] {
        let runs = import("out.txt", text.as_bytes(), None).expect("a result");
        check_stated("several targets", &runs[0]);
        let read = runs[0].summary.direction(Direction::Read).and_then(|read| read.service.as_ref());
        let read = read.expect("latencies of reads");
        assert_eq!(
            (read.quantiles.len(), read.quantile_ns(0.99), read.max_ns),
            (13, Some(126_000), Some(198_000))
        );
        let targets: Vec<_> = runs[0]
            .targets
            .iter()
            .map(|target| {
                let read = &target.directions[0];
                let p99 = read.service.as_ref().and_then(|service| service.quantile_ns(0.99));
                (target.name.as_str(), target.jobs, read.operations, p99)
            })
            .collect();
        assert_eq!(
            targets,
            [
                ("sim:nvme", 2, Some(272_934 + 272_978), Some(1_126_000)),
                ("E:\\b.dat", 1, Some(273_203), Some(2_126_000))
            ]
        );
        assert_eq!(
            runs[0].jobs.iter().map(|job| job.target).collect::<Vec<_>>(),
            [Some(0), Some(0), Some(1)]
        );
    }
    for (twice, told) in [
        (format!("{old}\ntotal:\n{table}"), "of all targets"),
        (format!("{before}\n\nsim:nvme\n{first}\nsim:nvme\n{second}\ntotal:\n{table}"), "of `sim:nvme`"),
    ] {
        let refusal = import("out.txt", twice.as_bytes(), None).expect_err("two tables of one heading");
        assert!(refusal.contains("a second table of latencies") && refusal.contains(told), "{refusal}");
    }
}

#[test]
fn nothing_completed_is_no_latency() {
    let text = " Device Information          : runtime(s)       IOPS      MiB/s     Fail/s     TO/s    Average        min        max\n\
                Job: Nvme0n1 (Core Mask 0x1, workload: randwrite, depth: 32, IO size: 4096)\n\
                \t Nvme0n1             :      10.00       0.00       0.00       0.00     0.00       0.00 18446744073709551616.00       0.00\n\
                 ===================================================================================================================\n\
                 Total                       :                  0.00       0.00       0.00     0.00       0.00 18446744073709551616.00       0.00\n";
    let runs = import("out.txt", text.as_bytes(), None).expect("a result");
    let write = &runs[0].summary.directions[0];
    assert_eq!((write.operations_per_s, &write.service), (0.0, &None));
    assert!(runs[0].origin.as_ref().unwrap().quirks.iter().any(|quirk| quirk.name == "no_completion"));
}

#[test]
fn a_column_of_unknown_unit_is_refused() {
    let text = "Device Information  : IOPS  Gbps  Average  min  max\nnull0 : 100.00 20.09 1.0 0.5 2.0\n";
    let refusal = import("out.txt", text.as_bytes(), Some("spdk-nvme-perf")).expect_err("no unit");
    assert!(refusal.contains("`Gbps` is not a column"), "{refusal}");
}
