//! Any bytes are what a machine's drives answered, or no such file: as the file itself, and as every answer in one.
#![no_main]

use fathom_fuzz::within;
use fathom_target::drives::{Answer, Capture, Drive, Question, SETTINGS, Setting, Volume, digits};
use fathom_target::{Device, Verdict};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    within(bytes.len(), "a capture", || {
        if let Some(capture) = serde_json::from_slice::<Capture>(bytes).ok().filter(Capture::is_readable) {
            let _ = judged(&capture);
        }
    });
    within(bytes.len(), "answers", || {
        let devices = judged(&answered(bytes));
        assert!(devices.iter().all(|device| matches!(device.verdict, Verdict::Never { .. })));
    });
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
        device: Some(digits(bytes)),
    };
    Capture {
        format: Capture::FORMAT.to_owned(),
        version: Capture::VERSION,
        settings,
        drives: vec![Drive { number: 0, answers, drivers: Vec::new() }],
        volumes: vec![volume],
        volumes_listed: true,
    }
}

/// Whatever they answer, none is written without its name, nor while the machine's volumes are not all known.
fn judged(capture: &Capture) -> Vec<Device> {
    let devices = capture.devices();
    assert_eq!(devices.len(), capture.drives.len());
    for device in &devices {
        let named = matches!(device.verdict, Verdict::WithPermission { .. }) && capture.volumes_listed;
        assert!(named || matches!(device.verdict, Verdict::Never { .. }));
    }
    serde_json::to_vec(&devices).expect("a list of devices can be written");
    devices
}
