//! Makes a run plan of raw values: reads each, fills in defaults, and refuses what does not fit together.

use fathom_record::Fault;
use fathom_record::engine_list::{self, InFlight};
use fathom_record::options::{CHUNK_UNIT_BYTES, Decorators, Durability, IoFlags, WitnessSource};
use fathom_record::spelling;
use fathom_record::workload::{
    Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Verify, Workload, WorkloadError,
    WorkloadErrorKind,
};

use super::error::{Mistake, PlanErrorKind};
use super::raw_plan::RawPlan;
use super::scalar_text::Text;
use super::{
    RunOptions, RunPlan, addresses, client_list, pasted_characters, quantity, rates, sizes, trace_keys,
};

const DEFAULT_SIZE_BYTES: u64 = 4096;
const DEFAULT_RATE_STEP_NS: u64 = 1_000_000_000;
const DEFAULT_TIME_NS: u64 = 30_000_000_000;
const DEFAULT_WARMUP_NS: u64 = 2_000_000_000;
/// Deep enough to keep a device busy; a depth of 1 measures its latency alone.
const DEFAULT_DEPTH: u32 = 32;
/// In-flight cap of an open arrival: deep enough that only overload reaches it.
const DEFAULT_OPEN_CAP: u32 = 256;
/// The word of `align` for a grid of each direction's own.
pub(super) const OWN_ALIGNMENT: &str = "own";

const KINDS: [&str; 11] = [
    "read",
    "write",
    "rw",
    "readwrite",
    "trim",
    "trimwrite",
    "randread",
    "randwrite",
    "randrw",
    "randtrim",
    "randtrimwrite",
];

pub(super) fn resolve(raw: &RawPlan, new_seed: u64) -> Result<RunPlan, Mistake> {
    let targets = raw.target.clone().unwrap_or_default();
    if targets.is_empty() || targets.iter().any(String::is_empty) {
        let cause = "say what to measure: FILE, /dev/X, nvme+tcp://HOST/NQN, null:, memory: or sim:NAME";
        return Err(Mistake::new("target", PlanErrorKind::Missing, cause));
    }
    let stripe_bytes = stripe(raw, targets.len())?;
    let kind = Kind::read(raw)?;
    let engine = name("engine", &raw.engine)?;
    let traced = trace_keys::read(raw, targets.len())?;
    let replays = traced.is_some();
    let (addresses, arrival) = match traced {
        Some(traced) => traced,
        None => (addresses_of(raw, kind)?, arrival(raw)?),
    };
    let open = arrival.is_open();
    let workload = Workload {
        mix: if replays { trace_keys::UNREAD_MIX } else { mix(raw, kind)? },
        addresses,
        sizes: sizes_of(raw, kind)?,
        offset_bytes: value("offset", &raw.offset, quantity::bytes)?.unwrap_or(0),
        span_bytes: value("size", &raw.size, quantity::bytes)?,
        alignment_bytes: value("align", &raw.align, alignment)?.flatten(),
        data: data(raw)?,
        arrival,
        jobs: jobs(raw, if stripe_bytes.is_some() { 1 } else { targets.len() })?,
        depth: value("depth", &raw.depth, quantity::small_count)?
            .unwrap_or(default_depth(open, engine.as_deref())),
        length: length(raw, replays)?,
        seed: value("seed", &raw.seed, quantity::count)?.unwrap_or(new_seed),
        special: None,
    };
    workload.validate().map_err(|error| refused(raw, error))?;
    let options = RunOptions {
        direct: !raw.buffered.unwrap_or(false),
        stripe_bytes,
        permits: permits(raw)?,
        check_empty: raw.check_empty.unwrap_or(false),
        real_time: raw.real_time.unwrap_or(false),
        polled: raw.polled.unwrap_or(false),
        witness: value("witness", &raw.witness, witness)?.flatten(),
        durable: value("durable", &raw.durable, |text| word(text, &Durability::NAMES))?,
        io_flags: value("io-flags", &raw.io_flags, IoFlags::parse)?.unwrap_or_default(),
        keep: raw.keep.unwrap_or(false),
        cpus: value("cpus", &raw.cpus, quantity::cpus)?,
        decorators: decorators(&raw.delay, &raw.throttle)?,
        clients: client_list::clients(raw)?,
        partition: raw.partition.unwrap_or(false),
    };
    refuse_idle(raw, &workload, &options)?;
    Ok(RunPlan { targets, engine, workload, options })
}

