//! SPDK's bdevperf as a peer, on its AIO block device.

use std::path::Path;

use serde_json::json;

use super::measured_load::{Cpu, Load, ToolMeasurement};
use super::program_run::ProgramEnd;

/// File name of its configuration, in the folder that it runs in.
pub const CONFIGURATION: &str = "bdevperf.json";

/// Writes the configuration: the target as one AIO block device that may only be read.
pub fn configure(folder: &Path, target: &str) -> Result<(), String> {
    let device =
        json!({ "name": "target", "filename": target, "block_size": super::BLOCK_BYTES, "readonly": true });
    let call = json!({ "method": "bdev_aio_create", "params": device });
    let text = json!({ "subsystems": [{ "subsystem": "bdev", "config": [call] }] }).to_string();
    std::fs::write(folder.join(CONFIGURATION), text).map_err(|error| format!("{CONFIGURATION}: {error}"))
}

/// On one core, without huge pages: nothing on the machine is changed for it.
pub fn command(program: &str, load: &Load, cpu: usize) -> Vec<String> {
    let mut command: Vec<String> =
        [program, "-c", CONFIGURATION, "--no-huge", "-s", "1024", "-w", "randread"]
            .map(str::to_owned)
            .to_vec();
    command.extend([format!("-m[{cpu}]"), format!("-q{}", load.depth)]);
    command.extend([format!("-o{}", super::BLOCK_BYTES), format!("-t{}", load.seconds)]);
    command
}

/// Reads the `Total` of its table; the progress lines before it overwrite each other.
///
/// # Errors
/// Where it printed no table.
pub fn read(ended: &ProgramEnd, load: &Load) -> Result<ToolMeasurement, String> {
    let total = || {
        let line = ended.stdout.lines().rev().find(|line| line.trim_start().starts_with("Total"))?;
        line.split_once(':')?.1.split_whitespace().next()?.parse::<f64>().ok()
    };
    let rate_per_s = total().filter(|&rate| rate > 0.0).ok_or_else(|| {
        let said = ended.stderr.lines().last().or(ended.stdout.lines().last()).unwrap_or("nothing");
        format!("bdevperf printed no table of results; it said last: {said}")
    })?;
    let operations = rate_per_s * load.seconds as f64;
    let process = Cpu::of_process(ended.usage, operations);
    Ok(ToolMeasurement { rate_per_s, operations, median_latency_ns: None, own: None, process })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::measured_load::Interface;
    use crate::program_run::Usage;

    #[test]
    fn the_total_of_the_table_is_read() {
        let stdout = "Running I/O for 5 seconds...\n     3848.74 IOPS,    15.03 MiB/s\n\
             Device Information : runtime(s) IOPS MiB/s Fail/s TO/s Average min max\n\
             Job: target (Core Mask 0x2, workload: randread, depth: 32, IO size: 4096)\n\
             \ttarget : 5.00 3856.66 15.06 0.00 0.00 259.15 209.19 1006632.96\n\
             ====\n\tTotal : 3856.50 15.06 0.00 0.00 259.15 209.19 1006632.96\n";
        let usage = Usage::default();
        let mut ended =
            ProgramEnd { stdout: stdout.to_owned(), stderr: String::new(), wall: Duration::ZERO, usage };
        let load = Load { interface: Interface::Uring, target: String::new(), depth: 32, seconds: 5 };
        assert_eq!(read(&ended, &load).unwrap().rate_per_s, 3856.5);

        ended.stdout = "Running I/O for 5 seconds...\n".to_owned();
        ended.stderr = "cannot open the device".to_owned();
        assert!(read(&ended, &load).unwrap_err().contains("cannot open the device"));
    }
}
