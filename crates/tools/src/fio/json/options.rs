//! The workload that fio's options ask for, as far as a record can hold it; the rest is named.

use fathom_record::workload::{
    Addresses, Data, HotSpot, Length, Mix, SizeShare, Sizes, SizesByDirection, Verify, Zone,
};
use fathom_record::{Origin, Workload};

use crate::fio::value::{self, KiloBase};
use crate::import::blank_workload;

/// Options by which the loop of a job is held back.
pub const HOLDING_BACK: [&str; 4] = ["rate", "rate_iops", "thinktime", "latency_target"];

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

    /// Whether a flag is set: alone, or with a yes or a number other than 0.
    pub fn flag(&self, name: &str) -> bool {
        self.get(&[name]).is_some_and(|text| value::boolean(Some(text)).unwrap_or(true))
    }

    /// Whether a later option is the other of two that mean the same, so that it decides.
    fn is_later(&self, name: &str, other: &str) -> bool {
        let rank = |name: &str| {
            let place = |list: &[(String, String)]| list.iter().rposition(|(known, _)| known == name);
            place(self.own).map(|at| (1, at)).or_else(|| place(self.global).map(|at| (0, at)))
        };
        rank(name) > rank(other)
    }

    /// A number with a point.
    fn number(&self, name: &str) -> Option<f64> {
        self.get(&[name])?.trim().parse().ok()
    }

    /// A whole number as fio reads it.
    fn int(&self, name: &str) -> Option<u64> {
        value::int(self.get(&[name])?).ok()
    }

    /// I/Os that one job keeps in flight.
    pub fn depth(&self) -> u32 {
        self.int("iodepth").map_or(1, |n| u32::try_from(n).unwrap_or(u32::MAX).max(1))
    }

    /// fio's engine: where none is named it is psync, but on Windows, where a path of Unix cannot be.
    pub fn engine(&self) -> Option<&'a str> {
        let named = self.get(&["ioengine"]);
        named.or_else(|| self.is_of_unix().then_some("psync"))
    }

    /// Whether the target is a path that Windows does not have.
    fn is_of_unix(&self) -> bool {
        let path = self.get(&["filename"]).or_else(|| self.get(&["directory"])).unwrap_or_default();
        // A backslash before a colon takes its meaning from it, and stands in paths of both.
        let bare = path.replace("\\:", ":");
        let has_drive =
            bare.as_bytes().get(1) == Some(&b':') && bare.starts_with(|c: char| c.is_ascii_alphabetic());
        bare.contains('/') && !bare.contains('\\') && !has_drive
    }

    /// Whether a path or an engine is of Windows.
    pub fn is_of_windows(&self) -> bool {
        let path = self.get(&["filename"]).or_else(|| self.get(&["directory"])).unwrap_or_default();
        self.get(&["ioengine"]) == Some("windowsaio") || path.replace("\\:", ":").contains('\\')
    }

    /// Whether the engine has one I/O in flight whatever depth is asked for; unknown where it is not named.
    pub fn is_synchronous(&self) -> bool {
        const SYNCHRONOUS: [&str; 9] =
            ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "ftruncate", "falloc"];
        self.engine().is_some_and(|engine| SYNCHRONOUS.contains(&engine))
    }

    /// Clones of the job.
    pub fn clones(&self) -> u32 {
        self.int("numjobs").map_or(1, |n| u32::try_from(n).unwrap_or(u32::MAX).max(1))
    }

    /// What a bare `k` is.
    fn kilo(&self) -> KiloBase {
        match self.get(&["kb_base"]).map(str::trim) {
            Some("1000") => KiloBase::Decimal,
            _ => KiloBase::Binary,
        }
    }
}

/// Values by fio's own grammar, and in the origin those that cannot be told.
struct Values<'a, 'o> {
    options: &'a Options<'a>,
    origin: &'o mut Origin,
}

impl Values<'_, '_> {
    fn read<T>(
        &mut self,
        field: &str,
        names: &[&str],
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.options.get(names)?;
        match read(text) {
            Ok(value) => Some(value),
            Err(cause) => {
                let name = names.first().copied().unwrap_or_default();
                self.origin.lacks(format!("workload.{field}"), format!("{name}={text}: {cause}"));
                None
            }
        }
    }

    fn bytes(&mut self, field: &str, names: &[&str]) -> Option<u64> {
        let kilo = self.options.kilo();
        self.read(field, names, |text| value::bytes(text, kilo))
    }

