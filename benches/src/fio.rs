//! fio as a peer: its command line for a load, and its JSON.

use serde_json::Value;

use super::measured_load::{Cpu, Interface, Load, ToolMeasurement};
use super::program_run::ProgramEnd;

/// The span that a run without a device covers, as fathom's null target has it.
const NULL_SPAN: &str = "--size=4g";

/// The command line; all that is not named is fio's default, its latency statistics above all.
pub fn command(program: &str, load: &Load) -> Vec<String> {
    let mut command: Vec<String> =
        [program, "--name=bench", "--rw=randread", "--bs=4k", "--time_based", "--output-format=json"]
            .map(str::to_owned)
            .to_vec();
    command.extend([format!("--runtime={}", load.seconds), format!("--iodepth={}", load.depth)]);
    let more: &[&str] = match load.interface {
        Interface::Uring => &["--ioengine=io_uring", "--registerfiles", "--fixedbufs"],
        Interface::Aio => &["--ioengine=libaio"],
        Interface::Blocking => &["--ioengine=psync"],
        Interface::Null | Interface::Memory => &["--ioengine=null", NULL_SPAN],
    };
    command.extend(more.iter().map(|&flag| flag.to_owned()));
    if matches!(load.interface, Interface::Uring | Interface::Aio | Interface::Blocking) {
        command.extend(["--direct=1", "--readonly"].map(str::to_owned));
        command.push(format!("--filename={}", load.target));
        if load.depth == 1 {
            // The percentiles of the whole latency, from before the submission on, in place of those of the
            // completion alone: what fathom calls service latency.
            command.extend(["--lat_percentiles=1", "--clat_percentiles=0"].map(str::to_owned));
        }
    }
    command
}

/// Reads the result of one job that only reads.
///
/// # Errors
/// Names what is missing, or fio's own error.
pub fn read(ended: &ProgramEnd) -> Result<ToolMeasurement, String> {
    // Warnings come before the document, on the same stream.
    let text = ended.stdout.find('{').map_or("", |at| &ended.stdout[at..]);
    let document: Value = serde_json::from_str(text).map_err(|error| {
        format!("fio's output is not JSON ({error}): {}{}", ended.stdout.trim(), ended.stderr.trim())
    })?;
    let job = document["jobs"].get(0).ok_or("fio's JSON has no job")?;
    if let Some(error) = job["error"].as_i64().filter(|&error| error != 0) {
        return Err(format!("fio ended with error {error}: {}", ended.stderr.trim()));
    }
    let number = |value: &Value, name: &str| {
        value[name].as_f64().ok_or_else(|| format!("fio's JSON has no `{name}` where it is expected"))
    };
    let read = &job["read"];
    let operations = number(read, "total_ios")?;
    if operations == 0.0 {
        return Err("fio read nothing".to_owned());
    }
    // Shares of the job's run time, in percent.
    let run_ns = number(job, "job_runtime")? * 1e6;
    let cpu_ns = |name: &str| number(job, name).map(|percent| percent / 100.0 * run_ns);
    Ok(ToolMeasurement {
        rate_per_s: number(read, "iops")?,
        operations,
        median_latency_ns: read["lat_ns"]["percentile"]["50.000000"].as_f64(),
        own: Some(Cpu::per_operation(cpu_ns("usr_cpu")?, cpu_ns("sys_cpu")?, operations)),
        process: Cpu::of_process(ended.usage, operations),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::program_run::Usage;

    /// What fio 3.33 printed for `--lat_percentiles=1 --clat_percentiles=0`, shortened to the keys around
    /// those that are read.
    const RESULT: &str = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
{
  "fio version" : "fio-3.33",
  "jobs" : [ {
      "jobname" : "bench", "error" : 0,
      "read" : {
        "iops" : 180243.378311, "runtime" : 2001, "total_ios" : 360667,
        "clat_ns" : { "min" : 25398, "mean" : 176524.9 },
        "lat_ns" : { "mean" : 177306.4, "percentile" : { "1.000000" : 30336, "50.000000" : 68096 } }
      },
      "write" : { "iops" : 0.0, "total_ios" : 0 },
      "job_runtime" : 2000, "usr_cpu" : 4.1, "sys_cpu" : 15.65
  } ]
}"#;

    fn ended(stdout: &str) -> ProgramEnd {
        ProgramEnd {
            stdout: stdout.to_owned(),
            stderr: String::new(),
            wall: Duration::from_secs(2),
            usage: Usage { user_ns: 360_667_000, system_ns: 721_334_000, peak_rss_bytes: 1 },
        }
    }

    #[test]
    fn the_result_is_read_behind_a_warning() {
        let measured = read(&ended(RESULT)).unwrap();
        assert_eq!(measured.rate_per_s, 180_243.378_311);
        assert_eq!(measured.median_latency_ns, Some(68_096.0));
        let own = measured.own.unwrap();
        // 4.1 % and 15.65 % of 2 s over 360667 reads.
        assert!((own.user_ns - 227.36).abs() < 0.01 && (own.system_ns - 867.84).abs() < 0.01, "{own:?}");
        assert_eq!(measured.process, Cpu { user_ns: 1000.0, system_ns: 2000.0 });
    }

    #[test]
    fn a_run_that_failed_is_no_result() {
        for (from, to, word) in [
            ("\"error\" : 0", "\"error\" : 5", "error 5"),
            ("\"total_ios\" : 360667", "\"total_ios\" : 0", "nothing"),
            ("\"usr_cpu\"", "\"other\"", "usr_cpu"),
            ("\"jobs\"", "\"jobless\"", "no job"),
            ("{", "fio: failed", "not JSON"),
        ] {
            let error = read(&ended(&RESULT.replace(from, to))).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
        assert!(read(&ended("")).unwrap_err().contains("not JSON"));
    }

    #[test]
    fn a_device_is_only_ever_read() {
        let load = Load { interface: Interface::Uring, target: "/dev/x".to_owned(), depth: 32, seconds: 5 };
        let line = command("fio", &load).join(" ");
        for flag in ["--readonly", "--rw=randread", "--registerfiles", "--fixedbufs", "--iodepth=32"] {
            assert!(line.contains(flag), "{line}");
        }
        assert!(!line.contains("lat_percentiles"));
        let aio = command("fio", &Load { interface: Interface::Aio, ..load.clone() }).join(" ");
        assert!(aio.contains("--ioengine=libaio") && aio.contains("--readonly"), "{aio}");
        let null = command("fio", &Load { interface: Interface::Null, depth: 1, ..load }).join(" ");
        assert!(null.contains("--ioengine=null") && !null.contains("/dev/x"), "{null}");
    }
}
