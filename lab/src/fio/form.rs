//! The form of both tools' JSON: which keys there are, and which of them ever hold something.

use std::collections::BTreeMap;

use serde_json::Value;

use super::tool_differences::Difference;

/// Paths of all keys of many results, with whether a value under them was ever more than 0 or empty.
#[derive(Clone, Debug, Default)]
pub struct Form(BTreeMap<String, bool>);

impl Form {
    /// Adds a result.
    pub fn add(&mut self, value: &Value) {
        self.walk("", value);
    }

    fn walk(&mut self, path: &str, value: &Value) -> bool {
        let holds = match value {
            Value::Null => false,
            Value::Bool(value) => *value,
            Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => {
                let path = format!("{path}[]");
                items.iter().fold(false, |holds, item| self.walk(&path, item) | holds)
            }
            Value::Object(members) => {
                // Options are compared by value, with those of each job.
                let listed = path.ends_with(" options");
                if listed && members.values().any(|value| value == "") {
                    self.0.insert(
                        format!("{path} (those without a value)").trim_start_matches('.').to_owned(),
                        true,
                    );
                }
                let walked = members.iter().map(|(key, value)| {
                    if listed { true } else { self.walk(&format!("{path}.{}", general(key)), value) }
                });
                walked.fold(false, |holds, member| member | holds)
            }
        };
        if !path.is_empty() {
            *self.0.entry(path.trim_start_matches('.').to_owned()).or_default() |= holds;
        }
        holds
    }

    /// What one tool prints and the other does not.
    pub fn differences(&self, fathom: &Self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for path in topmost(&self.0, &fathom.0) {
            differences.push(Difference::new(format!("form.lacks {path}"), "has it", "has not"));
        }
        for path in topmost(&fathom.0, &self.0) {
            differences.push(Difference::new(format!("form.more {path}"), "has not", "has it"));
        }
        let mut empty: Vec<&str> = Vec::new();
        for (path, holds) in &self.0 {
            let never = *holds && fathom.0.get(path) == Some(&false);
            if never && !empty.iter().any(|above| is_below(path, above)) {
                empty.push(path);
                differences.push(Difference::new(
                    format!("form.empty {path}"),
                    "holds something",
                    "always 0 or empty",
                ));
            }
        }
        differences
    }
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Numbers as keys stand for one another.
fn general(key: &str) -> &str {
    let number = key.trim_start_matches(">=");
    if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.') { "N" } else { key }
}

/// Paths of the first that the second has not, but for those below another such path.
fn topmost<'a>(first: &'a BTreeMap<String, bool>, second: &BTreeMap<String, bool>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for path in first.keys().filter(|path| !second.contains_key(*path)) {
        if !found.iter().any(|above| is_below(path, above)) {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lacking_and_empty_keys_are_found_once() {
        let (mut fio, mut fathom) = (Form::default(), Form::default());
        fio.add(
            &json!({"jobs": [{"ctx": 0, "depth": {"1": 5.0, ">=64": 0}, "ss": {"a": 1, "b": {"c": 1}}}]}),
        );
        fio.add(&json!({"jobs": [{"ctx": 7, "job options": {"rw": "read"}}]}));
        fathom.add(
            &json!({"jobs": [{"ctx": 0, "depth": {"2": 0, "4": 0}, "fathom": {"x": 1}, "job options": {}}]}),
        );
        let kinds: Vec<String> = fio.differences(&fathom).into_iter().map(|found| found.kind).collect();
        assert_eq!(
            kinds,
            [
                "form.lacks jobs[].ss",
                "form.more jobs[].fathom",
                "form.empty jobs[].ctx",
                "form.empty jobs[].depth",
                "form.empty jobs[].job options"
            ]
        );
    }
}
