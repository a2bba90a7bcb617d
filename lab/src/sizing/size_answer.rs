//! What fathom answered: its choice, and the offer of each type, from `fathom size --json`.

use std::path::Path;

use serde_json::Value;

use super::drawn_demand::Demand;
use super::json_queries;
use super::volume_offers::{Kind, MIB, Volume};

/// An offer as the answer has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub volume: Volume,
    /// Of the currency's unit.
    pub month: f64,
    pub late_share: Option<f64>,
}

/// What became of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeOutcome {
    /// The cheapest volume that meets the demand.
    Offered(Offer),
    /// None meets it.
    Nothing,
    /// It was not looked at.
    LeftOut,
}

/// The whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub choice: Option<Offer>,
    pub by_type: Vec<(Kind, TypeOutcome)>,
    /// The volume of today and whether it meets the demand.
    pub current: Option<(Offer, bool)>,
    pub tick_s: u64,
}

/// Asks fathom. A demand that nothing meets is an answer too.
///
/// # Errors
/// Where fathom refuses the demand, with its words, or answers something else.
pub fn ask(fathom: &Path, folder: &Path, demand: &Demand, file: &str) -> Result<Answer, String> {
    let value = json_queries::json(fathom, folder, &demand.words(file))?;
    read(&value).ok_or_else(|| "the answer lacks a field".to_owned())
}

fn read(value: &Value) -> Option<Answer> {
    let offered = |value: &Value| if value.is_null() { Some(None) } else { offer(value).map(Some) };
    let mut by_type = Vec::new();
    for kind in Kind::ALL {
        let entry = value["by_type"].as_array()?.iter().find(|entry| entry["volume"] == kind.name());
        let of_type = match entry {
            None => TypeOutcome::LeftOut,
            Some(entry) => match offered(&entry["offer"])? {
                Some(offer) => TypeOutcome::Offered(offer),
                None if says_why(entry) => TypeOutcome::LeftOut,
                None => TypeOutcome::Nothing,
            },
        };
        by_type.push((kind, of_type));
    }
    let current = match &value["current"] {
        Value::Null => None,
        current => Some((offer(&current["offer"])?, current["holds"].as_bool()?)),
    };
    Some(Answer {
        choice: offered(&value["choice"])?,
        by_type,
        current,
        tick_s: value["demand"]["tick_s"].as_u64()?,
    })
}

/// Whether an entry without an offer has a field more, which says why the type was left out.
fn says_why(entry: &Value) -> bool {
    let fields = entry.as_object().into_iter().flatten();
    fields.into_iter().any(|(name, value)| !["volume", "offer"].contains(&name.as_str()) && !value.is_null())
}

fn offer(value: &Value) -> Option<Offer> {
    let kind = Kind::ALL.into_iter().find(|kind| value["volume"] == kind.name())?;
    let bytes = value["bytes_per_s"].as_u64()?;
    Some(Offer {
        volume: Volume {
            kind,
            gib: value["size_gib"].as_u64()?,
            iops: value["iops"].as_u64()?,
            mibps: if kind == Kind::Gp3 { bytes / MIB } else { 0 },
        },
        month: value["month"].as_f64()?,
        late_share: value["late_share"].as_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_read_with_and_without_offers() {
        let gp3 = json!({"volume": "gp3", "size_gib": 100, "iops": 3400, "bytes_per_s": 131_072_000, "month": 10.0, "late_share": 0.5});
        let value = json!({
            "demand": {"tick_s": 1},
            "choice": gp3,
            "by_type": [{"volume": "gp3", "offer": gp3}, {"volume": "io1", "offer": null}, {"volume": "st1", "offer": null, "left_out": "seeks"}],
            "current": {"offer": gp3, "holds": false},
        });
        let answer = read(&value).unwrap();
        let volume = Volume { kind: Kind::Gp3, gib: 100, iops: 3400, mibps: 125 };
        assert_eq!(answer.choice.as_ref().unwrap().volume, volume);
        let of = |kind| answer.by_type.iter().find(|(of, _)| *of == kind).unwrap().1.clone();
        assert!(matches!(of(Kind::Gp3), TypeOutcome::Offered(offer) if offer.volume == volume));
        assert_eq!(
            (of(Kind::Io1), of(Kind::St1), of(Kind::Sc1)),
            (TypeOutcome::Nothing, TypeOutcome::LeftOut, TypeOutcome::LeftOut)
        );
        assert!(!answer.current.unwrap().1);
        assert_eq!(read(&json!({"by_type": 1})), None);
    }
}
