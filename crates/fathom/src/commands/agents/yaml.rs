//! YAML in blocks from a JSON value: what people edit before they apply it.

use std::fmt::Write as _;

use serde_json::Value;

/// Texts stand in double quotes, which JSON and YAML read alike.
pub fn of(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let _ = write!(out, "{:indent$}{key}:", "");
                behind(value, indent + 2, out);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            for value in list {
                let mut item = String::new();
                block(value, indent + 2, &mut item);
                // The item's first line stands behind its dash.
                let _ = write!(out, "{:indent$}- {}", "", item.trim_start());
            }
        }
        plain => {
            let _ = writeln!(out, "{:indent$}{plain}", "");
        }
    }
}

/// A value behind its key: on the lines below where it has parts, else on the same.
fn behind(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            block(value, indent, out);
        }
        Value::Array(list) if !list.is_empty() => {
            out.push('\n');
            block(value, indent, out);
        }
        plain => {
            let _ = writeln!(out, " {plain}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_indented_and_lists_have_dashes() {
        let value = json!({
            "a": { "b": "x: y", "c": [], "d": 3 },
            "e": [{ "f": true, "g": { "h": "1" } }, "i"],
        });
        let text = "a:\n  b: \"x: y\"\n  c: []\n  d: 3\ne:\n  - f: true\n    g:\n      h: \"1\"\n  - \"i\"\n";
        assert_eq!(of(&value), text);
    }
}
