//! Steady state by the four gates: how often a wrong level is accepted, and how long a right one takes.

use fathom_record::exposure_guard::{ExposureGuard, GuardRow, HiddenState, HiddenStateStanding};
use fathom_record::steadiness::SteadyVerdict;
use fathom_stats::steady::cusum::{Monitor, WatchEvent};
use fathom_stats::steady::{SteadyRule, judge, schedule};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Effort;
use crate::random_process::course::{Course, DrawnSeries, LENGTH_S};
use crate::{Bound, Figure};

/// A level further than this from the truth was wrong to accept.
const WRONG_SHARE: f64 = 0.05;
/// Time at which the ledger knows hidden states to be used up: the worst case of the scenarios.
const GUARD_S: f64 = 1800.0;

/// How the gates are set.
#[derive(Clone, Copy)]
struct Setting {
    name: &'static str,
    rule: SteadyRule,
    guard_s: f64,
    /// Whether the short form tries it too.
    shortly: bool,
}

const SETTINGS: [Setting; 4] = [
    Setting::new("window only", 0.0, 0.0, false),
    Setting::new("10 min", 600.0, 0.0, true),
    Setting::new("30 min", 1800.0, 0.0, false),
    Setting::new("10 min, guard", 600.0, GUARD_S, true),
];

impl Setting {
    const fn new(name: &'static str, horizon_s: f64, guard_s: f64, shortly: bool) -> Self {
        Self { name, rule: SteadyRule { tolerance_share: 0.05, horizon_s }, guard_s, shortly }
    }
}

/// The first acceptance of a series.
struct Acceptance {
    at_s: f64,
    wrong: bool,
    /// Whether the level left the tolerance within the time that the claim is for.
    broken: bool,
    periodic: bool,
}

/// False acceptance, time, refusals and the watch, for every course and setting.
pub fn run(effort: Effort) -> Vec<Figure> {
    let trials = effort.trials(60, 500);
    let mut figures = Vec::new();
    for (index, course) in Course::ALL.into_iter().enumerate() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(100 + index as u64);
        let drawn: Vec<DrawnSeries> = (0..trials).map(|_| course.draw(&mut rng)).collect();
        for setting in SETTINGS.iter().filter(|setting| effort == Effort::Full || setting.shortly) {
            figures.extend(gates(course, setting, &drawn));
        }
        figures.extend(watched(course, &drawn));
        if matches!(course, Course::Stationary | Course::Stalls | Course::Settling | Course::Drift) {
            figures.push(unsettled(course, &drawn));
        }
    }
    figures.push(foreseen(effort));
    figures
}

fn guard(length: usize, guard_s: f64) -> ExposureGuard {
    let exposed_s = length as f64;
    let standing = match guard_s {
        0.0 => HiddenStateStanding::Absent,
        after_s if after_s <= exposed_s => HiddenStateStanding::Exhausted { after_s },
        after_s => HiddenStateStanding::NotYet { after_s: Some(after_s) },
    };
    let row =
        GuardRow { state: HiddenState::VolumeCredits, standing, text: String::new(), source: String::new() };
    ExposureGuard { exposed_s, rows: vec![row] }
}

fn first_acceptance(drawn: &DrawnSeries, setting: &Setting) -> Option<Acceptance> {
    schedule::looks().take_while(|look| *look <= LENGTH_S).find_map(|look| {
        let judged = judge(&drawn.rates[..look], &guard(look, setting.guard_s), &setting.rule);
        let mean = judged.mean.filter(|_| judged.verdict.is_settled())?;
        Some(Acceptance {
            at_s: look as f64,
            broken: broken(drawn, mean, look, setting.rule.horizon_s as usize),
            wrong: (mean / drawn.level - 1.0).abs() > WRONG_SHARE,
            periodic: judged.verdict == SteadyVerdict::Periodic,
        })
    })
}

/// Whether the level without noise is, on the mean of the claimed time, not the stated one.
fn broken(drawn: &DrawnSeries, stated: f64, from: usize, horizon: usize) -> bool {
    let ahead = &drawn.base[from.min(LENGTH_S - 1)..(from + horizon.max(1)).min(LENGTH_S)];
    let level = ahead.iter().sum::<f64>() / ahead.len() as f64;
    (stated / level - 1.0).abs() > WRONG_SHARE
}

fn gates(course: Course, setting: &Setting, drawn: &[DrawnSeries]) -> Vec<Figure> {
    let scenario = format!("{}, {}", course.name(), setting.name);
    let accepted: Vec<Acceptance> = drawn.iter().filter_map(|d| first_acceptance(d, setting)).collect();
    let of_all = |count: usize| count as f64 / drawn.len() as f64;
    let mut figures = vec![
        Figure::share(
            &scenario,
            "false acceptance",
            of_all(accepted.iter().filter(|a| a.wrong).count()),
            false_bound(course, setting),
        ),
        Figure::share(
            &scenario,
            "never accepted",
            of_all(drawn.len() - accepted.len()),
            never_bound(course, setting),
        ),
    ];
    if course == Course::Drift && setting.rule.horizon_s > 0.0 {
        let share = of_all(accepted.iter().filter(|a| a.broken).count());
        figures.push(Figure::share(&scenario, "off within the claimed time", share, Bound::AtMost(0.05)));
    }
    if !accepted.is_empty() {
        let times = accepted.iter().map(|a| a.at_s).collect();
        figures.push(Figure::seconds(&scenario, "median time", median(times), Bound::Shown));
    }
    if setting.guard_s == 0.0 && setting.rule.horizon_s == 600.0 {
        let periodic = of_all(accepted.iter().filter(|a| a.periodic).count());
        let bound = match course {
            Course::Cycle => Bound::AtLeast(0.9),
            Course::Stationary | Course::Stalls | Course::WarmUp => Bound::AtMost(0.05),
            _ => Bound::Shown,
        };
        figures.push(Figure::share(&scenario, "called periodic", periodic, bound));
    }
    figures
}

