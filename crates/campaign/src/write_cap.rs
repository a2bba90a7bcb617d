//! The cap on the bytes that this process writes to targets.
//!
//! There is one, and not one a session: all runs of a command wear the same devices. It counts what is written into
//! files that are laid out, by preconditioning and by every run; writes of other tools it cannot count.

use std::sync::OnceLock;

use fathom_engine::job::wear_limit::WearLimit;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::Bytes;
use fathom_record::Workload;

static LIMIT: OnceLock<WearLimit> = OnceLock::new();

/// The flag, as messages name it.
const FLAG: &str = "--wear-limit";

/// Lets this process write so many bytes in all; what was allowed first stays.
pub fn allow(bytes: u64) {
    LIMIT.get_or_init(|| WearLimit::new(bytes));
}

/// What may be written, where that is limited.
pub fn limit() -> Option<&'static WearLimit> {
    LIMIT.get()
}

/// Refuses a workload that would end only beyond what is left, where its length says how much it writes.
///
/// # Errors
/// With both numbers.
pub(crate) fn refuse_beyond(workload: &Workload) -> Result<(), EngineError> {
    match (limit(), expected_bytes(workload)) {
        (Some(limit), Some(bytes)) if bytes > limit.left_bytes() => Err(beyond("the workload", bytes, limit)),
        _ => Ok(()),
    }
}

/// Takes what a file that is laid out is written over.
///
/// # Errors
/// When less is left.
pub(crate) fn take_for_layout(bytes: u64) -> Result<(), EngineError> {
    match limit() {
        Some(limit) if bytes > limit.left_bytes() || !limit.take(bytes) => {
            Err(beyond("laying out the file", bytes, limit))
        }
        _ => Ok(()),
    }
}

/// What a record says of a run that the limit ended; `None` where it ended none.
pub(crate) fn stopped() -> Option<String> {
    let limit = limit().filter(|limit| limit.is_met())?;
    let written = limit.limit_bytes() - limit.left_bytes();
    Some(format!(
        "Stopped by {FLAG} {}: the command had written {}, and the next write would have passed the limit.",
        Bytes(limit.limit_bytes()),
        Bytes(written)
    ))
}

fn beyond(what: &str, bytes: u64, limit: &WearLimit) -> EngineError {
    let cause = format!(
        "{what} writes about {}, and {} of {} may still be written",
        Bytes(bytes),
        Bytes(limit.left_bytes()),
        Bytes(limit.limit_bytes())
    );
    EngineError::new(ErrorKind::Plan, FLAG, cause)
        .with_remedy(format!("raise {FLAG}, or shorten it with --size, --bytes or --count"))
}

/// Bytes that a workload is expected to write, where a number of I/Os or bytes ends it and no time does so before.
fn expected_bytes(workload: &Workload) -> Option<u64> {
    let (mix, sizes, length) = (&workload.mix, &workload.sizes, &workload.length);
    if length.time_ns.is_some() {
        return None;
    }
    let written = mix.write_share() * sizes.write.mean_bytes();
    let of_one =
        written + mix.read_share * sizes.read.mean_bytes() + mix.trim_share * sizes.trim.mean_bytes();
    let by_operations = length.operations.map(|operations| operations as f64 * written);
    let by_bytes = length.bytes.map(|bytes| bytes as f64 * written / of_one.max(1.0));
    let fewest = [by_operations, by_bytes].into_iter().flatten().min_by(f64::total_cmp)?;
    Some(fewest as u64)
}

#[cfg(test)]
mod tests {
    use fathom_plan::{PlanSource, RawPlan};

    use super::*;

    fn expected(fill: impl FnOnce(&mut RawPlan)) -> Option<u64> {
        let mut raw = RawPlan { target: Some(vec!["null:".to_owned()]), ..RawPlan::default() };
        fill(&mut raw);
        expected_bytes(&PlanSource::from_flags(raw).resolve(1).expect("a plan").workload)
    }

    #[test]
    fn what_will_be_written_is_known_where_a_number_ends_it() {
        let some = |text: &str| Some(text.into());
        assert_eq!(expected(|raw| raw.rw = some("randwrite")), None, "time ends it");
        let mixed = expected(|raw| {
            (raw.rw, raw.count, raw.read_share) = (some("randrw"), some("1000"), some("75%"));
        });
        assert_eq!(mixed, Some(250 * 4096));
        let of_bytes = expected(|raw| (raw.rw, raw.bytes) = (some("write"), some("1MiB")));
        assert_eq!(of_bytes, Some(1 << 20));
        assert_eq!(expected(|raw| (raw.rw, raw.count) = (some("read"), some("10"))), Some(0));
    }
}
