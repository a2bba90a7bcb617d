//! What the modes of a distribution go with: the direction of an I/O, or the time at which it ended.
//!
//! Asked of the slowest mode against all others. For the direction: a chi-square of mode by direction,
//! divided by the design effect of the mode's share, because the slow I/Os of one burst are one event and
//! not thousands (Rao and Scott 1981). For the time: the seconds that hold a slow I/O against those that as
//! many slow I/Os would hold if each fell into any second. With millions of I/Os every difference is beyond
//! chance, so one that explains must be large as well.

use fathom_measure::histogram::bucket_of;
use fathom_record::Direction;
use fathom_record::distribution::{LabelShare, Mode, ModeAttribute, ModeExplanation};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::tail::LatencySeries;

/// Chance below which a mode does not follow a label by luck.
pub const MAX_P: f64 = 0.01;
/// Association from which on a label explains the modes.
pub const MIN_ASSOCIATION: f64 = 0.3;

/// What the slowest mode of `whole` goes with; nothing for fewer than two modes. `parts` are the series of
/// the directions that `whole` is made of.
pub fn explain(
    modes: &[Mode],
    whole: &LatencySeries,
    parts: &[(Direction, &LatencySeries)],
) -> Vec<ModeExplanation> {
    let Some(slowest) = modes.last().filter(|_| modes.len() > 1) else { return Vec::new() };
    let first = bucket_of(slowest.low_ns);
    [by_direction(first, whole, parts), by_time(first, whole)].into_iter().flatten().collect()
}

fn by_direction(
    first: usize,
    whole: &LatencySeries,
    parts: &[(Direction, &LatencySeries)],
) -> Option<ModeExplanation> {
    let used: Vec<(Direction, f64, f64)> = parts
        .iter()
        .filter(|(_, series)| series.count() > 0)
        .map(|(direction, series)| (*direction, series.count_from(first) as f64, series.count() as f64))
        .collect();
    let (slow, all) = (used.iter().map(|u| u.1).sum::<f64>(), used.iter().map(|u| u.2).sum::<f64>());
    if used.len() < 2 || slow <= 0.0 || slow >= all {
        return None;
    }
    let share = slow / all;
    let chi_square: f64 =
        used.iter().map(|(_, s, n)| (s - n * share).powi(2) / (n * share * (1.0 - share))).sum();
    let variance = whole.share_beyond(first.checked_sub(1)?, true)?.variance;
    let design_effect = (variance * all / (share * (1.0 - share))).max(1.0);
    // Distance between where slow I/Os are and where the others are.
    let association =
        used.iter().map(|(_, s, n)| (s / slow - (n - s) / (all - slow)).abs()).sum::<f64>() / 2.0;
    let shares = used
        .iter()
        .map(|(direction, s, n)| LabelShare {
            label: direction.name().to_owned(),
            of_slow: s / slow,
            of_all: n / all,
        })
        .collect();
    explanation(ModeAttribute::Direction, association, chi_square / design_effect, used.len() - 1, shares)
}

fn by_time(first: usize, whole: &LatencySeries) -> Option<ModeExplanation> {
    let (seconds, slow) = (whole.seconds() as f64, whole.count_from(first) as f64);
    // One slow I/O a run and second or so is needed for "evenly" to mean anything.
    if seconds < 2.0 || slow < 20.0 {
        return None;
    }
    let held =
        whole.seconds_above(fathom_measure::histogram::bucket_bounds(first).0.saturating_sub(1)) as f64;
    let even = seconds * (1.0 - (1.0 - 1.0 / seconds).powf(slow));
    let association = (1.0 - held / even).max(0.0);
    // Seconds without a slow I/O are expected with this number; it can be none at all.
    let without = (seconds - even).max(0.5);
    let chi_square = if held < even { (even - held).powi(2) * (1.0 / even + 1.0 / without) } else { 0.0 };
    let shares = vec![LabelShare {
        label: "seconds with a slow I/O".to_owned(),
        of_slow: held / seconds,
        of_all: even / seconds,
    }];
    explanation(ModeAttribute::Time, association, chi_square, 1, shares)
}

fn explanation(
    by: ModeAttribute,
    association: f64,
    chi_square: f64,
    degrees: usize,
    shares: Vec<LabelShare>,
) -> Option<ModeExplanation> {
    let p_value = ChiSquared::new(degrees as f64).ok()?.sf(chi_square);
    let explains = p_value < MAX_P && association >= MIN_ASSOCIATION;
    Some(ModeExplanation { by, association, p_value, explains, shares })
}
