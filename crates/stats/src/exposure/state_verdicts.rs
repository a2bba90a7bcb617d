//! Each hidden state against the exposure: used up, not yet, not there, or not known.

use fathom_record::exposure_guard::{ExposureGuard, GuardRow, HiddenState, HiddenStateStanding};

use super::Exposure;
use super::credits::{Credit, Credits};
use super::knowledge::{Knowledge, StateSize, Thermal};
use super::states::{COVERED, OVER_CACHE, THERMAL_RISE_C, THERMAL_SPAN_S, row};

/// Share of the span from which all of it counts as read: computed shares never reach 1.
const ALL: f64 = 0.999;
/// Share of a bucket from which it counts as empty.
const SPENT: f64 = 0.99;

/// How a state stands, in words, and where its limit is known from when that is not the table's source.
struct StateVerdict {
    standing: HiddenStateStanding,
    text: String,
    source: Option<String>,
}

/// Judges every hidden state.
pub fn guard(known: &Knowledge, exposure: &Exposure) -> ExposureGuard {
    let rows = HiddenState::ALL.map(|state| {
        let judged = match state {
            HiddenState::VolumeCredits => credits(&known.volume_credits, exposure),
            HiddenState::InstanceCredits => credits(&known.instance_credits, exposure),
            HiddenState::WriteCache => size(&known.write_cache, |needed| write_cache(*needed, exposure)),
            HiddenState::ReadCache => size(&known.read_cache, |cache| read_cache(*cache, exposure)),
            HiddenState::LazyLoad => size(&known.lazy_load, |()| lazy_load(exposure)),
            HiddenState::Thermal => size(&known.thermal, |series| thermal(series, exposure)),
        };
        let source = match judged.standing {
            HiddenStateStanding::Unknown | HiddenStateStanding::Absent => String::new(),
            _ => judged.source.unwrap_or_else(|| row(state).source.to_owned()),
        };
        GuardRow { state, standing: judged.standing, text: judged.text, source }
    });
    ExposureGuard { exposed_s: exposure.seconds, rows: rows.to_vec() }
}

fn size<T>(known: &StateSize<T>, judge: impl Fn(&T) -> StateVerdict) -> StateVerdict {
    match known {
        StateSize::Absent(reason) => {
            StateVerdict { standing: HiddenStateStanding::Absent, text: reason.clone(), source: None }
        }
        StateSize::Size(size) => judge(size),
        StateSize::Nothing => StateVerdict {
            standing: HiddenStateStanding::Unknown,
            text: "nothing is known of it".to_owned(),
            source: None,
        },
    }
}

/// Used up when `has` of `needs` is reached; the time grows in proportion.
fn reached(has: f64, needs: f64, exposure: &Exposure) -> HiddenStateStanding {
    let after_s = (has > 0.0).then(|| exposure.seconds * needs / has);
    match after_s {
        Some(after_s) if has >= needs => HiddenStateStanding::Exhausted { after_s },
        after_s => HiddenStateStanding::NotYet { after_s },
    }
}

fn credits(known: &StateSize<Vec<Credits>>, exposure: &Exposure) -> StateVerdict {
    size(known, |buckets| {
        let of_each = buckets.iter().map(|bucket| (bucket, bucket_standing(bucket, exposure)));
        // The bucket that lasts longest decides.
        let last = of_each.max_by(|a, b| lasts(&a.1).total_cmp(&lasts(&b.1)));
        match last {
            Some((bucket, standing)) => StateVerdict {
                text: bucket_text(bucket, exposure),
                standing,
                source: Some(bucket.source.clone()),
            },
            None => StateVerdict {
                standing: HiddenStateStanding::Absent,
                text: "no bucket".to_owned(),
                source: None,
            },
        }
    })
}

fn lasts(standing: &HiddenStateStanding) -> f64 {
    match standing {
        HiddenStateStanding::Exhausted { after_s }
        | HiddenStateStanding::NotYet { after_s: Some(after_s) } => *after_s,
        HiddenStateStanding::NotYet { after_s: None } => f64::INFINITY,
        HiddenStateStanding::Absent | HiddenStateStanding::Unknown => 0.0,
    }
}

