//! Settings of block devices and of the layers over them.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

fn queue_file(device: &str, name: &str) -> String {
    format!("/sys/block/{device}/queue/{name}")
}

pub(super) fn scheduler(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(device, list): (&str, &str)| {
        // The one in use stands in brackets; a device without a choice shows a bare word.
        let used = list.split(['[', ']']).nth(1).unwrap_or(list).trim();
        // Virtual disks say that they turn whatever is behind them; a SCSI disk is asked.
        let turns = evidence.text("device", device, "rotational") == Some("1")
            && evidence.text("device", device, "driver") == Some("sd");
        let setting = format!("{device}: scheduler");
        if used.is_empty() {
            return None;
        }
        Some(if used == "none" {
            finding(
                setting,
                used,
                Severity::Good,
                "I/Os reach the device in the order in which they are submitted.",
            )
        } else if turns {
            finding(setting, used, Severity::Good, "The scheduler reorders I/O, which suits a rotating disk.")
        } else {
            let effect =
                "I/Os pass a queue with a lock and are reordered: peak rate per core falls and tails change.";
            let severity = if device.starts_with("nvme") { Severity::Warning } else { Severity::Note };
            let remedy = format!("echo none > {}", queue_file(device, "scheduler"));
            with_remedy(finding(setting, used, severity, effect), remedy)
        })
    };
    evidence.all("device", "scheduler").filter_map(judge).collect()
}

pub(super) fn accounting(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(device, value): (&str, &str)| {
        let setting = format!("{device}: iostats");
        if value == "0" {
            let effect = "The kernel does not count this device's I/O: its telemetry shows nothing.";
            let found = finding(setting, value, Severity::Warning, effect);
            with_remedy(found, format!("echo 1 > {}", queue_file(device, "iostats")))
        } else {
            let effect = "The kernel counts this device's I/O, which telemetry needs; costs a little of one core's peak rate.";
            finding(setting, value, Severity::Good, effect)
        }
    };
    evidence.all("device", "iostats").map(judge).collect()
}

pub(super) fn merging(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(device, value): (&str, &str)| {
        let setting = format!("{device}: nomerges");
        if value == "0" {
            let effect = "Neighbouring I/Os may be merged: the device can see fewer and larger ones than were submitted.";
            let found = finding(setting, value, Severity::Note, effect);
            with_remedy(found, format!("echo 2 > {}", queue_file(device, "nomerges")))
        } else {
            finding(
                setting,
                value,
                Severity::Good,
                "I/Os reach the device in the sizes in which they are submitted.",
            )
        }
    };
    evidence.all("device", "nomerges").map(judge).collect()
}

pub(super) fn write_throttling(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(device, latency_us): (&str, f64)| {
        let setting = format!("{device}: wbt_lat_usec");
        if latency_us > 0.0 {
            let effect =
                "Writes through the page cache are held back to protect reads; direct writes are not.";
            let found = finding(setting, latency_us, Severity::Note, effect);
            with_remedy(found, format!("echo 0 > {}", queue_file(device, "wbt_lat_usec")))
        } else {
            finding(setting, latency_us, Severity::Good, "The kernel does not hold writes back.")
        }
    };
    evidence.numbers("device", "wbt_lat_usec").map(judge).collect()
}

pub(super) fn polling(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(device, value): (&str, &str)| {
        let setting = format!("{device}: io_poll");
        if value == "0" {
            let effect = "No queue can be polled: each completion costs an interrupt, and polled completion is not available.";
            let found = finding(setting, value, Severity::Note, effect);
            with_remedy(found, "boot with `nvme.poll_queues=4`")
        } else {
            finding(setting, value, Severity::Good, "Queues can be polled.")
        }
    };
    evidence.all("device", "io_poll").filter(|(device, _)| device.starts_with("nvme")).map(judge).collect()
}

pub(super) fn array(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let at_work = evidence
        .all("md", "sync_action")
        .filter(|(_, action)| !["idle", "frozen"].contains(action))
        .map(|(device, action)| {
            let effect = "The array copies or checks its own data, which takes part of its members' rate.";
            let found = finding(format!("{device}: sync_action"), action, Severity::Warning, effect);
            with_remedy(found, "cat /proc/mdstat # and wait until it is done")
        });
    let degraded =
        evidence.numbers("md", "degraded").filter(|(_, missing)| *missing > 0.0).map(|(device, missing)| {
            let effect = "Members are missing: reads of their data are computed from the others.";
            let found = finding(format!("{device}: degraded"), missing, Severity::Warning, effect);
            with_remedy(found, format!("mdadm --detail /dev/{device}"))
        });
    at_work.chain(degraded).collect()
}

pub(super) fn stand_ins(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let buffered = evidence.all("loop", "dio").filter(|(_, direct)| *direct == "0").map(|(device, _)| {
        let effect =
            "The file behind the device is read and written through the page cache: memory may answer.";
        let found = finding(format!("{device}: direct I/O"), "off", Severity::Warning, effect);
        with_remedy(found, format!("losetup --direct-io=on /dev/{device}"))
    });
    let memory = evidence.all("zram", "algorithm").map(|(device, _)| {
        let effect = "The device is compressed memory: CPUs and the data's compressibility are measured.";
        finding(format!("{device}: memory"), "zram", Severity::Note, effect)
    });
    buffered.chain(memory).collect()
}

pub(super) fn encryption(evidence: &Evidence<'_>) -> Vec<Preflight> {
    evidence
        .all("dm", "uuid")
        .filter(|(_, uuid)| uuid.starts_with("CRYPT-"))
        .map(|(device, _)| {
            let effect = "Every byte is encrypted or decrypted on a CPU, often in another thread.";
            finding(format!("{device}: encryption"), "dm-crypt", Severity::Note, effect)
        })
        .collect()
}

pub(super) fn health(evidence: &Evidence<'_>) -> Vec<Preflight> {
    /// Distance from the warning threshold at which throttling is near, in degrees.
    const NEAR_CELSIUS: f64 = 5.0;
    let warnings = evidence.all("nvme", "critical_warning").map(|(device, text)| {
        let effect =
            "The device itself says that it needs attention; its speed is not that of a healthy one.";
        let found = finding(format!("{device}: critical warning"), text, Severity::Warning, effect);
        with_remedy(found, format!("nvme smart-log /dev/{device}"))
    });
    let heat = evidence.numbers("nvme", "temperature_celsius").filter_map(|(device, now)| {
        let limit = evidence.number("nvme", device, "warning_celsius")?;
        let (setting, value) = (format!("{device}: temperature"), format!("{now} C of {limit} C"));
        Some(if now > limit - NEAR_CELSIUS {
            let effect = "The device is about to slow itself for heat, or does already.";
            with_remedy(
                finding(setting, value, Severity::Warning, effect),
                "improve its cooling, or let it rest first",
            )
        } else {
            finding(setting, value, Severity::Good, "Far from where the device slows itself for heat.")
        })
    });
    warnings.chain(heat).collect()
}
