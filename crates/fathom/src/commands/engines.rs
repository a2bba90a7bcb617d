//! `fathom engines`: what carries I/O, and which devices can be simulated.

use fathom_measure::Bytes;
use fathom_record::engine_list::{ENGINES, EngineEntry, InFlight};
use fathom_record::facts::TargetKind;
use fathom_report::layout;
use fathom_sim::{describe, describe_keys};
use serde::Serialize;

use crate::arguments::Switch;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;

/// The list for programs.
#[derive(Serialize)]
struct List {
    format: &'static str,
    version: u32,
    engines: Vec<Engine>,
    simulated: Vec<SimulatedDevice>,
    simulated_keys: Vec<Key>,
}

/// One engine.
#[derive(Serialize)]
struct Engine {
    name: &'static str,
    summary: &'static str,
    targets: Vec<TargetKind>,
    keeps_content: bool,
    asynchronous: bool,
}

/// One simulated device.
#[derive(Serialize)]
struct SimulatedDevice {
    target: String,
    summary: &'static str,
    size_bytes: u64,
}

/// One key that changes a simulated device.
#[derive(Serialize)]
struct Key {
    name: &'static str,
    example: &'static str,
    meaning: &'static str,
}

/// Prints the list.
///
/// # Errors
/// When stdout cannot be written.
pub fn perform(switch: Switch) -> Result<Status, Failure> {
    let list = list();
    let text = if switch.json { output::json(&list) } else { text(&list, output::width_of_sentences()) };
    output::result(&text)?;
    Ok(Status::Done)
}

fn list() -> List {
    let engine = |entry: &EngineEntry| Engine {
        name: entry.name,
        summary: entry.summary,
        targets: entry.targets.to_vec(),
        keeps_content: entry.keeps_content,
        asynchronous: entry.in_flight == InFlight::Depth,
    };
    let simulated = |preset: &fathom_sim::Preset| SimulatedDevice {
        target: format!("sim:{}", preset.name),
        summary: preset.summary,
        size_bytes: preset.size_bytes,
    };
    let key = |key: &fathom_sim::Key| Key { name: key.name, example: key.example, meaning: key.meaning };
    List {
        format: "fathom.engines",
        version: 1,
        engines: ENGINES.iter().map(engine).collect(),
        simulated: describe().iter().map(simulated).collect(),
        simulated_keys: describe_keys().iter().map(key).collect(),
    }
}

fn target_words(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::File => "files",
        TargetKind::BlockDevice => "block devices",
        TargetKind::NvmeNamespace => "NVMe namespaces (/dev/ng0n1)",
        TargetKind::FabricNamespace => "nvme+tcp://HOST/NQN",
        TargetKind::Simulated => "sim:NAME",
        TargetKind::Memory => "memory:",
        TargetKind::Null => "null:",
        TargetKind::Unknown => "targets of other tools",
    }
}

fn text(list: &List, width: usize) -> String {
    let mut lines =
        vec!["Engines (--engine NAME; the first that carries the target is the default)".to_owned()];
    let names = 4 + list.engines.iter().map(|engine| engine.name.len()).max().unwrap_or(0);
    for engine in &list.engines {
        let targets: Vec<&str> = engine.targets.iter().map(|kind| target_words(*kind)).collect();
        let text = format!("{} (for {})", engine.summary, targets.join(", "));
        lines.extend(layout::named(&format!("  {}", engine.name), names, &text, width));
    }
    lines.push(String::new());
    lines.push("Simulated devices (--target sim:NAME)".to_owned());
    for device in &list.simulated {
        let size = Bytes(device.size_bytes).to_string();
        let name = format!("  {:<22}{size}", device.target);
        lines.extend(layout::named(&name, 35, device.summary, width));
    }
    lines.push(String::new());
    lines.push("What changes them (--target sim:NAME,KEY=VALUE,...)".to_owned());
    for key in &list.simulated_keys {
        let name = format!("  {}={}", key.name, key.example);
        lines.extend(layout::named(&name, 36, key.meaning, width));
    }
    lines.join("\n") + "\n"
}
