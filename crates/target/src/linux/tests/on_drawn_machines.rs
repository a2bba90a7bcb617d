//! The guard on machines drawn as trees of files.

use super::drawn::{Drawn, number};
use crate::guard::{Hold, Permit, Verdict, verdict};
use crate::linux::device_number::DeviceNumber;
use crate::linux::machine::{Backing, FileId, Machine};

fn holds(machine: &Machine, name: &str) -> Vec<Hold> {
    let mut holds: Vec<_> =
        machine.use_of(number(machine, name)).into_iter().map(|reason| reason.hold).collect();
    holds.dedup();
    holds
}

fn texts(machine: &Machine, name: &str) -> String {
    let reasons = machine.use_of(number(machine, name));
    reasons.iter().map(|reason| format!("{} | {}\n", reason.text, reason.first)).collect()
}

fn is_refused(machine: &Machine, name: &str) -> bool {
    let node = machine.node(number(machine, name)).unwrap();
    let reasons = machine.use_of(node.number);
    matches!(verdict(&reasons, &machine.identity(node)), Verdict::Never { .. })
}

fn two_partitions() -> Drawn {
    Drawn::new()
        .disk("sda", "8:0")
        .partition("sda", "sda1", "8:1", 2048, 1000)
        .partition("sda", "sda2", "8:2", 3048, 1000)
        .disk("sdb", "8:16")
}

#[test]
fn a_mounted_partition_holds_its_disk_and_itself_but_not_its_sibling() {
    let machine = two_partitions().mount("8:1", "/data", "ext4", "/dev/sda1", "rw").look();
    assert!(is_refused(&machine, "sda") && is_refused(&machine, "sda1"));
    assert!(texts(&machine, "sda").contains("/sda1 is mounted at /data (ext4) | type: sudo umount /data"));
    assert!(holds(&machine, "sda").contains(&Hold::Partitions));
    assert_eq!(holds(&machine, "sda2"), []);
    assert_eq!(holds(&machine, "sdb"), []);
}

#[test]
fn a_partition_is_held_by_what_uses_its_disk_as_a_whole() {
    for machine in [
        two_partitions().disk("dm-0", "252:0").built("dm-0", &["sda"]).look(),
        two_partitions().disk("md0", "9:0").built("md0", &["sda", "sdb"]).look(),
    ] {
        assert_eq!(holds(&machine, "sda2"), [Hold::Held]);
    }
    let machine = two_partitions().mount("8:0", "/iso", "iso9660", "/dev/sda", "ro").look();
    assert_eq!(holds(&machine, "sda2"), [Hold::Mounted]);
    let machine = two_partitions().swap("/dev/sda").look();
    assert_eq!(holds(&machine, "sda2"), [Hold::Swap]);
}

#[test]
fn partitions_that_overlap_hold_each_other() {
    let machine = two_partitions()
        .partition("sda", "sda3", "8:3", 2000, 100)
        .mount("8:1", "/data", "ext4", "/dev/sda1", "rw")
        .look();
    assert_eq!(holds(&machine, "sda3"), [Hold::Mounted]);
    assert_eq!(holds(&machine, "sda2"), []);
}

#[test]
fn a_volume_group_holds_its_disks_and_lets_its_free_volumes_go() {
    let machine = two_partitions()
        .disk("dm-0", "252:0")
        .disk("dm-1", "252:1")
        .attribute("dm-0", "dm/name", "vg-root")
        .attribute("dm-0", "dm/uuid", "LVM-abc")
        .attribute("dm-1", "dm/name", "vg-spare")
        .built("dm-0", &["sda2"])
        .built("dm-1", &["sda2"])
        .mount("252:0", "/", "xfs", "/dev/mapper/vg-root", "rw")
        .look();
    for name in ["sda", "sda2"] {
        let texts = texts(&machine, name);
        assert!(texts.contains("/dm-0 (vg-root) is built on"), "{texts}");
        assert!(texts.contains("/dm-0 (vg-root) is mounted at / (xfs)"), "{texts}");
        assert!(texts.contains("lvchange -an /dev/mapper/vg-root"), "{texts}");
        assert!(is_refused(&machine, name));
    }
    assert!(is_refused(&machine, "dm-0"));
    assert_eq!(holds(&machine, "dm-1"), []);
    assert_eq!(holds(&machine, "sda1"), []);
}

