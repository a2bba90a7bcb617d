//! Names that were misspelt: how far two words are apart, and the known one that is nearest.

/// The known name that is a slip away from `name`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().map(|candidate| (distance(name, candidate), candidate));
    near.min_by_key(|(far, _)| *far).filter(|(far, _)| *far <= 1 + name.len() / 5).map(|(_, name)| name)
}

/// Letters to add, drop, change or swap with their neighbours to make one word of another (optimal string alignment);
/// long words are not compared.
fn distance(left: &str, right: &str) -> usize {
    const LONGEST: usize = 64;
    if left.len() > LONGEST || right.len() > LONGEST {
        return usize::MAX;
    }
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let mut least = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_mended_and_another_word_is_not() {
        assert_eq!(nearest("latencyus", ["iops", "latency_us"]), Some("latency_us"));
        assert_eq!(nearest("ipos", ["unit", "iops"]), Some("iops"));
        assert_eq!(nearest("weather", ["iops", "latency_us"]), None);
        assert_eq!(nearest(&"x".repeat(100), ["iops"]), None);
    }
}
