//! What a target has: its discovery log page, and the namespaces of each subsystem that is listed.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use fathom_fabric::Framing;
use fathom_fabric::host::discovery_log::{DiscoveryEntry, DiscoveryReader, PIECE_BYTES};
use fathom_fabric::host::{Association, AssociationStep, ConnectOptions};
use fathom_fabric::namespace_url::{Choices, FabricName};
use fathom_spec::admin::{self, IdentifyWhat};
use fathom_spec::fabrics::discovery::TCP;
use fathom_spec::fabrics::{DISCOVERY_NAME, PORT, SubmissionEntry};
use fathom_spec::{IdentifyNamespace, Status};

use super::addresses;
use super::host_identity::Host;
use super::wire::{Wire, lost};
use crate::{Error, ErrorKind};

/// Port of discovery services by themselves; most targets answer at that of I/O too.
pub const DISCOVERY_PORT: u16 = 8009;
/// Longest wait for one target.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is being done where the namespaces of an entry cannot be known.
const LISTING: &str = "listing the namespaces of a subsystem";
/// Namespaces of one subsystem that are looked at.
const MOST_NAMESPACES: usize = 256;

/// Where to ask, and as whom.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// Host name or address.
    pub host: String,
    /// Port; absent: that of discovery services, then that of I/O.
    pub port: Option<u16>,
    /// Name to ask as; absent: this machine's.
    pub host_name: Option<String>,
}

/// What answered.
#[derive(Debug)]
pub struct Discovery {
    /// Address of the discovery service.
    pub address: SocketAddr,
    /// Name that was asked as.
    pub host_name: String,
    /// What it lists.
    pub entries: Vec<DiscoveredSubsystem>,
}

/// One entry of the log page.
#[derive(Debug)]
pub struct DiscoveredSubsystem {
    /// What it says.
    pub found: DiscoveryEntry,
    /// The namespaces behind it, or why they are not known; absent for what has none, or is not reached by TCP.
    pub namespaces: Option<Result<Vec<ListedNamespace>, Error>>,
}

/// A namespace that can be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedNamespace {
    /// What a user types for it.
    pub target: FabricName,
    /// Size.
    pub size_bytes: u64,
    /// Logical block.
    pub block_bytes: u32,
    /// Whether its target refuses writes.
    pub is_read_only: bool,
}

/// Asks a target what it has.
///
/// # Errors
/// [`ErrorKind::NoSuchTarget`] where no discovery service answers, [`ErrorKind::System`] where its page cannot be read.
pub fn discover(inquiry: &Inquiry) -> Result<Discovery, Error> {
    let choices = Choices { host: inquiry.host_name.clone(), ..Choices::default() };
    let host = Host::of(&choices);
    let ports = inquiry.port.map_or_else(|| vec![DISCOVERY_PORT, PORT], |port| vec![port]);
    let place = format!("asking {} what it has", inquiry.host);
    let mut tried = Vec::new();
    let mut places = Vec::new();
    for port in ports {
        places.extend(addresses((&inquiry.host, port), &inquiry.host)?);
    }
    for address in places {
        let (port, ip) = (address.port(), address.ip());
        let asked = wishes(&host, DISCOVERY_NAME);
        let mut wire = match Wire::open(&address, Framing::default(), (1, 1), PATIENCE) {
            Ok(wire) => wire,
            Err(error) => {
                tried.push(format!("{ip}, port {port}: {}", error.cause));
                continue;
            }
        };
        let found = read(&mut wire, asked).map_err(|mut error| {
            (error.kind, error.cause) = (ErrorKind::System, format!("port {port}: {}", error.cause));
            error.at(place.clone()).with_remedy("name the port of its discovery service, e.g. 10.0.0.5:8009")
        })?;
        let look = |found: DiscoveryEntry| look_into(found, &address, &host, &choices);
        let entries = found.into_iter().map(look).collect();
        return Ok(Discovery { address, host_name: host.name, entries });
    }
    Err(Error::new(ErrorKind::NoSuchTarget, place, tried.join("; "))
        .with_remedy("check that a target listens there, or name its port: 10.0.0.5:4420"))
}

fn wishes(host: &Host, subsystem: &str) -> ConnectOptions {
    ConnectOptions {
        host: host.name.clone(),
        host_id: host.id,
        subsystem: subsystem.to_owned(),
        queues: 1,
        namespace: None,
        keep_alive_ms: 0,
    }
}

fn read(wire: &mut Wire, wishes: ConnectOptions) -> Result<Vec<DiscoveryEntry>, Error> {
    wire.associate(&mut Association::new(wishes))?;
    let mut reading = DiscoveryReader::default();
    while let Some(entry) = reading.next_command() {
        let end = wire.command(entry, &[], (PIECE_BYTES, PATIENCE))?;
        succeeded(end.status, "reading the discovery log page")?;
        reading
            .take(wire.data(PIECE_BYTES))
            .map_err(|failure| lost(failure.to_string()).with_source(failure))?;
    }
    Ok(reading.found())
}

fn succeeded(status: Status, what: &str) -> Result<(), Error> {
    if status.is_success() { Ok(()) } else { Err(lost(format!("{what}: {status}"))) }
}

/// Connects to a subsystem that is listed, and lists its namespaces.
fn look_into(
    found: DiscoveryEntry,
    asked_at: &SocketAddr,
    host: &Host,
    choices: &Choices,
) -> DiscoveredSubsystem {
    if found.transport != TCP || !found.has_namespaces {
        return DiscoveredSubsystem { found, namespaces: None };
    }
    let namespaces = if found.is_secured {
        let cause =
            "it requires TLS, which fathom does not have: connect with the kernel, and name the device";
        Err(Error::new(ErrorKind::Unsupported, LISTING, cause))
    } else {
        place_of(&found, asked_at).and_then(|address| namespaces(&found, &address, host, choices))
    };
    DiscoveredSubsystem { found, namespaces: Some(namespaces) }
}

