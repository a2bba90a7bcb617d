//! Why a connection is of no use any more: a value, which is put into words only where it is over.

use std::fmt;
use std::io;

use fathom_fabric::Fatal;

use super::SILENCE_NS;

/// What ended a connection.
#[derive(Debug)]
pub enum Lost {
    /// The target closed it.
    Closed,
    /// The system failed.
    System(io::Error),
    /// A side broke a rule of the protocol.
    Broken(Fatal),
    /// The admin queue is gone, and the controller with it.
    Controller,
    /// Answers that are owed do not come.
    Silent,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the target closed the connection"),
            Self::System(error) => error.fmt(f),
            Self::Broken(fatal) => fatal.fmt(f),
            Self::Controller => f.write_str("its controller was lost"),
            Self::Silent => write!(f, "no answer for {} s", SILENCE_NS / 1_000_000_000),
        }
    }
}
