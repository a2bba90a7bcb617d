//! Namespaces on the network, by NVMe over TCP: found out about when a target is opened, judged, and connected to anew
//! for each run.

mod fabric_inquiry;
mod host_identity;
mod keeper;
mod remote_controller;
mod wire;

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_fabric::host::{ConnectOptions, Facts, NamespaceFacts};
use fathom_fabric::namespace_url::FabricName;
use fathom_fabric::{Framing, namespace_url};
use fathom_record::facts::{FabricFacts, FabricQueue, Outages, TargetFacts, TargetKind};

use super::guard::{self, Hold, Identity, Permit, Reason};
use super::target_opening::OpenRequest;
use crate::{Error, ErrorKind};

pub use fabric_inquiry::{DiscoveredSubsystem, Discovery, Inquiry, ListedNamespace, discover};
pub use host_identity::Host;
pub use keeper::KeeperState;
pub use remote_controller::{Controller, IoQueue, deepest};
pub use wire::is_passing;

use remote_controller::Access;
use wire::PATIENCE;

/// Keep-alive time where none is asked for, in seconds: as the kernel's initiator has it.
const KEEP_ALIVE_S: u32 = 5;
/// Longest wait for an answer of one address of several.
const EACH: Duration = Duration::from_secs(5);
/// Longest wait for an answer when a connection is made again.
const AGAIN: Duration = Duration::from_secs(1);

/// Connections that are open, by a label: what telemetry asks the kernel about.
pub type Sockets = Arc<Mutex<Vec<(String, TcpStream)>>>;

/// A namespace on the network, as it was found.
#[derive(Clone, Debug)]
pub struct Remote {
    access: Access,
    /// Every address of its host; connections go to that of `access`, which answered first.
    addresses: Vec<SocketAddr>,
    reconnect_s: Option<u32>,
    outages: Arc<Mutex<Outages>>,
    queues: Arc<Mutex<Vec<FabricQueue>>>,
    /// What it was when it was opened, by which it is known again.
    found: (String, NamespaceFacts),
    sockets: Sockets,
}

impl Remote {
    /// Looks at a namespace, and lets it be written only where it is named for that.
    ///
    /// # Errors
    /// [`ErrorKind::NoSuchTarget`] and [`ErrorKind::System`] where it cannot be connected to, [`ErrorKind::Refused`]
    /// where it may not be written, [`ErrorKind::Plan`] where it is smaller than asked for.
    pub fn open(name: &FabricName, request: &OpenRequest<'_>) -> Result<(Self, TargetFacts), Error> {
        let label = name.to_string();
        let addresses = addresses((&name.host, name.port), &label)?;
        let host = Host::of(&name.choices);
        let framing = Framing {
            header_digest: name.choices.header_digest,
            data_digest: name.choices.data_digest,
            ..Framing::default()
        };
        let wishes = ConnectOptions {
            host: host.name,
            host_id: host.id,
            subsystem: name.subsystem.clone(),
            queues: 1,
            namespace: name.namespace,
            keep_alive_ms: name.choices.keep_alive_s.unwrap_or(KEEP_ALIVE_S) * 1000,
        };
        let (access, controller) = in_turn(&addresses, |address, patience| {
            let (label, wishes) = (label.clone(), wishes.clone());
            let access = Access { address, label, framing, wishes, patience };
            Controller::connect(access.clone()).map(|controller| (access, controller))
        })?;
        let namespace = controller.namespace();
        if request.writes {
            let identity = identity(name, namespace.id);
            guard::admit(
                &format!("writing to {label}"),
                &reasons(&label, namespace),
                &identity,
                request.permit,
            )?;
        }
        let block_bytes = 1_u32 << namespace.block_shift;
        let there = namespace.blocks << namespace.block_shift;
        let facts = TargetFacts {
            size_bytes: usable(&label, there, u64::from(block_bytes), request.size_bytes)?,
            logical_block_bytes: block_bytes,
            direct: true,
            fabric: Some(Box::new(FabricFacts {
                reconnect_s: name.choices.reconnect_s,
                ..fabric_facts(&access, controller.facts(), namespace)
            })),
            ..TargetFacts::named(label, TargetKind::FabricNamespace)
        };
        let found = (controller.facts().serial.clone(), namespace);
        let reconnect_s = name.choices.reconnect_s;
        let (sockets, outages, queues) = Default::default();
        Ok((Self { access, addresses, reconnect_s, outages, queues, found, sockets }, facts))
    }

