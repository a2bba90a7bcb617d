//! The network interface on the way to a target that is elsewhere: NVMe over a network, or a file server.

use std::net::Ipv4Addr;
use std::path::Path;

use fathom_record::environment_facts::Fact;

use super::Facts;
use super::file_system::mount_above;
use crate::Root;
use crate::nvme::controllers;

const ROUTES: &str = "/proc/net/route";

/// The value of a key in a list as `traddr=10.0.0.7,trsvcid=4420`, if it is an address of version 4.
fn address(list: &str, key: &str) -> Option<Ipv4Addr> {
    list.split(',').find_map(|word| word.trim().strip_prefix(key)?.strip_prefix('=')?.parse().ok())
}

/// The interface that the main routing table sends packets for an address through: the longest prefix, and
/// of equals the least metric. Addresses in the table are in the byte order of the machine's memory.
fn interface(table: &str, to: Ipv4Addr) -> Option<&str> {
    let to = u32::from(to).to_be();
    let routes = table.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let hexadecimal = |at: usize| u32::from_str_radix(words.get(at)?, 16).ok();
        let (destination, mask) = (hexadecimal(1)?, hexadecimal(7)?);
        let metric: u32 = words.get(6)?.parse().ok()?;
        (to & mask == destination).then_some((mask.count_ones(), std::cmp::Reverse(metric), *words.first()?))
    });
    routes.max_by_key(|(prefix, metric, _)| (*prefix, *metric)).map(|(_, _, name)| name)
}

fn describe(facts: &mut Facts<'_>, label: &str, remote: Ipv4Addr, source: &str) {
    let root: &Root = facts.root();
    // Packets to the machine itself never reach an interface.
    if remote.is_loopback() {
        return;
    }
    let subject = ("network", label);
    facts.add(subject, "remote_address", remote, source);
    let table = root.text(ROUTES).unwrap_or_default();
    let Some(name) = interface(&table, remote) else { return };
    facts.add(subject, "interface", name, ROUTES);
    let folder = format!("/sys/class/net/{name}");
    // A virtual interface has no speed, and says -1.
    if let Some(speed) = root.number(format!("{folder}/speed")).filter(|speed| *speed > 0) {
        facts.add(subject, "speed_mbit_per_s", speed, &format!("{folder}/speed"));
    }
    facts.file(subject, "mtu_bytes", &format!("{folder}/mtu"));
}

/// Facts of the interface on the way to an address that is connected to; `label` is the target's name.
pub fn way_to(label: &str, remote: Ipv4Addr) -> Vec<Fact> {
    let root = Root::system();
    let mut facts = Facts::new(&root);
    describe(&mut facts, label, remote, "the target's name");
    facts.into_list()
}

/// The interface that packets for an address leave by, or on whose network an own address is; none for the machine
/// itself, and where the routing table does not say.
pub fn interface_of(address: Ipv4Addr) -> Option<String> {
    let table = Root::system().text(ROUTES).unwrap_or_default();
    interface(&table, address).filter(|_| !address.is_loopback()).map(str::to_owned)
}

/// Of a namespace that a controller over TCP or RDMA serves.
pub(super) fn describe_device(facts: &mut Facts<'_>, device: &str) {
    for name in controllers(facts.root(), device) {
        let source = format!("/sys/class/nvme/{name}/address");
        let text = facts.root().text(&source).unwrap_or_default();
        if let Some(remote) = address(&text, "traddr") {
            describe(facts, device, remote, &source);
        }
    }
}

/// Of a mount whose server has an address, as NFS and SMB have.
pub(super) fn describe_mount(facts: &mut Facts<'_>, target: &Path) {
    let Some((mount, _)) = mount_above(facts.root(), target) else { return };
    if let Some(remote) = address(&mount.super_options, "addr") {
        describe(facts, &mount.point.display().to_string(), remote, "/proc/self/mountinfo");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hexadecimal(address: &str) -> String {
        let address: Ipv4Addr = address.parse().unwrap();
        format!("{:08X}", u32::from(address).to_be())
    }

    fn table(routes: &[(&str, &str, &str, u32)]) -> String {
        let mut text = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n".to_owned();
        for (name, destination, mask, metric) in routes {
            let (destination, mask) = (hexadecimal(destination), hexadecimal(mask));
            text += &format!("{name}\t{destination}\t00000000\t0001\t0\t0\t{metric}\t{mask}\t0\t0\t0\n");
        }
        text
    }

    #[test]
    fn the_longest_prefix_decides_and_then_the_metric() {
        let text = table(&[
            ("eth0", "0.0.0.0", "0.0.0.0", 100),
            ("eth1", "10.0.0.0", "255.255.0.0", 200),
            ("eth2", "10.0.0.0", "255.255.0.0", 100),
            ("eth3", "10.0.7.0", "255.255.255.0", 900),
        ]);
        let of = |to: &str| interface(&text, to.parse().unwrap());
        assert_eq!(of("192.168.1.1"), Some("eth0"));
        assert_eq!(of("10.0.1.1"), Some("eth2"));
        assert_eq!(of("10.0.7.9"), Some("eth3"));
        assert_eq!(interface("", Ipv4Addr::LOCALHOST), None);
        assert_eq!(interface("Iface\neth0 zz\n\n", Ipv4Addr::LOCALHOST), None);
    }

    #[test]
    fn addresses_are_read_from_both_kinds_of_list() {
        let of = |text: &str, key: &str| address(text, key).map(|address| address.to_string());
        assert_eq!(of("traddr=10.0.0.7,trsvcid=4420", "traddr").as_deref(), Some("10.0.0.7"));
        assert_eq!(of("rw,vers=4.2,mountaddr=1.1.1.1,addr=10.0.0.8", "addr").as_deref(), Some("10.0.0.8"));
        assert_eq!(of("traddr=0000:01:00.0", "traddr"), None, "a PCI address");
        assert_eq!(of("addr=fd00::1", "addr"), None);
    }
}
