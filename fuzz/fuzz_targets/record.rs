//! Any bytes are a record or an error; a record that was read reads back from what is written of it.
#![no_main]

use fathom_fuzz::within;
use fathom_record::{parse_campaign, parse_profile, parse_run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (mut run, mut campaign, mut profile) = (None, None, None);
    within(bytes.len(), "run", || run = parse_run(bytes).ok());
    within(bytes.len(), "campaign", || campaign = parse_campaign(bytes).ok());
    within(bytes.len(), "profile", || profile = parse_profile(bytes).ok());
    if let Some(record) = run {
        let written = serde_json::to_vec(&record).expect("a record that was read can be written");
        let again = parse_run(&written).expect("a record that was written can be read");
        let twice = serde_json::to_vec(&again).expect("a record that was read can be written");
        assert_eq!(written, twice);
        let _ = record.summary.service_mean_ns();
    }
    if let Some(campaign) = campaign {
        let written = serde_json::to_vec(&campaign).expect("a record that was read can be written");
        assert!(parse_campaign(&written).is_ok());
    }
    if let Some(profile) = profile {
        let written = serde_json::to_vec(&profile).expect("a record that was read can be written");
        assert!(parse_profile(&written).is_ok());
    }
});
