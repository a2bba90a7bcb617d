//! Sizes of I/Os as text: `4k`, `4k-64k/4k`, `4k:70%,64k:30%`.

use fathom_record::Fault;
use fathom_record::workload::{SizeShare, Sizes, SizesByDirection};

use super::quantity::{bytes as any_bytes, share, write_bytes, write_share};

/// Reads one size, a range or a split.
pub(super) fn read(text: &str) -> Result<Sizes, Fault> {
    if text.contains(':') {
        let shares = text.split(',').map(part).collect::<Result<_, _>>()?;
        return Ok(Sizes::Split { shares });
    }
    let Some((min, rest)) = text.split_once('-') else {
        return Ok(Sizes::Fixed { bytes: bytes(text)? });
    };
    let (max, step) = rest.split_once('/').map_or((rest, None), |(max, step)| (max, Some(step)));
    let (min_bytes, max_bytes) = (bytes(min)?, bytes(max)?);
    let step_bytes = step.map_or(Ok(default_step(min_bytes, max_bytes)), bytes)?;
    Ok(Sizes::Range { min_bytes, max_bytes, step_bytes })
}

/// A size of an I/O; one by thousands that no block is as large as was meant otherwise.
fn bytes(text: &str) -> Result<u64, Fault> {
    const BLOCK_BYTES: u64 = 512;
    let bytes = any_bytes(text)?;
    let typed = text.trim();
    let thousands = typed.to_ascii_lowercase().strip_suffix('b').map(|rest| rest.ends_with(['k', 'm', 'g']));
    if thousands == Some(true) && !bytes.is_multiple_of(BLOCK_BYTES) {
        let meant = &typed[..typed.len() - 1];
        let (read, binary) = (write_bytes(bytes), any_bytes(meant)?);
        return Err(Fault::from(format!(
            "`{typed}` is {read} bytes, which is not a multiple of {BLOCK_BYTES}: did you mean `{meant}` ({binary} bytes)?"
        )));
    }
    Ok(bytes)
}

fn part(text: &str) -> Result<SizeShare, Fault> {
    let (size, weight) = text.split_once(':').ok_or_else(|| {
        Fault::from(format!("`{text}` has no share: each part of a split has one, e.g. 4k:70%,64k:30%"))
    })?;
    Ok(SizeShare { bytes: bytes(size)?, share: share(weight)? })
}

/// The largest step that leads from the smallest size to the largest and divides both.
fn default_step(min_bytes: u64, max_bytes: u64) -> u64 {
    let (mut a, mut b) = (min_bytes, max_bytes);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

pub(super) fn write(sizes: &Sizes) -> String {
    match sizes {
        Sizes::Fixed { bytes } => write_bytes(*bytes),
        Sizes::Range { min_bytes, max_bytes, step_bytes } => {
            let range = format!("{}-{}", write_bytes(*min_bytes), write_bytes(*max_bytes));
            if *step_bytes == default_step(*min_bytes, *max_bytes) {
                range
            } else {
                format!("{range}/{}", write_bytes(*step_bytes))
            }
        }
        Sizes::Split { shares } => {
            let parts = shares.iter().map(|s| format!("{}:{}", write_bytes(s.bytes), write_share(s.share)));
            parts.collect::<Vec<_>>().join(",")
        }
    }
}

/// The texts of `bs`, and of `write-bs` and `trim-bs` where they differ from it.
pub(super) fn write_by_direction(sizes: &SizesByDirection) -> (String, Option<String>, Option<String>) {
    let where_other = |other: &Sizes| (*other != sizes.read).then(|| write(other));
    (write(&sizes.read), where_other(&sizes.write), where_other(&sizes.trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read() {
        assert_eq!(read("4k"), Ok(Sizes::Fixed { bytes: 4096 }));
        let range = |min_bytes, max_bytes, step_bytes| Sizes::Range { min_bytes, max_bytes, step_bytes };
        assert_eq!(read("4k-64k"), Ok(range(4096, 65_536, 4096)));
        assert_eq!(read("12k-64k"), Ok(range(12_288, 65_536, 4096)));
        assert_eq!(read("4k-64k/20k"), Ok(range(4096, 65_536, 20_480)));
        let split = Sizes::Split {
            shares: vec![SizeShare { bytes: 4096, share: 0.7 }, SizeShare { bytes: 65_536, share: 0.3 }],
        };
        assert_eq!(read("4k:70%,64k:30%"), Ok(split.clone()));
        assert_eq!(write(&split), "4k:70%,64k:30%");
        assert_eq!(write(&range(4096, 65_536, 20_480)), "4k-64k/20k");
        assert_eq!(write(&range(12_288, 65_536, 4096)), "12k-64k");
    }

    #[test]
    fn mistakes_say_what_to_write() {
        assert!(read("4k:70%,64k").unwrap_err().cause.contains("`64k` has no share"));
        assert!(read("4k:70").unwrap_err().cause.contains("70%"));
        assert!(read("4x").unwrap_err().cause.contains("4096, 4k"));
        let said = "`4kb` is 4000 bytes, which is not a multiple of 512: did you mean `4k` (4096 bytes)?";
        assert_eq!(read("4kb"), Err(said.into()));
        assert!(read("4KiB").is_ok() && read("4000").is_ok() && read("512b").is_ok());
        assert_eq!(read("512kB"), Ok(Sizes::Fixed { bytes: 512_000 }));
        for text in ["", "-", "4k-", "-4k", "4k-64k/", ":", ",", "4k,64k"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("0-0"), Ok(Sizes::Range { min_bytes: 0, max_bytes: 0, step_bytes: 0 }));
    }
}
