//! What few workloads ask for, jobs of fio above all.

use serde::{Deserialize, Serialize};

use super::Sizes;

/// What goes beyond mix, addresses, sizes and arrival. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpecialFeatures {
    /// Whether a flush makes all metadata durable too (`fsync`), and not only what reading the data needs
    /// (`fdatasync`).
    #[serde(skip_serializing_if = "is_false")]
    pub flush_metadata: bool,
    /// Whether each job flushes once more, all metadata too, when its last I/O has ended.
    #[serde(skip_serializing_if = "is_false")]
    pub flush_at_end: bool,
    /// Whether blocks are counted from the offset on, wherever that lies; otherwise from the target's start.
    #[serde(skip_serializing_if = "is_false")]
    pub blocks_from_offset: bool,
    /// Sizes of I/Os that jump, of laps with jumps; absent: those of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jump_sizes: Option<Sizes>,
    /// How each job goes from one of the target's files to the next; absent: the target is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<FileTurns>,
    /// Content of writes; absent: bytes drawn by chance, as the workload's data says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<ConstantContent>,
    /// Most I/Os that a job submits in one call; absent: all that are due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// I/Os in flight down to which a job lets a full queue drain before it issues again; absent: it issues as soon
    /// as there is room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refill_at: Option<u32>,
    /// What the kernel is told about the page cache; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheAdvice>,
}

/// Several files of one size, which lie one after the other in the workload's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FileTurns {
    /// How many there are.
    pub files: u32,
    /// Bytes of each.
    pub file_bytes: u64,
    /// First byte that is used of each.
    pub offset_bytes: u64,
    /// Which one is next.
    pub order: FileOrder,
}

/// Which file an I/O goes to. A file whose bytes all had their turn waits until those of all had theirs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FileOrder {
    /// One after the other, so many I/Os each time.
    RoundRobin {
        /// I/Os before the next file's turn; at least 1.
        ios: u64,
    },
    /// Each by chance, all alike.
    Random,
    /// The next one when all bytes of one had their turn.
    Sequential,
    /// By chance: the file of rank k in proportion to k^-exponent.
    Zipf {
        /// Greater than 0.
        exponent: f64,
    },
    /// By chance: a share `1 - skew` of the I/Os goes to a share `skew` of the files.
    Pareto {
        /// Between 0 and 0.5.
        skew: f64,
    },
    /// By chance, normal around the file in the middle.
    Normal {
        /// Standard deviation as a share of the number of files, 0 to 1.
        deviation: f64,
    },
}

/// Content of writes that is not drawn by chance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ConstantContent {
    /// These bytes, again and again from the start of each I/O, where the compressible share would be zeros; all of
    /// it where no share is given.
    Pattern {
        /// The bytes, two hexadecimal digits each.
        hex: String,
    },
    /// Each buffer keeps what it was first filled with: as many contents as the jobs have I/Os in flight.
    Kept,
}

/// What the kernel is told about the page cache of the target's files, by each job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CacheAdvice {
    /// Whether it is to drop what it holds of the span when a job begins, and again with each pass. What was changed
    /// and is not written back yet stays.
    pub drop: bool,
    /// What order to expect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<AccessHint>,
    /// Bytes of a job after which its next pass begins; absent: there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_bytes: Option<u64>,
    /// Whether reads and writes have passes of their own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own_passes: bool,
    /// Whether the hint is given again with each pass.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hint_again: bool,
}

/// An order of accesses, as `posix_fadvise` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AccessHint {
    /// `POSIX_FADV_RANDOM`: nothing is read ahead.
    Random,
    /// `POSIX_FADV_SEQUENTIAL`: twice as much is read ahead.
    Sequential,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl ConstantContent {
    /// The bytes of a pattern; none for other content, and for digits that are none.
    pub fn pattern(&self) -> Option<Vec<u8>> {
        let Self::Pattern { hex } = self else { return None };
        let digits = hex.as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        if digits.is_empty() || digits.len() % 2 != 0 || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        digits.chunks(2).map(byte).collect()
    }

    /// A pattern of these bytes.
    pub fn of_pattern(bytes: &[u8]) -> Self {
        Self::Pattern { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_back_and_what_is_none_has_no_bytes() {
        let bytes = [0xde, 0xad, 0, 7];
        assert_eq!(ConstantContent::of_pattern(&bytes).pattern().as_deref(), Some(&bytes[..]));
        for wrong in ["", "abc", "+1", "zz", "\u{e9}"] {
            assert_eq!(ConstantContent::Pattern { hex: wrong.to_owned() }.pattern(), None, "{wrong}");
        }
        assert_eq!(ConstantContent::Kept.pattern(), None);
    }
}
