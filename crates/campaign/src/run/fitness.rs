//! Refuses flags that would do nothing on the chosen target and engine: silence would be taken for effect.

use std::collections::BTreeSet;

use fathom_engine::catalogue::{self, EngineKind};
use fathom_engine::metadata::Act;
use fathom_engine::{EngineError, ErrorKind, uring};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_target::TargetName;

use super::session::SessionPlan;
use fathom_plan::processors;

/// What can be said before the target is opened.
///
/// # Errors
/// The first flag without effect, why it has none, and what to type.
pub fn check_flags(plan: &SessionPlan<'_>) -> Result<(), EngineError> {
    plan.targets.iter().try_for_each(|target| check_target(plan, target, &target.parse()?))
}

fn check_target(plan: &SessionPlan<'_>, target: &str, name: &TargetName) -> Result<(), EngineError> {
    let refuse = |flag: &str, cause: String, remedy: String| {
        Err(EngineError::new(ErrorKind::Plan, format!("{flag} with target `{}`", target), cause)
            .with_remedy(remedy))
    };
    let (is_path, is_sim) = (matches!(name, TargetName::Path(_)), matches!(name, TargetName::Sim(_)));
    let of_paths = [
        ("--keep", plan.keep, "only a scratch file can be kept"),
        ("--destroy", !plan.permits.is_empty(), "it holds nothing that could be lost"),
        ("--check-empty", plan.check_empty, "it holds nothing that could be lost"),
        ("--buffered", !plan.direct, "it has no page cache"),
        ("--stripe", plan.stripe_bytes.is_some(), "it is one place, however it is cut"),
        ("--polled", plan.polled, "only devices have queues to poll"),
        ("--durable", plan.durable.is_some(), "nothing on it outlives the run"),
        ("--io-flags", !plan.io_flags.is_empty(), "they are for system calls, and it needs none"),
    ];
    if plan.stripe_bytes.is_some() && is_sim {
        let cause = "it is a whole volume already: its parameters say how much it takes at once".to_owned();
        return refuse("--stripe", cause, "leave --stripe out".to_owned());
    }
    for (flag, given, cause) in of_paths {
        if given && !is_path {
            return refuse(flag, cause.to_owned(), format!("leave {flag} out, or name a file or device"));
        }
    }
    if plan.real_time && !is_sim {
        let cause = "only a simulated device has a clock to choose".to_owned();
        return refuse("--real-time", cause, "leave --real-time out".to_owned());
    }
    // An engine that does not carry files, or that there is not, is judged once it is chosen.
    match catalogue::choose(plan.engine, TargetKind::File) {
        Ok(engine) if is_path => check_engine(plan, engine),
        _ => Ok(()),
    }
}

/// Flags that an engine has no place for.
///
/// # Errors
/// The first one, why, and what to type.
pub fn check_engine(plan: &SessionPlan<'_>, engine: EngineKind) -> Result<(), EngineError> {
    let refuse = |flag: &str, cause: &str, remedy: &str| {
        let place = format!("{flag} with engine {}", engine.name());
        Err(EngineError::new(ErrorKind::Plan, place, cause).with_remedy(remedy))
    };
    if plan.stripe_bytes.is_some() && engine == EngineKind::Mmap {
        let cause = "it copies within one mapping, and a stripe would be as many as targets";
        return refuse("--stripe", cause, "leave --stripe out, or use --engine uring, aio or sync");
    }
    if plan.stripe_bytes.is_some() && engine == EngineKind::Passthrough {
        let cause = "it sends the commands of one namespace";
        return refuse("--stripe", cause, "leave --stripe out, or name the block devices, e.g. /dev/nvme0n1");
    }
    if plan.durable.is_some() && engine == EngineKind::Mmap {
        let cause = "a write to a mapping ends in the page cache, however the file was opened";
        return refuse("--durable", cause, "leave --durable out, and flush instead: --flush-every 1");
    }
    if plan.durable.is_some() && engine == EngineKind::Passthrough {
        let cause = "NVMe commands do not look at how the device was opened";
        return refuse("--durable", cause, "leave --durable out, and flush instead: --flush-every 1");
    }
    if !plan.io_flags.is_empty() && !matches!(engine, EngineKind::Sync | EngineKind::Aio | EngineKind::Uring)
    {
        let cause = "it passes no flags with single I/Os";
        return refuse("--io-flags", cause, "use --engine sync, aio or uring, or leave --io-flags out");
    }
    if let EngineKind::Metadata(act) = engine {
        check_metadata(plan, act)?;
    }
    if plan.io_flags.hipri && engine == EngineKind::Uring {
        let cause = "a ring polls for all of its I/Os or for none";
        return refuse("--io-flags hipri", cause, "use --polled, or --engine sync");
    }
    if plan.io_flags.hipri && engine == EngineKind::Aio {
        let cause = "the kernel polls for no I/O of this interface";
        return refuse("--io-flags hipri", cause, "use --engine sync, or --engine uring --polled");
    }
    if plan.io_flags.hipri && !plan.direct && !plan.flags_as_asked {
        let cause = "I/O through the page cache is never polled for";
        return refuse("--io-flags hipri", cause, "leave hipri or --buffered out");
    }
    if plan.io_flags.dontcache && plan.direct {
        let cause = "direct I/O leaves nothing in the page cache as it is";
        return refuse("--io-flags dontcache", cause, "add --buffered, or leave dontcache out");
    }
    if plan.io_flags.atomic && !plan.direct {
        let cause = "a write through the page cache reaches the device in pieces of the kernel's choice";
        return refuse("--io-flags atomic", cause, "leave atomic or --buffered out");
    }
    Ok(())
}

