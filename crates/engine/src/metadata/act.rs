//! What is done to files and names in place of data.

/// The call that stands for an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataCall {
    /// `fallocate` of the I/O's range: a write may make the file longer, a read not, a trim punches a hole.
    Allocate,
    /// `ftruncate` to the I/O's offset, on writes.
    Truncate,
    /// A name in a folder of the engine's own.
    Name(NameAct),
}

/// What happens to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameAct {
    /// A file is opened under it, and made where there is none.
    CreateFile,
    /// The file under it is looked up.
    StatFile,
    /// The file under it is removed.
    DeleteFile,
    /// A folder is made under it.
    CreateFolder,
    /// The folder under it is looked up.
    StatFolder,
    /// The folder under it is removed.
    DeleteFolder,
}

impl NameAct {
    /// Whether it is about folders.
    pub fn is_of_folders(self) -> bool {
        matches!(self, Self::CreateFolder | Self::StatFolder | Self::DeleteFolder)
    }
}

/// Each call with the engine that it is.
const ACTS: [(&str, MetadataCall); 8] = [
    ("falloc", MetadataCall::Allocate),
    ("ftruncate", MetadataCall::Truncate),
    ("filecreate", MetadataCall::Name(NameAct::CreateFile)),
    ("filestat", MetadataCall::Name(NameAct::StatFile)),
    ("filedelete", MetadataCall::Name(NameAct::DeleteFile)),
    ("dircreate", MetadataCall::Name(NameAct::CreateFolder)),
    ("dirstat", MetadataCall::Name(NameAct::StatFolder)),
    ("dirdelete", MetadataCall::Name(NameAct::DeleteFolder)),
];

impl MetadataCall {
    /// What users type for the engines, as they stand in the list.
    pub const NAMES: &'static [&'static str] = &{
        let mut names = [""; ACTS.len()];
        let mut at = 0;
        while at < ACTS.len() {
            names[at] = ACTS[at].0;
            at += 1;
        }
        names
    };

    /// The call of the engine of that name.
    pub fn named(name: &str) -> Option<Self> {
        ACTS.iter().find(|(known, _)| *known == name).map(|(_, act)| *act)
    }

    /// The engine that it is.
    pub fn name(self) -> &'static str {
        let own = ACTS.iter().find(|(_, act)| *act == self);
        own.map_or("", |(name, _)| *name)
    }

    /// Whether it works on names in a folder, and not on a file.
    pub fn is_of_names(self) -> bool {
        matches!(self, Self::Name(_))
    }
}
