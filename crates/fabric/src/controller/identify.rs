//! What the controller and its namespace say of themselves.

use fathom_spec::admin::{ALL_NAMESPACES, IDENTIFY_BYTES};
use fathom_spec::fabrics::connect::padded;
use fathom_spec::fabrics::{DISCOVERY_NAME, SubmissionEntry, property};
use fathom_spec::{IdentifyController, IdentifyNamespace, Status};
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromZeros, IntoBytes};

use super::admin_commands::Scene;
use super::queue::{Answer, INVALID_FIELD};
use super::subsystem::Subsystem;

/// Status: Invalid Namespace or Format, not to be retried.
const INVALID_NAMESPACE: Status = Status(0x400b);
/// What the model is called.
const MODEL: &str = "fathom";

/// Answers an Identify.
pub fn answer(
    subsystem: &Subsystem,
    scene: &Scene<'_>,
    command: &SubmissionEntry,
    buffer: &mut [u8],
) -> Answer {
    let Some(page) = buffer.first_chunk_mut::<IDENTIFY_BYTES>() else {
        return Answer::failed(INVALID_FIELD);
    };
    page.fill(0);
    let nsid = command.nsid.get();
    match (command.dword(10) as u8, scene.is_discovery) {
        (0x01, _) => page.copy_from_slice(controller(subsystem, scene).as_bytes()),
        (0x00, false) => match nsid {
            0 | ALL_NAMESPACES => return Answer::failed(INVALID_NAMESPACE),
            // Namespaces that are not there are all zeros.
            id => {
                if let Some(it) = namespace(subsystem, id) {
                    page.copy_from_slice(it.as_bytes());
                }
            }
        },
        (0x02, false) if nsid >= ALL_NAMESPACES - 1 => return Answer::failed(INVALID_NAMESPACE),
        (0x02, false) => {
            let above = nsid + 1..=subsystem.namespaces.len() as u32;
            for (place, id) in page.as_chunks_mut::<4>().0.iter_mut().zip(above) {
                *place = id.to_le_bytes();
            }
        }
        (0x03, false) => match identifier(subsystem, nsid) {
            Some(identifier) => descriptors(&identifier, page),
            None => return Answer::failed(INVALID_NAMESPACE),
        },
        _ => return Answer::failed(INVALID_FIELD),
    }
    Answer { bytes: IDENTIFY_BYTES as u32, ..Answer::DONE }
}

fn controller(subsystem: &Subsystem, scene: &Scene<'_>) -> IdentifyController {
    const ENTRY_BYTES: u32 = 64;
    let mut it = IdentifyController::new_zeroed();
    put(&mut it.sn, &subsystem.serial);
    put(&mut it.mn, MODEL);
    put(&mut it.fr, &subsystem.firmware);
    it.cntlid = U16::new(scene.controller);
    it.ver = U32::new(property::VERSION_1_4);
    // Identifiers of hosts have 128 bits, and any traffic is a sign of life.
    it.ctratt = U32::new(1 << 0 | 1 << 6);
    it.cntrltype = if scene.is_discovery { 2 } else { 1 };
    (it.acl, it.aerl, it.frmw) = (3, 3, 3);
    // Logs can be read from an offset on.
    it.lpa = 1 << 2;
    it.kas = U16::new(10);
    (it.sqes, it.cqes) = (0x66, 0x44);
    it.maxcmd = U16::new(subsystem.limits.entries);
    // Data is described by SGLs, in capsules by offset.
    it.sgls = U32::new(1 << 0 | 1 << 20);
    it.iorcsz = U32::new(1);
    it.msdbd = 1;
    if scene.is_discovery {
        it.subnqn = padded(DISCOVERY_NAME);
        it.ioccsz = U32::new(4);
        return it;
    }
    // Several controllers, by several ports.
    it.cmic = 0b11;
    it.mdts = (subsystem.limits.transfer_bytes / 4096).checked_ilog2().unwrap_or(0).max(1) as u8;
    it.lpa |= 1 << 1;
    (it.wctemp, it.cctemp) = (U16::new(0x157), U16::new(0x175));
    it.nn = U32::new(subsystem.namespaces.len() as u32);
    it.oncs = U16::new(u16::from(subsystem.namespaces.iter().any(|it| it.deallocates)) << 2);
    it.vwc = u8::from(subsystem.namespaces.iter().any(|it| it.has_write_cache));
    it.subnqn = padded(&subsystem.name);
    it.ioccsz = U32::new((ENTRY_BYTES + subsystem.limits.in_capsule_bytes) / 16);
    it.ofcs = U16::new(1);
    it
}

/// What identifies a namespace.
fn identifier(subsystem: &Subsystem, id: u32) -> Option<[u8; 16]> {
    subsystem.identifiers.get(usize::try_from(id.checked_sub(1)?).ok()?).copied()
}

fn namespace(subsystem: &Subsystem, id: u32) -> Option<IdentifyNamespace> {
    let namespace = subsystem.namespace(id)?;
    let mut it = IdentifyNamespace::new_zeroed();
    let blocks = U64::new(namespace.blocks);
    (it.nsze, it.ncap, it.nuse) = (blocks, blocks, blocks);
    // Several controllers share it.
    it.nmic = 1;
    it.nsattr = u8::from(namespace.is_read_only);
    it.nguid = identifier(subsystem, id)?;
    it.lbaf[0].lbads = namespace.block_shift as u8;
    Some(it)
}

fn descriptors(identifier: &[u8; 16], page: &mut [u8]) {
    const NGUID: u8 = 2;
    const UUID: u8 = 3;
    const COMMAND_SET: u8 = 4;
    let mut at = 0;
    for (kind, value) in [(NGUID, &identifier[..]), (UUID, &identifier[..]), (COMMAND_SET, &[0][..])] {
        (page[at], page[at + 1]) = (kind, value.len() as u8);
        page[at + 4..at + 4 + value.len()].copy_from_slice(value);
        at += 4 + value.len();
    }
}

/// A text in its field, padded with blanks.
fn put(field: &mut [u8], text: &str) {
    field.fill(b' ');
    for (to, from) in field.iter_mut().zip(text.bytes()) {
        *to = from;
    }
}
