//! Whole outputs: those here, of our own runs (`own`) and written by hand in each tool's format (`written`), and those that
//! people published, in the folder that `FATHOM_SAMPLES` names. Each is read, or refused with a reason; numbers are held
//! against the text by other means.

use std::path::{Path, PathBuf};

use fathom_tools::foreign_series::MachineTables;
use fathom_tools::observers::{observe, observer};
use fathom_tools::result_import::{Context, HEAD_BYTES, Head, ImportedItem, recognise};

const FOLDERS: [&str; 7] = ["iostat", "sar", "sadf_json", "mpstat", "vmstat", "perf_stat", "other_stats"];

/// Files here that are refused, and a part of the reason.
const REFUSED: [(&str, &str); 3] = [
    ("iotop.txt", "iotop"),
    ("numbers-alone.txt", "numbers alone"),
    ("script-output.txt", "not known as output"),
];

/// The same of those that people published.
const REFUSED_OF_OTHERS: [(&str, &str); 8] = [
    ("Goose97__postgres_long_commit__iotop.log", "iotop"),
    ("freddiehaddad__esan__iostat48i.txt", "numbers alone"),
    ("freddiehaddad__esan__iostat84t1.txt", "numbers alone"),
    ("freddiehaddad__esan__single-vm__iostat-nvme0n2-48-tps.txt", "numbers alone"),
    ("freddiehaddad__esan__single-vm__iostat-nvme0n2-48-w_await.txt", "numbers alone"),
    ("ricsanfre__pi-storage-benchmark__output__SDCard__output_benchmark_1.txt", "not known as output"),
    ("ricsanfre__pi-storage-benchmark__output__USB3.0__output_benchmark_1.txt", "not known as output"),
    ("ricsanfre__pi-storage-benchmark__output__iSCSI__output_benchmark_1.txt", "not known as output"),
];

/// All files of some folders, by name.
fn files_in(folders: &[PathBuf]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.push((name, std::fs::read(path).unwrap()));
        }
    }
    files.sort();
    files
}

/// The files here.
fn here() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/telemetry");
    files_in(&["own", "written"].map(|name| folder.join(name)))
}

/// The files of some folders that people published; `None` where there are none, which is said.
#[track_caller]
fn published(folders: &[&str]) -> Option<Vec<(String, Vec<u8>)>> {
    let root = fathom_skips::folder_named_by("FATHOM_SAMPLES")?;
    Some(files_in(&folders.iter().map(|folder| root.join(folder)).collect::<Vec<_>>()))
}

fn each_is_read_or_refused(files: &[(String, Vec<u8>)], refused: &[(&str, &str)]) {
    for (name, bytes) in files {
        let reason = refused.iter().find(|(file, _)| file == name).map(|(_, reason)| *reason);
        match (observe(bytes), reason) {
            (Ok(observed), None) => {
                let series = observed.telemetry.series.len() + observed.since_boot.len();
                assert!(series > 0, "{name}: nothing read");
                let unknown = observed.notes.iter().find(|note| note.contains("not known"));
                assert_eq!(unknown, None, "{name}");
                for series in &observed.telemetry.series {
                    assert_eq!(
                        series.values.len(),
                        observed.telemetry.at_ns.len(),
                        "{name}: {}",
                        series.metric
                    );
                }
            }
            (Err(refusal), Some(reason)) => {
                assert!(refusal.to_string().contains(reason), "{name}: {refusal}");
            }
            (Ok(_), Some(_)) => panic!("{name} was read"),
            (Err(refusal), None) => panic!("{name}: {refusal}"),
        }
    }
}

#[test]
fn every_file_here_is_read_or_refused_with_its_reason() {
    let files = here();
    assert!(files.len() >= 27, "only {} files", files.len());
    each_is_read_or_refused(&files, &REFUSED);
}

#[test]
fn every_published_file_is_read_or_refused_with_its_reason() {
    let Some(files) = published(&FOLDERS) else { return };
    assert!(files.len() > 60, "only {} samples", files.len());
    each_is_read_or_refused(&files, &REFUSED_OF_OTHERS);
}

