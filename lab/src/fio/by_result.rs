//! What both tools' JSON differ in: jobs, counts, rates and options.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::shared_job::{Job, Pace};
use super::tool_differences::{Differences, Tolerance};

/// Keys of directions in a job's entry.
const WAYS: [&str; 4] = ["read", "write", "trim", "mixed"];

/// Compares two results.
pub fn compare(job: &Job, fio: &Value, fathom: &Value, found: &mut Differences) {
    let none = Vec::new();
    // fio leaves an empty entry in the place of a job without statistics.
    let jobs = |result: &'_ Value| {
        let all = result["jobs"].as_array().unwrap_or(&none).iter();
        all.filter(|job| job["jobname"].is_string()).cloned().collect::<Vec<_>>()
    };
    let (a, b) = (jobs(fio), jobs(fathom));
    let names = |jobs: &[Value]| jobs.iter().map(|job| text(&job["jobname"])).collect::<Vec<_>>();
    if names(&a) != names(&b) {
        found.unless(false, "jobs.names", names(&a).join(" "), names(&b).join(" "));
        return sums(job, &a, &b, found);
    }
    for (x, y) in a.iter().zip(&b) {
        entry(job, x, y, found);
        let (x, y) = (options(fio, x), options(fathom, y));
        let keys: BTreeSet<&String> =
            x.keys().chain(y.keys()).filter(|key| x.get(*key) != y.get(*key)).collect();
        if !keys.is_empty() {
            let show = |side: &BTreeMap<String, String>| {
                let shown = keys.iter().take(6).map(|key| match side.get(*key) {
                    Some(value) => format!("{key}={value}"),
                    None => format!("no {key}"),
                });
                shown.collect::<Vec<_>>().join(" ")
            };
            found.unless(false, "jobs.options", show(&x), show(&y));
        }
    }
    // Jobs that are alike differ alike.
    found.0.dedup();
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Options of a job, those of all jobs among them.
fn options(result: &Value, job: &Value) -> BTreeMap<String, String> {
    let of = |value: &Value| {
        let pairs = value.as_object().into_iter().flatten();
        let pairs = pairs.map(|(key, value)| (key.clone(), text(value)));
        // Whether those without a value are listed at all is a matter of the form.
        pairs.filter(|(_, value)| !value.is_empty()).collect::<BTreeMap<_, _>>()
    };
    let mut all = of(&result["global options"]);
    all.extend(of(&job["job options"]));
    all
}

fn number(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64)).unwrap_or(0)
}

/// All entries of a result taken together.
fn sums(job: &Job, a: &[Value], b: &[Value], found: &mut Differences) {
    for way in WAYS {
        let sum = |jobs: &[Value], key: &str| jobs.iter().map(|job| number(&job[way][key])).sum::<u64>();
        amounts(
            job,
            way,
            (sum(a, "total_ios"), sum(b, "total_ios")),
            (sum(a, "io_bytes"), sum(b, "io_bytes")),
            found,
        );
    }
}

fn entry(job: &Job, a: &Value, b: &Value, found: &mut Differences) {
    for key in ["groupid", "error"] {
        found.unless(a[key] == b[key], format!("jobs.{key}"), &a[key], &b[key]);
    }
    for way in WAYS {
        let of = |side: &Value, key: &str| number(&side[way][key]);
        let pair = |key: &str| (of(a, key), of(b, key));
        amounts(job, way, pair("total_ios"), pair("io_bytes"), found);
        let (x, y) = pair("runtime");
        // Without `time_based` a job may end with its size, as fast as each program goes.
        if job.sets("time_based") && x > 0 && y > 0 {
            let tolerance = Tolerance { share: 0.15, number: 150.0 };
            found.unless(
                tolerance.allows(x as f64, y as f64),
                format!("time.{way}"),
                format!("{x} ms"),
                format!("{y} ms"),
            );
        }
    }
    let sync = |side: &Value| number(&side["sync"]["total_ios"]);
    let tolerance = Tolerance { share: if is_mixed(a) { 0.25 } else { 0.03 }, number: 1.0 };
    let (x, y) = (sync(a), sync(b));
    let same = match job.pace {
        Pace::Sized => tolerance.allows(x as f64, y as f64),
        Pace::Timed | Pace::Rated => (x > 1) == (y > 1),
    };
    found.unless(same, "count.sync", x, y);
}

