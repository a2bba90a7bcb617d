//! What people type for a target, read into one of its kinds.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use fathom_fabric::namespace_url::{FabricName, InvalidName, SCHEME};
use fathom_measure::units::{Bytes, UnitError};
use fathom_record::facts::TargetKind;

use crate::platform::has_drive;
use crate::{Error, ErrorKind};

/// A target as it was named, before anything was opened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TargetName {
    /// A file, a block device, or a directory to make a scratch file in.
    Path(PathBuf),
    /// Completes at once; the size bounds the addresses.
    Null {
        /// Address space in bytes.
        size_bytes: u64,
    },
    /// The process's own memory.
    Memory {
        /// Size in bytes.
        size_bytes: u64,
    },
    /// A simulated device; the text after `sim:`, which the simulator reads.
    Sim(String),
    /// A namespace on the network.
    Fabric(FabricName),
}

impl TargetName {
    /// Whether this text names a simulated device.
    pub fn is_simulated(text: &str) -> bool {
        matches!(text.parse(), Ok(Self::Sim(_)))
    }

    /// Address space of `null:` where none is given: larger than any cache effect of addresses.
    pub const NULL_DEFAULT_BYTES: u64 = 1 << 40;
    /// Size of `memory:` where none is given: larger than processor caches, small for any machine.
    pub const MEMORY_DEFAULT_BYTES: u64 = 256 << 20;
}

/// The schemes, and the slips that each is likely to be meant by.
const SCHEMES: [(&str, &[&str]); 3] = [
    ("null", &["nul", "nil", "none", "zero", "noop", "nop"]),
    ("memory", &["mem", "ram", "memry", "malloc"]),
    ("sim", &["simulate", "simulated", "simulator", "simulation", "fake"]),
];

/// What others call namespaces on the network.
const FABRIC_SLIPS: [&str; 8] =
    ["nvme-tcp", "nvmetcp", "nvme_tcp", "nvme.tcp", "nvme", "nvmeof", "nvme-of", "tcp"];

const FORMS: &str = "write a path (./data.bin, /dev/X, a directory), null:, memory:1GiB, sim:NAME or \
                     nvme+tcp://HOST/NQN";

impl FromStr for TargetName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.is_empty() || text.contains('\0') {
            return Err(refuse(text, "this is not a name of a file or device", FORMS));
        }
        if text.starts_with(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}']) {
            return Err(pasted_flag(text));
        }
        match scheme_of(text).filter(|_| !has_drive(text)) {
            Some((scheme, rest)) => with_scheme(text, scheme, rest),
            None => bare_word(text),
        }
    }
}

fn refuse(text: &str, cause: impl Into<String>, remedy: impl Into<String>) -> Error {
    Error::new(ErrorKind::Plan, format!("target `{text}`"), cause).with_remedy(remedy)
}

fn pasted_flag(text: &str) -> Error {
    let word = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '.' && c != '/');
    let cause = if text.starts_with('-') {
        "this looks like a flag where a target belongs"
    } else {
        "this begins with a dash that no flag has, as text pasted from a document does"
    };
    let hyphens = if word.chars().count() > 1 { "--" } else { "-" };
    refuse(text, cause, format!("for the flag type {hyphens}{word}; for a file of that name type ./{text}"))
}

/// The part before a colon, when it can be a scheme: letters, digits and signs, no slash before it.
fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_word = !scheme.is_empty()
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.'));
    is_word.then_some((scheme, rest))
}

