//! Values as fio writes them: sizes, times and numbers with suffixes, lists and triples.
//!
//! Where fio would read something else than what stands there (`1.5g` as one byte, `30sec` as 30
//! microseconds), the value is refused with what to write.

mod expression;

pub use expression::{Units, evaluate};

use crate::Fault;

/// What a bare `k` and a `kib` multiply by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KiloBase {
    /// `k` is 1024 and `KiB` is 1000, as fio has it by default for old job files' sake.
    #[default]
    Binary,
    /// `k` is 1000 and `KiB` is 1024.
    Decimal,
}

/// A size: bytes, or a share of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Bytes.
    Bytes(u64),
    /// Percent of the target.
    Percent(u64),
    /// Zones of a zoned device.
    Zones(u64),
}

impl Size {
    /// In bytes, of a target of `whole` bytes.
    pub fn of(self, whole: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => (u128::from(whole) * u128::from(percent) / 100) as u64,
            // How large a zone is, only the device knows.
            Self::Zones(_) => whole,
        }
    }
}

/// A size in bytes or percent.
///
/// # Errors
/// What is wrong with it, and what to write.
pub fn size(text: &str, base: KiloBase) -> Result<Size, Fault> {
    let text = text.trim();
    if text.starts_with('(') {
        return Ok(Size::Bytes(evaluate(text, base, Units::Bytes)?));
    }
    let (number, suffix) = split_number(text)?;
    // fio looks at the last letter alone, so that templates with `100%%` are right to it.
    if matches!(suffix, "%" | "%%") {
        return Ok(Size::Percent(number));
    }
    if suffix == "z" {
        return Ok(Size::Zones(number));
    }
    let factor = byte_factor(suffix, base)
        .ok_or_else(|| format!("`{text}` is not a size: write one as 4096, 4k, 10g or 20%"))?;
    number.checked_mul(factor).map(Size::Bytes).ok_or_else(|| format!("`{text}` is too large").into())
}

/// A size that is not a share.
///
/// # Errors
/// As [`size`].
pub fn bytes(text: &str, base: KiloBase) -> Result<u64, Fault> {
    match size(text, base)? {
        Size::Bytes(bytes) => Ok(bytes),
        Size::Percent(_) | Size::Zones(_) => {
            Err(format!("`{}` is a share or zones where a size belongs: write one as 4k", text.trim()).into())
        }
    }
}

/// A whole number; fio reads suffixes of sizes on it too.
///
/// # Errors
/// What is wrong with it.
pub fn int(text: &str) -> Result<u64, Fault> {
    bytes(text, KiloBase::Binary).map_err(|_| format!("`{}` is not a whole number", text.trim()).into())
}

/// A yes or no; nothing is a yes.
///
/// # Errors
/// When it is neither.
pub fn boolean(text: Option<&str>) -> Result<bool, Fault> {
    match text.map(str::trim) {
        None | Some("") => Ok(true),
        Some(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Ok(true),
            "false" | "no" | "off" => Ok(false),
            // fio reads the number alone, as of the `0/1` of a description.
            number => int(number.split('/').next().unwrap_or(number))
                .map(|value| value != 0)
                .map_err(|_| format!("`{text}` is neither 0 nor 1").into()),
        },
    }
}

/// A time in nanoseconds; a bare number is seconds or microseconds, by the option.
///
/// # Errors
/// What is wrong with it, and what to write.
pub fn time_ns(text: &str, bare_is_seconds: bool) -> Result<u64, Fault> {
    let text = text.trim();
    if text.starts_with('(') {
        let units = if bare_is_seconds { Units::Seconds } else { Units::Micros };
        return evaluate(text, KiloBase::Binary, units)?
            .checked_mul(1000)
            .ok_or_else(|| format!("`{text}` is too long").into());
    }
    let (number, suffix) = split_number(text)?;
    let micros = match suffix {
        "" if bare_is_seconds => 1_000_000,
        other => time_factor(other).ok_or_else(|| {
            format!("`{text}` is not a time: write one as 30s, 5m, 100ms or 20us (fio reads other suffixes as microseconds)")
        })?,
    };
    number
        .checked_mul(micros)
        .and_then(|micros: u64| micros.checked_mul(1000))
        .ok_or_else(|| format!("`{text}` is too long").into())
}

/// Numbers with a point between colons.
///
/// # Errors
/// What is wrong with it.
pub fn floats(text: &str) -> Result<Vec<f64>, Fault> {
    let number = |part: &str| {
        let number: Result<f64, _> = part.trim().parse();
        number.ok().filter(|n| n.is_finite()).ok_or_else(|| format!("`{part}` is not a number").into())
    };
    text.split([':', ',']).map(number).collect()
}

