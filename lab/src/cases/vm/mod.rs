//! Cases in a virtual machine: one guest sets up each in turn, asks fathom, and says the record on its
//! console.

mod cases;
mod guest_script;

use std::path::Path;

use super::super::boot_kernel;
use super::super::console::{self, Verdict};
use super::super::guest::{self, Guest};
use super::super::kernel_modules;
use super::super::vm::{self, Board, Machine, empty_disk};
use super::case::{Place, words};
use super::case_options::Options;
use super::explain_answer::Answer;
use super::score::JudgedCase;
use cases::{CONTROLLERS, EmulatedController, NAMESPACE_BYTES, VmCase};

const MODULES: [&str; 9] =
    ["nvme", "null_blk", "brd", "dm_delay", "nvmet_tcp", "nvme_tcp", "sch_tbf", "crc32c_generic", "configfs"];

/// What the script says between a record and the report of it.
const REPORT: &str = "== report";

/// Time that a case may take in an emulated machine.
const CASE_SECONDS: u64 = 120;

/// Ids and truths of the cases that are wanted.
pub fn listed(options: &Options) -> Vec<(String, String)> {
    wanted(options).iter().map(|case| (id(case), case.truth().to_string())).collect()
}

fn id(case: &VmCase) -> String {
    format!("vm/{}", case.id)
}

fn wanted(options: &Options) -> Vec<VmCase> {
    let mut wanted = cases::ALL.to_vec();
    wanted
        .retain(|case| options.takes(&id(case), &case.truth().to_string()) && (case.short || !options.short));
    wanted
}

/// What came of the guest.
pub enum Outcome {
    /// The cases that ran, and those that the guest could not set up with the reason.
    Ran { judged: Vec<JudgedCase>, skipped: Vec<(String, String)> },
    /// What must be installed first.
    Missing(String),
}

/// Boots a guest that goes through the cases.
///
/// # Errors
/// A guest that cannot be made or started.
pub fn run(options: &Options, fathom: &Path) -> Result<Outcome, String> {
    let wanted = wanted(options);
    let missing = vm::missing(Board::X86).or_else(guest::missing);
    let kernel = match (missing, boot_kernel::find(&options.kernel_root)) {
        (Some(reason), _) | (None, Err(reason)) => return Ok(Outcome::Missing(reason)),
        (None, Ok(kernel)) => kernel,
    };
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for the guest: {error}"))?;
    let mut guest = Guest::new(&guest_script::of(&wanted, options.experiments, options.run_seconds()))?;
    guest.program("fathom", fathom)?;
    for tool in ["dmsetup", "tc"] {
        let places = [format!("/usr/sbin/{tool}"), format!("/sbin/{tool}")];
        if let Some(path) = places.iter().map(Path::new).find(|path| path.is_file()) {
            guest.program(tool, path)?;
        }
    }
    guest.modules(&kernel_modules::in_order(&kernel.modules, &MODULES)?);
    let devices = controllers(folder.path())?;
    let machine =
        Machine { board: Board::X86, root: guest.finish(), processors: 2, memory_mib: 1024, devices };
    let seconds = 60 + CASE_SECONDS * wanted.len() as u64;
    let seen = vm::boot(&kernel, &machine, seconds, folder.path())?;
    if let Some(keep) = &options.keep {
        let path = keep.join("console.txt");
        std::fs::write(&path, &seen.text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(read(wanted, &seen.text))
}

/// Each controller with a namespace of its own, which QEMU throttles.
fn controllers(folder: &Path) -> Result<Vec<String>, String> {
    let mut devices = Vec::new();
    for EmulatedController { serial, throttle, properties } in CONTROLLERS {
        let id = serial.to_lowercase();
        let disk = empty_disk(folder, &id, NAMESPACE_BYTES)?;
        let comma = if throttle.is_empty() { "" } else { "," };
        devices.push("-drive".to_owned());
        devices.push(format!("file={},if=none,format=raw,id={id}{comma}{throttle}", disk.display()));
        devices.push("-device".to_owned());
        devices.push(format!("nvme,serial={serial},drive={id}{properties}"));
    }
    Ok(devices)
}

fn read(wanted: Vec<VmCase>, text: &str) -> Outcome {
    let results = console::read(text);
    let (mut judged, mut skipped) = (Vec::new(), Vec::new());
    for case in wanted {
        let id = id(&case);
        let seen = results.cases.iter().find(|seen| seen.name == case.id);
        let answer = match seen {
            Some(seen) if seen.verdict == Verdict::Skip => {
                skipped.push((id, seen.text.trim().to_owned()));
                continue;
            }
            Some(seen) if seen.verdict == Verdict::Pass => answer(&seen.text),
            Some(seen) => Err(seen.text.trim().replace('\n', " / ")),
            None => Err("the guest did not come so far".to_owned()),
        };
        let (truth, arguments) = (case.truth(), words(case.line));
        judged.push(JudgedCase { id, truth, place: Place::Vm, arguments, answer });
    }
    Outcome::Ran { judged, skipped }
}

/// The record between the words of the script, and what fathom printed after it.
fn answer(text: &str) -> Result<Answer, String> {
    let (text, report) = text.split_once(REPORT).unwrap_or((text, ""));
    let (Some(from), Some(to)) = (text.find('{'), text.rfind('}')) else {
        return Err("no record on the console".to_owned());
    };
    let record = text.get(from..=to).unwrap_or_default();
    let record = serde_json::from_str(record).map_err(|error| format!("the record: {error}"))?;
    let report = report.trim().replace('\r', "");
    Ok(Answer { report, ..Answer::read(&record, 0.0)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

    #[test]
    fn answers_come_from_the_console() {
        let text = "boot\n@@lab begin nvme-iops\n{\"patterns\": [{\"verdict\": {\"claims\": [{\"limit\": \
                    \"volume_iops\", \"probability\": 0.97}]}}]}\n== report\r\n{97 %}\r\n@@lab pass nvme-iops\n@@lab begin dm-delay\nno dmsetup\n\
                    @@lab skip dm-delay\n@@lab begin null-tags\nbroken\n@@lab fail null-tags\n@@lab end\n";
        let Outcome::Ran { judged, skipped } = read(cases::ALL.to_vec(), text) else { panic!() };
        let of = |id: &str| &judged.iter().find(|judged| judged.id == id).unwrap().answer;
        let first = of("vm/nvme-iops").as_ref().unwrap();
        assert_eq!((first.first().cause.as_str(), first.report.as_str()), ("volume_iops", "{97 %}"));
        assert!(of("vm/null-tags").as_ref().unwrap_err().contains("broken"));
        assert!(of("vm/nvme-rate").as_ref().unwrap_err().contains("did not come so far"));
        assert_eq!(skipped, [("vm/dm-delay".to_owned(), "no dmsetup".to_owned())]);
    }

    #[test]
    fn the_short_lab_and_the_filter_take_their_cases() {
        let ids = |options: &Options| listed(options).len();
        let (all, short) = (typed("").unwrap(), typed("--short").unwrap());
        assert!(ids(&short) >= 3 && ids(&short) < ids(&all));
        let tags = typed("--filter queue_tags").unwrap();
        assert_eq!(listed(&tags), [("vm/null-tags".to_owned(), "queue_tags".to_owned())]);
    }
}
