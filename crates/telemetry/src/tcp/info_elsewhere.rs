//! A system that tells nothing of its connections here.

use std::net::TcpStream;

use crate::{TelemetryError, TelemetryErrorKind};

/// What the kernel says of a connection.
///
/// # Errors
/// Always.
pub fn read(_: &TcpStream) -> Result<Vec<u8>, TelemetryError> {
    let cause = "this system reports nothing of connections here";
    Err(TelemetryError::new(TelemetryErrorKind::Unsupported, "asking for a connection's state", cause))
}
