//! Whether a file that is there was written by fathom: told by how the whole of it is built, never by a
//! word in it, so that notes about a run, another tool's result or a picture are nobody's to replace.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use fathom_tools::fio::result_forms::{DEVICES, DIFFERENCES};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The last line of a page, a text or a picture, by which it is known again.
pub const MARK: &str = "<!-- made by fathom -->";

/// How pages, pictures and texts begin.
const BEGINNINGS: [&str; 3] = ["<!doctype html>", "<svg ", "# "];

/// Bytes of a page's start and of its end that are looked at.
const ENDS_BYTES: u64 = 256;

/// Results in fio's forms beyond this are not read: they are replaced only when that is asked for.
const MOST_BYTES: u64 = 64 << 20;

/// Whether it is a JSON document of fathom's: valid to its end, with `format` as its first member behind the
/// result of a record and the kind of a campaign, where they are; or a list of such documents.
///
/// # Errors
/// When it cannot be read.
pub fn is_document(file: &File) -> io::Result<bool> {
    let mut reading = serde_json::Deserializer::from_reader(BufReader::new(file));
    match Document::deserialize(&mut reading).and_then(|_| reading.end()) {
        Ok(()) => Ok(true),
        Err(error) if error.is_io() => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Whether it is a page, a picture or a text as reports are: it begins as one, and ends in the mark.
///
/// # Errors
/// When it cannot be read.
pub fn is_marked(mut file: &File) -> io::Result<bool> {
    let (mut start, mut end) = (Vec::new(), Vec::new());
    file.take(ENDS_BYTES).read_to_end(&mut start)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(ENDS_BYTES)))?;
    file.take(ENDS_BYTES).read_to_end(&mut end)?;
    let (start, end) = (String::from_utf8_lossy(&start), String::from_utf8_lossy(&end));
    Ok(BEGINNINGS.iter().any(|beginning| start.starts_with(beginning)) && end.trim_end().ends_with(MARK))
}

/// Whether it is a result in fio's forms that fathom printed: its terse lines, its JSON, its text, or one behind the
/// other.
///
/// # Errors
/// When it cannot be read.
pub fn is_fio_result(file: &File) -> io::Result<bool> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(false) };
    if bytes.len() as u64 > MOST_BYTES {
        return Ok(false);
    }
    Ok(are_fio_results(text))
}

/// Whether it is a result, or several one behind the other, as a command prints them while its jobs run.
fn are_fio_results(all: &str) -> bool {
    let (mut rest, mut titled) = (all, false);
    loop {
        rest = behind_terse(rest).trim_start_matches('\n');
        if rest.is_empty() {
            return !all.is_empty();
        }
        if rest.starts_with('{') {
            let mut documents = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            match documents.next() {
                Some(Ok(document)) if is_fio_json(&document) => rest = &rest[documents.byte_offset()..],
                _ => return false,
            }
            continue;
        }
        let (text, behind) = rest.split_at(end_of_text(rest));
        // Titles stand before the first alone.
        if !is_fio_text(text, !titled) {
            return false;
        }
        (rest, titled) = (behind, true);
    }
}

/// Where a text ends: at a line of another form, or where nothing follows.
fn end_of_text(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let is_terse = line.as_bytes().get(1) == Some(&b';');
        if end > 0 && (line.starts_with('{') || is_terse) {
            break;
        }
        end += line.len();
    }
    end
}

/// What comes behind the terse lines that a result begins with. Those of version 2 do not say whose they are.
fn behind_terse(mut text: &str) -> &str {
    while let Some((line, rest)) = text.split_once('\n') {
        let mut fields = line.split(';');
        let is_version = fields.next().is_some_and(|field| matches!(field, "3" | "4" | "5"));
        let program = fields.next().and_then(|field| field.strip_prefix("fio-")?.split_once('-'));
        if !is_version || !program.is_some_and(|(_, own)| is_own_version(own)) || fields.count() < 80 {
            break;
        }
        text = rest;
    }
    text
}

