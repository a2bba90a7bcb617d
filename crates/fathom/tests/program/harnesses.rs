//! Command lines as scripts around fio write them: they end with status 0, keep stderr empty, and find their numbers where they
//! look for them. A harness itself runs where `FATHOM_HARNESS` has its command line.

use std::path::Path;
use std::process::Command;

use crate::fio::{has, json};

/// Runs `fathom fio` as `sh` would; what it printed. The harness would stop at anything else.
#[track_caller]
fn fio(folder: &Path, words: &str, variables: &[(&str, &str)]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .arg("fio")
        .args(words.split_whitespace())
        .env("FATHOM_STORE", folder.join("runs.sqlite"))
        .envs(variables.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{words}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether files that fathom made can be known again here, which the second command of a script needs.
fn keeps_marks(folder: &Path) -> bool {
    let kept =
        rustix::fs::setxattr(folder, "user.fathom.test", b"1", rustix::fs::XattrFlags::empty()).is_ok();
    if !kept {
        fathom_skips::skipped("no extended attributes here");
    }
    kept
}

/// The first `IOPS=` behind a direction in the text for people.
fn rate_in_text<'a>(text: &'a str, direction: &str) -> &'a str {
    let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{direction}: ")));
    let line = line.unwrap_or_else(|| panic!("no {direction} in {text}"));
    line.split("IOPS=").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or_default()
}

#[test]
fn a_script_that_reads_and_then_writes_one_file_comes_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    if !keeps_marks(folder.path()) {
        return;
    }
    let common = "--randrepeat=0 --verify=0 --ioengine=libaio --direct=0 --gtod_reduce=1 --filename=fiotest --size=4m \
                  --time_based --ramp_time=300ms --runtime=1s";
    for (name, rw, more) in [
        ("read_iops", "randread", "--bs=4k --iodepth=64"),
        ("write_iops", "randwrite", "--bs=4k --iodepth=64"),
        ("read_bw", "read", "--bs=128k --iodepth=4 --thread --numjobs=2 --offset_increment=1m"),
        ("write_seq", "write", "--bs=128k --iodepth=4"),
        ("mixed", "randrw", "--rwmixread=75 --bs=4k --iodepth=64"),
    ] {
        let text = fio(folder.path(), &format!("{common} --name={name} --readwrite={rw} {more}"), &[]);
        let direction = if rw.ends_with("write") { "write" } else { "read" };
        let rate = rate_in_text(&text, direction);
        assert!(rate.starts_with(|c: char| c.is_ascii_digit()), "{name}: {rate}: {text}");
        assert!(text.contains("BW="), "{text}");
    }
}

#[test]
fn a_script_finds_its_numbers_among_the_semicolons() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--name=mixed_4k --ioengine=libaio --rw=randrw --rwmixread=50 --bs=4k --iodepth=64 --numjobs=2 --size=4M \
                 --runtime=1 --time_based --gtod_reduce=1 --direct=0 --filename=./test.fio --group_reporting --minimal";
    let text = fio(folder.path(), words, &[]);
    let fields: Vec<&str> = text.trim_end().split(';').collect();
    assert_eq!((fields[0], fields[2], fields[4]), ("3", "mixed_4k", "0"), "{text}");
    assert!(fields[1].starts_with("fio-3."), "{text}");
    // Counted from 1 as scripts do: KiB/s and IOPS of reads, then of writes.
    for place in [7, 8, 48, 49] {
        assert!(fields[place - 1].parse::<u64>().is_ok_and(|value| value > 0), "field {place}: {text}");
    }
    // Neither submission latency nor depths are measured.
    assert!(fields[9..13].iter().chain(&fields[92..99]).all(|field| field.is_empty()), "{text}");
    let again = fio(folder.path(), "--name=a --ioengine=null --size=1m --append-terse", &[]);
    assert!(again.starts_with("3;fio-") && !rate_in_text(&again, "read").is_empty(), "{again}");
}

#[test]
fn terse_lines_have_as_many_fields_as_fios() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for version in 2..=5 {
        for more in ["", " --unified_rw_reporting=mixed", " --description=why"] {
            let words = format!(
                "--name=a --ioengine=null --size=1m --rw=randrw --minimal --terse-version={version}{more}"
            );
            let ours = fio(folder.path(), &words, &[]);
            let theirs = Command::new("fio").args(words.split_whitespace()).output().unwrap();
            let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
            // No disk is under the null engine, so that no names of disks are counted.
            assert_eq!(ours.split(';').count(), theirs.split(';').count(), "{words}\n{ours}{theirs}");
        }
    }
}

