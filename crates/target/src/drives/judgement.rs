//! What stands against writing a drive of Windows, from what it and its machine answered. Pure, so that its cases are drawn
//! machines and kept answers, on any system. A question without an answer stands against writing, whatever the others say.
//!
//! A drive is written only while the system uses nothing of it: no volume lies on it, and where it has partitions it is
//! offline. Then it is written by its serial number alone, since what it holds is not looked at.

use fathom_measure::counted;

use super::{Capture, Drive, Question, storage_descriptors, volumes};
use crate::guard::{Hold, Reason};

/// `FILE_DEVICE_DISK`.
const DISK: u32 = 7;
/// `ERROR_WRITE_PROTECT`.
const PROTECTED: i32 = 19;

/// Everything against writing a drive of a machine.
pub fn reasons(machine: &Capture, drive: &Drive) -> Vec<Reason> {
    let path = drive.path();
    // What the system itself runs from is not to be taken offline.
    let first = match machine.volumes.iter().any(|volume| volume.carries_the_system(drive)) {
        true => String::new(),
        false => {
            format!("take it offline in a PowerShell: Set-Disk -Number {} -IsOffline $true", drive.number)
        }
    };
    let mut reasons = of_identity(machine, drive, &path);
    let (is_offline, state) = of_state(drive, &path);
    reasons.extend(state);
    reasons.extend(of_partitions(drive, &path, is_offline, &first));
    reasons.extend(volumes::reasons(machine, drive, &first));
    reasons.push(Reason::new(
        Hold::Unseen,
        format!("which programs and virtual machines have {path} open is not reported by the system"),
    ));
    reasons.push(Reason::new(Hold::UnknownData, format!("what {path} holds was not looked at")));
    reasons
}

/// What an answer says, or that there is none.
fn asked<T>(
    drive: &Drive,
    question: Question,
    what: String,
    read: impl Fn(&[u8]) -> Option<T>,
) -> Result<T, Reason> {
    drive.answer(question, read).ok_or_else(|| {
        let why = match drive.error(question) {
            Some(code) => format!("error {code}"),
            None => "no answer that makes sense".to_owned(),
        };
        Reason::new(Hold::Unknown, format!("{what} could not be established: {why}"))
    })
}

/// Whether it is what its name says, and can be named so that nothing else is meant.
fn of_identity(machine: &Capture, drive: &Drive, path: &str) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let unknown = |text: String| Reason::new(Hold::Unknown, text);
    match asked(drive, Question::Number, format!("which drive {path} is"), storage_descriptors::number) {
        Ok((DISK, number)) if number == drive.number => {}
        Ok(_) => reasons.push(unknown(format!("{path} answers as another device"))),
        Err(reason) => reasons.push(reason),
    }
    let described =
        asked(drive, Question::Descriptor, format!("what {path} is"), storage_descriptors::described);
    let described = match described {
        Ok(described) => described,
        Err(reason) => {
            reasons.push(reason);
            return reasons;
        }
    };
    if described.bus.is_none() {
        reasons.push(unknown(format!("how {path} is connected could not be established")));
    }
    if described.removable {
        reasons.push(unknown(format!("the medium of {path} can be exchanged for another one unseen")));
    }
    let has_twin = |serial: &String| {
        let others = machine.drives.iter().filter(|other| other.number != drive.number);
        others.filter_map(Drive::serial).any(|other| other == *serial)
    };
    match &described.serial {
        None => reasons.push(unknown(format!("{path} has no serial number that it could be named by"))),
        Some(serial) if has_twin(serial) => {
            reasons.push(unknown(format!("another drive has the serial number of {path} too")));
        }
        Some(_) => {}
    }
    reasons
}

/// Whether it is offline, where that is known, and what else of its state stands against writing.
fn of_state(drive: &Drive, path: &str) -> (Option<bool>, Vec<Reason>) {
    let mut reasons = Vec::new();
    let read_only = || Reason::new(Hold::ReadOnly, format!("{path} takes no writes"));
    reasons.extend(
        asked(drive, Question::Geometry, format!("the size of {path}"), storage_descriptors::size).err(),
    );
    let mut is_offline = None;
    let what = format!("whether {path} is offline");
    match asked(drive, Question::Attributes, what, storage_descriptors::attributes) {
        Ok((offline, is_read_only)) => {
            is_offline = Some(offline);
            reasons.extend(is_read_only.then(read_only));
        }
        Err(reason) => reasons.push(reason),
    }
    let what = format!("whether {path} takes writes");
    match asked(drive, Question::Writable, what, |_| Some(())) {
        Ok(()) => {}
        Err(_) if drive.error(Question::Writable) == Some(PROTECTED) => {
            // Said once.
            if reasons.iter().all(|reason| reason.hold != Hold::ReadOnly) {
                reasons.push(read_only());
            }
        }
        Err(reason) => reasons.push(reason),
    }
    match asked(
        drive,
        Question::Clustered,
        format!("whether a cluster shares {path}"),
        storage_descriptors::flag,
    ) {
        Ok(false) => {}
        Ok(true) => reasons.push(Reason::new(Hold::Held, format!("a cluster shares {path}"))),
        Err(reason) => reasons.push(reason),
    }
    (is_offline, reasons)
}

