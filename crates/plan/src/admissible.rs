//! What of a plan would have no effect on its engine or target, is carried by none, or would not end: every refusal that
//! needs nothing to be opened, whoever carries the plan.
//!
//! Silence would be taken for effect, so each is refused with the reason and with what to type.
//!
//! Elsewhere stands what needs more than a plan: an opened target, this machine. So do contradictions between the keys
//! of a plan, such as durable writes of a workload that only reads: they are refused where keys are read, since jobs of
//! other tools may ask for them. So does the grammar of other tools, which patterns, mixes, sizes, rates and lengths
//! each can say: whoever writes a tool's command refuses the rest, in `fathom-tools`.

use fathom_record::engine_list::{
    EngineEntry, EngineRequirement, InFlight, MOST_THREADS_OF_A_JOB, NO_CONTENT, Platform,
    UnsupportedRequirement, asked_for, replay_refusal, too_many_threads,
};
use fathom_record::error::{EngineError, ErrorKind};
use fathom_record::facts::TargetKind;
use fathom_record::run_plan::{RunOptions, TargetUse};
use fathom_record::tool_engines::ToolEntry;
use fathom_record::workload::{TraceSource, Workload};

/// Threads of all jobs together; with four entries of the memory map each, half of what Linux allows by default. Beyond
/// the map's end the process would be aborted.
const MOST_THREADS: u64 = 8192;
/// Longest time that the I/Os in flight at a run's end may take under a throttle, in seconds.
const LONGEST_DRAIN_S: f64 = 60.0;

/// The kind of target that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A file or a device.
    Path,
    /// A simulated device.
    Simulated,
    /// The process's memory.
    Memory,
    /// Nothing.
    Null,
    /// A namespace on the network.
    Remote,
    /// A controller that SPDK's driver has, for tools that are built with it.
    Controller,
    /// What another tool finds where it works, on another machine.
    Elsewhere,
}

impl NameKind {
    /// What it can turn out to be; of a path a file first.
    fn kinds(self) -> &'static [TargetKind] {
        match self {
            Self::Path => &[TargetKind::File, TargetKind::BlockDevice, TargetKind::NvmeNamespace],
            Self::Simulated => &[TargetKind::Simulated],
            Self::Memory => &[TargetKind::Memory],
            Self::Null => &[TargetKind::Null],
            Self::Remote => &[TargetKind::FabricNamespace],
            Self::Controller | Self::Elsewhere => &[],
        }
    }

    /// Whether it is nowhere but in this process, and has no state that outlives a run.
    fn is_within(self) -> bool {
        matches!(self, Self::Memory | Self::Null)
    }
}

/// Who carries the I/Os.
#[derive(Clone, Copy, Debug)]
pub enum Carrier<'a> {
    /// An engine that is not known yet, or is another machine's.
    Unknown,
    /// What was typed for an engine, and where it would be: what the targets turn out to be decides on the rest.
    Called(&'a str, Platform),
    /// An engine, and where.
    Engine(&'static EngineEntry, Platform),
    /// Another tool.
    Tool(&'static ToolEntry),
    /// Another tool, named to a command that measures with engines of fathom alone.
    UndrivenTool(&'static ToolEntry),
}

/// A run as it is requested, as far as it is known where it is judged.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// How runs go about their targets.
    pub options: &'a RunOptions,
    /// What all of them do to the targets.
    pub needs: TargetUse,
    /// What one of them does, where that is known.
    pub workload: Option<&'a Workload>,
    /// Whether flags of single I/Os are sent also where they do nothing, as another tool sends them.
    pub literal: bool,
    /// The flag that has the targets written before anything is measured, without its hyphens; absent: none has.
    pub written_first_by: Option<&'static str>,
    /// The trace that is replayed.
    pub replayed: Option<&'a TraceSource>,
    /// Whether the command limits what it writes in all: what this process writes is counted, and nothing else is.
    pub limits_writes: bool,
    /// The targets that are judged.
    pub targets: &'a [(&'a str, NameKind)],
    /// Who carries it.
    pub carrier: Carrier<'a>,
}

