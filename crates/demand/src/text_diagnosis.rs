//! What a text is that holds no demand that can be read, so that a refusal says that.

use fathom_record::shell::shell_word;
use fathom_tools::result_import::{Head, known_result};
use fathom_tools::{Refusal, observers};

use crate::source::Text;

/// Bytes at the start of a text that say it.
const START_BYTES: usize = 32 * 1024;

const EXPECTED: &str = "a demand";

/// Why a text that is no table is none; absent where nothing is known of it.
pub fn refusal(text: &Text<'_>) -> Option<Refusal> {
    let start = &text.bytes[..text.bytes.len().min(START_BYTES)];
    if start.contains(&0) {
        let remedy = "give text, JSON, CSV or Parquet: docs/profile.md lists what is read";
        return Some(Refusal::new(EXPECTED, "it is binary").or(remedy));
    }
    let words = String::from_utf8_lossy(start);
    if observers::is_stranger(&words) {
        return Some(observers::stranger(start).taken_for(EXPECTED));
    }
    let file_name = text.name.rsplit('/').next().unwrap_or(text.name);
    if let Some(importer) = known_result(&Head { bytes: start, file_name }) {
        let cause = format!("a result and no demand: {}", importer.title);
        let remedy = format!("to read it: fathom import {}", shell_word(text.name));
        return Some(Refusal::new(EXPECTED, cause).or(remedy));
    }
    json(words.trim_start_matches('\u{feff}').trim_start())
}

/// What JSON of an unknown kind is.
fn json(start: &str) -> Option<Refusal> {
    const TABLE: &str =
        "write its series as CSV with the columns time,reads,writes,read_bytes,write_bytes, and give that";
    if !start.starts_with(['{', '[']) {
        return None;
    }
    let cause = "JSON of an unknown kind: known are answers of Prometheus, CloudWatch, Azure Monitor, Google Cloud Monitoring and Datadog, iostat -o JSON, sadf -j, and fathom's own profiles and run records";
    Some(Refusal::new(EXPECTED, cause).or(TABLE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use fathom_rows::Hints;

    fn refused(bytes: &[u8]) -> String {
        read(&[Text { name: "a", bytes }], &Hints::default()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_table_is_said_to_be_what_it_is() {
        let pidstat = b"Linux 5.4.0 (h) 08/15/2022 _x86_64_ (24 CPU)\n\n12:00:01 AM   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n12:00:02 AM     0         1      0.00      4.00      0.00       0  systemd\n";
        for (bytes, told) in [
            (b"\x01\0\0\0\x2a\0\0\0".as_slice(), "it is binary"),
            (pidstat, "pidstat"),
            (b"{\"fio version\": \"fio-3.33\", \"jobs\": []}", "fathom import a"),
            (b"{\"a\": 1}", "JSON of an unknown kind"),
            (b"\x1f\x8b\x08\0\x1b[2J", "gunzip --keep a"),
        ] {
            let refusal = refused(bytes);
            assert!(refusal.contains(told), "{refusal}");
            assert!(!refusal.contains(|c: char| c.is_control()), "{refusal:?}");
        }
    }
}
