//! A workload as a job file for fio itself.
//!
//! What fio's grammar cannot say of a workload is refused here. Flags that fio has no place for are in its entry of the
//! [list](fathom_record::tool_engines::TOOL_ENGINES), and are refused before: content is not verified here.

use std::fmt::Write as _;

use fathom_record::Workload;
use fathom_record::options::Durability;
use fathom_record::run_plan::RunOptions;
use fathom_record::tool_engines::NO_REPLAY;
use fathom_record::workload::{Addresses, Arrival, Sizes};

use crate::Refusal;

const WHAT: &str = "workload for fio";

/// The job file: a section for each target, whose jobs work on it as fathom's would. `targets` are paths, each
/// with the bytes of the workload's span on it; of the options, what fio has too: the page cache, durability, CPUs.
///
/// # Errors
/// What fio cannot do, or does otherwise, with the reason.
pub fn job_file(
    workload: &Workload,
    targets: &[(String, u64)],
    options: &RunOptions,
) -> Result<String, Refusal> {
    refuse_impossible(workload)?;
    let mut text = "[global]\n".to_owned();
    for (key, value) in global(workload, options)? {
        let _ = writeln!(text, "{key}={value}");
    }
    let count = targets.len().max(1) as u32;
    for (place, (path, span_bytes)) in (0u32..).zip(targets) {
        let jobs = workload.jobs / count + u32::from(place < workload.jobs % count);
        if path.contains(['\n', '\r']) {
            return Err(
                Refusal::new(WHAT, "a job file has no place for a line break in a path").at(path.clone())
            );
        }
        // Colons stand between several files, unless they are escaped.
        let _ = writeln!(text, "\n[target{place}]\nfilename={}\nnumjobs={jobs}", path.replace(':', "\\:"));
        for (key, value) in span(workload, *span_bytes, jobs)? {
            let _ = writeln!(text, "{key}={value}");
        }
    }
    Ok(text)
}

fn refuse(cause: &str, flag: &str, remedy: &str) -> Refusal {
    Refusal::new(WHAT, cause).at(flag).or(remedy)
}

fn refuse_impossible(workload: &Workload) -> Result<(), Refusal> {
    let mix = &workload.mix;
    if mix.trim_share > 0.0 && mix.trim_share < 1.0 && !workload.sizes.rewrites_trimmed {
        return Err(refuse(
            "fio mixes no shares of trims with reads and writes",
            "--trim-share",
            "use an engine of fathom",
        ));
    }
    Ok(())
}

