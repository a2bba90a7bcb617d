//! `fathom fio`: published commands, counts as the installed fio has them, jobs beside one another, and fio's own
//! readers.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::typed::Typist;

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

#[expect(clippy::print_stderr, reason = "it tells why a test did nothing")]
pub fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--help").output().is_ok();
    if !found {
        eprintln!("skipped: no {tool} is installed");
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
        println!("skipped: no extended attributes here");
        return;
    }
    for rw in ["randwrite", "write", "randrw"] {
        let (said, status) = fio(rw);
        assert!(status != Some(3) && !said.contains("refused"), "{rw}: {said}");
    }
    std::thread::sleep(std::time::Duration::from_millis(20));
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
    let words = "--ioengine=null --size=1g --bs=4k --time_based --runtime=1 --output-format=json --quiet \
                 --name=one --flow=1 --name=eight --flow=8";
    let ratio = || {
        let (printed, _, _) = fathom_fio(folder.path(), words);
        let ios = |at: usize| json(&printed)["jobs"][at]["read"]["total_ios"].as_u64().unwrap();
        ios(1) as f64 / ios(0) as f64
    };
    // Whoever ends last has the rest of its second to itself: where other tests keep one job from starting, that is
    // millions of I/Os of an engine that does nothing.
    let ratios = [ratio(), ratio(), ratio()];
    assert!(ratios.iter().any(|ratio| (7.0..9.0).contains(ratio)), "{ratios:?}");
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
