//! Whole numbers in decimal digits, of which results of gigabytes consist.

/// The digits that bytes begin with, as a number, and how many they are; `None` without any, and for more than
/// surely fit.
#[inline]
pub fn leading_count(bytes: &[u8]) -> Option<(u64, usize)> {
    const FIT: usize = 19;
    let (mut count, mut length) = (0u64, 0);
    if let Some(eight) = bytes.first_chunk::<8>() {
        (count, length) = leading_of_eight(u64::from_le_bytes(*eight));
        if length < 8 {
            return (length > 0).then_some((count, length));
        }
    }
    while let Some(digit) = bytes.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)
    {
        if length == FIT {
            return None;
        }
        count = count * 10 + u64::from(digit);
        length += 1;
    }
    (length > 0).then_some((count, length))
}

/// The digits that eight bytes begin with, the first in the lowest byte, as a number; and how many they are. All are
/// looked at in one step, whatever their number is, so that none of it has to be guessed by the processor.
#[inline]
fn leading_of_eight(bytes: u64) -> (u64, usize) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let digits = bytes ^ (EACH * u64::from(b'0'));
    // Of a byte above 9 the highest bit is set, its own or by the addition, whose carry does not leave a byte
    // below 0x80.
    let others = (((digits & (EACH * 0x7f)) + EACH * 0x76) | digits) & (EACH * 0x80);
    let length = others.trailing_zeros() as usize / 8;
    if length == 0 {
        return (0, 0);
    }
    // What follows the digits goes out, and zeros stand before them.
    let digits = digits << (64 - 8 * length);
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    ((fours * 10_000 + (fours >> 32)) & 0xffff_ffff, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_digits_as_stand_there_are_the_number() {
        for length in 1..=19 {
            for digit in ['1', '9', '0'] {
                for behind in ["", ",", " ,0123456789", "x", "/", ":", "\u{e9}"] {
                    let digits = digit.to_string().repeat(length);
                    let text = format!("{digits}{behind}");
                    let wanted = Some((digits.parse().unwrap(), length));
                    assert_eq!(leading_count(text.as_bytes()), wanted, "{text}");
                }
            }
        }
        for none in ["", "-1", " 1", "x", "\u{b2}2345678", "12345678901234567890"] {
            assert_eq!(leading_count(none.as_bytes()), None, "{none}");
        }
    }
}
