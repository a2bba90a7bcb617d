//! What longer means hide of a demand: the largest rates at the finest resolution against those of windows.

use fathom_record::profile_record::{HiddenPeak, Resolution};
use fathom_record::sizing_record::Percentiles;

use crate::demand::Demand;
use crate::trace::Trace;
use crate::windows::{lengths, percentiles, sums};

/// Windows that a trace resolves below its second.
const SUBSECOND_NS: u64 = 100_000_000;
/// Windows that a trace is cut into at most: ten a second for eleven days.
const MOST_WINDOWS: u64 = 10_000_000;

/// I/Os of a trace in windows of a tenth of a second, with their length in seconds; absent for a trace
/// of so many windows that counting them would take memory out of proportion.
pub fn subsecond(trace: &Trace) -> Option<(f64, Vec<u64>)> {
    let last = trace.ios.last()?.at_ns / SUBSECOND_NS;
    if last >= MOST_WINDOWS {
        return None;
    }
    let mut counts = vec![0; usize::try_from(last).ok()? + 1];
    for io in &trace.ios {
        if let Some(count) = counts.get_mut((io.at_ns / SUBSECOND_NS) as usize) {
            *count += 1;
        }
    }
    Some((SUBSECOND_NS as f64 / 1e9, counts))
}

/// What is hidden, of I/Os of both directions.
pub fn resolution(demand: &Demand, trace: Option<&Trace>) -> Resolution {
    let tick_s = f64::from(demand.tick_s);
    let (operations, seen) = (demand.operations(), demand.seen());
    let of = |ticks: usize| {
        let window_s = ticks as f64 * tick_s;
        Some((window_s, percentiles(sums(&operations, &seen, ticks).collect(), window_s)?))
    };
    let fine = trace
        .and_then(subsecond)
        .and_then(|(window_s, counts)| Some((window_s, percentiles(counts, window_s)?)));
    let mut windows: Vec<(f64, Percentiles)> =
        fine.into_iter().chain(lengths(demand.tick_s).filter_map(of)).collect();
    let Some((finest_s, finest)) = windows.first().copied() else {
        return Resolution { finest_s: tick_s, hidden: Vec::new() };
    };
    let hidden = windows.drain(1..).filter(|(_, rates)| rates.max > 0.0 && rates.p999 > 0.0);
    let hidden = hidden.map(|(window_s, rates)| HiddenPeak {
        window_s,
        max_ratio: finest.max / rates.max,
        p999_ratio: finest.p999 / rates.p999,
    });
    Resolution { finest_s, hidden: hidden.collect() }
}

/// What the tick itself may hide. The ratios are those of a simulated bursty fleet of 80 volumes, whose
/// 5-minute means were compared with its 10-second ones.
pub fn note(demand: &Demand, traced: bool) -> Option<String> {
    (demand.tick_s > 1 && !traced).then(|| {
        format!(
            "The tick is {} s: bursts inside it are not seen. On a simulated bursty fleet the largest 10-second rate was 3.1 times the largest 5-minute mean, and the p99.9 1.7 times. Measure yours: fathom profile --live DEVICE --time 24h.",
            demand.tick_s
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Flow;
    use crate::trace::TracedIo;

    #[test]
    fn a_burst_of_one_second_is_hidden_by_a_minute() {
        let mut operations = vec![10u64; 120];
        operations[7] = 610;
        let flow = |operations: Vec<u64>| Flow { bytes: operations.clone(), operations };
        let demand = Demand {
            tick_s: 1,
            read: flow(operations),
            write: flow(vec![0; 120]),
            gaps: vec![],
            counted: None,
        };
        let found = resolution(&demand, None);
        let minute = found.hidden.iter().find(|hidden| hidden.window_s == 60.0).unwrap();
        assert_eq!((found.finest_s, minute.max_ratio), (1.0, 610.0 / 20.0));
    }

    #[test]
    fn a_trace_shows_what_a_second_hides() {
        let ios = (0..100).map(|i| TracedIo { at_ns: i * 1000, offset: 0, bytes: 512, write: false });
        let mut trace = Trace { ios: ios.collect() };
        trace.ios.push(TracedIo { at_ns: 1_999_999_999, offset: 0, bytes: 512, write: false });
        let found = resolution(&trace.demand().unwrap(), Some(&trace));
        assert_eq!((found.finest_s, found.hidden[0].window_s, found.hidden[0].max_ratio), (0.1, 1.0, 10.0));
    }
}
