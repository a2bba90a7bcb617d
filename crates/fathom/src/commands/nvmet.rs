//! `fathom nvmet`: serves targets over NVMe/TCP until Ctrl-C.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fathom_engine::placement::{Cpu, Machine};
use fathom_fabric::namespace_url::{Choices, FabricName, InvalidName, host_and_port, place};
use fathom_measure::{Bytes, Clock, WallClock};
use fathom_nvmet::{Digests, Export, ExportPlan, Limits, Server, ServerPlan, Summary};
use fathom_record::options::Decorators;
use fathom_telemetry::environment::interface_of;
use serde::Serialize;

use crate::arguments::{DigestChoice, NvmetArguments};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::progress_display::Screen;
use crate::{interrupt, output};

/// Where NVMe over TCP listens.
const PORT: u16 = 4420;
/// Name of the discovery service, which every target has.
const DISCOVERY: &str = "nqn.2014-08.org.nvmexpress.discovery";
/// Workers where nobody says how many.
const MOST_WORKERS: usize = 8;
/// What `--cpus` is told for the processors near the network card.
const NEAR_CARD: &str = "nic";
/// Between two looks at what there is to say.
const STEP: Duration = Duration::from_millis(50);

/// The line for programs when the target is ready.
#[derive(Serialize)]
struct TargetReadyLine<'a> {
    format: &'static str,
    version: u32,
    ready: bool,
    address: String,
    nqn: &'a str,
    queues: u16,
    namespaces: Vec<NamespaceLine<'a>>,
}

#[derive(Serialize)]
struct NamespaceLine<'a> {
    id: usize,
    backend: &'a str,
    size_bytes: u64,
    block_bytes: u32,
    read_only: bool,
    engine: &'a str,
    target: String,
}

/// The line for programs at the end.
#[derive(Serialize)]
struct EndLine {
    format: &'static str,
    version: u32,
    ready: bool,
    connections: u64,
    turned_away: u64,
    controllers: u64,
    queues: u64,
    faults: u64,
    lost_hosts: u64,
    reads: u64,
    read_bytes: u64,
    writes: u64,
    written_bytes: u64,
    failed: u64,
}

/// Serves.
///
/// # Errors
/// When a backend is refused, or nothing can listen there.
pub fn perform(arguments: &NvmetArguments) -> Result<Status, Failure> {
    let address = address(&arguments.listen)?;
    let hosts = hosts(arguments, address.ip())?;
    let nqn = match &arguments.nqn {
        Some(nqn) => checked(nqn)?,
        None => own_nqn(&arguments.backends),
    };
    let limits = limits(arguments)?;
    let bound = cpus(arguments, address.ip())?;
    let decorators = Decorators { delay: arguments.delay.clone(), throttle: arguments.throttle };
    let stop = interrupt::watch(Screen::new(false, None).voice())?;
    if arguments.check_empty {
        output::message(
            "reading devices before they are served, to know that they are empty; Ctrl-C ends it",
        );
    }
    let export = Export::open(&ExportPlan {
        backends: &arguments.backends,
        writable: arguments.writable,
        permits: &arguments.destroy,
        check_empty: arguments.check_empty,
        stop: &stop,
        size_bytes: arguments.size.map(|size| size.0),
        stripe_bytes: arguments.stripe.map(|size| size.0),
        decorators: &decorators,
        faults: &arguments.faults.clone().unwrap_or_default(),
        seed: arguments.seed,
    })?;
    for note in export.notes() {
        output::message(note);
    }
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = if bound.is_empty() { cpus } else { bound.len() };
    let server = Server::start(
        export,
        &ServerPlan {
            address,
            name: nqn.clone(),
            firmware: env!("CARGO_PKG_VERSION").to_owned(),
            hosts,
            limits,
            workers: arguments.workers.map_or(workers.min(MOST_WORKERS), usize::from),
            cpus: bound.clone(),
            polled: arguments.polled,
        },
    )?;
    let ready = ready(&server, &nqn);
    let text = if arguments.json {
        output::json_line(&ready)
    } else {
        words(&ready, server.address(), arguments, &bound)
    };
    output::line(&text)?;
    serve(&server, arguments, &stop);
    let ended = ended(server.stop());
    let text = if arguments.json { output::json_line(&ended) } else { ended_words(&ended) };
    output::line(&text)?;
    Ok(Status::Done)
}

/// Waits for the end, and says meanwhile what happens.
fn serve(server: &Server, arguments: &NvmetArguments, stop: &AtomicBool) {
    let (clock, _) = WallClock::start_on_system_clock();
    let until_ns = arguments.time.map_or(u64::MAX, |time| clock.now_ns().saturating_add(time.0));
    while !stop.load(Ordering::Relaxed) && clock.now_ns() < until_ns {
        std::thread::sleep(STEP);
        server.take_messages().iter().for_each(|text| output::message(text));
    }
}