    /// How long a lost connection is made again, in seconds; absent where a loss is the end.
    pub fn reconnect_s(&self) -> Option<u32> {
        self.reconnect_s
    }

    /// Losses since they were taken last.
    pub fn outages(&self) -> &Mutex<Outages> {
        &self.outages
    }

    /// What queues carried that were closed since they were taken last.
    pub fn queues(&self) -> &Mutex<Vec<FabricQueue>> {
        &self.queues
    }

    /// Connects for one job that lost its connection, with one I/O queue: at the next address of the host with each
    /// attempt.
    ///
    /// # Errors
    /// As the target refuses or does not answer within a second, and where the namespace is another one than before.
    pub fn reconnect(&self, attempt: u32) -> Result<Controller, Error> {
        let at = attempt as usize % self.addresses.len().max(1);
        let address = self.addresses.get(at).copied().unwrap_or(self.access.address);
        let wishes =
            ConnectOptions { queues: 1, namespace: Some(self.found.1.id), ..self.access.wishes.clone() };
        let patience = AGAIN;
        let controller = Controller::connect(Access { address, wishes, patience, ..self.access.clone() })?;
        self.is_the_same(&controller)?;
        Ok(controller)
    }

    fn is_the_same(&self, controller: &Controller) -> Result<(), Error> {
        if (&controller.facts().serial, controller.namespace()) == (&self.found.0, self.found.1) {
            return Ok(());
        }
        let place = format!("connecting to {}", self.access.label);
        let cause = "the namespace is not the one that was opened: its serial number, size or block changed";
        Err(Error::new(ErrorKind::Refused, place, cause).with_remedy("begin again"))
    }

    /// The connections of the I/O queues that are open now.
    pub fn sockets(&self) -> &Sockets {
        &self.sockets
    }

    /// Connects for a run with so many I/O queues, which are all given.
    ///
    /// # Errors
    /// As the target refuses, where it gives fewer queues, and where the namespace is another one than when it was
    /// opened.
    pub fn connect(&self, queues: u16) -> Result<Controller, Error> {
        let wishes =
            ConnectOptions { queues, namespace: Some(self.found.1.id), ..self.access.wishes.clone() };
        let controller = Controller::connect(Access { wishes, ..self.access.clone() })?;
        self.is_the_same(&controller)?;
        controller.admit_queues(queues)?;
        Ok(controller)
    }
}

/// The addresses of a host that has any, each once.
fn addresses((host, port): (&str, u16), label: &str) -> Result<Vec<SocketAddr>, Error> {
    let place = format!("looking for {label}");
    let fail = |cause: String| {
        Error::new(ErrorKind::NoSuchTarget, place.clone(), cause)
            .with_remedy("name the host by its address, e.g. nvme+tcp://10.0.0.5/NQN")
    };
    let mut each: Vec<SocketAddr> = Vec::new();
    let found = (host, port)
        .to_socket_addrs()
        .map_err(|error| fail(format!("host `{host}`: {error}")).with_source(error))?;
    for address in found {
        if !each.contains(&address) {
            each.push(address);
        }
    }
    if each.is_empty() { Err(fail(format!("host `{host}` has no address"))) } else { Ok(each) }
}

