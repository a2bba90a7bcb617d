//! What the link to a target carries at most, from the facts of the environment: PCI Express, SATA, network.

use fathom_record::environment_facts::Environment;
use fathom_record::facts::TargetFacts;
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling};

use super::disks;

/// Both ways carry so much at once.
const BOTH_WAYS: &[Option<Direction>] = &[Some(Direction::Read), Some(Direction::Write)];
/// One way at a time.
const ONE_WAY: &[Option<Direction>] = &[None];

/// A link's bytes per second of data, and how that was found.
#[derive(Clone, Debug, PartialEq)]
struct LinkCeiling {
    bytes_per_s: f64,
    ways: &'static [Option<Direction>],
    source: String,
}

fn text<'a>(environment: &'a Environment, group: &str, label: &str, name: &str) -> Option<&'a str> {
    let mut facts = environment.facts.iter().filter(|fact| {
        (fact.group.as_str(), fact.label.as_str(), fact.name.as_str()) == (group, label, name)
    });
    let fact = facts.next()?;
    // Several of one name are several paths to one device, and which of them carries what is not known.
    facts.next().is_none().then_some(fact.value.as_str())
}

/// The number that a fact starts with: `8.0 GT/s PCIe` is 8.
fn number(environment: &Environment, group: &str, label: &str, name: &str) -> Option<f64> {
    let text = text(environment, group, label, name)?;
    text.split_ascii_whitespace().next()?.parse().ok().filter(|number| *number > 0.0)
}

/// Bytes that a packet of data carries besides its data: framing and sequence number 4, header with a long
/// address 16, check 4. Source: PCI Express Base Specification 5.0, 2.2 and 4.2.2.
const PCIE_PACKET_OVERHEAD: f64 = 24.0;
/// Where the device's setting cannot be read: the largest that is common.
const PCIE_PAYLOAD_BYTES: f64 = 512.0;

fn pcie(environment: &Environment, disk: &str) -> Option<LinkCeiling> {
    let rate = number(environment, "pcie", disk, "current_link_speed")?;
    let width = number(environment, "pcie", disk, "current_link_width")?;
    // Encoding: 8b/10b up to 5 GT/s, 128b/130b up to 32, and 236 of 256 bytes of a flit at 64.
    let encoding = match rate {
        ..6.0 => 0.8,
        ..33.0 => 128.0 / 130.0,
        _ => 236.0 / 256.0,
    };
    let known = number(environment, "pcie", disk, "max_payload_bytes");
    let payload = known.unwrap_or(PCIE_PAYLOAD_BYTES);
    let share = encoding * payload / (payload + PCIE_PACKET_OVERHEAD);
    let assumed = if known.is_none() { " (the device's own setting is readable by root only)" } else { "" };
    Some(LinkCeiling {
        bytes_per_s: rate * 1e9 / 8.0 * width * share,
        ways: BOTH_WAYS,
        source: format!(
            "PCIe link of {disk}: {rate} GT/s x {width}, of which {:.1} % is data in packets of {payload} \
             bytes{assumed}",
            share * 100.0
        ),
    })
}

/// Of the 600 MB/s after 8b/10b encoding at 6 Gbit/s no disk's data sheet promises more than 560: the rest is
/// frames and handshakes.
const SATA_DATA_SHARE: f64 = 560.0 / 600.0;

fn sata(environment: &Environment, disk: &str) -> Option<LinkCeiling> {
    let gigabits = number(environment, "sata", disk, "sata_spd")?;
    Some(LinkCeiling {
        bytes_per_s: gigabits * 1e9 / 10.0 * SATA_DATA_SHARE,
        ways: ONE_WAY,
        source: format!(
            "SATA link of {disk}: {gigabits} Gbit/s, 8b/10b, of which {:.1} % is data in the best data sheets",
            SATA_DATA_SHARE * 100.0
        ),
    })
}

/// Ethernet's preamble, header, check and gap around each packet.
const ETHERNET_OVERHEAD: f64 = 38.0;
/// Headers of IP and TCP with its time stamps.
const TCP_OVERHEAD: f64 = 52.0;

fn network(environment: &Environment, label: &str) -> Option<LinkCeiling> {
    let megabits = number(environment, "network", label, "speed_mbit_per_s")?;
    let interface = text(environment, "network", label, "interface").unwrap_or("the interface");
    let raw = megabits * 1e6 / 8.0;
    let mtu = number(environment, "network", label, "mtu_bytes").filter(|mtu| *mtu > TCP_OVERHEAD);
    let uses_tcp = text(environment, "nvme", label, "transport").is_none_or(|transport| transport == "tcp");
    let share = match mtu {
        Some(mtu) if uses_tcp => (mtu - TCP_OVERHEAD) / (mtu + ETHERNET_OVERHEAD),
        _ => 1.0,
    };
    Some(LinkCeiling {
        bytes_per_s: raw * share,
        ways: BOTH_WAYS,
        source: format!(
            "network interface {interface} on the way to {label}: {megabits} Mbit/s, of which {:.1} % is data",
            share * 100.0
        ),
    })
}

/// Bounds of the target: the network on the way to its file server or to fathom's own target, or the links of all disks together where
/// each is known.
pub fn ceilings(target: &TargetFacts, environment: &Environment) -> Vec<KnownCeiling> {
    let mount = target.file_system.as_ref().map(|file_system| file_system.mount_point.as_str());
    let remote = target.fabric.is_some().then(|| network(environment, &target.name)).flatten();
    let link = remote.or_else(|| mount.and_then(|mount| network(environment, mount))).or_else(|| {
        let each: Option<Vec<LinkCeiling>> =
            disks(target).iter().map(|disk| of_disk(environment, disk)).collect();
        each?.into_iter().reduce(|all, more| LinkCeiling {
            bytes_per_s: all.bytes_per_s + more.bytes_per_s,
            ways: if all.ways == more.ways { all.ways } else { BOTH_WAYS },
            source: format!("{}; {}", all.source, more.source),
        })
    });
    let Some(LinkCeiling { bytes_per_s, ways, source }) = link else { return Vec::new() };
    ways.iter()
        .map(|direction| KnownCeiling {
            rate: CeilingRate::Throughput { bytes_per_s: bytes_per_s.round() },
            scope: CeilingScope::Link,
            direction: *direction,
            burst: false,
            source: source.clone(),
        })
        .collect()
}

fn of_disk(environment: &Environment, disk: &str) -> Option<LinkCeiling> {
    network(environment, disk).or_else(|| sata(environment, disk)).or_else(|| pcie(environment, disk))
}