/// Values for reads, writes and trims as fio fills them in: `a` is of all, `a,b` gives trims what writes
/// have, and what is left out between commas is absent.
pub fn triple(text: &str) -> [Option<&str>; 3] {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let part = |at: usize| parts.get(at).copied().filter(|part| !part.is_empty());
    match parts.len() {
        0 | 1 => [part(0); 3],
        2 => [part(0), part(1), part(1)],
        _ => [part(0), part(1), part(2)],
    }
}

/// The digits at the start and what follows, in lower case at its use.
fn split_number(text: &str) -> Result<(u64, &str), Fault> {
    let refuse = || format!("`{text}` does not begin with a number");
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        let number = u64::from_str_radix(&hex[..end], 16).map_err(|_| refuse())?;
        return Ok((number, &hex[end..]));
    }
    let digits = text.strip_prefix('+').unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    if digits[end..].starts_with('.') {
        return Err(format!(
            "`{text}` has a point, where fio reads the whole number alone: write it in a smaller unit"
        )
        .into());
    }
    let number = digits[..end].parse().map_err(|_| refuse())?;
    Ok((number, &digits[end..]))
}

/// What a suffix of a size multiplies by.
fn byte_factor(suffix: &str, base: KiloBase) -> Option<u64> {
    let suffix = suffix.to_ascii_lowercase();
    let (letter, rest) = suffix.split_at_checked(1).unwrap_or(("", ""));
    let power = match letter {
        "" => return Some(1),
        "b" if rest.is_empty() => return Some(1),
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    let (bare, named) = match base {
        KiloBase::Binary => (1024u64, 1000u64),
        KiloBase::Decimal => (1000, 1024),
    };
    match rest {
        "" | "b" => Some(bare.pow(power)),
        "ib" => Some(named.pow(power)),
        "i" => Some(bare.pow(power)),
        _ => None,
    }
}

/// What a suffix of a time multiplies by, in microseconds.
fn time_factor(suffix: &str) -> Option<u64> {
    Some(match suffix.to_ascii_lowercase().as_str() {
        "" | "us" | "usec" => 1,
        "ms" | "msec" => 1000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_fios_units() {
        let b = |text| size(text, KiloBase::Binary);
        assert_eq!(b("4k"), Ok(Size::Bytes(4096)));
        assert_eq!(b("4KB"), Ok(Size::Bytes(4096)));
        assert_eq!(b("4kib"), Ok(Size::Bytes(4000)), "with kb_base=1024 the two are swapped");
        assert_eq!(size("4kib", KiloBase::Decimal), Ok(Size::Bytes(4096)));
        assert_eq!(size("4k", KiloBase::Decimal), Ok(Size::Bytes(4000)));
        assert_eq!(b("0x1000"), Ok(Size::Bytes(4096)));
        assert_eq!(b("100%"), Ok(Size::Percent(100)));
        assert_eq!(b("1T"), Ok(Size::Bytes(1 << 40)));
        assert_eq!(b("(4k*2+512)"), Ok(Size::Bytes(8704)));
        for wrong in ["", "k", "1.5g", "4x", "99999999999999999999", "4k4"] {
            assert!(b(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_fios_units() {
        assert_eq!(time_ns("30", true), Ok(30_000_000_000));
        assert_eq!(time_ns("1m", true), Ok(60_000_000_000));
        assert_eq!(time_ns("30", false), Ok(30_000));
        assert_eq!(time_ns("5ms", true), Ok(5_000_000));
        assert!(time_ns("(2*3)s", true).is_err());
        assert_eq!(time_ns("(2*3s)", true), Ok(6_000_000_000));
        assert!(time_ns("30sec", true).is_err(), "fio takes it for 30 microseconds");
    }

    #[test]
    fn triples_are_filled_as_fio_does() {
        assert_eq!(triple("4k"), [Some("4k"); 3]);
        assert_eq!(triple("4k,8k"), [Some("4k"), Some("8k"), Some("8k")]);
        assert_eq!(triple(",8k"), [None, Some("8k"), Some("8k")]);
        assert_eq!(triple("4k,,16k"), [Some("4k"), None, Some("16k")]);
    }

    #[test]
    fn a_name_alone_is_a_yes() {
        assert_eq!(boolean(None), Ok(true));
        assert_eq!(boolean(Some("0")), Ok(false));
        assert_eq!((boolean(Some("0/1")), boolean(Some("1/0"))), (Ok(false), Ok(true)));
        assert!(boolean(Some("perhaps")).is_err());
    }
}