fn with_scheme(text: &str, scheme: &str, rest: &str) -> Result<TargetName, Error> {
    match TargetKind::of_scheme(scheme) {
        Some(TargetKind::Null) => {
            return sized(text, rest, TargetName::NULL_DEFAULT_BYTES)
                .map(|size_bytes| TargetName::Null { size_bytes });
        }
        Some(TargetKind::Memory) => {
            return sized(text, rest, TargetName::MEMORY_DEFAULT_BYTES)
                .map(|size_bytes| TargetName::Memory { size_bytes });
        }
        Some(TargetKind::Simulated) if rest.trim().is_empty() => {
            return Err(refuse(text, "a simulated device needs a name", "type sim:nvme, for example"));
        }
        Some(TargetKind::Simulated) => return Ok(TargetName::Sim(rest.to_owned())),
        _ => {}
    }
    match scheme {
        _ if text.starts_with(SCHEME) => {
            text.parse().map(TargetName::Fabric).map_err(|error: InvalidName| {
                refuse(text, error.cause.clone(), error.remedy.clone()).with_source(error)
            })
        }
        other if FABRIC_SLIPS.contains(&other.to_ascii_lowercase().as_str()) => {
            let rest = rest.trim_start_matches('/');
            let remedy = format!("did you mean {SCHEME}//{rest}? A file of that name is ./{text}");
            Err(refuse(text, format!("unknown kind of target `{other}:`"), remedy))
        }
        other => {
            let remedy = match meant(other) {
                Some(scheme) => format!("did you mean {scheme}:{rest}? A file of that name is ./{text}"),
                None => format!("{FORMS}; a file of that name is ./{text}"),
            };
            Err(refuse(text, format!("unknown kind of target `{other}:`"), remedy))
        }
    }
}

/// A word without colon that is a scheme's name or a slip of it, and everything else, which is a path.
fn bare_word(text: &str) -> Result<TargetName, Error> {
    let word = text.to_ascii_lowercase();
    // `zero` and `none` are as likely to be files as slips.
    let taken = |(scheme, slips): &&(&str, &[&str])| {
        word == *scheme || (slips.contains(&word.as_str()) && word != "zero" && word != "none")
    };
    let Some((scheme, _)) = SCHEMES.iter().find(taken) else {
        return Ok(TargetName::Path(PathBuf::from(text)));
    };
    let example = if *scheme == "sim" { "sim:nvme".to_owned() } else { format!("{scheme}:") };
    let remedy = format!("type {example} for that, or ./{text} for a file of that name");
    Err(refuse(text, format!("`{scheme}` needs its colon to be a kind of target"), remedy))
}

/// The scheme that a misspelt one stands for.
fn meant(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    SCHEMES
        .iter()
        .find(|(scheme, slips)| slips.contains(&word.as_str()) || one_slip_apart(&word, scheme))
        .map(|(scheme, _)| *scheme)
}

/// Whether one letter added, dropped, changed or swapped with its neighbour makes one word of the other.
fn one_slip_apart(left: &str, right: &str) -> bool {
    let (a, b) = (left.as_bytes(), right.as_bytes());
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let most = a.len().min(b.len()) - head;
    let tail = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    (a.len() <= 1 && b.len() <= 1) || (a.len() == 2 && b.len() == 2 && a[0] == b[1] && a[1] == b[0])
}

fn sized(text: &str, rest: &str, default_bytes: u64) -> Result<u64, Error> {
    const EXAMPLE: &str = "type memory:1GiB, for example";
    if rest.is_empty() {
        return Ok(default_bytes);
    }
    let size: Bytes = rest
        .parse()
        .map_err(|error: UnitError| refuse(text, format!("the size after the colon: {error}"), EXAMPLE))?;
    if size.0 < 4096 {
        return Err(refuse(text, format!("a size of {size} holds no I/O of 4 KiB"), EXAMPLE));
    }
    Ok(size.0)
}

/// A size exactly, as the grammar of sizes reads it back.
pub(super) fn exact(size_bytes: u64) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if size_bytes != 0 && size_bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", size_bytes >> shift);
        }
    }
    size_bytes.to_string()
}

