//! Drives of Windows as they answered: kept as the bytes that came, so that a machine is looked at again anywhere.
//!
//! ```text
//! the system's answers, asked for reading nothing and changing nothing ─► Capture ─► a file, and back
//!                                                                          └─► devices, with what is against writing
//! ```

mod drivers;
mod judgement;
mod storage_descriptors;
mod volumes;

pub use drivers::{Driver, DriverPath, Stack};
pub use volumes::{Role, drives_of};

use std::fmt::Write;

use fathom_record::facts::DeviceFacts;
use serde::{Deserialize, Serialize};

use crate::device_listing::{Claims, Device};
use crate::guard::{self, Identity};

/// What the drives of one machine answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Always [`FORMAT`](Self::FORMAT).
    pub format: String,
    /// Version of this structure.
    pub version: u32,
    /// Settings that say which drivers are under the drives, by name; absent where there is no such setting.
    pub settings: Vec<Setting>,
    /// The drives, in the order of their numbers.
    pub drives: Vec<Drive>,
    /// The volumes of the machine, mounted or not; absent in files that are older than the question.
    #[serde(default)]
    pub volumes: Vec<Volume>,
    /// Whether the system listed its volumes to the last one.
    #[serde(default)]
    pub volumes_listed: bool,
}

/// One volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volume {
    /// Its own name, as `\\?\Volume{...}\`.
    pub name: String,
    /// Letters and folders that it is mounted at.
    pub places: Vec<String>,
    /// Its file system; absent where none is recognised, or it is locked.
    pub file_system: Option<String>,
    /// The bytes that say where it lies (`IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS`), in hexadecimal digits.
    pub extents: Option<String>,
    /// What it is to the system.
    #[serde(default)]
    pub roles: Vec<Role>,
    /// The bytes that say what kind of device it is, and its number (`IOCTL_STORAGE_GET_DEVICE_NUMBER`), in hexadecimal
    /// digits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub device: Option<String>,
}

/// One setting of the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Its name, as `disk drives`.
    pub name: String,
    /// Its number.
    pub value: Option<u32>,
}

/// One drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drive {
    /// Its number, as in `\\.\PhysicalDrive0`.
    pub number: u32,
    /// What it was asked, and what came.
    pub answers: Vec<Answer>,
    /// Its drivers, the one of its class first; none where the system names none for it.
    #[serde(default)]
    pub drivers: Vec<Driver>,
}

/// What one question brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What was asked.
    pub question: Question,
    /// The bytes that came, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<String>,
    /// The system's error number, where none came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<i32>,
}

/// What drives are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// What it is: `StorageDeviceProperty`.
    Descriptor,
    /// What carries its commands: `StorageAdapterProperty`.
    Adapter,
    /// Its blocks: `StorageAccessAlignmentProperty`.
    Alignment,
    /// Whether seeks cost something: `StorageDeviceSeekPenaltyProperty`.
    SeekPenalty,
    /// Whether it takes trims: `StorageDeviceTrimProperty`.
    Trim,
    /// Its cache: `StorageDeviceWriteCacheProperty`.
    WriteCache,
    /// Its size: `IOCTL_DISK_GET_DRIVE_GEOMETRY_EX`.
    Geometry,
    /// Its partitions: `IOCTL_DISK_GET_DRIVE_LAYOUT_EX`.
    Layout,
    /// Whether it is offline or read-only: `IOCTL_DISK_GET_DISK_ATTRIBUTES`.
    Attributes,
    /// What kind of device it is, and its number: `IOCTL_STORAGE_GET_DEVICE_NUMBER`.
    Number,
    /// Whether it takes writes, which no bytes but an error tells: `IOCTL_DISK_IS_WRITABLE`.
    Writable,
    /// Whether a cluster shares it: `IOCTL_DISK_IS_CLUSTERED`.
    Clustered,
    /// Health of an NVMe device, log page 02h.
    NvmeHealth,
    /// What an EBS volume counts, log page D0h.
    EbsStatistics,
}

impl Question {
    /// All, in the order in which they are asked.
    pub const ALL: [Self; 14] = [
        Self::Descriptor,
        Self::Adapter,
        Self::Alignment,
        Self::SeekPenalty,
        Self::Trim,
        Self::WriteCache,
        Self::Geometry,
        Self::Layout,
        Self::Attributes,
        Self::Number,
        Self::Writable,
        Self::Clustered,
        Self::NvmeHealth,
        Self::EbsStatistics,
    ];
}

