//! What is done for one volume of many, kept apart: where an invariant is broken, the volume is named.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fathom_record::fleet_record::FleetRow;
use fathom_sizing::fleet_volumes::unjudged;
use fathom_tools::Refusal;

/// Does what is done for a volume.
///
/// # Errors
/// When it panics, with the volume's name: nothing that was done for others is lost to whoever looks for the cause.
pub fn guarded<T>(volume: &str, work: impl FnOnce() -> T) -> Result<T, Refusal> {
    // What a panic leaves half done is dropped with the volume.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it says nothing");
        Refusal::new("a volume", format!("internal error: {words}")).at(format!("volume {volume:?}")).or(
            "report it with that volume's rows; until then leave them out, or keep going (--keep-going, keep_going=True)",
        )
    })
}

/// The verdict on a volume; where an invariant is broken and the others are to be judged all the same, that it was not
/// judged, and why.
///
/// # Errors
/// When it panics and `keeps_going` is not set.
pub fn judged(volume: &str, keeps_going: bool, work: impl FnOnce() -> FleetRow) -> Result<FleetRow, Refusal> {
    match guarded(volume, work) {
        Err(refusal) if keeps_going => Ok(unjudged(volume, &refusal.cause)),
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::fleet_record::FleetStatus;

    use super::*;

    #[test]
    fn a_volume_at_which_an_invariant_breaks_is_named() {
        assert_eq!(guarded("vol-1", || 7), Ok(7));
        let refused = guarded("vol-2", || assert_eq!(1, 2, "sums differ")).unwrap_err();
        assert!(
            refused.cause.starts_with("internal error: ") && refused.cause.contains("sums differ"),
            "{refused}"
        );
        assert_eq!(refused.place, "volume \"vol-2\"");
        let silent = guarded("", || std::panic::resume_unwind(Box::new(7))).unwrap_err();
        assert!(silent.cause.ends_with("it says nothing"), "{silent}");
    }

    #[test]
    fn one_volume_is_left_out_only_where_the_others_are_to_be_judged() {
        let broken = || -> FleetRow { panic!("sums differ") };
        assert!(judged("vol-2", false, broken).unwrap_err().remedy.contains("--keep-going"));
        let row = judged("vol-2", true, broken).unwrap();
        assert_eq!((row.status, row.volume.as_str()), (FleetStatus::NotJudged, "vol-2"));
        // The reason stands alone behind the colon, so that all such volumes are counted together.
        assert_eq!(row.reason, "internal error: sums differ");
    }
}
