//! The record that a page is of, in the page: whoever is sent the page has the numbers too, as `fathom import` reads
//! them.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::ReportError;

/// Records that are larger than this when packed, as those of hours in seconds, are left out: a page is to be sent.
const MOST_BYTES: usize = 256 << 10;

/// The page with its record, packed; `name` is what a saved file is called.
///
/// # Errors
/// When the record cannot be written as JSON.
pub fn with_record(page: String, record: &impl Serialize, name: &str) -> Result<String, ReportError> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    serde_json::to_writer(&mut packed, record)?;
    let written = packed.write_all(b"\n").and_then(|()| packed.finish());
    let text = STANDARD.encode(written.map_err(serde_json::Error::io)?);
    let Some(place) = page.rfind("</main>").filter(|_| text.len() <= MOST_BYTES) else { return Ok(page) };
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let (before, after) = page.split_at(place);
    Ok(format!(
        "{before}<script type=\"application/gzip\" id=\"record\" data-name=\"fathom-{name}.json\">{text}</script>\n{after}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_to_be_sent_is_left_out() {
        let page = || "<main></main>".to_owned();
        let drawn = |count: u64| -> Vec<u64> {
            (0..count).map(|at| (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)).collect()
        };
        let small = with_record(page(), &drawn(10), "a\"b").unwrap();
        assert!(small.contains("data-name=\"fathom-ab.json\"") && small.ends_with("</main>"), "{small}");
        assert_eq!(with_record(page(), &drawn(50_000), "a").unwrap(), page());
    }
}
