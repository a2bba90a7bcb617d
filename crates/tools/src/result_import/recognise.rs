//! Which importer a file is for, from its first bytes.

use super::{Confidence, Head, IMPORTERS, Importer, UTF_8_MARK, narrow, packed};
use crate::Fault;

/// Bytes that importers are shown: job scripts print pages of banners before the result.
pub const HEAD_BYTES: usize = 256 << 10;

/// The importer with this name.
pub fn by_name(name: &str) -> Option<&'static Importer> {
    IMPORTERS.iter().find(|importer| importer.name == name)
}

/// What the start of a text that is no result is known for elsewhere, as `a block trace`.
pub type DemandProbe = fn(&[u8]) -> Option<&'static str>;

/// The importer that is most sure of a file, in UTF-8 or by its byte order mark in UTF-16. Of what no importer
/// knows, `demand_of` says whether it is a demand.
///
/// # Errors
/// When none is sure at all, or several are equally so. Its place is the file, which whoever opened it knows.
pub fn recognise(head: &Head<'_>, demand_of: DemandProbe) -> Result<&'static Importer, Fault> {
    if let Some(packed) = packed(head.bytes, head.file_name) {
        return Err(packed);
    }
    let bytes = narrow(head.bytes);
    let bytes = bytes.strip_prefix(UTF_8_MARK).unwrap_or(&bytes);
    let head = &Head { bytes, file_name: head.file_name };
    if head.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fault::from("the file is empty"));
    }
    let sure = || {
        IMPORTERS
            .iter()
            .map(|importer| ((importer.sniff)(head), importer))
            .filter(|(c, _)| *c > Confidence::No)
    };
    let Some(most) = sure().map(|(confidence, _)| confidence).max() else {
        let unknown = || Fault::from(format!("no known format: it begins with {}", beginning(head.bytes)));
        let demand =
            |what: &str| Fault::new(format!("{what}, which is not a result"), "fathom profile reads it");
        return Err(demand_of(head.bytes).map_or_else(unknown, demand));
    };
    let best: Vec<&'static Importer> = sure().filter(|(c, _)| *c == most).map(|(_, i)| i).collect();
    match best.as_slice() {
        [only] => Ok(only),
        several => {
            let names: Vec<&str> = several.iter().map(|importer| importer.name).collect();
            Err(Fault::new(format!("it may be any of {}", names.join(", ")), "say which with --as"))
        }
    }
}

/// The importer of a file in UTF-8 that its content is enough for, and not only its shape.
pub fn known_result(head: &Head<'_>) -> Option<&'static Importer> {
    IMPORTERS.iter().find(|importer| (importer.sniff)(head) >= Confidence::Likely)
}

/// The first words of a file, for people.
fn beginning(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    if bytes.iter().take(512).any(|byte| *byte == 0) {
        return "bytes that are not text".to_owned();
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let shown: String = line.chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    format!("\"{shown}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stands for the readers of demand: it knows lists with commas.
    fn demand_of(start: &[u8]) -> Option<&'static str> {
        start.contains(&b',').then_some("a block trace")
    }

    fn of(bytes: &[u8]) -> Result<&'static str, Fault> {
        recognise(&Head { bytes, file_name: "x" }, demand_of).map(|importer| importer.name)
    }

    #[test]
    fn a_file_that_nobody_knows_is_shown_by_its_beginning() {
        assert_eq!(of(b" \n\t"), Err(Fault::from("the file is empty")));
        let unknown = of(b"\n  Dear diary:\ntoday").unwrap_err();
        assert_eq!(unknown.to_string(), "no known format: it begins with \"Dear diary:\"");
        let binary = of(b"\x7fELF\0\0").unwrap_err();
        assert_eq!(binary.to_string(), "no known format: it begins with bytes that are not text");
    }

    #[test]
    fn what_another_command_reads_or_unpacks_is_said() {
        let trace = of(b"128166372003061629,hm,1,Read,383496192,32768,413736\n").unwrap_err();
        assert_eq!(trace.in_one_line(), "a block trace, which is not a result; fathom profile reads it");
        assert!(of(b"\x1f\x8b\x08\0\0").unwrap_err().in_one_line().ends_with("gunzip --keep x"));
        let pidstat = "Linux 5.4.0 (h) 08/15/2022 _x86_64_ (24 CPU)\n\n12:00:01 AM   UID       PID   kB_rd/s  Command\n";
        assert_eq!(of(pidstat.as_bytes()), Ok("not-telemetry"));
    }

    #[test]
    fn names_are_unique_and_can_be_typed() {
        for (at, importer) in IMPORTERS.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(importer.name.chars().all(plain), "{}", importer.name);
            assert!(IMPORTERS[..at].iter().all(|other| other.name != importer.name), "{}", importer.name);
            assert_eq!(by_name(importer.name).map(|found| found.title), Some(importer.title));
        }
    }
}
