//! Records held against what their file states: within a hundredth, or the last digit that is printed.

use serde_json::Value;

use super::statement::{Figure, Outcome, StatedQuantity, Statement, Track};

const SHARE: f64 = 0.01;
/// Places of a track that are told.
const TOLD: usize = 3;

/// What the comparison of a file came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Numbers that both have.
    pub checked: usize,
    pub equal: usize,
    /// Stated, and not in the record.
    pub absent: usize,
    /// The same in words.
    pub left_out: Vec<String>,
    /// Each wrong number in words.
    pub wrong: Vec<String>,
    pub records: usize,
    pub wrong_records: usize,
}

impl Score {
    /// Records of a file in which the lab's own reader finds nothing of its kind.
    pub fn unfounded(records: usize, reason: &str) -> Self {
        let wrong = vec![format!("{records} records were made where this lab finds {reason}")];
        Self { records, wrong_records: records, wrong, ..Self::default() }
    }
}

/// Compares all.
pub fn compare(stated: &Statement, runs: &[Value]) -> Score {
    let mut score = Score { records: runs.len(), ..Score::default() };
    if !stated.outcomes.is_empty() {
        outcomes(&stated.outcomes, runs, &mut score);
    }
    for track in &stated.tracks {
        hold_track(track, runs, &mut score);
    }
    if !stated.tracks.is_empty() && !score.wrong.is_empty() {
        score.wrong_records = score.wrong_records.max(1);
    }
    score
}

fn outcomes(stated: &[Outcome], runs: &[Value], score: &mut Score) {
    let did: Vec<Outcome> =
        stated.iter().filter(|it| it.figures.iter().any(|f| !f.direction.is_empty())).cloned().collect();
    let candidates = [stated.to_vec(), merged(&did), did];
    let Some(fitting) = candidates.iter().find(|outcomes| outcomes.len() == runs.len()) else {
        let (did, records) = (candidates[2].len(), runs.len());
        score.wrong.push(format!("{did} results with I/O are stated, and {records} records were made"));
        score.wrong_records += 1;
        return;
    };
    for (at, (outcome, run)) in fitting.iter().zip(runs).enumerate() {
        let before = score.wrong.len();
        for figure in &outcome.figures {
            hold(figure, run, &format!("result {at} `{}`", outcome.group), score);
        }
        score.wrong_records += usize::from(score.wrong.len() > before);
    }
}

/// Results of a group as one: counts and rates added up, means by their counts, and no percentiles.
fn merged(outcomes: &[Outcome]) -> Vec<Outcome> {
    let mut groups: Vec<Vec<&Outcome>> = Vec::new();
    for outcome in outcomes {
        match groups.last_mut().filter(|group| group[0].group == outcome.group) {
            Some(group) => group.push(outcome),
            None => groups.push(vec![outcome]),
        }
    }
    groups.into_iter().map(|group| if group.len() == 1 { group[0].clone() } else { sum(&group) }).collect()
}

fn sum(group: &[&Outcome]) -> Outcome {
    let mut sum = Outcome { group: group[0].group.clone(), figures: Vec::new() };
    let figures =
        group.iter().flat_map(|outcome| outcome.figures.iter().map(move |figure| (*outcome, figure)));
    for (outcome, figure) in figures {
        let weight = match figure.what {
            StatedQuantity::Quantile(..) => continue,
            StatedQuantity::Mean(_) => match outcome.find(figure.direction, StatedQuantity::Operations) {
                Some(count) => count.value,
                None => continue,
            },
            _ => 1.0,
        };
        let mut figure = Figure { value: figure.value * weight, ..figure.clone() };
        let there =
            sum.figures.iter_mut().find(|it| it.direction == figure.direction && it.what == figure.what);
        let Some(there) = there else {
            sum.figures.push(figure);
            continue;
        };
        match figure.what {
            StatedQuantity::Min(_) => there.value = there.value.min(figure.value),
            StatedQuantity::Max(_) | StatedQuantity::Duration => there.value = there.value.max(figure.value),
            _ => there.value += figure.value,
        }
        figure.rounding += there.rounding;
        there.rounding = figure.rounding;
    }
    for at in 0..sum.figures.len() {
        let Figure { direction, what, .. } = sum.figures[at];
        if let (StatedQuantity::Mean(_), Some(count)) =
            (what, sum.find(direction, StatedQuantity::Operations).map(|it| it.value))
        {
            sum.figures[at].value /= count;
        }
    }
    sum
}

fn hold(figure: &Figure, run: &Value, place: &str, score: &mut Score) {
    let Some((low, value, high)) = recorded(figure, run) else {
        score.absent += 1;
        score.left_out.push(format!("{place}: {} {:?}", figure.direction, figure.what));
        return;
    };
    score.checked += 1;
    let (stated, rounding) = (figure.value, figure.rounding);
    let is_near = (value - stated).abs() <= rounding.max(SHARE * stated.abs()) + f64::EPSILON;
    if is_near || (low - rounding <= stated && stated <= high + rounding) {
        score.equal += 1;
    } else {
        let direction = figure.direction;
        score.wrong.push(format!(
            "{place}: {direction} {:?} is stated as {stated}, recorded as {value}",
            figure.what
        ));
    }
}

