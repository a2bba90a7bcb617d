//! Which volumes lie on a drive, from the bytes that they answer, and what is against writing under them.

use serde::{Deserialize, Serialize};

use super::{Capture, Drive, Volume, storage_descriptors};
use crate::guard::{Hold, Reason};

/// Kinds of devices (`FILE_DEVICE_...`): discs lie on no drive, and a disk says its number unless it has none.
const DISCS: [u32; 2] = [0x02, 0x33];
const DISK: u32 = 7;
const NO_NUMBER: u32 = u32::MAX;

/// Bytes of one stretch of a volume (`DISK_EXTENT`), and where the first is in the answer.
const EXTENT: usize = 24;
const EXTENTS_AT: usize = 8;

/// What a volume is to the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The system runs from it.
    System,
    /// A file that memory is paged to lies in it.
    Paging,
}

/// The numbers of the drives that a volume lies on (`VOLUME_DISK_EXTENTS`); none where there are fewer bytes than
/// it says.
pub fn drives_of(bytes: &[u8]) -> Option<Vec<u32>> {
    let count = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let extents = bytes.get(EXTENTS_AT..)?.chunks_exact(EXTENT);
    if count == 0 || count > extents.len() {
        return None;
    }
    let numbers =
        extents.take(count).map(|extent| u32::from_le_bytes([extent[0], extent[1], extent[2], extent[3]]));
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

impl Volume {
    /// How it is called: its letter or folder, or its own name.
    fn label(&self) -> &str {
        self.places.first().map_or(self.name.as_str(), |place| place.trim_end_matches('\\'))
    }

    /// Whether it lies on a drive; unknown where it does not say.
    fn lies_on(&self, drive: &Drive) -> Option<bool> {
        let bytes = |digits: &Option<String>| super::bytes_of(digits.as_ref()?);
        if let Some(drives) = bytes(&self.extents).and_then(|bytes| drives_of(&bytes)) {
            return Some(drives.contains(&drive.number));
        }
        match bytes(&self.device).and_then(|bytes| storage_descriptors::number(&bytes))? {
            (kind, _) if DISCS.contains(&kind) => Some(false),
            (DISK, number) if number != NO_NUMBER => Some(number == drive.number),
            _ => None,
        }
    }

    /// Whether the system itself is on it, and it on a drive.
    pub fn carries_the_system(&self, drive: &Drive) -> bool {
        !self.roles.is_empty() && self.lies_on(drive) != Some(false)
    }
}

/// What is against writing a drive under the volumes of its machine, with what is to be done first where a volume can be
/// parted with. A volume that does not say where it lies may lie on any drive.
pub fn reasons(machine: &Capture, drive: &Drive, first: &str) -> Vec<Reason> {
    let volumes = &machine.volumes;
    let mut reasons = Vec::new();
    if !machine.volumes_listed {
        let text = "which volumes this machine has could not be established";
        reasons.push(Reason::new(Hold::Unknown, text));
    } else if !volumes.iter().any(|volume| volume.roles.contains(&Role::System)) {
        let text = "which volume the system runs from could not be established";
        reasons.push(Reason::new(Hold::Unknown, text));
    }
    let mut silent = volumes.iter().filter(|volume| volume.lies_on(drive).is_none());
    if let Some(volume) = silent.next() {
        let others = silent.count();
        let more = if others == 0 { String::new() } else { format!(", and where {others} more do,") };
        let text = format!("where volume {} lies{more} could not be established", volume.label());
        reasons.push(Reason::new(Hold::Unknown, text));
    }
    for volume in volumes.iter().filter(|volume| volume.lies_on(drive) == Some(true)) {
        let label = volume.label();
        let text = match &volume.file_system {
            Some(kind) => format!("volume {label} ({kind}) on it is mounted"),
            None => format!("volume {label} lies on it"),
        };
        reasons.push(Reason::new(Hold::Mounted, text).first(first));
        reasons.extend(volume.roles.iter().map(|role| match role {
            Role::System => Reason::new(Hold::Mounted, format!("the system runs from volume {label}")),
            Role::Paging => Reason::new(Hold::Swap, format!("memory is paged to volume {label}")),
        }));
    }
    reasons
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// An answer with stretches on these drives.
    pub fn drawn(drives: &[u32]) -> Vec<u8> {
        let mut bytes = (drives.len() as u64).to_le_bytes().to_vec();
        for drive in drives {
            bytes.extend(u64::from(*drive).to_le_bytes());
            bytes.extend([0; EXTENT - 8]);
        }
        bytes
    }

    fn volume(drives: Option<&[u32]>, roles: &[Role]) -> Volume {
        Volume {
            name: r"\\?\Volume{0}\".to_owned(),
            places: vec![r"C:\".to_owned()],
            file_system: Some("NTFS".to_owned()),
            extents: drives.map(|drives| super::super::digits(&drawn(drives))),
            roles: roles.to_vec(),
            device: None,
        }
    }

    /// What stands against writing drive 1 of a machine with these volumes and one that it runs from.
    fn against(mut volumes: Vec<Volume>) -> Vec<Reason> {
        volumes.push(volume(Some(&[7]), &[Role::System]));
        let machine = Capture { volumes, ..super::super::judgement::tests::machine() };
        reasons(&machine, &Drive { number: 1, answers: Vec::new(), drivers: Vec::new() }, "first")
    }

    #[test]
    fn stretches_are_counted_only_where_they_came() {
        assert_eq!(drives_of(&drawn(&[2, 0, 2])), Some(vec![0, 2]));
        assert_eq!(drives_of(&drawn(&[])), None);
        let whole = drawn(&[1, 2]);
        for length in 0..whole.len() {
            assert_eq!(drives_of(&whole[..length]), None, "{length}");
        }
        let mut many = whole;
        many[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(drives_of(&many), None);
    }

    #[test]
    fn a_drive_is_held_by_its_volumes_and_by_those_that_do_not_say_where_they_lie() {
        let holds = |volume: Volume| -> Vec<Hold> {
            against(vec![volume]).iter().map(|reason| reason.hold).collect()
        };
        assert_eq!(holds(volume(Some(&[0]), &[Role::System])), []);
        assert_eq!(holds(volume(Some(&[0, 1]), &[])), [Hold::Mounted]);
        assert_eq!(
            holds(volume(Some(&[1]), &[Role::System, Role::Paging])),
            [Hold::Mounted, Hold::Mounted, Hold::Swap]
        );
        assert_eq!(holds(volume(None, &[])), [Hold::Unknown]);
        let several = against(vec![volume(None, &[]), volume(None, &[])]);
        assert_eq!(several.len(), 1);
        assert!(several[0].text.contains("where volume C: lies, and where 1 more do,"), "{several:?}");
        let broken = Volume { extents: Some("0g".to_owned()), ..volume(None, &[]) };
        assert_eq!(holds(broken), [Hold::Unknown]);
        let reason = &against(vec![volume(Some(&[1]), &[])])[0];
        assert_eq!(
            (reason.text.as_str(), reason.first.as_str()),
            ("volume C: (NTFS) on it is mounted", "first")
        );
        let unnamed = Volume { places: Vec::new(), file_system: None, ..volume(Some(&[1]), &[]) };
        assert!(against(vec![unnamed])[0].text.contains("Volume{0}"));
    }
}
