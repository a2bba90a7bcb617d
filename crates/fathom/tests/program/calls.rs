//! Calls in place of data, logs again, and priorities: counts and sequences as the installed fio has them, and
//! nobody's files touched.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::fio::{fathom_fio, has, json};

fn fio(folder: &Path, words: &str) -> Value {
    let output = Command::new("fio")
        .args(words.split_whitespace())
        .args(["--output-format=json", "--thread"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // Warnings come before the document.
    json(&said[said.find('{').unwrap_or(0)..])
}

fn ours(folder: &Path, words: &str) -> Value {
    let (printed, said, status) = fathom_fio(folder, &format!("{words} --output-format=json --quiet"));
    assert!(matches!(status, Some(0 | 1)), "{words}: {said}");
    json(&printed)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with("runs.sqlite"));
    names.sort();
    names
}

#[test]
fn calls_are_as_many_as_fios() {
    if !has("fio") {
        return;
    }
    for words in [
        "--name=a --ioengine=filecreate --filesize=4k --nrfiles=7 --numjobs=2 --group_reporting",
        "--name=b --ioengine=filestat --filesize=8k --bs=8k --nrfiles=7",
        "--name=c --ioengine=filedelete --filesize=4k --nrfiles=7",
        "--name=d --ioengine=falloc --filename=data --size=1m --rw=randwrite --bs=4k",
        "--name=e --ioengine=falloc --filename=data --size=1m --rw=trim --bs=64k",
        "--name=f --ioengine=ftruncate --filename=data --size=1m --rw=write --bs=16k",
    ] {
        let [here, there] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let (mine, theirs) = (ours(here.path(), words), fio(there.path(), words));
        for direction in ["read", "write", "trim"] {
            for key in ["io_bytes", "total_ios"] {
                let of = |document: &Value| document["jobs"][0][direction][key].as_u64();
                assert_eq!(of(&mine), of(&theirs), "{words}: {direction} {key}");
            }
        }
    }
}

#[test]
fn names_are_made_and_removed_beside_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["j.0.0", "j.0.1", "0"] {
        std::fs::write(folder.path().join(name), "of somebody").unwrap();
    }
    for engine in ["filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"] {
        let document =
            ours(folder.path(), &format!("--name=j --ioengine={engine} --nrfiles=3 --filesize=4k"));
        assert_eq!(document["jobs"][0]["read"]["total_ios"], 3, "{engine}");
        assert_eq!(document["jobs"][0]["error"], 0, "{engine}");
        assert_eq!(names(folder.path()), ["0", "j.0.0", "j.0.1"], "{engine}");
    }
    for name in ["j.0.0", "j.0.1", "0"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), "of somebody");
    }
}

#[test]
fn calls_that_move_no_data_have_no_throughput() {
    let folder = tempfile::tempdir().unwrap();
    let run = |engine: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
            .args(["--store", "runs.sqlite", "run", "--engine", engine, "--target", ".", "--size", "1MiB"])
            .args(["--rw", "randread", "--time", "300ms", "--warmup", "0s"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (calls, data) = (run("filestat"), run("sync"));
    assert!(calls.contains("IOPS") && !calls.contains("B/s") && !calls.contains("page cache:"), "{calls}");
    assert!(data.contains("B/s"), "{data}");
    let listed = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["--store", "runs.sqlite", "runs", "--json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let listed = json(&String::from_utf8_lossy(&listed.stdout));
    let rates = listed["runs"].as_array().unwrap().iter().map(|run| run["throughput_bytes_per_s"].as_f64());
    let moved = rates.filter(|rate| rate.is_some_and(|rate| rate > 0.0)).count();
    assert_eq!((listed["runs"].as_array().unwrap().len(), moved), (2, 1), "{listed}");
}

#[test]
fn space_that_trims_take_back_is_gone_and_a_length_is_given_back() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let words = "--name=w --filename=data --size=1m --rw=write --bs=64k \
                 --name=holes --stonewall --ioengine=falloc --filename=data --size=1m --io_size=512k --rw=trim --bs=64k";
    let document = ours(folder.path(), words);
    assert_eq!(document["jobs"][1]["trim"]["total_ios"], 8);
    let file = std::fs::metadata(folder.path().join("data")).unwrap();
    assert_eq!(file.len(), 1 << 20);
    assert!(file.blocks() * 512 < 700 << 10, "half of it is holes: {}", file.blocks());
    let words = "--name=g --ioengine=ftruncate --filename=short --size=1m --rw=randwrite --bs=4k";
    assert_eq!(ours(folder.path(), words)["jobs"][0]["write"]["total_ios"], 256);
    assert_eq!(std::fs::metadata(folder.path().join("short")).unwrap().len(), 1 << 20);
    // What is there and holds somebody's data is cut with permission only.
    std::fs::write(folder.path().join("short"), vec![7; 1 << 20]).unwrap();
    let (_, said, status) = fathom_fio(folder.path(), &format!("{words} --quiet"));
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("--destroy"), "{said}");
}

/// Direction, offset and length of the reads and writes of a log, in its order.
fn logged(path: &Path) -> Vec<(String, u64, u64)> {
    let log = std::fs::read_to_string(path).unwrap();
    let io = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| ["read", "write"].contains(word))?;
        let number = |at: usize| words.get(at)?.parse().ok();
        Some((words[at].to_owned(), number(at + 1)?, number(at + 2)?))
    };
    log.lines().filter_map(io).collect()
}