    fn time_ns(&mut self, field: &str, names: &[&str]) -> Option<u64> {
        self.read(field, names, |text| value::time_ns(text, true))
    }
}

/// The workload of `jobs` jobs, and in the origin what of it is not told or not held.
pub fn workload(options: &Options<'_>, jobs: u32, origin: &mut Origin) -> Workload {
    let mut out = blank_workload();
    let mut unsaid = Vec::new();
    out.jobs = jobs;
    out.depth = if options.is_synchronous() { 1 } else { options.depth() };
    if options.engine().is_none() && out.depth > 1 {
        let reason = "no engine is named, and fio's default is another on Windows: this is iodepth";
        origin.lacks("workload.depth", reason);
    }
    match options.get(&["rw", "readwrite"]) {
        Some(rw) => (out.mix, out.addresses) = pattern(options, rw, origin),
        None => unsaid.push("mix"),
    }
    match sizes(options) {
        Some(sizes) => out.sizes = sizes,
        // fio's default is what the record's guess is: 4 KiB.
        None if SIZES.iter().all(|names| options.get(names).is_none()) => {}
        None => unsaid.push("sizes"),
    }
    let mut values = Values { options, origin };
    out.span_bytes = values.bytes("span_bytes", &["size"]);
    out.offset_bytes = values.bytes("offset_bytes", &["offset"]).unwrap_or(0);
    out.alignment_bytes = values.bytes("alignment_bytes", &["blockalign", "ba"]);
    out.data = data(options);
    out.length = Length {
        time_ns: values.time_ns("length.time_ns", &["runtime", "timeout"]),
        operations: options.int("number_ios"),
        bytes: values.bytes("length.bytes", &["io_size", "io_limit"]),
        warmup_ns: values.time_ns("length.warmup_ns", &["ramp_time"]).unwrap_or(0),
    };
    out.seed = options.int("randseed").unwrap_or(0);
    for field in unsaid {
        origin.lacks(
            format!("workload.{field}"),
            "the result does not name it, or not in a form that is known",
        );
    }
    if options.get(&["randseed"]).is_none() {
        origin.lacks("workload.seed", "the result does not name it");
    }
    for limit in HOLDING_BACK {
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
    let percent = |name: &str| options.get(&[name])?.trim().trim_end_matches('%').parse::<f64>().ok();
    let read_percent = if options.is_later("rwmixwrite", "rwmixread") {
        percent("rwmixwrite").map(|write| 100.0 - write)
    } else {
        percent("rwmixread")
    };
    let read_percent = read_percent.unwrap_or(50.0);
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
    let flush = options.int("fsync").or_else(|| options.int("fdatasync")).unwrap_or(0);
    let mix = Mix { read_share, trim_share, flush_every_writes: flush };
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

/// The options that say sizes of I/Os: one over which the others go first.
const SIZES: [&[&str]; 3] = [&["bssplit"], &["bsrange", "blocksize_range"], &["bs", "blocksize"]];

/// Sizes of each direction; what is left out between commas has fio's default.
fn sizes(options: &Options<'_>) -> Option<SizesByDirection> {
    let kilo = options.kilo();
    let each = |text: &str, one: &dyn Fn(&str) -> Option<Sizes>| {
        let default = || Some(Sizes::Fixed { bytes: 4096 });
        let [read, write, trim] = value::triple(text).map(|part| part.map_or_else(default, one));
        let (read, write, trim) = (read?, write?, trim?);
        // fio's offsets are multiples of the smallest size of their own direction.
        let own_alignment = read != write || write != trim;
        Some(SizesByDirection { read, write, trim, own_alignment, rewrites_trimmed: false })
    };
    let [splits, ranges, fixed] = SIZES;
    if let Some(text) = options.get(splits) {
        return each(text, &|part| split(part, kilo));
    }
    if let Some(text) = options.get(ranges) {
        return each(text, &|part| range(part, kilo));
    }
    each(options.get(fixed)?, &|part| value::bytes(part, kilo).ok().map(|bytes| Sizes::Fixed { bytes }))
}

fn range(text: &str, kilo: KiloBase) -> Option<Sizes> {
    let (low, high) = text.split_once(['-', ':'])?;
    let (min_bytes, max_bytes) = (value::bytes(low, kilo).ok()?, value::bytes(high, kilo).ok()?);
    if min_bytes == max_bytes {
        return Some(Sizes::Fixed { bytes: min_bytes });
    }
    // fio draws multiples of the smallest size.
    Some(Sizes::Range { min_bytes, max_bytes, step_bytes: min_bytes })
}

/// `4k/60:64k/40`; what has no percentage shares the rest.
fn split(text: &str, kilo: KiloBase) -> Option<Sizes> {
    let parts: Option<Vec<(u64, Option<f64>)>> = text
        .split(':')
        .map(|part| {
            let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
            Some((value::bytes(bytes, kilo).ok()?, percent.trim().parse().ok()))
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

    fn read(text: &str) -> (Workload, Vec<(String, String)>) {
        let mut origin = Origin::default();
        let own = list(text);
        let found = workload(&Options { global: &[], own: &own }, 1, &mut origin);
        let absent = origin.absent.into_iter().map(|absent| (absent.field, absent.reason));
        (found, absent.filter(|(field, _)| field != "workload.seed").collect())
    }

    #[test]
    fn values_have_fios_own_grammar() {
        // With kb_base=1024 fio takes KiB for 1000, as old job files have it.
        assert_eq!(read("rw=read size=10GiB").0.span_bytes, Some(10_000_000_000));
        assert_eq!(read("rw=read size=10g").0.span_bytes, Some(10 << 30));
        assert_eq!(read("rw=read kb_base=1000 size=10GiB bs=4k").0.span_bytes, Some(10 << 30));
        assert_eq!(read("rw=read kb_base=1000 bs=4k").0.sizes.read, Sizes::Fixed { bytes: 4000 });
        assert_eq!(read("rw=read runtime=2m ramp_time=500ms").0.length.time_ns, Some(120_000_000_000));
        assert_eq!(read("rw=read runtime=(2*3s)").0.length.time_ns, Some(6_000_000_000));
        for (text, field, told) in [
            ("rw=read runtime=30sec", "workload.length.time_ns", "microseconds"),
            ("rw=read size=20%", "workload.span_bytes", "share"),
            ("rw=read size=1.5g", "workload.span_bytes", "whole number"),
        ] {
            let (found, absent) = read(text);
            assert_eq!((found.length.time_ns, found.span_bytes), (None, None), "{text}");
            let [(of, reason)] = absent.as_slice() else { panic!("{text}: {absent:?}") };
            assert!(of == field && reason.contains(told), "{text}: {absent:?}");
        }
    }

    #[test]
    fn the_last_share_decides_and_what_commas_leave_out_is_fios_default() {
        let share = |text: &str| read(text).0.mix.read_share;
        assert!((share("rw=rw rwmixread=70 rwmixwrite=90") - 0.1).abs() < 1e-12);
        assert!((share("rw=rw rwmixwrite=90 rwmixread=70") - 0.7).abs() < 1e-12);
        let (global, own) = (list("rwmixread=70"), list("rw=randrw rwmixwrite=20"));
        let found = workload(&Options { global: &global, own: &own }, 1, &mut Origin::default());
        assert!((found.mix.read_share - 0.8).abs() < 1e-12, "a job's own goes over the global one");
        let fixed = |bytes| Sizes::Fixed { bytes };
        let sizes = read("rw=rw bs=8k,64k,").0.sizes;
        assert_eq!([sizes.read, sizes.write, sizes.trim], [8192, 65536, 4096].map(fixed));
        let sizes = read("rw=rw bs=8k,64k").0.sizes;
        assert_eq!([sizes.read, sizes.write, sizes.trim], [8192, 65536, 65536].map(fixed));
        let shares = read("rw=read bssplit=4k/60:64k/").0.sizes.read;
        let expected = vec![SizeShare { bytes: 4096, share: 0.6 }, SizeShare { bytes: 65536, share: 0.4 }];
        assert_eq!(shares, Sizes::Split { shares: expected });
    }

    #[test]
    fn without_an_engine_a_target_of_unix_alone_says_psync() {
        let of = |text: &str| {
            let (found, absent) = read(&format!("rw=read iodepth=512 {text}"));
            (found.depth, absent.iter().any(|(field, _)| field == "workload.depth"))
        };
        assert_eq!(of("filename=/dev/sdb"), (1, false));
        assert_eq!(of("directory=./data"), (1, false));
        assert_eq!(of(r"filename=.\data.bin"), (512, true));
        assert_eq!(of(r"filename=D\:/data.bin"), (512, true));
        assert_eq!(of(""), (512, true));
        assert_eq!(of("ioengine=windowsaio filename=data"), (512, false));
        let name = |text: &str| Options { global: &[], own: &list(text) }.is_of_windows();
        assert!(name(r"filename=C\:\a") && name("ioengine=windowsaio") && !name(r"filename=/a\:b"));
    }
}