impl<'a> RunRequest<'a> {
    /// With these options, for what is done; nothing else is known.
    pub fn of(options: &'a RunOptions, needs: TargetUse) -> Self {
        Self {
            options,
            needs,
            workload: None,
            literal: false,
            written_first_by: None,
            replayed: None,
            limits_writes: false,
            targets: &[],
            carrier: Carrier::Unknown,
        }
    }
}

/// All that what is asked for has no place for, wherever that is known before anything is opened. The place of each says
/// what was asked for, and of whom: `--keep with target ...`.
pub fn admissible(request: &RunRequest<'_>) -> Vec<EngineError> {
    let mut refusals = together(request);
    match request.carrier {
        Carrier::Tool(tool) => refusals.extend(by_tool(request, tool)),
        Carrier::UndrivenTool(tool) => {
            let cause =
                format!("{} is a tool of its own, which `fathom run`, sweep and repeat drive", tool.name);
            let remedy = "use one of these, or an engine that `fathom engines` lists";
            refusals.push(refusal("choosing the engine", cause, remedy));
        }
        Carrier::Unknown => refusals.extend(on_targets(request)),
        Carrier::Called(name, here) => {
            refusals.extend(uncarried(request, name, here));
            refusals.extend(on_targets(request));
        }
        Carrier::Engine(engine, platform) => {
            refusals.extend(uncarried(request, engine.name, platform));
            refusals.extend(on_targets(request));
            refusals.extend(on_engine(request, engine, platform));
            refusals.extend(of_length(request, engine));
        }
    }
    refusals
}

fn refusal(place: impl Into<String>, cause: impl Into<String>, remedy: impl Into<String>) -> EngineError {
    EngineError::new(ErrorKind::Plan, place, cause).with_remedy(remedy)
}

/// What excludes each other on any target and engine.
fn together(request: &RunRequest<'_>) -> Vec<EngineError> {
    let options = request.options;
    let mut refusals = Vec::new();
    let by_tool = matches!(request.carrier, Carrier::Tool(_));
    if options.witness.is_some() && options.stripe_bytes.is_some() && !by_tool {
        let cause = "an I/O on a stripe is one for each part to the block layer, so the two latencies are of different \
                     things";
        refusals.push(refusal("--witness with --stripe", cause, "leave --witness or --stripe out"));
    }
    if options.witness.is_some() && request.needs.reads_back && !by_tool {
        let cause = "reading everything back at the end is not part of the run, and the block layer cannot distinguish \
                     the two";
        refusals.push(
            EngineError::new(ErrorKind::Unsupported, "preparing the block-layer witness", cause)
                .with_remedy("leave --witness or --verify at-end out"),
        );
    }
    if let Some(flag) = request.written_first_by.filter(|_| !request.needs.writes) {
        let cause = "it writes over the whole target, and these patterns only read";
        let remedy = "leave it out, or add one that writes, e.g. --patterns randread-4k,randwrite-4k";
        refusals.push(refusal(format!("--{flag}"), cause, remedy));
    }
    let is_one = request.targets.len() <= 1 || options.stripe_bytes.is_some();
    let unreplayable = request.replayed.filter(|traced| traced.extent_bytes == 0 || !is_one);
    refusals.extend(unreplayable.filter(|_| !by_tool).map(replay_refusal));
    let pushed = options.clients.iter().filter(|client| client.push);
    refusals.extend(pushed.filter_map(|client| client.reach.words_before_agent().err()));
    let by_others = by_tool || !options.clients.is_empty();
    if request.limits_writes && request.needs.writes && by_others {
        let cause = "another process would write, and only what this process writes is counted";
        let remedy = "leave --wear-limit out, and limit the workload: --bytes, --count or --size";
        refusals.push(refusal("--wear-limit", cause, remedy));
    }
    // Where clients open targets, each of them looks at its own.
    if options.clients.is_empty() && !by_tool {
        refusals.extend(of_different_kinds(request.targets));
    }
    refusals
}

/// Files and devices go together, and otherwise targets of one kind alone.
fn of_different_kinds(targets: &[(&str, NameKind)]) -> Option<EngineError> {
    let (first, named) = targets.first()?;
    let (other, _) = targets.iter().find(|(_, other)| other != named)?;
    let cause = format!("no engine carries both {first} and {other}");
    let remedy = "name files and devices, or targets of one kind: measure the others by themselves";
    Some(refusal("putting the targets together", cause, remedy))
}

