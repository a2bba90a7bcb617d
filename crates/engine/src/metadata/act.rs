//! What is done to files and names in place of data.

/// The call that stands for an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
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

impl Act {
    /// Whether it works on names in a folder, and not on a file.
    pub fn is_of_names(self) -> bool {
        matches!(self, Self::Name(_))
    }
}