fn is_fio_json(document: &Value) -> bool {
    const MEMBERS: [&str; 6] = ["disk_util", "fio version", "jobs", "time", "timestamp", "timestamp_ms"];
    let Some(members) = document.as_object() else { return false };
    // What differs from fio stands under a name of its own.
    let mut names: Vec<&str> = members.keys().map(String::as_str).filter(|name| *name != "fathom").collect();
    names.sort_unstable();
    let is_ours = |version: &Value| version.as_str().is_some_and(is_own_version);
    let has_ours = |job: &Value| job["jobname"].is_string() && job["fathom"].is_object();
    names == MEMBERS
        && is_ours(&document["fio version"])
        && document["jobs"].as_array().is_some_and(|jobs| jobs.iter().all(has_ours))
}

/// fio's text: where it is `titled`, a title for each job and the version; then every line as such a text has them.
fn is_fio_text(text: &str, titled: bool) -> bool {
    let mut lines = text.lines();
    let is_title = |line: &str| line == "..." || line.contains(": (g=") && line.contains(", iodepth=");
    if titled {
        let mut titles = lines.by_ref().take_while(|line| !is_own_version(line)).peekable();
        if titles.peek().is_none() || !titles.all(is_title) {
            return false;
        }
    }
    let is_own_line = |line: &str| {
        line.is_empty()
            || line.starts_with("  ")
            || line == DIFFERENCES
            || line == DEVICES
            || line.contains(": (groupid=") && line.contains(": err=")
            || line.starts_with("Run status group ") && line.ends_with("(all jobs):")
    };
    let rest: Vec<&str> = lines.collect();
    rest.iter().any(|line| line.starts_with("Run status group ")) && rest.into_iter().all(is_own_line)
}

/// `fathom-1.2.3`, and nothing else.
fn is_own_version(text: &str) -> bool {
    let version = text.strip_prefix("fathom-");
    version.is_some_and(|version| {
        version.split('.').count() == 3
            && version.split('.').all(|part| part.bytes().next().is_some_and(|b| b.is_ascii_digit()))
            && version.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+".contains(&b))
    })
}

