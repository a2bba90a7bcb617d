//! What `fathom fio` does as fio does it: files that are named twice, results that are left out or joined, folders.

use std::path::Path;

use super::fio::{calls, fathom_fio, json};

/// A record of the folder's store.
fn shown(folder: &Path, run: &str) -> serde_json::Value {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["show", run, "--json", "--store"])
        .arg(folder.join("runs.sqlite"))
        .output()
        .unwrap();
    json(&String::from_utf8_lossy(&output.stdout))
}

fn laid_out(folder: &Path, name: &str, bytes: usize) {
    std::fs::write(folder.join(name), vec![7; bytes]).unwrap();
}

#[test]
fn jobs_without_statistics_are_left_out_and_a_group_has_its_last_job_s_options() {
    let folder = tempfile::tempdir().unwrap();
    laid_out(folder.path(), "data", 1 << 20);
    let all = "--filename=data --bs=4k --ioengine=psync --size=1m --output-format=json --quiet";
    let jobs = |words: &str| {
        let (printed, said, _) = fathom_fio(folder.path(), &format!("{all} {words}"));
        let jobs = json(&printed)["jobs"].as_array().cloned();
        jobs.unwrap_or_else(|| panic!("{said}"))
    };
    let shown = jobs("--name=a --rw=read --stats=0 --name=b --rw=randread");
    assert_eq!((shown.len(), &shown[0]["jobname"]), (1, &"b".into()));
    let group = jobs("--group_reporting --name=a --rw=read --name=b --rw=randread --io_size=512k");
    assert_eq!((group.len(), &group[0]["jobname"]), (1, &"a".into()));
    assert_eq!(group[0]["job options"]["rw"], "randread", "{}", group[0]["job options"]);
    let both = jobs("--name=a --rw=read --unified_rw_reporting=both");
    assert_eq!((&both[0]["mixed"]["total_ios"], &both[0]["read"]["total_ios"]), (&256.into(), &256.into()));
}

#[test]
fn a_folder_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let words = "--name=a --directory=sub --filename=. --size=1m --rw=randread --ioengine=psync --quiet";
    let (printed, said, status) = fathom_fio(folder.path(), words);
    assert_eq!((printed.as_str(), status), ("", Some(2)), "{said}");
    assert!(said.contains("is a folder") && said.contains("directory="), "{said}");
    assert_eq!(std::fs::read_dir(folder.path().join("sub")).unwrap().count(), 0, "nothing is made in it");
}

#[test]
fn what_makes_a_file_longer_is_not_left_in_the_page_cache() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--name=a --filename=data --size=1m --bs=4k --rw=read --ioengine=psync --invalidate=0 --fadvise_hint=0 \
                 --quiet --destroy=data";
    let drops = |there: usize| {
        laid_out(folder.path(), "data", there);
        let lines = calls(folder.path(), words, "fadvise64", "data")?;
        Some(lines.iter().filter(|line| line.contains("POSIX_FADV_DONTNEED")).count())
    };
    let Some(whole) = drops(1 << 20) else { return };
    assert_eq!((whole, drops(512 << 10)), (0, Some(1)), "of the half that was written");
}

#[test]
fn ios_in_flight_at_the_end_are_counted_beyond_the_record_s() {
    let folder = tempfile::tempdir().unwrap();
    laid_out(folder.path(), "data", 4 << 20);
    let words = "--name=a --filename=data --size=4m --bs=64k --rw=randread --ioengine=libaio --iodepth=32 --direct=1 \
                 --runtime=1 --time_based --output-format=json --quiet";
    let (printed, said, status) = fathom_fio(folder.path(), words);
    if status == Some(3) {
        fathom_skips::skipped("no direct I/O in the temporary folder");
        return;
    }
    let document = json(&printed);
    let counted = document["jobs"][0]["read"]["total_ios"].as_u64().unwrap();
    let run = document["jobs"][0]["fathom"]["runs"][0].as_str().unwrap();
    let record = shown(folder.path(), run);
    let kept = record["summary"]["directions"][0]["operations"].as_u64().unwrap();
    // A closed loop has its queue full when the time is over.
    assert_eq!(counted, kept + 32, "{said}");
    let told = document["fathom"]["differences_from_fio"].to_string();
    assert!(told.contains("32 I/Os in flight at the end are counted") && told.contains(run), "{told}");
}

#[test]
fn jobs_with_a_rate_have_latencies_from_the_intended_start_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    laid_out(folder.path(), "data", 1 << 20);
    let words = "--name=a --filename=data --size=1m --bs=4k --rw=randread --ioengine=psync --runtime=1 --time_based \
                 --output-format=json,normal --quiet";
    let (printed, ..) = fathom_fio(folder.path(), &format!("{words} --rate_iops=200"));
    let mut documents = serde_json::Deserializer::from_str(&printed).into_iter::<serde_json::Value>();
    let document = documents.next().unwrap().unwrap();
    let job = &document["jobs"][0];
    let (response, service) = (&job["fathom"]["response_ns"]["read"], &job["read"]["clat_ns"]);
    assert_eq!(response["N"], service["N"], "{response}");
    assert!(response["percentile"]["50.000000"].as_u64() >= service["percentile"]["50.000000"].as_u64());
    assert!(response["mean"].as_f64() >= service["mean"].as_f64(), "{response} {service}");
    assert!(printed[documents.byte_offset()..].contains("  response     : read (msec): mean="), "{printed}");
    let (printed, ..) = fathom_fio(folder.path(), words);
    assert!(!printed.contains("response"), "a closed loop has no intended starts: {printed}");
}