/// A source of the block layer's account by its name; `None` for none.
fn witness(text: &str) -> Result<Option<WitnessSource>, Fault> {
    if text == "off" {
        return Ok(None);
    }
    WitnessSource::named(text).map(Some).ok_or_else(|| {
        Fault::from(format!("`{text}` is not a valid witness: give auto, bpf, tracefs or off"))
    })
}

/// A value read by its grammar; characters that a document changed are named as such.
///
/// # Errors
/// What is wrong with it, and what to write.
pub fn value<T>(
    key: &'static str,
    text: &Option<Text>,
    read: impl FnOnce(&str) -> Result<T, Fault>,
) -> Result<Option<T>, Mistake> {
    let Some(Text(text)) = text else { return Ok(None) };
    read(text.trim()).map(Some).map_err(|cause| match pasted_characters::find(text) {
        Some((which, meant)) => Mistake::new(
            key,
            PlanErrorKind::Pasted,
            format!("`{text}` holds {which}, as documents make them"),
        )
        .with_remedy(format!("type `{meant}`")),
        None => Mistake::new(key, PlanErrorKind::Value, cause),
    })
}

/// A name that is not empty, as it stands.
///
/// # Errors
/// An empty one.
pub fn name(key: &'static str, text: &Option<Text>) -> Result<Option<String>, Mistake> {
    match text {
        Some(Text(text)) if text.is_empty() => {
            Err(Mistake::new(key, PlanErrorKind::Value, "a name is not empty; leave it out for the default"))
        }
        other => Ok(other.as_ref().map(|text| text.0.clone())),
    }
}

/// The chunk of a stripe over several targets.
fn stripe(raw: &RawPlan, targets: usize) -> Result<Option<u64>, Mistake> {
    let chunk = value("stripe", &raw.stripe, |text| match quantity::bytes(text)? {
        bytes if bytes == 0 || !bytes.is_multiple_of(CHUNK_UNIT_BYTES) => Err(Fault::from(format!(
            "a chunk of {bytes} bytes is not a multiple of a page, {CHUNK_UNIT_BYTES} bytes: write one as 64k"
        ))),
        bytes => Ok(bytes),
    })?;
    if chunk.is_some() && targets < 2 {
        let cause = "a stripe is of several targets, and one is named: name another, or leave it out";
        return Err(Mistake::new("stripe", PlanErrorKind::Contradiction, cause));
    }
    Ok(chunk)
}

/// At least one job for each target.
fn jobs(raw: &RawPlan, targets: usize) -> Result<u32, Mistake> {
    let targets = u32::try_from(targets).unwrap_or(u32::MAX);
    let jobs = value("jobs", &raw.jobs, quantity::small_count)?.unwrap_or(targets);
    // No jobs at all is the workload's to refuse.
    if (1..targets).contains(&jobs) {
        let cause = format!(
            "each job works on one target, so {jobs} of {targets} targets would be measured: write at least {targets}"
        );
        return Err(Mistake::new("jobs", PlanErrorKind::Contradiction, cause));
    }
    Ok(jobs)
}

fn permits(raw: &RawPlan) -> Result<Vec<String>, Mistake> {
    let permits = raw.destroy.clone().unwrap_or_default();
    if permits.iter().any(String::is_empty) {
        let cause = "a serial number is not empty; leave it out to destroy nothing";
        return Err(Mistake::new("destroy", PlanErrorKind::Value, cause));
    }
    Ok(permits)
}

/// What is put around the engine.
///
/// # Errors
/// A text that is none.
pub fn decorators(delay: &Option<Text>, throttle: &Option<Text>) -> Result<Decorators, Mistake> {
    Ok(Decorators {
        delay: value("delay", delay, str::parse)?,
        throttle: value("throttle", throttle, str::parse)?,
    })
}

