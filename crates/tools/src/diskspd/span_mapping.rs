//! A time span as a run of fathom, with what it changes and why some cannot be one.

use fathom_record::engine_list::ENGINES;
use fathom_record::options::Durability;
use fathom_record::run_plan::{RunOptions, RunPlan};
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify, Workload,
};

use super::caching::{CacheMode, Flush};
use super::drive_mapping::{Drives, is_virtual};
use super::span_profile::{Content, Limit, Target, TimeSpan};
use crate::Refusal;

/// What becomes of a time span.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedSpan {
    /// The run, on targets of this machine.
    pub run: RunPlan,
    /// Its targets as diskspd names them.
    pub paths: Vec<String>,
    /// Size of the files that are made.
    pub create_bytes: Option<u64>,
    /// What is not as diskspd would do it, as sentences.
    pub notes: Vec<String>,
}

const WHAT: &str = "workload of diskspd";
const ITSELF: &str = "to have diskspd itself run it, put --engine diskspd before the flags";

/// diskspd's repeated bytes 0 to 255 hold so much of each 4 KiB.
const COUNTING_COMPRESSIBLE: f64 = 1.0 - 256.0 / 4096.0;

/// Maps one time span. `size_of` tells the size of a target of this machine that exists.
///
/// # Errors
/// What the engines here cannot do, with the reason and what to type.
pub fn map(
    span: &TimeSpan,
    drives: &Drives,
    size_of: &dyn Fn(&str) -> Option<u64>,
) -> Result<MappedSpan, Refusal> {
    let first = span.targets.first().ok_or_else(|| Refusal::new(WHAT, "it names no target"))?;
    let mut notes = Vec::new();
    let paths: Vec<String> = span.targets.iter().map(|target| target.path.clone()).collect();
    let targets = paths.iter().map(|path| drives.local(path)).collect::<Result<Vec<_>, _>>()?;
    let all_virtual = targets.iter().all(|target| is_virtual(target));
    let known_bytes = || targets.iter().filter_map(|target| size_of(target)).min();
    let workload = workload_of(span, &known_bytes, &mut notes)?;
    remark(span, first, &mut notes);
    if all_virtual && (first.caching.mapped || first.caching.mode == CacheMode::Cached) {
        notes.push("The target has no page cache; -S and -N change nothing on it.".to_owned());
    }
    let mapped = !all_virtual && first.caching.mapped;
    let durable = !all_virtual && !mapped && first.caching.write_through && first.write_percent > 0;
    let options = RunOptions {
        direct: all_virtual || first.caching.mode == CacheMode::Unbuffered,
        durable: durable.then_some(Durability::Data),
        cpus: processors(span)?,
        ..RunOptions::default()
    };
    // What is mapped goes through the page cache, as by the engine that always does.
    let mapping = ENGINES.iter().find(|entry| entry.through_cache).filter(|_| mapped);
    let engine = mapping.map(|entry| entry.name.to_owned());
    Ok(MappedSpan {
        run: RunPlan { targets, engine, workload, options },
        paths,
        create_bytes: first.create_bytes.filter(|_| !all_virtual),
        notes,
    })
}

/// The workload of a time span. `size` is that of the smallest target, where it is known; it matters to
/// distributions in bytes alone.
///
/// # Errors
/// What no workload says.
pub fn workload_of(
    span: &TimeSpan,
    size: &dyn Fn() -> Option<u64>,
    notes: &mut Vec<String>,
) -> Result<Workload, Refusal> {
    let first = span.targets.first().ok_or_else(|| Refusal::new(WHAT, "it names no target"))?;
    refuse_differences(span, first)?;
    refuse_impossible(span, first)?;
    let span_bytes = span_bytes(first)?;
    let known_bytes = span_bytes.or_else(|| size()?.checked_sub(first.base_bytes));
    let jobs = jobs(span, first, notes)?;
    let per_target = span.threads_of(first);
    let workload = Workload {
        mix: Mix {
            read_share: 1.0 - first.write_percent.min(100) as f64 / 100.0,
            trim_share: 0.0,
            flush_every_writes: u64::from(
                first.caching.flush == Some(Flush::View) && first.write_percent > 0,
            ),
        },
        addresses: addresses(first, per_target, known_bytes)?,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: first.block_bytes }),
        offset_bytes: first.base_bytes,
        span_bytes,
        alignment_bytes: alignment(first, per_target),
        data: data(span, first, notes),
        arrival: arrival(first, jobs),
        jobs,
        depth: u32::try_from(depth(span, first)).unwrap_or(u32::MAX),
        length: Length {
            time_ns: Some(span.duration_s.saturating_mul(1_000_000_000)),
            warmup_ns: span.warmup_s.saturating_mul(1_000_000_000),
            ..Length::default()
        },
        seed: span.seed,
        special: None,
    };
    let wrong =
        |field: &'static str, problem: String| Refusal::new(WHAT, problem).at(flag_of(field)).or(ITSELF);
    workload.validate().map_err(|error| wrong(error.kind.key(), error.cause))?;
    Ok(workload)
}

