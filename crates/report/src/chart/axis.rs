//! An axis: from values to pixels, with ticks at human numbers.

use jiff::{SignedDuration, Timestamp};

use super::canvas::{Anchor, Pen};
use super::palette::Ink;
use crate::number;

/// Smallest ratio of the ends of a logarithmic axis: less would blow noise up into a shape.
const LOG_SPAN_MIN: f64 = 5.0;

/// Steps of a time axis in seconds, from what makes whole minutes on.
const TIME_STEPS_S: [f64; 16] = [
    10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 14_400.0, 21_600.0, 43_200.0,
    86_400.0, 172_800.0,
];

/// An axis from `low` to `high` between two pixel positions.
pub struct Axis {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis from 0 that holds `high`, with about `wanted` ticks.
    pub fn from_zero(high: f64, (from, to): (f64, f64), wanted: usize, name: fn(f64) -> String) -> Self {
        let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
        let step = nice_step(high / wanted.max(1) as f64);
        let top = (high / step).ceil() * step;
        let ticks =
            (0..=(top / step).round() as usize).map(|n| n as f64 * step).map(|v| (v, name(v))).collect();
        Self { log: false, low: 0.0, high: top, from, to, ticks }
    }

    /// A linear axis from 0 to a little above `high`, for a panel of little height.
    pub fn low_panel(high: f64, (from, to): (f64, f64), name: fn(f64) -> String) -> Self {
        let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
        let cut = |wanted: usize| {
            let mut axis = Self::from_zero(high, (from, to), wanted, name);
            if axis.high > high * 1.1 {
                axis.high = high * 1.1;
                axis.ticks.retain(|(v, _)| *v <= high * 1.1);
            }
            axis
        };
        // An axis that says 0 alone has no scale.
        (2..=5).map(cut).find(|axis| axis.ticks.len() > 1).unwrap_or_else(|| cut(5))
    }

    /// A linear axis with ticks as given.
    pub fn fixed((low, high): (f64, f64), (from, to): (f64, f64), ticks: Vec<(f64, String)>) -> Self {
        Self { log: false, low, high, from, to, ticks }
    }

    /// A linear axis of exactly 0 to `high`, with ticks at even steps inside it.
    pub fn span(high: f64, (from, to): (f64, f64), wanted: usize, name: fn(f64) -> String) -> Self {
        let mut axis = Self::from_zero(high, (from, to), wanted, name);
        axis.high = high.max(f64::MIN_POSITIVE);
        axis.ticks.retain(|(v, _)| *v <= high * 1.0001);
        axis
    }

    /// A linear axis of exactly 0 to `high` seconds, with about `wanted` ticks at steps that clocks have.
    pub fn time(high: f64, ends: (f64, f64), wanted: usize) -> Self {
        const DAY_S: f64 = 86_400.0;
        let least = high / wanted.max(1) as f64;
        let step = match TIME_STEPS_S.into_iter().find(|step| *step >= least) {
            _ if least <= 10.0 => return Self::span(high, ends, wanted, number::seconds_tick),
            Some(step) => step,
            None => (least / DAY_S).ceil() * DAY_S,
        };
        let (unit_s, unit) = [(DAY_S, "d"), (3600.0, "h"), (60.0, "min")]
            .into_iter()
            .find(|(unit_s, _)| step % unit_s == 0.0)
            .unwrap_or((1.0, "s"));
        let count = (high * 1.0001 / step).floor() as usize;
        let ticks = (0..=count).map(|n| n as f64 * step);
        let ticks = ticks.map(|at_s| (at_s, format!("{} {unit}", (at_s / unit_s).round()))).collect();
        Self::fixed((0.0, high), ends, ticks)
    }