/// A bucket counts as empty when nearly all its credits were spent: an empty one gives its base, which as
/// a measured rate may lie a little below the published one. While it lasts the load is the burst, so the
/// time follows from the mean rate so far.
fn bucket_standing(bucket: &Credits, exposure: &Exposure) -> HiddenStateStanding {
    if bucket.spent(exposure) >= SPENT * bucket.size {
        let at_burst_s = bucket.size / (bucket.burst_per_s - bucket.refill_per_s);
        return HiddenStateStanding::Exhausted { after_s: at_burst_s.min(exposure.seconds) };
    }
    HiddenStateStanding::NotYet { after_s: bucket.exhausted_after_s(exposure) }
}

fn bucket_text(bucket: &Credits, exposure: &Exposure) -> String {
    let unit = match bucket.credit {
        Credit::Operation => "operations",
        Credit::Byte => "bytes",
    };
    let spent = 100.0 * bucket.spent(exposure) / bucket.size;
    format!(
        "{spent:.0} % of {:.3e} {unit} of credit are spent; they come back at {:.3e} a second",
        bucket.size, bucket.refill_per_s
    )
}

fn write_cache(needed: f64, exposure: &Exposure) -> StateVerdict {
    let has = exposure.written_over_capacity();
    let text = format!("{has:.2} of {needed:.1} capacities are written");
    StateVerdict { standing: reached(has, needed, exposure), text, source: None }
}

/// A cache that holds all that is read is never outgrown; beyond eight times its size only the first
/// touches are left to be got over.
fn read_cache(cache_bytes: f64, exposure: &Exposure) -> StateVerdict {
    let times = exposure.span_bytes / cache_bytes;
    if times < OVER_CACHE {
        let text = format!("what is read is {times:.1} times the cache; {OVER_CACHE} are needed");
        return StateVerdict { standing: HiddenStateStanding::NotYet { after_s: None }, text, source: None };
    }
    let touched = exposure.touched_share;
    let text =
        format!("{:.0} % of the span are touched; {:.0} % are needed", 100.0 * touched, 100.0 * COVERED);
    StateVerdict { standing: reached(touched, COVERED, exposure), text, source: None }
}

fn lazy_load(exposure: &Exposure) -> StateVerdict {
    let whole =
        exposure.touched_share * exposure.span_bytes / exposure.capacity_bytes.max(exposure.span_bytes);
    let share = if exposure.span_bytes > 0.0 { whole } else { 0.0 };
    let text = format!("{:.1} % of the volume were read once", 100.0 * share);
    StateVerdict { standing: reached(share, ALL, exposure), text, source: None }
}

