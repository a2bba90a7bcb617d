//! Commands of an admin queue: properties, features, logs, events.

use fathom_spec::admin::{
    ABORT, ASYNCHRONOUS_EVENT, FEATURE_EVENTS, FEATURE_HOST, FEATURE_KEEP_ALIVE, FEATURE_QUEUES,
    GET_FEATURES, GET_LOG_PAGE, IDENTIFY, KEEP_ALIVE, SET_FEATURES,
};
use fathom_spec::fabrics::discovery::{self, Entry, Header};
use fathom_spec::fabrics::{SubmissionEntry, command_type, property};
use fathom_spec::{Status, io, smart};
use zerocopy::IntoBytes;

use super::identify;
use super::queue::{Answer, CommandStart, HostDataLength, INVALID_FIELD, INVALID_OPCODE, Refusal};
use super::subsystem::Subsystem;

/// Status: Invalid Log Page, not to be retried.
const INVALID_LOG: Status = Status(0x4109);
/// Status: Asynchronous Event Request Limit Exceeded, not to be retried.
const TOO_MANY_EVENTS: Status = Status(0x4105);
/// Event requests that are held at once.
const MOST_EVENTS: u32 = 4;
/// Longest time until a controller is ready, in milliseconds.
const READY_MS: u32 = 10_000;
/// Temperature that the health log reports, in kelvins: there is nothing to be measured.
const TEMPERATURE: u16 = 300;

/// Where a command arrived.
pub struct Scene<'a> {
    /// The controller.
    pub controller: u16,
    /// Whether it is one of the discovery service.
    pub is_discovery: bool,
    /// Address, whether it is of IPv6, and port at which the connection arrived.
    pub local: &'a (String, bool, u16),
    /// Event requests held.
    pub events: &'a mut u32,
}

/// Judges a command that is not a Fabrics command.
pub fn admit(command: &SubmissionEntry) -> Result<HostDataLength, Refusal> {
    match command.opcode {
        SET_FEATURES if command.data.length.get() > 0 => Err(Refusal::Status(INVALID_FIELD, 0)),
        IDENTIFY | GET_LOG_PAGE | ABORT | SET_FEATURES | GET_FEATURES | ASYNCHRONOUS_EVENT | KEEP_ALIVE => {
            Ok(HostDataLength { from_host: 0 })
        }
        _ => Err(Refusal::Status(INVALID_OPCODE, 0)),
    }
}

/// Carries out a command that is not a Fabrics command; what it returns goes into the buffer.
pub fn begin(
    subsystem: &mut Subsystem,
    scene: Scene<'_>,
    command: &SubmissionEntry,
    buffer: &mut [u8],
) -> CommandStart {
    let opcode = command.opcode;
    if scene.is_discovery && opcode == ABORT {
        return CommandStart::Done(Answer::failed(INVALID_OPCODE));
    }
    CommandStart::Done(match opcode {
        KEEP_ALIVE => Answer::DONE,
        // Bit 0: the command was not aborted.
        ABORT => Answer { result: 1, ..Answer::DONE },
        ASYNCHRONOUS_EVENT if *scene.events >= MOST_EVENTS => Answer::failed(TOO_MANY_EVENTS),
        ASYNCHRONOUS_EVENT => {
            *scene.events += 1;
            return CommandStart::Later;
        }
        IDENTIFY => identify::answer(subsystem, &scene, command, buffer),
        GET_LOG_PAGE => log(subsystem, &scene, command, buffer),
        SET_FEATURES => set_feature(subsystem, &scene, command),
        _ => get_feature(subsystem, &scene, command, buffer),
    })
}

/// Property Get and Property Set.
pub fn property(subsystem: &mut Subsystem, controller: u16, command: &SubmissionEntry) -> Answer {
    let entries = subsystem.limits.entries;
    let Some(controller) = subsystem.controller(controller) else {
        return Answer::failed(INVALID_FIELD);
    };
    let is_long = command.dword(10) & 0b111 == 1;
    let offset = command.dword(11);
    if command.fabrics_type() == Some(command_type::PROPERTY_GET) {
        let value = match (offset, is_long) {
            (property::CAPABILITIES, true) => property::capabilities(entries, READY_MS),
            (property::VERSION, false) => u64::from(property::VERSION_1_4),
            (property::CONFIGURATION, false) => u64::from(controller.configuration),
            (property::STATUS, false) => u64::from(controller.state),
            _ => return Answer::failed(INVALID_FIELD),
        };
        return Answer { result: value, ..Answer::DONE };
    }
    if (offset, is_long) != (property::CONFIGURATION, false) {
        return Answer::failed(INVALID_FIELD);
    }
    let value = command.dword(12);
    let (was, is) = (controller.configuration & property::ENABLE, value & property::ENABLE);
    if is != 0 && was == 0 && !property::has_entry_sizes(value) && !controller.is_discovery {
        return Answer::failed(INVALID_FIELD);
    }
    controller.configuration = value;
    if is == 0 && was != 0 {
        controller.end_queues();
        controller.granted = 0;
    }
    controller.state = if is != 0 { property::READY } else { 0 };
    if property::shuts_down(value) {
        controller.end_queues();
        controller.state |= property::SHUT_DOWN;
    }
    Answer::DONE
}

