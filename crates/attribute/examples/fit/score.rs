//! How well a table tells the causes of cases.

use std::collections::BTreeMap;

use fathom_attribute::evidence::Table;
use fathom_attribute::posterior::{CauseWeight, weigh};
use fathom_record::verdict::Limit;

use super::cells::name;
use super::observed::Observation;

/// Least probability that counts: a surer error is as bad.
const LEAST: f64 = 0.01;
/// From this probability on an answer is sure.
const SURE: f64 = 0.95;
/// Limits that somebody enforces.
const ENFORCED: [Limit; 5] =
    [Limit::VolumeIops, Limit::VolumeThroughput, Limit::InstanceCap, Limit::BurstCredits, Limit::Link];

/// Over all cases.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// Mean logarithm of the probability of what is right.
    pub log_score: f64,
    /// Share whose most probable answer is right.
    pub first: f64,
    /// Mean distance of what was said and what was right, in ten equal bins.
    pub calibration_error: f64,
    pub sure: usize,
    pub sure_right: usize,
}

fn is_right(case: &Observation, limit: Limit) -> bool {
    case.right.contains(&limit) || (case.is_any_cap && ENFORCED.contains(&limit))
}

/// The most probable answer, whether it is right, and the probability of what is. Where a rate is enforced and it was not told by
/// whom, all that enforce one are one answer.
fn judged(case: &Observation, table: &Table) -> (f64, bool, f64) {
    let weighed = weigh(table, &case.figures, &case.needs);
    let sum = |of: &dyn Fn(&CauseWeight) -> bool| {
        weighed.iter().filter(|w| of(w)).map(|w| w.probability).sum::<f64>()
    };
    let right = sum(&|w| is_right(case, w.limit));
    let best = weighed.first().map_or((Limit::Unknown, 0.0), |w| (w.limit, w.probability));
    let is_first = is_right(case, best.0);
    (if is_first { right } else { best.1 }, is_first, right)
}

/// The score of cases, each by the table of its fold.
pub fn of<'a>(cases: &[Observation], table: impl Fn(usize) -> &'a Table) -> Score {
    let judged: Vec<(f64, bool, f64)> = cases.iter().map(|case| judged(case, table(case.fold))).collect();
    let count = judged.len().max(1) as f64;
    let mut bins = [(0.0, 0.0); 10];
    for (said, right, _) in &judged {
        let bin = &mut bins[((said * 10.0) as usize).min(9)];
        *bin = (bin.0 + said, bin.1 + f64::from(u8::from(*right)));
    }
    let sure = judged.iter().filter(|one| one.0 >= SURE);
    Score {
        log_score: judged.iter().map(|one| one.2.max(LEAST).ln()).sum::<f64>() / count,
        first: judged.iter().filter(|one| one.1).count() as f64 / count,
        calibration_error: bins.iter().map(|(said, right)| (said - right).abs()).sum::<f64>() / count,
        sure: sure.clone().count(),
        sure_right: sure.filter(|one| one.1).count(),
    }
}

/// Log scores of each cause before and after.
pub fn by_cause(cases: &[Observation], hand: &Table, tables: &[Table]) -> Vec<(String, usize, f64, f64)> {
    let mut sums: BTreeMap<String, (usize, f64, f64)> = BTreeMap::new();
    for case in cases {
        let Some(cause) = case.right.first() else { continue };
        let ln = |table: &Table| judged(case, table).2.max(LEAST).ln();
        let sum = sums.entry(name(*cause)).or_default();
        *sum = (sum.0 + 1, sum.1 + ln(hand), sum.2 + ln(&tables[case.fold]));
    }
    let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
    sums.into_iter().map(|(cause, (count, a, b))| (cause, count, mean(a, count), mean(b, count))).collect()
}
