//! Machines and targets with limits that are known.

use fathom_plan::{ApplicableLimits, KnownLimits, instance_type, volume};
use fathom_record::environment_facts::{Environment, Fact};
use fathom_record::facts::{DeviceFacts, FileSystemFacts, TargetFacts, TargetKind};
use fathom_record::{CeilingRate, CeilingScope, Direction, KnownCeiling};

use super::applying;

fn target(devices: &[(&str, &str, Option<&str>)]) -> TargetFacts {
    let record = include_bytes!("../../../../fuzz/seeds/record/run.json");
    let mut target = fathom_record::parse_run(record).expect("a record").target;
    target.kind = TargetKind::BlockDevice;
    target.file_system = None;
    target.devices = devices
        .iter()
        .map(|(name, layer, model)| DeviceFacts {
            name: (*name).to_owned(),
            layer: (*layer).to_owned(),
            model: model.map(str::to_owned),
            ..DeviceFacts::default()
        })
        .collect();
    target
}

fn machine(facts: &[(&str, &str, &str, &str)]) -> Environment {
    let fact = |(group, label, name, value): &(&str, &str, &str, &str)| Fact {
        group: (*group).to_owned(),
        label: (*label).to_owned(),
        name: (*name).to_owned(),
        value: (*value).to_owned(),
        source: format!("/of/{label}"),
    };
    Environment { facts: facts.iter().map(fact).collect(), ..Environment::default() }
}

fn found(target: &TargetFacts, machine: &Environment) -> Vec<KnownCeiling> {
    applying(&KnownLimits::default(), target, machine).expect("nothing was named").ceilings
}

fn figures(ceilings: &[KnownCeiling]) -> Vec<(CeilingScope, Option<Direction>, bool, f64)> {
    ceilings.iter().map(|c| (c.scope, c.direction, c.burst, c.rate.per_s())).collect()
}

#[test]
fn the_least_limit_of_all_groups_bounds_a_disk() {
    let machine = machine(&[
        ("cgroup", "vda", "read_operations_per_s", "300"),
        ("cgroup", "vda", "read_operations_per_s", "200"),
        ("cgroup", "vda", "write_bytes_per_s", "1048576"),
        ("cgroup", "vda", "write_bytes_per_s", "0"),
        ("cgroup", "vdb", "read_bytes_per_s", "5"),
        ("cgroup", "", "cpu_cores", "0.50"),
    ]);
    let ceilings = found(&target(&[("vda1", "partition", None), ("vda", "disk", None)]), &machine);
    let volume = CeilingScope::Volume;
    assert_eq!(
        figures(&ceilings),
        [(volume, Some(Direction::Read), false, 200.0), (volume, Some(Direction::Write), false, 1_048_576.0)]
    );
    assert_eq!(ceilings[0].source, "control group of this process: /of/vda");
}

#[test]
fn limits_of_a_stack_bind_at_its_top_or_at_all_of_its_disks() {
    let raid = [("md0", "raid", None), ("vda", "disk", None), ("vdb", "disk", None)];
    let one = ("cgroup", "vda", "read_operations_per_s", "300");
    let other = ("cgroup", "vdb", "read_operations_per_s", "500");
    let top = ("cgroup", "md0", "read_operations_per_s", "400");
    let rates = |facts: &[_]| {
        figures(&found(&target(&raid), &machine(facts))).iter().map(|f| f.3).collect::<Vec<_>>()
    };
    assert!(rates(&[one]).is_empty(), "the other disk goes on");
    assert_eq!(rates(&[one, other]), [800.0]);
    assert_eq!(rates(&[one, other, top]), [400.0]);
    let mut two = target(&raid);
    two.members = vec![two.clone(), two.clone()];
    assert!(
        figures(&found(&two, &machine(&[top]))).is_empty(),
        "of two targets the first's layer is not above both"
    );
}