/// What may be accepted wrongly. Without a guard nothing sees a cliff or a bucket before it comes, and a
/// slow drift is only refused by a claim for a time in which it matters.
fn false_bound(course: Course, setting: &Setting) -> Bound {
    match (course.is_hidden(), setting.guard_s > 0.0) {
        (true, true) => Bound::AtMost(0.02),
        (true, false) => Bound::Shown,
        (false, false) if course == Course::Drift && setting.rule.horizon_s < 1800.0 => Bound::Shown,
        (false, _) => Bound::AtMost(0.05),
    }
}

/// Refusing for ever is no answer where there is a level.
fn never_bound(course: Course, setting: &Setting) -> Bound {
    match course {
        Course::Stationary | Course::WarmUp | Course::Stalls if setting.rule.horizon_s <= 600.0 => {
            Bound::AtMost(0.02)
        }
        _ => Bound::Shown,
    }
}

/// A verdict at first acceptance, watched to the end of the hour: revoked without a reason, or where it
/// has to be, and how long after the fall.
fn watched(course: Course, drawn: &[DrawnSeries]) -> Vec<Figure> {
    let scenario = format!("{}, watched", course.name());
    let (mut accepted, mut revoked, mut delays) = (0usize, 0usize, Vec::new());
    for series in drawn {
        let mut monitor = Monitor::new(SteadyRule::default());
        let mut settled = false;
        for (second, rate) in series.rates.iter().enumerate() {
            let news = monitor.push(*rate, &guard(second + 1, 0.0));
            match news {
                Some(WatchEvent::Judged(judged)) if judged.verdict.is_settled() => {
                    let before_fall = series.fall.is_none_or(|fall| second < fall);
                    settled = before_fall;
                    accepted += usize::from(before_fall);
                }
                Some(WatchEvent::Revoked(alarm)) if settled => {
                    revoked += 1;
                    delays.extend(series.fall.map(|fall| alarm.seconds as f64 - fall as f64));
                    break;
                }
                _ => {}
            }
        }
    }
    if accepted < 10 {
        return Vec::new();
    }
    let share = revoked as f64 / accepted as f64;
    let bound = match course {
        Course::Cliff | Course::Bucket => Bound::AtLeast(0.99),
        Course::Stationary | Course::Stalls | Course::Cycle => Bound::AtMost(0.02),
        _ => Bound::Shown,
    };
    let mut figures = vec![Figure::share(&scenario, "verdicts revoked", share, bound)];
    if course.is_hidden() && !delays.is_empty() {
        figures.push(Figure::seconds(&scenario, "median time after the fall", median(delays), Bound::Shown));
    }
    figures
}

/// Looks within the first ten minutes at which a course is said to be settling or drifting: noise must not
/// be called so.
fn unsettled(course: Course, drawn: &[DrawnSeries]) -> Figure {
    let looks: Vec<usize> = schedule::looks().take_while(|look| *look <= 600).collect();
    let called = |series: &DrawnSeries, look: usize| {
        let judged = judge(&series.rates[..look], &guard(look, 0.0), &SteadyRule::default());
        matches!(judged.verdict, SteadyVerdict::Transient | SteadyVerdict::Drifting)
    };
    let count: usize = drawn.iter().map(|d| looks.iter().filter(|look| called(d, **look)).count()).sum();
    let bound = match course {
        Course::Stationary | Course::Stalls => Bound::AtMost(0.05),
        _ => Bound::Shown,
    };
    let share = count as f64 / (drawn.len() * looks.len()) as f64;
    Figure::share(course.name(), "looks that say settling or drifting", share, bound)
}

/// Time foreseen at the first look over the time it took, for series that stay: the median.
fn foreseen(effort: Effort) -> Figure {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(150);
    let rule = SteadyRule::default();
    let setting = Setting { rule, ..SETTINGS[1] };
    let ratios: Vec<f64> = (0..effort.trials(60, 1000))
        .filter_map(|_| {
            let drawn = Course::Stationary.draw(&mut rng);
            let first = judge(&drawn.rates[..schedule::FIRST_S], &guard(schedule::FIRST_S, 0.0), &rule);
            let left_s = first.remaining_s.filter(|left_s| *left_s > 0.0)?;
            let took_s = first_acceptance(&drawn, &setting)?.at_s - schedule::FIRST_S as f64;
            Some(left_s / took_s)
        })
        .collect();
    let bound = Bound::Within(0.5, 2.0);
    Figure::count("stationary, 10 min", "time foreseen over time taken", median(ratios), bound)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
