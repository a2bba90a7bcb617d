//! The bare loops that the initiator and the target are held against: the same PDUs over the same sockets, and nothing
//! but a count.

pub mod bare_host;
pub mod bare_pdus;
