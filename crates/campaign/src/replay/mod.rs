//! Replays of traces: each I/O of a trace at its own time, read while the run goes on, and how like the
//! trace the run was.
//!
//! ```text
//!  trace ─► survey: how many, how far, how large ─► workload ─► session
//!        └► feed: a thread that reads ahead ─► fit: into the target ─► scripts ─► jobs
//!  record + survey ─► similarity
//! ```

mod feed;
mod similarity;
mod survey;
mod trace_fit;

use std::fs::File;
use std::io::BufReader;

use fathom_record::workload::TraceSource;
use fathom_rows::trace_demand::{TraceSelection, TraceStream, name_them};
use fathom_tools::{Refusal, RefusalAbout};

pub(crate) use feed::TraceFeed;
pub use survey::{Tick, TraceSurvey};

/// Bytes that are read from a trace at once.
const READ_BYTES: usize = 1 << 18;

/// A trace's I/Os from its start.
fn stream(traced: &TraceSource) -> Result<TraceStream<BufReader<File>>, Refusal> {
    let open = || File::open(&traced.file).map(|file| BufReader::with_capacity(READ_BYTES, file));
    let which = TraceSelection { host: None, device: traced.device.as_deref(), columns: &traced.columns };
    TraceStream::open(open, which).map_err(|refusal| placed(refusal, traced))
}

/// The refusal with the file before its place, and the flags of a replay.
fn placed(mut refusal: Refusal, traced: &TraceSource) -> Refusal {
    let parts = [traced.file.as_str(), &refusal.place];
    refusal.place = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    match refusal.kind.about {
        RefusalAbout::WhichDevice => refusal.remedy += ": --replay-device NAME",
        RefusalAbout::WhichColumns => refusal.remedy = name_them("--replay-columns"),
        RefusalAbout::TooMany | RefusalAbout::Other => {}
    }
    refusal
}