    /// A linear axis of relative differences that holds both ends and 0, with its ticks in percent.
    pub fn around_zero((low, high): (f64, f64), (from, to): (f64, f64), wanted: usize) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let span = if (high - low).is_finite() && high > low { high - low } else { 0.01 };
        let step = nice_step(span / wanted.max(1) as f64);
        let digits = (-(step * 100.0).log10().floor()).max(0.0) as usize;
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        let tick = |number: i64| {
            let share = number as f64 * step;
            let name = if number == 0 { "0".to_owned() } else { format!("{:+.digits$} %", share * 100.0) };
            (share, name)
        };
        let ticks = (first..=last).map(tick).collect();
        Self { log: false, low, high: low + span, from, to, ticks }
    }

    /// A logarithmic axis that holds all positive `values` with a margin.
    pub fn log(
        values: impl IntoIterator<Item = f64>,
        (from, to): (f64, f64),
        wanted: usize,
        name: fn(f64) -> String,
    ) -> Self {
        let usable = values.into_iter().filter(|v| v.is_finite() && *v > 0.0);
        let (mut low, mut high) = usable.fold((f64::MAX, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        if high == 0.0 {
            (low, high) = (1.0, 10.0);
        }
        let margin = (high / low).powf(0.06).max(1.06);
        (low, high) = (low / margin, high * margin);
        let missing = LOG_SPAN_MIN / (high / low);
        if missing > 1.0 {
            (low, high) = (low / missing.sqrt(), high * missing.sqrt());
        }
        let ticks = log_ticks(low, high, wanted).into_iter().map(|v| (v, name(v))).collect();
        Self { log: true, low, high, from, to, ticks }
    }

    /// Pixel position of a value; values outside lie outside.
    pub fn at(&self, value: f64) -> f64 {
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Whether a value lies between the ends.
    pub fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// Both ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Draws horizontal lines at the ticks from `left` to `right`, with their words left of it.
    pub fn draw_rows(&self, pen: &mut Pen, (left, right): (f64, f64)) {
        let mut last = f64::INFINITY;
        for (value, name) in &self.ticks {
            let y = self.at(*value);
            if last - y < 13.0 {
                continue;
            }
            last = y;
            pen.line(&[(left, y), (right, y)], Ink::Grid, 0.75);
            pen.words(name, (left - 6.0, y + 4.0), Anchor::End, Ink::Muted, false);
        }
    }

    /// Draws vertical lines at the ticks between two heights.
    pub fn draw_grid(&self, pen: &mut Pen, (top, bottom): (f64, f64)) {
        for (value, _) in &self.ticks {
            let x = self.at(*value);
            pen.line(&[(x, top), (x, bottom)], Ink::Grid, 0.75);
        }
    }

    /// Draws vertical lines at the ticks from `top` to `bottom`, with their words below.
    pub fn draw_columns(&self, pen: &mut Pen, (top, bottom): (f64, f64)) {
        self.draw_grid(pen, (top, bottom));
        for (value, name) in &self.ticks {
            let x = self.at(*value);
            pen.words(name, (x, bottom + 15.0), Anchor::Middle, Ink::Muted, false);
        }
    }
}

/// The clock beside a time axis: what o'clock its seconds are, in UTC.
#[derive(Clone, Copy, Debug)]
pub struct ClockAxis {
    start: Timestamp,
}

impl ClockAxis {
    /// Room that its line takes below the seconds.
    pub const HEIGHT: f64 = 13.0;

    /// Of an axis whose 0 is this moment, as records have it.
    pub fn from(rfc3339: &str) -> Option<Self> {
        rfc3339.parse().ok().map(|start| Self { start })
    }

    /// Of an axis whose 0 is this second since 1970.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        Timestamp::from_second(seconds).ok().map(|start| Self { start })
    }

    /// Writes the times of the axis's ticks below its words, as far as they have room.
    pub fn draw(self, pen: &mut Pen, x: &Axis, bottom: f64) {
        let span_s = x.high - x.low;
        let (form, room) = match span_s {
            span if span < 600.0 => ("%H:%M:%S", 54.0),
            span if span < 86_400.0 => ("%H:%M", 38.0),
            _ => ("%d %b %H:%M", 76.0),
        };
        let mut last = f64::NEG_INFINITY;
        for (value, _) in &x.ticks {
            let at =
                SignedDuration::try_from_secs_f64(*value).ok().and_then(|d| self.start.checked_add(d).ok());
            let (Some(at), place) = (at, x.at(*value)) else { continue };
            if place - last < room {
                continue;
            }
            last = place;
            let words = at.strftime(form).to_string();
            pen.words(&words, (place, bottom + 15.0 + Self::HEIGHT), Anchor::Middle, Ink::Muted, false);
        }
    }
}

/// The next of 1, 2, 5 times a power of ten that is not below `least`.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= least * 0.9999).unwrap_or(10.0);
    factor * power
}