/// The settings: how many drives the class drivers of both stacks have, and whether the native one was asked for.
pub const SETTINGS: [&str; 3] = ["drives of disk.sys", "drives of nvmedisk.sys", "native NVMe asked for"];

/// Questions about what a device counts itself, with the names of that.
const COUNTED: [(Question, &str); 2] =
    [(Question::NvmeHealth, "nvme health"), (Question::EbsStatistics, "EBS statistics")];
/// In the model of every EBS volume, of which the SCSI stack has no more letters.
const EBS_MODEL: &str = "Amazon Elastic B";

impl Capture {
    /// The format's name.
    pub const FORMAT: &'static str = "fathom.drives";
    /// The version that this build writes, and reads.
    pub const VERSION: u32 = 1;

    /// Whether this build can read it.
    pub fn is_readable(&self) -> bool {
        self.format == Self::FORMAT && self.version == Self::VERSION
    }

    /// The drives as devices, each with what stands against writing it.
    pub fn devices(&self) -> Vec<Device> {
        let (stack, asked) = (self.stack(), self.setting(SETTINGS[2]) == Some(1));
        let device = |drive: &Drive| drive.device(drive.carried(stack, asked), self);
        self.drives.iter().map(device).collect()
    }

    /// The driver of a drive's class, by the drive's name or serial number; none where no drive or more than one has it,
    /// or the system names no driver.
    pub fn class_driver(&self, device: &str) -> Option<String> {
        let is_asked_for = |known: &Device| {
            // Serial numbers of NVMe behind the SCSI stack end in a full stop.
            let serial = known.facts.serial.as_deref().map(|serial| serial.trim_end_matches('.'));
            known.facts.name.eq_ignore_ascii_case(device) || serial == Some(device)
        };
        let mut known = self.devices().into_iter().filter(is_asked_for);
        let (carried, others) = (known.next()?.carried?, known.next());
        let class = carried.drivers.into_iter().next().map(|driver| driver.service);
        class.or(carried.stack.class_driver().map(str::to_owned)).filter(|_| others.is_none())
    }

    fn setting(&self, name: &str) -> Option<u32> {
        self.settings.iter().find(|setting| setting.name == name)?.value
    }

    /// The stack of all drives by their class driver; unknown where both have some, or nobody says.
    fn stack(&self) -> Stack {
        let of = |name| self.setting(name).unwrap_or(0);
        match (of(SETTINGS[0]), of(SETTINGS[1])) {
            (0, 0) => Stack::Unknown,
            (_, 0) => Stack::Scsi,
            (0, _) => Stack::Native,
            _ => Stack::Unknown,
        }
    }
}

impl Answer {
    /// What came, or the error number.
    pub fn of(question: Question, came: Result<Vec<u8>, i32>) -> Self {
        match came {
            Ok(bytes) => Self { question, bytes: Some(digits(&bytes)), error: None },
            Err(error) => Self { question, bytes: None, error: Some(error) },
        }
    }
}

/// The size of a drive in bytes, from its geometry.
pub fn size_of_drive(bytes: &[u8]) -> Option<u64> {
    storage_descriptors::size(bytes).map(|(size, _)| size)
}

/// The unit of I/O past the cache of what answers so, in bytes: its logical block, or its sector.
pub fn block_of(ask: impl Fn(Question) -> Option<Vec<u8>>) -> Option<u32> {
    let by_alignment = || storage_descriptors::blocks(&ask(Question::Alignment)?).map(|(logical, _)| logical);
    let by_geometry = || storage_descriptors::size(&ask(Question::Geometry)?).map(|(_, sector)| sector);
    by_alignment().or_else(by_geometry).filter(|bytes| bytes.is_power_of_two() && *bytes >= 512)
}

/// What a drive is called by those who permit its destruction: its serial number, which behind the SCSI stack ends in a full
/// stop. Without one nothing permits it.
fn identity(serial: Option<String>, name: String) -> Identity {
    let shorter = serial.as_ref().and_then(|serial| serial.strip_suffix('.')).map(str::to_owned);
    Identity { words: serial.unwrap_or(name), also: shorter.into_iter().collect() }
}

/// Bytes as hexadecimal digits.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a text does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of digits; none where there is anything else among them.
fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2).map(|at| &digits[at..at + 2]);
    pairs.map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

