//! Namespaces that the kernel's own initiator is connected to: what its files say of the connection.

use std::path::{Path, PathBuf};

use fathom_record::facts::FabricFacts;

use super::sysfs;

/// The connection behind a disk, if it is a namespace that is reached over a network; by the disk's name and where
/// the kernel shows itself.
pub fn facts(sys: &Path, disk: &str) -> Option<FabricFacts> {
    let controllers = controllers(&sys.join("block").join(disk).join("device"));
    let (dir, transport) = controllers.iter().find_map(|dir| {
        let transport = sysfs::attribute(dir, "transport")?;
        matches!(transport.as_str(), "tcp" | "rdma" | "fc" | "loop").then_some((dir, transport))
    })?;
    let text = |name: &str| sysfs::attribute(dir, name).filter(|text| !text.is_empty());
    let seconds = |name: &str| sysfs::number::<i64>(dir, name);
    Some(FabricFacts {
        initiator: format!("kernel, driver nvme-{transport}"),
        transport,
        address: text("address"),
        subsystem: text("subsysnqn"),
        host: text("hostnqn"),
        namespace: sysfs::number(&sys.join("block").join(disk), "nsid"),
        model: text("model"),
        serial: text("serial"),
        firmware: text("firmware_rev"),
        // Counted with the admin queue, and from 0.
        queues: sysfs::number::<u32>(dir, "queue_count").and_then(|count| count.checked_sub(1)),
        queue_entries: sysfs::number::<u32>(dir, "sqsize").and_then(|size| size.checked_add(1)),
        keep_alive_ms: sysfs::number::<u32>(dir, "kato").and_then(|seconds| seconds.checked_mul(1000)),
        controller_loss_s: seconds("ctrl_loss_tmo"),
        reconnect_delay_s: seconds("reconnect_delay"),
        paths: u32::try_from(controllers.len()).ok(),
        ..FabricFacts::default()
    })
}

/// The controllers of a disk: its device is one, or with multipath a subsystem that has several.
fn controllers(device: &Path) -> Vec<PathBuf> {
    if device.join("transport").exists() {
        return vec![device.to_owned()];
    }
    let is_controller = |name: &String| {
        name.strip_prefix("nvme")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    sysfs::entries(device).into_iter().filter(is_controller).map(|name| device.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, files: &[(&str, &str)]) {
        std::fs::create_dir_all(dir).unwrap();
        for (name, text) in files {
            std::fs::write(dir.join(name), format!("{text}\n")).unwrap();
        }
    }

    const FILES: [(&str, &str); 8] = [
        ("transport", "tcp"),
        ("address", "traddr=10.0.0.5,trsvcid=4420"),
        ("subsysnqn", "nqn.a"),
        ("queue_count", "5"),
        ("sqsize", "127"),
        ("kato", "5"),
        ("ctrl_loss_tmo", "600"),
        ("reconnect_delay", "10"),
    ];

    #[test]
    fn a_namespace_over_tcp_tells_its_connection_with_multipath_and_without() {
        let tree = tempfile::tempdir().unwrap();
        let block = tree.path().join("block");
        write(&block.join("nvme1n1"), &[("nsid", "3")]);
        write(&block.join("nvme1n1/device"), &FILES);
        write(&block.join("nvme2n1/device/nvme2"), &FILES);
        write(&block.join("nvme2n1/device/nvme3"), &FILES);
        write(&block.join("nvme2n1/device/nvme2c2n1"), &[]);
        write(&block.join("nvme0n1/device"), &[("transport", "pcie")]);
        write(&block.join("sda/device"), &[("model", "x")]);
        let one = facts(tree.path(), "nvme1n1").unwrap();
        assert_eq!((one.transport.as_str(), one.namespace, one.queues), ("tcp", Some(3), Some(4)));
        assert_eq!((one.queue_entries, one.keep_alive_ms, one.paths), (Some(128), Some(5000), Some(1)));
        assert_eq!((one.controller_loss_s, one.reconnect_delay_s), (Some(600), Some(10)));
        assert_eq!(one.address.as_deref(), Some("traddr=10.0.0.5,trsvcid=4420"));
        assert_eq!(facts(tree.path(), "nvme2n1").unwrap().paths, Some(2));
        for other in ["nvme0n1", "sda", "missing"] {
            assert_eq!(facts(tree.path(), other), None);
        }
    }
}