fn set_feature(subsystem: &mut Subsystem, scene: &Scene<'_>, command: &SubmissionEntry) -> Answer {
    let most = subsystem.limits.queues;
    let Some(controller) = subsystem.controller(scene.controller) else {
        return Answer::failed(INVALID_FIELD);
    };
    let word = command.dword(11);
    match command.dword(10) as u8 {
        FEATURE_QUEUES if !scene.is_discovery => {
            // FFFFh is not a number of queues, 0's based.
            let (completion, submission) = ((word >> 16) as u16, word as u16);
            if completion == u16::MAX || submission == u16::MAX || !controller.queues.is_empty() {
                return Answer::failed(INVALID_FIELD);
            }
            controller.granted = (completion.max(submission) + 1).min(most);
            Answer { result: granted(controller.granted), ..Answer::DONE }
        }
        FEATURE_EVENTS => {
            controller.events = word;
            Answer::DONE
        }
        FEATURE_KEEP_ALIVE => {
            controller.keep_alive_ms = word;
            Answer::DONE
        }
        _ => Answer::failed(INVALID_FIELD),
    }
}

/// Queues granted, 0's based, in both halves.
fn granted(queues: u16) -> u64 {
    let last = u64::from(queues.saturating_sub(1));
    last << 16 | last
}

fn get_feature(
    subsystem: &mut Subsystem,
    scene: &Scene<'_>,
    command: &SubmissionEntry,
    buffer: &mut [u8],
) -> Answer {
    let most = subsystem.limits.queues;
    let Some(controller) = subsystem.controller(scene.controller) else {
        return Answer::failed(INVALID_FIELD);
    };
    let result = match command.dword(10) as u8 {
        FEATURE_QUEUES if !scene.is_discovery => {
            granted(if controller.granted > 0 { controller.granted } else { most })
        }
        FEATURE_EVENTS => u64::from(controller.events),
        FEATURE_KEEP_ALIVE => u64::from(controller.keep_alive_ms),
        FEATURE_HOST => {
            let Some(into) = buffer.first_chunk_mut::<16>() else { return Answer::failed(INVALID_FIELD) };
            *into = controller.host_id;
            return Answer { bytes: 16, ..Answer::DONE };
        }
        _ => return Answer::failed(INVALID_FIELD),
    };
    Answer { result, ..Answer::DONE }
}

fn log(subsystem: &Subsystem, scene: &Scene<'_>, command: &SubmissionEntry, buffer: &mut [u8]) -> Answer {
    let first = command.dword(10);
    let dwords = u64::from(command.dword(11) & 0xffff) << 16 | u64::from(first >> 16);
    let bytes = (dwords + 1) * 4;
    let offset = command.long(12);
    if bytes != u64::from(command.data.length.get()) || !offset.is_multiple_of(4) {
        return Answer::failed(INVALID_FIELD);
    }
    let Some(into) = usize::try_from(bytes).ok().and_then(|bytes| buffer.get_mut(..bytes)) else {
        return Answer::failed(INVALID_FIELD);
    };
    let page = match (first as u8, scene.is_discovery) {
        (discovery::LOG_IDENTIFIER, true) => discovery_page(subsystem, scene),
        // Errors and firmware slots: none to report.
        (0x01 | 0x03, false) => vec![0; 512],
        (smart::LOG_IDENTIFIER, false) => health(),
        (0x05, false) => effects(subsystem),
        _ => return Answer::failed(INVALID_LOG),
    };
    let Some(rest) = usize::try_from(offset).ok().and_then(|offset| page.get(offset..)) else {
        return Answer::failed(INVALID_FIELD);
    };
    into.fill(0);
    let there = rest.len().min(into.len());
    into[..there].copy_from_slice(&rest[..there]);
    Answer { bytes: bytes as u32, ..Answer::DONE }
}

/// What the asking host may connect to, at the address by which it came.
fn discovery_page(subsystem: &Subsystem, scene: &Scene<'_>) -> Vec<u8> {
    let host = subsystem.controllers.iter().find(|it| it.id == scene.controller).map(|it| it.host.as_str());
    let is_listed = host.is_some_and(|host| subsystem.access.admits(host));
    let mut page = Header::new(1, u64::from(is_listed)).as_bytes().to_vec();
    if is_listed {
        let (address, is_ipv6, port) = scene.local;
        page.extend_from_slice(Entry::new(&subsystem.name, address, *is_ipv6, *port).as_bytes());
    }
    page
}

fn health() -> Vec<u8> {
    let mut page = vec![0; smart::LOG_BYTES];
    page[1..3].copy_from_slice(&TEMPERATURE.to_le_bytes());
    // All of the spare is there, above a threshold of a tenth.
    (page[3], page[4]) = (100, 10);
    page
}

/// Commands supported and effects: bit 0 of each command that there is.
fn effects(subsystem: &Subsystem) -> Vec<u8> {
    let mut page = vec![0; 4096];
    for opcode in [GET_LOG_PAGE, IDENTIFY, ABORT, SET_FEATURES, GET_FEATURES, ASYNCHRONOUS_EVENT, KEEP_ALIVE]
    {
        page[usize::from(opcode) * 4] = 1;
    }
    for opcode in [io::FLUSH, io::WRITE, io::READ] {
        page[1024 + usize::from(opcode) * 4] = 1;
    }
    page[1024 + usize::from(io::DATASET_MANAGEMENT) * 4] =
        u8::from(subsystem.namespaces.iter().any(|it| it.deallocates));
    page
}
