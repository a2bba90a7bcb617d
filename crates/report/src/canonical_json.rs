//! A record as JSON that is the same, byte for byte, for the same record.

use serde::Serialize;

use crate::{ReportError, error};

/// Indented by two spaces, fields in the order of the record's declaration, with a newline at the end.
///
/// # Errors
/// When a value has no JSON form, as a map with keys that are not text.
pub fn pretty<T: Serialize>(record: &T) -> Result<String, ReportError> {
    Ok(indented(&fathom_json::text(record).map_err(error::unwritten)?))
}

/// JSON of one line over many, as `serde_json`'s own would be. Of text and not of the record: writing each kind of record
/// once more in another layout would be 0.2 MB of the program.
fn indented(line: &str) -> String {
    let mut text = String::with_capacity(line.len() * 2);
    let (mut depth, mut is_string, mut is_escaped) = (0, false, false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if is_string {
            text.push(character);
            is_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '[' => {
                text.push(character);
                match characters.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => text.push(end),
                    None => {
                        depth += 1;
                        begin_line(&mut text, depth);
                    }
                }
            }
            '}' | ']' => {
                depth -= 1;
                begin_line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(',');
                begin_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => {
                is_string = character == '"';
                text.push(character);
            }
        }
    }
    text.push('\n');
    text
}

fn begin_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            // Text with all that has a meaning in JSON.
            "[\\[\\]{}:,\"\\\\a\u{e9}\n]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[\\[{\"\\\\:,b]{0,4}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn is_what_serde_json_would_write(value in any_value()) {
            prop_assert_eq!(pretty(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap() + "\n");
        }
    }

    #[test]
    fn empty_lists_stay_on_their_line() {
        let value = json!({"a": [], "b": {}, "c": [1, "\\\"]"]});
        let expected = "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    \"\\\\\\\"]\"\n  ]\n}\n";
        assert_eq!(pretty(&value).unwrap(), expected);
    }
}
