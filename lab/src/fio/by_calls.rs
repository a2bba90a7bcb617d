//! What both tools' calls differ in.

use std::collections::{BTreeMap, BTreeSet};

use super::call_summary::{Addresses, CallSummary};
use super::shared_job::{Job, Pace};
use super::strace_calls::Way;
use super::tool_differences::{Differences, Tolerance, distance};

/// Fewer I/Os than these have no distribution.
const FEW: u64 = 16;

/// Compares the calls of both.
pub fn compare(job: &Job, fio: &CallSummary, fathom: &CallSummary, found: &mut Differences) {
    // What goes through a ring or a mapping is seen of neither.
    if fio.ways.is_empty() && fathom.ways.is_empty() {
        return;
    }
    let sized = job.pace == Pace::Sized;
    let ways: BTreeSet<Way> = fio.ways.keys().chain(fathom.ways.keys()).copied().collect();
    let total = |seen: &CallSummary| seen.ways.values().map(|way| way.ios).sum::<u64>();
    let mixed = fio.ways.len() > 1;
    let none = Addresses::default();
    for way in ways {
        let of = |seen: &CallSummary| seen.ways.get(&way).map_or(0, |way| way.ios);
        let (a, b) = (fio.ways.get(&way).unwrap_or(&none), fathom.ways.get(&way).unwrap_or(&none));
        if a.ios == 0 || b.ios == 0 {
            found.unless(false, format!("io.way.{}", way.name()), ios(a.ios), ios(b.ios));
            continue;
        }
        // Without a rate a direction goes as fast as the machine lets each program go.
        let by_speed = job.pace == Pace::Rated && !(job.has_rate("read") && job.has_rate("write"));
        if mixed && !by_speed && !job.is_a_race() {
            let share = |seen: &CallSummary| of(seen) as f64 / total(seen).max(1) as f64;
            let within = 0.03 + 2.0 / (total(fio).min(total(fathom)) as f64).sqrt();
            found.shares(format!("io.share.{}", way.name()), share(fio), share(fathom), within);
        }
        if sized {
            count(job, way, a, b, mixed, found);
        }
        distribution(job, way, a, b, mixed, found);
    }
    // What is read back is as much as was written, and how much that is was drawn.
    if sized && mixed && !several_sizes(fio) && !job.sets("verify") {
        found.counts("io.count", total(fio), total(fathom), Tolerance::NONE);
    }
    calls(job, fio, fathom, mixed, found);
}

fn ios(count: u64) -> String {
    format!("{count} I/Os")
}

fn several_sizes(seen: &CallSummary) -> bool {
    seen.ways.values().any(|way| way.sizes.len() > 1)
}

/// Numbers of I/Os and bytes of a direction, and each address where nothing is drawn.
fn count(job: &Job, way: Way, a: &Addresses, b: &Addresses, mixed: bool, found: &mut Differences) {
    let name = way.name();
    let drawn_sizes = a.sizes.len() > 1 && job.is_drawn();
    let tolerance = match (mixed, drawn_sizes) {
        (true, _) => Tolerance { share: 0.08, number: 4.0 * (a.ios as f64).sqrt() },
        (false, true) => Tolerance { share: 0.08, number: 4.0 * (a.ios as f64).sqrt() },
        (false, false) => Tolerance::NONE,
    };
    found.counts(format!("io.count.{name}"), a.ios, b.ios, tolerance);
    let in_bytes = Tolerance { share: tolerance.share, number: tolerance.number * mean_size(a) };
    found.counts(format!("io.bytes.{name}"), a.bytes, b.bytes, in_bytes);
    // A file that goes with the run may never have had a name.
    if job.sets("unlink") {
        return;
    }
    let files: BTreeSet<&String> = a.files.keys().chain(b.files.keys()).collect();
    let of = |side: &Addresses| {
        let per_file = files.iter().map(|file| side.files.get(*file).copied().unwrap_or(0) as f64);
        per_file.map(|ios| ios / side.ios as f64).collect::<Vec<_>>()
    };
    if distance(&of(a), &of(b)) > 0.05 + noise(a, b) {
        found.unless(false, format!("io.files.{name}"), show_files(a), show_files(b));
    }
    if !job.is_drawn() {
        order(name, a, b, mixed, found);
    }
}