/// Where to listen: the first address of what was named.
fn address(text: &str) -> Result<SocketAddr, Failure> {
    const REMEDY: &str = "name an address of this machine, e.g. --listen 10.0.0.5 or --listen [::1]:4420";
    let refuse = |cause: String| Failure::usage("--listen", cause, REMEDY);
    // Port 0 is no port to connect to, but one to listen at.
    let (text, is_any) = text.strip_suffix(":0").map_or((text, false), |text| (text, true));
    let (host, port) =
        host_and_port(text, PORT).map_err(|error| refuse(error.cause.clone()).with_source(error))?;
    let port = if is_any { 0 } else { port };
    let mut found = (host.as_str(), port)
        .to_socket_addrs()
        .map_err(|error| refuse(format!("{host}: {error}")).with_source(error))?;
    found.next().ok_or_else(|| refuse(format!("{host} has no address")))
}

/// The hosts that may connect; none where any may.
fn hosts(arguments: &NvmetArguments, address: IpAddr) -> Result<Option<Vec<String>>, Failure> {
    if !arguments.allow_host.is_empty() {
        return arguments.allow_host.iter().map(|nqn| checked(nqn)).collect::<Result<_, _>>().map(Some);
    }
    if arguments.allow_any_host || address.is_loopback() {
        return Ok(None);
    }
    Err(Failure::usage(
        "--listen",
        format!("{address} can be reached from other machines, and nothing says which hosts may connect"),
        "add --allow-host NQN (`cat /etc/nvme/hostnqn` on the host), or --allow-any-host",
    ))
}

/// Processors of the workers: those that were named, or those near the network card that listens; none: the
/// scheduler's choice.
fn cpus(arguments: &NvmetArguments, address: IpAddr) -> Result<Vec<u32>, Failure> {
    let refuse = |cause: String| Failure::usage("--cpus", cause, "use e.g. --cpus 0-3, or leave it out");
    let Some(asked) = &arguments.cpus else { return Ok(Vec::new()) };
    let allowed = fathom_engine::job::allowed_cpus()?;
    if asked != NEAR_CARD {
        let listed = fathom_plan::processors_of(asked)
            .map_err(|error| refuse(error.cause.clone()).with_source(error))?;
        return match listed.iter().find(|cpu| !allowed.contains(*cpu)) {
            Some(cpu) => Err(refuse(format!(
                "this process may not use CPU {cpu}: it has {}",
                fathom_plan::processors(&Vec::from_iter(allowed))
            ))),
            None => Ok(listed),
        };
    }
    let IpAddr::V4(address) = address else {
        return Err(refuse(format!("which network card has {address} is known for IPv4 alone")));
    };
    let card = interface_of(address).and_then(|name| Machine::default().interface(&name));
    let Some(card) = card else {
        return Err(refuse(format!("{address} is on no network card that the kernel shows")));
    };
    let near = |cpu: &&Cpu| card.node.is_none() || cpu.node.is_none() || cpu.node == card.node;
    let cpus = Machine::default().cpus(&allowed);
    Ok(cpus.iter().filter(near).map(|cpu| cpu.id).collect())
}

/// A name that hosts and subsystems can have.
fn checked(nqn: &str) -> Result<String, Failure> {
    let refuse = |cause: String| {
        Failure::usage(format!("NQN `{nqn}`"), cause, "e.g. nqn.2014-08.org.nvmexpress:uuid:...")
    };
    let named: FabricName = format!("nvme+tcp://host/{nqn}")
        .parse()
        .map_err(|error: InvalidName| refuse(error.cause.clone()).with_source(error))?;
    if nqn == DISCOVERY {
        return Err(refuse("this is the name of the discovery service".to_owned()));
    }
    Ok(named.subsystem)
}

/// A name that stays the same for the same backends on the same machine.
fn own_nqn(backends: &[String]) -> String {
    let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let bytes = fathom_fabric::identifier(&format!("{} {}", machine.trim(), backends.join(" ")));
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [hex.get(..8), hex.get(8..12), hex.get(12..16), hex.get(16..20), hex.get(20..)];
    let uuid: Vec<&str> = parts.into_iter().flatten().collect();
    format!("nqn.2014-08.org.nvmexpress:uuid:{}", uuid.join("-"))
}

fn limits(arguments: &NvmetArguments) -> Result<Limits, Failure> {
    let small = |flag: &str, size: Bytes| {
        u32::try_from(size.0).map_err(|_| Failure::usage(flag, format!("{size} is too large"), ""))
    };
    Ok(Limits {
        queues: arguments.queues,
        depth: arguments.depth,
        transfer_bytes: small("--max-transfer", arguments.max_transfer)?,
        in_capsule_bytes: small("--in-capsule", arguments.in_capsule)?,
        memory_bytes: arguments.memory.0,
        digests: digests(arguments.digests),
    })
}

fn digests(choice: DigestChoice) -> Digests {
    match choice {
        DigestChoice::Offer => Digests::Offer,
        DigestChoice::Require => Digests::Require,
        DigestChoice::Off => Digests::Off,
    }
}

