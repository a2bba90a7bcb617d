//! Serves saved runs as a page: lists, one run down to its seconds, and trends over weeks.
//!
//! ```text
//! browser ── request ──► guard ──► router ──► answer(shelf, request) ──► JSON or binary columns
//!                       Host, cookie,         a pure function of what
//!                       origin, headers       the stores hold
//! ```
//!
//! What runs on this machine is told as it goes, from the rings of live seconds ([`fathom_campaign::live_seconds`]).
//!
//! One thread serves all connections; stores are read on one more. Stores are opened for reading, and for writing only
//! while somebody who may edit changes what people say. They are numbered at the start: no path of a request reaches the
//! file system. What is not measured is absent in an answer, never 0.

mod answer;
mod assets;
mod deadline;
mod edit;
mod fleet_table;
mod live_feed;
mod page_server;
mod redact;
mod request_guard;
mod router;
mod shared_page;
mod shelf;
mod timeout_stream;
mod token;

pub use assets::has_assets;
pub use edit::Editor;
pub use page_server::{PageError, PageErrorKind, PagePlan, PageServer};
pub use redact::{PrivatePart, redacted};
pub use shared_page::{SharedPage, share};
pub use shelf::Shelf;
pub use token::Token;