/// Connects to the first address that answers; one alone has longer to do so. A target that answers and refuses is
/// asked at no other address.
fn in_turn<T>(
    addresses: &[SocketAddr],
    mut connect: impl FnMut(SocketAddr, Duration) -> Result<T, Error>,
) -> Result<T, Error> {
    let patience = if addresses.len() > 1 { EACH } else { PATIENCE };
    let mut failed: Option<Error> = None;
    for address in addresses {
        match connect(*address, patience) {
            Err(error) if error.kind == ErrorKind::NoSuchTarget => {
                if let Some(before) = &mut failed {
                    before.cause = format!("{}; {}", before.cause, error.cause);
                } else {
                    failed = Some(error);
                }
            }
            outcome => return outcome,
        }
    }
    Err(failed.unwrap_or_else(|| Error::new(ErrorKind::NoSuchTarget, "connecting", "there is no address")))
}

/// What stands against writing a namespace: nobody here sees who else uses it, nor what it holds.
fn reasons(label: &str, namespace: NamespaceFacts) -> Vec<Reason> {
    if namespace.is_read_only {
        let text = format!("{label} is write-protected by its target");
        return vec![Reason::new(Hold::ReadOnly, text).first("have the target export it for writing")];
    }
    let text = format!(
        "{label} is on another machine: what it holds, and which other hosts use it, cannot be seen from here"
    );
    vec![Reason::new(Hold::Unseen, text)]
}

/// How permission names a namespace: by its subsystem and number.
fn identity(name: &FabricName, namespace: u32) -> Identity {
    Identity { words: format!("{}/{namespace}", name.subsystem), also: Vec::new() }
}

/// Whether a permission can only be meant for a namespace of this name.
pub fn may_name(name: &FabricName, permit: &Permit) -> bool {
    let words = permit.0.trim();
    let (subsystem, id) = words.rsplit_once('/').unwrap_or((words, ""));
    subsystem == name.subsystem && name.namespace.is_none_or(|named| id == named.to_string())
}

/// Whether two names can stand for the same bytes.
pub fn may_share(one: &FabricName, other: &FabricName) -> bool {
    let same = |a: Option<u32>, b: Option<u32>| a.zip(b).is_none_or(|(a, b)| a == b);
    one.subsystem == other.subsystem && same(one.namespace, other.namespace)
}

/// Bytes that are used, in whole blocks.
fn usable(label: &str, there: u64, block: u64, wanted: Option<u64>) -> Result<u64, Error> {
    let refuse = |cause: String, remedy: String| {
        Err(Error::new(ErrorKind::Plan, format!("opening {label}"), cause).with_remedy(remedy))
    };
    match wanted {
        Some(wanted) if wanted > there => refuse(
            format!("it has {there} bytes, fewer than the {wanted} that were asked for"),
            format!("leave --size out, or type --size {there}"),
        ),
        Some(wanted) if wanted < block => refuse(
            format!("a size of {wanted} bytes holds no block of {block} bytes"),
            format!("type --size {block} or more, or leave --size out"),
        ),
        wanted => Ok(wanted.unwrap_or(there) / block * block),
    }
}

fn fabric_facts(access: &Access, facts: &Facts, namespace: NamespaceFacts) -> FabricFacts {
    let told = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    FabricFacts {
        transport: "tcp".to_owned(),
        initiator: format!("fathom {}", env!("CARGO_PKG_VERSION")),
        address: Some(namespace_url::place(&access.address.ip().to_string(), access.address.port())),
        subsystem: Some(access.wishes.subsystem.clone()),
        host: Some(access.wishes.host.clone()),
        namespace: Some(namespace.id),
        model: told(&facts.model),
        serial: told(&facts.serial),
        firmware: told(&facts.firmware),
        transfer_bytes: Some(facts.transfer_bytes),
        in_capsule_bytes: Some(facts.in_capsule_bytes),
        queue_entries: Some(facts.queue_entries),
        most_commands: facts.most_commands,
        header_digest: Some(access.framing.header_digest),
        data_digest: Some(access.framing.data_digest),
        keep_alive_ms: Some(access.wishes.keep_alive_ms),
        has_write_cache: Some(facts.has_write_cache),
        ..FabricFacts::default()
    }
}

