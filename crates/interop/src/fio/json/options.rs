//! The workload that fio's options ask for, as far as a record can hold it; the rest is named.

use fathom_record::workload::{
    Addresses, Data, HotSpot, Length, Mix, SizeShare, Sizes, SizesByDirection, Verify, Zone,
};
use fathom_record::{Origin, Workload};

use crate::import::blank_workload;

/// Options of one job: its own, and those of the global section where it does not set them.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    pub global: &'a [(String, String)],
    pub own: &'a [(String, String)],
}

impl<'a> Options<'a> {
    /// An option by any of its names.
    pub fn get(&self, names: &[&str]) -> Option<&'a str> {
        let last = |list: &'a [(String, String)]| {
            list.iter()
                .rev()
                .find(|(name, _)| names.contains(&name.as_str()))
                .map(|(_, value)| value.as_str())
        };
        last(self.own).or_else(|| last(self.global))
    }

    /// Whether a flag is set: alone, or with a number other than 0.
    pub fn flag(&self, name: &str) -> bool {
        self.get(&[name]).is_some_and(|value| value.trim() != "0")
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.get(&[name])?.trim().parse().ok()
    }

    /// I/Os that one job keeps in flight.
    pub fn depth(&self) -> u32 {
        self.number("iodepth").filter(|n| *n >= 1.0).map_or(1, |n| n.min(f64::from(u32::MAX)) as u32)
    }

    /// Whether the engine has one I/O in flight whatever depth is asked for.
    pub fn is_synchronous(&self) -> bool {
        const SYNCHRONOUS: [&str; 9] =
            ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "ftruncate", "falloc"];
        // fio's own default is psync.
        self.get(&["ioengine"]).is_none_or(|engine| SYNCHRONOUS.contains(&engine))
    }

    /// Clones of the job.
    pub fn clones(&self) -> u32 {
        self.number("numjobs").filter(|n| *n >= 1.0).map_or(1, |n| n.min(f64::from(u32::MAX)) as u32)
    }

    fn bytes(&self, names: &[&str]) -> Option<u64> {
        size(self.get(names)?, self.kilo())
    }

    /// What `k` means: 1024, unless `kb_base=1000`.
    fn kilo(&self) -> u64 {
        if self.get(&["kb_base"]).is_some_and(|base| base.trim() == "1000") { 1000 } else { 1024 }
    }
}

/// A size as fio writes it: `4k`, `1G`, `32MiB`, `512`.
pub fn size(text: &str, kilo: u64) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim().trim_end_matches("/s");
    let (letter, rest) = unit.split_at(unit.chars().next().map_or(0, char::len_utf8));
    let power = match letter {
        "" | "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    let base = match rest {
        "" | "b" => kilo,
        // With kb_base=1024 fio takes both for 1024.
        "i" | "ib" => 1024,
        _ => return None,
    };
    let bytes = number * (base as f64).powi(power);
    (bytes < u64::MAX as f64).then_some(bytes as u64)
}

/// A time as fio writes it, in nanoseconds: `60`, `60s`, `2m`, `500ms`.
pub fn time_ns(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "" | "s" | "sec" => 1e9,
        "us" | "usec" => 1e3,
        "ms" | "msec" => 1e6,
        "m" => 60e9,
        "h" => 3600e9,
        "d" => 86_400e9,
        _ => return None,
    };
    let ns = number * unit;
    (ns < u64::MAX as f64).then_some(ns as u64)
}

/// The workload of `jobs` jobs, and in the origin what of it is not told or not held.
pub fn workload(options: &Options<'_>, jobs: u32, origin: &mut Origin) -> Workload {
    let mut out = blank_workload();
    let mut unsaid = Vec::new();
    out.jobs = jobs;
    out.depth = if options.is_synchronous() { 1 } else { options.depth() };
    match options.get(&["rw", "readwrite"]) {
        Some(rw) => (out.mix, out.addresses) = pattern(options, rw, origin),
        None => unsaid.push("mix"),
    }
    match sizes(options) {
        Some(sizes) => out.sizes = sizes,
        None if options.get(&["bs", "blocksize", "bsrange", "bssplit"]).is_none() => {
            // fio's default is what the record's guess is: 4 KiB.
        }
        None => unsaid.push("sizes"),
    }
    out.span_bytes = options.bytes(&["size"]);
    out.offset_bytes = options.bytes(&["offset"]).unwrap_or(0);
    out.alignment_bytes = options.bytes(&["blockalign", "ba"]);
    out.data = data(options);
    out.length = Length {
        time_ns: options.get(&["runtime", "timeout"]).and_then(time_ns),
        operations: options.number("number_ios").map(|n| n as u64),
        bytes: options.bytes(&["io_size", "io_limit"]),
        warmup_ns: options.get(&["ramp_time"]).and_then(time_ns).unwrap_or(0),
    };
    out.seed = options.number("randseed").map_or(0, |seed| seed as u64);
    for field in unsaid {
        origin.lacks(
            format!("workload.{field}"),
            "the result does not name it, or not in a form that is known",
        );
    }
    if options.get(&["randseed"]).is_none() {
        origin.lacks("workload.seed", "the result does not name it");
    }
    for limit in ["rate", "rate_iops", "thinktime", "latency_target"] {
        if let Some(value) = options.get(&[limit]) {
            let reason = format!("the loop was held back by {limit}={value}, which a record does not hold");
            origin.lacks("workload.arrival", reason);
        }
    }
    out
}

