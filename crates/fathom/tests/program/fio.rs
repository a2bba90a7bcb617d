//! `fathom fio`: published commands, counts as the installed fio has them, jobs beside one another, and fio's own
//! readers.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::typed::{Typist, until};

/// Runs `fathom fio` in a folder of its own; what it printed, and its exit status.
pub fn fathom_fio(folder: &Path, words: &str) -> (String, String, Option<i32>) {
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

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
pub fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--help").output().is_ok();
    if !found {
        fathom_skips::skipped(format_args!("no {tool} is installed"));
    }
    found
}

#[test]
fn a_store_may_be_named_behind_the_job_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("job.fio"), "[a]\nioengine=null\nsize=1m\nrw=read\n").unwrap();
    let (_, said, status) = fathom_fio(folder.path(), "job.fio --quiet --store other.sqlite");
    assert_eq!(status, Some(0), "{said}");
    assert!(folder.path().join("other.sqlite").exists() && !folder.path().join("runs.sqlite").exists());
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

/// A job writes, and a later command checks: what is sound, what was changed since, and what nobody stamped.
#[test]
fn what_an_earlier_command_wrote_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let job = "--name=v --filename=data --size=1m --bs=4k --ioengine=psync --quiet --verify=crc32c --output-format=json";
    // Other checks may fail where other tests use the processors too.
    let verified = |more: &str| {
        let (printed, said, status) = fathom_fio(folder.path(), &format!("{job} {more}"));
        let failed = json(&printed)["jobs"][0]["fathom"].to_string();
        let open = ["Nothing was verified", "carry no stamp"].iter().any(|words| said.contains(words));
        (!failed.contains("did not hold") && !open, status, said)
    };
    for sound in ["--rw=randwrite", "--rw=read --bs=64k", "--rw=randwrite --verify_only"] {
        let (is_sound, _, said) = verified(sound);
        assert!(is_sound, "{sound}: {said}");
    }
    let path = folder.path().join("data");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[5 * 4096 + 700] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let (is_sound, status, _) = verified("--rw=read");
    assert!(!is_sound && status == Some(1), "a changed byte is a failed check");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    let (_, status, said) = verified("--rw=read");
    assert_eq!(status, Some(1));
    assert!(said.contains("Nothing was verified"), "{said}");
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
        fathom_fio(bench.folder(), "--name=a --size=1m --rw=randread --latency_target=5");
    assert_eq!((printed.as_str(), status), ("", Some(2)));
    assert!(said.contains("latency_target=5") && said.contains("--engine=fio"), "{said}");
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

#[test]
fn a_file_that_an_earlier_command_made_is_written_until_somebody_changes_it() {
    let bench = Typist::new();
    let fio = |rw: &str| {
        let words = format!("--name=a --filename=fiotest --size=1m --bs=4k --rw={rw} --quiet");
        let (_, said, status) = fathom_fio(bench.folder(), &words);
        (said, status)
    };
    let (said, _) = fio("randread");
    assert!(!said.contains("refused"), "{said}");
    let file = bench.path("fiotest");
    let mut signed = [0; 256];
    if rustix::fs::getxattr(&file, "user.fathom.made", &mut signed[..]).is_err() {
        fathom_skips::skipped("no extended attributes here");
        return;
    }
    for rw in ["randwrite", "write", "randrw"] {
        let (said, status) = fio(rw);
        assert!(status != Some(3) && !said.contains("refused"), "{rw}: {said}");
    }
    // File systems keep times no finer than their clock's tick.
    let changed = |name: &str| std::fs::metadata(bench.path(name)).unwrap().modified().unwrap();
    until("a later time of files", || {
        std::fs::write(bench.path("later"), "x").unwrap();
        changed("later") > changed("fiotest")
    });
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[77] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let (said, status) = fio("randwrite");
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("--destroy fiotest"), "{said}");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

