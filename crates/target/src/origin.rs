//! What a device was when a campaign began on it, and whether what is there now is that device, with that
//! campaign's data.

use serde::{Deserialize, Serialize};

use super::device_mark::MarkId;
use crate::{Error, ErrorKind};

/// A block device as it can be known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The kernel's name, as `sdb`.
    pub name: String,
    /// Serial number or world-wide name that no other disk of the machine has.
    pub serial: Option<String>,
    /// Size.
    pub size_bytes: u64,
    /// Number that no other disk gets until the machine starts again (`diskseq`).
    pub sequence: Option<u64>,
    /// Id of that start.
    pub boot: Option<String>,
    /// Whether it was admitted for writing.
    pub writes: bool,
    /// The mark that is written to it, or was found on it.
    pub mark: Option<MarkId>,
}

/// What stands where a campaign began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginMatch {
    /// The same device, and what it holds is the campaign's own data.
    Own,
    /// The same device; its data may be anybody's.
    Same,
    /// Another device, or nothing shows that it is the same.
    Other,
}

impl Origin {
    /// Holds what is there now against what was there.
    ///
    /// A mark is written before the first byte of a campaign and lies where no workload writes: without it the
    /// data on the device is not the campaign's, or is no longer. Only where there was no room for one does the
    /// disk's sequence number have to do.
    pub fn judge(&self, now: &Self) -> OriginMatch {
        let differ = |one: &Option<String>, two: &Option<String>| {
            one.as_ref().zip(two.as_ref()).is_some_and(|(one, two)| one != two)
        };
        if self.size_bytes != now.size_bytes || differ(&self.serial, &now.serial) {
            return OriginMatch::Other;
        }
        if self.mark.is_some() && self.mark == now.mark {
            return OriginMatch::Own;
        }
        let same_start = self.boot.is_some() && self.boot == now.boot;
        let same_number = self.serial.is_some() && self.serial == now.serial;
        match self.sequence.zip(now.sequence).filter(|_| same_start) {
            Some((then, now)) if then == now && self.writes && self.mark.is_none() => OriginMatch::Own,
            Some((then, now)) if then == now => OriginMatch::Same,
            // It was taken out and put in again.
            _ if same_number => OriginMatch::Same,
            Some(_) => OriginMatch::Other,
            // Nothing but its size and name: enough to read, not to write.
            None if self.writes => OriginMatch::Other,
            None => OriginMatch::Same,
        }
    }

    /// Lets pass the device that a campaign began on, with how it stands to that; `now` is what is there, if it is a device.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] for another device.
    pub fn require(&self, place: &str, now: Option<&Self>) -> Result<OriginMatch, Error> {
        let standing = now.map_or(OriginMatch::Other, |now| self.judge(now));
        if standing != OriginMatch::Other {
            return Ok(standing);
        }
        let now = now.map_or("no block device".to_owned(), Self::words);
        let cause = format!(
            "refused, because this is not the device that the campaign began on\n  - begun on: {}\n  - here now: {now}",
            self.words()
        );
        Err(Error::new(ErrorKind::Refused, place, cause))
    }

    /// In words.
    pub fn words(&self) -> String {
        let serial =
            self.serial.as_ref().map_or("no serial number".to_owned(), |s| format!("serial number {s}"));
        let sequence =
            self.sequence.map_or(String::new(), |number| format!(", disk sequence number {number}"));
        let mark = self.mark.map_or(String::new(), |id| format!(", mark {id}"));
        format!("{}, {serial}, {} bytes{sequence}{mark}", self.name, self.size_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn began() -> Origin {
        Origin {
            name: "sdb".to_owned(),
            serial: Some("S4EW".to_owned()),
            size_bytes: 1 << 30,
            sequence: Some(7),
            boot: Some("one".to_owned()),
            writes: true,
            mark: Some(MarkId::random()),
        }
    }

    #[test]
    fn its_mark_makes_it_the_campaigns_after_a_restart_and_under_another_name() {
        let began = began();
        let now = Origin { name: "sdc".into(), boot: Some("two".into()), sequence: Some(9), ..began.clone() };
        assert_eq!(began.judge(&now), OriginMatch::Own);
        assert_eq!(
            began.judge(&Origin { sequence: Some(9), serial: None, ..began.clone() }),
            OriginMatch::Own
        );
    }

    #[test]
    fn a_device_known_by_its_serial_number_alone_is_the_same_under_another_name_and_no_other() {
        let known = |serial: Option<&str>, writes| Origin {
            name: "PhysicalDrive1".to_owned(),
            serial: serial.map(str::to_owned),
            sequence: None,
            boot: None,
            mark: None,
            writes,
            ..began()
        };
        for writes in [false, true] {
            let began = known(Some("S4EW"), writes);
            let moved = Origin { name: "PhysicalDrive2".to_owned(), ..began.clone() };
            assert_eq!(began.require("x", Some(&moved)).unwrap(), OriginMatch::Same);
            for other in [Some(known(Some("S5"), writes)), None] {
                let refused = began.require("x", other.as_ref()).unwrap_err();
                assert!(refused.cause.contains("begun on: PhysicalDrive1, serial number S4EW"), "{refused}");
            }
            // Without one it is good for reading alone.
            let unnamed = known(None, writes);
            assert_eq!(unnamed.require("x", Some(&unnamed)).is_ok(), !writes);
        }
    }

    #[test]
    fn another_size_or_serial_number_is_another_device_whatever_mark_it_bears() {
        let began = began();
        assert_eq!(began.judge(&Origin { size_bytes: 2 << 30, ..began.clone() }), OriginMatch::Other);
        assert_eq!(began.judge(&Origin { serial: Some("S5".into()), ..began.clone() }), OriginMatch::Other);
    }

    #[test]
    fn without_its_mark_the_data_is_not_its_own() {
        let began = began();
        for mark in [None, Some(MarkId::random())] {
            assert_eq!(began.judge(&Origin { mark, ..began.clone() }), OriginMatch::Same);
            let nameless = Origin { serial: None, ..began.clone() };
            let replaced = Origin { mark, sequence: Some(8), ..began.clone() };
            let restarted = Origin { mark, boot: Some("two".into()), ..began.clone() };
            for elsewhere in [replaced, restarted] {
                assert_eq!(began.judge(&elsewhere), OriginMatch::Same);
                assert_eq!(nameless.judge(&Origin { serial: None, ..elsewhere }), OriginMatch::Other);
            }
        }
    }

    #[test]
    fn where_no_mark_fits_the_sequence_number_has_to_do_and_only_for_what_was_written() {
        let began = Origin { mark: None, ..began() };
        assert_eq!(began.judge(&began), OriginMatch::Own);
        let replaced = Origin { sequence: Some(8), ..began.clone() };
        assert_eq!(began.judge(&replaced), OriginMatch::Same);
        assert_eq!(Origin { serial: None, ..began.clone() }.judge(&replaced), OriginMatch::Other);
        assert_eq!(began.judge(&Origin { boot: Some("two".into()), ..began.clone() }), OriginMatch::Same);
        let read = Origin { writes: false, ..began.clone() };
        assert_eq!(read.judge(&began), OriginMatch::Same);
        let nameless = Origin { serial: None, boot: None, ..read };
        assert_eq!(nameless.judge(&nameless), OriginMatch::Same);
    }
}
