//! Which drivers are under a drive, and which stack they are: the SCSI one, native NVMe, or somebody else's.

use serde::{Deserialize, Serialize};

/// One driver, as the system tells it of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driver {
    /// Name of its service: `disk`, `nvmedisk` or `stornvme`.
    pub service: String,
    /// Class of the device that it drives: `DiskDrive` and its like.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    /// Its version, e.g. `10.0.26100.8521`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
}

/// What carries a device's I/O through the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DriverPath {
    /// The stack.
    pub stack: Stack,
    /// The drivers, the one of the class first; none where the system names none for this device.
    pub drivers: Vec<Driver>,
    /// What is odd about it, with what to do.
    pub remark: Option<String>,
    /// That flushes are kept from its cache, with what to do; none where they reach it, or nothing tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unflushed: Option<String>,
    /// Questions about NVMe that were not answered, each with the reason.
    pub unanswered: Vec<String>,
}

/// What is said of a drive whose cache the system was told not to flush.
pub const UNFLUSHED: &str = "the system was configured to assume that its cache outlives a loss of power, and flushes it no more: flushes and \
                             write-through say nothing of what lasts; to change it: its policies in the Device Manager";

/// The stack under a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stack {
    /// The class driver of SCSI over a driver of the system's own.
    Scsi,
    /// The class driver of NVMe.
    Native,
    /// A driver that is not the system's own, which neither of both replaces.
    Vendor,
    /// The system does not say.
    Unknown,
}

impl Stack {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scsi => "scsi",
            Self::Native => "native",
            Self::Vendor => "vendor",
            Self::Unknown => "unknown",
        }
    }

    /// The class driver that it is told by.
    pub fn class_driver(self) -> Option<&'static str> {
        match self {
            Self::Scsi => Some(SCSI_CLASS),
            Self::Native => Some(NATIVE_CLASS),
            Self::Vendor | Self::Unknown => None,
        }
    }
}

/// Class drivers of both stacks.
const SCSI_CLASS: &str = "disk";
const NATIVE_CLASS: &str = "nvmedisk";
/// Who made the system's own drivers.
const MICROSOFT: &str = "Microsoft";
/// The system's own drivers that carry drives, where nobody says who made one.
const OWN: [&str; 14] = [
    "stornvme",
    "storahci",
    "storufs",
    "stornvmf",
    "storvsc",
    "spaceport",
    "usbstor",
    "uaspstor",
    "sdstor",
    "sbp2port",
    "iscsiprt",
    "vhdmp",
    "atapi",
    "pciide",
];
/// The one that native NVMe replaces the class driver of.
const NVME: &str = "stornvme";

impl Driver {
    fn is(&self, service: &str) -> bool {
        self.service.eq_ignore_ascii_case(service)
    }

    fn is_own(&self) -> bool {
        match &self.provider {
            Some(provider) => provider.starts_with(MICROSOFT),
            None => [SCSI_CLASS, NATIVE_CLASS].iter().chain(&OWN).any(|own| self.is(own)),
        }
    }
}

/// The stack of a drive's drivers, the one of the class first.
pub fn stack(drivers: &[Driver]) -> Stack {
    let Some(class) = drivers.first() else { return Stack::Unknown };
    let foreign = drivers.iter().take(2).any(|driver| !driver.is_own());
    match class {
        // What carries it is the same in both.
        class if class.is(NATIVE_CLASS) => Stack::Native,
        _ if foreign => Stack::Vendor,
        class if class.is(SCSI_CLASS) => Stack::Scsi,
        _ => Stack::Unknown,
    }
}

/// What to say where native NVMe was asked for and an NVMe drive has another stack.
pub fn remark(stack: Stack, drivers: &[Driver], asked: bool) -> Option<String> {
    let carrier = drivers.get(1);
    match stack {
        Stack::Scsi if asked && carrier.is_some_and(|driver| driver.is(NVME)) => Some(
            "native NVMe is asked for and not in force: restart the machine, and install what the system has of updates"
                .to_owned(),
        ),
        Stack::Vendor if asked => {
            let name = carrier.or(drivers.first()).map_or("its driver", |driver| driver.service.as_str());
            Some(format!("native NVMe is asked for, and {name} keeps its stack: only drives of {NVME} change"))
        }
        _ => None,
    }
}

/// Why a question about NVMe was not answered, by the system's error number.
pub fn unanswered(what: &str, drivers: &[Driver], error: i32) -> String {
    let driver = drivers.get(1).or(drivers.first()).map_or("the driver", |driver| driver.service.as_str());
    match error {
        1 | 50 | 87 => format!("{what}: {driver} does not pass such questions to the device (error {error})"),
        5 => format!("{what}: it takes an administrator to ask: start the terminal as one (error 5)"),
        _ => format!("{what}: {driver} answered with error {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(service: &str, provider: Option<&str>) -> Driver {
        Driver {
            service: service.to_owned(),
            provider: provider.map(str::to_owned),
            version: Some("10.0.26100.8521".to_owned()),
            ..Driver::default()
        }
    }

    #[test]
    fn a_stack_is_told_by_the_class_driver_and_by_who_made_what_carries_it() {
        let microsoft = Some("Microsoft");
        let cases = [
            (vec![driver("disk", microsoft), driver("stornvme", microsoft)], Stack::Scsi),
            (vec![driver("Disk", None), driver("StorNVMe", None)], Stack::Scsi),
            (vec![driver("disk", microsoft)], Stack::Scsi),
            (vec![driver("nvmedisk", microsoft), driver("stornvme", microsoft)], Stack::Native),
            (vec![driver("disk", microsoft), driver("AWSNVMe", Some("Amazon Inc."))], Stack::Vendor),
            (vec![driver("disk", None), driver("iaStorVD", None)], Stack::Vendor),
            (vec![driver("acmedisk", Some("ACME"))], Stack::Vendor),
            (vec![driver("partmgr", microsoft), driver("stornvme", microsoft)], Stack::Unknown),
            // What is above the carrier, as a bus, may be anybody's.
            (
                vec![driver("disk", microsoft), driver("stornvme", microsoft), driver("vmd", Some("Intel"))],
                Stack::Scsi,
            ),
            (Vec::new(), Stack::Unknown),
        ];
        for (drivers, expected) in cases {
            assert_eq!(stack(&drivers), expected, "{drivers:?}");
        }
    }

    #[test]
    fn a_question_without_an_answer_names_the_driver_or_the_right_that_it_takes() {
        let vendor = [driver("disk", None), driver("iaStorVD", None)];
        assert!(unanswered("NVMe health", &vendor, 1).contains("iaStorVD does not pass"));
        assert!(unanswered("NVMe health", &vendor, 5).contains("administrator"));
        assert!(unanswered("NVMe health", &[], 1117).contains("the driver answered with error 1117"));
    }

    #[test]
    fn what_was_asked_for_and_is_not_in_force_is_said() {
        let scsi = [driver("disk", None), driver("stornvme", None)];
        assert!(remark(Stack::Scsi, &scsi, true).unwrap().contains("restart"));
        assert_eq!(remark(Stack::Scsi, &scsi, false), None);
        assert_eq!(remark(Stack::Scsi, &[driver("disk", None), driver("storahci", None)], true), None);
        let vendor = [driver("disk", None), driver("iaStorVD", Some("Intel"))];
        assert!(remark(Stack::Vendor, &vendor, true).unwrap().contains("iaStorVD keeps"));
        assert_eq!(remark(Stack::Native, &[driver("nvmedisk", None)], true), None);
    }
}
