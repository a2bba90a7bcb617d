//! Results of other tools as run records: what an importer is, and the list of all of them.
//!
//! One importer reads one format of one tool, from whatever version wrote it. To add one: write it in the
//! tool's folder as a constant of type [`Importer`], and name it in [`IMPORTERS`]. An importer starts from
//! [`blank`] and fills in what the text tells; what it does not tell stays absent, with the reason in the
//! origin. It never fills a number in.

mod attach;
mod blank_record;
mod bounded_text;
mod encoding;
mod file;
mod recognise;
mod registry;

pub use attach::{Attachment, attach};
pub use blank_record::{alone, blank, blank_target, blank_workload};
pub use bounded_text::{LARGEST_WHOLE_BYTES, lossy, text, whole};
pub(crate) use bounded_text::{too_large, unreadable};
pub use encoding::{UTF_8_MARK, is_wide, narrow, packed};
pub use file::{FileOutcome, KnownFiles, name, read_file};
pub use recognise::{DemandProbe, HEAD_BYTES, by_name, known_result, recognise};
pub use registry::IMPORTERS;

use std::fmt;
use std::io::BufRead;

use fathom_record::environment_facts::Environment;
use fathom_record::run_record::Tool;
use fathom_record::telemetry::Telemetry;
use fathom_record::{RecordOrigin, RunRecord};

use crate::Refusal;

/// One format of one tool.
#[derive(Clone, Copy)]
pub struct Importer {
    /// Its name, the way `--as` takes it and records keep it: `fio-json`.
    pub name: &'static str,
    /// What it is, in a few words: `fio JSON or JSON+ output`.
    pub title: &'static str,
    /// How sure the first bytes of a file make it that the file is of this format. No panic, no allocation in
    /// proportion to the bytes, and quick: every file is shown to every importer.
    pub sniff: fn(&Head<'_>) -> Confidence,
    /// Reads a whole file of UTF-8.
    pub(crate) read: ReadFunction,
}

impl Importer {
    /// Reads a whole file, whether in UTF-8 or, by its byte order mark, in UTF-16.
    ///
    /// # Errors
    /// When nothing of it can be trusted, or it is packed.
    pub fn read(&self, mut input: &mut dyn BufRead, context: &Context) -> Result<Vec<ImportedItem>, Refusal> {
        let start = input.fill_buf().map_err(|error| unreadable(self.title, error))?;
        if let Some(packed) = packed(start, &context.file_name) {
            return Err(packed.of(self.title));
        }
        if !is_wide(start) {
            return (self.read)(input, context);
        }
        let mut found = (self.read)(&mut encoding::Utf8Reader::new(&mut input), context)?;
        for origin in found.iter_mut().filter_map(ImportedItem::origin_mut) {
            origin.quirk("utf16_text", "the text is in UTF-16, as PowerShell writes");
        }
        Ok(found)
    }
}

/// How a file is read: one result for each run and each stretch of telemetry in it, in the file's order.
///
/// # Errors
/// When nothing of it can be trusted. A file that is cut off in the middle gives what is whole, with a quirk.
pub type ReadFunction = fn(&mut dyn BufRead, &Context) -> Result<Vec<ImportedItem>, Refusal>;

impl fmt::Debug for Importer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Importer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a file shows before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Its first bytes, [`HEAD_BYTES`] at most.
    pub bytes: &'a [u8],
    /// Its name without folders; a hint where formats look alike, as fio's logs do.
    pub file_name: &'a str,
}

impl Head<'_> {
    /// Whether these bytes occur.
    pub fn contains(&self, needle: &str) -> bool {
        let needle = needle.as_bytes();
        !needle.is_empty() && self.bytes.windows(needle.len()).any(|window| window == needle)
    }

    /// The first lines, as far as they are UTF-8, without the ends of the lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let text = match std::str::from_utf8(self.bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        text.trim_start_matches('\u{feff}').lines()
    }
}

/// How sure an importer is of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It is something else.
    No,
    /// It has the shape, as many things have.
    Possible,
    /// It has the shape, and words of the tool.
    Likely,
    /// It names the tool and the format.
    Certain,
}

/// What is known of a file apart from its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Its name without folders.
    pub file_name: String,
    /// When it was last changed, RFC 3339, UTC: stands in for a start that the text does not tell.
    pub changed_at: String,
}

/// One thing that was found in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportedItem {
    /// A result, or a record of fathom's own, which has no origin.
    Run(Box<RunRecord>),
    /// What a machine did, without a workload.
    Telemetry(Box<ForeignTelemetry>),
}

impl ImportedItem {
    /// How it was read; absent for a record of fathom's own.
    pub fn origin_mut(&mut self) -> Option<&mut RecordOrigin> {
        match self {
            Self::Run(run) => run.origin.as_mut(),
            Self::Telemetry(found) => Some(&mut found.origin),
        }
    }
}

/// What a machine did, as another tool saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignTelemetry {
    /// Which tool.
    pub tool: Tool,
    /// Calendar time of `telemetry.at_ns` = 0, RFC 3339, UTC, where the text tells it.
    pub started_at: Option<String>,
    /// The series; times count from the start of the first sample's interval.
    pub telemetry: Telemetry,
    /// What the text tells of the machine; unknown fields are empty or 0.
    pub environment: Environment,
    /// How it was read.
    pub origin: RecordOrigin,
}
