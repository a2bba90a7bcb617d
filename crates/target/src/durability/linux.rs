//! The flags of `open`, asked for and read back.

use std::fs::File;
use std::os::fd::AsFd;

use fathom_record::options::Durability;
use rustix::fs::fcntl_getfl;

/// Flags to open the target with.
pub fn open_flags(durable: Durability) -> i32 {
    match durable {
        Durability::Data => libc::O_DSYNC,
        Durability::All => libc::O_SYNC,
    }
}

/// What an open descriptor does, as the kernel says; `None` for one whose writes may end earlier.
pub fn of(file: &File) -> Option<Durability> {
    let flags = fcntl_getfl(file.as_fd()).ok()?.bits() as i32;
    // The bits of `O_SYNC` contain that of `O_DSYNC`.
    let has = |durable: &Durability| flags & open_flags(*durable) == open_flags(*durable);
    [Durability::All, Durability::Data].into_iter().find(has)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt;

    use super::*;

    #[test]
    fn the_descriptor_says_what_it_was_opened_for() {
        let named = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(of(named.as_file()), None);
        for (_, durable) in Durability::NAMES {
            let file = File::options().write(true).custom_flags(open_flags(durable)).open(named.path());
            assert_eq!(of(&file.unwrap()), Some(durable));
        }
    }
}