fn is_mixed(entry: &Value) -> bool {
    number(&entry["read"]["total_ios"]) > 0 && number(&entry["write"]["total_ios"]) > 0
}

/// I/Os and bytes of a direction; the first of each pair is fio's.
fn amounts(job: &Job, way: &str, ios: (u64, u64), bytes: (u64, u64), found: &mut Differences) {
    if (ios.0 == 0) != (ios.1 == 0) {
        return found.unless(
            false,
            format!("count.way.{way}"),
            format!("{} I/Os", ios.0),
            format!("{} I/Os", ios.1),
        );
    }
    if ios.0 == 0 {
        return;
    }
    let drawn = job.is_drawn()
        || ["rw", "readwrite"].iter().any(|name| job.values(name).any(|rw| rw.starts_with("rw")));
    let tolerance = match job.pace {
        Pace::Sized if drawn => Some(Tolerance { share: 0.08, number: 4.0 * (ios.0 as f64).sqrt() }),
        Pace::Sized => Some(Tolerance::NONE),
        Pace::Rated if job.has_rate(way) => Some(Tolerance { share: 0.05, number: 4.0 }),
        Pace::Rated => None,
        Pace::Timed => None,
    };
    if let Some(tolerance) = tolerance {
        let kind = if job.pace == Pace::Rated { "rate" } else { "count" };
        found.counts(format!("{kind}.{way}"), ios.0, ios.1, tolerance);
    }
    if job.pace == Pace::Timed && job.merges_sizes() {
        return;
    }
    let size = |ios: u64, bytes: u64| bytes as f64 / ios as f64;
    let (x, y) = (size(ios.0, bytes.0), size(ios.1, bytes.1));
    let noise = 2.0 / (ios.0.min(ios.1) as f64).sqrt();
    let several = x.fract() != 0.0 || y.fract() != 0.0;
    let tolerance = Tolerance { share: if several { 0.05 + noise } else { 0.0 }, number: 0.0 };
    found.unless(
        tolerance.allows(x, y),
        format!("size.{way}"),
        format!("{x:.0} bytes an I/O"),
        format!("{y:.0} bytes an I/O"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kinds(pace: Pace, fio: &Value, fathom: &Value) -> Vec<String> {
        let rate = if pace == Pace::Rated { "\nrate_iops=100" } else { "" };
        let job = Job { text: format!("[a]\nrw=read{rate}"), pace, ..Job::default() };
        let mut found = Differences::default();
        compare(&job, fio, fathom, &mut found);
        found.0.into_iter().map(|difference| difference.kind).collect()
    }

    fn entry(name: &str, ios: u64, bytes: u64) -> Value {
        json!({"jobname": name, "groupid": 0, "error": 0, "job options": {"rw": "read"},
               "read": {"total_ios": ios, "io_bytes": bytes, "runtime": 1000}})
    }

    #[test]
    fn counts_rates_and_options_are_compared() {
        let result = |jobs: Vec<Value>| json!({"jobs": jobs});
        let fio = json!({"global options": {"rw": "read"}, "jobs": [entry("a", 100, 409_600)]});
        assert!(kinds(Pace::Sized, &fio, &result(vec![entry("a", 100, 409_600)])).is_empty());
        assert_eq!(kinds(Pace::Sized, &fio, &result(vec![entry("a", 101, 413_696)])), ["count.read"]);
        assert!(kinds(Pace::Rated, &fio, &result(vec![entry("a", 104, 425_984)])).is_empty());
        assert_eq!(kinds(Pace::Rated, &fio, &result(vec![entry("a", 120, 491_520)])), ["rate.read"]);
        assert!(kinds(Pace::Timed, &fio, &result(vec![entry("a", 5000, 20_480_000)])).is_empty());
        assert_eq!(kinds(Pace::Timed, &fio, &result(vec![entry("a", 100, 819_200)])), ["size.read"]);
        assert_eq!(kinds(Pace::Sized, &fio, &result(vec![entry("a", 0, 0)])), ["count.way.read"]);
        let clones = result(vec![entry("a", 50, 204_800), entry("a", 50, 204_800)]);
        assert_eq!(kinds(Pace::Sized, &clones, &result(vec![entry("a", 100, 409_600)])), ["jobs.names"]);
        let mut other = entry("a", 100, 409_600);
        other["job options"]["bs"] = json!("4k");
        assert_eq!(kinds(Pace::Sized, &fio, &result(vec![other])), ["jobs.options"]);
    }
}