/// Directions with their shares, and the order of addresses.
fn pattern(options: &Options<'_>, rw: &str, origin: &mut Origin) -> (Mix, Addresses) {
    let name = rw.split(':').next().unwrap_or(rw).trim();
    let read_percent = options
        .number("rwmixread")
        .or_else(|| options.number("rwmixwrite").map(|write| 100.0 - write))
        .unwrap_or(50.0);
    let (read_share, trim_share) = match name.strip_prefix("rand").unwrap_or(name) {
        "read" => (1.0, 0.0),
        "write" => (0.0, 0.0),
        "trim" => (0.0, 1.0),
        "trimwrite" => (0.0, 0.5),
        "rw" | "readwrite" => ((read_percent / 100.0).clamp(0.0, 1.0), 0.0),
        _ => {
            origin.lacks("workload.mix", format!("the direction {rw} is not known"));
            (1.0, 0.0)
        }
    };
    let flush = options.number("fsync").or_else(|| options.number("fdatasync")).unwrap_or(0.0);
    let mix = Mix { read_share, trim_share, flush_every_writes: flush.max(0.0) as u64 };
    if !name.starts_with("rand") {
        return (mix, Addresses::Sequential);
    }
    let independent =
        if options.flag("norandommap") { Addresses::RandomIndependent } else { Addresses::RandomCycle };
    let addresses = match options.get(&["random_distribution"]) {
        None => independent,
        Some(text) => distribution(text).unwrap_or_else(|| {
            let reason = format!("random_distribution={text} has no counterpart in a record");
            if !text.starts_with("random") {
                origin.lacks("workload.addresses", reason);
            }
            independent
        }),
    };
    (mix, addresses)
}

/// A skewed choice of addresses.
fn distribution(text: &str) -> Option<Addresses> {
    let (name, rest) = text.split_once(':')?;
    let first: Option<f64> = rest.split(':').next().and_then(|number| number.trim().parse().ok());
    match name {
        "zipf" => first.map(|exponent| Addresses::Zipf { exponent }),
        "pareto" => first.map(|skew| Addresses::Pareto { skew }),
        "normal" => first.map(|percent| Addresses::Normal { deviation: percent / 100.0 }),
        "zoned" => {
            let share = |text: &str| text.trim().parse::<f64>().ok().map(|percent| percent / 100.0);
            let zones: Option<Vec<Zone>> = rest
                .split(':')
                .map(|zone| {
                    let (access, span) = zone.split_once('/')?;
                    Some(Zone { access_share: share(access)?, span_share: share(span)? })
                })
                .collect();
            match zones?.as_slice() {
                [hot, cold] if (hot.span_share + cold.span_share - 1.0).abs() < 1e-9 => {
                    Some(Addresses::HotSpot(HotSpot {
                        span_share: hot.span_share,
                        access_share: hot.access_share,
                    }))
                }
                zones => Some(Addresses::Zoned { zones: zones.to_vec() }),
            }
        }
        _ => None,
    }
}

/// Sizes of each direction: `bs`, over which `bsrange` and `bssplit` go.
fn sizes(options: &Options<'_>) -> Option<SizesByDirection> {
    let kilo = options.kilo();
    let each = |text: &str, one: &dyn Fn(&str) -> Option<Sizes>| {
        let parts: Vec<&str> = text.split(',').collect();
        let at = |place: usize| parts.get(place).filter(|part| !part.trim().is_empty());
        let read = one(parts.first()?)?;
        let write = at(1).map_or_else(|| Some(read.clone()), |part| one(part))?;
        let trim = at(2).map_or_else(|| Some(write.clone()), |part| one(part))?;
        // fio's offsets are multiples of the smallest size of their own direction.
        let own_alignment = read != write || write != trim;
        Some(SizesByDirection { read, write, trim, own_alignment, rewrites_trimmed: false })
    };
    if let Some(text) = options.get(&["bssplit"]) {
        return each(text, &|part| split(part, kilo));
    }
    if let Some(text) = options.get(&["bsrange", "blocksize_range"]) {
        return each(text, &|part| range(part, kilo));
    }
    each(options.get(&["bs", "blocksize"])?, &|part| size(part, kilo).map(|bytes| Sizes::Fixed { bytes }))
}

