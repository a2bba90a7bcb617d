//! The commands in the specification's words, for drivers that take them so.

use fathom_spec::admin::{ALL_NAMESPACES, GET_LOG_PAGE, IDENTIFY, IdentifyWhat, log_page_dword10};
use fathom_spec::amazon;
use fathom_spec::smart::LOG_IDENTIFIER;

use super::ReadCommand;

impl ReadCommand {
    /// Opcode, namespace identifier and command dword 10, for an answer of `bytes` bytes.
    pub(super) fn words(self, bytes: u32) -> (u8, u32, u32) {
        match self {
            Self::IdentifyController => (IDENTIFY, 0, IdentifyWhat::Controller.dword10()),
            Self::IdentifyNamespace(namespace) => (IDENTIFY, namespace, IdentifyWhat::Namespace.dword10()),
            Self::Health => (GET_LOG_PAGE, ALL_NAMESPACES, log_page_dword10(LOG_IDENTIFIER, bytes)),
            Self::Volume => {
                (GET_LOG_PAGE, amazon::NAMESPACE, log_page_dword10(amazon::LOG_IDENTIFIER, bytes))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_carry_the_specification_s_words() {
        assert_eq!(ReadCommand::IdentifyController.words(4096), (0x06, 0, 1));
        assert_eq!(ReadCommand::IdentifyNamespace(7).words(4096), (0x06, 7, 0));
        assert_eq!(ReadCommand::Health.words(512), (0x02, 0xffff_ffff, 0x007f_0002));
        assert_eq!(ReadCommand::Volume.words(4096), (0x02, 1, 0x03ff_00d0));
    }
}
