//! Quantities as people write them: sizes, times, rates and shares, each with one grammar.
//!
//! A bare `k`, `m`, `g` or `t` on a size is a power of 1024, as fio and diskspd read it; `kB`, `MB`
//! are powers of 1000 and `KiB`, `MiB` powers of 1024, as the standards write them. On a rate of
//! operations `k` and `M` are powers of 1000. What is printed always says which.

mod bytes;
mod decimal_text;
mod nanos;
mod plural_forms;
mod proportion;
mod rate;

pub use bytes::{ByteRate, Bytes};
pub use nanos::Nanos;
pub use plural_forms::counted;
pub use proportion::Share;
pub use rate::Rate;

/// A text that is not the quantity it should be; its message says what to type instead. Its own type: this room is
/// below record, which has the one shape of errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{input}` is not {expected}: write {example}")]
pub struct UnitError {
    /// What was given.
    pub input: String,
    /// What was expected, with its article: "a size".
    pub expected: &'static str,
    /// What a right one looks like.
    pub example: &'static str,
}