#[test]
fn jobs_of_a_flow_do_their_shares_and_exitall_ends_what_runs_beside() {
    let folder = tempfile::tempdir().unwrap();
    // Whoever ends last has the rest of its time to itself, where other tests keep one job from starting: with a thinktime
    // that is few of its I/Os.
    let words = "--ioengine=null --size=1g --bs=4k --time_based --runtime=2 --thinktime=100us --output-format=json \
                 --quiet --name=one --flow=1 --name=eight --flow=8";
    let ratio = || {
        let (printed, _, _) = fathom_fio(folder.path(), words);
        let ios = |at: usize| json(&printed)["jobs"][at]["read"]["total_ios"].as_u64().unwrap();
        ios(1) as f64 / ios(0) as f64
    };
    let mut ratios = Vec::new();
    while !ratios.last().is_some_and(|ratio| (7.0..9.0).contains(ratio)) {
        assert!(ratios.len() < 6, "{ratios:?}");
        ratios.push(ratio());
    }
    let words = "--size=1m --exitall --output-format=json --quiet --name=short --rw=read --number_ios=20 --thinktime=1ms \
                 --name=long --rw=randread --time_based --runtime=600 --name=later --stonewall --rw=read";
    let (printed, said, status) = fathom_fio(folder.path(), words);
    let document = json(&printed);
    assert!(matches!(status, Some(0 | 1)), "{said}");
    let jobs = document["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 3, "{said}");
    assert_eq!(jobs[0]["read"]["total_ios"], 20);
    assert!(jobs[0]["read"]["runtime"].as_u64().unwrap() >= 19, "19 pauses of a millisecond");
    assert!(jobs[1]["read"]["runtime"].as_u64().unwrap() < 60_000, "the long one was ended");
}

#[test]
fn what_fio_itself_runs_is_a_run_too_and_prints_as_fio_does() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("job.fio"),
        "[from-file]\nfilename=data\nsize=1m\nrw=write\nwrite_barrier=8\n",
    )
    .unwrap();
    let (printed, said, status) =
        fathom_fio(folder.path(), "--engine=fio job.fio --output-format=normal --quiet");
    assert_eq!(status, Some(0), "{said}");
    assert!(printed.contains("from-file: (groupid=0") && printed.contains("Run status group 0"), "{printed}");
    assert!(!printed.contains("\"fio version\""), "only what was asked for: {printed}");
    assert_eq!(std::fs::metadata(folder.path().join("data")).unwrap().len(), 1 << 20, "it ran here");
    let listed = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .arg("--store")
        .arg(folder.path().join("runs.sqlite"))
        .args(["show", "last", "--json"])
        .output()
        .unwrap();
    let record = json(&String::from_utf8_lossy(&listed.stdout));
    assert_eq!(record["tool"]["name"], "fio");
    assert_eq!(record["summary"]["directions"][0]["bytes"], 1 << 20, "{record}");
    // What fio printed is replaced only when that is asked for, though it was for fathom that it printed it.
    for (more, ends) in [("", 0), ("", 2), ("--force", 0)] {
        let words = format!(
            "--engine=fio --output=out.json --output-format=json --name=a --filename=data --rw=read --size=1m --quiet {more}"
        );
        let (printed, said, status) = fathom_fio(folder.path(), &words);
        assert_eq!((printed.as_str(), status), ("", Some(ends)), "{said}");
    }
    let document = json(&std::fs::read_to_string(folder.path().join("out.json")).unwrap());
    assert_eq!(document["jobs"][0]["read"]["io_bytes"], 1 << 20);
    let (_, said, status) = fathom_fio(folder.path(), "--engine=fio --name=a --rw=sideways --size=1m");
    assert_ne!(status, Some(0));
    assert!(said.contains("sideways"), "{said}");
}

