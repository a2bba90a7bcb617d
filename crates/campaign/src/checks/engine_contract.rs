//! Did the engine keep its contract?

use fathom_record::{Check, CheckName, CheckOutcome, EngineBreaches};

use super::CheckEvidence;

pub fn contract(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::EngineContract;
    let Some(breaches) = evidence.summary.breaches.as_deref() else {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "What the engine did was not counted.");
    };
    let EngineBreaches { stamps_out_of_order, unknown_completions, refused_submissions, above_depth } =
        *breaches;
    let counts = [
        (stamps_out_of_order, "I/Os ended with stamps out of order, and are in no latency and no rate"),
        (unknown_completions, "completions belonged to no I/O in flight"),
        (refused_submissions, "I/Os were not taken though a slot was free"),
        (above_depth, "intervals show more I/Os in flight than the depth allows"),
    ];
    let found: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if found.is_empty() {
        let text =
            "Each I/O ended once, with its stamps in order, and never more were in flight than the depth.";
        return Check::plain(NAME, CheckOutcome::Pass, text);
    }
    let text = format!(
        "The engine broke its contract: {}. This is a fault of engine {}, not of the target; use another one with \
         --engine, and report it.",
        found.join("; "),
        evidence.engine.name
    );
    let all: u64 = counts.iter().map(|(count, _)| *count).sum();
    Check::figure(NAME, CheckOutcome::Fail, (all as f64, 0.0), "breaches", text)
}
