//! What fathom answered to a case, from the campaign record that `fathom explain` wrote.

use serde_json::Value;

/// A cause and its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub cause: String,
    pub probability: f64,
}

/// The answer to one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// After the experiments, most probable first; never empty.
    pub active: Vec<Named>,
    /// Before any experiment.
    pub passive: Vec<Named>,
    /// Experiments that were made.
    pub experiments: usize,
    /// Time that it took, by the wall.
    pub wall_s: f64,
}

impl Answer {
    /// Reads a record.
    ///
    /// # Errors
    /// What it lacks.
    pub fn read(record: &Value, wall_s: f64) -> Result<Self, String> {
        let active = claims(&record["verdict"]);
        let passive = claims(&record["baseline_verdict"]);
        if active.is_empty() {
            return Err("the record has no verdict with claims".to_owned());
        }
        let experiments = record["experiments"].as_array().map_or(0, Vec::len);
        Ok(Self { active, passive, experiments, wall_s })
    }

    /// The cause named first, and how sure.
    pub fn first(&self) -> &Named {
        &self.active[0]
    }
}

/// A claim without a probability claims nothing.
fn claims(verdict: &Value) -> Vec<Named> {
    let claims = verdict["claims"].as_array().into_iter().flatten();
    claims
        .filter_map(|claim| {
            let cause = claim["limit"].as_str()?.to_owned();
            Some(Named { cause, probability: claim["probability"].as_f64().unwrap_or(0.0) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_read_from_records_and_what_is_missing_is_said() {
        let record = json!({
            "verdict": {"claims": [{"limit": "link", "probability": 0.9}, {"limit": "unknown"}]},
            "baseline_verdict": {"claims": [{"limit": "rate_cap", "probability": 0.5}]},
            "experiments": [{}, {}],
        });
        let answer = Answer::read(&record, 2.0).unwrap();
        assert_eq!((answer.first().cause.as_str(), answer.first().probability), ("link", 0.9));
        assert_eq!((answer.active[1].probability, answer.passive[0].cause.as_str()), (0.0, "rate_cap"));
        assert_eq!(answer.experiments, 2);
        assert!(Answer::read(&json!({"verdict": {"claims": []}}), 0.0).unwrap_err().contains("no verdict"));
    }
}
