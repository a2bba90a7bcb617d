//! The status of a completed command in words (Base 2.0, section 4.2.3; NVM 1.0, section 3.1).

use core::fmt;

/// A status field as drivers hand it on, without the phase bit: code in bits 07:00, its type in bits
/// 10:08, Do Not Retry in bit 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    /// Type: 0 generic, 1 specific to the command, 2 media and data integrity, 3 path, 7 the vendor's.
    pub fn kind(self) -> u8 {
        (self.0 >> 8 & 0b111) as u8
    }

    /// Code within its type.
    pub fn code(self) -> u8 {
        self.0 as u8
    }

    /// Whether the command ended well.
    pub fn is_success(self) -> bool {
        self.0 & 0x7ff == 0
    }

    /// The specification's name of it; none for vendors' own and those not known here.
    pub fn name(self) -> Option<&'static str> {
        Some(match (self.kind(), self.code()) {
            (0, code) => generic(code)?,
            (1, 0x80) => "Conflicting Attributes",
            (1, 0x81) => "Invalid Protection Information",
            (1, 0x82) => "Attempted Write to Read Only Range",
            (1, 0x83) => "Command Size Limit Exceeded",
            (2, code) => media(code)?,
            (3, 0x00) => "Internal Path Error",
            (3, 0x01) => "Asymmetric Access Persistent Loss",
            (3, 0x02) => "Asymmetric Access Inaccessible",
            (3, 0x03) => "Asymmetric Access Transition",
            (3, 0x60) => "Controller Pathing Error",
            (3, 0x70) => "Host Pathing Error",
            (3, 0x71) => "Command Aborted By Host",
            _ => return None,
        })
    }
}

fn generic(code: u8) -> Option<&'static str> {
    Some(match code {
        0x00 => "Successful Completion",
        0x01 => "Invalid Command Opcode",
        0x02 => "Invalid Field in Command",
        0x03 => "Command ID Conflict",
        0x04 => "Data Transfer Error",
        0x05 => "Commands Aborted due to Power Loss Notification",
        0x06 => "Internal Error",
        0x07 => "Command Abort Requested",
        0x08 => "Command Aborted due to SQ Deletion",
        0x0b => "Invalid Namespace or Format",
        0x0c => "Command Sequence Error",
        0x13 => "PRP Offset Invalid",
        0x15 => "Operation Denied",
        0x1c => "Sanitize Failed",
        0x1d => "Sanitize In Progress",
        0x20 => "Namespace is Write Protected",
        0x21 => "Command Interrupted",
        0x22 => "Transient Transport Error",
        0x80 => "LBA Out of Range",
        0x81 => "Capacity Exceeded",
        0x82 => "Namespace Not Ready",
        0x83 => "Reservation Conflict",
        0x84 => "Format In Progress",
        _ => return None,
    })
}

fn media(code: u8) -> Option<&'static str> {
    Some(match code {
        0x80 => "Write Fault",
        0x81 => "Unrecovered Read Error",
        0x82 => "End-to-end Guard Check Error",
        0x83 => "End-to-end Application Tag Check Error",
        0x84 => "End-to-end Reference Tag Check Error",
        0x85 => "Compare Failure",
        0x86 => "Access Denied",
        0x87 => "Deallocated or Unwritten Logical Block",
        _ => return None,
    })
}

impl fmt::Display for Status {
    /// `LBA Out of Range (NVMe status 0h/80h)`: type and code in hexadecimal, for looking them up.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name().unwrap_or("the controller refused it");
        write!(f, "{name} (NVMe status {:x}h/{:02x}h)", self.kind(), self.code())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::string::ToString;

    use super::*;

    #[test]
    fn statuses_have_names_and_numbers() {
        let out_of_range = Status(0x4080);
        assert_eq!(out_of_range.to_string(), "LBA Out of Range (NVMe status 0h/80h)");
        assert!(!out_of_range.is_success());
        assert_eq!(Status(0x0281).name(), Some("Unrecovered Read Error"));
        assert_eq!(Status(0x07c1).to_string(), "the controller refused it (NVMe status 7h/c1h)");
        assert!(Status(0x4000).is_success());
    }

    #[test]
    fn every_status_can_be_printed() {
        for raw in 0..=u16::MAX {
            assert!(Status(raw).to_string().contains("NVMe status"), "{raw}");
        }
    }
}
