//! What goes beyond mix, addresses, sizes and arrival: flushes, passes over the page cache, files in turn, content.

use fathom_record::engine_list::InFlight;
use fathom_record::facts::TargetKind;
use fathom_record::workload::{
    AccessHint, Addresses, CacheAdvice, FileOrder, FileTurns, Mix, Sizes, SizesByDirection, SpecialFeatures,
};

use super::direction::Kind;
use super::file_regions::{Place, Region};
use super::{Mapper, has_reads, has_writes};
use crate::fio::value::{self, KiloBase};
use crate::{Fault, Refusal};

/// What is known of a job when its special wishes are read.
pub(super) struct JobShape<'a> {
    pub kind: &'a Kind,
    pub mix: &'a Mix,
    pub sizes: &'a SizesByDirection,
    pub addresses: &'a Addresses,
    pub place: &'a Place,
    pub region: &'a Region,
    pub depth: u32,
    /// What offsets are multiples of, where that is not the smallest size.
    pub alignment_bytes: Option<u64>,
}

impl Mapper<'_> {
    /// Nothing where the job has no such wish.
    pub(super) fn special(&mut self, known: &JobShape<'_>) -> Result<Option<Box<SpecialFeatures>>, Refusal> {
        let writes = has_writes(known.mix);
        let at_end = self.job.flag("end_fsync", false)? || self.job.flag("fsync_on_close", false)?;
        let block = known.alignment_bytes.unwrap_or(super::extremes(known.mix, known.sizes).0).max(1);
        let files = self.turns(known)?;
        let special = SpecialFeatures {
            flush_metadata: known.mix.flush_every_writes > 0 && self.job.int("fsync")?.unwrap_or(0) > 0,
            flush_at_end: at_end && writes && !known.place.is_null,
            blocks_from_offset: files.is_none()
                && [known.region.offset_bytes, known.region.increment_bytes]
                    .iter()
                    .any(|at| !at.is_multiple_of(block)),
            jump_sizes: self.jump_sizes(known)?,
            files,
            content: if writes { self.content()? } else { None },
            batch: self.batch()?,
            refill_at: self.refill_at(known.depth)?,
            cache: self.cache_advice(known)?,
        };
        Ok((special != SpecialFeatures::default()).then(|| Box::new(special)))
    }

    /// Of a job that goes once over what a log names.
    pub(super) fn dropped_once(&self) -> Result<Option<Box<SpecialFeatures>>, Refusal> {
        let cache = Some(CacheAdvice { drop: true, ..CacheAdvice::default() });
        let drops = self.job.flag("invalidate", true)?;
        Ok(drops.then(|| Box::new(SpecialFeatures { cache, ..SpecialFeatures::default() })))
    }

    /// The second size of `bs_is_seq_rand`, where only some of the I/Os are random.
    fn jump_sizes(&mut self, known: &JobShape<'_>) -> Result<Option<Sizes>, Refusal> {
        let jumps = matches!(known.addresses, Addresses::Laps { jump_share, .. } if *jump_share > 0.0);
        if !jumps || !self.job.flag("bs_is_seq_rand", false)? {
            return Ok(None);
        }
        let [in_order, random, _] = self.given_sizes()?;
        if in_order != random && !self.job.flag("norandommap", false)? {
            self.warn(super::MAP_ENDS_EARLY);
        }
        Ok(Some(random))
    }

    /// How a clone goes from file to file; fio's default is one I/O for each in turn.
    fn turns(&mut self, known: &JobShape<'_>) -> Result<Option<FileTurns>, Refusal> {
        let order = self.file_order()?;
        let files = known.place.files_each();
        if files < 2 {
            return Ok(None);
        }
        let Some(file_bytes) = known.region.file_bytes else {
            self.hand_over(if self.is_done {
                "several files, whose size the result does not name"
            } else {
                "several files, none of which is there: they need a size"
            });
            return Ok(None);
        };
        Ok(Some(FileTurns {
            files: u32::try_from(files).unwrap_or(u32::MAX),
            file_bytes,
            offset_bytes: known.region.file_offset_bytes,
            order,
        }))
    }

    fn file_order(&mut self) -> Result<FileOrder, Refusal> {
        let Some(given) = self.job.last("file_service_type") else {
            return Ok(FileOrder::RoundRobin { ios: 1 });
        };
        let text = given.text();
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let number = |default: f64| match rest {
            "" => Ok(default),
            rest => rest.trim().parse::<f64>().map_err(|_| given.refuse(format!("`{rest}` is not a number"))),
        };
        let ios = match rest {
            "" => 1,
            rest if matches!(word, "roundrobin" | "random" | "sequential") => {
                value::int(rest).map_err(|fault| given.refuse(fault))?.max(1)
            }
            _ => 1,
        };
        Ok(match word {
            "roundrobin" => FileOrder::RoundRobin { ios },
            "sequential" => FileOrder::Sequential,
            "random" => {
                if ios > 1 {
                    self.hand_over(format!(
                        "file_service_type={text}: a file drawn by chance serves one I/O"
                    ));
                }
                FileOrder::Random
            }
            "zipf" => FileOrder::Zipf { exponent: number(1.1)? },
            "pareto" => FileOrder::Pareto { skew: number(0.2)? },
            "normal" | "gauss" => FileOrder::Normal { deviation: (number(0.0)? / 100.0).clamp(0.01, 1.0) },
            other => {
                return Err(given
                    .refuse(format!("`{other}` is not an order of files"))
                    .or("write roundrobin, sequential, random, zipf, pareto or normal"));
            }
        })
    }

    /// Engines that take several I/Os in one call.
    fn has_queue(&self) -> bool {
        self.entry().is_some_and(|entry| entry.in_flight == InFlight::Depth)
    }

    fn batch(&mut self) -> Result<Option<u32>, Refusal> {
        let batch = self.job.int("iodepth_batch")?.filter(|batch| *batch > 0 && self.has_queue());
        Ok(batch.map(|batch| u32::try_from(batch).unwrap_or(u32::MAX)))
    }

    /// A full queue drains to `iodepth_low`, or by as many I/Os as are to be taken at once.
    fn refill_at(&mut self, depth: u32) -> Result<Option<u32>, Refusal> {
        if !self.has_queue() {
            return Ok(None);
        }
        let clamp = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).min(depth);
        let low = self.job.int("iodepth_low")?.filter(|low| *low > 0).map(clamp);
        let at_once = self.job.int("iodepth_batch_complete_min")?.filter(|least| *least > 1).map(clamp);
        let at = low.or(at_once.map(|least| depth - least));
        Ok(at.filter(|at| *at + 1 < depth))
    }

    /// What fio tells the kernel when it opens a file, and as passes over it begin.
    fn cache_advice(&mut self, known: &JobShape<'_>) -> Result<Option<CacheAdvice>, Refusal> {
        let is_commands = self.entry().is_some_and(|entry| entry.carries(TargetKind::NvmeNamespace));
        if known.place.is_null || is_commands {
            return Ok(None);
        }
        let drop = self.job.flag("invalidate", true)?;
        let by_kind = if known.kind.random { AccessHint::Random } else { AccessHint::Sequential };
        let hint = match self.job.text("fadvise_hint") {
            Some("0" | "none") => None,
            Some("random") => Some(AccessHint::Random),
            Some("sequential") => Some(AccessHint::Sequential),
            None | Some("1" | "") => Some(by_kind),
            Some(other) => {
                self.warn(format!(
                    "fadvise_hint={other}: the kernel is advised of the order of the job's I/Os"
                ));
                Some(by_kind)
            }
        };
        let (pass_bytes, reopens) = self.pass(known)?;
        let own_passes = !reopens && !known.kind.random && has_reads(known.mix) && has_writes(known.mix);
        let advice =
            CacheAdvice { drop, hint, pass_bytes, own_passes, hint_again: reopens && hint.is_some() };
        Ok((drop || hint.is_some()).then_some(advice))
    }

    /// Bytes of a pass after which fio drops the cache again, and whether it opens the files anew for that.
    fn pass(&mut self, known: &JobShape<'_>) -> Result<(Option<u64>, bool), Refusal> {
        let Some(pass_bytes) = known.region.pass_bytes.filter(|bytes| *bytes > 0) else {
            return Ok((None, false));
        };
        let largest = super::extremes(known.mix, known.sizes).1.max(1);
        let whole = |bytes: u64| Some((bytes - bytes % largest).max(largest));
        if self.job.flag("time_based", false)? {
            // Only the map of blocks, or the end of the file, ends a pass; past the cache there is nothing to drop.
            let ends = !known.kind.random || *known.addresses == Addresses::RandomCycle;
            let goes_on = ends && !self.is_direct()?;
            let lap = known.kind.lap_bytes(known.region.span_bytes, largest).unwrap_or(pass_bytes);
            return Ok((if goes_on { whole(lap) } else { None }, false));
        }
        let of_loop = self.io_bytes(known.region)?.unwrap_or(pass_bytes);
        let again = self.job.int("loops")?.unwrap_or(1) > 1 || of_loop > pass_bytes;
        Ok((if again { whole(of_loop.min(pass_bytes)) } else { None }, again))
    }
}

