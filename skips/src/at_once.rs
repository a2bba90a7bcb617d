//! How many tests of one program run at once.

use std::num::NonZero;
use std::thread::available_parallelism;

const ASKED: &str = "RUST_TEST_THREADS";

/// Lets one test more run at once than there are processors, for a program of tests that wait for runs of real seconds
/// and for children a good part of their time: two of them leave two processors idle where both wait. What
/// `RUST_TEST_THREADS` says goes before. Once, in a program's `main.rs`.
///
/// The harness reads that variable in its own `main` and takes no word from the tests, so it is set before.
#[macro_export]
macro_rules! one_more_at_once {
    () => {
        $crate::ctor::declarative::ctor! {
            // SAFETY: it needs nothing of what the runtime sets up before `main`, and no other thread is there.
            #[ctor(unsafe)]
            fn one_more_at_once() {
                // SAFETY: as above.
                #[allow(unsafe_code, reason = "the environment is written before there are threads")]
                unsafe {
                    $crate::at_once::ask();
                }
            }
        }
    };
}

/// Asks the harness of this program for one test more at once than there are processors.
///
/// # Safety
/// No other thread is there: the environment is written.
#[expect(unsafe_code, reason = "the harness takes the number from the environment alone")]
pub unsafe fn ask() {
    if std::env::var_os(ASKED).is_some() {
        return;
    }
    let processors = available_parallelism().map_or(1, NonZero::get);
    // SAFETY: see above.
    unsafe { std::env::set_var(ASKED, (processors + 1).to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::one_more_at_once!();

    #[test]
    fn the_harness_was_told() {
        let told: usize = std::env::var(ASKED).unwrap().parse().unwrap();
        assert!(told > 0);
    }
}