/// diskspd's flag for a field of a plan.
fn flag_of(field: &str) -> &'static str {
    match field {
        "bs" => "-b",
        "depth" => "-o",
        "jobs" => "-t",
        "align" => "-r",
        "time" => "-d",
        "size" => "-f",
        _ => "the access pattern",
    }
}

fn refuse_differences(span: &TimeSpan, first: &Target) -> Result<(), Refusal> {
    let alike = |target: &&Target| Target { path: first.path.clone(), ..(*target).clone() } != *first;
    match span.targets.iter().find(alike) {
        None => Ok(()),
        Some(other) => {
            Err(Refusal::new(WHAT, "its targets are not treated alike, and one run has one workload")
                .at(format!("targets `{}` and `{}`", first.path, other.path))
                .or(ITSELF))
        }
    }
}

/// What no engine here does.
fn refuse_impossible(span: &TimeSpan, target: &Target) -> Result<(), Refusal> {
    let writes = target.write_percent > 0;
    let buffer_of_file = matches!(&target.content, Content::Buffer { file: Some(_), .. });
    let pooled = span.threads > 0 && span.outstanding > 0;
    let mixed = (1..100).contains(&target.random_percent);
    let cases = [
        (target.burst > 0, "-i and -j", "the engines here issue no bursts with pauses between them"),
        (
            target.parallel,
            "-p",
            "the engines here do not give one offset to all outstanding I/Os of a thread",
        ),
        (
            writes && buffer_of_file,
            "-Z",
            "the engines here make what they write, and do not take it from a file",
        ),
        (
            pooled && span.targets.len() > 1,
            "-O",
            "a job here has one target, and -O spreads a thread's I/Os over all",
        ),
        (target.some_threads, "ThreadTargets", "each job here works on one target, in turn"),
        (
            mixed && target.distribution.is_some(),
            "-rd with -rs",
            "jumps here go anywhere on the target alike",
        ),
        (
            target.interlocked && span.threads_of(target) > 1 && target.step() != target.block_bytes,
            "-si",
            "threads that share a position here move it by whole blocks",
        ),
        (
            matches!(target.caching.flush, Some(Flush::Memory | Flush::MemoryNoDrain)),
            "-N",
            "the engines here flush a mapping through the system, not through the CPU's caches",
        ),
    ];
    match cases.iter().find(|(there, ..)| *there) {
        None => Ok(()),
        Some((_, flag, cause)) => Err(Refusal::new(WHAT, *cause).at(*flag).or(ITSELF)),
    }
}

fn span_bytes(target: &Target) -> Result<Option<u64>, Refusal> {
    let end = match (target.end_bytes, target.create_bytes) {
        (Some(end), Some(made)) => Some(end.min(made)),
        (end, made) => end.or(made),
    };
    let Some(end) = end else { return Ok(None) };
    match end.checked_sub(target.base_bytes) {
        Some(bytes) if bytes >= target.block_bytes => Ok(Some(bytes)),
        _ => Err(Refusal::new(WHAT, "the part of the target that is used does not hold one block")
            .at("-B, -b, -c and -f")),
    }
}

fn jobs(span: &TimeSpan, target: &Target, notes: &mut Vec<String>) -> Result<u32, Refusal> {
    let targets = span.targets.len() as u64;
    let jobs = span.threads_of(target).saturating_mul(targets);
    if span.threads > 0 && targets > 1 {
        notes.push(format!(
            "-F: {jobs} jobs with one target each stand for {} threads that each work on {targets} targets.",
            span.threads
        ));
    }
    u32::try_from(jobs)
        .map_err(|_| Refusal::new(WHAT, "that many threads are not a workload").at("-t and -F"))
}

