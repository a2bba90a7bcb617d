//! Sizes of I/Os: `bs`, `bsrange`, `bssplit` and alignment, for each direction.

use fathom_record::workload::{SizeShare, Sizes, SizesByDirection};

use super::Mapper;
use super::direction::Kind;
use crate::fio::value;
use crate::{Fault, Refusal};

const DEFAULT_BYTES: u64 = 4096;
/// Parts that a split may have: as many as fio takes.
const MOST_PARTS: usize = 64;

impl Mapper<'_> {
    /// A split is stronger than a range, and that than a size, wherever they stand.
    pub(super) fn sizes(&mut self, kind: &Kind) -> Result<SizesByDirection, Refusal> {
        let [read, write, trim] = self.given_sizes()?;
        let read = if self.only_verifies()? { write.clone() } else { read };
        // A write has the size of the trim before it.
        let rewrites_trimmed = kind.rewrites_trimmed();
        let write = if rewrites_trimmed { trim.clone() } else { write };
        let mut sizes = SizesByDirection { read, write, trim, own_alignment: false, rewrites_trimmed };
        if self.job.flag("bs_is_seq_rand", false)? {
            // The first is of I/Os that follow one another, the second of random ones.
            // Where only some are random, those have the second by themselves.
            let some = self.job.last("percentage_random").is_some_and(|given| given.text() != "100");
            let all = if kind.random && !some { sizes.write } else { sizes.read };
            sizes = SizesByDirection { rewrites_trimmed, ..SizesByDirection::all(all) };
        }
        let smallest = [&sizes.read, &sizes.write, &sizes.trim].map(Sizes::min_bytes);
        sizes.own_alignment = kind.random && smallest.iter().any(|bytes| *bytes != smallest[0]);
        Ok(sizes)
    }

    /// Sizes of reads, writes and trims as they are given.
    pub(super) fn given_sizes(&mut self) -> Result<[Sizes; 3], Refusal> {
        if self.job.last("bssplit").is_some() {
            self.of_each("bssplit", |mapper, text| mapper.split(text))
        } else if self.job.last("bsrange").is_some() {
            self.of_each("bsrange", |mapper, text| mapper.range(text))
        } else {
            self.of_each("bs", |mapper, text| {
                value::bytes(text, mapper.kilo).map(|bytes| Sizes::Fixed { bytes })
            })
        }
    }

    /// One value for each direction, where commas part them.
    fn of_each(
        &mut self,
        name: &str,
        read: impl Fn(&mut Self, &str) -> Result<Sizes, Fault>,
    ) -> Result<[Sizes; 3], Refusal> {
        let default = || Sizes::Fixed { bytes: DEFAULT_BYTES };
        let Some(given) = self.job.last(name) else { return Ok([default(), default(), default()]) };
        let mut each = Vec::with_capacity(3);
        for part in value::triple(given.text()) {
            each.push(match part {
                Some(part) => read(self, part).map_err(|fault| given.refuse(fault))?,
                None => default(),
            });
        }
        Ok(each.try_into().unwrap_or_else(|_| [default(), default(), default()]))
    }

    /// `4k-16k`: the multiples of the smallest, all as often.
    fn range(&mut self, text: &str) -> Result<Sizes, Fault> {
        let Some((from, to)) = text.split_once(['-', ':']) else {
            return Err(format!("`{text}` is not a range: write one as 4k-64k").into());
        };
        let (min_bytes, max_bytes) = (value::bytes(from, self.kilo)?, value::bytes(to, self.kilo)?);
        if min_bytes > max_bytes {
            return Err(format!("`{text}` ends before it begins").into());
        }
        if min_bytes == max_bytes {
            return Ok(Sizes::Fixed { bytes: min_bytes });
        }
        if min_bytes > 0 && max_bytes % min_bytes != 0 {
            self.hand_over(format!("bsrange={text}: the largest size is not a multiple of the smallest"));
            let max_bytes = max_bytes - max_bytes % min_bytes;
            return Ok(match max_bytes > min_bytes {
                true => Sizes::Range { min_bytes, max_bytes, step_bytes: min_bytes },
                false => Sizes::Fixed { bytes: min_bytes },
            });
        }
        Ok(Sizes::Range { min_bytes, max_bytes, step_bytes: min_bytes })
    }

    /// `4k/60:64k/`: sizes with percentages; those without share what is left.
    fn split(&mut self, text: &str) -> Result<Sizes, Fault> {
        let mut parts: Vec<(u64, Option<f64>)> = Vec::new();
        for part in text.split(':').filter(|part| !part.is_empty()) {
            let (size, percent) = part.split_once('/').unwrap_or((part, ""));
            let bytes = value::bytes(size, self.kilo)?;
            let percent = match percent.trim() {
                "" => None,
                percent => Some(value::int(percent)? as f64),
            };
            parts.push((bytes, percent));
        }
        if parts.len() > MOST_PARTS {
            return Err(format!("a split has at most {MOST_PARTS} parts").into());
        }
        let given: f64 = parts.iter().filter_map(|(_, percent)| *percent).sum();
        let open = parts.iter().filter(|(_, percent)| percent.is_none()).count();
        if given > 100.0 || given < 100.0 && open == 0 || parts.is_empty() {
            return Err(format!("the percentages of `{text}` are {given} together, not 100").into());
        }
        let rest = if open > 0 { (100.0 - given) / open as f64 } else { 0.0 };
        let shares = parts
            .into_iter()
            .map(|(bytes, percent)| SizeShare { bytes, share: percent.unwrap_or(rest) / 100.0 });
        Ok(Sizes::Split { shares: shares.filter(|part| part.share > 0.0).collect() })
    }

    /// What offsets are multiples of; nothing for the smallest size.
    pub(super) fn alignment(
        &mut self,
        kind: &Kind,
        sizes: &SizesByDirection,
    ) -> Result<Option<u64>, Refusal> {
        let Some(given) = self.job.last("ba").filter(|_| kind.random) else { return Ok(None) };
        let each: Result<Vec<u64>, Fault> = value::triple(given.text())
            .into_iter()
            .flatten()
            .map(|part| value::bytes(part, self.kilo))
            .collect();
        let each = each.map_err(|fault| given.refuse(fault))?;
        if each.iter().any(|bytes| *bytes != each[0]) || sizes.own_alignment {
            self.hand_over(format!(
                "ba={}: directions with alignments of their own are not alike",
                given.text()
            ));
        }
        Ok(each.first().copied().filter(|bytes| *bytes > 0))
    }
}
