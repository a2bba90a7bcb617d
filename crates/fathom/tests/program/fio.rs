//! `fathom fio`: published commands, counts and sequences as the installed fio has them, and fio's own
//! readers.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use fathom_engine::pattern::{Draft, Generator, Geometry};
use fathom_interop::fio::job::Variables;
use fathom_interop::fio::map::{Around, Doer, map};
use fathom_interop::fio::{cmdline, document};
use fathom_record::{Direction, Workload};
use serde_json::Value;

use crate::typed::Typist;

/// Runs `fathom fio` in a folder of its own; what it printed, and its exit status.
fn fathom_fio(folder: &Path, words: &str) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .arg("--store")
        .arg(folder.join("runs.sqlite"))
        .arg("fio")
        .args(words.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[expect(clippy::print_stderr, reason = "it tells why a test did nothing")]
fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--help").output().is_ok();
    if !found {
        eprintln!("skipped: no {tool} is installed");
    }
    found
}

/// The command of a published evaluation with its mount point, and only its size and length cut.
#[test]
fn a_published_command_runs_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mount")).unwrap();
    let words = "--directory=mount --name fio_rnd_rwmix --randrepeat=1 --ioengine=libaio --direct=0 \
                 --bsrange=4k-16k,64k-64k --iodepth=64 --size=2G --readwrite=randrw --rwmixread=33 --numjobs=16 \
                 --time_based --runtime=900 --group_reporting --size=1M --runtime=1 --output-format=json+ --quiet";
    let (printed, said, _) = fathom_fio(folder.path(), words);
    let document = json(&printed);
    let jobs = document["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 1, "{said}");
    for direction in ["read", "write"] {
        let of = &jobs[0][direction];
        let bins: u64 = of["clat_ns"]["bins"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(Some(bins), of["total_ios"].as_u64());
    }
    assert_eq!(std::fs::read_dir(folder.path().join("mount")).unwrap().count(), 16);
}

#[test]
fn counts_are_fios_for_jobs_of_a_fixed_size() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for words in [
        "--name=a --size=4m --rw=randread --bs=4k --ioengine=psync",
        "--name=b --size=4m --rw=write --bs=64k --numjobs=3 --loops=2 --group_reporting",
        "--name=c --filename=shared --size=4m --rw=read --bs=16k --numjobs=2 --group_reporting",
        "--name=d --size=4m --io_size=1m --rw=randread --bs=8k",
    ] {
        let (printed, said, _) = fathom_fio(folder.path(), &format!("{words} --output-format=json --quiet"));
        let ours = json(&printed);
        let theirs = tempfile::tempdir().unwrap();
        let mut fio = Command::new("fio");
        fio.args(words.split_whitespace()).arg("--output-format=json").current_dir(theirs.path());
        let fio = json(&String::from_utf8_lossy(&fio.output().unwrap().stdout));
        for direction in ["read", "write"] {
            for key in ["io_bytes", "total_ios"] {
                let of = |document: &Value| document["jobs"][0][direction][key].as_u64();
                assert_eq!(of(&ours), of(&fio), "{words}: {direction} {key}: {said}");
            }
        }
    }
}

