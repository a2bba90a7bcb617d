//! On what, with what and when a measurement was made.

use std::fs;
use std::path::Path;

use super::program_run::first_line;
use super::task_options::Options;

/// One line each, as `name: value`.
pub fn describe(options: &Options, fathom: &Path, root: &Path) -> Vec<(String, String)> {
    let known = |name: &str, value: Option<String>| {
        let value = value.filter(|value| !value.trim().is_empty());
        (name.to_owned(), value.unwrap_or_else(|| "unknown".to_owned()).trim().to_owned())
    };
    let version = first_line(&fathom.to_string_lossy(), &["--version"]);
    let root = root.to_string_lossy();
    let commit = first_line("git", &["-C", &root, "describe", "--always", "--dirty", "--abbrev=10"]);
    let origin = match (&options.fathom, commit) {
        (None, Some(commit)) => format!("tree {commit}"),
        (None, None) => "of this tree".to_owned(),
        (Some(_), _) => "a program named with --fathom".to_owned(),
    };
    let mut lines = vec![
        known("date", first_line("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
        known("CPU", processor(&read("/proc/cpuinfo"))),
        known("kernel", first_line("uname", &["-sr"])),
        known("virtual machine", Some(hypervisor(&read("/proc/cpuinfo")).to_owned())),
        known("load average at the start", load_average(&read("/proc/loadavg"))),
        known("fathom", version.map(|version| format!("{version}, {origin}"))),
        known("fio", first_line(&options.fio, &["--version"]).or(Some("not found".to_owned()))),
        known("target", Some(target(&options.target))),
    ];
    for (name, program) in [("t/io_uring", &options.t_io_uring), ("bdevperf", &options.bdevperf)] {
        lines.extend(program.is_some().then(|| (name.to_owned(), "compared with".to_owned())));
    }
    lines
}

/// The three averages as they stand now.
pub fn load_now() -> String {
    load_average(&read("/proc/loadavg")).unwrap_or_else(|| "unknown".to_owned())
}

/// Processors that are online.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn processor(cpuinfo: &str) -> Option<String> {
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'))?.1.trim();
    let count = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    Some(format!("{model}, {count} CPUs"))
}

fn hypervisor(cpuinfo: &str) -> &'static str {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    if flags.split_whitespace().any(|flag| flag == "hypervisor") { "yes" } else { "no" }
}

fn load_average(loadavg: &str) -> Option<String> {
    let averages: Vec<&str> = loadavg.split_whitespace().take(3).collect();
    (averages.len() == 3).then(|| averages.join(" "))
}

/// The target, with what the kernel says of its queue when it is a block device.
fn target(name: &str) -> String {
    let Some(device) = name.strip_prefix("/dev/") else { return name.to_owned() };
    let fact = |file: &str| {
        let text = fs::read_to_string(format!("/sys/class/block/{device}/{file}")).ok()?;
        Some(text.trim().to_owned())
    };
    let gib =
        fact("size").and_then(|sectors| sectors.parse::<f64>().ok()).map(|s| s * 512.0 / 2_f64.powi(30));
    let mut text = name.to_owned();
    gib.into_iter().for_each(|gib| text.push_str(&format!(", {gib:.1} GiB")));
    for file in ["queue/scheduler", "queue/nr_requests", "queue/iostats", "queue/nomerges"] {
        if let Some(value) = fact(file) {
            text.push_str(&format!(", {} {value}", file.trim_start_matches("queue/")));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_are_read() {
        let cpuinfo = "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor sse\n\n\
                       processor\t: 1\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor sse\n";
        assert_eq!(processor(cpuinfo).as_deref(), Some("AMD EPYC, 2 CPUs"));
        assert_eq!(hypervisor(cpuinfo), "yes");
        assert_eq!(hypervisor("flags : fpu\n"), "no");
        assert_eq!(load_average("0.37 1.24 2.59 1/123 4567\n").as_deref(), Some("0.37 1.24 2.59"));
        assert_eq!((processor(""), load_average("")), (None, None));
    }
}
