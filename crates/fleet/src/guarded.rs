//! What is done for one volume of many, kept apart: where an invariant is broken, the volume is named.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
        Refusal::new("a volume", format!("internal error at {volume:?}: {words}"))
            .at(volume)
            .or("report it with that volume's rows, and leave them out meanwhile")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_at_which_an_invariant_breaks_is_named() {
        assert_eq!(guarded("vol-1", || 7), Ok(7));
        let refused = guarded("vol-2", || assert_eq!(1, 2, "sums differ")).unwrap_err();
        assert!(refused.cause.contains("\"vol-2\"") && refused.cause.contains("sums differ"), "{refused}");
        assert_eq!(refused.place, "vol-2");
        let silent = guarded("", || std::panic::resume_unwind(Box::new(7))).unwrap_err();
        assert!(silent.cause.ends_with("it says nothing"), "{silent}");
    }
}