impl Drive {
    fn answer<T>(&self, question: Question, read: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        let answer = self.answers.iter().find(|answer| answer.question == question)?;
        read(&bytes_of(answer.bytes.as_ref()?)?)
    }

    /// Its drivers, and its stack; that of all drives where it has no drivers of its own to tell it by.
    fn carried(&self, all: Stack, asked: bool) -> DriverPath {
        let stack = if self.drivers.is_empty() { all } else { drivers::stack(&self.drivers) };
        let remark = drivers::remark(stack, &self.drivers, asked);
        let is_unflushed =
            self.answer(Question::WriteCache, storage_descriptors::is_unflushed).unwrap_or(false);
        let unflushed = is_unflushed.then(|| drivers::UNFLUSHED.to_owned());
        DriverPath { stack, remark, unflushed, unanswered: self.unanswered(), drivers: self.drivers.clone() }
    }

    /// What an NVMe device was asked and did not answer; EBS volumes alone count what log page D0h has.
    fn unanswered(&self) -> Vec<String> {
        let described = self.answer(Question::Descriptor, storage_descriptors::described).unwrap_or_default();
        let is_ebs = described.model.is_some_and(|model| model.contains(EBS_MODEL));
        let asked = COUNTED.iter().filter(|(question, _)| match question {
            Question::EbsStatistics => is_ebs,
            _ => is_ebs || described.bus == Some("NVMe"),
        });
        let refused = asked.filter_map(|(question, what)| {
            let answer = self.answers.iter().find(|answer| answer.question == *question)?;
            Some(drivers::unanswered(what, &self.drivers, answer.error?))
        });
        refused.collect()
    }

    /// The error that a question brought.
    fn error(&self, question: Question) -> Option<i32> {
        self.answers.iter().find(|answer| answer.question == question)?.error
    }

    /// As it is typed.
    fn path(&self) -> String {
        format!(r"\\.\PhysicalDrive{}", self.number)
    }

    /// Its serial number.
    fn serial(&self) -> Option<String> {
        self.answer(Question::Descriptor, storage_descriptors::described)?.serial
    }

    fn device(&self, carried: DriverPath, machine: &Capture) -> Device {
        let described = self.answer(Question::Descriptor, storage_descriptors::described).unwrap_or_default();
        let blocks = self.answer(Question::Alignment, storage_descriptors::blocks);
        let size = self.answer(Question::Geometry, storage_descriptors::size);
        let name = format!("PhysicalDrive{}", self.number);
        let bus = described.bus.unwrap_or("drive");
        let facts = DeviceFacts {
            name: name.clone(),
            model: described.model,
            serial: described.serial.clone(),
            size_bytes: size.map_or(0, |(size, _)| size),
            layer: format!("{bus}, {} stack", carried.stack.name()),
            rotational: self.answer(Question::SeekPenalty, storage_descriptors::yes),
            write_cache: self
                .answer(Question::WriteCache, storage_descriptors::write_cache)
                .map(str::to_owned),
            ..DeviceFacts::default()
        };
        let identity = identity(described.serial, name);
        let reasons = judgement::reasons(machine, self);
        Device {
            disk: None,
            carried: Some(carried),
            verdict: guard::verdict(&reasons, &identity),
            reasons,
            identity,
            empty: None,
            reading_s: None,
            claims: Claims {
                direct_io: None,
                logical_block_bytes: blocks.map(|(logical, _)| logical).or(size.map(|(_, sector)| sector)),
                physical_block_bytes: blocks.map(|(_, physical)| physical),
                trim: self.answer(Question::Trim, storage_descriptors::yes).unwrap_or(false),
                counters: self.counters(),
            },
            unusable: size.is_none().then(|| "it does not say how large it is".to_owned()),
            path: self.path(),
            facts,
        }
    }

