//! A column of a table in memory, for tables of a row a volume.

use std::collections::HashMap;

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeKind {
    /// Numbers of any sign; yes and no are 1 and 0.
    Numbers,
    /// Words.
    Words,
}

/// All values of a column, in the order of the rows.
#[derive(Clone, Debug, PartialEq)]
pub enum WholeColumn {
    /// Numbers; not a number where there is none.
    Numbers(Vec<f64>),
    /// Words.
    Words(WordColumn),
}

/// Words, each once, and which of them a row has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordColumn {
    /// The words, in the order in which they were met.
    pub words: Vec<String>,
    /// The place of each row's word; [`WordColumn::NONE`] where it has none.
    pub places: Vec<u32>,
    known: HashMap<String, u32>,
}

impl WordColumn {
    /// The place of a row without a word.
    pub const NONE: u32 = u32::MAX;

    /// Adds a row.
    pub fn push(&mut self, word: &str) {
        let place = match (word, self.known.get(word).copied()) {
            ("", _) => Self::NONE,
            (_, Some(place)) => place,
            (_, None) => {
                let place = self.words.len() as u32;
                self.words.push(word.to_owned());
                self.known.insert(word.to_owned(), place);
                place
            }
        };
        self.places.push(place);
    }

    /// Puts the words in the order of the alphabet, so that places sort as they do.
    pub fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        order.sort_by(|a, b| self.words[*a].cmp(&self.words[*b]));
        let mut place = vec![Self::NONE; order.len()];
        order.iter().enumerate().for_each(|(to, from)| place[*from] = to as u32);
        self.words = order.iter().map(|from| std::mem::take(&mut self.words[*from])).collect();
        let moved = |at: &u32| place.get(*at as usize).copied().unwrap_or(Self::NONE);
        self.places = self.places.iter().map(moved).collect();
        self.known = self.words.iter().cloned().zip(0..).collect();
    }

    /// The word of a row.
    pub fn word(&self, row: usize) -> Option<&str> {
        self.words.get(*self.places.get(row)? as usize).map(String::as_str)
    }
}
