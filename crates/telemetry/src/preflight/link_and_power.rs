//! The way to the device: link and power states.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

/// The number that a link's text starts with: `8.0 GT/s PCIe` is 8.
fn leading_number(text: &str) -> Option<f64> {
    text.split_ascii_whitespace().next()?.parse().ok()
}

pub(super) fn pcie(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let mut findings = Vec::new();
    for (what, current, max) in
        [("speed", "current_link_speed", "max_link_speed"), ("width", "current_link_width", "max_link_width")]
    {
        for (device, now) in evidence.all("pcie", current) {
            let Some(possible) = evidence.text("pcie", device, max) else { continue };
            let (Some(have), Some(could)) = (leading_number(now), leading_number(possible)) else { continue };
            // Devices of a hypervisor show a width of zero: there is no link.
            if have <= 0.0 || could <= 0.0 {
                continue;
            }
            let (setting, value) = (format!("{device}: PCIe link {what}"), format!("{now} of {possible}"));
            findings.push(if have < could {
                let effect =
                    "The link runs below what the device could do and may be the limit of large I/Os.";
                let remedy =
                    "lspci -vv # LnkSta against LnkCap; another slot, riser or firmware setting may help";
                with_remedy(finding(setting, value, Severity::Warning, effect), remedy)
            } else {
                finding(setting, value, Severity::Good, "The link runs at the device's best.")
            });
        }
    }
    findings
}

pub(super) fn power(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let asleep = evidence.all("pcie", "power_state").filter(|(_, state)| state.starts_with("D3")).map(
        |(device, state)| {
            let effect = "The device sleeps; the first I/Os wait until it is awake.";
            let found = finding(format!("{device}: power state"), state, Severity::Warning, effect);
            with_remedy(found, format!("echo on > /sys/block/{device}/device/device/power/control"))
        },
    );
    let allowed_us = evidence.number("kernel", "", "nvme_idle_latency_max_us").unwrap_or(0.0);
    let autonomous = evidence
        .all("nvme", "autonomous_power_states")
        .filter(move |(_, supported)| *supported == "true" && allowed_us > 0.0)
        .map(move |(device, _)| {
            let effect =
                "After a pause the device may be in a deeper power state, from which the next I/O wakes it.";
            let value = format!("allowed up to {allowed_us} us");
            let found = finding(format!("{device}: autonomous power states"), value, Severity::Note, effect);
            with_remedy(found, "boot with `nvme_core.default_ps_max_latency_us=0`")
        });
    asleep.chain(autonomous).collect()
}
