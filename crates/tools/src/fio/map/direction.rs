//! `rw` and the shares of its directions.

use fathom_record::workload::Mix;

use super::Mapper;
use crate::Refusal;
use crate::fio::value;

/// What `rw` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Whether offsets are random.
    pub random: bool,
    /// Bytes between the end of one I/O and the start of the next one, of `rw=read:8k`.
    pub hole_bytes: u64,
    /// Bytes that the next I/O starts before the end of the last one, of `rw=read:-8k`.
    pub back_bytes: u64,
    does: Operations,
}

impl Kind {
    /// fio's default.
    pub const READS: Self = Self { random: false, hole_bytes: 0, back_bytes: 0, does: Operations::Read };

    /// Bytes that I/Os of `io_bytes` move from the start of a span to its end, where holes are left between them.
    pub fn lap_bytes(&self, span_bytes: Option<u64>, io_bytes: u64) -> Option<u64> {
        let (span_bytes, stride) = (span_bytes?, io_bytes.saturating_add(self.hole_bytes));
        let steps = span_bytes.checked_sub(io_bytes)? / stride.max(1);
        (self.hole_bytes > 0).then(|| steps.saturating_add(1).saturating_mul(io_bytes))
    }

    /// Whether the last of them ends where the span does.
    pub fn ends_with_span(&self, span_bytes: u64, io_bytes: u64) -> bool {
        let stride = io_bytes.saturating_add(self.hole_bytes).max(1);
        span_bytes >= io_bytes && (span_bytes - io_bytes).is_multiple_of(stride)
    }

    /// Whether what was trimmed is written next.
    pub fn rewrites_trimmed(&self) -> bool {
        self.does == Operations::TrimsAndRewrites
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operations {
    Read,
    Write,
    Trim,
    ReadsAndWrites,
    TrimsAndRewrites,
}

impl Mapper<'_> {
    pub(super) fn kind(&mut self) -> Result<Kind, Refusal> {
        let Some(given) = self.job.last("rw") else {
            return Ok(Kind::READS);
        };
        let (word, after) = match given.text().split_once(':') {
            Some((word, after)) => (word.trim(), Some(after.trim())),
            None => (given.text(), None),
        };
        let bare = word.strip_prefix("rand").unwrap_or(word);
        let random = bare.len() < word.len();
        let does = match bare {
            "read" => Operations::Read,
            "write" => Operations::Write,
            "trim" => Operations::Trim,
            "rw" | "readwrite" => Operations::ReadsAndWrites,
            "trimwrite" => Operations::TrimsAndRewrites,
            _ => {
                return Err(given
                    .refuse(format!("`{word}` is not a valid direction"))
                    .or("write read, write, rw, trim or trimwrite, or one of them with `rand` before it"));
            }
        };
        let does = if self.only_verifies()? { Operations::Read } else { does };
        let mut kind = Kind { random, hole_bytes: 0, back_bytes: 0, does };
        if let Some(after) = after.filter(|after| !after.is_empty()) {
            self.modifier(after, &mut kind)?;
        }
        Ok(kind)
    }

    /// Whether what the job says is what an earlier one did, and is to be read and checked.
    pub(super) fn only_verifies(&self) -> Result<bool, Refusal> {
        self.job.flag("verify_only", false)
    }

    /// What follows the colon: how many I/Os a random place serves, or the bytes left out between two.
    fn modifier(&mut self, after: &str, kind: &mut Kind) -> Result<(), Refusal> {
        let given = self.job.last("rw").expect("a modifier follows rw");
        if kind.random {
            if value::int(after).map_err(|fault| given.refuse(fault))? > 1 {
                self.hand_over(format!("rw={}: a random offset serves one I/O", given.text()));
            }
            return Ok(());
        }
        if let Some(after) = after.strip_prefix('-') {
            kind.back_bytes = value::bytes(after, self.kilo).map_err(|fault| given.refuse(fault))?;
            return Ok(());
        }
        kind.hole_bytes = value::bytes(after, self.kilo).map_err(|fault| given.refuse(fault))?;
        Ok(())
    }

    pub(super) fn mix(&mut self, kind: &Kind) -> Result<Mix, Refusal> {
        let (read_share, trim_share) = match kind.does {
            Operations::Read => (1.0, 0.0),
            Operations::Write => (0.0, 0.0),
            Operations::Trim => (0.0, 1.0),
            Operations::TrimsAndRewrites => (0.0, 0.5),
            Operations::ReadsAndWrites => (self.read_share()?, 0.0),
        };
        let (all, data) = (self.job.int("fsync")?.unwrap_or(0), self.job.int("fdatasync")?.unwrap_or(0));
        if all > 0 && data > 0 {
            self.hand_over("fsync with fdatasync: a job of fathom flushes in one of the two ways");
        }
        let flush_every_writes = all.max(data);
        let reads_too = read_share > 0.0 && read_share < 1.0;
        if all > 0 && reads_too {
            self.warn(format!(
                "fsync={all} in a mix: one flush after every {all} writes; fio flushes again after each read until the next \
                 write"
            ));
        }
        if data > 0 && (reads_too || read_share < 1.0) {
            let again =
                if reads_too { "; fio flushes again after each read until the next write" } else { "" };
            self.warn(format!(
                "fdatasync={data}: these flushes are counted under sync, where fio counts those of fsync alone{again}"
            ));
        }
        if kind.rewrites_trimmed() && flush_every_writes > 0 {
            self.hand_over(
                "rw=trimwrite with flushes: trims and writes of one place take turns without them",
            );
        }
        let writes = read_share < 1.0 && trim_share < 1.0;
        Ok(Mix { read_share, trim_share, flush_every_writes: if writes { flush_every_writes } else { 0 } })
    }

    /// The last one of `rwmixread` and `rwmixwrite` decides.
    fn read_share(&mut self) -> Result<f64, Refusal> {
        let name = match (self.job.rank("rwmixread"), self.job.rank("rwmixwrite")) {
            (read, write) if write > read => "rwmixwrite",
            (Some(_), _) => "rwmixread",
            _ => return Ok(0.5),
        };
        let percent = self.job.read(name, |text| match value::int(text.trim_end_matches('%'))? {
            percent if percent <= 100 => Ok(percent),
            percent => Err(format!("{percent} is not between 0 and 100").into()),
        })?;
        let share = percent.unwrap_or(50) as f64 / 100.0;
        Ok(if name == "rwmixread" { share } else { 1.0 - share })
    }
}
