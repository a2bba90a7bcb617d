//! Intended starts held against the rate they were asked for.

use super::*;
use proptest::prelude::*;

fn pattern(arrival: &Arrival, job: u32, jobs: u32) -> ArrivalPattern {
    ArrivalPattern::new(arrival, (job, jobs), 42)
}

/// The first `count` starts of all jobs together, in order.
fn merged(arrival: &Arrival, jobs: u32, count: usize) -> Vec<u64> {
    let mut starts: Vec<u64> = (0..jobs)
        .flat_map(|job| {
            let mut pattern = pattern(arrival, job, jobs);
            (0..count).map(move |_| pattern.next_ns())
        })
        .collect();
    starts.sort_unstable();
    starts.truncate(count);
    starts
}

#[test]
fn only_a_closed_loop_is_not_open() {
    let mut closed = pattern(&Arrival::Closed, 0, 1);
    assert!(!closed.is_open());
    assert_eq!((closed.next_ns(), closed.next_ns()), (0, 0));
    for open in [
        Arrival::Constant { rate_per_s: 1.0 },
        Arrival::Poisson { rate_per_s: 1.0 },
        Arrival::Ramp { from_per_s: 1.0, to_per_s: 2.0, over_ns: 1 },
        Arrival::Steps { step_ns: 1, rates_per_s: vec![1.0] },
    ] {
        assert!(pattern(&open, 0, 1).is_open());
    }
}

#[test]
fn constant_gaps_are_equal_over_all_jobs_and_never_drift() {
    for (rate_per_s, jobs) in [(1000.0, 1), (333.0, 7), (1e6 / 3.0, 4), (0.1, 3)] {
        let starts = merged(&Arrival::Constant { rate_per_s }, jobs, 10_000);
        for (number, start) in starts.iter().enumerate() {
            let truth = number as f64 * 1e9 / rate_per_s;
            assert!((*start as f64 - truth).abs() <= 1.0 + truth * 1e-15, "{number}: {start} for {truth}");
        }
    }
    // A day at three million a second, whose gap of 333.3 ns no integer holds.
    let mut day = pattern(&Arrival::Constant { rate_per_s: 3e6 }, 0, 1);
    let Kind::Constant(constant) = &mut day.0 else { unreachable!("constant by construction") };
    constant.next += constant.step * (3_000_000 * 86_400);
    assert!(day.next_ns().abs_diff(86_400_000_000_000) <= 1);
}

#[test]
fn poisson_gaps_have_their_mean_and_a_deviation_as_large() {
    for jobs in [1, 8] {
        let starts = merged(&Arrival::Poisson { rate_per_s: 250_000.0 }, jobs, 400_000);
        let gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 4000.0 - 1.0).abs() < 0.005, "{jobs} jobs: mean gap {mean}");
        assert!(
            (variance.sqrt() / mean - 1.0).abs() < 0.01,
            "{jobs} jobs: variation {}",
            variance.sqrt() / mean
        );
        // Of exponential gaps, 1/e are longer than the mean and 1/e^3 longer than three.
        for (times, share) in [(1.0, 0.3679), (3.0, 0.0498)] {
            let longer = gaps.iter().filter(|gap| **gap > times * mean).count() as f64 / gaps.len() as f64;
            assert!((longer - share).abs() < 0.003, "{jobs} jobs: {longer} for {share}");
        }
    }
}

#[test]
fn poisson_at_high_rates_is_not_sped_up_by_whole_nanoseconds() {
    // Gaps of 10 ns: dropping fractions would add 5 %.
    let mut fast = pattern(&Arrival::Poisson { rate_per_s: 1e8 }, 0, 1);
    let last = (0..2_000_000).map(|_| fast.next_ns()).last().unwrap();
    assert!((last as f64 / 2e7 - 1.0).abs() < 0.003, "{last}");
}

#[test]
fn a_ramp_delivers_the_integral_of_its_rate() {
    for (from_per_s, to_per_s) in [(1000.0, 9000.0), (9000.0, 1000.0), (5000.0, 5000.0), (5000.0, 5000.001)] {
        let over_s = 2.0;
        let ramp = Arrival::Ramp { from_per_s, to_per_s, over_ns: 2_000_000_000 };
        for jobs in [1, 3] {
            let starts = merged(&ramp, jobs, 20_000);
            for until_s in [0.5, 1.0, 2.0, 2.9] {
                let counted = starts.iter().filter(|&&start| (start as f64) < until_s * 1e9).count() as f64;
                let t: f64 = f64::min(until_s, over_s);
                let during = from_per_s * t + (to_per_s - from_per_s) * t * t / (2.0 * over_s);
                let truth = during + (until_s - t) * to_per_s;
                assert!((counted - truth).abs() <= 1.5, "{ramp:?} at {until_s}: {counted} for {truth}");
            }
        }
    }
}

#[test]
fn steps_deliver_each_step_s_own_rate_and_begin_again() {
    let rates = [100.0, 0.0, 2500.0, 7.5];
    let steps = Arrival::Steps { step_ns: 2_000_000_000, rates_per_s: rates.to_vec() };
    for jobs in [1, 3] {
        let starts = merged(&steps, jobs, 4 * 5215);
        for step in 0..12 {
            let (from, to) = (step as f64 * 2e9, (step + 1) as f64 * 2e9);
            let counted =
                starts.iter().filter(|&&start| (start as f64) >= from && (start as f64) < to).count();
            let truth = rates[step % 4] * 2.0;
            assert!((counted as f64 - truth).abs() <= 1.0, "step {step}: {counted} for {truth}");
        }
    }
    let nothing = Arrival::Steps { step_ns: 1, rates_per_s: vec![0.0] };
    assert_eq!(pattern(&nothing, 0, 1).next_ns(), u64::MAX);
}

proptest! {
    #[test]
    fn starts_never_step_back_and_replay(
        rate in 1e-3f64..1e9, to in 1e-3f64..1e9, over_ns in 1u64..1 << 40, jobs in 1u32..9, seed: u64,
    ) {
        for arrival in [
            Arrival::Constant { rate_per_s: rate },
            Arrival::Poisson { rate_per_s: rate },
            Arrival::Ramp { from_per_s: rate, to_per_s: to, over_ns },
            Arrival::Steps { step_ns: over_ns, rates_per_s: vec![rate, 0.0, to] },
        ] {
            let starts = |seed| {
                let mut pattern = ArrivalPattern::new(&arrival, (jobs - 1, jobs), seed);
                (0..300).map(|_| pattern.next_ns()).collect::<Vec<_>>()
            };
            let first = starts(seed);
            prop_assert!(first.is_sorted(), "{:?}: {:?}", arrival, first);
            prop_assert_eq!(&first, &starts(seed));
            if matches!(arrival, Arrival::Poisson { .. }) && rate < 1e6 {
                prop_assert_ne!(first, starts(seed ^ 1));
            }
        }
    }
}