fn mean_size(side: &Addresses) -> f64 {
    side.bytes as f64 / side.ios.max(1) as f64
}

fn noise(a: &Addresses, b: &Addresses) -> f64 {
    1.5 / (a.ios.min(b.ios).max(1) as f64).sqrt()
}

fn show_files(side: &Addresses) -> String {
    let shown: Vec<String> = side.files.iter().take(6).map(|(file, ios)| format!("{file} {ios}")).collect();
    format!("{} files: {}", side.files.len(), shown.join(", "))
}

/// The first I/O that differs; of a mix, which draws directions, as far as both go.
fn order(name: &str, a: &Addresses, b: &Addresses, mixed: bool, found: &mut Differences) {
    let merged = |side: &Addresses| {
        let mut all = side.threads.concat();
        all.sort_unstable();
        vec![all]
    };
    // One tool may have a thread of its own where the other goes on with the same one.
    let alike = a.threads.len() == b.threads.len();
    let (x, y) = if alike { (a.threads.clone(), b.threads.clone()) } else { (merged(a), merged(b)) };
    for (x, y) in x.iter().zip(&y) {
        let mut pairs = x.iter().zip(y);
        if let Some(at) = pairs.position(|(x, y)| x != y) {
            let show = |side: &[(String, u64, u64)]| {
                let some = side
                    .iter()
                    .skip(at)
                    .take(3)
                    .map(|(file, offset, bytes)| format!("{file} {offset}+{bytes}"));
                format!("I/O {at}: {}", some.collect::<Vec<_>>().join(", "))
            };
            if !mixed || alike {
                found.unless(false, format!("io.order.{name}"), show(x), show(y));
            }
            return;
        }
    }
}

fn distribution(job: &Job, way: Way, a: &Addresses, b: &Addresses, mixed: bool, found: &mut Differences) {
    let name = way.name();
    let sizes: BTreeSet<u64> = a.sizes.keys().chain(b.sizes.keys()).copied().collect();
    let of = |side: &Addresses| {
        let per_size = sizes.iter().map(|size| side.sizes.get(size).copied().unwrap_or(0) as f64);
        per_size.map(|ios| ios / side.ios as f64).collect::<Vec<_>>()
    };
    let slack = if sizes.len() > 1 { noise(a, b) } else { 0.0 };
    let same = match job.is_a_race() {
        true => common_sizes(a) == common_sizes(b),
        false => distance(&of(a), &of(b)) <= 0.04 + slack,
    };
    found.unless(same, format!("io.sizes.{name}"), show_sizes(a), show_sizes(b));
    if a.ios.min(b.ios) < FEW || job.is_a_race() {
        return;
    }
    found.unless(a.step == b.step, format!("io.step.{name}"), a.step, b.step);
    let share = |side: &Addresses, count: u64| count as f64 / side.followers.max(1) as f64;
    found.shares(format!("io.onwards.{name}"), share(a, a.onwards), share(b, b.onwards), 0.05 + noise(a, b));
    found.shares(
        format!("io.backwards.{name}"),
        share(a, a.backwards),
        share(b, b.backwards),
        0.05 + noise(a, b),
    );
    if job.pace != Pace::Sized {
        return;
    }
    // Whole passes have no chance in them.
    let whole = a.ios.is_multiple_of(a.distinct) && a.sizes.len() == 1;
    let distinct = |side: &Addresses| side.distinct as f64 / side.ios as f64;
    let within = if whole { 0.0 } else { 0.06 + noise(a, b) };
    found.shares(format!("io.distinct.{name}"), distinct(a), distinct(b), within);
    let slack = if mixed || job.is_drawn() { 0.06 * (a.high - a.low) as f64 } else { 0.0 };
    let same = (a.low.abs_diff(b.low)).max(a.high.abs_diff(b.high)) as f64 <= slack;
    let range = |side: &Addresses| format!("bytes {} to {}", side.low, side.high);
    found.unless(same, format!("io.range.{name}"), range(a), range(b));
    found.shares(format!("io.top.{name}"), a.top, b.top, 0.05 + noise(a, b));
    let parts = distance(&a.parts, &b.parts);
    let show = |side: &Addresses| {
        let shown = side.parts.iter().take(4).map(|share| format!("{:.0} %", 100.0 * share));
        format!("largest sixteenths {}", shown.collect::<Vec<_>>().join(", "))
    };
    // Where a few places take most I/Os, their parts say no more than they do.
    let same = parts <= 0.06 + noise(a, b) || a.top > 0.25;
    found.unless(same, format!("io.parts.{name}"), show(a), show(b));
}