/// Ticks between the ends: as many of 1, 2, 5 a decade as come to `wanted` at most.
fn log_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
    let within = |factors: &[f64], every: i32| -> Vec<f64> {
        decades
            .clone()
            .filter(|d| d.rem_euclid(every) == 0)
            .flat_map(|d| factors.iter().map(move |f| f * 10f64.powi(d)))
            .filter(|v| (low..=high).contains(v))
            .collect()
    };
    let choices = [
        within(&[1.0, 2.0, 3.0, 5.0, 7.0], 1),
        within(&[1.0, 2.0, 5.0], 1),
        within(&[1.0, 3.0], 1),
        within(&[1.0], 1),
        within(&[1.0], 2),
    ];
    let fallback = within(&[1.0], 3);
    choices.into_iter().find(|ticks| ticks.len() <= wanted && !ticks.is_empty()).unwrap_or(fallback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_steps_of_clocks_and_one_unit() {
        let ticks = |high: f64| -> Vec<String> {
            Axis::time(high, (0.0, 250.0), 5).ticks.into_iter().map(|tick| tick.1).collect()
        };
        assert_eq!(ticks(3.0), ["0 s", "1 s", "2 s", "3 s"]);
        assert_eq!(ticks(60.0), ["0 s", "20 s", "40 s", "60 s"]);
        assert_eq!(ticks(600.0), ["0 min", "2 min", "4 min", "6 min", "8 min", "10 min"]);
        assert_eq!(ticks(86_400.0), ["0 h", "6 h", "12 h", "18 h", "24 h"]);
        assert_eq!(ticks(7.0 * 86_400.0), ["0 d", "2 d", "4 d", "6 d"]);
        assert_eq!(ticks(100.0 * 86_400.0).len(), 6);
    }

    #[test]
    fn ticks_are_human_numbers() {
        let axis = Axis::from_zero(873.0, (0.0, 100.0), 4, |v| v.to_string());
        let values: Vec<f64> = axis.ticks.iter().map(|t| t.0).collect();
        assert_eq!(values, [0.0, 500.0, 1000.0]);
        assert_eq!(log_ticks(80.0, 1200.0, 5), [100.0, 200.0, 500.0, 1000.0]);
        assert_eq!(log_ticks(3.0, 2e6, 4), [100.0, 10_000.0, 1_000_000.0]);
    }

    #[test]
    fn a_low_panel_has_a_scale_whatever_its_top() {
        for top in (1..10_000).map(|n| f64::from(n) * 0.37) {
            let axis = Axis::low_panel(top, (72.0, 0.0), |v| v.to_string());
            assert!((2..=6).contains(&axis.ticks.len()), "{top}: {:?}", axis.ticks);
            assert!(axis.high >= top && axis.high <= top * 1.1001, "{top}: {}", axis.high);
        }
    }

    #[test]
    fn a_log_axis_does_not_blow_noise_up() {
        let axis = Axis::log([2990.0, 3000.0], (100.0, 0.0), 4, |v| v.to_string());
        assert!((axis.at(2990.0) - axis.at(3000.0)).abs() < 0.5);
        assert!((axis.at(2995.0) - 50.0).abs() < 1.0);
    }

    #[test]
    fn values_without_a_logarithm_leave_the_axis_usable() {
        let axis = Axis::log([0.0, f64::NAN, -1.0], (0.0, 100.0), 4, |v| v.to_string());
        assert!(axis.at(5.0).is_finite());
        assert!(Axis::from_zero(f64::NAN, (0.0, 1.0), 3, |v| v.to_string()).at(0.5).is_finite());
    }
}
