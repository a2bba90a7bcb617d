//! What an NVMe controller and its namespace say of themselves.

use std::io;

use fathom_spec::admin::IDENTIFY_BYTES;
use fathom_spec::smart::LOG_BYTES;
use fathom_spec::{IdentifyController, IdentifyNamespace, SmartLog};

use super::Facts;
use crate::nvme::{Controller, ReadCommand, controllers};

/// CAP.MPSMIN cannot be read from user space. 4096 is the least that it can say, so that the transfer
/// limit that follows is one that holds.
const MIN_PAGE_BYTES: u64 = 4096;

pub(super) fn describe(facts: &mut Facts<'_>, device: &str) {
    let root = facts.root();
    if root.exists(format!("/sys/class/block/{device}/partition")) {
        return;
    }
    for name in controllers(root, device) {
        // Any user may read these; identify itself takes privilege.
        for file in ["model", "serial", "firmware_rev", "transport", "state", "address"] {
            facts.file(("nvme", device), file, &format!("/sys/class/nvme/{name}/{file}"));
        }
        if let Err(error) = identify(facts, device, &name) {
            let source = format!("/dev/{name}");
            facts.add(("nvme", device), "identify", format!("not readable ({error}); run as root"), &source);
        }
    }
}

fn identify(facts: &mut Facts<'_>, device: &str, name: &str) -> io::Result<()> {
    let root = facts.root();
    let controller = Controller::open(&root.path(format!("/dev/{name}")))?;
    let mut bytes = [0; IDENTIFY_BYTES];
    controller.read(ReadCommand::IdentifyController, &mut bytes)?;
    let identified = IdentifyController::parse(&bytes).map_err(io::Error::other)?;
    describe_controller(facts, device, identified);
    if let Some(id) =
        root.number(format!("/sys/class/block/{device}/nsid")).and_then(|id| u32::try_from(id).ok())
    {
        controller.read(ReadCommand::IdentifyNamespace(id), &mut bytes)?;
        let identified = IdentifyNamespace::parse(&bytes).map_err(io::Error::other)?;
        describe_namespace(facts, device, identified);
    }
    let mut log = [0; LOG_BYTES];
    controller.read(ReadCommand::Health, &mut log)?;
    describe_health(facts, device, SmartLog::parse(&log).map_err(io::Error::other)?);
    Ok(())
}

fn describe_controller(facts: &mut Facts<'_>, device: &str, c: &IdentifyController) {
    const SOURCE: &str = "NVMe Identify Controller";
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.add(("nvme", device), name, value, SOURCE);
        }
    };
    add("vendor_id", Some(format!("{:#06x}", c.vid.get())));
    add(
        "specification",
        c.specification().map(|(major, minor, tertiary)| format!("{major}.{minor}.{tertiary}")),
    );
    add("max_transfer_bytes", c.max_transfer_bytes(MIN_PAGE_BYTES).map(|bytes| bytes.to_string()));
    add("volatile_write_cache", Some(c.has_volatile_write_cache().to_string()));
    add("autonomous_power_states", Some(c.has_autonomous_power_states().to_string()));
    add("power_states", Some(c.power_states().len().to_string()));
    add("max_power_milliwatts", c.power_states()[0].max_power_milliwatts().map(|mw| format!("{mw:.0}")));
    add("warning_celsius", c.warning_celsius().map(|t| format!("{t:.0}")));
    add("critical_celsius", c.critical_celsius().map(|t| format!("{t:.0}")));
    add("optional_commands", Some(format!("{:#06x}", c.oncs.get())));
}

fn describe_namespace(facts: &mut Facts<'_>, device: &str, n: &IdentifyNamespace) {
    const SOURCE: &str = "NVMe Identify Namespace";
    let mut add = |name: &str, value: Option<u64>| {
        if let Some(value) = value {
            facts.add(("nvme", device), name, value, SOURCE);
        }
    };
    add("block_bytes", n.block_bytes());
    add("metadata_bytes", n.format().map(|format| u64::from(format.ms.get())));
    add("size_bytes", n.size_bytes());
    add("used_bytes", n.used_bytes());
    let units = n.preferred_units();
    add("npwg_bytes", units.map(|u| u.write_granularity_bytes));
    add("npwa_bytes", units.map(|u| u.write_alignment_bytes));
    add("npdg_bytes", units.map(|u| u.deallocate_granularity_bytes));
    add("npda_bytes", units.map(|u| u.deallocate_alignment_bytes));
    add("nows_bytes", units.map(|u| u.optimal_write_bytes));
    add("optimal_boundary_bytes", n.optimal_boundary_bytes());
    let text =
        |facts: &mut Facts<'_>, name: &str, value: String| facts.add(("nvme", device), name, value, SOURCE);
    text(facts, "lba_format", n.format_index().to_string());
    text(facts, "deallocated_reads", format!("{:?}", n.deallocated_reads()));
    text(facts, "thin", n.is_thin().to_string());
    text(facts, "write_protected", n.is_write_protected().to_string());
}

fn describe_health(facts: &mut Facts<'_>, device: &str, log: &SmartLog) {
    const SOURCE: &str = "NVMe log page 02h";
    let mut add = |name: &str, value: String| facts.add(("nvme", device), name, value, SOURCE);
    if let Some(celsius) = log.celsius() {
        add("temperature_celsius", format!("{celsius:.0}"));
    }
    add("life_used_percent", log.percentage_used.to_string());
    add("spare_percent", log.available_spare.to_string());
    add("written_bytes_ever", log.written_bytes().to_string());
    add("media_errors", log.media_errors.get().to_string());
    add("warning_temperature_minutes", log.warning_temperature_time.get().to_string());
    add("critical_temperature_minutes", log.critical_temperature_time.get().to_string());
    let transitions = u64::from(log.light_throttle_count.get()) + u64::from(log.heavy_throttle_count.get());
    add("throttle_transitions", transitions.to_string());
    let warnings: Vec<&str> = log.warnings().collect();
    if !warnings.is_empty() {
        add("critical_warning", warnings.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Root;

    #[test]
    fn identified_structures_become_facts_with_units() {
        let mut controller = [0; 4096];
        (controller[77], controller[525]) = (5, 1);
        controller[266] = 0x5d;
        controller[267] = 1;
        let mut namespace = [0; 4096];
        (namespace[24], namespace[64], namespace[130]) = (0x10, 3, 12);
        let mut log = [0; 512];
        (log[0], log[1], log[2], log[5]) = (2, 0x37, 1, 7);
        let root = Root::system();
        let mut facts = Facts::new(&root);
        describe_controller(&mut facts, "nvme0n1", IdentifyController::parse(&controller).unwrap());
        describe_namespace(&mut facts, "nvme0n1", IdentifyNamespace::parse(&namespace).unwrap());
        describe_health(&mut facts, "nvme0n1", SmartLog::parse(&log).unwrap());
        let list = facts.into_list();
        let value = |name: &str| list.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str());
        assert_eq!(value("max_transfer_bytes"), Some("131072"));
        assert_eq!(value("volatile_write_cache"), Some("true"));
        assert_eq!(value("warning_celsius"), Some("76"));
        assert_eq!((value("npwg_bytes"), value("block_bytes")), (Some("16384"), Some("4096")));
        assert_eq!((value("temperature_celsius"), value("life_used_percent")), (Some("38"), Some("7")));
        assert_eq!(value("critical_warning"), Some("temperature out of range"));
        assert_eq!(value("specification"), None, "zero means that nothing is said");
    }
}
