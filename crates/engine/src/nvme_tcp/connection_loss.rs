//! Why a connection is of no use any more: a value, which is put into words only where it is over.

use std::fmt;
use std::io;

use fathom_fabric::FatalError;

use super::SILENCE_NS;

/// What ended a connection.
#[derive(Debug)]
pub enum ConnectionLoss {
    /// The target closed it.
    Closed,
    /// The system failed.
    System(io::Error),
    /// A side broke a rule of the protocol.
    Broken(FatalError),
    /// The admin queue is gone, and the controller with it.
    Controller,
    /// Answers that are owed do not come.
    Silent,
}

impl fmt::Display for ConnectionLoss {
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
