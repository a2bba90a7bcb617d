//! Namespace Identification Descriptor list (Base 2.0, section 5.17.2.3, CNS 03h): which command set
//! a namespace speaks.

/// Length of a descriptor's head, in bytes.
const HEAD_BYTES: usize = 4;
/// NIDT of the descriptor whose identifier is the command set.
const COMMAND_SET: u8 = 0x04;

/// A command set by its identifier (Base 2.0, figure 274).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandSet(pub u8);

impl CommandSet {
    /// Reads, writes and deallocations of logical blocks.
    pub const NVM: Self = Self(0);

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self.0 {
            0 => "NVM",
            1 => "Key Value",
            2 => "Zoned Namespace",
            3 => "Subsystem Local Memory",
            4 => "Computational Programs",
            _ => "unknown",
        }
    }
}

/// The command set that a list names. A controller without command sets names none; its namespaces
/// speak [`CommandSet::NVM`]. A list that ends in the middle of a descriptor is read up to there.
pub fn command_set(list: &[u8]) -> Option<CommandSet> {
    let mut rest = list;
    while let [kind, length, _, _, body @ ..] = rest {
        if *length == 0 {
            return None;
        }
        if *kind == COMMAND_SET {
            return body.first().copied().map(CommandSet);
        }
        rest = rest.get(HEAD_BYTES + usize::from(*length)..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_set_is_found_behind_other_identifiers() {
        let mut list = [0; 4096];
        list[..2].copy_from_slice(&[0x03, 16]);
        list[20..25].copy_from_slice(&[0x04, 1, 0, 0, 2]);
        assert_eq!(command_set(&list), Some(CommandSet(2)));
        assert_eq!(command_set(&list).map(CommandSet::name), Some("Zoned Namespace"));
        list[20] = 0;
        list[21] = 0;
        assert_eq!(command_set(&list), None);
    }

    #[test]
    fn lists_that_lie_about_their_length_end() {
        assert_eq!(command_set(&[]), None);
        assert_eq!(command_set(&[4, 1, 0, 0]), None);
        assert_eq!(command_set(&[3, 255, 0, 0, 4, 1, 0, 0, 2]), None);
        assert_eq!(command_set(&[0xff; 4096]), None);
    }
}
