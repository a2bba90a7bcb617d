//! The workload that the options of a result ask for, as far as a record can hold it; the rest is named.
//!
//! What they mean is said where jobs become runs of fathom ([`map`]); here is what results alone have: options of the
//! global section beside a job's own, and lists that are not whole.

use fathom_record::{RecordOrigin, Workload};

use crate::fio::fio_job::{Job, JobOption};
use crate::fio::map;
use crate::fio::option_tables::{self, EngineRow};
use crate::fio::value;
use crate::result_import::blank_workload;

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

    /// The job that has these options. Those that no version of fio is known to have are left out.
    fn job(&self) -> Job {
        let all = self.global.iter().chain(self.own);
        let given = all.filter_map(|(name, value)| {
            let value = Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned);
            let row = option_tables::option(name)?;
            Some(JobOption { row, value, place: String::new(), unset: Vec::new() })
        });
        Job { name: String::new(), options: given.collect(), defaults: self.global.len(), after_file: false }
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
        self.engine().and_then(option_tables::engine).is_some_and(EngineRow::does_one_at_a_time)
    }

    /// Clones of the job.
    pub fn clones(&self) -> u32 {
        self.int("numjobs").map_or(1, |n| u32::try_from(n).unwrap_or(u32::MAX).max(1))
    }

    /// Whether I/O went past the page cache.
    pub fn is_direct(&self) -> bool {
        map::is_direct(&self.job()).unwrap_or(false)
    }
}

/// The workload of `jobs` jobs, and in the origin what of it is not told or not held.
pub fn workload(options: &Options<'_>, jobs: u32, origin: &mut RecordOrigin) -> Workload {
    let mut out = blank_workload();
    out.jobs = jobs;
    out.depth = if options.is_synchronous() { 1 } else { options.depth() };
    if options.engine().is_none() && out.depth > 1 {
        let reason = "no engine is named, and fio's default is another on Windows: this is iodepth";
        origin.lacks("workload.depth", reason);
    }
    for (field, why) in map::ask(&options.job(), &mut out) {
        origin.lacks(format!("workload.{field}"), why);
    }
    out.seed = options.int("randseed").unwrap_or(0);
    if options.get(&["randseed"]).is_none() {
        origin.lacks("workload.seed", "the result does not name it");
    }
    out
}

#[cfg(test)]
mod tests {
    use fathom_record::workload::{SizeShare, Sizes};

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
        let mut origin = RecordOrigin::default();
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
        let mut origin = RecordOrigin::default();
        let found = workload(&Options { global: &[], own: &own }, 1, &mut origin);
        assert_eq!(found.depth, 1, "psync has one I/O in flight");
        let absent: Vec<&str> = origin.absent.iter().map(|absent| absent.field.as_str()).collect();
        let expected =
            ["addresses", "mix", "sizes", "arrival", "seed"].map(|name| format!("workload.{name}"));
        assert_eq!(absent, expected);
    }

    fn read(text: &str) -> (Workload, Vec<(String, String)>) {
        let mut origin = RecordOrigin::default();
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
        let found = workload(&Options { global: &global, own: &own }, 1, &mut RecordOrigin::default());
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
