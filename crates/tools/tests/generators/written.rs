//! What is here: command lines and results written by hand as people publish them, and the seeds of the fuzz targets.

use fathom_tools::diskspd::{Command, Drives, map, profile_xml, read_command};

use crate::command_lines::arguments;
use crate::results::{check_stated, import};

/// Each line says what becomes of it: `mapped`, or `refused: WORDS`.
#[test]
fn command_lines_are_mapped_or_refused_with_a_reason() {
    let drives = Drives::read(["D:=/mnt/d", "E:=/mnt/e"]).expect("drives");
    let lines = include_str!("written/command-lines.tsv");
    for (says, line) in lines.lines().filter_map(|line| line.split_once('\t')) {
        let words = arguments(line).unwrap_or_else(|| panic!("no arguments: {line}"));
        let outcome = read_command(&words, 1).and_then(|command| match command {
            Command::Run(profile) => map(&profile.spans[0], &drives, &|_| Some(1 << 40)).map(drop),
            Command::Xml(_) => Ok(()),
        });
        match (says.strip_prefix("refused: "), outcome) {
            (None, Ok(())) => assert_eq!(says, "mapped", "{line}"),
            (Some(reason), Err(refusal)) => {
                assert!(refusal.to_string().contains(reason), "{line}: {refusal}");
            }
            (Some(_), Ok(())) => panic!("mapped: {line}"),
            (None, Err(refusal)) => panic!("{line}: {refusal}"),
        }
    }
}

#[test]
fn a_profile_is_printed_as_it_was_read() {
    let text = include_str!("../../../../fuzz/seeds/generators/profile.xml");
    let profile = profile_xml::read_profile(text).expect("a profile");
    let again = profile_xml::read_profile(&profile_xml::print_profile(&profile)).expect("a profile");
    assert_eq!(profile, again);
}

#[test]
fn results_agree_with_their_totals() {
    let xml = include_bytes!("../../../../fuzz/seeds/generators/result.xml");
    let of_targets = include_bytes!("../../../../fuzz/seeds/generators/diskspd-targets.txt");
    for (name, bytes) in [("result.xml", &xml[..]), ("diskspd-targets.txt", &of_targets[..])] {
        let runs = import(name, bytes, None).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        assert!(!runs.is_empty(), "{name}");
        runs.iter().for_each(|run| check_stated(name, run));
    }
}

/// The log of a script that ran it twice.
#[test]
fn results_of_two_depths_in_one_text_are_two_runs() {
    let runs = import("perf.log", include_bytes!("written/nvme-perf-depths.txt"), None).expect("results");
    runs.iter().for_each(|run| check_stated("nvme-perf-depths.txt", run));
    let [first, second] = &runs[..] else { panic!("{} runs", runs.len()) };
    assert_eq!((first.workload.depth, first.summary.operations_per_s()), (8, 162_000.0));
    assert_eq!((second.workload.depth, second.summary.operations_per_s()), (32, 280_376.0));
    assert_eq!((second.jobs.len(), second.tool.version.as_str()), (2, "24.01"));
    let service = second.summary.directions[0].service.as_ref().expect("latencies");
    assert_eq!((service.min_ns, service.max_ns), (Some(69_750), Some(2_305_500)));
}
