//! What the kernel says of the TCP connections that carried the I/O.

use fathom_measure::Nanos;

use crate::curve_shape::CurveShape;
use crate::evidence::Feature;
use crate::printed;
use crate::thresholds::LONE;

use super::Symptom;

/// Standard error of a share that a kernel counts in microseconds, or of bytes.
const COUNT_ERROR: f64 = 0.001;
/// Standard error of the share of a latency: round trips are told in whole microseconds, and vary.
const LATENCY_ERROR: f64 = 0.02;
/// Least and most that a logarithm of the use of a window says.
const WINDOW_RANGE: std::ops::RangeInclusive<f64> = -3.0..=1.0;
/// Least use of a window that is told from none.
const LEAST_USE: f64 = 1e-3;

pub fn seen(shape: &CurveShape<'_>) -> Vec<Symptom> {
    let Some(seen) = shape.telemetry.connections else { return Vec::new() };
    let mut found = vec![round_trip(shape, seen.least_rtt_ns)];
    found.extend([
        seen.resent_share.and_then(|share| {
            let text =
                format!("{} of the data was sent again or came out of order.", printed::percent(share));
            Symptom::new(Feature::Resent, share, COUNT_ERROR, text)
        }),
        seen.window_share.and_then(|share| {
            let value = share.max(LEAST_USE).ln().clamp(*WINDOW_RANGE.start(), *WINDOW_RANGE.end());
            let text = format!("Data under way filled {} of the congestion window.", printed::percent(share));
            Symptom::new(Feature::WindowUse, value, 0.05, text)
        }),
        seen.receiver_limited_share.and_then(|share| {
            let text = format!(
                "The peer's receive window held sending back {} of the time.",
                printed::percent(share)
            );
            Symptom::new(Feature::ReceiverLimited, share, COUNT_ERROR, text)
        }),
        seen.buffer_limited_share.and_then(|share| {
            let text = format!(
                "This machine's send buffer held sending back {} of the time.",
                printed::percent(share)
            );
            Symptom::new(Feature::BufferLimited, share, COUNT_ERROR, text)
        }),
    ]);
    found.into_iter().flatten().collect()
}

/// The round trip in the latency of a lone I/O, or of the one in question where none was measured alone.
fn round_trip(shape: &CurveShape<'_>, least_rtt_ns: f64) -> Option<Symptom> {
    let alone = shape.unloaded.as_ref().unwrap_or(&shape.focus);
    if alone.r_ns <= 0.0 || least_rtt_ns <= 0.0 {
        return None;
    }
    let share = (least_rtt_ns / alone.r_ns).min(1.0);
    let whose = if alone.in_flight < LONE { "a lone I/O" } else { "an I/O" };
    let text = format!(
        "The network's round trip is {}, {} of the mean latency of {whose}.",
        Nanos(least_rtt_ns as u64),
        printed::percent(share)
    );
    Symptom::new(Feature::RoundTrip, share, LATENCY_ERROR, text)
}
