//! `fathom devices`: what is here, what is safe to write to, and what each can claim.

use std::path::Path;

use fathom_measure::{Bytes, Nanos, counted};
use fathom_record::WallFacts;
use fathom_report::layout;
use fathom_report::table::{Table, numbers, titles, words};
use fathom_report::terminal::{self, Style};
use fathom_target::drives::{Capture, Driver, DriverPath};
use fathom_target::{Claims, Device, Hold, Reason, Verdict, capture, devices, wall};
use serde::Serialize;

use crate::arguments::DevicesArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};
use crate::small_text::read_small_text;

/// Those of 256 drives with every answer at its largest are a tenth of it.
const CAPTURE_BYTES_MAX: u64 = 256 << 20;

/// The list for programs.
#[derive(Serialize)]
struct List {
    format: &'static str,
    version: u32,
    /// What the kernel keeps whatever does the I/O from.
    wall: &'static WallFacts,
    devices: Vec<Device>,
}

/// Prints the list.
///
/// # Errors
/// When the system does not show its devices, or one was asked for that is not here.
pub fn perform(arguments: &DevicesArguments) -> Result<Status, Failure> {
    if let Some(file) = &arguments.capture {
        return keep(file);
    }
    let mut devices = match &arguments.from {
        Some(file) => kept(file)?.devices(),
        None => devices()?,
    };
    let is_asked_for = |device: &Device, name: &String| {
        let of_path =
            device.path == *name || device.path.trim_start_matches("/dev/").starts_with(name.as_str());
        let of_name =
            device.path.ends_with(&device.facts.name) && device.facts.name.starts_with(name.as_str());
        of_path || of_name || device.facts.serial.as_deref() == Some(name)
    };
    if let Some(absent) =
        arguments.names.iter().find(|name| !devices.iter().any(|device| is_asked_for(device, name)))
    {
        let remedy = "all that are here: fathom devices";
        let failure = Failure::usage(absent.as_str(), "no block device of this name is here", remedy);
        return Err(Failure { kind: "no_such_target", status: Status::Refused, ..failure });
    }
    if !arguments.names.is_empty() {
        devices.retain(|device| arguments.names.iter().any(|name| is_asked_for(device, name)));
    }
    let text = if arguments.json {
        output::json(&List { format: "fathom.devices", version: 1, wall: wall::facts(), devices })
    } else {
        match arguments.names.is_empty() {
            true => list(&devices, output::style()),
            false => text(&devices, wall::facts(), output::style()),
        }
    };
    output::result(&text)?;
    Ok(Status::Done)
}

/// Writes what the drives of this machine answer.
fn keep(file: &Path) -> Result<Status, Failure> {
    let place = OutputFile::check(file, Content::Json)?;
    let capture = capture()?;
    place.write(&output::json(&capture))?;
    let drives = counted(capture.drives.len() as u64, "drive");
    output::message(&format!("wrote {}: {drives}; with their serial numbers", place.name().display()));
    Ok(Status::Done)
}

/// Reads what the drives of a machine answered.
fn kept(file: &Path) -> Result<Capture, Failure> {
    let refused = |cause: String| {
        Failure::usage(file.display().to_string(), cause, "name a file that fathom devices --capture wrote")
    };
    let text = read_small_text(file, CAPTURE_BYTES_MAX, "a capture", refused)?;
    let capture: Capture =
        fathom_json::read(&text).map_err(|error| refused(error.to_string()).with_source(error))?;
    if !capture.is_readable() {
        let known = format!("{} version {}", Capture::FORMAT, Capture::VERSION);
        return Err(refused(format!(
            "it is {} version {}, and this build reads {known}",
            capture.format, capture.version
        )));
    }
    Ok(capture)
}

