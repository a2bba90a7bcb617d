//! A collected job file made short and safe, as text: both tools get the same.

use std::collections::BTreeMap;

/// Nothing is larger than this, in bytes, and nothing takes longer than a second.
const MOST_BYTES: u64 = 32 << 20;
const MOST_JOBS: u64 = 4;
const MOST_LOOPS: u64 = 2;
/// Devices that the lab has.
const DEVICES: usize = 4;

const SIZES: [&str; 6] = ["size", "filesize", "io_size", "io_limit", "offset_increment", "offset"];
const TIMES: [&str; 5] = ["runtime", "timeout", "ramp_time", "startdelay", "ss_dur"];
/// Options whose value is a path.
const PATHS: [&str; 9] = [
    "directory",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "write_iolog",
    "read_iolog",
    "replay_redirect",
    "filename_format",
];
/// What runs commands, changes the system, or reaches beyond the folder: such files are left out.
const REFUSED: [&str; 13] = [
    "exec_prerun",
    "exec_postrun",
    "opendir",
    "cgroup",
    "ioscheduler",
    "uid",
    "gid",
    "include",
    "hostname",
    "lockmem",
    "fill_device",
    "fill_fs",
    "clientname",
];
const ENGINES: [&str; 10] =
    ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap", "null"];

/// The short text.
///
/// # Errors
/// Why the file is left out.
pub fn shorten(text: &str) -> Result<String, String> {
    let mut devices: BTreeMap<String, usize> = BTreeMap::new();
    let mut short = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        let shown = match trimmed.split_once('=') {
            _ if trimmed.starts_with(['#', ';', '[']) => trimmed.to_owned(),
            Some((name, value)) => {
                let (name, value) = (name.trim(), value.trim());
                format!("{name}={}", shortened(name, value, &mut devices)?)
            }
            None if REFUSED.iter().any(|option| trimmed.split_whitespace().next() == Some(option)) => {
                return Err(format!("`{trimmed}`"));
            }
            None => trimmed.to_owned(),
        };
        short.push_str(&shown);
        short.push('\n');
    }
    Ok(short)
}

fn shortened(name: &str, value: &str, devices: &mut BTreeMap<String, usize>) -> Result<String, String> {
    if REFUSED.contains(&name) {
        return Err(format!("`{name}={value}`"));
    }
    let engine = value.split_once(':').map_or(value, |(engine, _)| engine);
    if name == "ioengine" && !value.starts_with("${") && !ENGINES.contains(&engine) {
        return Err(format!("`{name}={value}`"));
    }
    // A file or a device may stand behind the kind of memory.
    if ["mem", "iomem"].contains(&name) && !["malloc", "mmap", "shm"].contains(&value) {
        return Err(format!("`{name}={value}`"));
    }
    if SIZES.contains(&name) {
        // Behind an offset there has to be room on the lab's devices.
        let most = if name == "offset" { MOST_BYTES / 2 } else { MOST_BYTES };
        let short = |part| at_most_bytes(part, most);
        return Ok(value.split(':').map(short).collect::<Vec<_>>().join(":"));
    }
    if TIMES.contains(&name) {
        let is_none = value.trim_end_matches(|c: char| c.is_alphabetic()) == "0";
        return Ok(if is_none { value } else { "1" }.to_owned());
    }
    let number =
        |most: u64| value.parse::<u64>().map_or_else(|_| value.to_owned(), |n| n.min(most).to_string());
    match name {
        "numjobs" => Ok(number(MOST_JOBS)),
        "loops" => Ok(number(MOST_LOOPS)),
        "filename" => {
            let names: Result<Vec<String>, String> =
                value.split(':').map(|part| placed(part, devices)).collect();
            Ok(names?.join(":"))
        }
        _ if PATHS.contains(&name) => Ok(flat(value)),
        _ => Ok(value.to_owned()),
    }
}

/// A size in fio's spelling, or the most that is wanted; percentages and variables stay.
fn at_most_bytes(value: &str, most: u64) -> String {
    let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
    let unit = value.get(digits.len()..).unwrap_or_default().trim().to_lowercase();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        "p" => 50,
        _ => return value.to_owned(),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    match bytes {
        _ if digits.is_empty() => value.to_owned(),
        Some(bytes) if bytes <= most => value.to_owned(),
        _ => format!("{}m", most >> 20),
    }
}

/// A device of the lab for a device, and a name in the folder for all else.
fn placed(name: &str, devices: &mut BTreeMap<String, usize>) -> Result<String, String> {
    if !name.starts_with("/dev/") || name.starts_with("/dev/shm/") {
        return Ok(flat(name));
    }
    let next = devices.len();
    let number = *devices.entry(name.to_owned()).or_insert(next);
    if number >= DEVICES { Err("more than four devices".to_owned()) } else { Ok(format!("{{DEV{number}}}")) }
}

/// The path without any folder, which is then a name in the lab's.
fn flat(path: &str) -> String {
    let names: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != "." && *part != "..").collect();
    if names.is_empty() { ".".to_owned() } else { names.join("_") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sizes_jobs_and_paths_are_short() {
        let text = "[global]\n runtime = 30m\nsize=10G\nnumjobs=64\nfilename=/dev/sdb:/dev/sdc:/dev/sdb\n#size=1g\n\
                    directory=/mnt/a/\nbssplit=4k/70:64k/30\nsize=50%\nramp_time=0s\ntime_based\n[job /x]\n";
        let expected = "[global]\nruntime=1\nsize=32m\nnumjobs=4\nfilename={DEV0}:{DEV1}:{DEV0}\n#size=1g\n\
                        directory=mnt_a\nbssplit=4k/70:64k/30\nsize=50%\nramp_time=0s\ntime_based\n[job /x]\n";
        assert_eq!(shorten(text).unwrap(), expected);
    }

    #[test]
    fn there_is_room_behind_an_offset() {
        assert_eq!(shorten("size=4k\noffset=120g").unwrap(), "size=4k\noffset=16m\n");
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        assert_eq!(shorten("filename=../../etc/x").unwrap(), "filename=etc_x\n");
        assert_eq!(shorten("write_bw_log=/var/log/x").unwrap(), "write_bw_log=var_log_x\n");
        for line in [
            "exec_prerun=rm -rf x",
            "ioengine=rados",
            "filename=/dev/a:/dev/b:/dev/c:/dev/d:/dev/e",
            "include x",
        ] {
            assert!(shorten(line).is_err(), "{line}");
        }
    }
}