impl fmt::Display for TargetName {
    /// As it is typed: what is printed reads back as the same name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => {
                let text = path.to_string_lossy();
                // A relative path that reads as something else needs its `./`.
                let plain = matches!(text.parse(), Ok(Self::Path(back)) if back == *path);
                if plain || path.is_absolute() { f.write_str(&text) } else { write!(f, "./{text}") }
            }
            Self::Null { size_bytes: Self::NULL_DEFAULT_BYTES } => f.write_str("null:"),
            Self::Null { size_bytes } => write!(f, "null:{}", exact(*size_bytes)),
            Self::Memory { size_bytes: Self::MEMORY_DEFAULT_BYTES } => f.write_str("memory:"),
            Self::Memory { size_bytes } => write!(f, "memory:{}", exact(*size_bytes)),
            Self::Sim(text) => write!(f, "sim:{text}"),
            Self::Fabric(name) => name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> TargetName {
        TargetName::Path(PathBuf::from(text))
    }

    #[test]
    fn names_read_as_people_type_them() {
        for (text, name) in [
            ("/dev/nvme0n1", path("/dev/nvme0n1")),
            (".", path(".")),
            ("a/data:1.bin", path("a/data:1.bin")),
            ("./nul:", path("./nul:")),
            ("tmp", path("tmp")),
            ("null:", TargetName::Null { size_bytes: 1 << 40 }),
            ("null:4GiB", TargetName::Null { size_bytes: 4 << 30 }),
            ("memory:", TargetName::Memory { size_bytes: 256 << 20 }),
            ("memory:1g", TargetName::Memory { size_bytes: 1 << 30 }),
            ("sim:gp3,iops=3000", TargetName::Sim("gp3,iops=3000".to_owned())),
            (
                "nvme+tcp://10.0.0.5/nqn.a/2",
                TargetName::Fabric("nvme+tcp://10.0.0.5/nqn.a/2".parse().unwrap()),
            ),
        ] {
            assert_eq!(text.parse::<TargetName>().unwrap(), name, "{text}");
        }
    }

    #[test]
    fn slips_are_told_what_to_type() {
        for (text, words) in [
            ("nul:", "did you mean null:"),
            ("mem:1GiB", "did you mean memory:1GiB"),
            ("smi:nvme", "did you mean sim:nvme"),
            ("sim", "sim:nvme"),
            ("sim:", "sim:nvme"),
            ("null", "type null:"),
            ("mem", "type memory:"),
            ("Memory", "type memory:"),
            ("http://x", "write a path"),
            ("nvme-tcp://h/nqn.a", "did you mean nvme+tcp://h/nqn.a"),
            ("nvme://h/nqn.a", "did you mean nvme+tcp://h/nqn.a"),
            ("nvme+tcp:", "type e.g. nvme+tcp://"),
            ("nvme+tcp://h", "type e.g. nvme+tcp://"),
            ("data:1.bin", "./data:1.bin"),
            ("memory:lots", "memory:1GiB"),
            ("memory:1", "memory:1GiB"),
            ("–target", "--target"),
            ("—rw", "--rw"),
            ("−d30", "--d30"),
            ("--bs", "--bs"),
            ("", "write a path"),
            ("a\0b", "write a path"),
        ] {
            let error = text.parse::<TargetName>().unwrap_err();
            assert_eq!(error.kind, ErrorKind::Plan, "{text}");
            assert!(error.remedy.contains(words), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_with_advice(text in "\\PC{0,24}") {
            match text.parse::<TargetName>() {
                Ok(name) => prop_assert_eq!(name.to_string().parse::<TargetName>().unwrap(), name),
                Err(error) => prop_assert!(!error.remedy.is_empty()),
            }
        }

        #[test]
        fn what_is_printed_reads_back(size in 4096u64..1 << 50, text in "[a-z][a-z0-9=,.]{0,20}") {
            for name in [
                TargetName::Null { size_bytes: size },
                TargetName::Memory { size_bytes: size },
                TargetName::Memory { size_bytes: size << 10 },
                TargetName::Sim(text),
            ] {
                prop_assert_eq!(name.to_string().parse::<TargetName>().unwrap(), name);
            }
        }

        #[test]
        fn near_misses_of_a_scheme_never_become_files(at in 0usize..6, letter in "[a-z]") {
            let mut word = "memory".to_owned();
            word.replace_range(at..=at, &letter);
            let read = format!("{word}:").parse::<TargetName>();
            prop_assert!(word == "memory" || read.unwrap_err().remedy.contains("memory:"));
        }
    }
}
