//! What texts in TOML state, with the line of a mistake. A text is read into values first: what is read from those is compiled
//! for one kind of them, and from the text itself for four.

mod value_reader;

use std::fmt;

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use value_reader::Reader;
pub use value_reader::{Fault, FaultKind};

/// What is wrong in a text, and where. Its own type: this room is below record, which has the one shape of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

/// Reads what a text in TOML states.
///
/// # Errors
/// Where it is not TOML, or not what is read.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Mistake> {
    let values = values(text)?;
    of_values(values.clone()).map_err(|fault| {
        let is_so = |value: Value| T::deserialize(Reader(value)).err().is_some_and(|other| other == fault);
        let is_missing = fault.kind == FaultKind::MissingField;
        Mistake { line: line(text, values, is_missing, &is_so), fault }
    })
}

/// What values state that were read before.
///
/// # Errors
/// Where they are not what is read.
pub fn of_values<T: DeserializeOwned>(values: Table) -> Result<T, Fault> {
    T::deserialize(Reader(Value::Table(values)))
}

/// The values of a text.
///
/// # Errors
/// Where it is not TOML.
pub fn values(text: &str) -> Result<Table, Mistake> {
    text.parse().map_err(|error: toml::de::Error| {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
        Mistake { line, fault: Fault { kind: FaultKind::Syntax, cause: error.message().to_owned() } }
    })
}

/// The line, from 1, that holds a byte of a text.
pub fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|b| *b == b'\n').count()
}

/// The line of what a reader of the values says.
fn line(text: &str, values: Table, is_missing: bool, is_so: &dyn Fn(Value) -> bool) -> usize {
    let Ok(places) = DeTable::parse(text) else { return 1 };
    let places = Spanned::new(places.span(), DeValue::Table(places.into_inner()));
    line_of(text, blamed(&Value::Table(values), &places, is_missing, is_so))
}

/// Where a value begins for which a reader says what it says of the whole: `is_so` tells whether it does with another value
/// in this one's place. A reader goes through a table by its names in order and then finds what is missing, and goes no
/// further than its first mistake, so that the part that is to blame is found by halves.
fn blamed(
    value: &Value,
    place: &Spanned<DeValue<'_>>,
    is_missing: bool,
    is_so: &dyn Fn(Value) -> bool,
) -> usize {
    let here = place.span().start;
    match (value, place.get_ref()) {
        (Value::Table(table), DeValue::Table(places)) => {
            let with = |count: usize, last: Option<(&String, Value)>| {
                let first = table.iter().take(count).map(|(name, one)| (name, one.clone()));
                is_so(Value::Table(first.chain(last).map(|(name, one)| (name.clone(), one)).collect()))
            };
            let least = last_of_least(table.len(), &|count| with(count, None));
            let Some((at, (name, one))) = least.and_then(|at| Some((at, table.iter().nth(at)?))) else {
                return here;
            };
            let Some((key, place)) = places.iter().find(|(key, _)| key.get_ref() == name) else {
                return here;
            };
            match emptied(one) {
                Some(empty) if !with(at, Some((name, empty.clone()))) => {
                    blamed(one, place, is_missing, &|other| with(at, Some((name, other))))
                }
                _ if is_missing => here,
                _ => key.span().start,
            }
        }
        (Value::Array(list), DeValue::Array(places)) => {
            // Each stands alone, so that of a long list every half is read once.
            let within = |part: &[Value]| is_so(Value::Array(part.to_vec()));
            if list.is_empty() || within(&[]) {
                return here;
            }
            let (mut at, mut end) = (0, list.len());
            while end - at > 1 {
                let middle = at.midpoint(end);
                if within(&list[at..middle]) { end = middle } else { at = middle }
            }
            let Some(place) = places.get(at) else { return here };
            blamed(&list[at], place, is_missing, &|other| within(&[other]))
        }
        _ => here,
    }
}

/// The last of the fewest first parts of which something is so; none where it is so without any, or of all is not.
fn last_of_least(count: usize, is_so: &dyn Fn(usize) -> bool) -> Option<usize> {
    let (mut without, mut with) = (0, count);
    if is_so(without) || !is_so(with) {
        return None;
    }
    while with - without > 1 {
        let middle = without.midpoint(with);
        if is_so(middle) { with = middle } else { without = middle }
    }
    Some(without)
}

/// A table or a list with nothing in it.
fn emptied(value: &Value) -> Option<Value> {
    match value {
        Value::Table(_) => Some(Value::Table(Table::new())),
        Value::Array(_) => Some(Value::Array(Vec::new())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Document {
        title: String,
        row: Vec<Row>,
        of: BTreeMap<String, Row>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Row {
        name: String,
        rate: f64,
        #[serde(default)]
        labels: Vec<String>,
    }

    fn line(text: &str) -> (usize, String) {
        let Mistake { line, fault } = read::<Document>(text).expect_err(text);
        (line, fault.cause)
    }

    #[test]
    fn values_are_those_of_the_text() {
        let text = "title = 'a'\n[[row]]\nname = 'b'\nrate = 0x10\nlabels = ['c']\n[of.d]\nname = 'e'\nrate = 1_0.5\n";
        let row = |name: &str, rate, labels| Row { name: name.to_owned(), rate, labels };
        let of = BTreeMap::from([("d".to_owned(), row("e", 10.5, vec![]))]);
        let expected =
            Document { title: "a".to_owned(), row: vec![row("b", 16.0, vec!["c".to_owned()])], of };
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn a_mistake_has_its_line() {
        assert_eq!(line("title = 'a'\ntitle = 'b'").0, 2);
        assert_eq!(line("title = 'a'\nrow = 3").0, 2);
        let rows = "[[row]]\nname = 'a'\nrate = 1\n[[row]]\nname = 'b'\n";
        let (at, cause) = line(&format!("{rows}rate = 'x'"));
        assert_eq!((at, cause.as_str()), (6, "invalid type: string \"x\", expected a number"));
        assert_eq!(line(&format!("{rows}rate = 1\nlabels = [\n'x',\n3]")).0, 9);
        assert_eq!(line(&format!("{rows}rate = 1\nlable = 1")).0, 7);
        assert_eq!(line(rows), (4, "missing field `rate`".to_owned()));
        assert_eq!(
            line(&format!("{rows}rate = 2\n[of.x]\nrate = 1")),
            (7, "missing field `name`".to_owned())
        );
        assert_eq!(line("\n\n[rows]").0, 3);
    }
}
