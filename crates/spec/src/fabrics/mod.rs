//! NVMe over fabrics on the wire: PDUs of the TCP transport, capsules, and what Connect, properties and discovery
//! carry. Layouts follow the NVMe/TCP Transport Specification 1.0 ("TCP") and the Base Specification 2.0 ("Base"),
//! cited by the names of their structures.

pub mod capsule;
pub mod connect;
pub mod discovery;
pub mod pdu;
pub mod property;

pub use capsule::{CompletionEntry, Descriptor, SubmissionEntry};
pub use connect::ConnectData;

/// Opcode that all Fabrics commands share; which one it is stands in [`SubmissionEntry::fabrics_type`].
pub const OPCODE: u8 = 0x7f;

/// Fabrics command types (Base, "Fabrics Command Type").
pub mod command_type {
    /// Writes a property of the controller.
    pub const PROPERTY_SET: u8 = 0x00;
    /// Makes a connection a queue of a controller.
    pub const CONNECT: u8 = 0x01;
    /// Reads a property of the controller.
    pub const PROPERTY_GET: u8 = 0x04;
    /// Ends an I/O queue.
    pub const DISCONNECT: u8 = 0x08;
}

/// Name of the discovery service that every target has.
pub const DISCOVERY_NAME: &str = "nqn.2014-08.org.nvmexpress.discovery";
/// Longest name of a host or subsystem, in bytes, without the zero behind it.
pub const NAME_BYTES: usize = 223;
/// Port of I/O queues where none is named.
pub const PORT: u16 = 4420;
