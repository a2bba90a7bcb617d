//! A workload as a command line for diskspd itself.
//!
//! What diskspd's grammar cannot say of a workload is refused here. Flags that it has no place for are in its entry of
//! the [list](fathom_record::tool_engines::TOOL_ENGINES), and are refused before: content is not verified here.

use fathom_record::Workload;
use fathom_record::workload::{Addresses, Arrival, Sizes};

use crate::Refusal;

const WHAT: &str = "workload for diskspd";

/// The arguments, with XML results. `durable` is write-through, `direct` unbuffered.
///
/// # Errors
/// What diskspd does not do, with the reason.
pub fn arguments(
    workload: &Workload,
    targets: &[String],
    direct: bool,
    durable: bool,
) -> Result<Vec<String>, Refusal> {
    let bytes = refuse_impossible(workload)?;
    let refuse = |cause: &str, flag: &str, remedy: &str| Err(Refusal::new(WHAT, cause).at(flag).or(remedy));
    let count = targets.len().max(1) as u32;
    if !workload.jobs.is_multiple_of(count) {
        return refuse("each of its targets has as many threads", "--jobs", "use a multiple of the targets");
    }
    let percent = workload.mix.write_share() * 100.0;
    if (percent - percent.round()).abs() > 1e-9 {
        return refuse("it takes shares of whole percents", "--read-share", "round it, e.g. 70%");
    }
    let threads = workload.jobs / count;
    let mut arguments = vec![
        format!("-b{bytes}"),
        format!("-o{}", workload.depth),
        format!("-t{threads}"),
        format!("-w{percent:.0}"),
        format!("-z{}", workload.seed & 0xffff_ffff),
        "-L".to_owned(),
        "-D".to_owned(),
        "-Rxml".to_owned(),
    ];
    arguments.extend(access(workload, threads)?);
    arguments.extend(length(workload)?);
    match workload.arrival {
        Arrival::Closed => {}
        Arrival::Constant { rate_per_s } if (rate_per_s / f64::from(workload.jobs)).fract() < 1e-9 => {
            arguments.push(format!("-g{:.0}i", rate_per_s / f64::from(workload.jobs)));
        }
        Arrival::Pausing { .. } => {
            return refuse("it has no pauses of that length", "--pause", "use an engine of fathom, or fio");
        }
        _ => {
            return refuse(
                "its limit is a whole number of I/Os per second of each thread",
                "--rate",
                "use a multiple of --jobs",
            );
        }
    }
    match (direct, durable) {
        (true, true) => arguments.push("-Sh".to_owned()),
        (true, false) => arguments.push("-Su".to_owned()),
        (false, true) => arguments.push("-Sw".to_owned()),
        (false, false) => {}
    }
    if workload.mix.write_share() > 0.0 {
        match (workload.data.compressible_share, workload.data.duplicate_share) {
            (0.0, 0.0) => arguments.push("-Zr".to_owned()),
            (1.0, 0.0) => arguments.push("-Z".to_owned()),
            _ => {
                return refuse(
                    "it writes zeros or random data, and nothing between",
                    "--compressible and --duplicate",
                    "leave them out",
                );
            }
        }
    }
    arguments.extend(targets.iter().cloned());
    Ok(arguments)
}

/// What diskspd does not do at all; gives the size of an I/O.
fn refuse_impossible(workload: &Workload) -> Result<u64, Refusal> {
    let refuse = |cause: &str, flag: &str, remedy: &str| Err(Refusal::new(WHAT, cause).at(flag).or(remedy));
    let (Sizes::Fixed { bytes }, Sizes::Fixed { bytes: other }) =
        (&workload.sizes.read, &workload.sizes.write)
    else {
        return refuse("all its I/Os have one size", "--bs", "use one size");
    };
    if bytes != other {
        return refuse("all its I/Os have one size", "--bs", "use one size");
    }
    if workload.mix.trim_share > 0.0 || workload.mix.flush_every_writes > 0 {
        return refuse("it neither trims nor flushes", "--trim-share and --flush-every", "leave them out");
    }
    Ok(*bytes)
}

fn access(workload: &Workload, threads: u32) -> Result<Vec<String>, Refusal> {
    let block = workload.sizes.read.max_bytes();
    let align = workload.alignment_bytes.unwrap_or(block);
    let mut arguments = match &workload.addresses {
        Addresses::RandomIndependent => vec![format!("-r{align}")],
        Addresses::Interlocked => vec!["-si".to_owned()],
        Addresses::Sequential if threads == 1 => vec![format!("-s{block}")],
        Addresses::Laps { step_bytes, apart_bytes, jump_share } => {
            let step = step_bytes.unwrap_or(block);
            let mut access = if *jump_share > 0.0 {
                vec![format!("-rs{:.0}", jump_share * 100.0), format!("-r{step}")]
            } else {
                vec![format!("-s{step}")]
            };
            if *apart_bytes > 0 {
                access.push(format!("-T{apart_bytes}"));
            }
            access
        }
        _ => {
            return Err(Refusal::new(WHAT, "it has no such access pattern")
                .at("--addresses")
                .or("use independent, interlocked or laps"));
        }
    };
    match (workload.offset_bytes, workload.span_bytes) {
        (0, None) => {}
        (offset, None) => arguments.push(format!("-B{offset}")),
        (offset, Some(span)) => arguments.push(format!("-B{offset}:{span}")),
    }
    Ok(arguments)
}

fn length(workload: &Workload) -> Result<Vec<String>, Refusal> {
    let length = &workload.length;
    let seconds = |ns: u64| ns.div_ceil(1_000_000_000);
    match length.time_ns {
        Some(time_ns) if length.operations.is_none() && length.bytes.is_none() => {
            Ok(vec![format!("-d{}", seconds(time_ns).max(1)), format!("-W{}", seconds(length.warmup_ns))])
        }
        _ => Err(Refusal::new(WHAT, "it runs for a time").at("--count and --bytes").or("use --time alone")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diskspd::{Command, Drives, map, read_command};

    #[test]
    fn what_is_written_for_diskspd_maps_back_to_the_workload() {
        for line in [
            "-b4K -r -o32 -t4 -w30 -d60 -Sh -Zr -B1M:1G x",
            "-b64K -si -o2 -t2 -w0 -d5 -W1 -Su x y",
            "-b8K -rs25 -t2 -w100 -Z -d5 -g100i x",
            "-b8K -s16K -t2 -T1M -w0 -d5 x",
        ] {
            let mapped = |words: &[String]| {
                let Ok(Command::Run(profile)) = read_command(words, 1) else { unreachable!("{words:?}") };
                map(&profile.spans[0], &Drives::default(), &|_| None).expect(line)
            };
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let first = mapped(&words);
            let options = &first.run.options;
            let again =
                arguments(&first.run.workload, &first.paths, options.direct, options.durable.is_some())
                    .expect(line);
            assert_eq!(mapped(&again).run, first.run, "{again:?}");
        }
    }
}