/// Where an entry is: at the address that was asked where it names none, as some targets do.
fn place_of(found: &DiscoveryEntry, asked_at: &SocketAddr) -> Result<SocketAddr, Error> {
    let wrong = |cause: String| Error::new(ErrorKind::NoSuchTarget, LISTING, cause);
    let port = found.port.ok_or_else(|| wrong("its port is not a number".to_owned()))?;
    let address: IpAddr = found
        .address
        .parse()
        .map_err(|_| wrong(format!("its address `{}` is not an IP address", found.address)))?;
    let address = if address.is_unspecified() { asked_at.ip() } else { address };
    Ok(SocketAddr::new(address, port))
}

fn namespaces(
    found: &DiscoveryEntry,
    address: &SocketAddr,
    host: &Host,
    choices: &Choices,
) -> Result<Vec<ListedNamespace>, Error> {
    let mut wire = Wire::open(address, Framing::default(), (1, 1), PATIENCE)?;
    let mut association = Association::new(wishes(host, &found.subsystem));
    enable(&mut wire, &mut association)?;
    let page = admin::IDENTIFY_BYTES as u32;
    let list = identify(&mut wire, IdentifyWhat::ActiveNamespaces, 0)?;
    let ids = list.as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id));
    let ids: Vec<u32> = ids.take_while(|id| *id != 0).take(MOST_NAMESPACES).collect();
    let mut listed = Vec::with_capacity(ids.len());
    for id in ids {
        identify(&mut wire, IdentifyWhat::Namespace, id)?;
        let it = IdentifyNamespace::parse(wire.data(page))
            .map_err(|error| lost(error.to_string()).with_source(error))?;
        let shift = it.format().map_or(0, |format| u32::from(format.lbads));
        let is_known = (9..=16).contains(&shift) && it.nsze.get() <= u64::MAX >> shift;
        if !is_known {
            continue;
        }
        listed.push(ListedNamespace {
            target: FabricName {
                host: address.ip().to_string(),
                port: address.port(),
                subsystem: found.subsystem.clone(),
                namespace: Some(id),
                choices: choices.clone(),
            },
            size_bytes: it.nsze.get() << shift,
            block_bytes: 1 << shift,
            is_read_only: it.is_write_protected(),
        });
    }
    Ok(listed)
}

/// Connects and enables a controller, and stops before I/O queues are asked for.
fn enable(wire: &mut Wire, association: &mut Association) -> Result<(), Error> {
    loop {
        match association.next_step() {
            AssociationStep::Command { entry, .. } if entry.opcode == admin::SET_FEATURES => return Ok(()),
            AssociationStep::Ready => return Ok(()),
            AssociationStep::Pause(ms) => std::thread::sleep(Duration::from_millis(u64::from(ms))),
            AssociationStep::Command { entry, bytes } => {
                let end = wire.command(entry, &association.data(), (bytes, PATIENCE))?;
                let data = wire.data(bytes);
                association
                    .answered(end.status, end.result, data)
                    .map_err(|failure| lost(failure.to_string()).with_source(failure))?;
            }
        }
    }
}

fn identify(wire: &mut Wire, what: IdentifyWhat, namespace: u32) -> Result<Vec<u8>, Error> {
    let page = admin::IDENTIFY_BYTES as u32;
    let entry = SubmissionEntry::new(admin::IDENTIFY, namespace, [what.dword10(), 0, 0, 0, 0, 0]);
    let end = wire.command(entry, &[], (page, PATIENCE))?;
    succeeded(end.status, "Identify")?;
    Ok(wire.data(page).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(address: &str, port: Option<u16>) -> DiscoveryEntry {
        DiscoveryEntry {
            subsystem: "nqn.a".to_owned(),
            has_namespaces: true,
            transport: TCP,
            address: address.to_owned(),
            port,
            is_secured: false,
        }
    }

    #[test]
    fn an_entry_without_an_address_of_its_own_is_where_it_was_asked() {
        let asked: SocketAddr = "10.0.0.5:8009".parse().unwrap();
        let place = |address: &str, port| place_of(&found(address, port), &asked);
        assert_eq!(place("0.0.0.0", Some(4420)).unwrap(), "10.0.0.5:4420".parse().unwrap());
        assert_eq!(place("::1", Some(1)).unwrap(), "[::1]:1".parse().unwrap());
        assert!(place("storage.local", Some(1)).unwrap_err().cause.contains("not an IP address"));
        assert!(place("10.0.0.6", None).unwrap_err().cause.contains("port"));
    }

    #[test]
    fn what_cannot_be_connected_to_is_listed_with_its_reason() {
        let asked: SocketAddr = "127.0.0.1:8009".parse().unwrap();
        let host = Host { name: "nqn.h".to_owned(), id: [1; 16] };
        let look = |found| look_into(found, &asked, &host, &Choices::default()).namespaces;
        assert!(look(DiscoveryEntry { transport: 1, ..found("10.0.0.1", Some(1)) }).is_none());
        assert!(look(DiscoveryEntry { has_namespaces: false, ..found("10.0.0.1", Some(1)) }).is_none());
        let secured = look(DiscoveryEntry { is_secured: true, ..found("10.0.0.1", Some(1)) }).unwrap();
        assert!(secured.unwrap_err().cause.contains("TLS"));
    }
}