#[test]
fn a_series_of_depths_with_logs_keeps_stderr_empty() {
    let folder = tempfile::tempdir().unwrap();
    if !keeps_marks(folder.path()) {
        return;
    }
    let job = "[global]\nfilename=./file\nsize=${SIZE}\nbs=${BLOCK_SIZE}\niodepth=${IODEPTH}\nnumjobs=${NUMJOBS}\n\
               direct=0\ntime_based=1\nruntime=1\nlog_avg_msec=1000\ngroup_reporting=1\nlat_percentiles=1\n\
               write_bw_log=${OUTPUT}/${MODE}-iodepth-${IODEPTH}-numjobs-${NUMJOBS}\n\
               write_iops_log=${OUTPUT}/${MODE}-iodepth-${IODEPTH}-numjobs-${NUMJOBS}\n\
               [iotest]\nrw=${MODE}\nioengine=libaio\n";
    std::fs::write(folder.path().join("tmp.fio"), job).unwrap();
    std::fs::create_dir(folder.path().join("out")).unwrap();
    for (mode, depth) in [("randread", "1"), ("randread", "8"), ("randwrite", "8")] {
        let variables = [
            ("SIZE", "4m"),
            ("BLOCK_SIZE", "4k"),
            ("IODEPTH", depth),
            ("NUMJOBS", "1"),
            ("MODE", mode),
            ("OUTPUT", "out"),
        ];
        let words = format!("--output-format=json --output=out/{mode}-{depth}-1.json tmp.fio");
        fio(folder.path(), &words, &variables);
        let text = std::fs::read_to_string(folder.path().join(format!("out/{mode}-{depth}-1.json"))).unwrap();
        let document = json(&text);
        let of = &document["jobs"][0];
        let direction = if mode == "randread" { "read" } else { "write" };
        assert!(of[direction]["iops"].as_f64() > Some(0.0) && of["ctx"].as_u64() > Some(0), "{text}");
        assert!(of[direction]["lat_ns"]["percentile"]["99.000000"].as_u64() > Some(0), "{text}");
        for absent in ["iodepth_level", "iodepth_submit", "iodepth_complete"] {
            assert!(of.get(absent).is_none(), "{absent} is not measured");
        }
        assert_eq!(of[direction]["slat_ns"]["N"], 0);
        for device in document["disk_util"].as_array().unwrap() {
            assert!(device["util"].as_f64().is_some_and(|util| (0.0..=100.0).contains(&util)), "{device}");
        }
        let log = format!("out/{mode}-iodepth-{depth}-numjobs-1_bw.1.log");
        assert!(folder.path().join(&log).exists(), "{log}");
    }
}

#[test]
fn progress_is_for_terminals_unless_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let job = "--name=a --filename=data --size=64k --bs=4k --rw=randread --ioengine=psync --runtime=6 --time_based \
               --rate_iops=50";
    assert!(fio(folder.path(), job, &[]).contains("IOPS="));
}

/// `FATHOM_HARNESS='bench-fio --type directory ...'` is run with a `fio` in its path that is fathom's.
#[cfg(unix)]
#[test]
fn a_harness_that_is_named_runs_to_its_end() {
    use std::os::unix::fs::PermissionsExt;

    let Ok(harness) = std::env::var("FATHOM_HARNESS") else {
        fathom_skips::skipped("no harness is named in FATHOM_HARNESS");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let shim = folder.path().join("fio");
    std::fs::write(&shim, format!("#!/bin/sh\nexec '{}' fio \"$@\"\n", env!("CARGO_BIN_EXE_fathom")))
        .unwrap();
    std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(folder.path().to_owned()).chain(std::env::split_paths(&path)))
            .unwrap();
    let output = Command::new("sh")
        .args(["-c", &harness])
        .env("PATH", path)
        .env("FATHOM_STORE", folder.path().join("runs.sqlite"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{harness}: {said}");
    assert!(folder.path().join("runs.sqlite").exists(), "{harness} ran no fio: {said}");
}