#[test]
fn links_carry_what_their_encoding_and_packets_leave() {
    let nvme = target(&[("nvme0n1", "disk", None)]);
    let mut facts = vec![
        ("pcie", "nvme0n1", "current_link_speed", "8.0 GT/s PCIe"),
        ("pcie", "nvme0n1", "current_link_width", "4"),
        ("pcie", "nvme0n1", "max_payload_bytes", "256"),
    ];
    let ceilings = found(&nvme, &machine(&facts));
    // 3.938 GB/s on the wire, 256 of 280 bytes of each packet.
    let expected = (8e9 / 8.0 * 4.0 * 128.0 / 130.0 * 256.0 / 280.0_f64).round();
    let link = CeilingScope::Link;
    assert_eq!(
        figures(&ceilings),
        [(link, Some(Direction::Read), false, expected), (link, Some(Direction::Write), false, expected)]
    );
    assert!(
        ceilings[0].source.contains("8 GT/s x 4") && ceilings[0].source.contains("90.0 %"),
        "{}",
        ceilings[0].source
    );
    facts[2] = ("pcie", "nvme0n1", "power_state", "D0");
    assert!(found(&nvme, &machine(&facts))[0].source.contains("root only"));
    facts.push(("pcie", "nvme0n1", "current_link_speed", "16.0 GT/s PCIe"));
    assert!(found(&nvme, &machine(&facts)).is_empty(), "two paths, and nobody knows which carries what");
    // A hypervisor's device has no link.
    let virtual_link =
        [("pcie", "vda", "current_link_speed", "Unknown"), ("pcie", "vda", "current_link_width", "0")];
    assert!(found(&target(&[("vda", "disk", None)]), &machine(&virtual_link)).is_empty());
    let sata = machine(&[("sata", "sda", "sata_spd", "6.0 Gbps"), ("sata", "sdb", "sata_spd", "<unknown>")]);
    assert_eq!(figures(&found(&target(&[("sda", "disk", None)]), &sata)), [(link, None, false, 560e6)]);
    assert!(found(&target(&[("sda", "disk", None), ("sdb", "disk", None)]), &sata).is_empty());
}

#[test]
fn a_file_server_is_bounded_by_the_interface_on_its_way() {
    let mut nfs = target(&[]);
    nfs.kind = TargetKind::File;
    nfs.file_system = Some(FileSystemFacts {
        kind: "nfs4".to_owned(),
        mount_point: "/srv".to_owned(),
        options: String::new(),
        free_bytes: None,
    });
    let machine = machine(&[
        ("network", "/srv", "interface", "eth0"),
        ("network", "/srv", "speed_mbit_per_s", "10000"),
        ("network", "/srv", "mtu_bytes", "1500"),
    ]);
    let ceilings = found(&nfs, &machine);
    assert_eq!(
        ceilings[0].rate,
        CeilingRate::Throughput { bytes_per_s: (1.25e9 * 1448.0 / 1538.0_f64).round() }
    );
    assert!(ceilings[0].source.contains("eth0 on the way to /srv"), "{}", ceilings[0].source);
    for kind in [TargetKind::Simulated, TargetKind::Memory, TargetKind::Null, TargetKind::Unknown] {
        assert!(found(&TargetFacts { kind, ..nfs.clone() }, &machine).is_empty(), "{kind:?} is on no link");
    }
}

const NETWORK: Option<&str> = Some("Amazon Elastic Block Store");
const LOCAL: Option<&str> = Some("Amazon EC2 NVMe Instance Storage");

fn ec2(kind: &str) -> Environment {
    Environment { instance: Some(format!("AWS EC2 {kind}")), ..Environment::default() }
}

