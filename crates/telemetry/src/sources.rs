//! The list of all sources. A new one is a folder and two lines here.

use crate::{
    MetricDecl, SamplerPlan, Source, cgroup, cpu, disk, ethtool, memory, net, nvme, perf, pressure, process,
    server_process, tcp, thermal,
};

/// Every metric that a run can have, by source.
pub const DECLARED: &[(&str, &[MetricDecl])] = &[
    ("cpu", cpu::METRICS),
    ("process", process::METRICS),
    ("perf", perf::METRICS),
    ("disk", disk::METRICS),
    ("net", net::METRICS),
    ("nvme", nvme::METRICS),
    ("pressure", pressure::METRICS),
    ("memory", memory::METRICS),
    ("thermal", thermal::METRICS),
    ("cgroup", cgroup::METRICS),
    ("ethtool", ethtool::METRICS),
    ("tcp", tcp::METRICS),
    ("server", server_process::METRICS),
];

/// One of each, ready for its baseline.
pub fn all(plan: &SamplerPlan) -> Vec<Box<dyn Source>> {
    let root = &plan.root;
    vec![
        Box::new(cpu::Cpu::new(root)),
        Box::new(process::Process::new(root)),
        Box::new(perf::Perf::start()),
        Box::new(disk::Disk::new(root, &plan.devices)),
        Box::new(net::Net::new(root)),
        Box::new(nvme::Nvme::new(root, &plan.devices)),
        Box::new(pressure::Pressure::new(root)),
        Box::new(memory::Memory::new(root)),
        Box::new(thermal::Thermal::new(root)),
        Box::new(cgroup::Cgroup::new(root, &plan.devices)),
        Box::new(ethtool::Ethtool::new(root)),
        Box::new(tcp::Tcp::new(&plan.sockets)),
        Box::new(server_process::Server::new(root, plan.server)),
    ]
}

/// The declaration of a metric by its name, as `cpu.user`.
pub fn find(name: &str) -> Option<&'static MetricDecl> {
    DECLARED.iter().flat_map(|(_, metrics)| metrics.iter()).find(|metric| metric.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_metric_is_named_once_and_after_its_source() {
        let mut names = HashSet::new();
        for (source, metrics) in DECLARED {
            assert!(!metrics.is_empty(), "{source}");
            for metric in *metrics {
                assert!(metric.name.starts_with(&format!("{source}.")), "{}", metric.name);
                assert!(names.insert(metric.name), "{} twice", metric.name);
                assert!(metric.description.ends_with('.') && !metric.unit.is_empty(), "{}", metric.name);
            }
        }
    }

    #[test]
    fn the_list_of_sources_and_the_list_of_declarations_are_one() {
        let built = all(&SamplerPlan::default());
        let described: Vec<&[MetricDecl]> = built.iter().map(|source| source.describe()).collect();
        let declared: Vec<&[MetricDecl]> = DECLARED.iter().map(|(_, metrics)| *metrics).collect();
        assert_eq!(described, declared);
    }
}