/// One of a few words, with a near one offered.
pub(super) fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, Fault> {
    if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
        return Ok(*meaning);
    }
    let names = || words.iter().map(|(word, _)| *word);
    Err(Fault::from(match spelling::nearest(text, names()).first() {
        Some(near) => format!("unknown value `{text}`: did you mean `{near}`?"),
        None => format!("unknown value `{text}`: write one of {}", names().collect::<Vec<_>>().join(", ")),
    }))
}

/// What `rw` says.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    random: bool,
    does: Operations,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operations {
    Read,
    Write,
    Trim,
    TrimAndWrite,
    Several,
}

impl Kind {
    fn read(raw: &RawPlan) -> Result<Self, Mistake> {
        let words = KINDS.map(|kind| {
            let random = kind.starts_with("rand");
            let does = match kind.trim_start_matches("rand") {
                "read" => Operations::Read,
                "write" => Operations::Write,
                "trim" => Operations::Trim,
                "trimwrite" => Operations::TrimAndWrite,
                _ => Operations::Several,
            };
            (kind, Kind { random, does })
        });
        let kind = value("rw", &raw.rw, |text| word(text, &words))?;
        Ok(kind.unwrap_or(Kind { random: true, does: Operations::Read }))
    }
}

fn mix(raw: &RawPlan, kind: Kind) -> Result<Mix, Mistake> {
    let read = value("read-share", &raw.read_share, quantity::share)?;
    let trim = value("trim-share", &raw.trim_share, quantity::share)?;
    if kind.does != Operations::Several {
        let rw = if kind.random { "randrw" } else { "rw" };
        for (key, given) in [("read-share", read.is_some()), ("trim-share", trim.is_some())] {
            if given {
                let cause = format!("a share needs `rw` to be `{rw}`, which mixes directions");
                return Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
            }
        }
    }
    let (read_share, trim_share) = match kind.does {
        Operations::Read => (1.0, 0.0),
        Operations::Write => (0.0, 0.0),
        Operations::Trim => (0.0, 1.0),
        Operations::TrimAndWrite => (0.0, 0.5),
        Operations::Several => (read.unwrap_or(0.5), trim.unwrap_or(0.0)),
    };
    let flush_every_writes = value("flush-every", &raw.flush_every, quantity::count)?.unwrap_or(0);
    Ok(Mix { read_share, trim_share, flush_every_writes })
}

fn addresses_of(raw: &RawPlan, kind: Kind) -> Result<Addresses, Mistake> {
    let default = if kind.random { Addresses::RandomCycle } else { Addresses::Sequential };
    let Some(given) = value("addresses", &raw.addresses, addresses::read)? else { return Ok(default) };
    if given.is_random() == kind.random {
        return Ok(given);
    }
    let cause = if kind.random {
        "these addresses follow one another: write `rw` without `rand`, e.g. `read`"
    } else {
        "these addresses are random: write `rw` with `rand`, e.g. `randread`"
    };
    Err(Mistake::new("addresses", PlanErrorKind::Contradiction, cause))
}

fn sizes_of(raw: &RawPlan, kind: Kind) -> Result<SizesByDirection, Mistake> {
    let all = value("bs", &raw.bs, sizes::read)?.unwrap_or(Sizes::Fixed { bytes: DEFAULT_SIZE_BYTES });
    let own = |key, text| Ok(value(key, text, sizes::read)?.unwrap_or_else(|| all.clone()));
    Ok(SizesByDirection {
        read: own("read-bs", &raw.read_bs)?,
        write: own("write-bs", &raw.write_bs)?,
        trim: own("trim-bs", &raw.trim_bs)?,
        own_alignment: value("align", &raw.align, alignment)? == Some(None),
        rewrites_trimmed: kind.does == Operations::TrimAndWrite,
    })
}

/// What offsets are multiples of; `None` for each direction's own smallest size.
fn alignment(text: &str) -> Result<Option<u64>, Fault> {
    if text == OWN_ALIGNMENT { Ok(None) } else { quantity::bytes(text).map(Some) }
}