#[test]
fn stacks_are_followed_through_every_layer() {
    // Partition, array, encryption, swap.
    let machine = two_partitions()
        .disk("md0", "9:0")
        .attribute("md0", "md/level", "raid1")
        .disk("dm-0", "252:0")
        .attribute("dm-0", "dm/name", "crypt")
        .attribute("dm-0", "dm/uuid", "CRYPT-LUKS2-x")
        .built("md0", &["sda1", "sdb"])
        .built("dm-0", &["md0"])
        .swap("/dev/dm-0")
        .look();
    for name in ["sda", "sda1", "sdb", "md0"] {
        let texts = texts(&machine, name);
        assert!(texts.contains("/dm-0 (crypt) is swapped to"), "{name}: {texts}");
        assert!(texts.contains("cryptsetup close crypt"), "{name}: {texts}");
    }
    assert!(texts(&machine, "sdb").contains("mdadm --stop"));
    assert_eq!(holds(&machine, "sda2"), []);
    // What lies below the array is its own and no reason against it; use of it besides is.
    let below = two_partitions().disk("md0", "9:0").built("md0", &["sda1"]).mount(
        "8:1",
        "/wrong",
        "ext4",
        "/dev/sda1",
        "rw",
    );
    assert_eq!(holds(&below.look(), "md0"), [Hold::Mounted]);
}

#[test]
fn every_member_of_a_mounted_pool_is_held() {
    let drawn = two_partitions().mount("0:45", "/pool", "btrfs", "/dev/sda1", "rw");
    drawn.link("sys/fs/btrfs/uuid-1/devices/sda1", "../../../../devices/sda/sda1");
    drawn.link("sys/fs/btrfs/uuid-1/devices/sdb", "../../../../devices/sdb");
    let machine = drawn.look();
    for name in ["sda", "sda1", "sdb"] {
        assert!(texts(&machine, name).contains("mounted at /pool (btrfs)"), "{name}");
    }
    assert_eq!(holds(&machine, "sda2"), []);
    let machine = two_partitions().mount("0:46", "/b", "bcachefs", "/dev/sda1:/dev/sdb", "rw").look();
    assert!(is_refused(&machine, "sda1") && is_refused(&machine, "sdb"));
}

#[test]
fn mounts_of_other_namespaces_and_journals_on_other_devices_count() {
    let machine = two_partitions().mount_elsewhere("8:2", "/inside").look();
    assert!(texts(&machine, "sda").contains("/inside (ext4) in another mount namespace"));
    let machine =
        two_partitions().mount("8:1", "/x", "xfs", "/dev/sda1", "rw,logdev=/dev/sdb,noquota").look();
    assert_eq!(holds(&machine, "sdb"), [Hold::Mounted]);
    // No mount is to be seen, but the driver runs.
    let drawn = two_partitions();
    drawn.write("sys/fs/ext4/sda2/session_write_kbytes", "0");
    let machine = drawn.look();
    assert_eq!(holds(&machine, "sda2"), [Hold::Mounted]);
    assert!(is_refused(&machine, "sda"));
}

#[test]
fn a_name_that_is_a_link_leads_to_the_device_behind_it() {
    let drawn = two_partitions().swap("/dev/disk/by-label/paging");
    drawn.link("dev/disk/by-label/paging", "../../sda2");
    assert_eq!(holds(&drawn.look(), "sda2"), [Hold::Swap]);
}

#[test]
fn a_second_path_to_the_same_disk_is_the_same_disk() {
    let machine = two_partitions()
        .attribute("sda", "device/wwid", "naa.5000c500a1b2c3d4")
        .attribute("sdb", "device/wwid", "naa.5000c500a1b2c3d4")
        .mount("8:1", "/data", "ext4", "/dev/sda1", "rw")
        .look();
    assert!(is_refused(&machine, "sdb"));
    // Names made of model and vendor name no single disk.
    let machine = two_partitions()
        .attribute("sda", "device/wwid", "t10.ATA     QEMU HARDDISK")
        .attribute("sdb", "device/wwid", "t10.ATA     QEMU HARDDISK")
        .mount("8:1", "/data", "ext4", "/dev/sda1", "rw")
        .look();
    assert_eq!(holds(&machine, "sdb"), []);
}

#[test]
fn a_loop_device_is_tied_to_what_it_stands_on_both_ways() {
    let drawn = two_partitions().disk("loop0", "7:0").disk("loop1", "7:1");
    let over_disk = |machine: &mut Machine, name: &str, block: &str| {
        let block = number(machine, block);
        let number = number(machine, name);
        let backing = Backing { path: "/dev/sda".into(), files: Vec::new(), block: Some(block) };
        machine.nodes.get_mut(&number).unwrap().backing = Some(backing);
    };
    let mut machine = drawn.look();
    over_disk(&mut machine, "loop0", "sda2");
    for name in ["sda", "sda2"] {
        assert!(texts(&machine, name).contains("losetup -d"), "{name}");
    }
    assert_eq!(holds(&machine, "sda1"), []);
    assert_eq!(holds(&machine, "loop0"), []);
    over_disk(&mut machine, "loop1", "sda2");
    assert_eq!(holds(&machine, "loop0"), [Hold::Held]);

    let mounted = two_partitions().disk("loop0", "7:0").mount("8:1", "/data", "ext4", "/dev/sda1", "rw");
    let mut machine = mounted.look();
    over_disk(&mut machine, "loop0", "sda");
    assert!(is_refused(&machine, "loop0"));
    let grouped = two_partitions().disk("loop0", "7:0").disk("dm-0", "252:0").built("dm-0", &["sda1"]);
    let mut machine = grouped.look();
    over_disk(&mut machine, "loop0", "sda");
    assert_eq!(holds(&machine, "loop0"), [Hold::Held]);
}