/// Something that reads to its end as a document of fathom's.
struct Document;

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Document {
    type Value = Self;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a document of fathom's")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut name = members.next_key::<String>()?;
        if name.as_deref() == Some("result") {
            members.next_value::<IgnoredAny>()?;
            name = members.next_key()?;
        }
        if name.as_deref() == Some("kind") {
            members.next_value::<String>()?;
            name = members.next_key()?;
        }
        if name.as_deref() != Some("format") || !members.next_value::<String>()?.starts_with("fathom.") {
            return Err(A::Error::custom("its first member is another"));
        }
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        let mut last = None;
        while let Some(item) = items.next_element::<Self>()? {
            last = Some(item);
        }
        last.ok_or_else(|| A::Error::custom("there is no document in it"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn holds(judge: fn(&File) -> io::Result<bool>, text: &str) -> bool {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        judge(&file).unwrap()
    }

    #[test]
    fn a_document_is_known_by_its_first_member_and_by_being_whole() {
        for (text, own) in [
            (r#"{"format": "fathom.run", "version": 6}"#, true),
            (r#"{ "kind": "sweep", "format": "fathom.campaign"}"#, true),
            (r#"[{"format": "fathom.run"}, {"format": "fathom.run"}]"#, true),
            (r#"{"result": {"valid": true}, "kind": "sweep", "format": "fathom.campaign"}"#, true),
            (r#"{"result": {"valid": true}, "mine": 1}"#, false),
            (r#"{"format": "fathom.run", "version": 6} and what I think of it"#, false),
            (r#"{"format": "fathom.run", "#, false),
            (r#"{"mine": 1, "format": "fathom.run"}"#, false),
            (r#"{"format": "other", "of": "\"format\": \"fathom.run\""}"#, false),
            (r#"{"format": 7}"#, false),
            (r#"["format", "fathom.run"]"#, false),
            ("[]", false),
            ("fathom.run", false),
            ("\u{1}\u{2}", false),
        ] {
            assert_eq!(holds(is_document, text), own, "{text}");
        }
    }

    #[test]
    fn a_page_is_known_by_its_two_ends() {
        for (text, own) in [
            (format!("# Run\n\ntext\n{MARK}\n"), true),
            (format!("<!doctype html>\n<p>{MARK}\n"), true),
            (format!("<svg class=\"chart\"></svg>{MARK}"), true),
            (format!("# Run\n{MARK}\nmy own words\n"), false),
            (format!("my notes on the line {MARK}"), false),
            ("<!doctype html>\n".to_owned(), false),
        ] {
            assert_eq!(holds(is_marked, &text), own, "{text}");
        }
    }

    #[test]
    fn a_result_in_fios_text_is_known_by_all_of_its_lines() {
        let text = "a: (g=0): rw=read, bs=4k, ioengine=null, iodepth=1\n...\nfathom-0.1.0\n\n\
                    a: (groupid=0, jobs=2): err= 0: pid=7: Sun\n  read: IOPS=1\n\n\
                    Run status group 0 (all jobs):\n   READ: bw=1\n";
        assert!(holds(is_fio_result, text));
        for other in [
            text.replace("fathom-0.1.0", "fio-3.33"),
            text.replace("fathom-0.1.0", "fathom-0.1.0 was quick"),
            format!("{text}Ask Ann about the tail.\n"),
            format!("What I saw:\n{text}"),
            "my notes\nfathom-0.1.0\n".to_owned(),
            "fathom-0.1.0\n".to_owned(),
        ] {
            assert!(!holds(is_fio_result, &other), "{other}");
        }
    }

    #[test]
    fn reports_of_running_jobs_are_results_one_behind_the_other() {
        let head = "a: (g=0): rw=read, bs=4k, ioengine=null, iodepth=1\nfathom-0.1.0\n";
        let report = "\na: (groupid=0, jobs=1): err= 0: pid=7: Sun\n  read: IOPS=1\n\n\
                      Run status group 0 (all jobs):\n   READ: bw=1\n";
        let line = format!("3;fio-3.42-fathom-0.1.0;a;0;0{}\n", ";0".repeat(120));
        let json = r#"{"fio version": "fathom-0.1.0", "timestamp": 1, "timestamp_ms": 1, "time": "x",
                       "jobs": [{"jobname": "a", "fathom": {}}], "disk_util": []}"#;
        let all = format!("{line}{json}\n{head}{report}{line}{json}\n{report}");
        for own in [format!("{head}{report}{report}"), format!("{json}\n{json}\n"), all.clone()] {
            assert!(holds(is_fio_result, &own), "{own}");
        }
        for other in [
            report.to_owned(),
            format!("{json}\nmine\n{json}"),
            format!("{all}mine\n"),
            all.replace("READ", "\nMINE"),
        ] {
            assert!(!holds(is_fio_result, &other), "{other}");
        }
    }

    #[test]
    fn terse_lines_are_known_by_their_second_field() {
        let line = format!("3;fio-3.42-fathom-0.1.0;a;0;0{}\n", ";0".repeat(120));
        assert!(holds(is_fio_result, &line));
        assert!(holds(is_fio_result, &line.repeat(3)));
        for other in [
            line.replace("fio-3.42-fathom-0.1.0", "fio-3.33"),
            format!("{line}mine\n"),
            "3;fio-3.42-fathom-0.1.0;my notes\n".to_owned(),
            String::new(),
        ] {
            assert!(!holds(is_fio_result, &other), "{other}");
        }
    }

    #[test]
    fn a_result_in_fios_json_is_known_by_its_members() {
        let text = r#"{"fio version": "fathom-0.1.0", "timestamp": 1, "timestamp_ms": 1, "time": "x",
                       "jobs": [{"jobname": "a", "fathom": {}}], "disk_util": []}"#;
        assert!(holds(is_fio_result, text));
        for other in [
            text.replace("fathom-0.1.0", "fio-3.33"),
            text.replace("\"fathom\": {}", "\"mine\": {}"),
            text.replace("\"time\": \"x\",", "\"time\": \"x\", \"mine\": 1,"),
            format!("{text}\nwhat I think of it"),
        ] {
            assert!(!holds(is_fio_result, &other), "{other}");
        }
    }
}