/// What the list of importers takes each file for; `strange` are parts of the names of those that none knows.
fn each_is_known_by_its_own_importer(files: &[(String, Vec<u8>)], strange: &str) {
    for (name, bytes) in files {
        let head = Head { bytes: &bytes[..bytes.len().min(HEAD_BYTES)], file_name: name };
        let importer = recognise(&head, |_| None);
        if name.contains(strange) {
            assert!(importer.is_err(), "{name}");
            continue;
        }
        let importer = importer.unwrap_or_else(|error| panic!("{name}: {error}"));
        let read = importer.read(&mut bytes.as_slice(), &Context::default());
        match observe(bytes) {
            Ok(observed) => {
                let [ImportedItem::Telemetry(found)] = &read.unwrap()[..] else {
                    panic!("{name}: no telemetry")
                };
                assert_eq!(found.telemetry, observed.telemetry, "{name}");
            }
            Err(refusal) => assert_eq!(read, Err(refusal), "{name}"),
        }
    }
}

#[test]
fn every_file_here_is_known_by_its_own_importer() {
    each_is_known_by_its_own_importer(&here(), "script-output");
}

#[test]
fn every_published_file_is_known_by_its_own_importer() {
    let Some(files) = published(&FOLDERS) else { return };
    each_is_known_by_its_own_importer(&files, "ricsanfre");
}

/// What one printed unit of a device column is, told by the letters in its name alone.
fn unit(column: &str) -> Option<(String, f64)> {
    let direction = |letter: u8| match letter {
        b'r' => "read",
        b'w' => "write",
        _ => "discard",
    };
    let first = column.as_bytes()[0];
    let found = match column {
        "r/s" => ("disk.reads".to_owned(), 1.0),
        "w/s" => ("disk.writes".to_owned(), 1.0),
        "tps" => ("disk.transfers".to_owned(), 1.0),
        "aqu-sz" | "avgqu-sz" => ("disk.queue".to_owned(), 1.0),
        "%util" => ("disk.utilisation".to_owned(), 0.01),
        "await" => ("disk.wait".to_owned(), 1e6),
        _ if column.ends_with("_await") && first != b'f' => (format!("disk.{}_wait", direction(first)), 1e6),
        _ if column.ends_with("kB/s") && column.len() == 5 => {
            (format!("disk.{}_bytes", direction(first)), 1024.0)
        }
        _ if column.ends_with("MB/s") && column.len() == 5 => {
            (format!("disk.{}_bytes", direction(first)), 1048576.0)
        }
        _ => return None,
    };
    Some(found)
}