/// A line each. Devices without a size, as loop devices without a file, are counted alone.
fn list(devices: &[Device], style: Style) -> String {
    if devices.is_empty() {
        return "No block devices are here. To assess a folder's disk: fathom assess .\n".to_owned();
    }
    let (shown, without): (Vec<&Device>, Vec<&Device>) =
        devices.iter().partition(|device| device.facts.size_bytes > 0);
    let mut lines = vec![table(&shown, style)];
    if !without.is_empty() {
        let names: Vec<&str> =
            without.iter().take(3).map(|device| device.path.trim_start_matches("/dev/")).collect();
        let more = if without.len() > names.len() { ", ..." } else { "" };
        lines.push(format!("{} without a size: {}{more}", without.len(), names.join(", ")));
    }
    lines.push(String::new());
    lines.push("Why, and how to write to one: fathom devices DEVICE".to_owned());
    lines.push("Reading is always safe. A folder is assessed on a scratch file: fathom assess .".to_owned());
    lines.join("\n") + "\n"
}

fn table(devices: &[&Device], style: Style) -> String {
    let columns = [
        words("device", 0),
        numbers("size", 0),
        words("kind", 1),
        titles("model", 3),
        titles("serial", 2),
        words("writing", 0),
    ];
    let mut table = Table::new(&columns);
    devices.iter().for_each(|device| table.row(row(device)));
    terminal::table(&table, style).trim_end().to_owned()
}

/// Each with its reasons.
fn text(devices: &[Device], wall: &WallFacts, style: Style) -> String {
    let mut lines = vec![table(&devices.iter().collect::<Vec<_>>(), style)];
    let width = style.width.min(output::SENTENCES);
    for device in devices {
        lines.push(String::new());
        lines.push(layout::plain(&device.path));
        for (name, text) in details(device) {
            lines.extend(layout::named(&format!("  {name}"), 11, &text, width));
        }
        if let Verdict::WithPermission { flag } | Verdict::IfEmpty { flag } = &device.verdict {
            // Whole, so that it can be copied.
            lines.push(format!("  permit   {}", layout::plain(flag)));
        }
    }
    lines.push(String::new());
    lines.extend(layout::named("Wall", 5, &walled(wall), width));
    lines.push("Reading is always safe. A folder is assessed on a scratch file: fathom assess .".to_owned());
    lines.join("\n") + "\n"
}

/// What the kernel adds to the judgement above.
fn walled(wall: &WallFacts) -> String {
    match (&wall.missing, wall.abi) {
        (None, Some(abi)) => format!(
            "Landlock (ABI {abi}) keeps the threads and tools that do the I/O from opening or changing anything that \
             was not named. It leaves open: {}.",
            wall.leaves_open.join("; ")
        ),
        (missing, _) => format!(
            "none ({}): fathom's own checks alone keep a run from what was not named.",
            missing.as_deref().unwrap_or("unknown")
        ),
    }
}

fn row(device: &Device) -> [String; 6] {
    let facts = &device.facts;
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    let writing = match &device.verdict {
        Verdict::Free => "free",
        Verdict::IfEmpty { .. } => "if empty",
        Verdict::WithPermission { .. } => "by permission",
        Verdict::Never { .. } => "refused",
    };
    [
        device.path.clone(),
        Bytes(facts.size_bytes).to_string(),
        facts.layer.clone(),
        or_dash(&facts.model),
        or_dash(&facts.serial),
        writing.to_owned(),
    ]
}

fn details(device: &Device) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(serial) = &device.facts.serial {
        lines.push(("serial", serial.clone()));
    }
    if let Some(disk) = &device.disk {
        lines.push(("part of", disk.clone()));
    }
    lines.extend(device.carried.iter().flat_map(carried));
    let kind = |reason: &Reason| if reason.hold == Hold::NotLookedAt { "unknown" } else { "holds" };
    lines.extend(device.reasons.iter().map(|reason| (kind(reason), reason.text.clone())));
    if let Some(why) = &device.unusable {
        lines.push(("unusable", why.clone()));
    }
    lines.push(("features", claims(&device.claims)));
    lines.push(("writing", writing(device)));
    lines
}

