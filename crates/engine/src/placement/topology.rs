//! Processors and devices as `/sys` and `/proc` show them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fathom_order::InOrder;

use super::planner::{Cpu, Device, Queue};

/// Where the kernel shows itself; elsewhere than usual only in tests.
#[derive(Clone, Debug)]
pub struct Machine {
    /// `/sys`.
    pub sys: PathBuf,
    /// `/proc`.
    pub proc: PathBuf,
}

impl Default for Machine {
    fn default() -> Self {
        Self { sys: "/sys".into(), proc: "/proc".into() }
    }
}

impl Machine {
    /// The processors among `allowed` that are online, by number.
    pub fn cpus(&self, allowed: &BTreeSet<u32>) -> Vec<Cpu> {
        let folder = self.sys.join("devices/system/cpu");
        let online = text(&folder.join("online")).map(|list| numbers(&list));
        let is_online = |cpu: &&u32| online.as_ref().is_none_or(|online| online.contains(cpu));
        let cpu = |id: &u32| {
            let folder = folder.join(format!("cpu{id}"));
            let number = |name: &str| text(&folder.join("topology").join(name))?.parse().ok();
            let node = entries(&folder).iter().find_map(|name| name.strip_prefix("node")?.parse().ok());
            let core = number("physical_package_id").zip(number("core_id"));
            // Where the kernel shows no topology each processor counts as a core.
            let capacity = text(&folder.join("cpu_capacity")).and_then(|number| number.parse().ok());
            Cpu { id: *id, node, core: core.unwrap_or((u32::MAX, *id)), capacity }
        };
        allowed.iter().filter(is_online).map(cpu).collect()
    }

    /// What is near a block device, by the kernel's name of it or of its partition; `None` where the
    /// kernel does not show it.
    pub fn device(&self, name: &str) -> Option<Device> {
        let mut folder = fs::canonicalize(self.sys.join("class/block").join(name)).ok()?;
        if folder.join("partition").exists() {
            folder = folder.parent()?.to_owned();
        }
        let queue = |number: &String| {
            let cpus = numbers(&text(&folder.join("mq").join(number).join("cpu_list"))?);
            Some(Queue { number: number.parse().ok()?, cpus: cpus.into_iter().collect() })
        };
        let mut queues: Vec<_> = entries(&folder.join("mq")).iter().filter_map(queue).collect();
        queues.put_in_order_by_key(|queue: &Queue| queue.number);
        Some(Device { queues, ..self.on_its_bus(&folder)? })
    }

    /// What is near a network interface, by the kernel's name of it; `None` where the kernel does not show it. Its
    /// queues are left out: which of them a connection uses is not the sender's choice.
    pub fn interface(&self, name: &str) -> Option<Device> {
        self.on_its_bus(&fs::canonicalize(self.sys.join("class/net").join(name)).ok()?)
    }

    /// Node and interrupts of a device by its folder: the devices above it, up to the bus, are asked, and the first that
    /// has a node, or interrupts, says it for all.
    fn on_its_bus(&self, folder: &Path) -> Option<Device> {
        let name = folder.file_name()?.to_string_lossy().into_owned();
        let above = || folder.ancestors().skip(1).take_while(|above| above.starts_with(&self.sys));
        let node = above().find_map(|above| text(&above.join("numa_node")));
        let irqs = above().map(|above| entries(&above.join("msi_irqs"))).find(|irqs| !irqs.is_empty());
        let arrives = |irq: &String| text(&self.proc.join("irq").join(irq).join("effective_affinity_list"));
        let interrupts = irqs.iter().flatten().filter_map(arrives).flat_map(|list| numbers(&list));
        let interrupts: BTreeSet<u32> = interrupts.collect();
        Some(Device {
            name,
            // A machine without nodes says -1.
            node: node.and_then(|node| node.parse().ok()),
            queues: Vec::new(),
            interrupts: interrupts.into_iter().collect(),
        })
    }

    /// What is near a target on these disks: the one, or what several have in common.
    pub fn device_of(&self, disks: &[&str]) -> Option<Device> {
        let found: Vec<Device> = disks.iter().filter_map(|name| self.device(name)).collect();
        if found.len() < 2 {
            return found.into_iter().next();
        }
        let names: Vec<&str> = found.iter().map(|device| device.name.as_str()).collect();
        let node = found[0].node.filter(|node| found.iter().all(|other| other.node == Some(*node)));
        Some(Device { name: names.join(" and "), node, ..Device::default() })
    }
}

fn text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Far beyond any machine's processors: a longer range is no list of them.
const MAX_CPUS: u32 = 1 << 16;

/// A list as the kernel writes it: `0-3, 8`. What cannot be read is left out.
fn numbers(list: &str) -> BTreeSet<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (last < MAX_CPUS).then_some(first..=last)
    };
    list.split(',').filter_map(range).flatten().collect()
}
