//! Drawn machines: where jobs are seated on them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::{Device, Machine, Seat, other_node, seats};
use crate::EngineError;

/// A machine drawn into a folder.
struct Drawn {
    dir: TempDir,
    machine: Machine,
}

impl Drawn {
    /// `sockets` nodes of `cores` cores of `threads` threads, numbered as most machines do: first one
    /// thread of every core, then the next.
    fn new(sockets: u32, cores: u32, threads: u32) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (sys, proc) = (dir.path().join("sys"), dir.path().join("proc"));
        let drawn = Self { machine: Machine { sys, proc }, dir };
        let all = sockets * cores;
        for id in 0..all * threads {
            let (core, socket) = (id % all, id % all / cores);
            let folder = format!("sys/devices/system/cpu/cpu{id}");
            drawn.write(&format!("{folder}/topology/physical_package_id"), &socket.to_string());
            drawn.write(&format!("{folder}/topology/core_id"), &(core % cores).to_string());
            drawn.write(&format!("{folder}/node{socket}/cpulist"), "");
        }
        drawn.write("sys/devices/system/cpu/online", &format!("0-{}", all * threads - 1));
        drawn
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    /// A disk on a node, with the processors of each hardware queue and of each interrupt.
    fn disk(self, name: &str, node: i32, queues: &[&str], interrupts: &[&str]) -> Self {
        let slot = format!("sys/devices/pci0/{name}-slot");
        self.write(&format!("{slot}/numa_node"), &node.to_string());
        for (number, cpus) in queues.iter().enumerate() {
            self.write(&format!("{slot}/nvme/{name}/mq/{number}/cpu_list"), cpus);
        }
        for (number, cpus) in interrupts.iter().enumerate() {
            self.write(&format!("{slot}/msi_irqs/{}", 40 + number), "msix");
            self.write(&format!("proc/irq/{}/effective_affinity_list", 40 + number), cpus);
        }
        self.write(&format!("{slot}/nvme/{name}/{name}p1/partition"), "1");
        let class = self.dir.path().join("sys/class/block");
        fs::create_dir_all(&class).unwrap();
        for (link, to) in
            [(name.to_owned(), name.to_owned()), (format!("{name}p1"), format!("{name}/{name}p1"))]
        {
            symlink(self.dir.path().join(format!("{slot}/nvme/{to}")), class.join(link)).unwrap();
        }
        self
    }

    fn seats(&self, allowed: impl IntoIterator<Item = u32>, disks: &[&str], jobs: u32) -> Vec<Seat> {
        self.try_seats(allowed, disks, jobs).unwrap()
    }

    fn try_seats(
        &self,
        allowed: impl IntoIterator<Item = u32>,
        disks: &[&str],
        jobs: u32,
    ) -> Result<Vec<Seat>, EngineError> {
        let cpus = self.machine.cpus(&allowed.into_iter().collect::<BTreeSet<_>>());
        let devices: Vec<Option<Device>> = disks.iter().map(|disk| self.machine.device(disk)).collect();
        seats(&cpus, &devices, jobs)
    }
}

impl Drawn {
    fn other_node(&self, allowed: std::ops::Range<u32>, disks: &[&str], bound: &[u32]) -> Option<Vec<u32>> {
        let devices: Vec<Option<Device>> = disks.iter().map(|disk| self.machine.device(disk)).collect();
        other_node(&self.machine.cpus(&allowed.collect()), &devices, bound)
    }
}