type Lines = Vec<(&'static str, String)>;

fn global(workload: &Workload, options: &RunOptions) -> Result<Lines, Refusal> {
    let mut lines: Lines = vec![
        ("ioengine", if workload.depth > 1 { "libaio" } else { "psync" }.to_owned()),
        ("direct", u8::from(options.direct).to_string()),
        ("thread", "1".to_owned()),
        ("group_reporting", "1".to_owned()),
        ("allow_file_create", "0".to_owned()),
        // A file that is shorter than the job's size is removed by fio before it is laid out anew, also by a job that
        // only reads. One that is opened by its job stays.
        ("create_on_open", "1".to_owned()),
        ("iodepth", workload.depth.to_string()),
        ("randseed", workload.seed.to_string()),
        ("randrepeat", "1".to_owned()),
        ("percentile_list", "1:5:25:50:75:90:95:99:99.9:99.99".to_owned()),
    ];
    lines.extend(kind(workload)?);
    lines.extend(addresses(workload)?);
    lines.extend(sizes(workload)?);
    lines.extend(data(workload));
    lines.extend(length(workload)?);
    lines.extend(arrival(workload)?);
    if let Some(durable) = options.durable {
        let sync = match durable {
            Durability::Data => "dsync",
            Durability::All => "sync",
        };
        lines.push(("sync", sync.to_owned()));
    }
    if workload.mix.flush_every_writes > 0 {
        lines.push(("fdatasync", workload.mix.flush_every_writes.to_string()));
    }
    if let Some(cpus) = options.cpus.as_ref().filter(|cpus| !cpus.is_empty()) {
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        lines.push(("cpus_allowed", cpus.join(",")));
        lines.push(("cpus_allowed_policy", "split".to_owned()));
    }
    Ok(lines)
}

fn kind(workload: &Workload) -> Result<Lines, Refusal> {
    let mix = &workload.mix;
    let random = if workload.addresses.is_foreseeable() { "" } else { "rand" };
    if workload.sizes.rewrites_trimmed {
        return Ok(vec![("rw", format!("{random}trimwrite"))]);
    }
    if mix.trim_share >= 1.0 {
        return Ok(vec![("rw", format!("{random}trim"))]);
    }
    let percent = mix.read_share * 100.0;
    if mix.read_share >= 1.0 {
        return Ok(vec![("rw", format!("{random}read"))]);
    }
    if mix.read_share <= 0.0 {
        return Ok(vec![("rw", format!("{random}write"))]);
    }
    if percent.fract().abs() > 1e-9 {
        return Err(refuse("fio takes shares of whole percents", "--read-share", "round it, e.g. 70%"));
    }
    Ok(vec![("rw", format!("{random}rw")), ("rwmixread", format!("{percent:.0}"))])
}

fn percent(share: f64) -> String {
    format!("{:.2}", share * 100.0).trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn addresses(workload: &Workload) -> Result<Lines, Refusal> {
    let independent = ("norandommap", "1".to_owned());
    let drawn = |text: String| vec![("norandommap", "1".to_owned()), ("random_distribution", text)];
    Ok(match &workload.addresses {
        Addresses::RandomCycle => vec![("random_generator", "lfsr".to_owned())]
            .into_iter()
            .filter(|_| fixed(workload).is_some())
            .collect(),
        Addresses::RandomIndependent => vec![independent, ("random_generator", "tausworthe64".to_owned())],
        Addresses::Sequential => Vec::new(),
        Addresses::Interlocked if workload.jobs == 1 => Vec::new(),
        Addresses::Interlocked => {
            return Err(refuse(
                "jobs of fio share no position",
                "--addresses interlocked",
                "use an engine of fathom",
            ));
        }
        Addresses::Parts { part_bytes, gap_bytes } if workload.jobs == 1 => vec![
            ("zonemode", "strided".to_owned()),
            ("zonesize", part_bytes.to_string()),
            ("zoneskip", gap_bytes.to_string()),
        ],
        Addresses::Strided { .. }
        | Addresses::Backwards { .. }
        | Addresses::Parts { .. }
        | Addresses::Laps { step_bytes: Some(_), .. } => {
            return Err(refuse(
                "fio's strides go on differently at the end",
                "--addresses",
                "use an engine of fathom",
            ));
        }
        Addresses::Laps { jump_share, .. } if *jump_share > 0.0 => {
            vec![independent, ("percentage_random", percent(*jump_share))]
        }
        Addresses::Laps { .. } => Vec::new(),
        Addresses::Zipf { exponent } => drawn(format!("zipf:{exponent}")),
        Addresses::Pareto { skew } => drawn(format!("pareto:{skew}")),
        Addresses::Normal { deviation } => drawn(format!("normal:{}", percent(*deviation))),
        Addresses::HotSpot(spot) => drawn(format!(
            "zoned:{}/{}:{}/{}",
            percent(spot.access_share),
            percent(spot.span_share),
            percent(1.0 - spot.access_share),
            percent(1.0 - spot.span_share)
        )),
        Addresses::Traced(_) => {
            return Err(refuse(NO_REPLAY.cause, "--replay", NO_REPLAY.remedy));
        }
        Addresses::Zoned { zones } => {
            let zones =
                zones.iter().map(|z| format!("{}/{}", percent(z.access_share), percent(z.span_share)));
            drawn(format!("zoned:{}", zones.collect::<Vec<_>>().join(":")))
        }
    })
}

fn fixed(workload: &Workload) -> Option<u64> {
    match (&workload.sizes.read, &workload.sizes.write) {
        (Sizes::Fixed { bytes }, Sizes::Fixed { bytes: other }) if bytes == other => Some(*bytes),
        _ => None,
    }
}

fn sizes(workload: &Workload) -> Result<Lines, Refusal> {
    let each = [&workload.sizes.read, &workload.sizes.write, &workload.sizes.trim];
    let mut lines = Vec::new();
    if let Some(alignment) = workload.alignment_bytes {
        lines.push(("blockalign", alignment.to_string()));
    }
    if each.iter().all(|sizes| matches!(sizes, Sizes::Fixed { .. })) {
        let texts: Vec<String> = each.iter().map(|sizes| sizes.max_bytes().to_string()).collect();
        lines.push(("bs", texts.join(",")));
        return Ok(lines);
    }
    if each.iter().any(|sizes| matches!(sizes, Sizes::Split { .. })) {
        let texts = each.iter().map(|sizes| match sizes {
            Sizes::Fixed { bytes } => Ok(format!("{bytes}/100")),
            Sizes::Split { shares } => {
                let parts = shares.iter().map(|part| format!("{}/{:.0}", part.bytes, part.share * 100.0));
                Ok(parts.collect::<Vec<_>>().join(":"))
            }
            Sizes::Range { .. } => {
                Err(refuse("fio takes ranges or splits of sizes, not both", "--bs", "use one of them"))
            }
        });
        lines.push(("bssplit", texts.collect::<Result<Vec<_>, _>>()?.join(",")));
        return Ok(lines);
    }
    let texts = each.iter().map(|sizes| match sizes {
        Sizes::Range { min_bytes, step_bytes, .. } if min_bytes != step_bytes => Err(refuse(
            "sizes of a range are multiples of the smallest to fio",
            "--bs",
            "use it as the step too",
        )),
        sizes => Ok(format!("{}-{}", sizes.min_bytes(), sizes.max_bytes())),
    });
    lines.push(("bsrange", texts.collect::<Result<Vec<_>, _>>()?.join(",")));
    Ok(lines)
}

fn data(workload: &Workload) -> Lines {
    if workload.mix.read_share >= 1.0 || workload.mix.trim_share >= 1.0 {
        return Vec::new();
    }
    let mut lines = vec![("refill_buffers", "1".to_owned())];
    let data = &workload.data;
    if data.compressible_share > 0.0 {
        lines.push(("buffer_compress_percentage", format!("{:.0}", data.compressible_share * 100.0)));
        lines.push(("buffer_compress_chunk", "4096".to_owned()));
    }
    if data.duplicate_share > 0.0 {
        lines.push(("dedupe_percentage", format!("{:.0}", data.duplicate_share * 100.0)));
    }
    lines
}

fn length(workload: &Workload) -> Result<Lines, Refusal> {
    let length = &workload.length;
    // fio counts a trim and the write of what it trimmed once.
    let each = if workload.sizes.rewrites_trimmed { 2 } else { 1 };
    let jobs = u64::from(workload.jobs.max(1)) * each;
    let mut lines = Vec::new();
    let ms = |ns: u64| format!("{}ms", ns.div_ceil(1_000_000));
    if let Some(time_ns) = length.time_ns {
        lines.push(("runtime", ms(time_ns)));
        lines.push(("time_based", "1".to_owned()));
    }
    if length.warmup_ns > 0 {
        if length.time_ns.is_none() {
            return Err(refuse(
                "fio warms up before a time, not before a count",
                "--warmup",
                "add --time, or --warmup 0s",
            ));
        }
        lines.push(("ramp_time", ms(length.warmup_ns)));
    }
    if let Some(operations) = length.operations {
        lines.push(("number_ios", operations.div_ceil(jobs).to_string()));
    }
    if let Some(bytes) = length.bytes {
        lines.push(("io_size", bytes.div_ceil(jobs).to_string()));
    }
    Ok(lines)
}

fn arrival(workload: &Workload) -> Result<Lines, Refusal> {
    let jobs = f64::from(workload.jobs.max(1));
    let (rate, process) = match workload.arrival {
        Arrival::Closed => return Ok(Vec::new()),
        Arrival::Pausing { after_operations, pause_ns } => {
            let micros = pause_ns / 1000;
            if micros == 0 || pause_ns % 1000 != 0 {
                return Err(refuse("fio pauses for whole microseconds", "--pause", "use a multiple of 1us"));
            }
            return Ok(vec![
                ("thinktime", micros.to_string()),
                ("thinktime_blocks", after_operations.to_string()),
            ]);
        }
        Arrival::PerDirection { read_per_s, write_per_s, poisson } => {
            let rate = |rate: Option<f64>| rate.map_or(String::new(), |rate| format!("{:.0}", rate / jobs));
            let mut lines = vec![("rate_iops", format!("{},{}", rate(read_per_s), rate(write_per_s)))];
            if poisson {
                lines.push(("rate_process", "poisson".to_owned()));
            }
            return Ok(lines);
        }
        Arrival::Constant { rate_per_s } => (rate_per_s, "linear"),
        Arrival::Poisson { rate_per_s } => (rate_per_s, "poisson"),
        Arrival::Ramp { .. } | Arrival::Steps { .. } | Arrival::Traced { .. } => {
            return Err(refuse(
                "fio's rates do not change",
                "--arrival ramp or --rates",
                "use constant or poisson",
            ));
        }
    };
    let each = rate / jobs;
    if each < 1.0 || each.fract() > 1e-6 {
        return Err(refuse(
            "fio takes a whole number of I/Os per second for each job",
            "--rate",
            "use a multiple of --jobs",
        ));
    }
    let whole_reads = workload.mix.read_share >= 1.0 || workload.mix.read_share <= 0.0;
    if !whole_reads {
        return Err(refuse(
            "fio limits reads and writes apart, not together",
            "--rate",
            "measure one direction",
        ));
    }
    Ok(vec![("rate_iops", format!("{each:.0}")), ("rate_process", process.to_owned())])
}

/// Where the jobs of one target work.
fn span(workload: &Workload, span_bytes: u64, jobs: u32) -> Result<Lines, Refusal> {
    let (offset, jobs) = (workload.offset_bytes, u64::from(jobs.max(1)));
    let unit = workload
        .alignment_bytes
        .unwrap_or(0)
        .max(workload.sizes.read.max_bytes())
        .max(workload.sizes.write.max_bytes());
    let mut lines = vec![("offset", offset.to_string())];
    match workload.addresses {
        // Each job in its own equal part.
        Addresses::Sequential if jobs > 1 => {
            let part = span_bytes / jobs / unit.max(1) * unit.max(1);
            if part == 0 {
                return Err(refuse("the target is too small for a part for each job", "--jobs", "use fewer"));
            }
            lines.push(("size", part.to_string()));
            lines.push(("offset_increment", part.to_string()));
        }
        Addresses::Laps { apart_bytes, .. } if apart_bytes > 0 && jobs > 1 => {
            return Err(refuse(
                "jobs of fio that start apart do not reach what lies before",
                "--addresses laps",
                "leave apart out",
            ));
        }
        _ => lines.push(("size", span_bytes.to_string())),
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result_import::blank_workload;
    use fathom_record::workload::{Length, Mix};

    type Change = fn(&mut Workload);

    fn workload() -> Workload {
        Workload {
            mix: Mix { read_share: 0.7, trim_share: 0.0, flush_every_writes: 0 },
            jobs: 3,
            depth: 16,
            length: Length { time_ns: Some(10_000_000_000), warmup_ns: 2_000_000_000, ..Length::default() },
            seed: 42,
            ..blank_workload()
        }
    }

    #[test]
    fn jobs_are_spread_over_targets_as_fathom_does() {
        let targets = [("/mnt/a:b".to_owned(), 1 << 30), ("/dev/x".to_owned(), 1 << 30)];
        let text = job_file(&workload(), &targets, &RunOptions::default()).expect("a job file");
        for line in [
            "rw=randrw",
            "rwmixread=70",
            "iodepth=16",
            "runtime=10000ms",
            "ramp_time=2000ms",
            "bs=4096,4096,4096",
            "filename=/mnt/a\\:b\nnumjobs=2",
            "filename=/dev/x\nnumjobs=1",
            "size=1073741824",
            "allow_file_create=0",
            "create_on_open=1",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn sequential_jobs_have_a_part_each() {
        let workload = Workload { addresses: Addresses::Sequential, ..workload() };
        let text =
            job_file(&workload, &[("/f".to_owned(), 30 << 20)], &RunOptions::default()).expect("a job file");
        assert!(
            text.contains("rw=rw\n") && text.contains("size=10485760\noffset_increment=10485760"),
            "{text}"
        );
    }

    #[test]
    fn what_fio_does_otherwise_is_refused() {
        let cases: [(&str, Change); 5] = [
            ("--addresses interlocked", |w| w.addresses = Addresses::Interlocked),
            ("--addresses", |w| w.addresses = Addresses::Strided { stride_bytes: 8192 }),
            ("--trim-share", |w| w.mix.trim_share = 0.1),
            ("--rate", |w| w.arrival = Arrival::Constant { rate_per_s: 3000.0 }),
            ("--read-share", |w| w.mix.read_share = 0.333),
        ];
        for (flag, change) in cases {
            let mut workload = workload();
            change(&mut workload);
            let refusal =
                job_file(&workload, &[("/f".to_owned(), 1 << 30)], &RunOptions::default()).expect_err(flag);
            assert_eq!(refusal.place, flag);
        }
    }
}
