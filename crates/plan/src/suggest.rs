//! Advice for an unknown name: what other tools call the same thing, or the names near it.

use fathom_record::spelling::nearest;

/// What fio and diskspd users type, and what it is here: key, then what to write.
const FOREIGN: [(&str, &str); 51] = [
    ("block-size", "`bs`"),
    ("blocksize", "`bs`"),
    ("bsrange", "`bs`, e.g. 4k-64k"),
    ("bssplit", "`bs`, e.g. 4k:70%,64k:30%"),
    ("duration", "`time`"),
    ("direct", "I/O is direct unless `buffered` is set: leave it out"),
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
    ("block_size", "`bs`"),
    ("blockalign", "`align`"),
    ("bandwidth", "`throttle`, e.g. throughput=100MB/s"),
    ("buffer_compress_percentage", "`compressible`, e.g. 50%"),
    ("cpus_allowed", "`cpus`, e.g. 0-3"),
    ("dedupe_percentage", "`duplicate`, e.g. 30%"),
    ("directory", "`target`, a folder of which takes a scratch file"),
    ("end_fsync", "`flush-every`, which flushes while it runs"),
    ("fdatasync", "`flush-every`"),
    ("filesystem", "`target`"),
    ("group_reporting", "results are of all jobs together and of each: leave it out"),
    ("hipri", "`polled`"),
    ("io_limit", "`bytes`"),
    ("loops", "`bytes` or `count`, which end the run"),
    ("name", "runs have an id of their own: leave it out"),
    ("output-format", "`json`"),
    ("percentile_list", "all of them are in the result: leave it out"),
    ("rate_process", "`arrival`, e.g. poisson"),
    ("read_iolog", "`replay`"),
    ("rwmixwrite", "`read-share`, e.g. 30% for 70 % writes"),
    ("sync", "`durable`, e.g. data"),
    ("thinktime", "`pause`, e.g. 3us"),
    ("thinktime_blocks", "`pause-every`"),
    ("time_based", "a run always lasts its `time`: leave it out"),
    ("warm-up", "`warmup`"),
];

/// What a name of another tool is here.
pub fn foreign(name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.replace('_', "-").to_ascii_lowercase();
    let wanted = plain(name);
    FOREIGN.iter().find(|(foreign, _)| plain(foreign) == wanted).map(|(_, here)| *here)
}

/// Advice for an unknown name, as the end of a sentence.
pub fn advice<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match foreign(name) {
        Some(here) if here.starts_with('`') => return format!("here it is {here}"),
        Some(words) => return words.to_owned(),
        None => {}
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
        assert_eq!(foreign("block-size"), Some("`bs`"));
        assert_eq!(advice("time-based", KNOWN), "a run always lasts its `time`: leave it out");
        assert_eq!(advice("ramp-time", KNOWN), "here it is `warmup`");
        assert_eq!(advice("dept", KNOWN), "did you mean `depth`?");
        assert_eq!(advice("colour", KNOWN), "`fathom run --help` lists what there is");
    }
}
