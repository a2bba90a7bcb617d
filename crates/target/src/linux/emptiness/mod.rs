//! Whether a device is known to hold nothing: by what stores it, or by reading all of it.
//!
//! That a device is zero in the places that were looked at says nothing of the rest, so that it is written
//! without being named only when all of it is known.

mod allocated_data;
mod reading;

use std::fs::File;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fathom_measure::{Bytes, Nanos};

use super::device_number::DeviceNumber;
use super::inspect;
use super::ioctl;
use super::machine::{Machine, Node};
use crate::guard::{self, Findings, Hold, Reason};
use crate::target_opening::{OpenRequest, Preparation};
use crate::{Error, ErrorKind};
use reading::{Contents, DeviceScan};

/// Longest reading that is done without being asked for.
const UNASKED: Duration = Duration::from_secs(10);
/// Reading after which its whole length is predicted.
const SAMPLE: Duration = Duration::from_millis(250);
/// The same for a list of devices, which waits for all of them.
const SHORT_SAMPLE: Duration = Duration::from_millis(50);
/// Readings that take longer show how far they are.
const SHOWN_AFTER: Duration = Duration::from_secs(2);

/// Lets a device pass that was judged and is held alone, if it is known to be empty or to hold the data of the very
/// campaign that continues, or its loss is permitted.
/// Returns how it is known, as a remark for the run's record.
///
/// # Errors
/// [`ErrorKind::Refused`] when it holds something, cannot be read, or takes long to read and nobody asked for
/// that; [`ErrorKind::Interrupted`] when the reading was stopped.
pub fn require(
    writing: &str,
    machine: &Machine,
    file: &File,
    findings: &Findings,
    request: &OpenRequest<'_>,
) -> Result<Option<String>, Error> {
    if findings.own || request.permit.is_some_and(|permit| findings.identity.is_named_by(permit)) {
        return Ok(None);
    }
    let number = file.metadata().map(|meta| DeviceNumber::of_node(&meta));
    let number = number.map_err(|error| Error::system(writing, &error))?;
    let Some(node) = machine.node(number) else { return Ok(None) };
    let label = machine.label(node);
    let known = match settled_answer(machine, node, file) {
        Ok(Some(how)) => Ok(how),
        Ok(None) => {
            let pace = Pace {
                sample: SAMPLE,
                limit: (!request.options.check_empty).then_some(UNASKED),
                stop: request.stop,
                progress: request.progress,
            };
            by_reading(&label, file, pace)?
        }
        Err(reason) => Err(reason),
    };
    match known {
        Ok(how) => Ok(Some(format!("{label} was known to be empty before the first write: {how}."))),
        Err(reason) => guard::admit(writing, &[reason], &findings.identity, request.permit).map(|()| None),
    }
}

/// What a list says of a device against which nothing else was found: how it is known to be empty, or what
/// keeps that from being known and how many seconds reading all of it would take.
pub fn listed(machine: &Machine, node: &Node, file: &File) -> Result<String, (Reason, Option<f64>)> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    // Without waiting for what other programs write: a run judges again, and waits.
    if let Some(how) = allocated_data::nothing(node, file) {
        return Ok(how);
    }
    let label = machine.label(node);
    let size_bytes = ioctl::block_size_bytes(file).unwrap_or(0);
    let found =
        DeviceScan { file, size_bytes, sample: SHORT_SAMPLE, limit: None, stop: &NEVER, progress: None }
            .sample();
    let found = found.map_err(|error| {
        (Reason::new(Hold::Unreadable, format!("{label} could not be looked at: {error}")), None)
    })?;
    let (read_bytes, takes) = match found {
        Contents::Unfinished { read_bytes, takes } => (read_bytes, takes),
        Contents::Nothing { took } => (size_bytes, took),
        Contents::Data(at) => return Err((unknown_data(&label, at), None)),
        Contents::Unreadable(at, error) => return Err((unreadable(&label, at, &error), None)),
        Contents::Stopped => (0, Duration::MAX),
    };
    let text = format!(
        "nothing was found in the {} of {} that were looked at; the rest of {label} is unknown",
        Bytes(read_bytes),
        Bytes(size_bytes)
    );
    let reason = Reason::new(Hold::NotLookedAt, text);
    let reason = if takes > UNASKED { reason.first(how_to_ask(takes)) } else { reason };
    Err((reason, Some(takes.as_secs_f64())))
}

/// What is known without reading, after everything that waits in the page cache has reached the device.
fn settled_answer(machine: &Machine, node: &Node, file: &File) -> Result<Option<String>, Reason> {
    for number in machine.sharing_bytes(node.number) {
        let path = machine.node(number).map(|shares| machine.path(shares)).unwrap_or_default();
        let shares = if number == node.number { None } else { inspect::open_for_looking(&path).ok() };
        if let Err(error) = rustix::fs::fsync(shares.as_ref().unwrap_or(file)) {
            let text = format!("what waits to be written to {} could not be: {error}", path.display());
            return Err(Reason::new(Hold::Unreadable, text));
        }
    }
    Ok(allocated_data::nothing(node, file))
}

/// How a reading goes.
#[derive(Clone, Copy)]
struct Pace<'a> {
    sample: Duration,
    limit: Option<Duration>,
    stop: &'a AtomicBool,
    progress: Option<&'a dyn Fn(Preparation, u64, u64)>,
}

/// Reads all of a device; says how it is known to be empty, or what keeps that from being known.
fn by_reading(label: &str, file: &File, pace: Pace<'_>) -> Result<Result<String, Reason>, Error> {
    let size_bytes =
        ioctl::block_size_bytes(file).map_err(|error| Error::system(format!("reading {label}"), &error))?;
    let Pace { sample, limit, stop, progress } = pace;
    let shown =
        |done, total| progress.iter().for_each(|progress| progress(Preparation::Reading, done, total));
    let reading = DeviceScan { file, size_bytes, sample, limit, stop, progress: Some((&shown, SHOWN_AFTER)) };
    Ok(match reading.all()? {
        Contents::Nothing { .. } => Ok(format!("all {} of it were read, and are zero", Bytes(size_bytes))),
        Contents::Data(at) => Err(unknown_data(label, at)),
        Contents::Unreadable(at, error) => Err(unreadable(label, at, &error)),
        Contents::Unfinished { takes, .. } => {
            let text = format!(
                "it is not known that {label} is empty: nothing was found so far, and reading all {} takes {}",
                Bytes(size_bytes),
                about(takes)
            );
            Err(Reason::new(Hold::NotLookedAt, text).first(how_to_ask(takes)))
        }
        Contents::Stopped => {
            let cause = "stopped on request, with nothing written";
            return Err(Error::new(ErrorKind::Interrupted, format!("reading {label}"), cause));
        }
    })
}

fn how_to_ask(takes: Duration) -> String {
    format!("to have all of it read first ({}), add --check-empty", about(takes))
}

fn about(time: Duration) -> String {
    format!("about {}", Nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)).coarse())
}

/// Bytes that no signature explains.
pub fn unknown_data(label: &str, at_bytes: u64) -> Reason {
    Reason::new(
        Hold::UnknownData,
        format!("{label} holds data of unknown kind (byte {at_bytes} is not zero)"),
    )
}

/// What lies there is unknown.
pub fn unreadable(label: &str, at_bytes: u64, error: &std::io::Error) -> Reason {
    Reason::new(Hold::Unreadable, format!("{label} cannot be read at byte {at_bytes}: {error}"))
}
