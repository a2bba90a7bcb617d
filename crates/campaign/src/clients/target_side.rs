//! What the agent at the target's machine saw, as the record has it.

use fathom_order::InOrder;
use fathom_record::client_facts::{ClientPart, NamedShare, ServedDevice, ServerFacts, TargetSide};
use fathom_record::run_record::RunEnding;
use fathom_record::telemetry::{MetricSeries, Telemetry};

use super::client_sum::{SumWindow, clock_offset, interfaces};
use super::coordinator::KnownClient;

/// Kinds of processors' time, as they are told and as telemetry calls them.
const KINDS: [(&str, &str); 6] = [
    ("user", "cpu.user"),
    ("system", "cpu.system"),
    ("interrupts", "cpu.irq"),
    ("deferred interrupts", "cpu.softirq"),
    ("stolen", "cpu.steal"),
    ("waiting for I/O", "cpu.iowait"),
];

/// Of a client with the role `target`, beside those that measured.
pub fn of(peer: &KnownClient, measuring: &[ClientPart], window: &SumWindow) -> TargetSide {
    let hello = peer.hello.as_ref();
    let said = |text: Option<&String>| text.cloned().unwrap_or_default();
    let host = said(hello.map(|hello| &hello.host));
    let seen = peer.observed.as_ref();
    let telemetry = seen.map(|seen| seen.telemetry.clone()).unwrap_or_default();
    let watching = seen.map(|seen| &seen.watching);
    let lost =
        || RunEnding::Failed { error: peer.failed.as_ref().map_or_else(String::new, ToString::to_string) };
    let (cores_busy, cpu_kinds) = processors(&telemetry, window);
    let devices = watching.iter().flat_map(|watching| &watching.devices);
    TargetSide {
        name: peer.client.name.clone(),
        role: "target".to_owned(),
        reach: peer.client.reach.to_string(),
        shared: measuring.iter().any(|part| part.host == host),
        host,
        version: said(hello.map(|hello| &hello.version)),
        architecture: said(hello.map(|hello| &hello.architecture)),
        clock_before: clock_offset(peer.before.as_ref()),
        clock_after: clock_offset(peer.after.as_ref()),
        server: watching.and_then(|watching| {
            let (process, name) = watching.server.clone()?;
            let of = |metric| window.mean(&telemetry, telemetry.find(metric, "")?);
            Some(ServerFacts {
                name,
                process,
                port: watching.port?,
                cores: of("server.user").zip(of("server.system")).map(|(user, system)| user + system),
                busiest_thread: of("server.busiest_thread").map(|share| share.min(1.0)),
            })
        }),
        cores_busy,
        cpu_kinds,
        resent_share: resent(&telemetry, window),
        interfaces: interfaces(&telemetry, window),
        devices: devices.map(|name| device(name, &telemetry, window)).collect(),
        ending: if seen.is_some() { RunEnding::Complete } else { lost() },
        notes: watching.map(|watching| watching.notes.clone()).unwrap_or_default(),
        environment: watching.map(|watching| watching.environment.clone()),
        telemetry,
    }
}

/// Busy share of each processor, in their order, and of all by kind.
fn processors(telemetry: &Telemetry, window: &SumWindow) -> (Vec<f64>, Vec<NamedShare>) {
    let number = |series: &&MetricSeries| series.label.parse::<u32>().ok();
    let mut each: Vec<&MetricSeries> =
        telemetry.all("cpu.busy").filter(|series| number(series).is_some()).collect();
    each.put_in_order_by_key(number);
    let busy = each.into_iter().filter_map(|series| window.mean(telemetry, series));
    let kind = |(name, metric): (&str, &str)| {
        let share = window.mean(telemetry, telemetry.find(metric, "")?)?;
        Some(NamedShare { name: name.to_owned(), share })
    };
    (busy.collect(), KINDS.into_iter().filter_map(kind).collect())
}

fn resent(telemetry: &Telemetry, window: &SumWindow) -> Option<f64> {
    let of = |metric| window.mean(telemetry, telemetry.find(metric, "")?);
    let (again, sent) = (of("net.tcp_retransmits")?, of("net.tcp_sent")?);
    (sent > 0.0).then(|| (again / sent).min(1.0))
}

fn device(name: &str, telemetry: &Telemetry, window: &SumWindow) -> ServedDevice {
    let of = |metric| window.mean(telemetry, telemetry.find(metric, name)?);
    ServedDevice {
        name: name.to_owned(),
        read_bytes_per_s: of("disk.read_bytes"),
        written_bytes_per_s: of("disk.write_bytes"),
    }
}