/// The bytes of fio's patterns: numbers, hexadecimal digits, and text in double quotes, one behind the other.
///
/// # Errors
/// What is none of these, and what to write.
pub(super) fn pattern(text: &str) -> Result<Vec<u8>, Fault> {
    const MOST_BYTES: usize = 512;
    let refuse = || Fault::from(format!("`{text}` is not a pattern: write 0xdeadbeef, \"text\" or a number"));
    let mut bytes = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"').ok_or_else(refuse)?;
            bytes.extend_from_slice(&quoted.as_bytes()[..end]);
            rest = &quoted[end + 1..];
            continue;
        }
        let (digits, length) = match rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            Some(hex) => {
                let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
                (hex_bytes(&hex[..end]).ok_or_else(refuse)?, 2 + end)
            }
            None => {
                let sign = usize::from(rest.starts_with('-'));
                let end =
                    rest[sign..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + sign);
                let number: i64 = value_of(&rest[..end]).ok_or_else(refuse)?;
                (number_bytes(number), end)
            }
        };
        bytes.extend(digits);
        rest = &rest[length..];
    }
    if bytes.is_empty() || bytes.len() > MOST_BYTES { Err(refuse()) } else { Ok(bytes) }
}

/// Pairs of digits in the order in which they stand; a first one alone is a byte of its own.
fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if padded.is_empty() { None } else { padded.as_bytes().chunks(2).map(byte).collect() }
}

