//! diskspd's `-rd`: shares of the I/O for parts of the target, in percent of it or in bytes.

use fathom_record::workload::Zone;

use super::size_notation::{leading_number, leading_size};
use crate::Fault;

/// Parts of the target from its start on, each with the share of I/Os that goes there. What is left of both
/// goes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Whether the parts are bytes and not percent of the target.
    pub absolute: bool,
    /// Share of the I/Os in percent, and length of the part; a length of 0 reaches to the end.
    pub parts: Vec<(u64, u64)>,
}

/// More parts than anybody means.
const MOST_PARTS: usize = 100;

impl Distribution {
    /// Reads what stands behind `-rd`: `pct90/10:5/5` or `abs10/1G:10/1G`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str, block_bytes: u64) -> Result<Self, Fault> {
        let (absolute, text) = match (text.strip_prefix("pct"), text.strip_prefix("abs")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err("-rd takes pct or abs, e.g. -rdpct90/10:10/90".into()),
        };
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let wrong = || format!("`{rest}` is not a valid I/O share and target part, e.g. 90/10");
            let (share, behind) = leading_number(rest).ok_or_else(wrong)?;
            let behind = behind.strip_prefix('/').ok_or_else(wrong)?;
            let (part, behind) = if absolute {
                leading_size(behind, block_bytes)?
            } else {
                leading_number(behind).ok_or_else(wrong)?
            };
            if part == 0 {
                return Err("a part of the target is not 0".into());
            }
            parts.push((share, part));
            rest = match behind {
                "" => break,
                behind => {
                    behind.strip_prefix(':').ok_or_else(|| format!("`{behind}` is not expected there"))?
                }
            };
        }
        let distribution = Self { absolute, parts };
        distribution.check(block_bytes)?;
        Ok(distribution)
    }

    /// Checks that shares and parts make a whole.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self, block_bytes: u64) -> Result<(), Fault> {
        let shares: u64 = self.parts.iter().map(|part| part.0.min(1000)).sum();
        if self.parts.len() > MOST_PARTS || shares > 100 {
            return Err(format!("the shares of the I/O add up to more than 100 % ({shares} %)").into());
        }
        if self.absolute {
            let last = self.parts.len().saturating_sub(1);
            let open = |(at, part): (usize, &(u64, u64))| part.1 == 0 && at == last;
            let too_small = |entry| !open(entry) && entry.1.1 < block_bytes;
            return match self.parts.iter().enumerate().find(|entry| too_small(*entry)) {
                Some((_, part)) => {
                    Err(format!("a part of {} bytes does not hold an I/O of {block_bytes}", part.1).into())
                }
                None => Ok(()),
            };
        }
        let covered: u64 = self.parts.iter().map(|part| part.1.min(1000)).sum();
        match covered {
            101.. => Err(format!("the parts of the target add up to more than 100 % ({covered} %)").into()),
            100 if shares < 100 => {
                Err(format!("the target is covered with {} % of the I/O left", 100 - shares).into())
            }
            _ => Ok(()),
        }
    }

    /// The same as zones of a span of so many bytes; parts beyond its end are cut, and their share goes to
    /// the others.
    ///
    /// # Errors
    /// When no part lies on it.
    pub fn zones(&self, span_bytes: Option<u64>) -> Result<Vec<Zone>, Fault> {
        let whole = match (self.absolute, span_bytes) {
            (false, _) => 100,
            (true, Some(bytes)) if bytes > 0 => bytes,
            (true, _) => return Err("the target's size is not known, and -rdabs goes by it".into()),
        };
        let (mut zones, mut at, mut given) = (Vec::new(), 0u64, 0u64);
        for &(share, part) in &self.parts {
            let length = if part == 0 { whole - at } else { part.min(whole - at) };
            if length == 0 {
                break;
            }
            zones.push((share, length));
            (at, given) = (at + length, given + share);
        }
        if at < whole && given < 100 && zones.len() == self.parts.len() {
            zones.push((100 - given, whole - at));
            (at, given) = (whole, 100);
        }
        if at < whole {
            zones.push((0, whole - at));
        }
        if given == 0 {
            return Err("no share of the I/O lies on the target".into());
        }
        let share = |(share, length): (u64, u64)| Zone {
            access_share: share as f64 / given as f64,
            span_share: length as f64 / whole as f64,
        };
        Ok(zones.into_iter().map(share).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(text: &str, span: u64) -> Vec<(u64, u64)> {
        let zones = Distribution::read(text, 4096).expect(text).zones(Some(span)).expect(text);
        zones
            .iter()
            .map(|zone| ((zone.access_share * 1e3).round() as u64, (zone.span_share * 1e3).round() as u64))
            .collect()
    }

    #[test]
    fn what_is_left_goes_together() {
        assert_eq!(zones("pct90/10", 1 << 30), [(900, 100), (100, 900)]);
        assert_eq!(zones("pct10/10:10/10:0/10", 1 << 30), [(100, 100), (100, 100), (0, 100), (800, 700)]);
        assert_eq!(zones("abs10/1G:10/1G:0/100G", 200 << 30), [(100, 5), (100, 5), (0, 500), (800, 490)]);
        assert_eq!(zones("abs60/1G:40/1G", 4 << 30), [(600, 250), (400, 250), (0, 500)]);
        assert_eq!(zones("abs60/1G:40/9G", 1 << 30), [(1000, 1000)], "what lies beyond the end is cut");
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        for text in [
            "",
            "foo",
            "foo10/1G",
            "pctBAD",
            "absBAD",
            "pct10",
            "abs10",
            "pct10[",
            "pct10/",
            "abs10/",
            "pct10/BAD",
            "pct10/10[",
            "abs10/10g[",
            "pct10/10:",
            "abs10/10g:",
            "pct10/10:BAD",
            "pct101/10",
            "pct60/10:60/10",
            "abs101/10g",
            "pct10/50:10/50",
            "pct10/50:10/60",
            "pct10/0",
            "abs10/0",
            "abs10/10",
        ] {
            assert!(Distribution::read(text, 4096).is_err(), "{text}");
        }
    }
}