/// A namespace as a target.
pub(super) fn open(
    name: &FabricName,
    request: &OpenRequest<'_>,
) -> Result<(Arc<Remote>, TargetFacts), Error> {
    Remote::open(name, request).map(|(remote, facts)| (Arc::new(remote), facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> FabricName {
        text.parse().unwrap()
    }

    #[test]
    fn permission_names_subsystem_and_namespace() {
        let name = named("nvme+tcp://h/nqn.a/2");
        let permit = |words: &str| Permit(words.to_owned());
        assert!(identity(&name, 2).is_named_by(&permit("nqn.a/2")));
        assert!(!identity(&name, 2).is_named_by(&permit("nqn.a")));
        assert!(may_name(&name, &permit("nqn.a/2")) && !may_name(&name, &permit("nqn.a/3")));
        assert!(may_name(&named("nvme+tcp://h/nqn.a"), &permit("nqn.a/3")));
        assert!(!may_name(&name, &permit("nqn.b/2")) && !may_name(&name, &permit("nqn.a")));
        assert!(may_share(&name, &named("nvme+tcp://other/nqn.a")));
        assert!(!may_share(&name, &named("nvme+tcp://h/nqn.a/1")));
        assert!(!may_share(&name, &named("nvme+tcp://h/nqn.b/2")));
    }

    #[test]
    fn writing_needs_permission_and_is_never_let_where_the_target_refuses_it() {
        let namespace = |is_read_only| NamespaceFacts { id: 1, block_shift: 12, blocks: 9, is_read_only };
        let name = named("nvme+tcp://h/nqn.a");
        let ask = |is_read_only, words: Option<&str>| {
            let permit = words.map(|words| Permit(words.to_owned()));
            let reasons = reasons("x", namespace(is_read_only));
            guard::admit("writing", &reasons, &identity(&name, 1), permit.as_ref())
        };
        let refused = ask(false, None).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Refused);
        assert!(refused.remedy.ends_with("--destroy nqn.a/1"), "{refused}");
        assert!(ask(false, Some("nqn.a/1")).is_ok());
        assert!(ask(false, Some("nqn.a/2")).is_err());
        assert!(ask(true, Some("nqn.a/1")).is_err());
    }

    #[test]
    fn each_address_is_tried_until_one_answers() {
        let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let silent = |port: u16| Error::new(ErrorKind::NoSuchTarget, "p", format!("port {port}"));
        let mut asked = Vec::new();
        let third = in_turn(&[1, 2, 3, 4].map(address), |address, patience| {
            asked.push((address.port(), patience));
            if address.port() < 3 { Err(silent(address.port())) } else { Ok(address.port()) }
        });
        assert_eq!((third.unwrap(), asked), (3, vec![(1, EACH), (2, EACH), (3, EACH)]));
        let none = in_turn(&[1, 2].map(address), |address, _| Err::<(), _>(silent(address.port())));
        assert_eq!(none.unwrap_err().cause, "port 1; port 2");
        // One that answers and refuses is the target.
        let refused =
            in_turn(&[1, 2].map(address), |_, _| Err::<(), _>(Error::new(ErrorKind::System, "p", "not you")));
        assert_eq!(refused.unwrap_err().cause, "not you");
        let alone = in_turn(&[address(1)], |_, patience| Ok(patience));
        assert_eq!(alone.unwrap(), PATIENCE);
    }

    #[test]
    fn sizes_are_held_against_what_is_there() {
        assert_eq!(usable("x", 8192, 4096, None).unwrap(), 8192);
        assert_eq!(usable("x", 8192, 4096, Some(5000)).unwrap(), 4096);
        assert!(usable("x", 8192, 4096, Some(8193)).unwrap_err().remedy.contains("--size 8192"));
        assert!(usable("x", 8192, 4096, Some(512)).is_err());
    }
}
