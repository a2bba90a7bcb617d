//! "Did you mean": the nearest of the known names, if one is near.

/// The candidate with the fewest edits to `text`, if at most a third of its letters (and at least
/// one) differ.
pub fn nearest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let text = text.to_ascii_lowercase();
    let (edits, best) = candidates
        .map(|candidate| (distance(&text, candidate), candidate))
        .min_by_key(|&(edits, _)| edits)?;
    (edits <= (best.chars().count() / 3).max(1)).then_some(best)
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_and_far_ones_are_not() {
        let names = ["throughput", "iops", "size"];
        assert_eq!(nearest("troughput", names.into_iter()), Some("throughput"));
        assert_eq!(nearest("IOP", names.into_iter()), Some("iops"));
        assert_eq!(nearest("colour", names.into_iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