fn depth(span: &TimeSpan, target: &Target) -> u64 {
    if span.threads > 0 && span.outstanding > 0 { span.outstanding } else { target.outstanding }
}

fn addresses(target: &Target, threads: u64, bytes: Option<u64>) -> Result<Addresses, Refusal> {
    let step_bytes = target.step_bytes.filter(|step| *step != target.block_bytes);
    Ok(match (target.random_percent, &target.distribution) {
        (100.., None) => Addresses::RandomIndependent,
        (100.., Some(distribution)) => {
            let zones = distribution.zones(bytes).map_err(|fault| fault.of(WHAT).at("-rd"))?;
            Addresses::Zoned { zones }
        }
        (0, _) if target.interlocked && threads > 1 => Addresses::Interlocked,
        (0, _) if threads == 1 && step_bytes.is_none() && matches!(target.write_percent, 0 | 100) => {
            Addresses::Sequential
        }
        (percent, _) => Addresses::Laps {
            step_bytes,
            apart_bytes: target.thread_stride_bytes,
            jump_share: percent as f64 / 100.0,
        },
    })
}

/// Unit of offsets; absent: the block.
fn alignment(target: &Target, threads: u64) -> Option<u64> {
    let unit = match target.random_percent {
        100.. => target.step(),
        _ if threads > 1 && target.thread_stride_bytes > 0 => {
            gcd(gcd(target.block_bytes, target.step()), target.thread_stride_bytes)
        }
        _ => gcd(target.block_bytes, target.step()),
    };
    (unit != target.block_bytes).then_some(unit)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn data(span: &TimeSpan, target: &Target, notes: &mut Vec<String>) -> Data {
    let (compressible_share, duplicate_share) = match &target.content {
        _ if target.write_percent == 0 => (0.0, 0.0),
        _ if span.random_write_data => (0.0, 0.0),
        Content::Zeros => (1.0, 0.0),
        Content::Counting => {
            notes.push(
                "For diskspd's bytes 0 to 255 over and over, 256 bytes of each 4 KiB are written that do not \
                 compress, and the rest zeros, in 16 contents that repeat: compression and deduplication gain as much."
                    .to_owned(),
            );
            (COUNTING_COMPRESSIBLE, 1.0)
        }
        Content::Buffer { bytes, .. } => {
            notes.push(format!(
                "-Z: every write is new here; diskspd takes writes from one random buffer of {bytes} bytes, so \
                 that their parts repeat."
            ));
            (0.0, 0.0)
        }
    };
    Data { compressible_share, duplicate_share, verify: Verify::Off }
}

fn arrival(target: &Target, jobs: u32) -> Arrival {
    let of_thread = match target.limit {
        None => return Arrival::Closed,
        Some(Limit::PerS(rate)) => rate as f64,
        Some(Limit::BytesPerMs(bytes)) => bytes as f64 * 1000.0 / target.block_bytes as f64,
    };
    Arrival::Constant { rate_per_s: of_thread * f64::from(jobs) }
}

fn processors(span: &TimeSpan) -> Result<Option<Vec<u32>>, Refusal> {
    if span.no_affinity {
        return Ok(Some(Vec::new()));
    }
    if let Some((group, _)) = span.affinity.iter().find(|(group, _)| *group > 0) {
        let cause = format!("this system has no processor groups, and {group} is not the first");
        return Err(Refusal::new(WHAT, cause).at("-ag").or("number the CPUs from 0 on, e.g. -a0,1,70"));
    }
    let processors: Vec<u32> = span.affinity.iter().filter_map(|(_, cpu)| u32::try_from(*cpu).ok()).collect();
    Ok((!processors.is_empty()).then_some(processors))
}

/// What is left out, in a sentence each.
fn remark(span: &TimeSpan, target: &Target, notes: &mut Vec<String>) {
    let interval = span.iops_interval_ms.filter(|interval| *interval != 1000);
    let cases = [
        (
            span.cooldown_s > 0,
            "-C: there is no load after the measurement; it would not be measured.".to_owned(),
        ),
        (
            interval.is_some(),
            format!(
                "-D: the deviation of IOPS is of intervals of 1000 ms, not of {} ms.",
                interval.unwrap_or(0)
            ),
        ),
        (target.priority != 3, "-I: I/Os have the normal priority; the engines here set none.".to_owned()),
        (target.large_pages, "-l: buffers are in pages of the ordinary size.".to_owned()),
        (!target.hints.is_empty(), "-f: hints to the file system of Windows have no place here.".to_owned()),
        (span.completion_routines, "-x: completions are seen as the engine here sees them.".to_owned()),
        (
            target.caching.mode == CacheMode::Remote,
            "-Sr: only caches of this machine are known here; the file goes through them.".to_owned(),
        ),
    ];
    notes.extend(cases.into_iter().filter(|(there, _)| *there).map(|(_, text)| text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diskspd::{Command, read_command};

    fn mapped(line: &str) -> Result<MappedSpan, Refusal> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Command::Run(profile) = read_command(&words, 1).expect(line) else {
            unreachable!("{line} has no profile");
        };
        let drives = Drives::read(["D:=/mnt/d"]).expect("a drive");
        map(&profile.spans[0], &drives, &|_| Some(1 << 30))
    }

    #[test]
    fn a_published_command_becomes_its_workload() {
        let mapping = mapped(r"-b4K -r -o32 -t4 -w0 -d60 -Sh -L -c10G D:\testfile.dat").expect("a workload");
        assert_eq!(mapping.run.targets, ["/mnt/d/testfile.dat"]);
        let workload = &mapping.run.workload;
        assert_eq!((workload.jobs, workload.depth, workload.seed), (4, 32, 0));
        assert_eq!(workload.addresses, Addresses::RandomIndependent);
        assert_eq!((workload.span_bytes, mapping.create_bytes), (Some(10 << 30), Some(10 << 30)));
        assert_eq!(
            (workload.length.time_ns, workload.length.warmup_ns),
            (Some(60_000_000_000), 5_000_000_000)
        );
        let options = &mapping.run.options;
        assert!(options.direct && options.durable.is_none() && mapping.run.engine.is_none());
        assert_eq!(mapping.notes, [""; 0]);
        let writes =
            mapped(r"-b128K -si -o16 -t4 -w100 -d60 -Sh -L -c10G D:\testfile.dat").expect("a workload");
        assert_eq!(writes.run.options.durable, Some(Durability::Data));
        assert_eq!(writes.run.workload.addresses, Addresses::Interlocked);
        assert_eq!(writes.run.workload.mix.write_share(), 1.0);
    }

    #[test]
    fn sequential_threads_go_over_the_whole_target() {
        let addresses = |line: &str| mapped(line).expect(line).run.workload.addresses;
        let laps =
            |step_bytes, apart_bytes, jump_share| Addresses::Laps { step_bytes, apart_bytes, jump_share };
        assert_eq!(addresses("-w0 x"), Addresses::Sequential);
        assert_eq!(addresses("-t4 x"), laps(None, 0, 0.0));
        assert_eq!(addresses("-t4 -T1M x"), laps(None, 1 << 20, 0.0));
        assert_eq!(addresses("-s8K -b4K x"), laps(Some(8192), 0, 0.0));
        assert_eq!(addresses("-rs25 -b4K x"), laps(None, 0, 0.25));
        assert_eq!(addresses("-w30 x"), laps(None, 0, 0.0), "reads and writes share a position");
        let close = mapped("-b256K -si4K -t1 -o64 x").expect("a workload").run.workload;
        assert_eq!((close.addresses, close.alignment_bytes), (laps(Some(4096), 0, 0.0), Some(4096)));
    }

    #[test]
    fn limits_are_of_each_thread_on_each_target() {
        let rate = |line: &str| mapped(line).expect(line).run.workload.arrival;
        assert_eq!(rate("-b4K -g100i -t4 a b"), Arrival::Constant { rate_per_s: 800.0 });
        assert_eq!(rate("-b64K -g6554 x"), Arrival::Constant { rate_per_s: 6554.0 * 1000.0 / 65536.0 });
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_the_reason() {
        for (line, flag) in [
            ("-i10 -j5 x", "-i and -j"),
            ("-p x", "-p"),
            ("-w50 -Z1M,file.bin x", "-Z"),
            ("-F4 -O8 a b", "-O"),
            ("-Sm -Nn x", "-N"),
            ("-ag1,0 x", "-ag"),
            ("-r1000 x", "-r"),
            ("-o100000 x", "-o"),
        ] {
            let refusal = mapped(line).expect_err(line);
            assert_eq!(refusal.place, flag, "{line}: {refusal}");
        }
    }
}
