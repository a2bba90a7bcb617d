//! The agent at the target's machine: what there is to be seen, and what it did beside a run.

use std::path::Path;

use fathom_engine::placement::Machine;
use fathom_engine::{EngineError, ErrorKind};
use fathom_measure::WallClock;
use fathom_record::facts::DeviceFacts;
use fathom_record::telemetry::Telemetry;
use fathom_target::polled_queues;
use fathom_telemetry::server_process::{Listener, listener};
use fathom_telemetry::{Root, Sampler, SamplerPlan, environment};

use super::frame::{WatchFacts, WatchPlan};
use crate::single_run::nodes_apart;

/// Where the kernel lists block devices.
const BLOCK: &str = "/sys/class/block";
/// The interface of a machine to itself, which has no card.
const LOOPBACK: &str = "lo";

/// Looks around: the machine, the devices that were named, and who serves the port.
///
/// # Errors
/// When a device is not here.
pub fn look(look: &WatchPlan) -> Result<WatchFacts, EngineError> {
    let devices = look.devices.iter().map(|name| device(name)).collect::<Result<Vec<_>, _>>()?;
    let (server, note) = look.port.map_or((None, None), serving);
    let facts = |name: &String| DeviceFacts {
        name: name.clone(),
        polled_queues: polled_queues(name),
        ..DeviceFacts::default()
    };
    let facts: Vec<DeviceFacts> = devices.iter().map(facts).collect();
    Ok(WatchFacts {
        devices,
        server,
        port: look.port,
        environment: environment::collect(&facts, None),
        notes: note.into_iter().collect(),
    })
}

/// The kernel's name of a block device.
fn device(name: &str) -> Result<String, EngineError> {
    let path = std::fs::canonicalize(name).ok();
    let kernel = path.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    kernel.filter(|kernel| Path::new(BLOCK).join(kernel).exists()).map(str::to_owned).ok_or_else(|| {
        let cause = format!("`{name}` is not a block device of this machine");
        EngineError::new(ErrorKind::NoSuchTarget, "watching the target's machine", cause)
            .with_remedy("name what is served there, as targets = [\"/dev/nvme1n1\"], or nothing")
    })
}

/// The process that serves a port, or why it is not known.
fn serving(port: u16) -> (Option<(u32, String)>, Option<String>) {
    let why = match listener(&Root::system(), port) {
        Listener::Process { process, name } => return (Some((process, name)), None),
        Listener::Unseen => {
            "is served by the kernel, or by a process of another user: its own CPU time is not known, that of the machine is"
        }
        Listener::Nobody => "has no listener on this machine, as it is seen here: is the target elsewhere?",
    };
    (None, Some(format!("Port {port} {why}.")))
}

/// Samples what was seen, from now on.
pub fn sampler(watching: &WatchFacts, clock: WallClock) -> Sampler {
    let server = watching.server.as_ref().map(|(process, _)| *process);
    let plan = SamplerPlan { devices: watching.devices.clone(), server, ..SamplerPlan::default() };
    Sampler::start(plan, clock)
}

/// A remark where drives and the card that carried most are on different NUMA nodes.
pub fn nodes(watching: &WatchFacts, telemetry: &Telemetry) -> Option<String> {
    let machine = Machine::default();
    let carried = |label: &str| {
        let mean = |metric| telemetry.find(metric, label).and_then(|series| series.mean()).unwrap_or(0.0);
        mean("net.received_bytes") + mean("net.sent_bytes")
    };
    let labels = telemetry.all("net.sent_bytes").map(|series| series.label.as_str());
    let card = labels
        .filter(|label| *label != LOOPBACK)
        .max_by(|a, b| carried(a).total_cmp(&carried(b)))
        .and_then(|label| machine.interface(label));
    let drives = watching.devices.iter().filter_map(|name| machine.device(name));
    let place = |what: &str, name: String, node| (format!("{what} {name}"), node);
    let parts = drives
        .map(|drive| place("drive", drive.name, drive.node))
        .chain(card.map(|card| place("card", card.name, card.node)));
    nodes_apart(&parts.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_here_is_refused_with_its_name() {
        let asked = WatchPlan { devices: vec!["/dev/null".to_owned()], port: None };
        let refused = look(&asked).unwrap_err();
        assert!(refused.cause.contains("/dev/null"), "{refused}");
        let nothing = look(&WatchPlan { devices: Vec::new(), port: None }).unwrap();
        assert!(nothing.notes.is_empty() && nothing.environment.cpus > 0);
    }

    #[test]
    fn a_port_without_a_listener_is_said() {
        let (server, note) = serving(1);
        assert!(server.is_none() && note.is_some(), "nobody is expected on port 1");
    }
}