/// Targets that cannot turn out to be what an engine of this name carries I/O to.
fn uncarried(request: &RunRequest<'_>, name: &str, here: Platform) -> Vec<EngineError> {
    let refused = |named: NameKind| {
        let each = named.kinds().iter().map(|kind| asked_for(name, *kind, here));
        each.reduce(|first, other| if other.is_ok() { other } else { first }).and_then(Result::err)
    };
    request.targets.iter().filter_map(|(_, named)| refused(*named)).collect()
}

/// What another tool has no place for, by its entry, and targets that it cannot be given.
fn by_tool(request: &RunRequest<'_>, tool: &ToolEntry) -> Vec<EngineError> {
    if !request.options.clients.is_empty() {
        let cause = "clients measure with the engines of fathom, and another tool was named";
        return vec![refusal("--engine", cause, "leave --engine or the clients out")];
    }
    let mut refusals: Vec<_> = lacking(request, (tool.name, None), tool.no_place_for.iter()).collect();
    let is_any = |found: fn(NameKind) -> bool| request.targets.iter().any(|(_, named)| found(*named));
    if is_any(|named| {
        matches!(named, NameKind::Simulated | NameKind::Memory | NameKind::Null | NameKind::Remote)
    }) {
        let (place, cause) = ("handing the targets to another tool", "only files and devices can be");
        refusals.push(refusal(place, cause, "name a file, a folder or a device"));
    }
    let is_unsized = request.workload.is_some_and(|workload| workload.span_bytes.unwrap_or(0) == 0);
    if tool.told_sizes && is_unsized && is_any(|named| named == NameKind::Elsewhere) {
        let cause = "the size of a target on another machine is not known here";
        let place = format!("--size with engine {}@HOST", tool.name);
        refusals.push(refusal(place, cause, "add --size, e.g. 10GiB"));
    }
    refusals
}

fn on_targets(request: &RunRequest<'_>) -> Vec<EngineError> {
    request.targets.iter().flat_map(|(name, named)| on_target(request, name, *named)).collect()
}

fn on_target(request: &RunRequest<'_>, name: &str, named: NameKind) -> Vec<EngineError> {
    let options = request.options;
    let with_target = |flag: &str, cause: &str, remedy: String| {
        refusal(format!("{flag} with target `{name}`"), cause, remedy)
    };
    let mut refusals = Vec::new();
    if options.stripe_bytes.is_some() && named == NameKind::Simulated {
        let cause = "it is a whole volume already: its parameters say how much it takes at once";
        refusals.push(with_target("--stripe", cause, "leave --stripe out".to_owned()));
    }
    let is_simulated_time = named == NameKind::Simulated && !options.real_time;
    if options.cpus.is_some() && is_simulated_time {
        let cause = "time is simulated, and one thread computes all jobs";
        refusals.push(with_target("--cpus", cause, "leave --cpus out, or add --real-time".to_owned()));
    }
    if !options.clients.is_empty() && is_simulated_time {
        let cause = "time is simulated, and several clients share the real one";
        refusals.push(refusal("running several clients", cause, "add --real-time"));
    }
    if let Some(flag) = request.written_first_by.filter(|_| named.is_within()) {
        let cause = format!("`{name}` has no state that writing would change");
        let remedy = format!("leave --{flag} out, or name a file or a device");
        refusals.push(refusal(format!("--{flag}"), cause, remedy));
    }
    refusals.extend(
        flags_on(options, named)
            .map(|(flag, cause, more)| with_target(flag, cause, format!("leave {flag} out{more}"))),
    );
    if options.real_time && named != NameKind::Simulated {
        let cause = "only a simulated device has a clock to choose";
        refusals.push(with_target("--real-time", cause, "leave --real-time out".to_owned()));
    }
    refusals
}

