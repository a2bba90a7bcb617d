//! Whether a record that is to be saved reads back.

use fathom_record::{ReadError, parse_run};

/// Whether [`parse_run`] reads a text. Lists of buckets are most of it: each number of theirs is looked at, and
/// none is kept. What does not read without them is read whole, which says why.
///
/// # Errors
/// As [`parse_run`].
pub(super) fn read_back(json: &[u8]) -> Result<(), ReadError> {
    parse_run(&without_buckets(json)).or_else(|_| parse_run(json)).map(drop)
}

/// A text without the numbers in its lists of buckets, as far as these are plain. No quote stands within a text of
/// JSON without a backslash before it, so that what is found here is a member's name.
fn without_buckets(json: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"\"buckets\":[";
    let mut out = Vec::with_capacity(json.len());
    let mut from = 0;
    for at in memchr::memmem::find_iter(json, NAME) {
        let list = at + NAME.len();
        let is_name = at.checked_sub(1).and_then(|before| json.get(before)) != Some(&b'\\');
        if let Some(length) = json.get(list..).and_then(plain_list).filter(|_| is_name) {
            out.extend_from_slice(&json[from..list]);
            from = list + length;
        }
    }
    out.extend_from_slice(&json[from..]);
    out
}

/// The length of a list of whole numbers up to its closing bracket, where each surely fits 64 bits and nothing else
/// is in it.
fn plain_list(bytes: &[u8]) -> Option<usize> {
    const FIT: usize = 19;
    let (mut start, mut at) = (0, 0);
    loop {
        let byte = *bytes.get(at)?;
        if byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let is_number = at - start == 1 || (2..=FIT).contains(&(at - start)) && bytes[start] != b'0';
        match byte {
            b',' if is_number => (start, at) = (at + 1, at + 1),
            b']' if is_number => return Some(at),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_looked_at_as_it_is_read() {
        let whole = include_str!("../../tests/golden/run-1.json");
        let compact = serde_json::from_str::<serde_json::Value>(whole).unwrap().to_string();
        let lists: Vec<usize> =
            compact.match_indices("\"buckets\":[").map(|(at, name)| at + name.len()).collect();
        assert!(!lists.is_empty() && without_buckets(compact.as_bytes()).len() < compact.len());
        let reads = |text: &str| {
            let read = parse_run(text.as_bytes()).map(drop).map_err(|error| error.to_string());
            let looked = read_back(text.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(looked, read, "{text}");
            read.is_ok()
        };
        assert!(reads(&compact) && reads(whole));
        for list in lists {
            let (before, behind) = compact.split_at(list);
            for (put, is_read) in [
                ("7,", true),
                ("0,18446744073709551615,", true),
                ("9999999999999999999,", true),
                ("00,", false),
                ("18446744073709551616,", false),
                ("99999999999999999999999,", false),
                ("-1,", false),
                ("1.5,", false),
                ("null,", false),
                ("[],", false),
                (",", false),
                ("],\"buckets\":[", false),
                ("1],\"min_ns\":[", false),
            ] {
                assert_eq!(reads(&format!("{before}{put}{behind}")), is_read, "{put}");
            }
            for end in [list, list + 1, list + 2] {
                assert!(!reads(&compact[..end]));
            }
        }
        for note in
            [r#"\"buckets\":[1,2]"#, r#"\"buckets":[1,2]"#, r#"buckets":[1,2],"x":""#, r#"\\"buckets":[1]"#]
        {
            reads(&compact.replacen("\"notes\":[", &format!("\"notes\":[\"{note}\","), 1));
            reads(&compact.replacen('{', &format!("{{\"{note}\":[3],"), 1));
        }
    }
}