#[test]
fn a_log_of_fio_comes_again_io_by_io() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let made = "--name=m --filename=data --size=4m --rw=randrw --bssplit=4k/50:16k/50 --io_size=1m \
                --write_iolog=first.log --rate_iops=500,500";
    fio(folder.path(), made);
    let first = logged(&folder.path().join("first.log"));
    assert!(first.len() > 60 && first.iter().any(|io| io.0 == "write"), "{first:?}");
    for more in ["", "--replay_no_stall=1 --ioengine=libaio --direct=0", "--replay_time_scale=400"] {
        let words =
            format!("--name=r --read_iolog=first.log --write_iolog=again.log --force --destroy=data {more}");
        let document = ours(folder.path(), &words);
        assert_eq!(logged(&folder.path().join("again.log")), first, "{more}");
        let theirs = fio(folder.path(), &format!("--name=r --read_iolog=first.log {more}"));
        for direction in ["read", "write"] {
            for key in ["io_bytes", "total_ios"] {
                let of = |document: &Value| document["jobs"][0][direction][key].as_u64();
                assert_eq!(of(&document), of(&theirs), "{more}: {direction} {key}");
            }
        }
    }
    // Version 2 has no times, and waits for nothing.
    let old: String =
        first.iter().map(|(word, offset, bytes)| format!("data {word} {offset} {bytes}\n")).collect();
    std::fs::write(
        folder.path().join("old.log"),
        format!("fio version 2 iolog\ndata add\ndata open\n{old}data close\n"),
    )
    .unwrap();
    ours(
        folder.path(),
        "--name=r --read_iolog=old.log --write_iolog=again.log --force --destroy=data --ioengine=psync",
    );
    assert_eq!(logged(&folder.path().join("again.log")), first);
    let (_, said, status) = fathom_fio(folder.path(), "--name=r --read_iolog=first.log --quiet");
    assert_eq!(status, Some(3), "a log does not permit writing: {said}");
}

#[test]
fn priorities_of_single_ios_are_counted_apart_as_fio_does() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for engine in ["libaio", "io_uring"] {
        // The idle class needs no rights.
        let words = format!(
            "--name=p --filename=data --size=4m --rw=randread --bs=4k --loops=8 --ioengine={engine} \
             --cmdprio_percentage=30 --cmdprio_class=3 --prioclass=2 --prio=4"
        );
        let theirs = fio(folder.path(), &words);
        let mine = ours(folder.path(), &words);
        let shares = |document: &Value| -> Vec<(u64, u64, f64)> {
            let prios = document["jobs"][0]["read"]["prios"].as_array().cloned().unwrap_or_default();
            let all = document["jobs"][0]["read"]["total_ios"].as_f64().unwrap();
            let mut shares: Vec<(u64, u64, f64)> = prios
                .iter()
                .map(|of| {
                    let number = of["clat_ns"]["N"].as_f64().unwrap();
                    (of["prioclass"].as_u64().unwrap(), of["prio"].as_u64().unwrap(), number / all)
                })
                .collect();
            shares.sort_by_key(|(class, ..)| *class);
            shares
        };
        let (mine, theirs) = (shares(&mine), shares(&theirs));
        assert_eq!(mine.len(), 2, "{engine}: {mine:?} {theirs:?}");
        for (of_mine, of_theirs) in mine.iter().zip(&theirs) {
            assert_eq!((of_mine.0, of_mine.1), (of_theirs.0, of_theirs.1), "{engine}");
            // Four standard deviations of a share of 8192 I/Os.
            let wanted = if of_mine.0 == 3 { 0.3 } else { 0.7 };
            assert!((of_mine.2 - wanted).abs() < 0.0203, "{engine}: {mine:?}");
        }
    }
}

#[test]
fn a_job_that_burns_is_told_beside_the_jobs_that_do_io() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--output-format=json --name=burn --ioengine=cpuio --cpuload=30 --cpuchunks=2000 --exit_on_io_done=1 \
                 --name=io --ioengine=null --size=1g --rw=read --time_based --runtime=1";
    let (printed, said, status) = fathom_fio(folder.path(), words);
    assert!(matches!(status, Some(0 | 1)), "{said}");
    let document = json(&printed);
    assert_eq!(document["jobs"].as_array().unwrap().len(), 1, "{said}");
    assert!(!said.contains("[burn]"), "{said}");
    let said = document["fathom"]["differences_from_fio"].to_string();
    assert!(said.contains("[burn] cpuio: 1 thread used") && said.contains("30 % was asked"), "{said}");
    let percent = said.split("time, ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    // Other tests use the processors too, so that it may get less, and never more.
    let percent: f64 = percent.parse().unwrap();
    assert!((1.0..36.0).contains(&percent), "{said}");
    let (_, said, status) =
        fathom_fio(folder.path(), "--name=b --ioengine=cpuio --cpuload=50 --cpumode=qsort --runtime=1");
    assert_eq!(status, Some(0), "{said}");
}
