//! A search as people type it: `target:nvme0 p99<2ms valid weekly`.

use std::str::FromStr;

use fathom_measure::{ByteRate, Nanos, Rate};
use fathom_store::{Relation, RunCondition, RunNumber, RunText};

use super::Refusal;

/// Words of a search at most.
const WORDS_MAX: usize = 32;

const TEXTS: [(&str, RunText); 9] = [
    ("target", RunText::Target),
    ("device", RunText::Device),
    ("workload", RunText::Pattern),
    ("pattern", RunText::Pattern),
    ("tool", RunText::Tool),
    ("campaign", RunText::Campaign),
    ("id", RunText::Id),
    ("tag", RunText::Tags),
    ("kernel", RunText::Kernel),
];

const NUMBERS: [(&str, RunNumber); 6] = [
    ("iops", RunNumber::OperationsPerS),
    ("throughput", RunNumber::ThroughputBytesPerS),
    ("p50", RunNumber::P50Ns),
    ("p99", RunNumber::P99Ns),
    ("jobs", RunNumber::Jobs),
    ("depth", RunNumber::Depth),
];

const RELATIONS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Below),
    (">", Relation::Above),
    ("=", Relation::Equal),
];

/// The conditions that a search stands for: all of them hold.
pub(super) fn conditions(text: &str) -> Result<Vec<RunCondition>, Refusal> {
    let words = words(text)?;
    if words.len() > WORDS_MAX {
        return Err(Refusal::usage("q", "a search has at most 32 words"));
    }
    words.iter().map(|word| condition(word)).collect()
}

/// Words apart by white space, but for what is in double quotes.
fn words(text: &str) -> Result<Vec<String>, Refusal> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            letter if letter.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    if quoted {
        return Err(Refusal::usage("q", "a quote is opened and not closed"));
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    Ok(words)
}

fn condition(word: &str) -> Result<RunCondition, Refusal> {
    match word {
        "valid" => return Ok(RunCondition::Valid(true)),
        "invalid" => return Ok(RunCondition::Valid(false)),
        "baseline" => return Ok(RunCondition::Baseline),
        _ => {}
    }
    if let Some((name, value)) = word.split_once(':') {
        match name {
            "since" => return Ok(RunCondition::Since(value.to_owned())),
            "before" => return Ok(RunCondition::Before(value.to_owned())),
            _ => {}
        }
        if let Some((_, field)) = TEXTS.iter().find(|(known, _)| *known == name) {
            return Ok(RunCondition::Holds(*field, value.to_owned()));
        }
    }
    for (name, field) in NUMBERS {
        let Some(rest) = word.strip_prefix(name) else { continue };
        let relation =
            RELATIONS.iter().find_map(|(sign, relation)| Some((rest.strip_prefix(sign)?, relation)));
        if let Some((value, relation)) = relation {
            return Ok(RunCondition::Is(field, *relation, figure(field, value)?));
        }
    }
    Ok(RunCondition::HoldsAnywhere(word.to_owned()))
}

fn figure(field: RunNumber, text: &str) -> Result<f64, Refusal> {
    let refuse = |error: fathom_measure::UnitError| Refusal::usage("q", error.to_string());
    match field {
        RunNumber::OperationsPerS => Rate::from_str(text).map(|rate| rate.0).map_err(refuse),
        RunNumber::ThroughputBytesPerS => ByteRate::from_str(text).map(|rate| rate.0).map_err(refuse),
        RunNumber::P50Ns | RunNumber::P99Ns => {
            Nanos::from_str(text).map(|time| time.0 as f64).map_err(refuse)
        }
        RunNumber::Jobs | RunNumber::Depth => u32::from_str(text)
            .map(f64::from)
            .map_err(|_| Refusal::usage("q", format!("`{text}` is not a whole number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_become_conditions() {
        let found = conditions(
            "target:nvme0 workload:\"4 KiB random\" p99<2ms iops>=20k depth=4 valid weekly tag:prod baseline",
        );
        let expected = vec![
            RunCondition::Holds(RunText::Target, "nvme0".to_owned()),
            RunCondition::Holds(RunText::Pattern, "4 KiB random".to_owned()),
            RunCondition::Is(RunNumber::P99Ns, Relation::Below, 2e6),
            RunCondition::Is(RunNumber::OperationsPerS, Relation::AtLeast, 20e3),
            RunCondition::Is(RunNumber::Depth, Relation::Equal, 4.0),
            RunCondition::Valid(true),
            RunCondition::HoldsAnywhere("weekly".to_owned()),
            RunCondition::Holds(RunText::Tags, "prod".to_owned()),
            RunCondition::Baseline,
        ];
        assert_eq!(found, Ok(expected));
        assert_eq!(conditions("  "), Ok(Vec::new()));
        assert_eq!(conditions("sim:gp3"), Ok(vec![RunCondition::HoldsAnywhere("sim:gp3".to_owned())]));
    }

    #[test]
    fn searches_that_make_no_sense_are_refused_with_what_is_expected() {
        for odd in ["p99<fast", "iops>-1", "\"open", "depth=x", "p99<", "jobs=99999999999"] {
            let refused = conditions(odd).unwrap_err();
            assert!(refused.status == 400 && refused.place == "q" && !refused.cause.is_empty(), "{odd}");
        }
        assert!(conditions(&"a ".repeat(33)).is_err());
    }
}
