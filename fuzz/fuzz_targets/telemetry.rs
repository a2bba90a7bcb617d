//! Any bytes are telemetry of some tool or a refusal, read by whichever tool they are given to.
#![no_main]

use fathom_fuzz::within;
use fathom_tools::observers::{OBSERVERS, observe};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    within(bytes.len(), "any tool", || drop(observe(bytes)));
    for observer in OBSERVERS {
        let mut seen = None;
        within(bytes.len(), observer.name, || seen = (observer.observe)(bytes).ok());
        if let Some(observed) = seen {
            let samples = observed.telemetry.at_ns.len();
            assert!(observed.telemetry.series.iter().all(|series| series.values.len() == samples));
        }
        within(bytes.len(), observer.name, || drop((observer.audit)(bytes)));
    }
});