fn of_partitions(drive: &Drive, path: &str, is_offline: Option<bool>, first: &str) -> Vec<Reason> {
    let what = format!("how {path} is divided");
    let layout = match asked(drive, Question::Layout, what, storage_descriptors::layout) {
        Ok(layout) => layout,
        Err(reason) => return vec![reason],
    };
    let mut reasons = Vec::new();
    if !layout.is_whole {
        let text = format!("{path} has more partitions than it reports");
        reasons.push(Reason::new(Hold::Unknown, text));
    }
    let mut held = layout.held;
    held.dedup();
    reasons.extend(held.iter().map(|what| Reason::new(Hold::Held, format!("{path} has {what}"))));
    let partitions = counted(layout.partitions as u64, "partition");
    if layout.partitions > 0 && is_offline != Some(true) {
        let text = format!("the system uses the {partitions} of {path}: it is not offline");
        reasons.push(Reason::new(Hold::InUse, text).first(first));
    }
    if let Some(table) = layout.table {
        let text = format!("{path} has a partition table ({table}, {partitions})");
        reasons.push(Reason::new(Hold::Partitions, text));
    } else if layout.partitions > 0 {
        let text = format!("{path} has {partitions} without a table");
        reasons.push(Reason::new(Hold::Unknown, text));
    }
    reasons
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::drives::{Answer, Role, SETTINGS, Setting, Volume, digits};
    use crate::guard::{self, Identity, Permit, Verdict};

    const EFI: [u8; 16] =
        [0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b];
    const POOL: [u8; 16] =
        [0x8f, 0xaf, 0x5c, 0xe7, 0x80, 0xf6, 0xee, 0x4c, 0xaf, 0xa3, 0xb0, 0x01, 0xe5, 0x6e, 0xfc, 0x2d];
    const DATA: [u8; 16] = [7; 16];

    fn put(length: usize, fields: &[(usize, u8)]) -> Vec<u8> {
        let mut bytes = vec![0; length];
        fields.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        bytes
    }

    fn device_number(kind: u32, number: u32) -> Vec<u8> {
        [kind, number, 0].map(u32::to_le_bytes).concat()
    }

    /// Every answer of a drive that is offline and blank.
    fn answers(number: u32, serial: &str) -> Vec<Answer> {
        let came = [
            (Question::Descriptor, storage_descriptors::tests::drawn(17, "", "Model", serial)),
            (Question::Number, device_number(DISK, number)),
            (Question::Geometry, put(32, &[(21, 2), (28, 1)])),
            (Question::Attributes, put(16, &[(8, 1)])),
            (Question::Writable, Vec::new()),
            (Question::Clustered, vec![0]),
            (Question::Layout, storage_descriptors::tests::table(2, &[])),
        ];
        came.into_iter().map(|(question, bytes)| Answer::of(question, Ok(bytes))).collect()
    }

    fn volume(place: &str, drives: &[u32], roles: &[Role]) -> Volume {
        Volume {
            name: r"\\?\Volume{0}\".to_owned(),
            places: vec![place.to_owned()],
            file_system: Some("NTFS".to_owned()),
            extents: Some(digits(&volumes::tests::drawn(drives))),
            roles: roles.to_vec(),
            device: None,
        }
    }

    /// A machine that runs from drive 0, with a blank drive 1 that is offline.
    pub fn machine() -> Capture {
        let drives = [(0, "SYSTEM"), (1, "S4EWNX0R")];
        let drive =
            |(number, serial)| Drive { number, answers: answers(number, serial), drivers: Vec::new() };
        Capture {
            format: Capture::FORMAT.to_owned(),
            version: Capture::VERSION,
            settings: SETTINGS.iter().map(|name| Setting { name: (*name).to_owned(), value: None }).collect(),
            drives: drives.map(drive).to_vec(),
            volumes: vec![volume(r"C:\", &[0], &[Role::System, Role::Paging])],
            volumes_listed: true,
        }
    }

    fn answer(machine: &mut Capture, question: Question, came: Result<Vec<u8>, i32>) {
        let answers = &mut machine.drives[1].answers;
        answers.retain(|answer| answer.question != question);
        answers.push(Answer::of(question, came));
    }

    fn with(question: Question, bytes: Vec<u8>) -> Capture {
        let mut machine = machine();
        answer(&mut machine, question, Ok(bytes));
        machine
    }

    fn against(machine: &Capture) -> Vec<Reason> {
        reasons(machine, &machine.drives[1])
    }

    /// Holds of the second drive that no permission covers.
    fn never(machine: &Capture) -> Vec<Hold> {
        let stands = |reason: &Reason| !reason.hold.permission_covers();
        against(machine).into_iter().filter(stands).map(|reason| reason.hold).collect()
    }

    fn is_admitted(machine: &Capture, words: &str) -> bool {
        let identity = machine.devices()[1].identity.clone();
        guard::admit("x", &against(machine), &identity, Some(&Permit(words.to_owned()))).is_ok()
    }

    #[test]
    fn a_blank_drive_that_is_offline_is_written_by_its_serial_number_and_no_other_word() {
        let machine = machine();
        assert_eq!(never(&machine), []);
        assert!(is_admitted(&machine, "S4EWNX0R"));
        for words in ["PhysicalDrive1", r"\\.\PhysicalDrive1", "SYSTEM", "s4ewnx0r", ""] {
            assert!(!is_admitted(&machine, words), "{words}");
        }
        let identity = Identity { words: "S4EWNX0R".to_owned(), also: Vec::new() };
        assert!(guard::admit("x", &against(&machine), &identity, None).is_err(), "it is never free");
        assert!(matches!(machine.devices()[1].verdict, Verdict::WithPermission { .. }));
    }

    #[test]
    fn every_question_that_fails_or_makes_no_sense_means_never() {
        let questions = [
            Question::Descriptor,
            Question::Number,
            Question::Geometry,
            Question::Attributes,
            Question::Writable,
            Question::Clustered,
            Question::Layout,
        ];
        for question in questions {
            for error in [1, 5, 21, 50, 87, 1117] {
                let mut machine = machine();
                answer(&mut machine, question, Err(error));
                assert_eq!(never(&machine), [Hold::Unknown], "{question:?} {error}");
                assert!(!is_admitted(&machine, "S4EWNX0R") && !is_admitted(&machine, "PhysicalDrive1"));
            }
            let mut unasked = machine();
            unasked.drives[1].answers.retain(|answer| answer.question != question);
            assert_eq!(never(&unasked), [Hold::Unknown], "{question:?} was not asked");
            // An empty answer is one for a question that is answered by no error alone.
            let cut = never(&with(question, Vec::new()));
            assert_eq!(cut.is_empty(), question == Question::Writable, "{question:?}");
        }
    }

    #[test]
    fn the_drive_that_the_system_runs_from_is_never_written_and_not_to_be_taken_offline() {
        let machine = machine();
        let reasons = reasons(&machine, &machine.drives[0]);
        let holds: Vec<Hold> = reasons.iter().map(|reason| reason.hold).collect();
        assert!(holds.contains(&Hold::Mounted) && holds.contains(&Hold::Swap), "{holds:?}");
        let Verdict::Never { first } = machine.devices()[0].verdict.clone() else {
            unreachable!("it is written")
        };
        assert_eq!(first, Vec::<String>::new());
    }

    #[test]
    fn a_drive_with_a_volume_is_to_be_taken_offline_first() {
        for drives in [&[1][..], &[0, 1], &[1, 2]] {
            let mut machine = machine();
            machine.volumes.push(volume(r"D:\", drives, &[]));
            assert_eq!(never(&machine), [Hold::Mounted]);
            let Verdict::Never { first } = machine.devices()[1].verdict.clone() else {
                unreachable!("it is written")
            };
            assert!(first[0].ends_with("Set-Disk -Number 1 -IsOffline $true"), "{first:?}");
        }
    }

    #[test]
    fn volumes_that_were_not_all_found_or_do_not_say_where_they_lie_stand_against_every_drive() {
        let cut = Capture { volumes_listed: false, ..machine() };
        assert_eq!(never(&cut), [Hold::Unknown]);
        let none = Capture { volumes: Vec::new(), ..machine() };
        assert_eq!(never(&none), [Hold::Unknown], "the system runs from none of them");
        let silent = |device: Option<Vec<u8>>| {
            let mut machine = machine();
            let volume = volume(r"E:\", &[], &[]);
            let device = device.map(|bytes| digits(&bytes));
            machine.volumes.push(Volume { extents: None, device, ..volume });
            never(&machine)
        };
        assert_eq!(silent(None), [Hold::Unknown]);
        assert_eq!(silent(Some(device_number(DISK, u32::MAX))), [Hold::Unknown]);
        assert_eq!(silent(Some(device_number(0x24, 0))), [Hold::Unknown], "a disk in memory");
        // Discs lie on no drive, and a reader without a card is the drive that it says.
        assert_eq!(silent(Some(device_number(2, 0))), []);
        assert_eq!(silent(Some(device_number(DISK, 0))), []);
        assert_eq!(silent(Some(device_number(DISK, 1))), [Hold::Mounted]);
    }

    #[test]
    fn partitions_are_written_over_only_while_the_drive_is_offline() {
        let mut machine = with(Question::Layout, storage_descriptors::tests::table(1, &[&DATA, &DATA]));
        assert_eq!(never(&machine), []);
        assert!(against(&machine).iter().any(|reason| reason.hold == Hold::Partitions));
        answer(&mut machine, Question::Attributes, Ok(vec![0; 16]));
        assert_eq!(never(&machine), [Hold::InUse]);
        // Blank and online it is nobody's.
        assert_eq!(never(&with(Question::Attributes, vec![0; 16])), []);
    }

    #[test]
    fn members_of_something_larger_are_never_written() {
        for kind in [EFI, POOL] {
            let table = storage_descriptors::tests::table(1, &[&DATA, &kind]);
            assert_eq!(never(&with(Question::Layout, table)), [Hold::Held]);
        }
        for kind in [0x42, 0xef] {
            assert_eq!(
                never(&with(Question::Layout, storage_descriptors::tests::table(0, &[&[kind]]))),
                [Hold::Held]
            );
        }
        let mut many = storage_descriptors::tests::table(1, &[&DATA]);
        many[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(never(&with(Question::Layout, many)), [Hold::Unknown]);
        let strange = storage_descriptors::tests::table(2, &[&DATA]);
        assert_eq!(never(&with(Question::Layout, strange)), [Hold::Unknown]);
        assert_eq!(never(&with(Question::Clustered, vec![1])), [Hold::Held]);
    }

    #[test]
    fn what_takes_no_writes_or_may_be_another_one_is_never_written() {
        assert_eq!(never(&with(Question::Attributes, put(16, &[(8, 3)]))), [Hold::ReadOnly]);
        let mut protected = machine();
        answer(&mut protected, Question::Writable, Err(PROTECTED));
        assert_eq!(never(&protected), [Hold::ReadOnly]);
        for (kind, number) in [(DISK, 0), (DISK, 2), (2, 1), (0x24, 1)] {
            assert_eq!(never(&with(Question::Number, device_number(kind, number))), [Hold::Unknown]);
        }
        let drawn = |bus, serial| storage_descriptors::tests::drawn(bus, "", "Model", serial);
        let mut removable = drawn(7, "S4EWNX0R");
        removable[10] = 1;
        for bytes in
            [removable, drawn(0, "S4EWNX0R"), drawn(99, "S4EWNX0R"), drawn(17, ""), drawn(17, "SYSTEM")]
        {
            assert_eq!(never(&with(Question::Descriptor, bytes)), [Hold::Unknown]);
        }
    }

    #[test]
    fn of_a_machine_that_was_kept_only_the_drive_that_is_offline_can_be_named() {
        let kept = include_str!("../../../../fuzz/seeds/drives/offline.json");
        let machine: Capture = serde_json::from_str(kept).unwrap();
        assert!(machine.is_readable());
        let named = |machine: &Capture| -> Vec<bool> {
            let verdicts = machine.devices().into_iter().map(|device| device.verdict);
            verdicts.map(|verdict| matches!(verdict, Verdict::WithPermission { .. })).collect()
        };
        assert_eq!(named(&machine), [false, true, false]);
        let doubts: [fn(&mut Capture); 4] = [
            |machine| machine.volumes_listed = false,
            |machine| machine.volumes[0].roles.clear(),
            |machine| machine.volumes[3].device = None,
            |machine| machine.volumes.clear(),
        ];
        for doubt in doubts {
            let mut doubted = machine.clone();
            doubt(&mut doubted);
            assert_eq!(named(&doubted), [false; 3]);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_single_answer_of_drawn_bytes_makes_the_systems_drive_writable(
            at in 0usize..7,
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64),
        ) {
            let mut machine = machine();
            let question = machine.drives[0].answers[at].question;
            machine.drives[0].answers[at] = Answer::of(question, Ok(bytes));
            let verdict = machine.devices()[0].verdict.clone();
            proptest::prop_assert!(matches!(verdict, Verdict::Never { .. }), "{:?}", verdict);
        }
    }
}