/// Calls about space, lengths and names change what a flag that is about data says nothing of.
fn check_metadata(plan: &SessionPlan<'_>, act: Act) -> Result<(), EngineError> {
    let name = act.name();
    let refuse = |flag: &str, cause: &str, remedy: &str| {
        let place = format!("{flag} with engine {name}");
        Err(EngineError::new(ErrorKind::Plan, place, cause).with_remedy(remedy))
    };
    if plan.stripe_bytes.is_some() {
        return refuse(
            "--stripe",
            "it moves no data",
            "leave --stripe out, or use --engine uring, aio or sync",
        );
    }
    if plan.durable.is_some() {
        return refuse("--durable", "it moves no data", "leave --durable out");
    }
    if plan.reads && act == Act::Truncate {
        return refuse("reads", "a length is set by writes alone", "use --rw write");
    }
    if plan.reads && !plan.writes && act == Act::Allocate {
        let cause = "space is given to a file by reads too, and the file would be opened for reading alone";
        return refuse("reads", cause, "use --rw write, or --rw rw for both");
    }
    Ok(())
}

/// The first device under a target, in the order of its stack, whose queue is not polled: each layer has
/// one of its own, but for partitions, which have their disk's.
pub fn without_poll_queues(target: &TargetFacts) -> Option<&str> {
    let mut queues = target.devices.iter().filter(|device| device.layer != "partition");
    queues.find(|device| !uring::has_poll_queues(&device.name)).map(|device| device.name.as_str())
}

/// High priority of single I/Os needs queues on the device that are polled.
///
/// # Errors
/// Which device has none, and how it gets some.
pub fn check_priority(plan: &SessionPlan<'_>, target: &TargetFacts) -> Result<(), EngineError> {
    match without_poll_queues(target).filter(|_| plan.io_flags.hipri && !plan.flags_as_asked) {
        None => Ok(()),
        Some(device) => {
            let cause = format!("{device} has no poll queues");
            let remedy = "for NVMe: `modprobe nvme poll_queues=2`, or nvme.poll_queues=2 at boot; otherwise leave hipri out";
            Err(EngineError::new(ErrorKind::Unsupported, "preparing --io-flags hipri", cause)
                .with_remedy(remedy))
        }
    }
}

/// Processors that the process may not run on, or that there are not: jobs would not be where they were put.
///
/// # Errors
/// The first one, with those that there are.
pub fn check_processors(cpus: &[u32], allowed: Option<&BTreeSet<u32>>) -> Result<(), EngineError> {
    let Some(allowed) = allowed else { return Ok(()) };
    let Some(cpu) = cpus.iter().find(|cpu| !allowed.contains(cpu)) else { return Ok(()) };
    let known: Vec<u32> = allowed.iter().copied().collect();
    let known = processors(&known);
    let cause = format!("this process may run on CPUs {known}, and not on {cpu}");
    Err(EngineError::new(ErrorKind::Plan, "binding the jobs to --cpus", cause)
        .with_remedy(format!("choose from these: --cpus {known}")))
}
