//! What a reader of a table says of a text that is none, in the words of whoever wrote the text.

use fathom_record::spelling::nearest;
use fathom_toml::{Fault, FaultKind};
use fathom_tools::Refusal;

use super::table_validation::EXPECTED;

/// What a number looks like.
const NUMBER: &str = "write a number with a point and nothing else: e.g. 3000.5";
/// Most names that are listed where none is near.
const MOST_NAMES: usize = 12;

/// A refusal of a field or word that is not known, with the nearest that is; of a number that is spelt as in another
/// language; of a label in the wrong place; of anything else as it was said. `line` is what was written there.
pub fn refused(Fault { kind, cause }: Fault, line: &str) -> Refusal {
    let refusal = |cause: String, remedy: String| Refusal::new(EXPECTED, cause).or(remedy);
    let label = || "write it below an [[explain]], as label = { cause = \"volume_iops\" }".to_owned();
    match kind {
        FaultKind::UnknownField { name, .. } if name == "label" => {
            refusal("a row has no \"label\"".to_owned(), label())
        }
        FaultKind::UnknownField { name, known } => {
            refusal(format!("unknown field \"{name}\""), remedy(&name, known))
        }
        FaultKind::UnknownWord { word, known } => {
            refusal(format!("not known here is \"{word}\""), remedy(&word, known))
        }
        FaultKind::NotATable("Label") => refusal("a label is more than a word".to_owned(), label()),
        FaultKind::NotANumber => refusal(cause, NUMBER.to_owned()),
        FaultKind::NotAWord => refusal(
            "not a word".to_owned(),
            "write a word in quotes: docs/published.md lists them".to_owned(),
        ),
        _ => match line
            .split_once('=')
            .map(|(_, value)| value.trim())
            .filter(|value| is_spelt_otherwise(value))
        {
            Some(value) => refusal(format!("{value} is not a valid number"), NUMBER.to_owned()),
            None => Refusal::new(EXPECTED, cause),
        },
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