/// Calls on the descriptors of one file, as strace sees them; none where there is no strace.
pub fn calls(folder: &Path, words: &str, trace: &str, file: &str) -> Option<Vec<String>> {
    if !has("strace") {
        return None;
    }
    let log = folder.join("strace.log");
    let output = Command::new("strace")
        .args(["-f", "-y", "-o", log.to_str().unwrap(), "-e", &format!("trace={trace}")])
        .arg(env!("CARGO_BIN_EXE_fathom"))
        .arg("--store")
        .arg(folder.join("runs.sqlite"))
        .arg("fio")
        .args(words.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.code().is_some(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&log).unwrap();
    Some(text.lines().filter(|line| line.contains(&format!("/{file}>"))).map(str::to_owned).collect())
}

/// A file that earlier jobs of this test may write.
fn laid_out(folder: &Path, bytes: usize) {
    std::fs::write(folder.join("data"), vec![7; bytes]).unwrap();
}

#[test]
fn reads_and_writes_each_keep_their_own_rate() {
    let cases = [
        ("--rate_iops=100,50", [Some(100), Some(50)]),
        ("--rate_iops=100,50 --rwmixread=90", [Some(100), Some(50)]),
        ("--rate=400k,200k", [Some(100), Some(50)]),
        ("--rate_iops=200 --rwmixread=70", [Some(200), Some(200)]),
        ("--rate=,512k", [None, Some(128)]),
    ];
    // All at once: nearly all of it is waiting.
    std::thread::scope(|scope| {
        for (words, expected) in cases {
            scope.spawn(move || keeps_its_rates(words, expected));
        }
    });
}

fn keeps_its_rates(words: &str, expected: [Option<u64>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    laid_out(folder.path(), 4 << 20);
    let words = format!(
        "--name=a --filename=data --bs=4k --rw=randrw --ioengine=libaio --iodepth=4 --runtime=2 --time_based \
         --destroy=data --output-format=json --quiet {words}"
    );
    let keeps = |(ios, rate): (u64, Option<u64>)| match rate {
        // Two seconds; where all processors are busy a few come late.
        Some(rate) => ios.abs_diff(2 * rate) <= 8,
        None => ios > 300,
    };
    let mut seen = Vec::new();
    // Where the machine stands still at the end, more come too late to count; it does not do so each time.
    let is_kept = (0..3).any(|_| {
        let (printed, said, _) = fathom_fio(folder.path(), &words);
        let document = json(&printed);
        let ios =
            ["read", "write"].map(|direction| document["jobs"][0][direction]["total_ios"].as_u64().unwrap());
        seen.push((ios, said));
        ios.into_iter().zip(expected).all(keeps)
    });
    assert!(is_kept, "{words}: {seen:?}");
}

#[test]
fn the_cache_is_dropped_with_each_pass_and_flushes_are_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "--name=a --filename=data --size=1m --bs=4k --ioengine=psync --quiet --destroy=data";
    let count = |words: &str, call: &str| {
        laid_out(folder.path(), 1 << 20);
        let lines = calls(folder.path(), &format!("{rest} {words}"), "fadvise64,fsync,fdatasync", "data")?;
        Some(lines.iter().filter(|line| line.contains(call)).count())
    };
    let Some(drops) = count("--rw=randread --loops=3", "POSIX_FADV_DONTNEED") else { return };
    assert_eq!(drops, 3);
    assert_eq!(count("--rw=randread --loops=3", "POSIX_FADV_RANDOM"), Some(3));
    assert_eq!(count("--rw=read", "POSIX_FADV_SEQUENTIAL"), Some(1));
    assert_eq!(count("--rw=read --invalidate=0 --fadvise_hint=0", "fadvise64"), Some(0));
    assert_eq!(count("--rw=randread", "fdatasync("), Some(0), "nothing of others is written back");
    let flushes = |words: &str| (count(words, "fsync("), count(words, "fdatasync("));
    assert_eq!(flushes("--rw=write --fsync=8"), (Some(31), Some(0)));
    assert_eq!(flushes("--rw=write --fdatasync=8"), (Some(0), Some(31)));
    assert_eq!(flushes("--rw=write --end_fsync=1"), (Some(1), Some(0)));
}

#[test]
fn what_is_read_back_counts_as_reads_and_each_clone_has_its_own_entry() {
    let folder = tempfile::tempdir().unwrap();
    let entries = |words: &str| {
        let words =
            format!("--name=a --size=1m --bs=4k --ioengine=psync --output-format=json --quiet {words}");
        let (printed, said, _) = fathom_fio(folder.path(), &words);
        assert!(said.is_empty(), "nothing but failures stands on stderr: {said}");
        json(&printed)["jobs"].as_array().unwrap().clone()
    };
    let checked = entries("--filename=v --rw=write --verify=crc32c");
    assert_eq!(
        (&checked[0]["read"]["total_ios"], &checked[0]["write"]["total_ios"]),
        (&256.into(), &256.into())
    );
    assert_eq!(checked[0]["read"]["clat_ns"]["N"], 256);
    assert!(checked[0]["read"]["runtime"].as_u64() > Some(0));
    let clones = entries("--rw=randread --numjobs=3");
    assert_eq!(
        clones.iter().map(|job| job["read"]["total_ios"].as_u64()).collect::<Vec<_>>(),
        [Some(256); 3]
    );
    assert!(clones.iter().all(|job| job["jobname"] == "a" && job["read"]["clat_ns"]["N"] == 256));
    let together = entries("--rw=randread --numjobs=3 --group_reporting");
    assert_eq!((together.len(), &together[0]["read"]["total_ios"]), (1, &768.into()));
}

#[test]
fn logs_have_a_line_for_each_io_or_for_each_window_as_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--name=a --filename=data --size=1m --bs=4k --rw=randread --ioengine=psync --quiet --numjobs=2 \
                 --write_lat_log=each --write_bw_log=each --write_iops_log=each --log_offset=1";
    fathom_fio(folder.path(), words);
    for clone in [1, 2] {
        for kind in ["lat", "clat", "bw", "iops"] {
            let log =
                std::fs::read_to_string(folder.path().join(format!("each_{kind}.{clone}.log"))).unwrap();
            assert_eq!(log.lines().count(), 256, "{kind} of {clone}");
            let mut offsets: Vec<u64> =
                log.lines().map(|line| line.rsplit(", ").next().unwrap().parse().unwrap()).collect();
            offsets.sort_unstable();
            assert_eq!(offsets, (0..256).map(|block| block * 4096).collect::<Vec<u64>>());
        }
    }
    let words = "--name=a --filename=data --rw=randread --ioengine=psync --quiet --runtime=2 --time_based \
                 --write_iops_log=half --log_avg_msec=500 --rate_iops=200";
    fathom_fio(folder.path(), words);
    let log = std::fs::read_to_string(folder.path().join("half_iops.1.log")).unwrap();
    let times: Vec<&str> = log.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(&times[..3], ["500", "1000", "1500"], "{log}");
    assert!(log.lines().take(3).all(|line| line.ends_with(", 0, 0, 0")), "{log}");
}

