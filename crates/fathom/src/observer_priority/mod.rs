//! Who looks on goes behind what is measured: by a lower priority for the processor.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use elsewhere::go_behind;
#[cfg(unix)]
pub use unix::go_behind;
