//! The record that a page is of, in the page: whoever is sent the page has the numbers too, as `fathom import` reads
//! them.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use fathom_record::shell_word;

use crate::{ReportError, error};

/// Records that are larger than this when packed, as those of hours in seconds, are left out: a page is to be sent.
const MOST_BYTES: usize = 256 << 10;

/// How the record of a page is had where the page has no room for it.
pub enum RecordSource<'a> {
    /// It is saved under this id.
    Saved(&'a str),
    /// The command that made the page writes it.
    ByItsCommand,
}

/// The page with its record, packed; `name` is what a saved file is called. A record without room is named there with
/// the command that writes it.
///
/// # Errors
/// When the record cannot be written as JSON.
pub fn with_record(
    page: String,
    record: &impl Serialize,
    name: &str,
    elsewhere: &RecordSource<'_>,
) -> Result<String, ReportError> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    // As text first: a writer of its own would be each kind of record written in one more way, 0.2 MB of the program.
    let written = packed.write_all(fathom_json::text(record).map_err(error::unwritten)?.as_bytes());
    let written = written.and_then(|()| packed.write_all(b"\n")).and_then(|()| packed.finish());
    let text = STANDARD.encode(written.map_err(|error| error::unwritten(serde_json::Error::io(error)))?);
    let Some(place) = page.rfind("</main>") else { return Ok(page) };
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let (before, after) = page.split_at(place);
    if text.len() > MOST_BYTES {
        return Ok(format!("{before}{}{after}", left_out(text.len(), &name, elsewhere)));
    }
    Ok(format!(
        "{before}<script type=\"application/gzip\" id=\"record\" data-name=\"fathom-{name}.json\">{text}</script>\n{after}"
    ))
}

/// What stands in the record's place.
fn left_out(packed_bytes: usize, name: &str, elsewhere: &RecordSource<'_>) -> String {
    let size = format!(
        "The record has {} KiB when packed, which is more than a page carries ({} KiB).",
        packed_bytes.div_ceil(1024),
        MOST_BYTES >> 10
    );
    let words = match elsewhere {
        // An id is letters, digits and signs that neither a shell nor a page obeys; as is a name that was filtered.
        RecordSource::Saved(id) => format!(
            "This writes it as JSON:</p>\n<pre>fathom show {} --json &gt; fathom-{name}.json</pre>",
            shell_word(id).replace('&', "&amp;").replace('<', "&lt;")
        ),
        RecordSource::ByItsCommand => {
            format!("The command that made this page writes it with <code>--json={name}.json</code>.</p>")
        }
    };
    format!("<section><h2>All data</h2>\n<p class=\"quiet prose\">{size} {words}\n</section>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_to_be_sent_is_left_out_and_said_to_be() {
        let page = || "<main></main>".to_owned();
        let drawn = |count: u64| -> Vec<u64> {
            (0..count).map(|at| (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)).collect()
        };
        let small = with_record(page(), &drawn(10), "a\"b", &RecordSource::ByItsCommand).unwrap();
        assert!(small.contains("data-name=\"fathom-ab.json\"") && small.ends_with("</main>"), "{small}");
        let large = with_record(page(), &drawn(50_000), "r-1", &RecordSource::Saved("r-1")).unwrap();
        assert!(
            large.len() < 1000 && large.contains("fathom show r-1 --json &gt; fathom-r-1.json</pre>"),
            "{large}"
        );
        assert!(!large.contains("<script") && large.ends_with("</main>"), "{large}");
        let profile = with_record(page(), &drawn(50_000), "profile", &RecordSource::ByItsCommand).unwrap();
        assert!(profile.contains("<code>--json=profile.json</code>"), "{profile}");
    }
}
