//! Was it the device that answered, and can the clock be trusted?

use fathom_record::facts::TargetKind;
use fathom_record::options::{Durability, IoFlags};
use fathom_record::{Check, CheckName, CheckOutcome};

use super::CheckEvidence;

/// A clock that differs from the system's by more than this is not calibrated.
const DRIFT_LIMIT_PPM: f64 = 100.0;
/// Below this share of written data a run reads holes.
const WRITTEN_LIMIT: f64 = 0.999;

pub fn clock(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::Clock;
    let clock = evidence.clock;
    if evidence.simulated {
        return Check::plain(NAME, CheckOutcome::Pass, "Time is simulated and exact.");
    }
    let drift = clock.drift_ppm.unwrap_or(0.0);
    let limit = DRIFT_LIMIT_PPM.max(2.0 * clock.calibration_error_ppm);
    if drift.abs() > limit {
        let text = format!("The stamping clock ran {drift:.0} parts per million off the system's clock.");
        return Check::figure(NAME, CheckOutcome::Fail, (drift.abs(), limit), "ppm", text);
    }
    if let Some(reason) = &clock.fallback_reason {
        let text = format!(
            "Stamps come from the system clock at {:.0} ns a read, because {reason}: differences below that are \
             noise.",
            clock.read_cost_ns
        );
        return Check::figure(NAME, CheckOutcome::Caution, (drift.abs(), limit), "ppm", text);
    }
    let text = format!("Stamps cost {:.0} ns each and agree with the system's clock.", clock.read_cost_ns);
    Check::figure(NAME, CheckOutcome::Pass, (drift.abs(), limit), "ppm", text)
}

pub fn unwritten(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::UnwrittenData;
    if evidence.workload.mix.read_share == 0.0 || !is_storage(evidence) {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "Nothing was read from storage.");
    }
    match evidence.target.written_share {
        Some(share) if share < WRITTEN_LIMIT => {
            let text = format!(
                "Only {:.1} % of the target had ever been written: reads of the rest did not reach the medium. Write \
                 all of it first: fathom run --rw write --bs 1m with the same target.",
                share * 100.0
            );
            Check::figure(NAME, CheckOutcome::Fail, (share, WRITTEN_LIMIT), "share", text)
        }
        Some(share) => Check::figure(
            NAME,
            CheckOutcome::Pass,
            (share, WRITTEN_LIMIT),
            "share",
            "All that was read had been written.",
        ),
        None => {
            let text = "This target does not report which blocks were ever written: reads of trimmed or new blocks may \
                        be answered without touching the medium.";
            Check::plain(NAME, CheckOutcome::Caution, text)
        }
    }
}

pub fn page_cache(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::PageCache;
    if !is_storage(evidence) {
        return Check::plain(
            NAME,
            CheckOutcome::NotApplicable,
            "No data went to a target with a page cache.",
        );
    }
    if evidence.target.direct {
        return Check::plain(NAME, CheckOutcome::Pass, "I/O went past the page cache (direct I/O).");
    }
    let cached = evidence.cached_share.map_or(String::new(), |share| {
        format!(" {:.0} % of the span was in it when the run started.", share * 100.0)
    });
    let text =
        format!("I/O went through the page cache, which may have answered instead of the device.{cached}");
    Check::plain(NAME, CheckOutcome::Caution, text)
}

pub fn write_cache(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::WriteCache;
    let mix = &evidence.workload.mix;
    if mix.write_share() == 0.0 || !is_storage(evidence) {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "Nothing was written to storage.");
    }
    let features = &evidence.engine.features;
    let flags = IoFlags::of_features(features);
    if Durability::of_features(features).is_some() || flags.dsync || flags.sync {
        return Check::plain(NAME, CheckOutcome::Pass, "Each write ended only when it was durable.");
    }
    let caches: Vec<&str> =
        evidence.target.devices.iter().filter_map(|device| device.write_cache.as_deref()).collect();
    if caches.is_empty() {
        let text = "Whether a volatile cache took the writes is not known.";
        return Check::plain(NAME, CheckOutcome::Caution, text);
    }
    if caches.iter().all(|cache| *cache == "write through") {
        return Check::plain(NAME, CheckOutcome::Pass, "The device reports no volatile write cache.");
    }
    if mix.flush_every_writes > 0 {
        return Check::plain(
            NAME,
            CheckOutcome::Pass,
            "The device has a volatile write cache, and the workload flushes it.",
        );
    }
    let text = "The device has a volatile write cache: writes may have ended before they were durable, and a longer \
                run may be slower.";
    Check::plain(NAME, CheckOutcome::Caution, text)
}

/// Whether data went to storage or came from there.
fn is_storage(evidence: &CheckEvidence<'_>) -> bool {
    evidence.engine.moves_data()
        && matches!(
            evidence.target.kind,
            TargetKind::File
                | TargetKind::BlockDevice
                | TargetKind::NvmeNamespace
                | TargetKind::FabricNamespace
        )
}