/// Sizes that one in fifty I/Os has at least.
fn common_sizes(side: &Addresses) -> BTreeSet<u64> {
    side.sizes.iter().filter(|(_, ios)| **ios * 50 >= side.ios).map(|(size, _)| *size).collect()
}

fn show_sizes(side: &Addresses) -> String {
    let mut sizes: Vec<(&u64, &u64)> = side.sizes.iter().collect();
    sizes.sort_by_key(|(_, ios)| std::cmp::Reverse(**ios));
    let share = |ios: u64| 100.0 * ios as f64 / side.ios as f64;
    let shown = sizes.iter().take(6).map(|(size, ios)| format!("{size} bytes {:.0} %", share(**ios)));
    format!("{} sizes: {}", sizes.len(), shown.collect::<Vec<_>>().join(", "))
}

fn names<'a>(a: &'a BTreeMap<String, u64>, b: &'a BTreeMap<String, u64>) -> BTreeSet<&'a String> {
    a.keys().chain(b.keys()).collect()
}

fn times(map: &BTreeMap<String, u64>, name: &str) -> u64 {
    map.get(name).copied().unwrap_or(0)
}

/// Flushes, advice, flags of descriptors, batches, and changes from file to file.
fn calls(job: &Job, fio: &CallSummary, fathom: &CallSummary, mixed: bool, found: &mut Differences) {
    let sized = job.pace == Pace::Sized;
    for name in names(&fio.syncs, &fathom.syncs) {
        let (a, b) = (times(&fio.syncs, name), times(&fathom.syncs, name));
        let share = if mixed { 0.25 } else { 0.03 };
        let same = if sized {
            Tolerance { share, number: 1.0 }.allows(a as f64, b as f64)
        } else {
            (a > 1) == (b > 1)
        };
        found.unless(same, format!("sync.{name}"), a, b);
    }
    // The page cache takes no part in direct I/O and trims, whatever it is advised.
    let is_direct = |seen: &CallSummary| {
        seen.flags.iter().all(|(way, flags)| *way == Way::Trim || flags.contains("O_DIRECT"))
    };
    if !is_direct(fio) || !is_direct(fathom) {
        advice(job, fio, fathom, found);
    }
    let flags = |seen: &CallSummary| {
        let shown = seen.flags.iter().map(|(way, flags)| format!("{} {flags}", way.name()).trim().to_owned());
        shown.collect::<Vec<_>>().join(", ")
    };
    found.unless(fio.flags == fathom.flags, "flags", flags(fio), flags(fathom));
    if let (Some(a), Some(b)) = (fio.median_submit(), fathom.median_submit()) {
        found.unless(a == b || !job.sets("iodepth_batch"), "submit", a, b);
    }
    let several = [fio, fathom].iter().any(|seen| seen.ways.values().any(|way| way.files.len() > 1));
    if several {
        let share = |seen: &CallSummary| seen.switches as f64 / (seen.switches + seen.stays).max(1) as f64;
        let fewest = (fio.switches + fio.stays).min(fathom.switches + fathom.stays).max(1);
        found.shares("io.switches", share(fio), share(fathom), 0.05 + 1.5 / (fewest as f64).sqrt());
    }
}

