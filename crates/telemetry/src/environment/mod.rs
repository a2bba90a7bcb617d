//! What the machine is and how it is set, once: facts with their sources, and the settings among
//! them that distort results. Everything is read; nothing is changed.

mod activity;
mod block;
mod cgroup;
mod cloud;
mod cpu;
mod fact_list;
mod file_system;
mod hypervisor;
mod kernel;
mod memory;
mod network;
mod nvme_identify;
mod pcie;
mod sata;
#[cfg_attr(not(windows), path = "system_elsewhere.rs")]
#[cfg_attr(windows, path = "system_windows.rs")]
mod system;
mod tags;
mod virtio;

pub use cloud::{AmazonIds, Dmi, Instance, amazon_ids, classify};
pub use fact_list::Facts;
pub(crate) use file_system::{Mount, parse_mounts};
pub use network::{interface_of, way_to};

use std::path::Path;

use fathom_record::environment_facts::Environment;
use fathom_record::facts::DeviceFacts;

use crate::{Root, preflight};

/// Describes this machine, the devices of a target and the file system that `target_path` lies in.
///
/// Takes a twentieth of a second, in which it watches what others do to machine and devices: call
/// it while no load of one's own runs.
pub fn collect(devices: &[DeviceFacts], target_path: Option<&Path>) -> Environment {
    let mut environment = collect_in(&Root::system(), hypervisor::signature(), devices, target_path);
    system::complete(&mut environment);
    environment
}

/// As [`collect`], of a tree that stands for a machine. `hypervisor` is what the processor says of
/// the one under it.
pub fn collect_in(
    root: &Root,
    hypervisor: Option<String>,
    devices: &[DeviceFacts],
    target_path: Option<&Path>,
) -> Environment {
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let watch = activity::Watch::start(root, &names);
    let mut facts = Facts::new(root);
    kernel::describe(&mut facts);
    let cpus = cpu::describe(&mut facts);
    let memory_bytes = memory::describe(&mut facts);
    let dmi = cloud::read_dmi(root);
    cloud::describe(&mut facts, &dmi);
    let instance = classify(&dmi);
    let virtualization = hypervisor::name(root, hypervisor.as_deref(), &dmi);
    for name in &names {
        block::describe(&mut facts, name);
        virtio::describe(&mut facts, name);
        pcie::describe(&mut facts, name);
        sata::describe(&mut facts, name);
        network::describe_device(&mut facts, name);
        nvme_identify::describe(&mut facts, name);
    }
    if let Some(path) = target_path {
        file_system::describe(&mut facts, path);
        network::describe_mount(&mut facts, path);
    }
    let cpu_quota_cores = cgroup::describe(&mut facts, &names);
    let queue_tags = tags::describe(&mut facts, devices);
    watch.finish(&mut facts);
    let facts = facts.into_list();
    Environment {
        host: kernel::host(root),
        os: kernel::os_name(root),
        kernel: kernel::release(root),
        cpu_model: cpus.model,
        cpus: cpus.online,
        numa_nodes: cpus.numa_nodes,
        memory_bytes,
        virtualization,
        instance: instance.map(|instance| instance.to_string()),
        cpu_quota_cores,
        queue_tags,
        preflight: preflight::judge(&facts),
        facts,
    }
}
