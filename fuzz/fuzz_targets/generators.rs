//! Any text is a command line, a profile or a result of diskspd, or a result of SPDK's generators, or is refused.
#![no_main]

use fathom_fuzz::within;
use fathom_tools::diskspd::{
    Command, Drives, map, print_text, print_xml, profile_xml, read_command, read_text, read_xml,
};
use fathom_tools::spdk;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let size = text.len();
    let words: Vec<String> = text.lines().next().unwrap_or_default().split(' ').map(str::to_owned).collect();
    let mut typed = None;
    within(size, "command line", || typed = read_command(&words, 1).ok());
    if let Some(Command::Run(profile)) = typed {
        let _ = profile_xml::print_profile(&profile);
        let _ = map(&profile.spans[0], &Drives::default(), &|_| Some(1 << 30));
    }
    within(size, "profile", || drop(profile_xml::read_profile(text)));
    within(size, "XML result", || drop(read_xml::read(text)));
    within(size, "SPDK's result", || drop(spdk::read(text, "text")));
    within(size, "drives", || drop(Drives::read(text.split(';'))));
    let mut results = Vec::new();
    within(size, "text result", || results = read_text::read(text).unwrap_or_default());
    for results in results {
        let _ = (print_text::print(&results), print_xml::print(&results));
    }
});
