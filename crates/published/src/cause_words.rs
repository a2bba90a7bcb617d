//! Causes that a row's own words name: an author who writes "throttled" or "preconditioned" says what he looks at.

use std::collections::HashMap;

use fathom_attribute::evidence::table;
use fathom_record::verdict::Limit;

use super::PublishedRow;

/// The words of a table that name causes.
pub struct CauseWords {
    /// By cause and word, how many rows have it.
    counts: HashMap<(Limit, &'static str), usize>,
    rows: usize,
}

impl CauseWords {
    /// Of the rows of a table.
    pub fn of(rows: &[PublishedRow]) -> Self {
        let mut counts = HashMap::new();
        for row in rows {
            for pair in names(row) {
                *counts.entry(pair).or_insert(0) += 1;
            }
        }
        Self { counts, rows: rows.len() }
    }

    /// Of each cause the first word that a row names it by; none that all rows of several have, which tells nothing of
    /// this one.
    pub fn words(&self, row: &PublishedRow) -> HashMap<Limit, &'static str> {
        let mut found = HashMap::new();
        let is_of_all =
            |pair: &(Limit, &'static str)| self.rows > 1 && self.counts.get(pair) == Some(&self.rows);
        for (limit, word) in names(row).into_iter().filter(|pair| !is_of_all(pair)) {
            found.entry(limit).or_insert(word.trim_end_matches('*'));
        }
        found
    }
}

/// Every cause that a row names, with the word: pattern, setting, phase, software and side are its words.
fn names(row: &PublishedRow) -> Vec<(Limit, &'static str)> {
    let words =
        [row.setting.as_deref(), row.phase.as_deref(), row.software.as_deref(), Some(row.side.as_str())];
    let text = words
        .into_iter()
        .flatten()
        .fold(row.pattern.to_lowercase(), |all, word| all + " | " + &word.to_lowercase());
    let of = |limit: Limit| table().named(limit, &text).into_iter().map(move |word| (limit, word));
    table().causes.iter().flat_map(|cause| of(cause.limit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pattern: &str) -> PublishedRow {
        PublishedRow { pattern: pattern.to_owned(), ..PublishedRow::default() }
    }

    #[test]
    fn what_all_rows_are_called_tells_nothing_of_one() {
        let hot = [row("bare, throttled"), row("with heatsink")];
        let words = CauseWords::of(&hot).words(&hot[0]);
        assert_eq!(words.get(&Limit::Thermal), Some(&"throttl"));
        let both = [row("throttled early"), row("throttled late")];
        assert!(CauseWords::of(&both).words(&both[0]).is_empty());
        // One row alone has nothing beside it that could have the word too.
        assert_eq!(CauseWords::of(&hot[..1]).words(&hot[0]).len(), 1);
        assert!(!CauseWords::of(&hot).words(&row("not preconditioned")).contains_key(&Limit::WriteCliff));
    }
}