fn data(raw: &RawPlan) -> Result<Data, Mistake> {
    const WHEN: [(&str, Verify); 3] =
        [("off", Verify::Off), ("on-read", Verify::OnRead), ("at-end", Verify::AtEnd)];
    Ok(Data {
        compressible_share: value("compressible", &raw.compressible, quantity::share)?.unwrap_or(0.0),
        duplicate_share: value("duplicate", &raw.duplicate, quantity::share)?.unwrap_or(0.0),
        verify: value("verify", &raw.verify, |text| word(text, &WHEN))?.unwrap_or_default(),
    })
}

/// How a rate arrives.
#[derive(Clone, Copy, PartialEq)]
enum Process {
    Constant,
    Poisson,
    Ramp,
}

const PROCESSES: [(&str, Process); 3] =
    [("constant", Process::Constant), ("poisson", Process::Poisson), ("ramp", Process::Ramp)];

fn arrival(raw: &RawPlan) -> Result<Arrival, Mistake> {
    let contradiction = |key, cause| Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
    let process = value("arrival", &raw.arrival, |text| word(text, &PROCESSES))?;
    if let Some((read_per_s, write_per_s)) = value("rate", &raw.rate, rates::read_both)?.flatten() {
        let others =
            [&raw.ramp_from, &raw.ramp_over, &raw.pause, &raw.pause_every, &raw.rates, &raw.rate_step];
        if process == Some(Process::Ramp) || others.iter().any(|other| other.is_some()) {
            return contradiction(
                "rate",
                "rates of reads and writes go with a constant or Poisson arrival alone",
            );
        }
        return Ok(Arrival::PerDirection {
            read_per_s,
            write_per_s,
            poisson: process == Some(Process::Poisson),
        });
    }
    let rate = value("rate", &raw.rate, quantity::rate_per_s)?;
    let from = value("ramp-from", &raw.ramp_from, quantity::rate_per_s)?;
    let over = value("ramp-over", &raw.ramp_over, quantity::length_ns)?;
    if process != Some(Process::Ramp) {
        for (key, given) in [("ramp-from", from.is_some()), ("ramp-over", over.is_some())] {
            if given {
                return contradiction(key, "a ramp needs `arrival` to be `ramp`");
            }
        }
    }
    let pause = value("pause", &raw.pause, quantity::time_ns)?;
    let every = value("pause-every", &raw.pause_every, quantity::count)?;
    match (pause, every) {
        (None, Some(_)) => return contradiction("pause-every", "pauses need `pause`, e.g. 3us"),
        (Some(_), _) if rate.is_some() => {
            return contradiction(
                "pause",
                "a rate says when I/Os start, and pauses another time: leave one out",
            );
        }
        _ => {}
    }
    if let Some(stepped) = steps(raw)? {
        return Ok(stepped);
    }
    let Some(rate_per_s) = rate else {
        return match process {
            None => Ok(pause.map_or(Arrival::Closed, |pause_ns| Arrival::Pausing {
                after_operations: every.unwrap_or(1),
                pause_ns,
            })),
            Some(_) => contradiction("arrival", "an arrival process needs `rate`, e.g. 5k"),
        };
    };
    Ok(match process.unwrap_or(Process::Constant) {
        Process::Constant => Arrival::Constant { rate_per_s },
        Process::Poisson => Arrival::Poisson { rate_per_s },
        Process::Ramp => match (from, over) {
            (Some(from_per_s), Some(over_ns)) => Arrival::Ramp { from_per_s, to_per_s: rate_per_s, over_ns },
            _ => {
                return contradiction(
                    "arrival",
                    "a ramp needs `ramp-from`, e.g. 1k, and `ramp-over`, e.g. 20s",
                );
            }
        },
    })
}

/// Rates that change from step to step.
fn steps(raw: &RawPlan) -> Result<Option<Arrival>, Mistake> {
    let contradiction = |key, cause: &str| Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
    let rates = value("rates", &raw.rates, rates::read)?;
    let step_ns = value("rate-step", &raw.rate_step, quantity::length_ns)?;
    let Some(rates_per_s) = rates else {
        return match step_ns {
            None => Ok(None),
            Some(_) => contradiction("rate-step", "a step needs `rates`, e.g. 500,4k*3"),
        };
    };
    for (key, given) in [("rate", raw.rate.is_some()), ("arrival", raw.arrival.is_some())] {
        if given {
            return contradiction(key, "`rates` say when I/Os start: leave one of the two out");
        }
    }
    Ok(Some(Arrival::Steps { step_ns: step_ns.unwrap_or(DEFAULT_RATE_STEP_NS), rates_per_s }))
}

