//! Reads licence expressions: `MIT OR Apache-2.0`, `(MIT OR Zlib) AND Unicode-3.0`.

/// Whether an expression can be satisfied with licences that are allowed. `None` when it cannot be read.
///
/// The grammar is that of SPDX 2.3, annex D; the older `MIT/Apache-2.0` means OR. A licence `WITH` an
/// exception only permits more, so it is judged by the licence.
pub fn is_allowed(expression: &str, allowed: &[String]) -> Option<bool> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    let result = parser.either()?;
    parser.words.is_empty().then_some(result)
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Parser<'_> {
    fn take(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    fn either(&mut self) -> Option<bool> {
        let mut result = self.both()?;
        while self.take("OR") {
            result |= self.both()?;
        }
        Some(result)
    }

    fn both(&mut self) -> Option<bool> {
        let mut result = self.one()?;
        while self.take("AND") {
            result &= self.one()?;
        }
        Some(result)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let inner = self.either()?;
            return self.take(")").then_some(inner);
        }
        let (licence, rest) = self.words.split_first()?;
        if matches!(*licence, "OR" | "AND" | "WITH" | ")") {
            return None;
        }
        self.words = rest;
        if self.take("WITH") {
            self.words = self.words.get(1..)?;
        }
        Some(self.allowed.iter().any(|allowed| allowed == licence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_satisfied_or_not() {
        let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("GPL-3.0", Some(false)),
            ("GPL-3.0 OR MIT", Some(true)),
            ("MIT/Apache-2.0", Some(true)),
            ("GPL-3.0 AND MIT", Some(false)),
            ("(GPL-3.0 OR MIT) AND Unicode-3.0", Some(true)),
            ("GPL-3.0 OR MIT AND BSL", Some(false)),
            ("MIT WITH LLVM-exception", Some(true)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT)", None),
            ("MIT MIT", None),
            ("MIT WITH", None),
        ] {
            assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
        }
    }
}
