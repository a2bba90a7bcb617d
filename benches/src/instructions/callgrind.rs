//! Instructions by place in the source, from a run under valgrind's callgrind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::instruction_baseline::Cost;
use super::per_operation;

/// Instructions by place: the file that the line was written in, inlined or not, because what is compiled
/// into which function changes with every edit; the function where no file is known.
pub type Profile = BTreeMap<String, u64>;

pub fn is_there() -> bool {
    let told = Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    told.is_ok_and(|status| status.success())
}

/// The program's cases, each with the I/Os to count over.
pub fn cases(program: &Path) -> Result<Vec<(String, u64)>, String> {
    let output = succeed(Command::new(program).arg("--list"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let case = |line: &str| {
        let (name, operations) = line.split_once(' ')?;
        Some((name.to_owned(), operations.parse().ok()?))
    };
    text.lines().map(|line| case(line).ok_or(format!("the list of cases has the line `{line}`"))).collect()
}

/// What an I/O of a case costs. Files in `root` are named from there.
pub fn count(
    program: &Path,
    (case, operations): (&str, u64),
    folder: &Path,
    root: &Path,
) -> Result<Cost, String> {
    let profile = |operations: u64| {
        let place = folder.join(format!("{case}.{operations}"));
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
            .arg(format!("--callgrind-out-file={}", place.display()))
            .arg(program)
            .args([case, &operations.to_string()]);
        succeed(&mut command)?;
        let text = fs::read_to_string(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        read(&text, &root.to_string_lossy())
    };
    Ok(per_operation(&profile(operations)?, &profile(2 * operations)?, operations))
}

fn succeed(command: &mut Command) -> Result<Output, String> {
    let name = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// Reads a profile: <https://valgrind.org/docs/manual/cl-format.html>.
fn read(text: &str, root: &str) -> Result<Profile, String> {
    let mut profile = Profile::new();
    let (mut file, mut function) = ("", "");
    let mut called = false;
    let mut summary = None;
    for line in text.lines() {
        if let Some((name, value)) = line.split_once('=').filter(|(name, _)| name.len() <= 5) {
            match name {
                "fl" | "fi" | "fe" => file = value,
                "fn" => function = value,
                // The line after a call has the cost of the whole call, which the callee's own lines have too.
                "calls" => called = true,
                _ => {}
            }
        } else if let Some(total) = line.strip_prefix("summary:") {
            summary = total.trim().parse::<u64>().ok();
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            let cost = line.split_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
            let cost = cost.ok_or(format!("valgrind's profile has the line `{line}`"))?;
            if !std::mem::take(&mut called) {
                let place = if file == "???" { function } else { short(file, root) };
                *profile.entry(place.to_owned()).or_default() += cost;
            }
        }
    }
    let sum: u64 = profile.values().sum();
    match summary {
        Some(summary) if summary == sum => Ok(profile),
        _ => Err(format!("valgrind's profile adds up to {sum} instructions, and it says {summary:?}")),
    }
}

/// A file's name without what differs from machine to machine.
fn short<'a>(file: &'a str, root: &str) -> &'a str {
    let after = |mark: &str| file.find(mark).map(|at| &file[at + mark.len()..]);
    if let Some(ours) = file.strip_prefix(root) {
        return ours.trim_start_matches('/');
    }
    if let Some(package) = after("/registry/src/") {
        return package.split_once('/').map_or(package, |(_, path)| path);
    }
    if file.starts_with("/rustc/") {
        return after("/library/").unwrap_or(file);
    }
    file.trim_start_matches("./")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = "\
version: 1
positions: line
events: Ir
summary: 1060

ob=/t/program
fl=/w/crates/engine/src/job.rs
fn=turn
10 40
fi=/rustc/59807/library/core/src/num.rs
20 9
fe=/w/crates/engine/src/job.rs
11 1
cob=/lib/libc.so
cfi=/home/a/.cargo/registry/src/index.crates.io-1/rand-0.10.3/src/lib.rs
cfn=sample
calls=3 12
11 1000

fl=/home/a/.cargo/registry/src/index.crates.io-1/rand-0.10.3/src/lib.rs
fn=sample
12 1000
fl=???
fn=<A as B<C = D>>::e
0 10
";

    #[test]
    fn own_instructions_are_added_up_by_place() {
        let profile = read(PROFILE, "/w").unwrap();
        let expected = [
            ("<A as B<C = D>>::e", 10),
            ("core/src/num.rs", 9),
            ("crates/engine/src/job.rs", 41),
            ("rand-0.10.3/src/lib.rs", 1000),
        ];
        assert_eq!(profile, expected.map(|(place, count)| (place.to_owned(), count)).into());
    }

    #[test]
    fn a_profile_that_does_not_add_up_is_none() {
        let error = read(&PROFILE.replace("calls=3 12\n", ""), "/w").unwrap_err();
        assert!(error.contains("2060") && error.contains("1060"), "{error}");
        assert!(read("12 x\n", "/w").unwrap_err().contains("12 x"));
        assert!(read("", "/w").is_err());
    }
}
