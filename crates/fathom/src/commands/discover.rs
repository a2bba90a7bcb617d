//! `fathom discover`: what an NVMe over TCP target has, and what to type for it.

use fathom_fabric::namespace_url::{FabricName, InvalidName, host_and_port, place};
use fathom_measure::Bytes;
use fathom_target::remote::{DiscoveredSubsystem, Discovery, Inquiry, discover};
use serde::Serialize;

use crate::arguments::DiscoverArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// The list for programs.
#[derive(Serialize)]
struct Document {
    format: &'static str,
    version: u32,
    address: String,
    host_nqn: String,
    subsystems: Vec<Subsystem>,
}

/// One entry of the discovery log page.
#[derive(Serialize)]
struct Subsystem {
    nqn: String,
    transport: String,
    address: String,
    is_discovery: bool,
    is_secured: bool,
    namespaces: Vec<Namespace>,
    /// Why the namespaces are not known.
    error: Option<String>,
}

#[derive(Serialize)]
struct Namespace {
    target: String,
    size_bytes: u64,
    block_bytes: u32,
    is_read_only: bool,
}

/// Asks, and prints what was answered.
///
/// # Errors
/// When the name is not one of a host, nothing answers there, or stdout cannot be written.
pub fn perform(arguments: &DiscoverArguments) -> Result<Status, Failure> {
    let (host, port) = named(&arguments.host)?;
    if let Some(nqn) = &arguments.host_nqn {
        let named: Result<FabricName, _> = format!("nvme+tcp://host/{nqn}").parse();
        named.map_err(|error| {
            Failure::usage(
                format!("--host-nqn {nqn}"),
                error.cause.clone(),
                "e.g. nqn.2014-08.org.nvmexpress:uuid:...",
            )
            .with_source(error)
        })?;
    }
    let found = discover(&Inquiry { host, port, host_name: arguments.host_nqn.clone() })?;
    let document = document(&found);
    let text = if arguments.json { output::json(&document) } else { text(&document) };
    output::result(&text)?;
    Ok(Status::Done)
}

/// A host, and its port where one is named.
fn named(text: &str) -> Result<(String, Option<u16>), Failure> {
    let refuse = |error: InvalidName| {
        let remedy = "e.g. fathom discover 10.0.0.5, or [::1]:4420";
        Failure::usage(format!("target `{text}`"), error.cause.clone(), remedy).with_source(error)
    };
    // Read with two ports: the one that is named is the same in both.
    let (host, port) = host_and_port(text, 4420).map_err(refuse)?;
    let (_, other) = host_and_port(text, 1).map_err(refuse)?;
    Ok((host, (port == other).then_some(port)))
}

fn document(found: &Discovery) -> Document {
    Document {
        format: "fathom.discovery",
        version: 1,
        address: place(&found.address.ip().to_string(), found.address.port()),
        host_nqn: found.host_name.clone(),
        subsystems: found.entries.iter().map(subsystem).collect(),
    }
}

fn subsystem(listed: &DiscoveredSubsystem) -> Subsystem {
    let DiscoveredSubsystem { found, namespaces } = listed;
    let (known, error) = match namespaces {
        Some(Ok(known)) => (known.as_slice(), None),
        Some(Err(error)) => (&[][..], Some(error.cause.clone())),
        None => (&[][..], None),
    };
    let namespaces = known.iter().map(|it| Namespace {
        target: it.target.to_string(),
        size_bytes: it.size_bytes,
        block_bytes: it.block_bytes,
        is_read_only: it.is_read_only,
    });
    Subsystem {
        nqn: found.subsystem.clone(),
        transport: transport(found.transport),
        address: found.port.map_or_else(|| found.address.clone(), |port| place(&found.address, port)),
        is_discovery: !found.has_namespaces,
        is_secured: found.is_secured,
        namespaces: namespaces.collect(),
        error,
    }
}

/// What a transport is called (Base, "Discovery Log Page Entry", TRTYPE).
fn transport(number: u8) -> String {
    match number {
        1 => "rdma".to_owned(),
        2 => "fc".to_owned(),
        3 => "tcp".to_owned(),
        254 => "loop".to_owned(),
        other => format!("type {other}"),
    }
}

fn text(document: &Document) -> String {
    let mut lines = vec![format!("What {} lists for host {}", document.address, document.host_nqn)];
    if document.subsystems.is_empty() {
        lines.push("  nothing: no subsystem is open to this host; --host-nqn asks as another".to_owned());
    }
    for it in &document.subsystems {
        let kind = if it.is_discovery { ", a discovery service" } else { "" };
        lines.push(format!("  {} ({} at {}{kind})", it.nqn, it.transport, it.address));
        for namespace in &it.namespaces {
            let kind = if namespace.is_read_only { ", read-only" } else { "" };
            lines.push(format!(
                "    {}, blocks of {} bytes{kind}\n      --target {}",
                Bytes(namespace.size_bytes),
                namespace.block_bytes,
                fathom_record::shell_word(&namespace.target)
            ));
        }
        lines.extend(it.error.iter().map(|cause| format!("    its namespaces are not known: {cause}")));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_counts_only_where_it_is_named() {
        assert_eq!(named("h").unwrap(), ("h".to_owned(), None));
        assert_eq!(named("h:4420").unwrap(), ("h".to_owned(), Some(4420)));
        assert_eq!(named("[::1]:1").unwrap(), ("::1".to_owned(), Some(1)));
        assert!(named("::1").is_err() && named("h:0").is_err() && named("").is_err());
    }
}
