//! Events of Linux.

/// An event descriptor (`eventfd`).
pub type EventHandle<'a> = std::os::fd::BorrowedFd<'a>;