/// The drivers under it, the one of its class first, and what is odd about them.
fn carried(carried: &DriverPath) -> Vec<(&'static str, String)> {
    let named = |driver: &Driver| match &driver.version {
        Some(version) => format!("{} {version}", driver.service),
        None => driver.service.clone(),
    };
    let drivers: Vec<String> = carried.drivers.iter().map(named).collect();
    let mut lines = Vec::new();
    if !drivers.is_empty() {
        lines.push(("drivers", drivers.join(" over ")));
    }
    lines.extend(carried.remark.iter().map(|remark| ("stack", remark.clone())));
    lines.extend(carried.unflushed.iter().map(|what| ("cache", what.clone())));
    lines.extend(carried.unanswered.iter().map(|what| ("silent", what.clone())));
    lines
}

fn writing(device: &Device) -> String {
    match &device.verdict {
        Verdict::Free => match &device.empty {
            Some(how) => format!("free: known to be empty ({how})"),
            None => "free".to_owned(),
        },
        Verdict::IfEmpty { .. } => if_empty(device),
        Verdict::WithPermission { .. } => {
            "refused, unless all of that may be destroyed; then add exactly this flag:".to_owned()
        }
        Verdict::Never { first } if first.is_empty() => "not writable; choose another target".to_owned(),
        Verdict::Never { first } => {
            format!("not writable as it is; to free it: {}", first.join(", "))
        }
    }
}

/// Reading it decides: how long that takes, and what to type.
fn if_empty(device: &Device) -> String {
    let takes = device.reading_s.map_or_else(String::new, |seconds| match seconds {
        ..1.0 => " (under 1 s)".to_owned(),
        seconds => format!(" (about {})", Nanos((seconds * 1e9) as u64).coarse()),
    });
    let unasked = device.reasons.iter().all(|reason| reason.first.is_empty());
    let reading = if unasked {
        format!("a run reads all of it before the first write{takes}, and writes only if nothing is there")
    } else {
        format!("reading all of it takes long{takes}: `--check-empty` does it before the first write")
    };
    format!(
        "possibly empty: {reading}. If all that is on it may be destroyed, add exactly this flag instead:"
    )
}

