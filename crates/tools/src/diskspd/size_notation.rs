//! Sizes as diskspd writes them: a number and K, M, G or T (powers of 1024), or b for blocks.

use crate::Fault;

/// Reads a whole number of decimal digits from the start of a text; gives it and what follows.
pub(super) fn leading_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// Reads a size in bytes from the start of a text; gives it and what follows. `block_bytes` is what b stands for.
///
/// # Errors
/// What is wrong with it.
pub fn leading_size(text: &str, block_bytes: u64) -> Result<(u64, &str), Fault> {
    let Some((number, rest)) = leading_number(text) else {
        return Err(not_a_number(text, "a size, e.g. 64K"));
    };
    let factor = match rest.chars().next().map(|c| c.to_ascii_uppercase()) {
        Some('T') => Some(1 << 40),
        Some('G') => Some(1 << 30),
        Some('M') => Some(1 << 20),
        Some('K') => Some(1 << 10),
        Some('B') => Some(block_bytes),
        _ => None,
    };
    let rest = if factor.is_some() { &rest[1..] } else { rest };
    let bytes = number.checked_mul(factor.unwrap_or(1));
    bytes.map(|bytes| (bytes, rest)).ok_or_else(|| format!("`{text}` is larger than any target").into())
}

/// Reads a size in bytes.
///
/// # Errors
/// What is wrong with it.
pub fn size(text: &str, block_bytes: u64) -> Result<u64, Fault> {
    match leading_size(text, block_bytes)? {
        (bytes, "") => Ok(bytes),
        (_, rest) => Err(format!(
            "`{rest}` behind the size in `{text}` is not a valid unit: K, M, G and T are powers of 1024, and b is a block"
        ).into()),
    }
}

/// Reads a whole number.
///
/// # Errors
/// What is wrong with it.
pub fn number(text: &str) -> Result<u64, Fault> {
    match leading_number(text) {
        Some((number, "")) => Ok(number),
        _ => Err(not_a_number(text, "a whole number")),
    }
}

fn not_a_number(text: &str, wanted: &str) -> Fault {
    if text.is_empty() {
        return format!("{wanted} is missing: values stand behind their flag without a space").into();
    }
    if text.contains(['$', '%', '{', '<', '[']) {
        return format!("`{text}` is a placeholder that was not filled in; {wanted} belongs there").into();
    }
    format!("`{text}` is not {wanted}").into()
}

/// A size as diskspd prints it: in the largest unit that it reaches, with decimals where it is no multiple.
pub fn print_size(bytes: u64) -> String {
    for (shift, unit) in [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] {
        let one = 1u64 << shift;
        if bytes >= one {
            let whole = bytes.is_multiple_of(one);
            let text = if whole {
                (bytes >> shift).to_string()
            } else {
                format!("{:.2}", bytes as f64 / one as f64)
            };
            return text + unit;
        }
    }
    bytes.to_string()
}

/// A size that diskspd printed, or the nearest number of bytes to it; `MB` and `KB` of old versions are
/// powers of 1024 too.
pub fn read_printed_size(text: &str) -> Option<u64> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let number: f64 = number.parse().ok()?;
    let shift = match unit.trim() {
        "" | "B" => 0,
        "KiB" | "KB" => 10,
        "MiB" | "MB" => 20,
        "GiB" | "GB" => 30,
        "TiB" | "TB" => 40,
        _ => return None,
    };
    Some((number * (1u64 << shift) as f64).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024_and_blocks() {
        assert_eq!(size("64K", 1), Ok(65536));
        assert_eq!(size("2000m", 1), Ok(2000 << 20));
        assert_eq!(size("1b", 4096), Ok(4096));
        assert_eq!(size("512", 1), Ok(512));
        assert!(size("4Kx", 1).unwrap_err().cause.contains("`x`"));
        assert!(size("$($b)k", 1).unwrap_err().cause.contains("placeholder"));
        assert!(size("", 1).unwrap_err().cause.contains("missing"));
        assert!(size("99999999999T", 1).unwrap_err().cause.contains("larger"));
    }

    #[test]
    fn printed_sizes_read_back() {
        for bytes in [0, 512, 1024, 10 << 20, (3 << 30) + (1 << 29), 5 << 40] {
            assert_eq!(read_printed_size(&print_size(bytes)), Some(bytes), "{}", print_size(bytes));
        }
        assert_eq!(read_printed_size("10240KiB"), Some(10 << 20));
        assert_eq!(read_printed_size("50GB"), Some(50 << 30));
        assert_eq!(read_printed_size("50 apples"), None);
    }
}
