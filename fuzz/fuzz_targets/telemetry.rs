//! Any bytes are telemetry of some tool or a refusal, read by whichever tool they are given to.
#![no_main]

use fathom_interop::observers::{OBSERVERS, observe};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = observe(bytes);
    for observer in OBSERVERS {
        if let Ok(observed) = (observer.observe)(bytes) {
            let samples = observed.telemetry.at_ns.len();
            assert!(observed.telemetry.series.iter().all(|series| series.values.len() == samples));
        }
        let _ = (observer.audit)(bytes);
    }
});