fn range(text: &str, kilo: u64) -> Option<Sizes> {
    let (low, high) = text.split_once('-')?;
    let (min_bytes, max_bytes) = (size(low, kilo)?, size(high, kilo)?);
    if min_bytes == max_bytes {
        return Some(Sizes::Fixed { bytes: min_bytes });
    }
    // fio draws multiples of the smallest size.
    Some(Sizes::Range { min_bytes, max_bytes, step_bytes: min_bytes })
}

/// `4k/60:64k/40`; what has no percentage shares the rest.
fn split(text: &str, kilo: u64) -> Option<Sizes> {
    let parts: Option<Vec<(u64, Option<f64>)>> = text
        .split(':')
        .map(|part| {
            let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
            Some((size(bytes, kilo)?, percent.trim().parse().ok()))
        })
        .collect();
    let parts = parts?;
    let given: f64 = parts.iter().filter_map(|(_, percent)| *percent).sum();
    let open = parts.iter().filter(|(_, percent)| percent.is_none()).count();
    let rest = if open > 0 { (100.0 - given).max(0.0) / open as f64 } else { 0.0 };
    let share =
        |(bytes, percent): (u64, Option<f64>)| SizeShare { bytes, share: percent.unwrap_or(rest) / 100.0 };
    Some(Sizes::Split { shares: parts.into_iter().map(share).collect() })
}

fn data(options: &Options<'_>) -> Data {
    let share = |name| options.number(name).map_or(0.0, |percent: f64| (percent / 100.0).clamp(0.0, 1.0));
    let verified = options.get(&["verify"]).is_some_and(|method| !matches!(method.trim(), "" | "0" | "none"));
    Data {
        compressible_share: share("buffer_compress_percentage"),
        duplicate_share: share("dedupe_percentage"),
        verify: if verified { Verify::AtEnd } else { Verify::Off },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<(String, String)> {
        text.split_whitespace()
            .map(|option| {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                (name.to_owned(), value.to_owned())
            })
            .collect()
    }

    #[test]
    fn options_become_a_workload() {
        let global = list("bs=4k rw=randread ioengine=libaio runtime=60s ramp_time=10");
        let own = list("rw=randrw rwmixread=33 bsrange=4k-16k,64k-64k iodepth=64 size=2G randseed=7");
        let mut origin = Origin::default();
        let found = workload(&Options { global: &global, own: &own }, 16, &mut origin);
        assert_eq!((found.jobs, found.depth, found.span_bytes), (16, 64, Some(2 << 30)));
        assert_eq!(found.sizes.read, Sizes::Range { min_bytes: 4096, max_bytes: 16384, step_bytes: 4096 });
        assert_eq!(found.sizes.write, Sizes::Fixed { bytes: 65536 });
        assert!((found.mix.read_share - 0.33).abs() < 1e-12);
        assert_eq!((found.length.time_ns, found.length.warmup_ns), (Some(60_000_000_000), 10_000_000_000));
        assert_eq!(origin.absent, []);
    }

    #[test]
    fn what_a_record_cannot_hold_is_named() {
        let own = list("rw=sidewise ioengine=psync iodepth=32 rate_iops=500 bs=x");
        let mut origin = Origin::default();
        let found = workload(&Options { global: &[], own: &own }, 1, &mut origin);
        assert_eq!(found.depth, 1, "psync has one I/O in flight");
        let absent: Vec<&str> = origin.absent.iter().map(|absent| absent.field.as_str()).collect();
        assert_eq!(absent, ["workload.mix", "workload.sizes", "workload.seed", "workload.arrival"]);
    }

    #[test]
    fn sizes_and_times_are_those_of_fio() {
        for (text, bytes) in [("4k", 4096), ("512", 512), ("1MiB", 1 << 20), ("2g", 2 << 30), ("1kb", 1024)] {
            assert_eq!(size(text, 1024), Some(bytes), "{text}");
        }
        assert_eq!(size("4k", 1000), Some(4000));
        assert_eq!((size("4x", 1024), size("-1", 1024), size("", 1024)), (None, None, None));
        assert_eq!((time_ns("2m"), time_ns("500ms")), (Some(120_000_000_000), Some(500_000_000)));
        let shares = split("4k/60:64k/", 1024);
        assert_eq!(
            shares,
            Some(Sizes::Split {
                shares: vec![SizeShare { bytes: 4096, share: 0.6 }, SizeShare { bytes: 65536, share: 0.4 }]
            })
        );
    }
}
