//! Command lines, profiles and results of diskspd and of SPDK's generators.

use fathom_tools::diskspd::{
    Command, Drives, map, print_text, print_xml, profile_xml, read_command, read_text, read_xml,
};
use fathom_tools::spdk;
use proptest::prelude::*;

const TEXT: &str = include_str!("../generators/own/diskspd.txt");
const PERF: &str = include_str!("../generators/own/bdevperf.txt");

/// Every command line is read or refused, and what is read is mapped or refused.
fn try_command(words: &[String]) {
    if let Ok(Command::Run(profile)) = read_command(words, 7) {
        let _ = profile_xml::print_profile(&profile);
        let drives = Drives::read(["D:=/mnt/d"]).expect("a drive");
        let _ = map(&profile.spans[0], &drives, &|_| Some(12_345_678));
    }
}

fn try_text(text: &str) {
    if let Ok(all) = read_text::read(text) {
        for results in all {
            let _ = print_text::print(&results);
            let _ = print_xml::print(&results);
        }
    }
    let _ = read_xml::read(text);
    let _ = profile_xml::read_profile(text);
    let _ = spdk::read(text, "text");
}

/// A text with a piece of it replaced.
fn changed(text: &str, at: usize, length: usize, with: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    let end = (at + length).min(chars.len());
    chars[..at].iter().chain(with.chars().collect::<Vec<_>>().iter()).chain(&chars[end..]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_command_line_is_read_or_refused(words in prop::collection::vec("(-[a-zA-Z:?]{1,3}[0-9KMGTbi/:,$a-z]{0,8}|\\PC{0,8})", 0..6)) {
        try_command(&words);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        try_text(&text);
    }

    #[test]
    fn any_change_of_a_result_is_read_or_refused(at: usize, length in 0usize..60, with in "[0-9|:%.<>/ a-zA-Z\n-]{0,20}") {
        for whole in [TEXT, PERF] {
            try_text(&changed(whole, at, length, &with));
        }
    }

    #[test]
    fn any_beginning_of_a_result_is_read_or_refused(at: usize) {
        for whole in [TEXT, PERF] {
            let end = at % (whole.len() + 1);
            try_text(whole.get(..end).unwrap_or_default());
        }
    }
}
