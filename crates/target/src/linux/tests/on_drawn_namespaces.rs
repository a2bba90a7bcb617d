//! NVMe namespaces drawn as trees of files: which block device a character device belongs to.

use super::drawn::{Drawn, number};
use crate::linux::device_number::DeviceNumber;

/// What tells one namespace from another: the controller or subsystem that it hangs below, and its identifier.
fn namespace(drawn: Drawn, disk: &str, numbers: &str, parent: &str, id: &str) -> Drawn {
    let drawn = drawn.disk(disk, numbers).attribute(disk, "nsid", id);
    drawn.write(&format!("sys/devices/{parent}/model"), "DRAWN");
    drawn.link(&format!("sys/devices/{disk}/device"), &format!("../{parent}"));
    drawn
}

fn character_device(drawn: Drawn, name: &str, numbers: &str, parent: &str) -> Drawn {
    drawn.write(&format!("sys/class/nvme-generic/{name}/dev"), numbers);
    drawn.link(&format!("sys/class/nvme-generic/{name}/device"), &format!("../../../devices/{parent}"));
    drawn
}

fn generic(minor: u32) -> DeviceNumber {
    DeviceNumber::parse(&format!("240:{minor}")).unwrap()
}

/// Two subsystems: one with two namespaces over two paths, one with a namespace of its own.
fn two_paths() -> Drawn {
    let mut drawn = Drawn::new();
    drawn = namespace(drawn, "nvme0n1", "259:0", "nvme-subsys0", "1").partition(
        "nvme0n1",
        "nvme0n1p1",
        "259:1",
        2048,
        1000,
    );
    drawn = namespace(drawn, "nvme0n2", "259:2", "nvme-subsys0", "2");
    drawn = namespace(drawn, "nvme2n1", "259:5", "nvme2", "1");
    for (path, numbers, controller) in [("nvme0c0n1", "259:3", "nvme0"), ("nvme0c1n1", "259:4", "nvme1")] {
        drawn = namespace(drawn, path, numbers, controller, "1").attribute(path, "hidden", "1");
    }
    drawn
}

#[test]
fn a_namespace_of_several_paths_leads_to_the_one_device_that_stands_for_all() {
    let drawn = character_device(two_paths(), "ng0n1", "240:0", "nvme-subsys0");
    let drawn = character_device(drawn, "ng0n2", "240:1", "nvme-subsys0");
    let machine = character_device(drawn, "ng2n1", "240:2", "nvme2").look();
    for (minor, id, disk) in [(0, 1, "nvme0n1"), (1, 2, "nvme0n2"), (2, 1, "nvme2n1")] {
        let found = machine.block_sibling(generic(minor), id).unwrap();
        assert_eq!((found.name.as_str(), found.number), (disk, number(&machine, disk)));
    }
}

#[test]
fn numbers_in_names_decide_nothing() {
    // Numbers are given as devices come: the character device of `nvme0n2` may be called `ng1n1`.
    let machine = character_device(two_paths(), "ng1n1", "240:0", "nvme-subsys0").look();
    assert_eq!(machine.block_sibling(generic(0), 2).unwrap().name, "nvme0n2");
}

#[test]
fn a_path_alone_or_an_unknown_namespace_has_no_block_device() {
    // Below a controller that is only a path there is nothing but the hidden device.
    let machine = character_device(two_paths(), "ng0n1", "240:0", "nvme0").look();
    assert!(machine.block_sibling(generic(0), 1).is_none());
    let machine = character_device(two_paths(), "ng0n3", "240:0", "nvme-subsys0").look();
    assert!(machine.block_sibling(generic(0), 3).is_none());
    assert!(machine.block_sibling(generic(9), 1).is_none(), "a number that no character device has");
}