fn thermal(series: &Thermal, exposure: &Exposure) -> StateVerdict {
    let rise = |end: usize| {
        let before = series[..=end].iter().rev().find(|t| series[end].at_s - t.at_s >= THERMAL_SPAN_S)?;
        Some(series[end].celsius - before.celsius)
    };
    // The first moment from which on no five minutes warmed by the limit.
    let ends: Vec<(f64, f64)> =
        (0..series.len()).filter_map(|end| Some((series[end].at_s, rise(end)?))).collect();
    let Some((_, latest)) = ends.last().copied() else {
        return StateVerdict {
            standing: HiddenStateStanding::Unknown,
            text: "too few temperatures".to_owned(),
            source: None,
        };
    };
    let text = format!(
        "the device warmed by {latest:.1} C in the last 5 min; less than {THERMAL_RISE_C:.0} is even"
    );
    let standing = if latest < THERMAL_RISE_C {
        let hot = ends.iter().rposition(|(_, rise)| *rise >= THERMAL_RISE_C).map_or(0, |last| last + 1);
        HiddenStateStanding::Exhausted { after_s: ends[hot].0.clamp(0.0, exposure.seconds) }
    } else {
        HiddenStateStanding::NotYet { after_s: None }
    };
    StateVerdict { standing, text, source: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exposure::Temperature;

    fn unknown() -> Knowledge {
        Knowledge {
            volume_credits: StateSize::Nothing,
            instance_credits: StateSize::Nothing,
            write_cache: StateSize::Nothing,
            read_cache: StateSize::Nothing,
            lazy_load: StateSize::Nothing,
            thermal: StateSize::Nothing,
        }
    }

    fn load(seconds: f64, operations_per_s: f64) -> Exposure {
        let gib = 1024.0 * 1024.0 * 1024.0;
        Exposure {
            seconds,
            operations: seconds * operations_per_s,
            bytes_read: 0.0,
            bytes_written: seconds * operations_per_s * 4096.0,
            capacity_bytes: 100.0 * gib,
            span_bytes: 100.0 * gib,
            touched_share: 0.5,
        }
    }

    fn standing(known: &Knowledge, exposure: &Exposure, state: HiddenState) -> HiddenStateStanding {
        guard(known, exposure).rows.into_iter().find(|row| row.state == state).unwrap().standing
    }

    #[test]
    fn what_is_not_known_is_named_and_not_guessed() {
        let judged = guard(&unknown(), &load(60.0, 1000.0));
        assert_eq!(judged.unknown().collect::<Vec<_>>(), HiddenState::ALL);
        assert_eq!((judged.met(), judged.guard_s()), (true, Some(0.0)));
        let nothing = guard(&Knowledge::nothing_hidden("memory"), &load(60.0, 1000.0));
        assert_eq!((nothing.met(), nothing.unknown().count()), (true, 0));
    }

    #[test]
    fn credits_hold_until_they_are_spent() {
        let known =
            Knowledge { volume_credits: StateSize::Size(vec![Credits::gp2(33.0).unwrap()]), ..unknown() };
        let early = guard(&known, &load(600.0, 3000.0));
        assert!(!early.met());
        assert!((early.guard_s().unwrap() - 1862.0).abs() < 1.0);
        // After the fall the mean rate sinks, but the bucket stays empty.
        let late = Exposure { operations: 1862.1 * 3000.0 + 1000.0 * 100.0, ..load(2862.1, 0.0) };
        let judged = guard(&known, &late);
        assert!(judged.met(), "{judged:?}");
        assert!((judged.guard_s().unwrap() - 1862.0).abs() < 1.0);
        // A load below the base never empties it.
        assert_eq!(guard(&known, &load(600.0, 90.0)).guard_s(), None);
    }

    #[test]
    fn caches_go_by_bytes_and_addresses() {
        let known = Knowledge { write_cache: StateSize::Size(2.0), ..unknown() };
        // 65536 blocks of 4 KiB a second are a quarter of 100 GiB in 100 s.
        let half = load(100.0, 65_536.0);
        assert_eq!(half.written_over_capacity(), 0.25);
        let HiddenStateStanding::NotYet { after_s: Some(after_s) } =
            standing(&known, &half, HiddenState::WriteCache)
        else {
            panic!("{half:?}");
        };
        assert!((after_s - 800.0).abs() < 1e-6);
        let cache = |bytes: f64| Knowledge { read_cache: StateSize::Size(bytes), ..unknown() };
        let small = standing(&cache(half.span_bytes / 10.0), &half, HiddenState::ReadCache);
        assert!(matches!(small, HiddenStateStanding::NotYet { after_s: Some(_) }));
        let large = standing(&cache(half.span_bytes / 4.0), &half, HiddenState::ReadCache);
        assert_eq!(large, HiddenStateStanding::NotYet { after_s: None });
        let touched = Exposure { touched_share: 0.7, ..half };
        let covered = standing(&cache(half.span_bytes / 10.0), &touched, HiddenState::ReadCache);
        assert!(matches!(covered, HiddenStateStanding::Exhausted { .. }));
    }

    #[test]
    fn a_snapshot_is_read_whole_or_not() {
        let known = Knowledge { lazy_load: StateSize::Size(()), ..unknown() };
        let whole = Exposure { touched_share: 1.0, ..load(60.0, 1000.0) };
        assert!(matches!(
            standing(&known, &whole, HiddenState::LazyLoad),
            HiddenStateStanding::Exhausted { .. }
        ));
        let part = Exposure { span_bytes: whole.capacity_bytes / 2.0, ..whole };
        let HiddenStateStanding::NotYet { after_s: Some(after_s) } =
            standing(&known, &part, HiddenState::LazyLoad)
        else {
            panic!("half of the volume is not the volume");
        };
        assert!((after_s - 119.88).abs() < 0.1);
    }

    #[test]
    fn a_device_is_warm_when_it_no_longer_warms() {
        let warming = |constant: f64| {
            let at = |i: i32| f64::from(i) * 10.0;
            let series: Thermal = (0..=180)
                .map(|i| Temperature { at_s: at(i), celsius: 70.0 - 30.0 * (-at(i) / constant).exp() })
                .collect();
            let known = Knowledge { thermal: StateSize::Size(series), ..unknown() };
            standing(&known, &load(1800.0, 1000.0), HiddenState::Thermal)
        };
        let HiddenStateStanding::Exhausted { after_s } = warming(200.0) else {
            panic!("30 C in 200 s end in half an hour")
        };
        assert!((800.0..1200.0).contains(&after_s), "{after_s}");
        assert_eq!(warming(2000.0), HiddenStateStanding::NotYet { after_s: None });
    }
}