    fn counters(&self) -> Vec<String> {
        let came = |question| self.answer(question, |bytes| Some(!bytes.is_empty())).unwrap_or(false);
        COUNTED.iter().filter(|(question, _)| came(*question)).map(|(_, name)| (*name).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{Hold, Verdict};

    fn drive(answers: Vec<Answer>) -> Drive {
        Drive { number: 1, answers, drivers: Vec::new() }
    }

    fn capture(drives: Vec<Drive>) -> Capture {
        let settings = [Some(2), None, Some(1)];
        let settings = SETTINGS.iter().zip(settings);
        let settings = settings.map(|(name, value)| Setting { name: (*name).to_owned(), value }).collect();
        Capture {
            format: Capture::FORMAT.to_owned(),
            version: Capture::VERSION,
            settings,
            drives,
            volumes: Vec::new(),
            volumes_listed: false,
        }
    }

    /// Holds that no permission covers, each kind once.
    fn never(device: &Device) -> Vec<Hold> {
        let mut holds: Vec<Hold> = device.reasons.iter().map(|reason| reason.hold).collect();
        holds.retain(|hold| !hold.permission_covers());
        holds.sort_by_key(|hold| format!("{hold:?}"));
        holds.dedup();
        holds
    }

    fn answers() -> Vec<Answer> {
        let mut geometry = vec![0; 32];
        geometry[21] = 2;
        geometry[28] = 1;
        let mut attributes = vec![0; 16];
        attributes[8] = 2;
        vec![
            Answer::of(
                Question::Descriptor,
                Ok(storage_descriptors::tests::drawn(17, "", "Model", "S4EWNX0R")),
            ),
            Answer::of(Question::Geometry, Ok(geometry)),
            Answer::of(Question::Attributes, Ok(attributes)),
            Answer::of(Question::Trim, Err(1)),
        ]
    }

    #[test]
    fn a_drive_is_a_device_that_is_never_written_while_questions_are_open() {
        let device = capture(vec![drive(answers())]).devices().remove(0);
        assert_eq!((device.path.as_str(), device.facts.size_bytes), (r"\\.\PhysicalDrive1", 1 << 32));
        assert_eq!(
            (device.facts.layer.as_str(), device.identity.words.as_str()),
            ("NVMe, scsi stack", "S4EWNX0R")
        );
        assert_eq!(device.claims.logical_block_bytes, Some(512));
        assert_eq!(never(&device), [Hold::ReadOnly, Hold::Unknown]);
        assert!(matches!(device.verdict, Verdict::Never { .. }));
        assert_eq!(device.unusable, None);
    }

    #[test]
    fn a_drive_has_the_stack_of_its_own_drivers_and_is_held_by_its_volumes() {
        let named = |service: &str| Driver { service: service.to_owned(), ..Driver::default() };
        let mut machine = capture(vec![drive(answers()), drive(answers())]);
        machine.drives[0].drivers = vec![named("disk"), named("stornvme")];
        machine.drives[1].drivers = vec![named("nvmedisk"), named("stornvme")];
        machine.drives[1].number = 2;
        machine.volumes = vec![Volume {
            name: r"\\?\Volume{0}\".to_owned(),
            places: vec![r"D:\".to_owned()],
            file_system: Some("NTFS".to_owned()),
            extents: Some(digits(&volumes::tests::drawn(&[2]))),
            roles: vec![Role::Paging],
            device: None,
        }];
        let devices = machine.devices();
        let layers: Vec<&str> = devices.iter().map(|device| device.facts.layer.as_str()).collect();
        assert_eq!(layers, ["NVMe, scsi stack", "NVMe, native stack"]);
        assert_eq!(machine.class_driver("physicaldrive2").as_deref(), Some("nvmedisk"));
        assert_eq!(machine.class_driver("S4EWNX0R"), None, "two drives have this serial number");
        assert_eq!(machine.class_driver("PhysicalDrive3"), None);
        machine.drives.truncate(1);
        assert_eq!(machine.class_driver("S4EWNX0R").as_deref(), Some("disk"));
        machine.drives[0].drivers.clear();
        assert_eq!(machine.class_driver("S4EWNX0R").as_deref(), Some("disk"), "as all drives");
        let carried = devices[0].carried.as_ref().unwrap();
        assert!(carried.remark.as_ref().unwrap().contains("not in force"), "{carried:?}");
        assert_eq!(devices[1].carried.as_ref().unwrap().remark, None);
        assert_eq!(never(&devices[0]), [Hold::ReadOnly, Hold::Unknown]);
        assert_eq!(never(&devices[1]), [Hold::Mounted, Hold::ReadOnly, Hold::Swap, Hold::Unknown]);
    }

    #[test]
    fn a_drive_whose_cache_is_not_flushed_says_so() {
        for (byte, said) in [(0, false), (1, true)] {
            let mut cache = vec![0; 28];
            cache[25] = byte;
            let device =
                capture(vec![drive(vec![Answer::of(Question::WriteCache, Ok(cache))])]).devices().remove(0);
            assert_eq!(device.carried.unwrap().unflushed.is_some(), said);
        }
    }

    #[test]
    fn what_an_ebs_volume_does_not_answer_is_said_with_the_driver() {
        let answers = |bus: u32, model: &str| {
            vec![
                Answer::of(
                    Question::Descriptor,
                    Ok(storage_descriptors::tests::drawn(bus, "", model, "vol0123")),
                ),
                Answer::of(Question::NvmeHealth, Ok(vec![0; 512])),
                Answer::of(Question::EbsStatistics, Err(1)),
            ]
        };
        let said = |bus, model| {
            let device = capture(vec![drive(answers(bus, model))]).devices().remove(0);
            (device.carried.unwrap().unanswered, device.claims.counters)
        };
        // Behind a driver of SCSI it is an EBS volume all the same.
        for bus in [17, 1] {
            let model = if bus == 17 { "Amazon Elastic Block Store" } else { "NVMe Amazon Elastic B" };
            let (unanswered, counters) = said(bus, model);
            assert_eq!(counters, ["nvme health"]);
            assert_eq!(unanswered.len(), 1);
            assert!(unanswered[0].starts_with("EBS statistics: the driver does not pass"), "{unanswered:?}");
        }
        assert!(said(17, "Model").0.is_empty());
    }

    #[test]
    fn a_file_without_drivers_and_volumes_is_read() {
        let old =
            r#"{"format":"fathom.drives","version":1,"settings":[],"drives":[{"number":3,"answers":[]}]}"#;
        let read: Capture = serde_json::from_str(old).unwrap();
        assert!(read.is_readable() && read.volumes.is_empty());
        assert_eq!(read.devices()[0].facts.layer, "drive, unknown stack");
    }

    #[test]
    fn a_drive_without_answers_is_still_listed_and_refused() {
        for answers in [
            Vec::new(),
            vec![Answer { bytes: Some("0g".to_owned()), ..Answer::of(Question::Descriptor, Err(5)) }],
        ] {
            let device = capture(vec![drive(answers)]).devices().remove(0);
            assert_eq!((device.facts.size_bytes, device.identity.words.as_str()), (0, "PhysicalDrive1"));
            assert!(matches!(device.verdict, Verdict::Never { .. }));
        }
    }

    #[test]
    fn the_unit_of_io_is_the_logical_block_or_the_sector_or_unknown() {
        let put = |at: usize, bytes: u32| {
            let mut answer = vec![0; 32];
            answer[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
            answer[28] = 1;
            answer
        };
        let both = |asked: Question| match asked {
            Question::Alignment => {
                let mut answer = put(16, 4096);
                answer[20..24].copy_from_slice(&4096u32.to_le_bytes());
                Some(answer)
            }
            _ => Some(put(20, 512)),
        };
        assert_eq!(block_of(both), Some(4096));
        assert_eq!(block_of(|asked| both(asked).filter(|_| asked == Question::Geometry)), Some(512));
        assert_eq!(block_of(|_| None), None);
        for odd in [0, 1, 500, 513, 3 << 10] {
            assert_eq!(block_of(|asked| Some(put(20, odd)).filter(|_| asked == Question::Geometry)), None);
        }
        assert_eq!((size_of_drive(&put(20, 512)), size_of_drive(&[])), (Some(1 << 32), None));
    }

    #[test]
    fn a_serial_number_names_a_drive_with_and_without_its_full_stop() {
        let named = identity(Some("vol0123_00000001.".to_owned()), "PhysicalDrive1".to_owned());
        assert_eq!(
            (named.words.as_str(), named.also.as_slice()),
            ("vol0123_00000001.", &["vol0123_00000001".to_owned()][..])
        );
        assert!(identity(Some("S4".to_owned()), String::new()).also.is_empty());
    }

    #[test]
    fn a_capture_is_the_same_from_its_file() {
        let written = capture(vec![drive(answers())]);
        let text = serde_json::to_string(&written).unwrap();
        let read: Capture = serde_json::from_str(&text).unwrap();
        assert!(read == written && read.is_readable());
        assert!(!Capture { version: 2, ..written.clone() }.is_readable());
        assert!(!Capture { format: "fathom.run".to_owned(), ..written }.is_readable());
    }

    #[test]
    fn digits_are_bytes_or_nothing() {
        assert_eq!(bytes_of(&digits(&[0, 0x5a, 0xff])), Some(vec![0, 0x5a, 0xff]));
        for broken in ["0", "0g", "é", "+1", "00 1"] {
            assert_eq!(bytes_of(broken), None, "{broken}");
        }
    }
}
