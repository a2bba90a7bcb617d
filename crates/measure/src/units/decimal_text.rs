//! Splits a quantity into its number and its unit.

/// The number and the unit behind it, both without surrounding white space. `None` unless the
/// number is plain decimal (`12`, `1.5`), finite and not negative.
pub fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let value: f64 = number.parse().ok()?;
    value.is_finite().then_some((value, unit.trim()))
}

/// `value * factor` as a whole number; `None` beyond `u64` or when a fraction would be lost.
pub fn whole(value: f64, factor: u64) -> Option<u64> {
    let product = value * factor as f64;
    // Above 2^53 a float no longer holds every integer, so whole numbers are multiplied as such.
    if value.fract() == 0.0 && value <= (1u64 << 53) as f64 {
        return (value as u64).checked_mul(factor);
    }
    // 32.7 times a million is 32,700,000.000000004 as a float: a fraction that small was never typed.
    let nearest = product.round();
    let is_whole = (product - nearest).abs() <= nearest * (2.0 * f64::EPSILON);
    (is_whole && nearest < u64::MAX as f64).then_some(nearest as u64)
}

/// A number with at most `digits` decimals and no trailing zeros.
pub fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Three significant digits for a value between 1 and 1000, fewer decimals the larger it is.
pub fn three_digits(value: f64) -> String {
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}
