//! What stands against reading or writing a file of Windows, from what the system answered. Pure, so that its cases
//! are tried on any system. A question without an answer stands against writing.

use std::io;

use crate::guard::{Hold, Reason};
use crate::{Error, ErrorKind};

/// Attributes of a file, by their bits.
const READ_ONLY: u32 = 0x1;
const SYSTEM: u32 = 0x4;
const DEVICE: u32 = 0x40;
const SPARSE: u32 = 0x200;
const REPARSE_POINT: u32 = 0x400;
const COMPRESSED: u32 = 0x800;
const OFFLINE: u32 = 0x1000;
const ENCRYPTED: u32 = 0x4000;
const RECALL_ON_OPEN: u32 = 0x4_0000;
const RECALL_ON_DATA_ACCESS: u32 = 0x40_0000;

/// What says that somebody has a file open: a sharing violation, a lock, a mapping.
const TAKEN: [i32; 3] = [32, 33, 1224];

/// What names a file on this machine, whatever its paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId {
    /// Serial number of the volume.
    pub volume: u32,
    /// Number of the file in it.
    pub index: u64,
}

/// What the system says of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Bits of its attributes.
    pub attributes: u32,
    /// Names that it has.
    pub links: u32,
    /// Its length.
    pub size_bytes: u64,
    /// What names it.
    pub id: FileId,
}

/// The answers that a file is judged by before it is written.
#[derive(Debug)]
pub struct Answers {
    /// Its path, as the system has it.
    pub path: io::Result<String>,
    /// What it is.
    pub look: io::Result<FileState>,
    /// Whether it could be opened for reading and writing while nobody else has it open.
    pub alone: io::Result<()>,
}

impl FileState {
    fn has(&self, bits: u32) -> bool {
        self.attributes & bits != 0
    }

    /// Lets pass what reads as it lies on its volume.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] for what is fetched from elsewhere, and for what may have holes.
    pub fn require_data(&self, place: &str) -> Result<(), Error> {
        let refuse = |cause: &str| {
            Err(Error::new(ErrorKind::Refused, place, cause)
                .with_remedy("name its folder, so that a scratch file is written in full there"))
        };
        if self.has(OFFLINE | RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS) {
            return refuse(
                "its data is kept elsewhere and fetched when it is read, so reads would not measure this drive",
            );
        }
        if self.has(SPARSE) {
            return refuse("it is sparse: what was never written reads as zeros without reaching the device");
        }
        Ok(())
    }

    /// Remarks for a run's record.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (bit, what) in [(COMPRESSED, "compressed"), (ENCRYPTED, "encrypted")] {
            if self.has(bit) {
                notes.push(format!(
                    "The file is {what}: the system carries out its writes one after the other."
                ));
            }
        }
        notes
    }
}

/// Everything against writing a file that was there before the run.
pub fn reasons(answers: &Answers) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut unknown = |what: &str, error: &io::Error| {
        reasons.push(Reason::new(Hold::Unknown, format!("{what} could not be established: {error}")));
    };
    if let Err(error) = &answers.path {
        unknown("its path", error);
    }
    match &answers.alone {
        Ok(()) => {}
        Err(error) if error.raw_os_error().is_some_and(|code| TAKEN.contains(&code)) => {
            let text = format!("another program has it open: {error}");
            reasons.push(Reason::new(Hold::InUse, text).first("end what uses it"));
        }
        Err(error) => unknown("whether another program has it open", error),
    }
    let label = answers.path.as_deref().unwrap_or("it");
    match &answers.look {
        Err(error) => {
            let text = format!("what it is could not be established: {error}");
            reasons.push(Reason::new(Hold::Unknown, text));
        }
        Ok(look) => reasons.extend(of_look(label, look)),
    }
    reasons
}

fn of_look(label: &str, look: &FileState) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut stands = |hold, text: String| reasons.push(Reason::new(hold, text));
    if look.has(READ_ONLY) {
        stands(Hold::ReadOnly, format!("{label} is marked as read-only"));
    }
    if look.has(SYSTEM) {
        stands(Hold::Unknown, format!("{label} is marked as a file of the system"));
    }
    if look.has(DEVICE) {
        stands(Hold::Unknown, format!("{label} is a device"));
    }
    if look.has(REPARSE_POINT) {
        stands(
            Hold::Unknown,
            format!("{label} is a reparse point, whose driver decides what a write changes"),
        );
    }
    if look.links != 1 {
        stands(
            Hold::Unknown,
            format!("{label} has {} names, and the others may be of somebody else", look.links),
        );
    }
    stands(Hold::ExistingFile, format!("{label} was there before the run ({} bytes)", look.size_bytes));
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: FileState =
        FileState { attributes: 0x20, links: 1, size_bytes: 4096, id: FileId { volume: 7, index: 9 } };

    fn answers(look: FileState) -> Answers {
        Answers { path: Ok(r"C:\data\a.bin".to_owned()), look: Ok(look), alone: Ok(()) }
    }

    fn holds(answers: &Answers) -> Vec<Hold> {
        reasons(answers).iter().map(|reason| reason.hold).collect()
    }

    fn system(code: i32) -> io::Error {
        io::Error::from_raw_os_error(code)
    }

    #[test]
    fn a_plain_file_needs_to_be_named_and_nothing_else() {
        assert_eq!(holds(&answers(PLAIN)), [Hold::ExistingFile]);
    }

    #[test]
    fn every_question_without_an_answer_stands_against_writing() {
        let never = |answers: Answers| {
            let reasons = reasons(&answers);
            assert!(reasons.iter().any(|reason| reason.hold == Hold::Unknown), "{answers:?}");
        };
        never(Answers { path: Err(system(50)), ..answers(PLAIN) });
        never(Answers { look: Err(system(50)), ..answers(PLAIN) });
        never(Answers { alone: Err(system(50)), ..answers(PLAIN) });
        never(Answers { alone: Err(system(5)), ..answers(PLAIN) });
    }

    #[test]
    fn what_others_have_open_is_in_use() {
        for code in TAKEN {
            let taken = Answers { alone: Err(system(code)), ..answers(PLAIN) };
            assert_eq!(holds(&taken), [Hold::InUse, Hold::ExistingFile]);
        }
    }

    #[test]
    fn files_that_are_more_than_their_bytes_are_never_written() {
        for (bits, links, hold) in [
            (READ_ONLY, 1, Hold::ReadOnly),
            (SYSTEM, 1, Hold::Unknown),
            (DEVICE, 1, Hold::Unknown),
            (REPARSE_POINT, 1, Hold::Unknown),
            (0, 2, Hold::Unknown),
            (0, 0, Hold::Unknown),
        ] {
            let look = FileState { attributes: PLAIN.attributes | bits, links, ..PLAIN };
            assert_eq!(holds(&answers(look)), [hold, Hold::ExistingFile], "{bits:#x} {links}");
            assert!(!hold.permission_covers());
        }
    }

    #[test]
    fn what_is_not_on_its_volume_is_not_read() {
        let with = |bits| FileState { attributes: bits, ..PLAIN };
        assert!(PLAIN.require_data("x").is_ok() && PLAIN.notes().is_empty());
        for bits in [OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS, SPARSE] {
            assert_eq!(with(bits).require_data("x").unwrap_err().kind, ErrorKind::Refused);
        }
        assert_eq!(with(COMPRESSED | ENCRYPTED).notes().len(), 2);
    }
}
