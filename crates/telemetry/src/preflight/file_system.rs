//! The file system over the device: what it adds to each I/O.

use fathom_record::environment_facts::{Preflight, Severity};

use super::{fact_lookup::Evidence, finding, with_remedy};

/// Kinds (by start) that are not simply blocks on a device.
const KINDS: &[(&str, Severity, &str)] = &[
    (
        "btrfs",
        Severity::Warning,
        "Overwrites go to new places and carry checksums: writes of a file are not writes of the same blocks.",
    ),
    (
        "zfs",
        Severity::Warning,
        "Overwrites go to new places, through a cache of its own: reads may never reach the device.",
    ),
    (
        "bcachefs",
        Severity::Warning,
        "Overwrites go to new places and carry checksums: writes of a file are not writes of the same blocks.",
    ),
    ("tmpfs", Severity::Warning, "Files are memory: no device is measured."),
    ("ramfs", Severity::Warning, "Files are memory: no device is measured."),
    (
        "overlay",
        Severity::Note,
        "A container's layered files: the first write to a file of a lower layer copies it.",
    ),
    ("nfs", Severity::Note, "Files lie on a server: network and server are measured too."),
    ("cifs", Severity::Note, "Files lie on a server: network and server are measured too."),
    ("smb", Severity::Note, "Files lie on a server: network and server are measured too."),
    ("ceph", Severity::Note, "Files lie on a cluster: network and servers are measured too."),
    ("fuse", Severity::Note, "Every I/O passes a user-space process."),
    ("9p", Severity::Note, "Files lie on the host: its file system is measured too."),
    ("virtiofs", Severity::Note, "Files lie on the host: its file system is measured too."),
];

pub(super) fn kind(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(point, kind): (&str, &str)| {
        let setting = format!("{point}: file system");
        match KINDS.iter().find(|(start, ..)| kind.starts_with(start)) {
            Some((_, severity, effect)) if *severity == Severity::Warning => {
                let remedy = match kind {
                    "btrfs" => "chattr +C on an empty folder, and measure in it; or measure a block device",
                    _ => "give a target on another file system, or a block device",
                };
                with_remedy(finding(setting, kind, *severity, *effect), remedy)
            }
            Some((_, severity, effect)) => finding(setting, kind, *severity, *effect),
            None => finding(
                setting,
                kind,
                Severity::Good,
                "Direct I/O of a written file goes to fixed blocks of the device.",
            ),
        }
    };
    evidence.all("file_system", "kind").map(judge).collect()
}

/// Mount options that change I/O, what they do, and the option that undoes them.
const OPTIONS: &[(&str, Severity, &str, &str)] = &[
    ("sync", Severity::Warning, "Every write waits until it is durable.", "async"),
    ("dirsync", Severity::Note, "Every change of a folder waits until it is durable.", "async"),
    (
        "discard",
        Severity::Note,
        "Removing files sends discards to the device, which may slow I/O that runs at the same time.",
        "nodiscard",
    ),
    (
        "nobarrier",
        Severity::Warning,
        "Flushes do not reach the device: durable writes look faster than they are.",
        "barrier",
    ),
    (
        "barrier=0",
        Severity::Warning,
        "Flushes do not reach the device: durable writes look faster than they are.",
        "barrier=1",
    ),
    (
        "data=journal",
        Severity::Warning,
        "File contents are written twice, through the journal, and not directly.",
        "data=ordered",
    ),
    ("strictatime", Severity::Note, "Every read of a file updates its time of access.", "relatime"),
    (
        "compress",
        Severity::Warning,
        "Contents are compressed: fewer bytes reach the device than were written.",
        "compress=none",
    ),
    (
        "compress-force",
        Severity::Warning,
        "Contents are compressed: fewer bytes reach the device than were written.",
        "compress=none",
    ),
];

pub(super) fn options(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let mut findings = Vec::new();
    for (point, options) in evidence.all("file_system", "options") {
        for (option, severity, effect, undo) in OPTIONS {
            // `discard=async`, `compress=zstd:3` are the same options with a value.
            let set = |word: &str| {
                word == *option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
            };
            let Some(word) = options.split(',').find(|word| set(word)) else { continue };
            if word == "compress=none" || word == "compress=no" {
                continue;
            }
            let found = finding(format!("{point}: mount option {option}"), word, *severity, *effect);
            findings.push(with_remedy(found, format!("mount -o remount,{undo} {point}")));
        }
    }
    findings
}

pub(super) fn space(evidence: &Evidence<'_>) -> Vec<Preflight> {
    let judge = |(point, total): (&str, f64)| {
        let free = evidence.number("file_system", point, "free_bytes")?;
        let share = if total > 0.0 { free / total } else { return None };
        let severity = match share {
            ..0.05 => Severity::Warning,
            ..0.10 => Severity::Note,
            _ => Severity::Good,
        };
        let effect = match severity {
            Severity::Good => "There is room for files in one piece.",
            _ => "New files are scattered over what is left, and a drive without spare space writes slower.",
        };
        let value = format!("{:.1} % free", share * 100.0);
        let found = finding(format!("{point}: free space"), value, severity, effect);
        Some(if severity == Severity::Good {
            found
        } else {
            with_remedy(found, format!("du -xh {point} | sort -h | tail # and remove what is not needed"))
        })
    };
    evidence.numbers("file_system", "total_bytes").filter_map(judge).collect()
}