fn ready<'a>(server: &'a Server, nqn: &'a str) -> TargetReadyLine<'a> {
    let address = server.address();
    let several = server.export().namespaces().count() > 1;
    let served = |(at, it): (usize, &'a fathom_nvmet::ExportedNamespace)| NamespaceLine {
        id: at + 1,
        backend: &it.name,
        size_bytes: it.size_bytes,
        block_bytes: it.block_bytes,
        read_only: it.is_read_only,
        engine: it.engine,
        target: FabricName {
            host: reached_at(address),
            port: address.port(),
            subsystem: nqn.to_owned(),
            namespace: several.then_some(at as u32 + 1),
            choices: Choices::default(),
        }
        .to_string(),
    };
    TargetReadyLine {
        format: "fathom.nvmet",
        version: 1,
        ready: true,
        address: address.to_string(),
        nqn,
        queues: server.queues(),
        namespaces: server.export().namespaces().enumerate().map(served).collect(),
    }
}

/// What others type for the address: one that stands for all is none to connect to.
fn reached_at(address: SocketAddr) -> String {
    if address.ip().is_unspecified() { "ADDRESS".to_owned() } else { address.ip().to_string() }
}

fn words(
    ready: &TargetReadyLine<'_>,
    address: SocketAddr,
    arguments: &NvmetArguments,
    bound: &[u32],
) -> String {
    let host = reached_at(address);
    let mut lines = vec![format!("Serving {} at {}", ready.nqn, place(&host, address.port()))];
    for it in &ready.namespaces {
        lines.push(format!(
            "  namespace {}: {}, {} in blocks of {} bytes, {}, engine {}",
            it.id,
            it.backend,
            Bytes(it.size_bytes),
            it.block_bytes,
            if it.read_only { "read-only" } else { "read-write" },
            it.engine
        ));
    }
    lines.push(format!(
        "  hosts: {}",
        if arguments.allow_host.is_empty() { "any".to_owned() } else { arguments.allow_host.join(", ") }
    ));
    let fewer = if ready.queues < arguments.queues {
        format!(", as many of {} as fit into {}", arguments.queues, arguments.memory)
    } else {
        String::new()
    };
    lines.push(format!("  I/O queues: {}{fewer}, {} entries each", ready.queues, arguments.depth));
    if !bound.is_empty() {
        lines.push(format!("  workers on CPUs {}", fathom_plan::processors(bound)));
    }
    if arguments.polled {
        lines.push("  workers look for commands without sleeping".to_owned());
    }
    lines.push(String::new());
    lines.push("On the other side:".to_owned());
    lines.push(format!("  nvme connect -t tcp -a {host} -s {} -n {}", address.port(), ready.nqn));
    for it in &ready.namespaces {
        lines.push(format!("  target name: {}", it.target));
    }
    lines.push("Ctrl-C ends it.".to_owned());
    lines.join("\n") + "\n"
}

fn ended(summary: Summary) -> EndLine {
    EndLine {
        format: "fathom.nvmet",
        version: 1,
        ready: false,
        connections: summary.connections,
        turned_away: summary.turned_away,
        controllers: summary.controllers,
        queues: summary.queues,
        faults: summary.faults,
        lost_hosts: summary.lost_hosts,
        reads: summary.reads,
        read_bytes: summary.read_bytes,
        writes: summary.writes,
        written_bytes: summary.written_bytes,
        failed: summary.failed,
    }
}

fn ended_words(it: &EndLine) -> String {
    let mut lines = vec![format!(
        "Served {} reads ({}) and {} writes ({}); {} I/Os failed",
        it.reads,
        Bytes(it.read_bytes),
        it.writes,
        Bytes(it.written_bytes),
        it.failed
    )];
    lines.push(format!(
        "  {} connections: {} controllers, {} I/O queues; {} ended for a breach of the protocol",
        it.connections, it.controllers, it.queues, it.faults
    ));
    if it.turned_away > 0 {
        lines.push(format!("  {} connections closed at once, because too many were open", it.turned_away));
    }
    if it.lost_hosts > 0 {
        lines.push(format!("  {} controllers ended because their host fell silent", it.lost_hosts));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_their_ports() {
        for (text, whole) in [
            ("127.0.0.1", "127.0.0.1:4420"),
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("[::1]:5000", "[::1]:5000"),
            ("[::1]", "[::1]:4420"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), whole, "{text}");
        }
        for text in ["", "::1", "127.0.0.1:70000", "a b"] {
            assert!(address(text).unwrap_err().remedy.contains("--listen"), "{text}");
        }
    }

    #[test]
    fn names_are_those_that_hosts_take() {
        assert_eq!(own_nqn(&["null:".to_owned()]), own_nqn(&["null:".to_owned()]));
        assert_ne!(own_nqn(&["null:".to_owned()]), own_nqn(&["memory:".to_owned()]));
        assert_eq!(own_nqn(&[]).len(), 32 + 36);
        for wrong in ["", "a b", "nqn.2014-08.org.nvmexpress.discovery", &"x".repeat(224)] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }
}