/// Flags that a kind of target has no place for, each with why, and what else than leaving it out helps.
fn flags_on(
    options: &RunOptions,
    named: NameKind,
) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> + use<> {
    let is_stripe = options.stripe_bytes.is_some();
    let of_remotes = [
        ("--keep", options.keep, "only a scratch file can be kept"),
        ("--check-empty", options.check_empty, "it is written only with --destroy, whatever it holds"),
        ("--buffered", !options.direct, "its I/O passes no page cache of this machine"),
        ("--stripe", is_stripe, "namespaces on the network are not striped"),
        ("--durable", options.durable.is_some(), "its commands do not look at how a file was opened"),
        ("--io-flags", !options.io_flags.is_empty(), "they are for system calls on files"),
    ];
    let of_remotes = of_remotes.into_iter().filter(move |_| named == NameKind::Remote);
    let of_remotes = of_remotes.map(|(flag, given, cause)| (flag, given, cause, ""));
    let within = [
        ("--keep", options.keep, "only a scratch file can be kept"),
        ("--destroy", !options.permits.is_empty(), "it holds nothing that could be lost"),
        ("--check-empty", options.check_empty, "it holds nothing that could be lost"),
        ("--buffered", !options.direct, "it has no page cache"),
        ("--stripe", is_stripe && named != NameKind::Simulated, "it is one place, however it is cut"),
        ("--polled", options.polled, "only devices have queues to poll, and connections sockets"),
        ("--durable", options.durable.is_some(), "nothing on it outlives the run"),
        ("--io-flags", !options.io_flags.is_empty(), "they are for system calls, and it needs none"),
    ];
    let within = within.into_iter().filter(move |_| named == NameKind::Simulated || named.is_within());
    let within = within.map(|(flag, given, cause)| (flag, given, cause, ", or name a file or device"));
    of_remotes.chain(within).filter(|(_, given, ..)| *given).map(|(flag, _, cause, more)| (flag, cause, more))
}

/// All that an engine has no place for on a platform, whatever the target.
fn on_engine(request: &RunRequest<'_>, engine: &EngineEntry, platform: Platform) -> Vec<EngineError> {
    let (flags, direct, literal) = (request.options.io_flags, request.options.direct, request.literal);
    let content = (!engine.keeps_content).then_some(&NO_CONTENT);
    // Clients may be on another system than who coordinates them.
    let platform = request.options.clients.is_empty().then_some(platform);
    let own = lacking(request, (engine.name, platform), engine.no_place_for.iter().chain(content));
    let by_cache = [
        (
            "--polled",
            request.options.polled && !direct && engine.takes(EngineRequirement::Polled),
            "I/O through the page cache is never polled for",
            "leave --polled or --buffered out",
        ),
        (
            "--io-flags hipri",
            flags.hipri && !direct && !literal,
            "I/O through the page cache is never polled for",
            "leave hipri or --buffered out",
        ),
        (
            "--io-flags dontcache",
            flags.dontcache && direct,
            "direct I/O leaves nothing in the page cache as it is",
            "add --buffered, or leave dontcache out",
        ),
        (
            "--io-flags atomic",
            flags.atomic && !direct,
            "a write through the page cache reaches the device in pieces of the kernel's choice",
            "leave atomic or --buffered out",
        ),
    ];
    let by_cache = by_cache.into_iter().filter(|(_, given, ..)| *given);
    let with_engine = |flag: &str| format!("{flag} with engine {}", engine.name);
    own.chain(by_cache.map(|(flag, _, cause, remedy)| refusal(with_engine(flag), cause, remedy))).collect()
}

/// What is given of all that an engine or a tool lacks by its entry, anywhere or on this platform.
fn lacking<'a>(
    request: &RunRequest<'_>,
    (name, platform): (&str, Option<Platform>),
    lacks: impl Iterator<Item = &'a UnsupportedRequirement>,
) -> impl Iterator<Item = EngineError> {
    let lacks = lacks.filter(move |lack| lack.platform.is_none() || lack.platform == platform);
    lacks.filter_map(move |lack| {
        let (flag, is_given) = given(request, lack.what);
        // What another system has is not the plan's mistake.
        let kind = if lack.platform.is_some() { ErrorKind::Unsupported } else { ErrorKind::Plan };
        let place = || format!("{flag} with engine {name}");
        is_given.then(|| EngineError::new(kind, place(), lack.cause).with_remedy(lack.remedy))
    })
}

