//! Files are made, replaced and renamed through few doors: whatever else writes one could write it over
//! somebody's data, or onto a disk.

use crate::finding::Finding;
use crate::source_scan::{functions, line_of};
use crate::tree::Tree;

/// What opens a file for writing, makes one, or gives one another's name.
const CALLS: [&str; 14] = [
    "fs::write",
    "fs::rename",
    "fs::copy",
    "fs::hard_link",
    "fs::soft_link",
    "fs::symlink",
    "openat",
    "File::create",
    "File::create_new",
    "File::options",
    "OpenOptions::new",
    "tempfile::tempfile",
    "tempfile::tempfile_in",
    "NamedTempFile",
];

/// Files that may, each with the reason why what it opens is its own or was admitted.
const DOORS: [(&str, &str); 22] = [
    (
        "crates/fathom/src/commands/doctor/self_test/self_test_steps.rs",
        "holds its own scratch file open for writing while another tries to, and writes nothing",
    ),
    ("crates/fathom/src/output_file/mod.rs", "writes every file of results, after looking at what is there"),
    (
        "crates/fathom/src/commands/size/fleet/volume_partition/scratch_file.rs",
        "a file without a name, gone with its process",
    ),
    ("crates/store/src/create.rs", "makes a store under a name that was free, and never replaces one"),
    ("crates/store/src/private_files/unix.rs", "makes private files for the store, and its locks"),
    ("crates/store/src/private_files/windows.rs", "makes private files for the store, and its locks"),
    ("crates/campaign/src/external/tool_folder.rs", "new files in a new folder for what another tool prints"),
    (
        "crates/campaign/src/live_seconds/ring_folder/linux.rs",
        "makes rings of live seconds under names that were free, in a folder of the user's own that is memory",
    ),
    (
        "crates/campaign/src/external/command_targets.rs",
        "makes files for another tool under names that were free",
    ),
    ("crates/target/src/linux/path_opening.rs", "opens targets that the guard admitted"),
    ("crates/target/src/linux/character_device.rs", "opens targets that the guard admitted"),
    ("crates/target/src/linux/inspect.rs", "opens targets to look at them, for reading"),
    ("crates/target/src/linux/scratch.rs", "makes scratch files under names that were free"),
    (
        "crates/target/src/windows/drives.rs",
        "opens drives to ask them what they are, without a right to read or to write",
    ),
    (
        "crates/target/src/windows/drivers.rs",
        "opens drives by the system's list, without a right to read or to write",
    ),
    ("crates/target/src/windows/folder.rs", "makes scratch files under names that were free"),
    ("crates/target/src/windows/open.rs", "opens targets to look at them, for their attributes alone"),
    (
        "crates/target/src/windows/raw.rs",
        "opens drives and volumes, for writing those that the guard admitted",
    ),
    (
        "crates/target/src/windows/volumes.rs",
        "opens volumes to ask where they lie, without a right to read or to write",
    ),
    (
        "crates/telemetry/src/disk/reading_windows.rs",
        "opens drives to ask what they count, without a right to read or to write",
    ),
    ("crates/engine/src/metadata/names.rs", "makes files in a folder of the engine's own"),
    ("crates/telemetry/src/blocktrace/linux/tracefs.rs", "switches a trace of its own, in tracefs"),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let shipped = |path: &str| path.starts_with("crates/") && path.contains("/src/");
    for file in tree.rust().filter(|file| !file.test && shipped(&file.path)) {
        if DOORS.iter().any(|(door, _)| *door == file.path) {
            continue;
        }
        let code = &file.scan.code;
        let tests: Vec<_> = functions(code).into_iter().filter(|function| function.test).collect();
        for call in CALLS {
            for (at, _) in code.match_indices(call).filter(|(at, _)| stands_alone(code, *at, call)) {
                let line = line_of(code, at);
                if !tests.iter().any(|test| (test.first_line..=test.last_line).contains(&line)) {
                    let message = format!(
                        "`{call}` makes or replaces a file: write results through `output_file`, or give the file \
                         and its reason in xtask/src/rules/file_creation.rs"
                    );
                    findings.push(Finding::new(&file.path, line, message));
                }
            }
        }
    }
    findings
}

/// Whether it is not a part of a longer name.
fn stands_alone(code: &str, at: usize, call: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    !code[..at].ends_with(letter) && !code[at + call.len()..].starts_with(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_door_is_found_outside_of_tests() {
        let writes = "fn a() {\n    std::fs::write(p, b)?;\n    let f = File::options().write(true);\n    fs::rename(a, b)\n}\n";
        let reads = "fn a() { let f = File::open(p); let t = fs::read_to_string(p); fs::create_dir(d); tracefs::write(x) }\n";
        let tests = format!("#[cfg(test)]\nmod tests {{\n    #[test]\n    {writes}}}\n");
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", writes),
            ("crates/a/src/b.rs", reads),
            ("crates/a/src/c.rs", &tests),
            ("crates/a/tests/d.rs", writes),
            ("xtask/src/e.rs", writes),
            (DOORS[0].0, writes),
        ]);
        let found: Vec<_> = check(&tree).into_iter().map(|f| (f.path, f.line)).collect();
        let at = |line| ("crates/a/src/lib.rs".to_owned(), line);
        assert_eq!(found, [at(2), at(4), at(3)]);
    }

    #[test]
    fn every_door_leads_somewhere() {
        for (door, reason) in DOORS {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(door);
            assert!(path.is_file() && !reason.is_empty(), "{door}");
        }
    }
}
