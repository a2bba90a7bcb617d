//! What stands behind `?`, taken piece by piece: what is left over was misspelt.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::Refusal;

/// Longest query.
const BYTES_MAX: usize = 4096;

/// The names and values of a query that were not taken yet.
#[derive(Debug)]
pub(crate) struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    pub(crate) fn of(query: &str) -> Result<Self, Refusal> {
        if query.len() > BYTES_MAX {
            return Err(Refusal::usage("the query", "it is longer than 4096 bytes"));
        }
        Ok(Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect()))
    }

    /// The value of that name, if it is there.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        let at = self.0.iter().position(|(key, _)| key == name);
        let value = at.map(|at| self.0.remove(at).1);
        if self.0.iter().any(|(key, _)| key == name) {
            return Err(Refusal::usage(name, "it is there more than once"));
        }
        Ok(value)
    }

    /// A whole number within bounds.
    pub(super) fn number(&mut self, name: &str, within: RangeInclusive<u64>) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let number = u64::from_str(&text).ok().filter(|number| within.contains(number));
        let bounds = || format!("`{text}` is not a whole number from {} to {}", within.start(), within.end());
        number.map(Some).ok_or_else(|| Refusal::usage(name, bounds()))
    }

    /// Refuses what nobody took.
    pub(crate) fn end(self) -> Result<(), Refusal> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(Refusal::usage(name, "unknown name in the query")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_taken_once_and_within_its_bounds() {
        let mut parameters = QueryParameters::of("a=1&b=x%20y&c=5").unwrap();
        assert_eq!(parameters.number("a", 1..=3), Ok(Some(1)));
        assert_eq!(parameters.text("b"), Ok(Some("x y".to_owned())));
        assert_eq!(parameters.text("d"), Ok(None));
        assert!(parameters.end().unwrap_err().place == "c");
        for odd in ["-1", "0", "4", "1e9", "NaN", "", "99999999999999999999999"] {
            assert!(QueryParameters::of(&format!("a={odd}")).unwrap().number("a", 1..=3).is_err(), "{odd}");
        }
        assert!(QueryParameters::of("a=1&a=2").unwrap().text("a").is_err());
        assert!(QueryParameters::of(&"a".repeat(5000)).is_err());
    }
}
