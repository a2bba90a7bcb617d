//! Any text is a command line, a profile or a result of diskspd, or a result of SPDK's generators, or is refused.
#![no_main]

use fathom_interop::diskspd::{
    Command, Drives, map, print_text, print_xml, profile_xml, read_command, read_text, read_xml,
};
use fathom_interop::spdk;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let words: Vec<String> = text.lines().next().unwrap_or_default().split(' ').map(str::to_owned).collect();
    if let Ok(Command::Run(profile)) = read_command(&words, 1) {
        let _ = profile_xml::print_profile(&profile);
        let _ = map(&profile.spans[0], &Drives::default(), &|_| Some(1 << 30));
    }
    let _ = profile_xml::read_profile(text);
    let _ = read_xml::read(text);
    let _ = spdk::read(text, "text");
    for results in read_text::read(text).unwrap_or_default() {
        let _ = (print_text::print(&results), print_xml::print(&results));
    }
});
