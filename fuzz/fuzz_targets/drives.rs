//! Any bytes are what a machine's drives answered, or no such file: as the file itself, and as every answer in one.
#![no_main]

use fathom_fuzz::within;
use fathom_target::Verdict;
use fathom_target::drives::{Answer, Capture, Drive, Question, SETTINGS, Setting, Volume, digits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    within(bytes.len(), "a capture", || {
        if let Some(capture) = serde_json::from_slice::<Capture>(bytes).ok().filter(Capture::is_readable) {
            judged(&capture);
        }
    });
    within(bytes.len(), "answers", || judged(&answered(bytes)));
});

/// A machine with one drive and one volume that answer every question with these bytes.
fn answered(bytes: &[u8]) -> Capture {
    let answers = Question::ALL.iter().map(|question| Answer::of(*question, Ok(bytes.to_vec()))).collect();
    let count = bytes.first().map(|byte| u32::from(*byte));
    let settings = SETTINGS.iter().map(|name| Setting { name: (*name).to_owned(), value: count }).collect();
    let volume = Volume {
        name: String::new(),
        places: Vec::new(),
        file_system: None,
        extents: Some(digits(bytes)),
        roles: Vec::new(),
    };
    Capture {
        format: Capture::FORMAT.to_owned(),
        version: Capture::VERSION,
        settings,
        drives: vec![Drive { number: 0, answers, drivers: Vec::new() }],
        volumes: vec![volume],
    }
}

/// Whatever they answer, none of them is ever written to, and the list can be printed.
fn judged(capture: &Capture) {
    let devices = capture.devices();
    assert_eq!(devices.len(), capture.drives.len());
    assert!(devices.iter().all(|device| matches!(device.verdict, Verdict::Never { .. })));
    serde_json::to_vec(&devices).expect("a list of devices can be written");
}
