//! What both tools leave behind: names, sizes, logs and contents.

use std::collections::{BTreeMap, BTreeSet};

use super::left::Thing;
use super::shared_job::{Job, Pace};
use super::tool_differences::{Differences, Tolerance};

/// Compares the folders.
pub fn compare(
    job: &Job,
    fio: &BTreeMap<String, Thing>,
    fathom: &BTreeMap<String, Thing>,
    found: &mut Differences,
) {
    let only = |a: &BTreeMap<String, Thing>, b: &BTreeMap<String, Thing>| {
        let names: Vec<&str> = a.keys().filter(|name| !b.contains_key(*name)).map(String::as_str).collect();
        match names.len() {
            0 => "nothing else".to_owned(),
            1..=6 => names.join(" "),
            count => format!("{count} more, as {}", names[0]),
        }
    };
    let same: BTreeSet<&String> = fio.keys().filter(|name| fathom.contains_key(*name)).collect();
    let alike = same.len() == fio.len() && same.len() == fathom.len();
    found.unless(alike, "left.names", only(fio, fathom), only(fathom, fio));
    for name in same {
        match (&fio[name], &fathom[name]) {
            (Thing::File { bytes: a, content: x }, Thing::File { bytes: b, content: y }) => {
                found.unless(a == b, format!("left.size {name}"), a, b);
                let zero = (x.zero - y.zero).abs() <= 0.1;
                let distinct = (x.distinct - y.distinct).abs() <= 0.2;
                let entropy = (x.entropy - y.entropy).abs() <= 0.5;
                if a == b && job.pace == Pace::Sized && !(zero && distinct && entropy) {
                    let show = |content: &super::left::Content| {
                        format!(
                            "{:.0} % zeros, {:.0} % distinct, {:.1} bits a byte",
                            100.0 * content.zero,
                            100.0 * content.distinct,
                            content.entropy
                        )
                    };
                    found.unless(false, format!("left.content {name}"), show(x), show(y));
                }
            }
            (Thing::Log { lines: a, columns: x }, Thing::Log { lines: b, columns: y }) => {
                // Lines of single I/Os are as many as the time was enough for.
                let by_speed = job.pace == Pace::Timed && !job.sets("log_avg_msec");
                let lines = by_speed || Tolerance { share: 0.1, number: 1.0 }.allows(*a as f64, *b as f64);
                let show = |lines: &usize, columns: &usize| format!("{lines} lines of {columns} columns");
                found.unless(lines && x == y, format!("left.log {name}"), show(a, x), show(b, y));
            }
            (a, b) => found.unless(a == b, format!("left.kind {name}"), format!("{a:?}"), format!("{b:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::left::Content;
    use super::*;

    #[test]
    fn names_sizes_logs_and_contents_are_compared() {
        let job = Job::default();
        let file =
            |bytes, entropy| Thing::File { bytes, content: Content { zero: 0.0, distinct: 1.0, entropy } };
        let log = |lines| Thing::Log { lines, columns: 5 };
        let folder = |things: &[(&str, Thing)]| {
            things.iter().map(|(name, thing)| ((*name).to_owned(), thing.clone())).collect::<BTreeMap<_, _>>()
        };
        let fio = folder(&[
            ("a", file(1, 8.0)),
            ("b", file(1, 8.0)),
            ("c", file(1, 8.0)),
            ("x_lat.1.log", log(256)),
        ]);
        let fathom = folder(&[("b", file(2, 8.0)), ("c", file(1, 2.0)), ("x_lat.1.log", log(1))]);
        let kinds = |a, b| {
            let mut found = Differences::default();
            compare(&job, a, b, &mut found);
            found.0.into_iter().map(|difference| difference.kind).collect::<Vec<_>>()
        };
        assert!(kinds(&fio, &fio).is_empty());
        assert_eq!(
            kinds(&fio, &fathom),
            ["left.names", "left.size b", "left.content c", "left.log x_lat.1.log"]
        );
    }
}