#[test]
fn odd_sizes_are_done_and_a_file_is_made_longer_only_where_it_may_be_written() {
    let bench = Typist::new();
    let fio = |words: &str| {
        let words =
            format!("--name=a --filename=data --bs=4k --ioengine=psync --output-format=json --quiet {words}");
        let (printed, said, status) = fathom_fio(bench.folder(), &words);
        let ios = serde_json::from_str::<Value>(&printed).ok().and_then(|all| {
            Some(
                all["jobs"][0]["read"]["total_ios"].as_u64()?
                    + all["jobs"][0]["write"]["total_ios"].as_u64()?,
            )
        });
        // A terminal's width may cut a sentence anywhere.
        (ios, said.split_whitespace().collect::<Vec<_>>().join(" "), status)
    };
    let bytes: Vec<u8> = (0..10_000u32).map(|at| at as u8).collect();
    std::fs::write(bench.folder().join("data"), &bytes).unwrap();
    assert_eq!(fio("--rw=read").0, Some(2));
    assert_eq!(fio("--rw=read --offset=500 --size=9000").0, Some(2));
    let (_, said, status) = fio("--rw=read --size=64k");
    assert_eq!(status, Some(3), "{said}");
    assert!(said.contains("has 10000 bytes") && said.contains("--destroy data"), "{said}");
    assert_eq!(std::fs::read(bench.folder().join("data")).unwrap(), bytes);
    let (ios, said, _) = fio("--rw=read --size=64k --destroy=data");
    assert_eq!(ios, Some(16), "{said}");
    let longer = std::fs::read(bench.folder().join("data")).unwrap();
    assert_eq!((longer.len(), &longer[..10_000]), (64 << 10, &bytes[..]), "what was there stays");
    let (_, said, status) = fio("--rw=read --size=128k --destroy=data --readonly");
    assert_eq!(status, Some(2), "{said}");
    let (_, said, status) = fio("--rw=read --filename=none --allow_file_create=0 --size=1m");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("allow_file_create") && !bench.folder().join("none").exists(), "{said}");
}

#[test]
fn content_is_the_pattern_and_what_differs_stands_in_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--name=a --filename=p --size=64k --bs=4k --rw=write --ioengine=psync --buffer_pattern=0xdeadbeef --quiet \
                 --nice=3 --output-format=json,normal";
    let (printed, said, _) = fathom_fio(folder.path(), words);
    assert_eq!(said, "");
    let bytes = std::fs::read(folder.path().join("p")).unwrap();
    assert!(bytes.chunks(4).all(|four| four == [0xde, 0xad, 0xbe, 0xef]));
    let mut documents = serde_json::Deserializer::from_str(&printed).into_iter::<Value>();
    let document = documents.next().unwrap().unwrap();
    let differences = document["fathom"]["differences_from_fio"].to_string();
    assert!(differences.contains("nice=3"), "{differences}");
    let text = &printed[documents.byte_offset()..];
    assert!(text.contains("Differences from fio:\n  nice=3"), "{text}");
    let kept =
        "--name=a --filename=k --size=64k --bs=4k --rw=write --ioengine=psync --scramble_buffers=0 --quiet";
    fathom_fio(folder.path(), kept);
    let bytes = std::fs::read(folder.path().join("k")).unwrap();
    assert!(bytes.chunks(4096).all(|block| block == &bytes[..4096]), "one buffer, one content");
    assert!(bytes[..4096].chunks(64).any(|part| part != &bytes[..64]));
}