fn claims(claims: &Claims) -> String {
    let mut parts = vec![match claims.direct_io {
        Some(true) => "direct I/O".to_owned(),
        Some(false) => "no direct I/O".to_owned(),
        None => "direct I/O unknown".to_owned(),
    }];
    if let Some(bytes) = claims.logical_block_bytes {
        parts.push(match claims.physical_block_bytes {
            Some(physical) if physical != bytes => {
                format!("blocks of {} ({} inside)", Bytes(bytes.into()), Bytes(physical.into()))
            }
            _ => format!("blocks of {}", Bytes(bytes.into())),
        });
    }
    parts.push(if claims.trim { "trims".to_owned() } else { "no trims".to_owned() });
    parts.extend(claims.counters.iter().cloned());
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use fathom_record::facts::DeviceFacts;
    use fathom_target::Identity;

    use super::*;

    fn device(reasons: Vec<Reason>, verdict: Verdict) -> Device {
        Device {
            path: "/dev/nvme0n1".to_owned(),
            facts: DeviceFacts {
                name: "nvme0n1".to_owned(),
                model: Some(
                    "A model of a length that no terminal has room for, with a tail\u{1b}[31m".to_owned(),
                ),
                serial: Some("S4EWNX0R".repeat(4)),
                size_bytes: 1 << 40,
                layer: "disk".to_owned(),
                ..DeviceFacts::default()
            },
            disk: None,
            carried: None,
            reasons,
            identity: Identity { words: "S4EWNX0R".to_owned(), also: Vec::new() },
            verdict,
            empty: None,
            reading_s: None,
            claims: Claims {
                logical_block_bytes: Some(512),
                physical_block_bytes: Some(4096),
                ..Claims::default()
            },
            unusable: None,
        }
    }

    #[test]
    fn a_device_fits_its_lines_and_says_what_would_permit_writing() {
        let reason = Reason::new(Hold::Signature, "it holds an ext4 file system ".repeat(5));
        let verdict = Verdict::WithPermission { flag: "--destroy S4EWNX0R".to_owned() };
        let text = text(&[device(vec![reason], verdict)], &wall(7), style(80));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains('\u{1b}'));
        assert!(text.contains("--destroy S4EWNX0R"), "{text}");
        assert!(text.contains("blocks of 512 B (4 KiB inside)"), "{text}");
    }

    fn style(width: usize) -> Style {
        Style { width, ..Style::default() }
    }

    fn wall(abi: u32) -> WallFacts {
        let leaves_open = vec!["modes and owners of files".to_owned()];
        WallFacts { mechanism: Some("landlock".to_owned()), abi: Some(abi), missing: None, leaves_open }
    }

    #[test]
    fn the_list_has_a_line_each_and_counts_what_has_no_size() {
        let mut empty = device(Vec::new(), Verdict::Free);
        empty.path = "/dev/loop0".to_owned();
        empty.facts.size_bytes = 0;
        let reason = Reason::new(Hold::Signature, "it holds an ext4 file system");
        let verdict = Verdict::WithPermission { flag: "--destroy S4EWNX0R".to_owned() };
        let text = list(&[device(vec![reason], verdict), empty], style(80));
        assert_eq!(text.lines().filter(|line| line.contains("/dev/")).count(), 1, "{text}");
        assert!(text.contains("1 without a size: loop0") && !text.contains("--destroy"), "{text}");
    }

    #[test]
    fn the_wall_is_said_and_so_is_its_absence() {
        let said = walled(&wall(3));
        assert!(said.contains("ABI 3") && said.contains("leaves open: modes and owners of files"), "{said}");
        let missing = WallFacts { missing: Some("no Landlock".to_owned()), ..WallFacts::default() };
        assert!(walled(&missing).starts_with("none (no Landlock)"));
    }

    #[test]
    fn what_is_known_of_its_emptiness_is_said() {
        let known = Device { empty: Some("zram stores nothing".into()), ..device(Vec::new(), Verdict::Free) };
        assert!(
            text(&[known], &wall(7), style(120)).contains("free: known to be empty (zram stores nothing)")
        );
        let reason = Reason::new(Hold::NotLookedAt, "nothing was found in 64 MiB of 1 TiB");
        let flag = "--destroy S4EWNX0R".to_owned();
        let possibly = |reason: Reason, seconds| {
            let verdict = Verdict::IfEmpty { flag: flag.clone() };
            text(
                &[Device { reading_s: Some(seconds), ..device(vec![reason], verdict) }],
                &wall(7),
                style(300),
            )
        };
        let quick = possibly(reason.clone(), 0.3);
        assert!(
            quick.contains("possibly empty: a run reads all of it") && quick.contains("under 1 s"),
            "{quick}"
        );
        let long = possibly(reason.first("add --check-empty"), 400.0);
        assert!(long.contains("about 6 min") && long.contains("`--check-empty` does it"), "{long}");
        assert!(long.contains("unknown  nothing was found in 64 MiB") && long.contains(&flag), "{long}");
    }

    #[test]
    fn drivers_are_named_in_their_order_and_what_is_odd_is_said() {
        use fathom_target::drives::Stack;
        let driver = |service: &str, version: Option<&str>| Driver {
            service: service.to_owned(),
            version: version.map(str::to_owned),
            ..Driver::default()
        };
        let drivers = vec![driver("disk", Some("10.0.26100.1")), driver("stornvme", None)];
        let carried = DriverPath {
            stack: Stack::Scsi,
            drivers,
            unflushed: None,
            remark: Some("restart the machine".to_owned()),
            unanswered: vec!["NVMe health: no".to_owned()],
        };
        let verdict = Verdict::Never { first: Vec::new() };
        let known = Device { carried: Some(carried), ..device(Vec::new(), verdict) };
        let text = text(&[known], &wall(7), style(100));
        assert!(text.contains("drivers  disk 10.0.26100.1 over stornvme\n"), "{text}");
        assert!(text.contains("stack    restart the machine\n"), "{text}");
        assert!(text.contains("silent   NVMe health: no\n"), "{text}");
    }

    #[test]
    fn what_must_be_done_first_is_said() {
        let verdict = Verdict::Never { first: vec!["type sudo umount /mnt".to_owned()] };
        assert!(
            text(&[device(Vec::new(), verdict)], &wall(7), style(100))
                .contains("to free it: type sudo umount /mnt")
        );
    }
}
