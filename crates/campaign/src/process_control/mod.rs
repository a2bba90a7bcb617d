//! What differs between operating systems: processes that are started, and files that they inherit.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use elsewhere::*;
#[cfg(unix)]
pub(crate) use unix::*;

/// What a process that was started is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildSignal {
    /// To stop, as by Ctrl-C.
    Interrupt,
    /// To end.
    End,
    /// Nothing: it is ended.
    Kill,
}