#[test]
fn a_detected_instance_gives_its_limits_to_its_volumes_only() {
    let volume = target(&[("nvme1n1", "disk", NETWORK)]);
    let ApplicableLimits { ceilings, notes } =
        applying(&KnownLimits::default(), &volume, &ec2("m5.large")).unwrap();
    // 650 and 4750 Mbit/s, 3600 and 18750 IOPS: EC2's user guide, EBS-optimized instances.
    let instance = CeilingScope::Instance;
    assert_eq!(
        figures(&ceilings),
        [
            (instance, None, false, 3600.0),
            (instance, None, true, 18_750.0),
            (instance, None, false, 81.25e6),
            (instance, None, true, 593.75e6),
        ]
    );
    assert!(ceilings[0].source.starts_with("catalogue: m5.large, 2026-10-27, "), "{}", ceilings[0].source);
    assert!(notes[0].contains("m5.large, which the firmware names"), "{notes:?}");
    let quiet = |target: &TargetFacts, machine: &Environment| {
        let out = applying(&KnownLimits::default(), target, machine).unwrap();
        out == ApplicableLimits::default()
    };
    assert!(quiet(&target(&[("vda", "disk", None)]), &ec2("m5.large")), "a disk that is no volume of EC2");
    assert!(quiet(&volume, &Environment::default()));
    let untold = "(instance type not in the firmware's tables)";
    assert!(quiet(&volume, &ec2(untold)));
    let unknown = applying(&KnownLimits::default(), &volume, &ec2("m5.hugest")).unwrap();
    assert!(unknown.ceilings.is_empty() && unknown.notes[0].contains("`m5.large`"), "{:?}", unknown.notes);
}

#[test]
fn an_instance_s_own_disks_have_limits_of_their_own() {
    // i3en.24xlarge and the like have several; i4i.large has one: 50000 reads, 27500 writes at 4 KiB.
    let local = target(&[("nvme1n1", "disk", LOCAL)]);
    let ApplicableLimits { ceilings, .. } =
        applying(&KnownLimits::default(), &local, &ec2("i4i.large")).unwrap();
    let device = CeilingScope::Device;
    assert_eq!(
        figures(&ceilings),
        [(device, Some(Direction::Read), false, 50_000.0), (device, Some(Direction::Write), false, 27_500.0)]
    );
    let both = target(&[("md0", "raid", None), ("nvme1n1", "disk", LOCAL), ("nvme2n1", "disk", NETWORK)]);
    let ApplicableLimits { ceilings, notes } =
        applying(&KnownLimits::default(), &both, &ec2("i4i.large")).unwrap();
    assert!(ceilings.is_empty() && notes[1].contains("neither"), "{notes:?}");
}

#[test]
fn a_named_instance_wins_over_the_firmware_s() {
    let named = KnownLimits { instance: Some("m5.xlarge".to_owned()), ..KnownLimits::default() };
    let volume = target(&[("nvme1n1", "disk", NETWORK)]);
    let ApplicableLimits { ceilings, notes } = applying(&named, &volume, &ec2("m5.large")).unwrap();
    assert!(
        ceilings[0].source.contains("m5.xlarge") && notes[0].contains("--instance says m5.xlarge"),
        "{notes:?}"
    );
    let elsewhere = applying(&named, &target(&[]), &Environment::default()).unwrap();
    assert_eq!(elsewhere.ceilings, ceilings, "a target that does not tell its disks");
    let wrong = KnownLimits { instance: Some("m5.xlrage".to_owned()), ..KnownLimits::default() };
    let error = applying(&wrong, &volume, &Environment::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("--instance: the catalogue has no instance type") && error.contains("`m5.xlarge`"),
        "{error}"
    );
    for name in ["", "m5", "x".repeat(99).as_str(), "zz9.plural", "-", "M5.LARGE"] {
        assert!(instance_type(name).unwrap_err().cause.contains("no instance type"), "{name}");
    }
}

