//! What a reader of a table says of a text that is none, in the words of whoever wrote the text.

use fathom_record::spelling::nearest;
use fathom_tools::Refusal;

use super::check::EXPECTED;

/// What a number looks like.
const NUMBER: &str = "write a number with a point and nothing else: e.g. 3000.5";
/// Most names that are listed where none is near.
const MOST_NAMES: usize = 12;

/// A refusal of a field or word that is not known, with the nearest that is; of a number that is spelt as in another
/// language; of a label in the wrong place; of anything else as it was said. `line` is what was written there.
pub fn refused(message: &str, line: &str) -> Refusal {
    let refusal = |cause: String, remedy: String| Refusal::new(EXPECTED, cause).or(remedy);
    let mut words = message.split('`').skip(1).step_by(2);
    let name = words.next().unwrap_or_default();
    let known: Vec<&str> = words.collect();
    let label = || "write it below an [[explain]], as label = { cause = \"volume_iops\" }".to_owned();
    if message.starts_with("unknown field") && name == "label" {
        return refusal("a row has no \"label\"".to_owned(), label());
    }
    for (beginning, what) in [("unknown field", "unknown field"), ("unknown variant", "not known here is")] {
        if message.starts_with(beginning) {
            return refusal(format!("{what} \"{name}\""), remedy(name, &known));
        }
    }
    if message.contains("expected struct Label") {
        return refusal("a label is more than a word".to_owned(), label());
    }
    if message.starts_with("invalid type") && message.contains("expected f64") {
        return refusal(message.replace("expected f64", "expected a number"), NUMBER.to_owned());
    }
    if message.contains("expected string only") {
        return refusal(
            "not a word".to_owned(),
            "write a word in quotes: docs/published.md lists them".to_owned(),
        );
    }
    match line.split_once('=').map(|(_, value)| value.trim()).filter(|value| is_spelt_otherwise(value)) {
        Some(value) => refusal(format!("{value} is not a valid number"), NUMBER.to_owned()),
        None => Refusal::new(EXPECTED, message),
    }
}

fn remedy(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()).first() {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if known.len() > MOST_NAMES => "docs/published.md lists the names".to_owned(),
        None => format!("known are {}", known.join(", ")),
    }
}

/// Whether a value is digits, parted as some language parts them.
fn is_spelt_otherwise(value: &str) -> bool {
    let value = value.split('#').next().unwrap_or_default().trim();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' ' | '\u{a0}' | '\u{202f}');
    value.starts_with(|c: char| c.is_ascii_digit())
        && value.chars().all(is_part)
        && value.parse::<f64>().is_err()
}