/// What asks for something, as people type it, and whether it is asked for.
fn given(request: &RunRequest<'_>, what: EngineRequirement) -> (&'static str, bool) {
    let RunRequest { options, needs, targets, replayed, .. } = request;
    let controllers = targets.iter().filter(|(_, named)| *named == NameKind::Controller).count();
    match what {
        EngineRequirement::Stripe => ("--stripe", options.stripe_bytes.is_some()),
        EngineRequirement::Durable => ("--durable", options.durable.is_some()),
        EngineRequirement::IoFlags => ("--io-flags", !options.io_flags.is_empty()),
        EngineRequirement::Hipri => ("--io-flags hipri", options.io_flags.hipri),
        EngineRequirement::Polled => ("--polled", options.polled),
        EngineRequirement::PolledBesides => ("--polled", options.polled && needs.besides),
        // Only another tool's job asks for them, and whoever maps it looks into the list.
        EngineRequirement::Priorities => ("priorities", false),
        EngineRequirement::Content => ("--verify", needs.verifies),
        EngineRequirement::Reads => ("reads", needs.reads),
        EngineRequirement::ReadsAlone => ("reads", needs.reads && !needs.writes),
        EngineRequirement::NoWrites => ("--rw", !needs.writes),
        EngineRequirement::Witness => ("--witness", options.witness.is_some()),
        EngineRequirement::Decorators => ("--delay and --throttle", !options.decorators.is_empty()),
        EngineRequirement::RealTime => ("--real-time", options.real_time),
        EngineRequirement::Replay => ("--replay", replayed.is_some()),
        EngineRequirement::Trims => ("trims", needs.trims),
        EngineRequirement::KeptFiles => ("--keep", options.keep),
        EngineRequirement::Buffered => ("--buffered", !options.direct),
        EngineRequirement::Cpus => ("--cpus", options.cpus.is_some()),
        EngineRequirement::Controllers => ("--target", controllers > 0),
        EngineRequirement::ControllersBesides => ("--target", controllers > 0 && controllers < targets.len()),
    }
}

/// What one workload asks for that would not end well: jobs and depths beyond what threads and a throttle carry.
fn of_length(request: &RunRequest<'_>, engine: &EngineEntry) -> Vec<EngineError> {
    let Some(workload) = request.workload else { return Vec::new() };
    let mut refusals = Vec::new();
    let (jobs, depth) = (u64::from(workload.jobs), u64::from(workload.depth));
    if engine.in_flight == InFlight::Threads && depth > u64::from(MOST_THREADS_OF_A_JOB) {
        refusals.push(too_many_threads(engine.name, depth));
    }
    let threads = jobs * depth;
    if engine.in_flight == InFlight::Threads && depth > 1 && threads > MOST_THREADS {
        let cause =
            format!("{jobs} jobs × depth {depth} need {threads} threads; at most {MOST_THREADS} are started");
        let place = format!("starting engine {}", engine.name);
        refusals.push(refusal(place, cause, "use a smaller --jobs or --depth, or --engine uring"));
    }
    refusals.extend(endless_drain(request.options, workload));
    refusals
}

/// What is in flight when a run ends is waited for, and a throttle lets it go at its own rate.
fn endless_drain(options: &RunOptions, workload: &Workload) -> Option<EngineError> {
    let throttle = options.decorators.throttle.as_ref()?;
    let slots = f64::from(workload.jobs) * f64::from(workload.depth);
    let bytes = slots * largest_io_bytes(workload) as f64;
    let by_operations = throttle.operations_per_s().map_or(0.0, |rate| slots / rate);
    let drain_s = by_operations.max(throttle.bytes_per_s().map_or(0.0, |rate| bytes / rate));
    let cause = || {
        format!(
            "the {slots} I/Os in flight at the run's end would take {drain_s:.0} s at this rate, more than the \
             {LONGEST_DRAIN_S} s that a run waits"
        )
    };
    let remedy = "use a smaller --depth, --jobs or --bs, or a higher rate";
    (drain_s > LONGEST_DRAIN_S).then(|| refusal("--throttle", cause(), remedy))
}

/// Of the directions that the workload has; of a trace's, whose directions are not known here, of all.
fn largest_io_bytes(workload: &Workload) -> u64 {
    let (mix, sizes) = (&workload.mix, &workload.sizes);
    let shares =
        [(mix.read_share, &sizes.read), (mix.write_share(), &sizes.write), (mix.trim_share, &sizes.trim)];
    let used = shares.iter().filter(|(share, _)| *share > 1e-9).map(|(_, sizes)| sizes.max_bytes());
    used.max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
