//! fio's output for people, and its terse lines: known as what they are, and refused with what to ask fio for.
//!
//! Text rounds rates and totals to three or four digits and mixes units within a line, so that nothing read from
//! it could be held against a total.

use std::io::BufRead;

use crate::Refusal;
use crate::import::{Confidence, Head, Importer};

/// Refuses normal and terse output with the reason.
pub const IMPORTER: Importer = Importer {
    name: "fio-text",
    title: "fio's text for people and its terse lines, refused with what to ask fio for",
    sniff,
    read: |input, _| Err(refusal(input)),
};

fn sniff(head: &Head<'_>) -> Confidence {
    if head.lines().take(64).any(is_terse) {
        return Confidence::Likely;
    }
    let has_rates = [" IOPS=", " iops=", ", iops ="].iter().any(|word| head.contains(word));
    let has_latencies =
        ["lat (usec)", "lat (msec)", "lat (nsec)", "clat percentiles"].iter().any(|word| head.contains(word));
    // A result in JSON behind it is what is read.
    let is_json = head.contains("\"fio version\"");
    if has_rates && has_latencies && !is_json { Confidence::Likely } else { Confidence::No }
}

/// `3;fio-3.33;name;...`
fn is_terse(line: &str) -> bool {
    let mut fields = line.split(';');
    let version = fields.next().is_some_and(|field| matches!(field.trim(), "2" | "3" | "4" | "5"));
    version && fields.next().is_some_and(|field| field.starts_with("fio-")) && fields.count() > 40
}

fn refusal(input: &mut dyn BufRead) -> Refusal {
    let start = input.fill_buf().map(<[u8]>::to_vec).unwrap_or_default();
    let is_terse = String::from_utf8_lossy(&start).lines().any(is_terse);
    let cause = match is_terse {
        true => "terse output, which has no names, no counts and no options",
        false => "output for people, which rounds rates and totals to a few digits",
    };
    Refusal::new("fio result", cause).or("let fio write --output-format=json+ (or normal,json+)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure(text: &str) -> Confidence {
        sniff(&Head { bytes: text.as_bytes(), file_name: "x" })
    }

    #[test]
    fn what_people_read_is_known_and_refused() {
        let normal = "fio-3.7\n  read: IOPS=12.3k, BW=48.0MiB/s\n    lat (usec)   : 250=12.3%\n";
        assert_eq!(sure(normal), Confidence::Likely);
        assert_eq!(sure("the article said IOPS=5 and no more\n"), Confidence::No);
        let terse = format!("3;fio-3.33;t3;0;0;{}\n", "0;".repeat(60));
        assert_eq!(sure(&terse), Confidence::Likely);
        assert!(refusal(&mut terse.as_bytes()).cause.starts_with("terse"));
        assert!(refusal(&mut normal.as_bytes()).remedy.contains("json+"));
    }
}