/// What belongs to writes and is said of a workload without any would have no effect.
fn refuse_idle(raw: &RawPlan, workload: &Workload, options: &RunOptions) -> Result<(), Mistake> {
    if workload.mix.write_share() > 0.0 {
        return Ok(());
    }
    let given = [
        ("flush-every", workload.mix.flush_every_writes > 0),
        ("compressible", workload.data.compressible_share > 0.0),
        ("duplicate", workload.data.duplicate_share > 0.0),
        ("durable", options.durable.is_some()),
        ("io-flags", options.io_flags.dsync || options.io_flags.sync),
    ];
    let Some((key, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let writing = if workload.addresses.is_random() { "randwrite" } else { "write" };
    let what = if key == "io-flags" { "dsync and sync are" } else { "it is" };
    let random = raw.rw.as_ref().map_or("randread", |Text(rw)| rw.as_str());
    let cause = format!(
        "{what} about writes, and `rw` is `{random}`, which writes nothing: leave it out, or set `rw` to `{writing}`"
    );
    Err(Mistake::new(key, PlanErrorKind::Contradiction, cause))
}

fn default_depth(open: bool, engine: Option<&str>) -> u32 {
    let in_flight = engine.and_then(engine_list::named).map(|entry| entry.in_flight);
    match (open, in_flight) {
        (false, Some(InFlight::Threads | InFlight::One)) => 1,
        (false, _) => DEFAULT_DEPTH,
        // A thread for each: enough for a slow device, few enough to be scheduled.
        (true, Some(InFlight::Threads)) => DEFAULT_DEPTH,
        (true, _) => DEFAULT_OPEN_CAP,
    }
}

fn length(raw: &RawPlan, replays: bool) -> Result<Length, Mistake> {
    // A trace ends by itself.
    let operations = value("count", &raw.count, quantity::count)?.or(replays.then_some(u64::MAX));
    let bytes = value("bytes", &raw.bytes, quantity::bytes)?;
    let bounded = operations.is_some() || bytes.is_some();
    let time_ns = value("time", &raw.time, quantity::length_ns)?.or((!bounded).then_some(DEFAULT_TIME_NS));
    // A run that counts its warm-up's I/Os could end inside it.
    let default_warmup_ns = if time_ns.is_some() && !replays { DEFAULT_WARMUP_NS } else { 0 };
    let warmup_ns = value("warmup", &raw.warmup, quantity::length_ns)?.unwrap_or(default_warmup_ns);
    Ok(Length { time_ns, operations, bytes, warmup_ns })
}

/// A workload's contradiction, under the key that the user gave.
fn refused(raw: &RawPlan, error: WorkloadError) -> Mistake {
    let given = |keys: &[(&'static str, &Option<Text>)], otherwise| {
        keys.iter().find(|(_, text)| text.is_some()).map_or(otherwise, |(key, _)| *key)
    };
    let key = match error.kind {
        WorkloadErrorKind::Sizes => given(
            &[
                ("bs", &raw.bs),
                ("read-bs", &raw.read_bs),
                ("write-bs", &raw.write_bs),
                ("trim-bs", &raw.trim_bs),
            ],
            "bs",
        ),
        WorkloadErrorKind::Time => {
            given(&[("time", &raw.time), ("count", &raw.count), ("bytes", &raw.bytes)], "time")
        }
        kind => kind.key(),
    };
    Mistake::new(key, PlanErrorKind::Value, error.cause).with_remedy(error.remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(fill: impl FnOnce(&mut RawPlan)) -> Result<Workload, (&'static str, PlanErrorKind)> {
        let mut raw = RawPlan { target: Some(vec!["null:".to_owned()]), ..RawPlan::default() };
        fill(&mut raw);
        resolve(&raw, 1).map(|plan| plan.workload).map_err(|mistake| (mistake.key, mistake.kind))
    }

    fn some(text: &str) -> Option<Text> {
        Some(text.into())
    }

    #[test]
    fn a_target_alone_is_a_plan() {
        let workload = plan(|_| ()).expect("a plan");
        assert_eq!(workload.mix, Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 });
        assert_eq!(workload.addresses, Addresses::RandomCycle);
        assert_eq!(workload.sizes, SizesByDirection::all(Sizes::Fixed { bytes: 4096 }));
        assert_eq!((workload.jobs, workload.depth, workload.seed), (1, 32, 1));
        assert_eq!(workload.length.time_ns, Some(30_000_000_000));
        assert_eq!(workload.length.warmup_ns, 2_000_000_000);
    }

    #[test]
    fn trims_and_writes_may_take_turns() {
        let workload = plan(|raw| raw.rw = some("randtrimwrite")).expect("a plan");
        assert_eq!(workload.mix, Mix { read_share: 0.0, trim_share: 0.5, flush_every_writes: 0 });
        assert!(workload.sizes.rewrites_trimmed && workload.addresses == Addresses::RandomCycle);
        let flushed = plan(|raw| {
            raw.rw = some("trimwrite");
            raw.flush_every = some("4");
        });
        assert!(flushed.is_err(), "{flushed:?}");
    }

    #[test]
    fn defaults_follow_what_is_asked() {
        let depth = |fill: fn(&mut RawPlan)| plan(fill).expect("a plan").depth;
        assert_eq!(depth(|raw| raw.engine = some("sync")), 1);
        assert_eq!(depth(|raw| raw.engine = some("mmap")), 1);
        assert_eq!(depth(|raw| raw.rate = some("5k")), 256);
        let counted = plan(|raw| raw.count = some("1000")).expect("a plan").length;
        assert_eq!(counted, Length { operations: Some(1000), ..Length::default() });
        let mixed = plan(|raw| raw.rw = some("randrw")).expect("a plan").mix;
        assert_eq!(mixed.read_share, 0.5);
    }

    #[test]
    fn contradictions_are_refused_under_the_key_that_is_wrong() {
        use PlanErrorKind::{Contradiction, Missing, Value};
        assert_eq!(plan(|raw| raw.read_share = some("70%")), Err(("read-share", Contradiction)));
        assert_eq!(plan(|raw| raw.addresses = some("sequential")), Err(("addresses", Contradiction)));
        assert_eq!(plan(|raw| raw.arrival = some("poisson")), Err(("arrival", Contradiction)));
        assert_eq!(plan(|raw| raw.ramp_over = some("1s")), Err(("ramp-over", Contradiction)));
        assert_eq!(
            plan(|raw| (raw.arrival, raw.rate) = (some("ramp"), some("5k"))),
            Err(("arrival", Contradiction))
        );
        for fill in [
            |raw: &mut RawPlan| raw.flush_every = some("8"),
            |raw: &mut RawPlan| raw.compressible = some("50%"),
            |raw: &mut RawPlan| raw.duplicate = some("50%"),
            |raw: &mut RawPlan| raw.durable = some("data"),
            |raw: &mut RawPlan| raw.io_flags = some("nowait,sync"),
        ] {
            assert_eq!(plan(fill).unwrap_err().1, Contradiction, "nothing is written");
            plan(|raw| {
                fill(raw);
                raw.rw = some("randrw");
            })
            .expect("something is written");
        }
        assert_eq!(plan(|raw| raw.write_bs = some("0")), Err(("write-bs", Value)));
        assert_eq!(plan(|raw| raw.count = some("0")), Err(("count", Value)));
        assert_eq!(plan(|raw| raw.target = Some(vec![])), Err(("target", Missing)));
        assert_eq!(plan(|raw| raw.engine = some("")), Err(("engine", Value)));
        assert_eq!(plan(|raw| raw.time = some("30x")), Err(("time", Value)));
        assert_eq!(plan(|raw| raw.pause = some("30")), Err(("pause", Value)), "of what?");
        assert_eq!(plan(|raw| raw.stripe = some("64k")), Err(("stripe", Contradiction)));
        assert_eq!(plan(|raw| raw.stripe = some("6000")), Err(("stripe", Value)));
        assert_eq!(plan(|raw| raw.stripe = some("0")), Err(("stripe", Value)));
        assert_eq!(plan(|raw| raw.rw = some("raed")), Err(("rw", Value)));
    }
}
