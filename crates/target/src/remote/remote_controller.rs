//! A controller that a run is connected to: its admin queue, kept alive, and the I/O queues that jobs connect.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use fathom_fabric::host::{
    Association, ConnectOptions, Facts, HostQueue, Limits, NamespaceFacts, connect_refusal,
};
use fathom_fabric::{Framing, namespace_url};
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_spec::fabrics::connect::{DATA_BYTES, place, refused};

use super::keeper::{Keeper, KeeperState, SLOTS};
use super::wire::{PATIENCE, Wire, failed, lost, now};
use crate::{Error, ErrorKind};

/// Time for which a queue number that is in use still is waited for: a queue of it that was closed may not have been
/// taken down yet.
const REUSE: Duration = Duration::from_secs(2);
const REUSE_LOOK: Duration = Duration::from_millis(20);

/// What connections to a controller have in common.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where it is.
    pub address: SocketAddr,
    /// As the user typed it, for messages.
    pub label: String,
    /// Digests.
    pub framing: Framing,
    /// Who asks, and for what.
    pub wishes: ConnectOptions,
    /// Longest wait for a connection.
    pub patience: Duration,
}

/// An association with one controller.
#[derive(Debug)]
pub struct Controller {
    access: Access,
    association: Association,
    namespace: NamespaceFacts,
    shared: Arc<KeeperState>,
    /// Dropped last: without an admin queue the controller ends its other queues.
    _keeper: Keeper,
}

/// An I/O queue, connected, whose socket does not block.
#[derive(Debug)]
pub struct IoQueue {
    /// The connection.
    pub stream: TcpStream,
    /// Its state.
    pub queue: HostQueue,
    /// Entries that it was connected with.
    pub entries: u32,
    /// Commands that one I/O of the largest size takes.
    pub pieces: u32,
    /// Whether the target insists on reporting its submission queue's head.
    pub flow_control: bool,
}

/// The depth that one job's queue has room for with I/Os of up to `largest_bytes`, by what the target told when it was
/// opened; `None` where it told nothing.
pub fn deepest(target: &TargetFacts, largest_bytes: u64) -> Option<u32> {
    // The kernel's initiator keeps what its queues have no room for.
    let fabric = target.fabric.as_ref().filter(|_| target.kind == TargetKind::FabricNamespace)?;
    let (_, pieces) = split(fabric.transfer_bytes?, target.logical_block_bytes.max(1), largest_bytes);
    let most = fabric.queue_entries?.min(fabric.most_commands.unwrap_or(u32::MAX));
    Some((most / pieces).max(1))
}

/// Bytes of one command at most, and the commands that an I/O of `largest_bytes` takes.
fn split(transfer_bytes: u32, block_bytes: u32, largest_bytes: u64) -> (u64, u32) {
    let block = u64::from(block_bytes);
    let most_bytes = (u64::from(transfer_bytes) / block * block).clamp(block, 65_536 * block);
    let pieces = largest_bytes.div_ceil(most_bytes).max(1);
    (most_bytes, u32::try_from(pieces).unwrap_or(u32::MAX))
}

impl Controller {
    /// Connects an admin queue and has it kept alive.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchTarget`] where nothing answers, [`ErrorKind::System`] where the controller refuses or is not
    /// one that can be used.
    pub fn connect(access: Access) -> Result<Self, Error> {
        let place = format!("connecting to {}", access.label);
        let unreachable = |mut error: Error| {
            let at = namespace_url::place(&access.address.ip().to_string(), access.address.port());
            (error.kind, error.cause) = (ErrorKind::NoSuchTarget, format!("{at}: {}", error.cause));
            error
                .at(place.clone())
                .with_remedy("check the address and the port; `fathom discover HOST` lists what a target has")
        };
        let mut wire =
            Wire::open(&access.address, access.framing, (SLOTS, 1), access.patience).map_err(unreachable)?;
        let mut association = Association::new(access.wishes.clone());
        wire.associate(&mut association).map_err(|mut error| {
            error.kind = ErrorKind::System;
            error
                .at(place.clone())
                .with_remedy("`fathom discover HOST` lists the subsystems that this host may use")
        })?;
        let Some(namespace) = association.facts().namespace else {
            return Err(Error::new(ErrorKind::NoSuchTarget, place, "it has no namespace"));
        };
        let keep_alive_ms = u64::from(access.wishes.keep_alive_ms);
        let keep_alive = (keep_alive_ms > 0).then(|| Duration::from_millis(keep_alive_ms));
        let shared = Arc::new(KeeperState::default());
        let keeper = Keeper::start(wire, keep_alive, Arc::clone(&shared))?;
        Ok(Self { access, association, namespace, shared, _keeper: keeper })
    }

    /// What it turned out to be.
    pub fn facts(&self) -> &Facts {
        self.association.facts()
    }

    /// The namespace.
    pub fn namespace(&self) -> NamespaceFacts {
        self.namespace
    }

    /// What its connections tell each other.
    pub fn shared(&self) -> &KeeperState {
        &self.shared
    }

    /// Whether its queues have digests of headers, and of data.
    pub fn framing(&self) -> Framing {
        self.access.framing
    }

    /// Refuses fewer I/O queues than jobs.
    ///
    /// # Errors
    /// [`ErrorKind::Plan`] with both numbers.
    pub fn admit_queues(&self, jobs: u16) -> Result<(), Error> {
        let given = self.facts().queues;
        if given >= jobs {
            return Ok(());
        }
        let cause = format!("{jobs} jobs need an I/O queue each, and the target gives {given}");
        let remedy = match given {
            0 => "have the target give more queues".to_owned(),
            given => format!("use --jobs {given}, with a larger --depth"),
        };
        Err(Error::new(ErrorKind::Plan, self.place(), cause).with_remedy(remedy))
    }

