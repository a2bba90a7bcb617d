//! Flags of single I/Os: what they are called, and what an engine's facts say of them.

use crate::Fault;
use crate::facts::EngineFeature;

/// Flags that every read and write of a run carries. None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoFlags {
    /// `RWF_HIPRI`: poll for the completion, where kernel and device do.
    pub hipri: bool,
    /// `RWF_DSYNC`, on writes: data and what is needed to find it are durable when the write ends.
    pub dsync: bool,
    /// `RWF_SYNC`, on writes: as `dsync`, with all metadata.
    pub sync: bool,
    /// `RWF_NOWAIT`: fail with `EAGAIN` instead of waiting for memory, a lock or the device's queue.
    pub nowait: bool,
    /// `RWF_DONTCACHE`: go through the page cache and leave nothing in it; since Linux 6.14.
    pub dontcache: bool,
    /// `RWF_ATOMIC`, on direct writes: after a loss of power all of a write is there or nothing; since Linux 6.11.
    pub atomic: bool,
}

/// Since this kernel synchronous calls do not poll whatever their flags say (Linux commit 9650b453a3d4,
/// "block: ignore RWF_HIPRI hint for sync dio").
const HIPRI_IGNORED_SINCE: &str = "5.19";

/// What a flag is called by people and in records.
const NAMES: [(&str, &str); 6] = [
    ("hipri", "rwf_hipri"),
    ("dsync", "rwf_dsync"),
    ("sync", "rwf_sync"),
    ("nowait", "rwf_nowait"),
    ("dontcache", "rwf_dontcache"),
    ("atomic", "rwf_atomic"),
];

impl IoFlags {
    /// Names separated by commas, as `nowait,dsync`.
    ///
    /// # Errors
    /// The name that there is not, with those that there are.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut flags = Self::default();
        for name in text.split(',').map(str::trim) {
            let Some(flag) = flags.flag(name) else {
                let names: Vec<_> = NAMES.iter().map(|(name, _)| *name).collect();
                return Err(Fault::from(format!("unknown flag `{name}`: write some of {}", names.join(","))));
            };
            if *flag {
                return Err(Fault::from(format!("`{name}` is named twice: leave one out")));
            }
            *flag = true;
        }
        Ok(flags)
    }

    /// The names of those that are set, in the order of the list.
    pub fn names(mut self) -> Vec<&'static str> {
        NAMES.iter().map(|(name, _)| *name).filter(|name| self.flag(name).is_some_and(|set| *set)).collect()
    }

    /// Those that an engine's facts say were sent.
    pub fn of_features(features: &[EngineFeature]) -> Self {
        let mut flags = Self::default();
        for (name, feature) in NAMES {
            let sent = features.iter().any(|known| known.name == feature && known.used);
            if let Some(flag) = flags.flag(name) {
                *flag = sent;
            }
        }
        flags
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn flag(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "hipri" => &mut self.hipri,
            "dsync" => &mut self.dsync,
            "sync" => &mut self.sync,
            "nowait" => &mut self.nowait,
            "dontcache" => &mut self.dontcache,
            "atomic" => &mut self.atomic,
            _ => return None,
        })
    }

    /// What an engine's facts say of them.
    pub fn features(self) -> Vec<EngineFeature> {
        let set = self.names();
        let note = |name: &str| match name {
            "hipri" => format!(
                "sent; kernels since {HIPRI_IGNORED_SINCE} take it and do not poll for synchronous calls"
            ),
            "nowait" => {
                "an I/O that would have waited ended with EAGAIN and counts as failed; none was tried again"
                    .to_owned()
            }
            "dsync" | "sync" | "atomic" => "on writes".to_owned(),
            _ => "on reads and writes".to_owned(),
        };
        let named = NAMES.iter().filter(|(name, _)| set.contains(name));
        named.map(|(name, feature)| EngineFeature::new(*feature, true, Some(note(name)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_wrong_ones_are_named() {
        let flags = IoFlags::parse("nowait, dsync").unwrap();
        assert_eq!(flags.names(), ["dsync", "nowait"]);
        assert_eq!(IoFlags::parse(&flags.names().join(",")), Ok(flags));
        assert_eq!(IoFlags::of_features(&flags.features()), flags);
        assert!(IoFlags::parse("nowiat").unwrap_err().cause.contains("nowait"));
        assert!(IoFlags::parse("sync,sync").is_err() && IoFlags::parse("").is_err());
    }
}
