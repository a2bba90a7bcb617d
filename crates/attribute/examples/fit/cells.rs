//! Which densities of the table are fitted, and what is written of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fathom_attribute::evidence::{Feature, Table};
use fathom_record::verdict::Limit;

use super::observed::{FOLDS, Observation};
use super::peaks::{Law, Peak, WeightedFigure, ln_density, peaks_of, split, through};

/// Cases that a density is fitted to at least.
const LEAST_CASES: usize = 8;
/// What a density must describe left-out figures better by, each, in nats.
const LEAST_GAIN: f64 = 0.02;
/// And all of them together.
const LEAST_TOTAL: f64 = 2.0;

/// What a run and its experiments show. What was told of limits is not fitted: how often people tell what, drawn cases do not say.
const FITTED: [Feature; 16] = [
    Feature::Unevenness,
    Feature::Pacing,
    Feature::Drop,
    Feature::Waiting,
    Feature::Climb,
    Feature::Corner,
    Feature::Tail,
    Feature::DoubleDepth,
    Feature::DoubleJobs,
    Feature::HalfBlock,
    Feature::DoubleBlock,
    Feature::Sequential,
    Feature::Reads,
    Feature::Repeat,
    Feature::SecondTarget,
    Feature::Idle,
];

/// Limits that somebody enforces look alike in these: what tells them apart is the block, a second target, and what was told.
const ALIKE: [Limit; 4] = [Limit::VolumeIops, Limit::VolumeThroughput, Limit::InstanceCap, Limit::Link];
const OF_ALIKE: [Feature; 10] = [
    Feature::Unevenness,
    Feature::Pacing,
    Feature::Drop,
    Feature::Waiting,
    Feature::Corner,
    Feature::Tail,
    Feature::DoubleDepth,
    Feature::DoubleJobs,
    Feature::Repeat,
    Feature::Idle,
];

/// The causes that a density is one of: their cases are fitted together.
pub fn alike((limit, feature): (Limit, Feature)) -> Vec<Limit> {
    match ALIKE.contains(&limit) && OF_ALIKE.contains(&feature) {
        true => ALIKE.to_vec(),
        false => vec![limit],
    }
}

/// Fitted peaks, by cause and feature.
pub type Cells = BTreeMap<(Limit, Feature), Vec<Peak>>;

/// The densities that describe left-out cases better than those set by hand, fitted to all of these.
pub fn fitted_to(hand: &Table, cases: &[&Observation]) -> Cells {
    let mut cells = Cells::new();
    let Some(calibration) = hand.calibration else { return cells };
    let law = Law { inflation: calibration.inflation, freedom: calibration.degrees_of_freedom };
    for cause in &hand.causes {
        for feature in FITTED {
            let group = alike((cause.limit, feature));
            let figures: Vec<(usize, WeightedFigure)> = cases
                .iter()
                .filter(|case| case.right.first().is_some_and(|right| group.contains(right)))
                .flat_map(|case| case.figures.iter().map(move |figure| (case.fold, figure)))
                .filter(|(_, figure)| figure.feature == feature)
                .map(|(fold, f)| (fold, WeightedFigure { value: f.value, error: f.error, weight: 1.0 }))
                .collect();
            let Some(density) = hand.density(group[0], feature) else { continue };
            let peaks = peaks_of(density);
            // Peaks that belong together stay as they are: one alone says nothing of the pair.
            if figures.len() >= LEAST_CASES && !cause.together.contains(&feature) {
                cells.extend(fitted(&figures, &peaks, law).map(|peaks| ((cause.limit, feature), peaks)));
            }
        }
    }
    cells
}

/// Of the hand's form and of one with a second peak, the better by left-out figures; none where neither gains enough.
fn fitted(figures: &[(usize, WeightedFigure)], hand: &[Peak], law: Law) -> Option<Vec<Peak>> {
    let all: Vec<WeightedFigure> = figures.iter().map(|(_, one)| *one).collect();
    let mut starts = vec![hand.to_vec()];
    if let [one] = hand {
        starts.extend(split(&all, *one));
    }
    let gain = |start: &Vec<Peak>| -> f64 {
        let of_fold = |fold: usize| {
            let others: Vec<WeightedFigure> = figures.iter().filter(|f| f.0 != fold).map(|f| f.1).collect();
            let peaks = through(&others, start, law);
            let left = figures.iter().filter(move |f| f.0 == fold);
            left.map(|(_, one)| ln_density(one, &peaks, law) - ln_density(one, hand, law)).sum::<f64>()
        };
        (0..FOLDS).map(of_fold).sum()
    };
    let (best, total) = starts
        .into_iter()
        .map(|start| (gain(&start), start))
        .map(|(gain, start)| (start, gain))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let is_better = total >= LEAST_TOTAL.max(LEAST_GAIN * figures.len() as f64);
    is_better.then(|| merged(through(&all, &best, law)))
}

/// Two peaks that are one in all but name, as one.
fn merged(peaks: Vec<Peak>) -> Vec<Peak> {
    match peaks.as_slice() {
        [a, b] if (a.0 - b.0).abs() < 0.2 * a.1.min(b.1) && (0.8..1.25).contains(&(a.1 / b.1)) => {
            vec![((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)]
        }
        _ => peaks,
    }
}

/// As the table is read.
pub fn text_of(cells: &Cells, temperature: f64) -> String {
    let mut text = format!("[calibration]\ntemperature = {temperature}\n");
    let mut last = None;
    for ((limit, feature), peaks) in cells {
        if last != Some(*limit) {
            let _ = write!(text, "\n[cause.{}]\n", name(*limit));
            last = Some(*limit);
        }
        let one = |peak: &Peak| format!("[{:.3}, {:.3}]", peak.0, peak.1.max(0.001));
        let value = match peaks.as_slice() {
            [peak] => one(peak),
            several => format!("[{}]", several.iter().map(one).collect::<Vec<_>>().join(", ")),
        };
        let _ = writeln!(text, "{} = {value}", feature.name());
    }
    text
}

/// A cause's name in the table.
pub fn name(limit: Limit) -> String {
    let value = toml::Value::try_from(limit).ok();
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
