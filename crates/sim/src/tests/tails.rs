//! What stalls do to open and closed loops, and noise to rates.

use fathom_measure::Histogram;
use fathom_record::Direction;

use super::{Load, SECOND, close, closed_loop, device};
use crate::{Access, Regime, Resource, SimDevice};

/// Response latencies of 5,000 evenly spaced arrivals a second over ten periods.
fn open_loop_responses() -> Histogram {
    let mut device = device("stall");
    let mut responses = Histogram::new();
    for arrival in 0..600 * 5000u64 {
        let intended_ns = arrival * 200_000;
        responses.record(device.serve(1, intended_ns, Direction::Read, 0, 4096) - intended_ns);
    }
    responses
}

/// Quantile `q` of the response latency of evenly spaced random reads of 4 KiB over whole periods of stalls, for
/// constant service times and servers that bind. An arrival `a` into a stall of length L responds after
/// L - a (1 - rho), so a quantile beyond the stalls' share is L - (1 - q) P (1 - rho) + R1. `None` when the backlog
/// does not clear within a period.
fn stalled_response_ns(device: &SimDevice, q: f64, rate_per_s: f64) -> Option<f64> {
    let stalls = device.parameters().stalls.unwrap();
    let (length_ns, every_ns) = (stalls.length_ns as f64, stalls.every_ns as f64);
    let truth = device.truth();
    let bound = truth.maximum(Direction::Read, Access::Random, 4096, Regime::Sustained).unwrap();
    assert_eq!(bound.resource, Resource::Servers);
    let working = bound.operations_per_s / (1.0 - length_ns / every_ns);
    let idle_share = 1.0 - rate_per_s / working;
    if idle_share <= 0.0 || length_ns / idle_share > every_ns {
        return None;
    }
    let waiting_ns = (length_ns - (1.0 - q) * every_ns * idle_share).max(0.0);
    Some(waiting_ns + truth.unloaded_mean_ns(Direction::Read, Access::Random, 4096))
}

#[test]
fn an_open_loop_sees_the_stalls_whole() {
    let responses = open_loop_responses();
    let quantile_ms = |q| responses.quantile(q).unwrap() as f64 / 1e6;
    close(quantile_ms(0.5), 0.100, 0.01);
    close(quantile_ms(0.99), 700.0, 0.02);
    close(quantile_ms(0.999), 970.0, 0.02);
    let stalling = device("stall");
    for q in [0.5, 0.97, 0.99, 0.999, 0.9999] {
        let known_ns = stalled_response_ns(&stalling, q, 5000.0).unwrap();
        close(quantile_ms(q), known_ns / 1e6, 0.01);
    }
    assert_eq!(stalled_response_ns(&stalling, 0.5, 9900.0), None);
}

#[test]
fn a_closed_loop_at_depth_one_hardly_sees_them() {
    let mut services = Histogram::new();
    closed_loop(&mut device("stall"), Load::random_read(4096, 1), |io| {
        services.record(io.done_ns - io.submitted_ns);
        io.done_ns < 600 * SECOND
    });
    close(services.quantile(0.9999).unwrap() as f64, 100_000.0, 0.01);
    close(services.max().unwrap() as f64, 1.0001e9, 0.001);
    // Ten stalls, and 59 s of each minute at 10,000 a second.
    close(services.count() as f64, 590.0 * 10_000.0, 0.0001);
}

/// A device that is used again goes on with the schedule: three runs of 25 s see one stall a minute.
#[test]
fn stalls_go_on_from_run_to_run() {
    let mut found = device("stall");
    let mut stalled_at_s = Vec::new();
    for run in 0..4u64 {
        let (mut last_ns, mut end_ns) = (0, 0);
        closed_loop(&mut found, Load::random_read(4096, 1), |io| {
            if io.done_ns - last_ns > SECOND / 2 {
                stalled_at_s.push(run * 25 + last_ns / SECOND);
            }
            (last_ns, end_ns) = (io.done_ns, io.done_ns);
            io.done_ns < 25 * SECOND
        });
        found = SimDevice::new(found.parameters_at(end_ns)).unwrap();
    }
    assert_eq!(stalled_at_s, [30, 90], "at 30 s and 90 s, runs of 25 s each");
}

/// Rates of a closed loop in each second.
fn second_rates(text: &str, in_flight: usize, seconds: usize) -> Vec<f64> {
    let mut counts = vec![0.0; seconds];
    closed_loop(&mut device(text), Load::random_read(4096, in_flight), |io| {
        match counts.get_mut((io.done_ns / SECOND) as usize) {
            Some(count) => *count += 1.0,
            None => return false,
        }
        true
    });
    counts
}

#[test]
fn noise_moves_rates_of_servers_and_limits_slowly() {
    for (text, in_flight, mean) in [
        ("ideal,servers=1,read=1ms,noise=4%,noise-time=10s", 4, 1000.0),
        ("gp3,iops=1000,noise=4%,noise-time=10s", 32, 1000.0),
    ] {
        let rates = second_rates(text, in_flight, 6000);
        let got = rates.iter().sum::<f64>() / 6000.0;
        close(got, mean, 0.01);
        let variance = rates.iter().map(|rate| (rate - got).powi(2)).sum::<f64>() / 6000.0;
        // 600 correlation times leave 4 % of error; a second's mean loses 2 % of the deviation.
        close(variance.sqrt() / got, 0.04, 0.15);
        let lagged: f64 = rates.iter().zip(&rates[10..]).map(|(a, b)| (a - got) * (b - got)).sum();
        let correlation = lagged / 5990.0 / variance;
        assert!((correlation - 0.37).abs() < 0.12, "{text}: {correlation}");
    }
    let steady = second_rates("gp3,iops=1000", 32, 60);
    // Paced evenly: service times move a few I/Os over a second's edge at most.
    assert!(steady[1..].iter().all(|rate| (rate - 1000.0).abs() <= 4.0), "no noise unless asked for");
}