#[test]
fn another_node_is_tried_where_jobs_are_away_from_their_device_or_nobody_knows() {
    let two = Drawn::new(2, 2, 1).disk("nvme0n1", 1, &[], &[]).disk("vda", -1, &[], &[]);
    // Node 0 has processors 0 and 1, and the device is on node 1.
    assert_eq!(two.other_node(0..4, &["nvme0n1"], &[0, 1]), Some(vec![2, 3]));
    assert_eq!(two.other_node(0..4, &["nvme0n1"], &[1, 2]), Some(vec![2, 3]));
    // A device without a node: whatever node the jobs are not on.
    assert_eq!(two.other_node(0..4, &["vda"], &[0]), Some(vec![2, 3]));
    assert_eq!(two.other_node(0..4, &["vda"], &[3]), Some(vec![0, 1]));
    assert_eq!(two.other_node(0..4, &[], &[0]), Some(vec![2, 3]));
    // Near, bound to nothing, on both, or without a processor there: nothing is to be tried.
    for (allowed, disk, bound) in [
        (0..4, "nvme0n1", [2, 3].as_slice()),
        (0..4, "nvme0n1", &[]),
        (0..4, "vda", &[1, 2]),
        (0..2, "nvme0n1", &[0]),
        (0..2, "vda", &[0]),
    ] {
        assert_eq!(two.other_node(allowed.clone(), &[disk], bound), None, "{disk} {allowed:?} {bound:?}");
    }
    let one = Drawn::new(1, 4, 1).disk("nvme0n1", 0, &[], &[]).disk("vda", -1, &[], &[]);
    for disk in ["nvme0n1", "vda"] {
        assert_eq!(one.other_node(0..4, &[disk], &[0, 1]), None, "{disk} on a machine of one node");
    }
}

fn cpus(seats: &[Seat]) -> Vec<u32> {
    seats.iter().map(|seat| seat.cpu).collect()
}

#[test]
fn the_devices_node_comes_first_and_cores_before_their_second_threads() {
    // Two sockets of two cores of two threads; the disk is on the second. Each processor has a queue.
    let queues = ["0", "1", "2", "3", "4", "5", "6", "7"];
    let machine = Drawn::new(2, 2, 2).disk("nvme0n1", 1, &queues, &[]);
    let seats = machine.seats(0..8, &["nvme0n1"], 8);
    assert_eq!(cpus(&seats), [2, 3, 6, 7, 0, 1, 4, 5]);
    assert_eq!(seats[0].why, "queue 2 of nvme0n1, node 1");
    assert_eq!(seats[2].why, "queue 6 of nvme0n1, node 1, another thread of a core in use");
    assert_eq!(seats[4].why, "queue 0 of nvme0n1, node 0 as node 1 is full");
}

