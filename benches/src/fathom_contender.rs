//! fathom's own side: its command lines, and what is read from its run record.

use std::path::Path;

use serde_json::Value;

use super::measured_load::{Cpu, Interface, Load, ToolMeasurement};
use super::program_run::ProgramEnd;

/// `fathom run` of a load, with `more` flags.
pub fn command(program: &Path, load: &Load, more: &[&str]) -> Vec<String> {
    let target = match load.interface {
        Interface::Uring | Interface::Aio | Interface::Blocking => load.target.as_str(),
        Interface::Null => "null:",
        Interface::Memory => "memory:",
    };
    let time = format!("--time={}s", load.seconds);
    let depth = format!("--depth={}", load.depth);
    let mut flags = vec!["--rw=randread", "--bs=4k", depth.as_str(), time.as_str(), "--warmup=0s"];
    match load.interface {
        Interface::Uring => flags.push("--engine=uring"),
        Interface::Aio => flags.push("--engine=aio"),
        Interface::Blocking => flags.push("--engine=sync"),
        Interface::Null | Interface::Memory => {}
    }
    flags.extend(more);
    run(program, target, &flags)
}

/// `fathom run` on a target with these flags: its record on stdout, kept in a store of its own.
pub fn run(program: &Path, target: &str, flags: &[&str]) -> Vec<String> {
    let mut command = vec![program.to_string_lossy().into_owned(), "run".to_owned()];
    // Each build has a store of its own: an earlier one cannot save into that of a later one, and would be spared it.
    let store = program.to_string_lossy().replace('/', "-");
    command.extend(["--target", target, "--quiet", "--json"].map(str::to_owned));
    command.push(format!("--store=runs{store}.sqlite"));
    command.extend(flags.iter().map(|&flag| flag.to_owned()));
    command
}

/// The record that a run printed. A self-check that failed is not an error: the numbers are there, and it
/// is the caller who judges them.
///
/// # Errors
/// Where there is no record, or the run did not come to its end.
pub fn record(ended: &ProgramEnd) -> Result<Value, String> {
    let record: Value = serde_json::from_str(&ended.stdout)
        .map_err(|error| format!("fathom printed no record ({error}): {}", ended.stderr.trim()))?;
    if record["ending"]["reason"] != "complete" {
        let said = record["error"]["message"].as_str().or(record["ending"]["error"].as_str());
        return Err(format!("fathom's run did not end well: {}", said.unwrap_or(ended.stderr.trim())));
    }
    Ok(record)
}

/// Reads a closed-loop run that only reads.
///
/// # Errors
/// As `record`, or names what is missing.
pub fn read(ended: &ProgramEnd) -> Result<ToolMeasurement, String> {
    let record = record(ended)?;
    let summary = &record["summary"];
    let direction = &summary["directions"][0];
    let operations = number(direction, "operations")?;
    if operations == 0.0 {
        return Err("fathom read nothing".to_owned());
    }
    Ok(ToolMeasurement {
        rate_per_s: number(direction, "operations_per_s")?,
        operations,
        median_latency_ns: quantile(&direction["service"], 0.5),
        own: Some(Cpu::per_operation(
            number(summary, "cpu_user_ns")?,
            number(summary, "cpu_system_ns")?,
            operations,
        )),
        process: Cpu::of_process(ended.usage, operations),
    })
}

/// A number of the record.
pub fn number(value: &Value, name: &str) -> Result<f64, String> {
    value[name].as_f64().ok_or_else(|| format!("fathom's record has no `{name}` where it is expected"))
}

/// A listed quantile of a latency summary, in nanoseconds.
pub fn quantile(summary: &Value, q: f64) -> Option<f64> {
    let listed = summary["quantiles"].as_array()?;
    listed.iter().find(|entry| entry["q"].as_f64() == Some(q))?["value_ns"].as_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::program_run::Usage;

    fn ended(stdout: &str) -> ProgramEnd {
        let usage = Usage { user_ns: 4000, system_ns: 8000, peak_rss_bytes: 1 };
        ProgramEnd { stdout: stdout.to_owned(), stderr: "said why".to_owned(), wall: Duration::ZERO, usage }
    }

    fn record_text(reason: &str) -> String {
        serde_json::json!({
            "ending": { "reason": reason, "error": "the disk went away" },
            "summary": {
                "cpu_user_ns": 1000, "cpu_system_ns": 3000,
                "directions": [{
                    "operations": 4, "operations_per_s": 2.0,
                    "service": { "quantiles": [{ "q": 0.5, "value_ns": 81 }, { "q": 0.99, "value_ns": 99 }] },
                }],
            },
        })
        .to_string()
    }

    #[test]
    fn a_record_is_read_even_where_a_check_failed() {
        let measured = read(&ended(&record_text("complete"))).unwrap();
        let expected = ToolMeasurement {
            rate_per_s: 2.0,
            operations: 4.0,
            median_latency_ns: Some(81.0),
            own: Some(Cpu { user_ns: 250.0, system_ns: 750.0 }),
            process: Cpu { user_ns: 1000.0, system_ns: 2000.0 },
        };
        assert_eq!(measured, expected);
    }

    #[test]
    fn a_run_without_numbers_says_why() {
        assert!(read(&ended(&record_text("failed"))).unwrap_err().contains("the disk went away"));
        assert!(read(&ended("")).unwrap_err().contains("said why"));
        let without = record_text("complete").replace("cpu_user_ns", "other");
        assert!(read(&ended(&without)).unwrap_err().contains("cpu_user_ns"));
    }

    #[test]
    fn each_interface_has_its_target_and_engine() {
        let line = |interface| {
            let load = Load { interface, target: "/dev/x".to_owned(), depth: 1, seconds: 5 };
            command(Path::new("fathom"), &load, &["--jobs=2"]).join(" ")
        };
        assert!(
            line(Interface::Uring).contains("/dev/x") && line(Interface::Uring).contains("--engine=uring")
        );
        assert!(line(Interface::Blocking).contains("--engine=sync"));
        assert!(line(Interface::Aio).contains("/dev/x") && line(Interface::Aio).contains("--engine=aio"));
        assert!(
            line(Interface::Null).contains("--target null:") && !line(Interface::Null).contains("--engine")
        );
        assert!(line(Interface::Memory).ends_with("--jobs=2"));
    }
}
