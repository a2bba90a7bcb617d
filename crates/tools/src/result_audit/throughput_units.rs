//! Throughputs with their units, and the unit that the figures are in.

use super::{Finding, Rule, Weight, figure};

/// Bytes per second of one of a unit; `None` for a unit that is not known.
pub fn bytes_per_s(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == unit).map(|(_, bytes)| *bytes)
}

const UNITS: [(&str, f64); 14] = [
    ("B/s", 1.0),
    ("kB/s", 1e3),
    ("KiB/s", 1024.0),
    ("MB/s", 1e6),
    ("MiB/s", 1_048_576.0),
    ("GB/s", 1e9),
    ("GiB/s", 1_073_741_824.0),
    ("Mbps", 1e6 / 8.0),
    ("Mbit/s", 1e6 / 8.0),
    ("Gbps", 1e9 / 8.0),
    ("Gbit/s", 1e9 / 8.0),
    ("MiB/s of bits", 131_072.0),
    ("Mibit/s", 131_072.0),
    ("units of 2^30 bits/s", 134_217_728.0),
];

/// How far figures of two or three digits may be apart; the units that are mixed up are 2.4 % apart and more.
const NEAR: f64 = 0.015;

fn is_near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() <= NEAR
}

/// Holds a stated throughput against rate times size. Where they differ, the units that fit are named.
pub fn judge(subject: &str, (value, unit): (f64, &str), true_bytes_per_s: f64) -> Option<Finding> {
    let stated = value * bytes_per_s(unit)?;
    let finding =
        |weight, text| Some(Finding { subject: subject.to_owned(), rule: Rule::Units, weight, text });
    let product = format!("rate x size is {} {unit}", figure(true_bytes_per_s / bytes_per_s(unit)?));
    if is_near(stated, true_bytes_per_s) {
        return finding(Weight::Note, format!("{product}, and {} are stated", figure(value)));
    }
    let fits: Vec<&str> = UNITS
        .iter()
        .filter(|(name, bytes)| *name != unit && is_near(value * bytes, true_bytes_per_s))
        .map(|(name, _)| *name)
        .collect();
    match fits.first() {
        Some(fit) => finding(
            Weight::Caution,
            format!("{product}, and {} are stated: the figure is in {fit}, not in {unit}", figure(value)),
        ),
        None => finding(
            Weight::Contradiction,
            format!(
                "{product}, and {} are stated ({:+.1} %): size, rate or throughput is not what it says",
                figure(value),
                100.0 * (stated / true_bytes_per_s - 1.0)
            ),
        ),
    }
}

/// Which of the decimal and the binary reading of a unit fits what was in flight, where a table states no rate:
/// the one that gives as many I/Os in flight as were asked for.
pub fn judge_by_depth(
    subject: &str,
    (value, unit): (f64, &str),
    (block_bytes, mean_ns, asked): (f64, f64, f64),
) -> Option<Finding> {
    let other = match unit {
        "MB/s" => "MiB/s",
        "GB/s" => "GiB/s",
        "MiB/s" => "MB/s",
        "GiB/s" => "GB/s",
        _ => return None,
    };
    let in_flight = |unit: &str| Some(value * bytes_per_s(unit)? / block_bytes * mean_ns / 1e9);
    let (as_stated, as_other) = (in_flight(unit)?, in_flight(other)?);
    let off = |found: f64| (found / asked - 1.0).abs();
    let fits_other = off(as_other) < 0.02 && off(as_stated) > 0.03;
    fits_other.then(|| Finding {
        subject: subject.to_owned(),
        rule: Rule::Units,
        weight: Weight::Caution,
        text: format!(
            "{} {unit} at {} us are {as_stated:.2} I/Os in flight of {}, and as {other} they are {as_other:.2}: the figure is in {other}",
            figure(value),
            figure(mean_ns / 1000.0),
            figure(asked)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_that_fits_is_named() {
        let found = judge("two drives", (20.09, "Gbps"), 658_590.0 * 4096.0).unwrap();
        assert_eq!(found.weight, Weight::Caution);
        assert!(
            found.text.contains("rate x size is 21.58 Gbps") && found.text.contains("2^30 bits"),
            "{}",
            found.text
        );
        assert_eq!(judge("x", (35.596, "GiB/s"), 583_192.0 * 65_536.0).unwrap().weight, Weight::Note);
        assert_eq!(judge("x", (12.0, "GiB/s"), 583_192.0 * 65_536.0).unwrap().weight, Weight::Contradiction);
        assert_eq!(judge("x", (12.0, "apples"), 1.0), None);
    }

    #[test]
    fn little_tells_binary_from_decimal() {
        let found = judge_by_depth("x", (331.19, "MB/s"), (131_072.0, 6_040_000.0, 16.0)).unwrap();
        assert!(found.text.ends_with("the figure is in MiB/s"), "{}", found.text);
        assert_eq!(judge_by_depth("x", (331.19, "MiB/s"), (131_072.0, 6_040_000.0, 16.0)), None);
    }
}
