//! Where the same I/Os are seen a second time.

/// Which source in the block layer is to be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WitnessSource {
    /// The first that works: programs, then text.
    #[default]
    Any,
    /// Programs in the kernel.
    Bpf,
    /// The text of tracefs.
    Tracefs,
}

impl WitnessSource {
    /// All, with the names they are asked for by.
    pub const NAMES: [(&'static str, Self); 3] =
        [("auto", Self::Any), ("bpf", Self::Bpf), ("tracefs", Self::Tracefs)];

    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, source)| *source == self).map_or("auto", |(name, _)| name)
    }

    /// The source of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
    }
}
