//! I/Os that hung at an edge of the window, from its seconds: what they add to one side of Little's law alone.

use fathom_record::series::Interval;

/// A second is quiet where less than this share of the busiest second's I/Os ended: the median one may lie in a stall.
const QUIET_SHARE: f64 = 0.5;

/// What hung at the edges of a measured window, as far as its seconds show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HungEdges {
    /// Length of the quiet stretch at the window's end, in nanoseconds.
    pub tail_ns: u64,
    /// In-flight time of that stretch and of the second in which it began, as a share of the window's: its
    /// I/Os have no latency in this window, or one from before it.
    pub tail_share: f64,
    /// Length of the quiet stretch at the window's start, in nanoseconds.
    pub head_ns: u64,
    /// Mean I/Os in flight in that stretch.
    pub head_in_flight: f64,
}

impl HungEdges {
    /// From all seconds of a run; those of the warm-up are left out.
    pub fn of(intervals: &[Interval]) -> Self {
        let window: Vec<&Interval> = intervals.iter().filter(|interval| !interval.warmup).collect();
        let rate = |interval: &Interval| {
            let ended: u64 = interval.directions.iter().map(|direction| direction.operations).sum();
            ended as f64 / interval.duration_ns.max(1) as f64
        };
        let busiest = window.iter().map(|interval| rate(interval)).fold(0.0, f64::max);
        let quiet = |interval: &&&Interval| {
            interval.in_flight_integral_ns > 0 && rate(interval) < QUIET_SHARE * busiest
        };
        let tail = window.iter().rev().take_while(quiet).count();
        let head = window.iter().take_while(quiet).count();
        let integral = |part: &[&Interval]| part.iter().map(|i| i.in_flight_integral_ns as f64).sum::<f64>();
        let length = |part: &[&Interval]| part.iter().map(|i| i.duration_ns).sum::<u64>();
        let (first, last) = (&window[..head], &window[window.len() - tail..]);
        // The stretch began inside the second before it.
        let began = if tail > 0 { &window[window.len() - tail - 1..] } else { last };
        Self {
            tail_ns: length(last),
            tail_share: integral(began) / integral(&window).max(1.0),
            head_ns: length(first),
            head_in_flight: integral(first) / length(first).max(1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_measure::Histogram;
    use fathom_record::Direction;
    use fathom_record::latency::SparseHistogram;
    use fathom_record::series::DirectionInterval;

    use super::*;

    fn second(at: u64, operations: u64) -> Interval {
        Interval {
            start_ns: at * 1_000_000_000,
            duration_ns: 1_000_000_000,
            warmup: at == 0,
            in_flight_integral_ns: 8_000_000_000,
            directions: vec![DirectionInterval {
                direction: Direction::Read,
                operations,
                bytes: operations * 4096,
                errors: 0,
                service: SparseHistogram::from(&Histogram::new()),
                response: None,
            }],
        }
    }

    fn of(operations: &[u64]) -> HungEdges {
        let seconds: Vec<Interval> = (0..).zip(operations).map(|(at, ops)| second(at, *ops)).collect();
        HungEdges::of(&seconds)
    }

    #[test]
    fn quiet_edges_are_found_and_a_pause_in_the_middle_is_not_one() {
        assert_eq!(of(&[0, 1000, 990, 1010, 0, 1000]), HungEdges::default());
        let mostly = of(&[1000, 1000, 0, 0, 0]);
        assert_eq!((mostly.tail_ns, mostly.tail_share), (3_000_000_000, 1.0));
        let ends = of(&[1000, 1000, 1000, 1000, 600, 0]);
        assert_eq!((ends.tail_ns, ends.tail_share), (1_000_000_000, 2.0 / 5.0));
        let starts = of(&[1000, 0, 300, 1000, 1000, 1000, 1000]);
        assert_eq!((starts.head_ns, starts.head_in_flight, starts.tail_ns), (2_000_000_000, 8.0, 0));
        assert_eq!((of(&[]), of(&[5, 0, 0])), (HungEdges::default(), HungEdges::default()));
    }
}
