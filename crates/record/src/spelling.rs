//! "Did you mean": the known names near a misspelt one.

use fathom_order::InOrder;
use strsim::osa_distance;

/// The known names at the least edit distance, when it is small beside the name's length; at most three.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    among(name, &mut known.into_iter())
}

/// The same, compiled once for all kinds of lists of names.
fn among<'a>(name: &str, known: &mut dyn Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase().replace('_', "-");
    let length = wanted.chars().count();
    // Longer texts are not misspelt names, and the time of a comparison grows with their length.
    if length > 40 {
        return Vec::new();
    }
    let limit = (length / 3).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = known
        .map(|candidate| (osa_distance(&wanted, &candidate.to_lowercase().replace('_', "-")), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.put_in_order_by_key(|(distance, _)| *distance);
    let least = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter().filter(|(distance, _)| *distance == least).map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["depth", "bs", "read-bs", "read-share", "trim-share", "time"];

    #[test]
    fn near_names_are_offered_and_far_ones_are_not() {
        assert_eq!(nearest("dpeth", KNOWN), ["depth"]);
        assert_eq!(nearest("Depth", KNOWN), ["depth"]);
        assert_eq!(nearest("read_share", KNOWN), ["read-share"]);
        assert_eq!(nearest("tiem", KNOWN), ["time"]);
        assert_eq!(nearest("b", KNOWN), ["bs"]);
        assert_eq!(nearest("troughput", ["throughput", "iops"]), ["throughput"]);
        assert_eq!(nearest("latencyus", ["iops", "latency_us"]), ["latency_us"]);
        assert_eq!(nearest("ipos", ["unit", "iops"]), ["iops"]);
        assert!(nearest("weather", ["iops", "latency_us"]).is_empty());
        assert!(nearest("colour", KNOWN).is_empty());
        assert!(nearest("", KNOWN).is_empty());
        assert!(nearest(&"x".repeat(100_000), KNOWN).is_empty());
    }
}
