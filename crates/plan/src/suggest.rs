//! Advice for an unknown name: what other tools call the same thing, or the names near it.

use fathom_record::spelling::nearest;

/// What fio and diskspd users type, and what it is here: key, then what to write.
const FOREIGN: [(&str, &str); 26] = [
    ("block-size", "`bs`"),
    ("blocksize", "`bs`"),
    ("bsrange", "`bs`, e.g. 4k-64k"),
    ("bssplit", "`bs`, e.g. 4k:70%,64k:30%"),
    ("duration", "`time`"),
    ("direct", "`buffered`: I/O is direct unless that is set"),
    ("filename", "`target`"),
    ("filesize", "`size`"),
    ("fsync", "`flush-every`"),
    ("io_size", "`bytes`"),
    ("iodepth", "`depth`"),
    ("ioengine", "`engine`"),
    ("norandommap", "`addresses`, as independent"),
    ("number_ios", "`count`"),
    ("numjobs", "`jobs`"),
    ("qd", "`depth`"),
    ("queue-depth", "`depth`"),
    ("queuedepth", "`depth`"),
    ("ramp_time", "`warmup`"),
    ("random_distribution", "`addresses`, e.g. zipf:0.99"),
    ("randseed", "`seed`"),
    ("rate_iops", "`rate`"),
    ("readwrite", "`rw`"),
    ("runtime", "`time`"),
    ("rwmixread", "`read-share`, e.g. 70%"),
    ("threads", "`jobs`"),
];

/// What a name of another tool is here.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.replace('_', "-").to_ascii_lowercase();
    let wanted = plain(name);
    FOREIGN.iter().find(|(foreign, _)| plain(foreign) == wanted).map(|(_, here)| *here)
}

/// The key that stands here for a name of another tool.
pub fn foreign_key(name: &str) -> Option<&'static str> {
    foreign(name)?.split('`').nth(1)
}

/// Advice for an unknown name, as the end of a sentence.
pub(super) fn advice<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if let Some(here) = foreign(name) {
        return format!("here it is {here}");
    }
    match nearest(name, known).as_slice() {
        [] => "`fathom run --help` lists what there is".to_owned(),
        [only] => format!("did you mean `{only}`?"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("did you mean {} or `{last}`?", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["depth", "bs", "read-bs", "read-share", "trim-share", "time"];

    #[test]
    fn names_of_other_tools_are_translated() {
        assert_eq!(advice("iodepth", KNOWN), "here it is `depth`");
        assert_eq!(foreign_key("block-size"), Some("bs"));
        assert_eq!(foreign_key("duration"), Some("time"));
        assert_eq!(advice("ramp-time", KNOWN), "here it is `warmup`");
        assert_eq!(advice("dept", KNOWN), "did you mean `depth`?");
        assert_eq!(advice("colour", KNOWN), "`fathom run --help` lists what there is");
    }
}
