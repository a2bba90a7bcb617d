//! Whether two sides answer the same question, before any number is put beside another.

use fathom_record::Workload;
use fathom_record::comparison::{Side, UndecidedReason};

/// Relative difference of the mean in-flight up to which latencies are comparable: what the self-check of
/// one run allows. Saturated targets have a latency in proportion to what is in flight.
pub const MAX_IN_FLIGHT_DIFFERENCE: f64 = 0.02;

/// One side as far as comparability goes.
#[derive(Clone, Copy, Debug)]
pub struct Conditions<'a> {
    /// What ran.
    pub workload: &'a Workload,
    /// Mean I/Os in flight that were achieved.
    pub in_flight: f64,
}

/// Whether both sides ran the same workload, length and seed aside. `subject` names fields that are what is
/// compared, as `["depth"]`.
///
/// # Errors
/// The first field that differs.
pub fn workloads_comparable(a: &Workload, b: &Workload, subject: &[&str]) -> Result<(), UndecidedReason> {
    let same = [
        ("mix", a.mix == b.mix),
        ("addresses", a.addresses == b.addresses),
        ("sizes", a.sizes == b.sizes),
        ("offset_bytes", a.offset_bytes == b.offset_bytes),
        ("span_bytes", a.span_bytes == b.span_bytes),
        ("alignment_bytes", a.alignment_bytes == b.alignment_bytes),
        ("data", a.data == b.data),
        ("arrival", a.arrival == b.arrival),
        ("jobs", a.jobs == b.jobs),
        ("depth", a.depth == b.depth),
    ];
    match same.into_iter().find(|(field, same)| !same && !subject.contains(field)) {
        Some((field, _)) => Err(UndecidedReason::WorkloadsDiffer { field: field.to_owned() }),
        None => Ok(()),
    }
}

/// Whether the sides' latencies can be put beside each other: a closed loop must have kept the same number
/// of I/Os in flight. With open arrivals the in-flight is an outcome and may differ.
///
/// # Errors
/// By how much it differs, or that it is not known.
pub fn latencies_comparable(a: Conditions<'_>, b: Conditions<'_>) -> Result<(), UndecidedReason> {
    if a.workload.arrival.is_open() && b.workload.arrival.is_open() {
        return Ok(());
    }
    in_flight_comparable(a.in_flight, b.in_flight)
}

/// Whether two achieved in-flights are the same within [`MAX_IN_FLIGHT_DIFFERENCE`].
///
/// # Errors
/// Both, if not.
pub fn in_flight_comparable(a: f64, b: f64) -> Result<(), UndecidedReason> {
    for (side, in_flight) in [(Side::A, a), (Side::B, b)] {
        if !in_flight.is_finite() {
            return Err(UndecidedReason::InFlightUnknown { side });
        }
    }
    let is_close = (b / a).ln().abs() <= MAX_IN_FLIGHT_DIFFERENCE.ln_1p();
    if is_close { Ok(()) } else { Err(UndecidedReason::InFlightDiffers { a, b }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In-flight by Little's law of the published rows, native against not: rate times mean latency.
    #[test]
    fn published_rows_at_another_concurrency_are_marked() {
        let in_flight = |rate: f64, ms: f64| rate * ms / 1e3;
        let random_read = (in_flight(1_598_959.0, 0.169), in_flight(2_636_516.0, 0.104));
        assert_eq!(in_flight_comparable(random_read.0, random_read.1), Ok(()));
        let sequential_write = (in_flight(731_859.0, 0.399), in_flight(820_603.0, 0.558));
        let Err(UndecidedReason::InFlightDiffers { a, b }) =
            in_flight_comparable(sequential_write.0, sequential_write.1)
        else {
            panic!("292 against 458 in flight are not comparable");
        };
        assert_eq!((a.round(), b.round()), (292.0, 458.0));
    }

    #[test]
    fn an_in_flight_that_is_not_known_is_not_comparable() {
        assert!(in_flight_comparable(f64::NAN, 1.0).is_err());
        assert!(in_flight_comparable(0.0, 0.0).is_err());
    }
}