#[test]
fn volumes_have_the_limits_of_the_provider_s_formulas() {
    let of = |text: &str| figures(&volume(text).expect(text)).iter().map(|f| (f.2, f.3)).collect::<Vec<_>>();
    const MIB: f64 = 1_048_576.0;
    assert_eq!(of("gp3"), [(false, 3000.0), (false, 125.0 * MIB)]);
    assert_eq!(of("gp3:iops=16000,throughput=1000"), [(false, 16_000.0), (false, 1000.0 * MIB)]);
    assert_eq!(of("gp3:iops=16k,throughput=1000MiB/s,size=1TiB"), of("gp3:iops=16000,throughput=1000"));
    assert_eq!(of("gp2:size=100"), [(false, 300.0), (true, 3000.0), (false, 128.0 * MIB)]);
    assert_eq!(
        of("gp2:size=200"),
        [(false, 600.0), (true, 3000.0), (false, 128.0 * MIB), (true, 250.0 * MIB)]
    );
    assert_eq!(of("gp2:size=5334GiB"), [(false, 16_000.0), (false, 250.0 * MIB)]);
    assert_eq!(of("io2:iops=10000"), [(false, 10_000.0), (false, 2560.0 * MIB)]);
    assert_eq!(of("io1:iops=64000"), [(false, 64_000.0), (false, 1000.0 * MIB)]);
    assert_eq!(of("st1:size=2TiB"), [(false, 500.0), (false, 80.0 * MIB), (true, 500.0 * MIB)]);
    let said = &volume("gp3:iops=16000,throughput=1000").unwrap()[0].source;
    assert!(said.starts_with("catalogue: gp3,") && said.contains("2025-10"), "{said}");
}

#[test]
fn settings_that_no_volume_has_are_refused_with_what_it_has() {
    for (text, advice) in [
        ("gp4", "did you mean"),
        ("pd-ssd:size=500", "--ceiling iops=5000"),
        ("", "there are gp3"),
        ("gp2", "write gp2:size=500"),
        ("io2", "write io2:iops=10000"),
        ("gp2:iops=500", "it takes size"),
        ("gp3:iops=100000", "from 3000 to 80000 IOPS"),
        ("gp3:iops=100", "from 3000 to 80000 IOPS"),
        ("gp3:throughput=1000", "needs iops=4000"),
        ("gp3:throughput=9000,iops=80000", "from 125 to 2000 MiB/s"),
        ("gp3:size=10,iops=16000", "more than 10 GiB"),
        ("gp3:size=99999999", "from 1 to 65536 GiB"),
        ("gp3:iops=3000,iops=3000", "given twice"),
        ("gp3:iops", "write it as in gp3:iops=16000"),
        ("gp3:iops=", "write it as in"),
        ("gp3:iops=-1", "write it as in"),
        ("gp3:size=0", "write it as in"),
        ("gp3:size=18446744073709551615", "is not a valid figure"),
        ("gp3:,", "is not a valid setting"),
        ("st1:size=1", "from 125"),
    ] {
        let error = volume(text).expect_err(text);
        assert!(error.cause.contains(advice), "{text}: {error}");
    }
}

#[test]
fn a_namespace_that_fathom_connects_to_is_bound_by_the_interface_on_the_way() {
    let name = "nvme+tcp://10.0.0.5/nqn.x";
    let mut target = target(&[]);
    (target.name, target.kind) = (name.to_owned(), TargetKind::FabricNamespace);
    target.fabric = Some(Box::default());
    let machine = machine(&[
        ("network", name, "interface", "eth0"),
        ("network", name, "speed_mbit_per_s", "25000"),
        ("network", name, "mtu_bytes", "1500"),
    ]);
    let bytes_per_s: f64 = 25e9 / 8.0 * 1448.0 / 1538.0;
    let link = CeilingScope::Link;
    assert_eq!(
        figures(&found(&target, &machine)),
        [
            (link, Some(Direction::Read), false, bytes_per_s.round()),
            (link, Some(Direction::Write), false, bytes_per_s.round()),
        ]
    );
    assert!(found(&target, &Environment::default()).is_empty());
}