/// What the page cache was told, and flushes of what was there before.
fn advice(job: &Job, fio: &CallSummary, fathom: &CallSummary, found: &mut Differences) {
    let sized = job.pace == Pace::Sized;
    found.unless(
        (fio.early_syncs > 0) == (fathom.early_syncs > 0),
        "sync.before",
        fio.early_syncs,
        fathom.early_syncs,
    );
    for name in names(&fio.advice, &fathom.advice) {
        let (a, b) = (times(&fio.advice, name), times(&fathom.advice, name));
        found.unless(if sized { a == b } else { (a > 0) == (b > 0) }, format!("advice.{name}"), a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::strace_calls::{Act, Call};
    use super::*;

    fn seen(ios: impl Iterator<Item = (Way, u64, u64)>, more: &[Act]) -> CallSummary {
        let act = |(way, offset, bytes)| Act::Io { way, offset, bytes, flags: String::new() };
        let call = |act| Call { thread: 2, lays_out: false, file: "data".to_owned(), act };
        CallSummary::of(&ios.map(act).chain(more.iter().cloned()).map(call).collect::<Vec<_>>())
    }

    fn kinds(text: &str, fio: &CallSummary, fathom: &CallSummary) -> Vec<String> {
        let job = Job { text: text.to_owned(), ..Job::default() };
        let mut found = Differences::default();
        compare(&job, fio, fathom, &mut found);
        found.0.into_iter().map(|difference| difference.kind).collect()
    }

    fn reads(offsets: impl Iterator<Item = u64>) -> CallSummary {
        seen(offsets.map(|at| (Way::Read, at * 4096, 4096)), &[])
    }

    #[test]
    fn the_same_calls_have_no_difference() {
        let both = reads(0..64);
        assert!(kinds("rw=read", &both, &both).is_empty());
        // Another order is the same where it is drawn.
        let other = reads((0..64).map(|at| at * 37 % 64));
        let third = reads((0..64).map(|at| at * 27 % 64));
        assert!(kinds("rw=randread", &other, &third).is_empty());
    }

    #[test]
    fn each_kind_of_difference_is_seen() {
        let drawn = reads((0..64).map(|at| at * 37 % 64));
        let whole = reads(0..64);
        assert!(kinds("rw=randread", &drawn, &whole).contains(&"io.onwards.read".to_owned()));
        assert!(kinds("rw=read", &drawn, &whole).contains(&"io.order.read".to_owned()));
        assert!(kinds("rw=read", &whole, &reads(0..63)).contains(&"io.count.read".to_owned()));
        let twice = reads((0..64).map(|at| at * 37 % 32));
        assert!(kinds("rw=randread", &drawn, &twice).contains(&"io.distinct.read".to_owned()));
        let sizes = seen((0..64).map(|at| (Way::Read, at * 4096, 2048)), &[]);
        assert!(kinds("rw=read", &whole, &sizes).contains(&"io.sizes.read".to_owned()));
        let sync = |name: &str| {
            seen((0..64).map(|at| (Way::Write, at * 4096, 4096)), &vec![Act::Sync(name.to_owned()); 8])
        };
        assert_eq!(kinds("rw=write", &sync("fsync"), &sync("fdatasync")), ["sync.fdatasync", "sync.fsync"]);
        let advised =
            seen((0..64).map(|at| (Way::Read, at * 4096, 4096)), &[Act::Advice("RANDOM".to_owned())]);
        assert_eq!(kinds("rw=read", &advised, &whole), ["advice.RANDOM"]);
        let written = sync("fsync");
        assert!(kinds("rw=write", &written, &whole).contains(&"io.way.write".to_owned()));
    }
}