    /// Commands that one I/O of `largest_bytes` takes, where `depth` of them fit in a queue.
    ///
    /// # Errors
    /// [`ErrorKind::Plan`] with the numbers where they do not.
    pub fn admit_depth(&self, depth: u32, largest_bytes: u32) -> Result<u32, Error> {
        let facts = self.facts();
        let (most_bytes, pieces) =
            split(facts.transfer_bytes, 1 << self.namespace.block_shift, u64::from(largest_bytes));
        let most = facts.queue_entries.min(facts.most_commands.unwrap_or(u32::MAX));
        let commands = u64::from(depth) * u64::from(pieces);
        if commands <= u64::from(most) {
            return Ok(pieces);
        }
        let each = match pieces {
            1 => String::new(),
            _ => format!(
                ", as an I/O of {largest_bytes} bytes is {pieces} commands of at most {most_bytes} bytes (MDTS)"
            ),
        };
        let cause =
            format!("depth {depth} needs {commands} commands at once{each}, and the target takes {most}");
        let fits = most / pieces;
        let remedy = match fits {
            0 => "use a smaller --bs".to_owned(),
            fits => format!("use --depth {fits} or less, with more --jobs"),
        };
        Err(Error::new(ErrorKind::Plan, self.place(), cause).with_remedy(remedy))
    }

    fn place(&self) -> String {
        format!("connecting to {}", self.access.label)
    }

    /// Connects I/O queue `number`, 1 and up, for `depth` I/Os of up to `largest_bytes` at once.
    ///
    /// # Errors
    /// As [`admit_depth`](Self::admit_depth), and where the target refuses.
    pub fn connect_queue(&self, number: u16, depth: u32, largest_bytes: u32) -> Result<IoQueue, Error> {
        let pieces = self.admit_depth(depth, largest_bytes)?;
        let fail = |mut error: Error| {
            error.kind = ErrorKind::System;
            error.at(format!("connecting I/O queue {number} of {}", self.access.label))
        };
        let until = now() + REUSE;
        let mut flow_control = false;
        loop {
            match self.try_queue(number, (depth, pieces), flow_control).map_err(fail)? {
                QueueOutcome::Connected(queue) => return Ok(*queue),
                QueueOutcome::NeedsFlowControl if !flow_control => flow_control = true,
                QueueOutcome::InUse if now() < until => std::thread::sleep(REUSE_LOOK),
                QueueOutcome::NeedsFlowControl | QueueOutcome::InUse => {
                    let cause = connect_refusal(refused::INVALID_PARAMETERS, u64::from(place::QUEUE));
                    return Err(fail(lost(cause)));
                }
            }
        }
    }

    fn try_queue(
        &self,
        number: u16,
        (depth, pieces): (u32, u32),
        flow_control: bool,
    ) -> Result<QueueOutcome, Error> {
        let facts = self.facts();
        // With flow control one entry of the ring stays free.
        let entries = (depth * pieces + u32::from(flow_control)).clamp(2, facts.queue_entries.max(2));
        let (address, framing) = (&self.access.address, self.access.framing);
        let mut wire = Wire::open(address, framing, (depth, pieces), self.access.patience)?;
        let entry = Association::connect_io(number, entries as u16, !flow_control);
        let data = self.association.data();
        let end = wire.command(entry, &data, (DATA_BYTES as u32, PATIENCE))?;
        if !end.status.is_success() {
            // The command's byte that holds CATTR.
            const ATTRIBUTES: u64 = 46;
            let is_invalid = end.status.0 & 0x7ff == refused::INVALID_PARAMETERS.0 & 0x7ff;
            return match end.result & 0x1_ffff {
                ATTRIBUTES if is_invalid => Ok(QueueOutcome::NeedsFlowControl),
                at if is_invalid && at == u64::from(place::QUEUE) => Ok(QueueOutcome::InUse),
                _ => Err(lost(connect_refusal(end.status, end.result))),
            };
        }
        let (stream, mut queue) = wire.into_parts();
        stream.set_nonblocking(true).map_err(|error| failed(&error))?;
        queue.set_limits(Limits {
            transfer_bytes: facts.transfer_bytes,
            in_capsule_bytes: facts.in_capsule_bytes,
        });
        Ok(QueueOutcome::Connected(Box::new(IoQueue { stream, queue, entries, pieces, flow_control })))
    }
}

/// What came of connecting a queue.
enum QueueOutcome {
    Connected(Box<IoQueue>),
    NeedsFlowControl,
    InUse,
}

#[cfg(test)]
mod tests {
    use fathom_record::facts::FabricFacts;

    use super::*;

    #[test]
    fn a_queue_has_room_for_as_many_ios_as_their_commands() {
        let target = |kind, most_commands| TargetFacts {
            logical_block_bytes: 512,
            fabric: Some(Box::new(FabricFacts {
                transfer_bytes: Some(131_072),
                queue_entries: Some(128),
                most_commands,
                ..FabricFacts::default()
            })),
            ..TargetFacts::named("x".to_owned(), kind)
        };
        let over = target(TargetKind::FabricNamespace, None);
        let depths = [4096, 131_072, 131_073, 1 << 20, 1 << 30].map(|bytes| deepest(&over, bytes));
        assert_eq!(depths, [Some(128), Some(128), Some(64), Some(16), Some(1)]);
        assert_eq!(deepest(&target(TargetKind::FabricNamespace, Some(32)), 4096), Some(32));
        assert_eq!(deepest(&target(TargetKind::BlockDevice, None), 4096), None);
    }
}
