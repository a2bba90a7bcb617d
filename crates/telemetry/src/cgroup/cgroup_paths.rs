//! Where the control groups of this process are, in both versions.

use std::path::{Path, PathBuf};

use crate::Root;
use crate::environment::{Mount, parse_mounts};

/// The mounts of control groups, and the groups that this process is in.
pub(crate) struct Place {
    mounts: Vec<Mount>,
    own: String,
}

impl Place {
    /// As the kernel tells it now.
    pub fn read(root: &Root) -> Self {
        Self {
            mounts: parse_mounts(&root.text("/proc/self/mountinfo").unwrap_or_default()),
            own: root.text("/proc/self/cgroup").unwrap_or_default(),
        }
    }

    /// Folders of version 2: the group's own first, then those above it. A limit in any of them binds.
    pub fn unified(&self) -> Vec<PathBuf> {
        self.folders(|mount| mount.kind == "cgroup2", str::is_empty)
    }

    /// Folders of a controller of version 1, as `blkio`.
    pub fn of_controller(&self, name: &str) -> Vec<PathBuf> {
        let has = |list: &str| list.split(',').any(|word| word == name);
        self.folders(|mount| mount.kind == "cgroup" && has(&mount.super_options), has)
    }

    fn folders(
        &self,
        hierarchy: impl Fn(&Mount) -> bool,
        controllers: impl Fn(&str) -> bool,
    ) -> Vec<PathBuf> {
        let group = self.own.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (list, path) = rest.split_once(':')?;
            controllers(list).then_some(path)
        });
        let (Some(group), Some(mount)) = (group, self.mounts.iter().find(|mount| hierarchy(mount))) else {
            return Vec::new();
        };
        // In a container the mount shows a part of the hierarchy, and the group's path starts above it.
        let below = Path::new(group).strip_prefix(&mount.root).unwrap_or_else(|_| Path::new(""));
        let folder = mount.point.join(below.strip_prefix("/").unwrap_or(below));
        folder
            .ancestors()
            .take_while(|place| place.starts_with(&mount.point))
            .map(Path::to_path_buf)
            .collect()
    }
}