/// Reads each line of a device by its header, with none of the importer's code, and compares; how many numbers.
fn numbers_compared(files: &[(String, Vec<u8>)]) -> u64 {
    let mut compared = 0_u64;
    for (name, bytes) in files {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let plain = text.lines().any(|line| line.starts_with("Device")) && !name.ends_with("human");
        let Ok(observed) = observe(bytes) else { continue };
        if !plain {
            continue;
        }
        let banner = text.lines().any(|line| line.starts_with("Linux "));
        let mut header: Vec<&str> = Vec::new();
        let mut report: i64 = if banner { -2 } else { -1 };
        let mut seen = std::collections::HashSet::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if line.starts_with("Device") {
                header = words[1..].to_vec();
                report += 1;
                seen.clear();
                continue;
            }
            let device = words.first().copied().unwrap_or_default();
            if words.len() != header.len() + 1 || report < 0 || !seen.insert(device.to_owned()) {
                continue;
            }
            for (column, word) in header.iter().zip(&words[1..]) {
                let Some((metric, scale)) = unit(column) else { continue };
                let printed: f64 = word.parse().unwrap();
                let series =
                    observed.telemetry.find(&metric, device).unwrap_or_else(|| panic!("{name}: {metric}"));
                // A report of processors alone, as at the end of a text that was cut, has no device line.
                let value = series.values[report as usize].unwrap_or_else(|| panic!("{name}: {line}"));
                assert!(
                    (value - printed * scale).abs() <= 1e-9 * value.abs(),
                    "{name} report {report}: {line}"
                );
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn every_number_of_a_device_is_the_one_that_the_text_prints() {
    let iostat: Vec<_> = here().into_iter().filter(|(name, _)| name.starts_with("iostat")).collect();
    let compared = numbers_compared(&iostat);
    assert!(compared > 250, "only {compared} numbers compared");
    let Some(files) = published(&["iostat"]) else { return };
    let compared = numbers_compared(&files);
    assert!(compared > 50_000, "only {compared} numbers compared");
}

/// The same counters, printed as text and as JSON.
#[test]
fn text_and_json_of_the_same_counters_are_the_same_series() {
    let text = observe(include_bytes!("written/iostat-p-all.txt")).unwrap();
    let json = observe(include_bytes!("written/iostat-p-all.json")).unwrap();
    let sorted = |observed: &MachineTables| {
        let mut series: Vec<_> =
            observed.telemetry.series.iter().chain(&observed.since_boot).cloned().collect();
        series.sort_by(|a, b| {
            (&a.metric, &a.label, a.values.len()).cmp(&(&b.metric, &b.label, b.values.len()))
        });
        series
    };
    assert_eq!(sorted(&text), sorted(&json));
    assert_eq!(text.telemetry.at_ns, [5_000_000_000, 10_000_000_000]);
    assert_eq!(text.telemetry.at_ns, json.telemetry.at_ns);
    assert_eq!(text.era, "sysstat 12.3.1 or newer");
    let flushes = text.telemetry.find("disk.flushes", "nvme0n1").unwrap();
    assert_eq!(flushes.values, [Some(4.0), Some(11.0)]);
}

/// sar's text and sadf's JSON of the same file of counters.
#[test]
fn sar_and_sadf_say_the_same_of_a_device() {
    let text = observe(include_bytes!("written/sar-d-pretty.txt")).unwrap();
    let json = observe(include_bytes!("written/sadf-d.json")).unwrap();
    for observed in [&text, &json] {
        let of = |metric: &str| observed.telemetry.find(metric, "nvme1n1").unwrap().values[2].unwrap();
        assert_eq!(of("disk.transfers"), 1210.35);
        // 40030.00 kB/s in the text, 80060.01 sectors/s in the document.
        assert!((of("disk.read_bytes") - 40_030.0 * 1024.0).abs() < 6.0);
        assert!((of("disk.size") - 34.06 * 1024.0).abs() < 6.0);
        assert_eq!((of("disk.wait"), of("disk.queue")), (14e6, 16.94));
    }
    assert_eq!(json.start_utc_s, Some(1_598_771_481), "2020-08-30 07:11:21 UTC");
    assert_eq!(text.start_utc_s, None, "sar's text states no zone");
}

/// mpstat's own averages, over intervals of equal length; and times of the day without a date go on over midnight.
#[test]
fn the_mean_of_the_intervals_is_what_mpstat_states_and_midnight_does_not_turn_time_back() {
    let observed = observe(include_bytes!("written/mpstat-midnight.txt")).unwrap();
    let at: Vec<i64> = observed.telemetry.at_ns.iter().map(|ns| ns / 1_000_000_000).collect();
    assert_eq!(at, [10, 20, 30, 40, 50]);
    assert_eq!(observed.averages.len(), 30);
    for average in &observed.averages {
        let series = observed.telemetry.find(&average.metric, &average.label).unwrap();
        let (mean, stated) = (series.mean().unwrap(), average.values[0].unwrap());
        assert!((mean - stated).abs() < 1.1e-4, "{} {}: {mean} {stated}", series.metric, series.label);
    }
}

/// Sizes that are half of what their columns say, of one device of two.
#[test]
fn sizes_that_were_halved_are_found() {
    let bytes = include_bytes!("written/iostat-halved.txt");
    assert_eq!(observe(bytes).unwrap().era, "sysstat 11.5.7 to 12.1.1");
    let found = (observer(bytes).unwrap().audit)(bytes).unwrap();
    let [sizes] = &found[..] else { panic!("{found:?}") };
    assert_eq!((sizes.thing.as_str(), sizes.broken, sizes.checked), ("sdb", 8, 8));
    assert!(sizes.rule.starts_with("I/Os x size"), "{}", sizes.sentence());
    assert!((sizes.stated / sizes.expected - 2.0).abs() < 0.1, "{}", sizes.sentence());
}

/// A disk with 144 I/Os that waited in one report, and 9.75 of them reported as queued.
#[test]
fn a_queue_against_littles_law_is_found() {
    let bytes = include_bytes!("written/iostat-queue.txt");
    assert_eq!(observe(bytes).unwrap().era, "sysstat 9.1.2 to 11.5.6");
    let found = (observer(bytes).unwrap().audit)(bytes).unwrap();
    let [queue] = &found[..] else { panic!("{found:?}") };
    assert_eq!((queue.thing.as_str(), queue.broken, queue.checked), ("vdb", 1, 7));
    assert_eq!((queue.rule, queue.report), ("I/Os x wait = queue", 6));
    assert!(queue.expected > 140.0 && queue.stated < 10.0, "{}", queue.sentence());
}