#[test]
fn large_cores_come_before_small_ones() {
    // As Arm machines with two kinds of cores are numbered: the small ones first.
    let machine = Drawn::new(1, 4, 1).disk("vda", -1, &["0-3"], &["0"]);
    for (cpu, capacity) in [(0, 446), (1, 446), (2, 1024), (3, 1024)] {
        machine.write(&format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"), &capacity.to_string());
    }
    let seats = machine.seats(0..4, &["vda"], 3);
    assert_eq!(cpus(&seats), [2, 3, 0]);
    assert_eq!(seats[0].why, "queue 0 of vda, node 0");
    assert_eq!(seats[2].why, "queue 0 of vda, node 0, a smaller core (446 of 1024)");
}

#[test]
fn a_package_that_the_firmware_does_not_number_is_no_core_in_common() {
    // Arm guests without the firmware's table of the topology: the kernel writes -1.
    let machine = Drawn::new(1, 2, 1);
    for cpu in 0..2 {
        machine.write(&format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"), "-1");
        machine.write(&format!("sys/devices/system/cpu/cpu{cpu}/topology/core_id"), "0");
    }
    let seats = seats(&machine.machine.cpus(&(0..2).collect()), &[None], 2).unwrap();
    assert_eq!(seats[1].why, "no device to be near to, node 0");
}

#[test]
fn jobs_get_queues_of_their_own_while_there_are_any() {
    let machine = Drawn::new(1, 8, 1).disk("nvme0n1", 0, &["0-3", "4-7"], &[]);
    assert_eq!(cpus(&machine.seats(0..8, &["nvme0n1"], 5)), [0, 4, 1, 5, 2]);
    // Another device's jobs are no load on this one's queues.
    let machine = machine.disk("nvme1n1", 0, &["0-3", "4-7"], &[]);
    assert_eq!(cpus(&machine.seats(0..8, &["nvme0n1", "nvme1n1"], 4)), [0, 1, 4, 5]);
}

#[test]
fn among_equals_the_processor_that_takes_the_interrupts_is_best() {
    let machine = Drawn::new(1, 4, 1).disk("vda", -1, &["0-3"], &["2", "2", "7"]);
    let seats = machine.seats(0..4, &["vda"], 2);
    assert_eq!(cpus(&seats), [2, 0]);
    assert_eq!(seats[0].why, "queue 0 of vda, node 0");
    assert_eq!(machine.machine.device("vda").unwrap().interrupts, [2, 7]);
}

#[test]
fn jobs_of_a_target_elsewhere_sit_by_the_network_card() {
    let machine = Drawn::new(2, 2, 1);
    machine.write("sys/devices/pci0/card/numa_node", "1");
    machine.write("sys/devices/pci0/card/msi_irqs/50", "msix");
    machine.write("proc/irq/50/effective_affinity_list", "3");
    machine.write("sys/devices/pci0/card/net/eth1/mtu", "9000");
    let class = machine.dir.path().join("sys/class/net");
    fs::create_dir_all(&class).unwrap();
    symlink(machine.dir.path().join("sys/devices/pci0/card/net/eth1"), class.join("eth1")).unwrap();
    let card = machine.machine.interface("eth1").unwrap();
    assert_eq!((card.node, card.interrupts.as_slice()), (Some(1), &[3][..]));
    let all = machine.machine.cpus(&(0..4).collect());
    let seats = seats(&all, &[Some(card)], 3).unwrap();
    assert_eq!(cpus(&seats), [3, 2, 0]);
    assert_eq!(seats[0].why, "near eth1, node 1");
    assert!(machine.machine.interface("eth2").is_none());
}

#[test]
fn nobody_sits_outside_what_is_allowed_or_online() {
    let machine = Drawn::new(2, 2, 1).disk("nvme0n1", 0, &["0", "1", "2", "3"], &[]);
    assert_eq!(cpus(&machine.seats([1, 3], &["nvme0n1"], 2)), [1, 3]);
    assert_eq!(
        machine.try_seats([1, 3], &["nvme0n1"], 3).unwrap_err().cause,
        "3 jobs share 2 CPUs, as the scheduler decides"
    );
    machine.write("sys/devices/system/cpu/online", "0,2-3");
    assert_eq!(cpus(&machine.seats(0..4, &["nvme0n1"], 3)), [0, 2, 3]);
    assert!(machine.try_seats([1], &["nvme0n1"], 1).is_err());
}

#[test]
fn a_partition_is_where_its_disk_is_and_several_disks_where_all_are() {
    let machine = Drawn::new(2, 2, 1).disk("nvme0n1", 1, &["0-3"], &[]).disk("nvme1n1", 1, &["0-3"], &[]);
    assert_eq!(machine.machine.device("nvme0n1p1"), machine.machine.device("nvme0n1"));
    let both = machine.machine.device_of(&["nvme0n1", "nvme1n1"]).unwrap();
    assert_eq!((both.node, both.queues.len()), (Some(1), 0));
    let apart = machine.disk("nvme2n1", 0, &["0-3"], &[]);
    assert_eq!(apart.machine.device_of(&["nvme0n1", "nvme2n1"]).unwrap().node, None);
    assert_eq!(apart.machine.device_of(&[]), None);
}

#[test]
fn without_a_device_each_job_has_a_core() {
    let machine = Drawn::new(1, 2, 2);
    let seats = seats(&machine.machine.cpus(&(0..4).collect()), &[None], 3).unwrap();
    assert_eq!(cpus(&seats), [0, 1, 2]);
    assert_eq!(seats[0].why, "no device to be near to, node 0");
}

#[test]
fn of_damaged_lists_what_can_be_read_counts() {
    let machine = Drawn::new(1, 2, 1).disk("vda", 0, &["0-99999999", "x", "3-1", "1,,0-"], &["-", "9-"]);
    let seats = machine.seats(0..2, &["vda"], 2);
    assert_eq!(cpus(&seats), [0, 1]);
    assert_eq!(
        (seats[0].why.as_str(), seats[1].why.as_str()),
        ("near vda, node 0", "queue 3 of vda, node 0")
    );
}
