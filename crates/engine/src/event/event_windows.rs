//! Events of Windows.

/// An event object (`CreateEvent`).
pub type EventHandle<'a> = std::os::windows::io::BorrowedHandle<'a>;
