//! Names near a misspelt one, and what other tools call the same thing.

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

/// The known names at the least edit distance, when it is small beside the name's length; at most three.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase().replace('_', "-");
    let length = wanted.chars().count();
    // Longer texts are not misspelt names, and the table below grows with their length.
    if length > 40 {
        return Vec::new();
    }
    let limit = (length / 3).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .map(|candidate| (distance(&wanted, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    let least = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter().filter(|(distance, _)| *distance == least).map(|(_, name)| name).take(3).collect()
}

/// Edits that lead from one text to the other: insertions, deletions, substitutions, and swaps of
/// neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substitution = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substitution.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["depth", "bs", "read-bs", "read-share", "trim-share", "time"];

    #[test]
    fn near_names_are_offered_and_far_ones_are_not() {
        assert_eq!(nearest("dpeth", KNOWN), ["depth"]);
        assert_eq!(nearest("Depth", KNOWN), ["depth"]);
        assert_eq!(nearest("read_share", KNOWN), ["read-share"]);
        assert_eq!(nearest("tiem", KNOWN), ["time"]);
        assert_eq!(nearest("b", KNOWN), ["bs"]);
        assert!(nearest("colour", KNOWN).is_empty());
        assert!(nearest("", KNOWN).is_empty());
        assert!(nearest(&"x".repeat(100_000), KNOWN).is_empty());
    }

    #[test]
    fn names_of_other_tools_are_translated() {
        assert_eq!(advice("iodepth", KNOWN), "here it is `depth`");
        assert_eq!(foreign_key("block-size"), Some("bs"));
        assert_eq!(foreign_key("duration"), Some("time"));
        assert_eq!(advice("ramp-time", KNOWN), "here it is `warmup`");
        assert_eq!(advice("dept", KNOWN), "did you mean `depth`?");
        assert_eq!(advice("colour", KNOWN), "`fathom run --help` lists what there is");
    }

    #[test]
    fn distance_counts_a_swap_once() {
        assert_eq!(distance("dpeth", "depth"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
