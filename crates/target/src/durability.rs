//! Writes that end only when they are durable, as the target's descriptor was opened for.

use std::fs::File;
use std::os::fd::AsFd;

use fathom_record::facts::Feature;
use rustix::fs::fcntl_getfl;

/// What is durable when a write ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// The data, and what is needed to find it: `O_DSYNC`.
    Data,
    /// All metadata too: `O_SYNC`.
    All,
}

impl Durable {
    /// Each with what people type and what records call it.
    pub const NAMES: [(&'static str, Self); 2] = [("data", Self::Data), ("all", Self::All)];

    /// What is typed for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::All => "all",
        }
    }

    /// Flags to open the target with.
    pub fn open_flags(self) -> i32 {
        match self {
            Self::Data => libc::O_DSYNC,
            Self::All => libc::O_SYNC,
        }
    }

    /// What an open descriptor does, as the kernel says; `None` for one whose writes may end earlier.
    pub fn of(file: &File) -> Option<Self> {
        let flags = fcntl_getfl(file.as_fd()).ok()?.bits() as i32;
        // The bits of `O_SYNC` contain that of `O_DSYNC`.
        let has = |durable: &Self| flags & durable.open_flags() == durable.open_flags();
        [Self::All, Self::Data].into_iter().find(has)
    }

    /// What an engine's facts say of it.
    pub fn feature(self) -> Feature {
        let (name, note) = match self {
            Self::Data => ("opened_o_dsync", "a write ends when its data is durable"),
            Self::All => ("opened_o_sync", "a write ends when its data and all metadata are durable"),
        };
        Feature { name: name.to_owned(), used: true, note: Some(note.to_owned()) }
    }

    /// What an engine's facts say was in force.
    pub fn of_features(features: &[Feature]) -> Option<Self> {
        let all = [Self::Data, Self::All];
        let found = |durable: &Self| {
            let own = durable.feature();
            features.iter().any(|known| known.used && known.name == own.name)
        };
        all.into_iter().find(found)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt;

    use super::*;

    #[test]
    fn the_descriptor_says_what_it_was_opened_for() {
        let named = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(Durable::of(named.as_file()), None);
        for (name, durable) in Durable::NAMES {
            let file = File::options().write(true).custom_flags(durable.open_flags()).open(named.path());
            assert_eq!(Durable::of(&file.unwrap()), Some(durable));
            assert_eq!(durable.name(), name);
            assert_eq!(Durable::of_features(&[durable.feature()]), Some(durable));
        }
    }
}
