//! The decoder's own failures on damaged bytes as errors: it panics on some of them instead of refusing them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use parquet::errors::{ParquetError, Result};

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// What the decoder makes, or why it makes nothing. Nothing that it holds may be used again after an error.
///
/// # Errors
/// As the decoder, and where it panicked.
pub fn decoding<T>(decode: impl FnOnce() -> Result<T>) -> Result<T> {
    static QUIET: Once = Once::new();
    // What is refused in words of its own needs no trace of the decoder's on the terminal.
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |told| {
            if !DECODING.get() {
                before(told);
            }
        }));
    });
    let outer = DECODING.replace(true);
    let made = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(outer);
    made.unwrap_or_else(|_| {
        Err(ParquetError::General("its bytes are damaged: they do not decode".to_owned()))
    })
}
