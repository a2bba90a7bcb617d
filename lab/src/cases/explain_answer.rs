//! What fathom answered to a case, from the campaign record that `fathom explain` wrote.

use serde_json::Value;

/// A cause and its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCause {
    pub cause: String,
    pub probability: f64,
}

/// The answer to one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// After the experiments, most probable first; never empty.
    pub active: Vec<NamedCause>,
    /// Before any experiment.
    pub passive: Vec<NamedCause>,
    /// Time that its runs took on the target, in seconds; simulated ones are of simulated time.
    pub busy_s: f64,
    /// Time that it took, by the wall.
    pub wall_s: f64,
    /// The figures that the probabilities rest on: name and value.
    pub symptoms: Vec<(String, f64)>,
    /// Each experiment, with the logarithm of its rate over the rate before; absent where it failed.
    pub experiments: Vec<(String, Option<f64>)>,
    /// What it printed; empty where only its record came back.
    pub report: String,
}

impl Answer {
    /// Reads a record.
    ///
    /// # Errors
    /// What it lacks.
    pub fn read(record: &Value, wall_s: f64) -> Result<Self, String> {
        let pattern = &record["patterns"][0];
        let active = claims(&pattern["verdict"]);
        if active.is_empty() {
            return Err("the record has no verdict with claims".to_owned());
        }
        let entries = |field: &str| pattern[field].as_array().cloned().unwrap_or_default();
        let name = |entry: &Value| entry["name"].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            active,
            passive: claims(&pattern["passive"]),
            busy_s: record["busy_seconds"].as_f64().unwrap_or(0.0),
            wall_s,
            symptoms: entries("symptoms")
                .iter()
                .map(|s| (name(s), s["value"].as_f64().unwrap_or(0.0)))
                .collect(),
            experiments: entries("experiments").iter().map(|e| (name(e), growth(e))).collect(),
            report: String::new(),
        })
    }

    /// The cause named first, and how sure.
    pub fn first(&self) -> &NamedCause {
        &self.active[0]
    }
}

fn growth(experiment: &Value) -> Option<f64> {
    let after = experiment["operations_per_s"].as_f64()?;
    experiment["before_per_s"].as_f64().filter(|before| *before > 0.0).map(|before| (after / before).ln())
}

/// A claim without a probability claims nothing.
fn claims(verdict: &Value) -> Vec<NamedCause> {
    let claims = verdict["claims"].as_array().into_iter().flatten();
    claims
        .filter_map(|claim| {
            let cause = claim["limit"].as_str()?.to_owned();
            Some(NamedCause { cause, probability: claim["probability"].as_f64().unwrap_or(0.0) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_read_from_records_and_what_is_missing_is_said() {
        let pattern = json!({
            "verdict": {"claims": [{"limit": "link", "probability": 0.9}, {"limit": "unknown"}]},
            "passive": {"claims": [{"limit": "rate_cap", "probability": 0.5}]},
            "symptoms": [{"name": "waiting", "value": 1.5}],
            "experiments": [
                {"name": "double_depth", "operations_per_s": 100.0, "before_per_s": 100.0},
                {"name": "raw_device", "failed": "none"},
            ],
        });
        let answer = Answer::read(&json!({"patterns": [pattern], "busy_seconds": 18.0}), 2.0).unwrap();
        assert_eq!((answer.first().cause.as_str(), answer.first().probability), ("link", 0.9));
        assert_eq!((answer.active[1].probability, answer.passive[0].cause.as_str()), (0.0, "rate_cap"));
        assert_eq!(
            answer.experiments,
            [("double_depth".to_owned(), Some(0.0)), ("raw_device".to_owned(), None)]
        );
        assert_eq!((answer.symptoms[0].1, answer.busy_s), (1.5, 18.0));
        assert!(Answer::read(&json!({"patterns": []}), 0.0).unwrap_err().contains("no verdict"));
    }
}