/// The record's number with the edges of its bucket.
fn recorded(figure: &Figure, run: &Value) -> Option<(f64, f64, f64)> {
    let alone = |value: &Value| value.as_f64().map(|value| (value, value, value));
    match figure.what {
        StatedQuantity::InFlight => return alone(&run["summary"]["in_flight_requested"]),
        StatedQuantity::Duration => return alone(&run["summary"]["duration_ns"]),
        _ => {}
    }
    let directions = run["summary"]["directions"].as_array()?;
    let side = directions.iter().find(|side| side["direction"] == figure.direction)?;
    match figure.what {
        StatedQuantity::Operations => alone(&side["operations"]),
        StatedQuantity::Bytes => alone(&side["bytes"]),
        StatedQuantity::Rate => alone(&side["operations_per_s"]),
        StatedQuantity::Throughput => alone(&side["throughput_bytes_per_s"]),
        StatedQuantity::Mean(latency) => alone(&side[latency.field()]["mean_ns"]),
        StatedQuantity::Min(latency) => alone(&side[latency.field()]["min_ns"]),
        StatedQuantity::Max(latency) => alone(&side[latency.field()]["max_ns"]),
        StatedQuantity::Quantile(latency, order) => {
            let quantiles = side[latency.field()]["quantiles"].as_array()?;
            let is_it = |it: &&Value| it["q"].as_f64().is_some_and(|q| (q - order).abs() < 1e-11);
            let it = quantiles.iter().find(is_it)?;
            Some((it["low_ns"].as_f64()?, it["value_ns"].as_f64()?, it["high_ns"].as_f64()?))
        }
        StatedQuantity::InFlight | StatedQuantity::Duration => None,
    }
}

fn hold_track(track: &Track, runs: &[Value], score: &mut Score) {
    let of = |run: &Value| -> Vec<f64> {
        let series = run["telemetry"]["series"].as_array().into_iter().flatten();
        let mut series =
            series.filter(|it| it["metric"] == track.metric && it["label"] == track.label.as_str());
        let values = series.next().and_then(|it| it["values"].as_array()).into_iter().flatten();
        values.filter_map(Value::as_f64).collect()
    };
    let values: Vec<f64> = runs.iter().flat_map(of).collect();
    let place = format!("{} of `{}`", track.metric, track.label);
    if values.is_empty() {
        score.absent += track.values.len();
        score.left_out.push(format!("{place}, {} intervals", track.values.len()));
        return;
    }
    if values.len() != track.values.len() {
        score.checked += 1;
        score.wrong.push(format!(
            "{place}: {} intervals are stated, {} recorded",
            track.values.len(),
            values.len()
        ));
        return;
    }
    let mut told = 0;
    for (at, (stated, value)) in track.values.iter().zip(values).enumerate() {
        score.checked += 1;
        if (value - stated).abs() <= track.rounding.max(SHARE * stated.abs()) + f64::EPSILON {
            score.equal += 1;
            continue;
        }
        told += 1;
        if told <= TOLD {
            score.wrong.push(format!("{place}: interval {at} is stated as {stated}, recorded as {value}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::imports::statement::{Latency, PrintedNumber};

    fn outcome(group: &str, count: f64, mean: f64) -> Outcome {
        let mut outcome = Outcome { group: group.to_owned(), figures: Vec::new() };
        let printed = |value: f64| Some(PrintedNumber { value, rounding: 0.0 });
        outcome.put("read", StatedQuantity::Operations, printed(count));
        outcome.put("read", StatedQuantity::Mean(Latency::Service), printed(mean));
        outcome.put("read", StatedQuantity::Quantile(Latency::Service, 0.5), printed(mean));
        outcome
    }

    fn run(count: f64, mean: f64) -> Value {
        let quantile = json!({"q": 0.5, "low_ns": mean, "value_ns": mean * 1.02, "high_ns": mean * 1.04});
        let service = json!({"mean_ns": mean, "quantiles": [quantile]});
        json!({"summary": {"directions": [{"direction": "read", "operations": count, "service": service}]}})
    }

    #[test]
    fn numbers_are_held_one_by_one() {
        let stated = Statement { outcomes: vec![outcome("a", 10.0, 5.0)], tracks: Vec::new() };
        let score = compare(&stated, &[run(10.0, 5.0)]);
        assert_eq!((score.checked, score.equal, score.wrong_records), (3, 3, 0));
        let score = compare(&stated, &[run(11.0, 5.0)]);
        assert_eq!((score.equal, score.wrong.len(), score.wrong_records), (2, 1, 1));
        assert_eq!(compare(&stated, &[run(10.0, 5.0), run(10.0, 5.0)]).wrong_records, 1);
        assert_eq!(compare(&stated, &[json!({})]).absent, 3);
    }

    #[test]
    fn clones_may_be_one_record() {
        let stated = Statement {
            outcomes: vec![outcome("a", 10.0, 5.0), outcome("a", 30.0, 9.0)],
            tracks: Vec::new(),
        };
        let score = compare(&stated, &[run(40.0, 8.0)]);
        assert_eq!((score.checked, score.equal), (2, 2), "{score:?}");
        assert_eq!(compare(&stated, &[run(40.0, 7.0)]).wrong.len(), 1);
    }

    #[test]
    fn tracks_have_the_same_length_and_values() {
        let track = |values: &[f64]| Statement {
            outcomes: Vec::new(),
            tracks: vec![Track {
                metric: "m",
                label: "a".to_owned(),
                values: values.to_vec(),
                rounding: 0.01,
            }],
        };
        let run =
            json!({"telemetry": {"series": [{"metric": "m", "label": "a", "values": [1.0, null, 2.0]}]}});
        let score = |values: &[f64]| compare(&track(values), std::slice::from_ref(&run));
        assert_eq!(score(&[1.0, 2.01]).equal, 2);
        assert_eq!((score(&[1.0, 2.5]).equal, score(&[1.0, 2.5]).wrong_records), (1, 1));
        assert!(score(&[1.0]).wrong[0].contains("1 intervals"));
        assert_eq!(compare(&track(&[1.0]), &[json!({})]).absent, 1);
    }
}
