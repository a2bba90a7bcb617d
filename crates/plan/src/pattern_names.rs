//! The patterns that an assessment measures, by their short names.

use fathom_measure::Bytes;
use fathom_record::Fault;
use fathom_record::campaign::PatternPlan;
use fathom_record::spelling;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection, Workload};

use super::error::{PlanError, PlanErrorKind};
use super::quantity;

/// What an assessment measures unless it is told otherwise; the help of `--patterns` (`assess.rs`) has it in words.
const DEFAULTS: [&str; 7] =
    ["randread-4k", "randwrite-4k", "randread-64k", "randwrite-64k", "read-1m", "write-1m", "randrw-4k-70"];

const KINDS: [&str; 6] = ["read", "write", "rw", "randread", "randwrite", "randrw"];
const EXAMPLE: &str = "randread-4k, write:1m or randrw:8k:70%";

/// The default patterns, in the order in which they are measured.
pub fn patterns() -> Vec<PatternPlan> {
    DEFAULTS.iter().map(|name| pattern(name).expect("the default patterns have right names")).collect()
}

/// Reads one pattern: a kind and a size, and for a mix the share of reads, e.g. `randread-4k`,
/// `randread:16k` or `randrw:8k:70%`. Jobs and depth are 1 and the length is a second: the
/// assessment sets them for each cell.
///
/// # Errors
/// A sentence that says what to write instead.
pub fn pattern(text: &str) -> Result<PatternPlan, PlanError> {
    read(text).map_err(|fault| fault.at(PlanErrorKind::Value, "--patterns"))
}

/// The same before its place is known.
fn read(text: &str) -> Result<PatternPlan, Fault> {
    let separator = if text.contains(':') { ':' } else { '-' };
    let mut parts = text.trim().split(separator);
    let kind = parts.next().unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Err(Fault::from(match spelling::nearest(kind, KINDS).first() {
            Some(near) => format!("`{text}` is not a valid pattern: did you mean `{near}`, as in {EXAMPLE}?"),
            None => format!("`{text}` is not a valid pattern: write a kind and a size, e.g. {EXAMPLE}"),
        }));
    }
    let size =
        parts.next().ok_or_else(|| Fault::from(format!("`{text}` lacks its size: write `{text}-4k`")))?;
    let bytes = quantity::bytes(size)?;
    let mixed = kind.ends_with("rw");
    let read_share = match parts.next() {
        Some(_) if !mixed => {
            return Err(Fault::from(format!("`{text}` has a share: only rw and randrw mix, e.g. {EXAMPLE}")));
        }
        Some(share) if share.ends_with('%') => quantity::share(share)?,
        // In a name the percent sign is left out.
        Some(share) => quantity::share(&format!("{share}%"))?,
        None if mixed => 0.5,
        None if kind.ends_with("read") => 1.0,
        None => 0.0,
    };
    if parts.next().is_some() {
        return Err(Fault::from(format!("`{text}` has too many parts: write it as {EXAMPLE}")));
    }
    let random = kind.starts_with("rand");
    let workload = workload(random, read_share, bytes);
    workload.validate().map_err(|error| format!("`{text}`: {}", error.cause))?;
    let percent = quantity::write_share(read_share);
    let mut name = format!("{kind}-{}", quantity::write_bytes(bytes));
    if mixed {
        name += &format!("-{}", percent.trim_end_matches('%'));
    }
    Ok(PatternPlan { name, title: title(random, read_share, mixed, bytes), workload })
}

/// What a workload does, in words, e.g. `4 KiB random read, 2 jobs, depth 16`.
pub fn title_of(workload: &Workload) -> String {
    let mix = workload.mix;
    let random = workload.addresses.is_random();
    let sizes = if mix.read_share > 0.0 { &workload.sizes.read } else { &workload.sizes.write };
    let what = match sizes {
        Sizes::Fixed { bytes } if mix.trim_share == 0.0 => {
            title(random, mix.read_share, mix.read_share > 0.0 && mix.read_share < 1.0, *bytes)
        }
        _ => "I/O of several sizes or kinds".to_owned(),
    };
    let jobs = if workload.jobs == 1 { String::new() } else { format!(", {} jobs", workload.jobs) };
    format!("{what}{jobs}, depth {}", workload.depth)
}

fn title(random: bool, read_share: f64, mixed: bool, bytes: u64) -> String {
    let order = if random { "random" } else { "sequential" };
    let does = match (mixed, read_share) {
        (true, share) => format!("{} mix", shares(share)),
        (false, 1.0) => "read".to_owned(),
        (false, _) => "write".to_owned(),
    };
    format!("{} {order} {does}", Bytes(bytes))
}

/// Reads and writes in percent: `70/30`.
fn shares(read_share: f64) -> String {
    let percent = |share: f64| format!("{}", (share * 10_000.0).round() / 100.0);
    format!("{}/{}", percent(read_share), percent(1.0 - read_share))
}

fn workload(random: bool, read_share: f64, bytes: u64) -> Workload {
    Workload {
        mix: Mix { read_share, trim_share: 0.0, flush_every_writes: 0 },
        addresses: if random { Addresses::RandomCycle } else { Addresses::Sequential },
        sizes: SizesByDirection::all(Sizes::Fixed { bytes }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length: Length { time_ns: Some(1_000_000_000), ..Length::default() },
        seed: 0,
        special: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_carry_the_names_they_are_made_from() {
        let all = patterns();
        assert_eq!(all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), DEFAULTS);
        assert_eq!(all[0].title, "4 KiB random read");
        assert_eq!(all[5].title, "1 MiB sequential write");
        assert_eq!(all[6].title, "4 KiB random 70/30 mix");
        assert_eq!(all[6].workload.mix.read_share, 0.7);
        assert_eq!(all[4].workload.addresses, Addresses::Sequential);
    }

    #[test]
    fn names_read_back_as_the_same_pattern() {
        for text in ["randread:16k", "randrw:8k:70%", "rw:8k", "write:1536", "randrw-4k-62.5"] {
            let first = pattern(text).expect(text);
            assert_eq!(read(&first.name), Ok(first), "{text}");
        }
    }

    #[test]
    fn mistakes_say_what_to_write() {
        assert!(read("randraed-4k").unwrap_err().cause.contains("did you mean `randread`"));
        assert!(read("randread").unwrap_err().cause.contains("`randread-4k`"));
        assert!(read("randread-4k-70").unwrap_err().cause.contains("only rw and randrw mix"));
        for text in ["", "-", "read-", "read-0", "rw-4k-101", "rw-4k-70-1", "read:4x"] {
            assert!(pattern(text).is_err(), "{text}");
        }
    }
}
