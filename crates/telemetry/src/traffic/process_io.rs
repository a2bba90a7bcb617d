//! Storage I/O of the other processes, from `/proc/PID/io`.

use std::collections::HashMap;

use fathom_order::InOrder;

use crate::Root;

/// A machine with more processes is looked at in part, so that a look never holds a run up: each takes some
/// microseconds.
const MOST_PROCESSES: usize = 512;

/// A process that was there at both moments, or began between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its number.
    pub process: u32,
    /// Its name, as `postgres`.
    pub name: String,
    /// Bytes that it read from storage and wrote to it meanwhile.
    pub bytes: u64,
}

/// Bytes by process at one moment.
#[derive(Debug)]
pub(super) struct Programs {
    bytes: HashMap<u32, u64>,
    /// Whether all were looked at: one that comes later is new then.
    whole: bool,
}

impl Programs {
    pub fn read(root: &Root) -> Self {
        let own = std::process::id();
        let processes: Vec<u32> =
            root.names("/proc").iter().filter_map(|name| name.parse().ok()).filter(|id| *id != own).collect();
        // What may not be looked at, as another user's process, is left out.
        let moved = |process: &u32| {
            let bytes = storage_bytes(&root.text(format!("/proc/{process}/io"))?)?;
            Some((*process, bytes))
        };
        let bytes = processes.iter().take(MOST_PROCESSES).filter_map(moved).collect();
        Self { bytes, whole: processes.len() <= MOST_PROCESSES }
    }

    /// The process whose bytes grew most since this reading. One that has one of the devices open comes before
    /// others that moved up to ten times as much, on whatever storage.
    pub fn busiest(&self, root: &Root, devices: &[&str]) -> Option<Program> {
        let now = Self::read(root);
        let grown = now.bytes.iter().filter_map(|(process, bytes)| {
            let before = match self.bytes.get(process) {
                Some(before) => *before,
                None if self.whole => 0,
                None => return None,
            };
            bytes.checked_sub(before).map(|bytes| (bytes, *process))
        });
        let mut grown: Vec<(u64, u32)> = grown.filter(|(bytes, _)| *bytes > 0).collect();
        grown.put_in_order_by(|a, b| b.cmp(a));
        // The kernel's own threads work for others, and have no command line.
        let is_program = |process: u32| root.text(format!("/proc/{process}/cmdline")).is_some();
        grown.retain(|(_, process)| is_program(*process));
        let most = *grown.first()?;
        let near = grown.into_iter().take_while(|(bytes, _)| *bytes >= most.0 / 10);
        let (bytes, process) =
            near.into_iter().find(|(_, process)| has_open(root, *process, devices)).unwrap_or(most);
        let name = root.text(format!("/proc/{process}/comm"))?;
        Some(Program { process, name, bytes })
    }
}

/// Whether a process has one of the devices of these kernel names open.
fn has_open(root: &Root, process: u32, devices: &[&str]) -> bool {
    let folder = format!("/proc/{process}/fd");
    root.names(&folder).iter().any(|fd| {
        let open = std::fs::read_link(root.path(format!("{folder}/{fd}")));
        open.is_ok_and(|path| {
            path.strip_prefix("/dev")
                .is_ok_and(|name| devices.iter().any(|device| name.as_os_str() == *device))
        })
    })
}

/// What a process read from storage and caused to be written there.
fn storage_bytes(text: &str) -> Option<u64> {
    let field = |key: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
    };
    field("read_bytes:")?.checked_add(field("write_bytes:")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_reached_storage_counts() {
        let text =
            "rchar: 900\nwchar: 900\nsyscr: 1\nread_bytes: 4096\nwrite_bytes: 512\ncancelled_write_bytes: 8";
        assert_eq!(storage_bytes(text), Some(4608));
        assert_eq!(storage_bytes("read_bytes: x\nwrite_bytes: 1"), None);
        assert_eq!(storage_bytes("rchar: 1"), None);
    }
}