#[test]
fn a_file_behind_a_loop_device_or_swapped_to_is_held() {
    let drawn = Drawn::new().disk("loop0", "7:0");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("image");
    std::fs::write(&file, "x").unwrap();
    let id = FileId::of(&std::fs::metadata(&file).unwrap());
    let drawn = drawn.attribute("loop0", "loop/backing_file", file.to_str().unwrap()).mount(
        "7:0",
        "/inner",
        "ext4",
        "/dev/loop0",
        "rw",
    );
    let found: Vec<_> = drawn.look().use_of_file(id, &file).into_iter().map(|r| r.hold).collect();
    assert_eq!(found, [Hold::Held, Hold::Mounted]);
    let drawn = Drawn::new().swap(file.to_str().unwrap());
    let found: Vec<_> = drawn.look().use_of_file(id, &file).into_iter().map(|r| r.hold).collect();
    assert_eq!(found, [Hold::Swap]);
}

#[test]
fn what_the_kernel_does_not_list_or_does_not_let_write_is_never_written() {
    let machine = two_partitions().attribute("sdb", "ro", "1").look();
    assert_eq!(holds(&machine, "sdb"), [Hold::ReadOnly]);
    let reasons = machine.use_of(DeviceNumber { major: 99, minor: 1 });
    assert_eq!(reasons[0].hold, Hold::Unknown);
    let hidden = two_partitions().attribute("sdb", "hidden", "1").look();
    assert!(hidden.nodes.values().all(|node| node.name != "sdb"));
}

#[test]
fn permission_names_one_device_of_the_machine() {
    let machine = two_partitions()
        .attribute("sda", "device/serial", "  S4EWNX0R  \n")
        .attribute("sda", "device/wwid", "naa.5000c500a1b2c3d4")
        .disk("nvme0n1", "259:0")
        .disk("nvme0n2", "259:1")
        .attribute("nvme0n1", "device/serial", "SHARED")
        .attribute("nvme0n2", "device/serial", "SHARED")
        .attribute("nvme0n2", "wwid", "eui.0025385b01234567")
        .disk("zram0", "253:0")
        .disk("vdb", "254:16")
        .attribute("vdb", "serial", "0000")
        .disk("dm-3", "252:3")
        .attribute("dm-3", "dm/name", "vg-data")
        .look();
    let words = |name: &str| {
        let identity = machine.identity(machine.node(number(&machine, name)).unwrap());
        let mut words = vec![identity.words];
        words.extend(identity.also);
        words
    };
    assert_eq!(words("sda"), ["S4EWNX0R", "naa.5000c500a1b2c3d4"]);
    // The disk's words do not permit a partition, nor the other way round.
    assert_eq!(words("sda2"), ["S4EWNX0R-part2", "naa.5000c500a1b2c3d4-part2"]);
    assert_eq!(words("nvme0n1"), ["nvme0n1-1073741824"]);
    assert_eq!(words("nvme0n2"), ["eui.0025385b01234567"]);
    assert_eq!(words("zram0"), ["zram0-1073741824"]);
    assert_eq!(words("vdb"), ["vdb-1073741824"]);
    assert_eq!(words("dm-3"), ["vg-data-1073741824"]);
    let sda2 = machine.identity(machine.node(number(&machine, "sda2")).unwrap());
    assert!(!sda2.is_named_by(&Permit("S4EWNX0R".into())));
}

#[test]
fn chains_run_from_the_file_systems_device_down_to_the_disks() {
    let machine = two_partitions()
        .disk("md0", "9:0")
        .disk("dm-0", "252:0")
        .built("md0", &["sda1", "sdb"])
        .built("dm-0", &["md0"])
        .look();
    let names: Vec<_> = machine
        .down_from(vec![number(&machine, "dm-0")])
        .into_iter()
        .map(|found| machine.node(found).unwrap().name.clone())
        .collect();
    assert_eq!(names, ["dm-0", "md0", "sda1", "sdb", "sda"]);
}