#[test]
fn fios_own_reader_takes_the_bins() {
    if !has("fio_jsonplus_clat2csv") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let words =
        "--name=a --ioengine=null --size=64m --rw=randrw --output-format=json+ --output=out.json --quiet";
    let (_, said, status) = fathom_fio(folder.path(), words);
    assert_eq!(status, Some(0), "{said}");
    let made = Command::new("fio_jsonplus_clat2csv")
        .args(["out.json", "out.csv"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let table = std::fs::read_to_string(folder.path().join("out_job0.csv")).unwrap();
    assert!(table.lines().count() > 2, "{table}");
}

#[test]
fn what_fathom_cannot_do_is_refused_with_the_way_to_fio() {
    let bench = Typist::new();
    let (printed, said, status) =
        fathom_fio(bench.folder(), "--name=a --size=1m --rw=randread --thinktime=5");
    assert_eq!((printed.as_str(), status), ("", Some(2)));
    assert!(said.contains("thinktime=5") && said.contains("--engine=fio"), "{said}");
    let (_, said, status) =
        fathom_fio(bench.folder(), "--name=a --filename=data --size=1m --rw=write --readonly");
    assert_eq!(status, Some(2));
    assert!(said.contains("--readonly"), "{said}");
    std::fs::write(bench.folder().join("data"), vec![7; 1 << 20]).unwrap();
    let (_, said, status) =
        fathom_fio(bench.folder(), "--name=a --filename=data --size=1m --rw=write --quiet");
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("--destroy"), "{said}");
    let (_, said, status) =
        fathom_fio(bench.folder(), "--engine=fio --name=a --filename=data --size=1m --rw=write");
    assert_eq!(status, Some(3), "{said}");
    assert_eq!(std::fs::read(bench.folder().join("data")).unwrap(), vec![7; 1 << 20], "fio was not started");
    let (_, said, _) =
        fathom_fio(bench.folder(), "--name=a --filename=data --size=1m --rw=write --destroy=data --quiet");
    assert!(!said.contains("refused"), "{said}");
}

/// fathom's workload of a command line of one job.
fn workload(words: &str) -> Workload {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let invocation = cmdline::parse(&words).unwrap();
    let variables = Variables { environment: &|_| None, processors: 1, page_bytes: 4096, memory_mib: 1 };
    let jobs = document::jobs(&invocation, &[], &variables, &mut |_, _| Err(String::new())).unwrap();
    match map(&jobs[0], &Around { target_bytes: &|_| None, new_seed: 1 }).unwrap().doer {
        Doer::Fathom(native) => native.runs[0].workload.clone(),
        Doer::Fio(reasons) => panic!("{reasons:?}"),
    }
}

/// The I/Os that fio logs for the same command.
fn logged_by_fio(words: &str) -> Vec<Draft> {
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new("fio")
        .args(words.split_whitespace())
        .args(["--write_iolog=log", "--thread"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let draft = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| matches!(*word, "read" | "write"))?;
        let direction = if words[at] == "read" { Direction::Read } else { Direction::Write };
        Some(Draft {
            direction,
            offset: words.get(at + 1)?.parse().ok()?,
            bytes: words.get(at + 2)?.parse().ok()?,
        })
    };
    log.lines().filter_map(draft).collect()
}

/// Largest distance of two empirical distributions, over the one that chance exceeds once in 1000 times.
fn kolmogorov_smirnov(left: &mut [u64], right: &mut [u64]) -> f64 {
    left.sort_unstable();
    right.sort_unstable();
    let share = |values: &[u64], most: u64| {
        values.partition_point(|value| *value <= most) as f64 / values.len() as f64
    };
    let distance =
        left.iter().chain(right.iter()).map(|value| (share(left, *value) - share(right, *value)).abs());
    let (n, m) = (left.len() as f64, right.len() as f64);
    distance.fold(0.0, f64::max) / (1.95 * ((n + m) / (n * m)).sqrt())
}

/// Chi-square of two samples over cells, over the value that chance exceeds once in 1000 times.
fn chi_square(left: &[u64], right: &[u64]) -> f64 {
    let (n, m) = (left.iter().sum::<u64>() as f64, right.iter().sum::<u64>() as f64);
    let mut cells = 0;
    let mut sum = 0.0;
    for (a, b) in left.iter().zip(right).map(|(a, b)| (*a as f64, *b as f64)) {
        if a + b > 0.0 {
            cells += 1;
            sum += ((m / n).sqrt() * a - (n / m).sqrt() * b).powi(2) / (a + b);
        }
    }
    let freedom = f64::from(cells - 1).max(1.0);
    // Wilson and Hilferty's approximation of the quantile of order 0.999.
    let limit = freedom * (1.0 - 2.0 / (9.0 * freedom) + 3.09 * (2.0 / (9.0 * freedom)).sqrt()).powi(3);
    sum / limit
}

#[test]
fn sequences_have_the_distributions_of_fios() {
    if !has("fio") {
        return;
    }
    const SIZE: u64 = 256 << 20;
    for words in [
        "--rw=randread --bs=4k --norandommap",
        "--rw=randrw --rwmixread=33 --bsrange=4k-16k,64k-64k --norandommap",
        "--rw=randwrite --bssplit=4k/50:8k/30:64k/20 --norandommap",
        "--rw=randread --bs=4k",
        "--rw=randread --bs=4k --norandommap --random_distribution=zoned:60/10:30/20:10/70",
        "--rw=randread --bs=4k --norandommap --percentage_random=30",
        "--rw=read --bs=64k",
    ] {
        let words = format!("--name=a --ioengine=null --size={SIZE} --io_size=64m {words}");
        let fio = logged_by_fio(&words);
        let workload = workload(&words);
        let geometry = Geometry::of(&workload, SIZE).unwrap();
        let mut generator = Generator::new(&workload, &geometry, 0, &Arc::default());
        let ours: Vec<Draft> = fio.iter().map(|_| generator.next()).collect();
        assert!(fio.len() > 900, "{words}: {} I/Os", fio.len());
        for direction in [Direction::Read, Direction::Write] {
            let offsets = |drafts: &[Draft]| -> Vec<u64> {
                drafts.iter().filter(|draft| draft.direction == direction).map(|draft| draft.offset).collect()
            };
            let (mut left, mut right) = (offsets(&ours), offsets(&fio));
            assert_eq!(left.is_empty(), right.is_empty(), "{words}");
            if !left.is_empty() {
                let beyond = kolmogorov_smirnov(&mut left, &mut right);
                assert!(beyond < 1.0, "{words}: offsets of {direction:?}s differ by {beyond} of the limit");
            }
        }
        let cell = |draft: &Draft| {
            usize::from(draft.direction == Direction::Write) * 32
                + draft.bytes.ilog2() as usize
                + usize::from(!draft.bytes.is_power_of_two())
        };
        let cells = |drafts: &[Draft]| {
            let mut counts = vec![0; 64];
            drafts.iter().for_each(|draft| counts[cell(draft)] += 1);
            counts
        };
        let beyond = chi_square(&cells(&ours), &cells(&fio));
        assert!(beyond < 1.0, "{words}: sizes and directions differ by {beyond} of the limit");
        let fios: u64 = fio.iter().map(|draft| u64::from(draft.bytes)).sum();
        assert_eq!(workload.length.bytes, Some(64 << 20), "{words}");
        assert!(fios.abs_diff(64 << 20) < 1 << 20, "{words}: fio moved {fios} bytes");
    }
}