fn value_of(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(rest) => {
            value::bytes(rest, KiloBase::Binary).ok().and_then(|n| i64::try_from(n).ok()).map(|n| -n)
        }
        None => text.parse().ok(),
    }
}

/// The lowest byte first, as many as the number needs.
fn number_bytes(number: i64) -> Vec<u8> {
    let bytes = (number as i32).to_le_bytes();
    let needed = if number < 0 { 4 } else { 4 - bytes.iter().rev().take_while(|byte| **byte == 0).count() };
    bytes[..needed.max(1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `xxd` shows what fio 3.33 writes for each.
    #[test]
    fn patterns_are_the_bytes_that_fio_writes() {
        for (text, bytes) in [
            ("0xdeadbeef", &[0xde, 0xad, 0xbe, 0xef][..]),
            ("\"abcd\"", b"abcd"),
            ("12345", &[0x39, 0x30]),
            ("0xaabbccddeeff00112233", &[0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22, 0x33]),
            ("-1", &[0xff; 4]),
            ("\"ab\"0xcd", &[0x61, 0x62, 0xcd]),
            ("0x1", &[1]),
            ("255", &[0xff]),
            ("256", &[0x00, 0x01]),
        ] {
            assert_eq!(pattern(text).as_deref(), Ok(bytes), "{text}");
        }
        for wrong in ["", "\"open", "0x", "%o", "'file'", "99999999999999999999"] {
            assert!(pattern(wrong).is_err(), "{wrong}");
        }
    }
}
