//! A demand over time with the choice's limits and credits drawn through it, and cost against margin.

use fathom_record::sizing_advice::Timeline;
use fathom_record::sizing_record::FrontierPoint;

use super::Picture;
use super::axis::Axis;
use super::canvas::{Anchor, draw};
use super::palette::Ink;
use super::panel::{LEFT, Line, Panel, RIGHT, stacked};
use crate::number;

const WIDTH: u32 = 400;
const TOP: f64 = 24.0;
const HEIGHT: f64 = 66.0;

/// Draws a demand. `None` without points.
pub fn demand_over_time(timeline: &Timeline) -> Option<Picture> {
    let last = timeline.points.last()?;
    let end_s = last.at_s + timeline.step_s;
    let line = |name: &str, ink, value: &dyn Fn(usize) -> Option<f64>| Line {
        name: name.to_owned(),
        ink,
        width: 1.25,
        points: timeline.points.iter().enumerate().map(|(at, point)| (point.at_s, value(at))).collect(),
    };
    let points = &timeline.points;
    let flat =
        |name: &str, ink, value: Option<f64>| value.map(|value| line(name, ink, &move |_| Some(value)));
    let panel = |title, lines: Vec<Line>, least_top, tick| Panel {
        title,
        missing: "none",
        logarithmic: false,
        height: HEIGHT,
        least_top,
        tick,
        lines,
    };
    let mut panels = vec![
        panel(
            "IOPS, peak per interval",
            [
                Some(line("demand", Ink::Blue, &|at| points[at].operations_per_s)),
                flat("sustained", Ink::Vermillion, timeline.operations_base_per_s),
                flat("instance", Ink::Green, timeline.instance_operations_base_per_s),
            ]
            .into_iter()
            .flatten()
            .collect(),
            0.0,
            number::rate_tick as fn(f64) -> String,
        ),
        panel(
            "throughput, peak per interval",
            [
                Some(line("demand", Ink::Blue, &|at| points[at].bytes_per_s)),
                flat("sustained", Ink::Vermillion, timeline.bytes_base_per_s),
                flat("instance", Ink::Green, timeline.instance_bytes_base_per_s),
            ]
            .into_iter()
            .flatten()
            .collect(),
            0.0,
            number::throughput_tick,
        ),
    ];
    if points.iter().any(|point| point.credits_share.is_some()) {
        let credits = vec![line("left", Ink::Purple, &|at| points[at].credits_share)];
        panels.push(panel("credits, least per interval", credits, 1.0, number::percent_tick));
    }
    Some(stacked("The demand over time with the limits of the choice", &panels, end_s, None))
}

/// Draws a month's cost over the margin. `None` where fewer than two margins are held.
pub fn frontier(points: &[FrontierPoint]) -> Option<Picture> {
    let held: Vec<(f64, f64, String)> = points
        .iter()
        .filter_map(|point| {
            point.offer.as_ref().map(|offer| (point.margin, offer.month, offer.words.clone()))
        })
        .collect();
    let (Some(first), Some(last)) = (held.first(), held.last()) else { return None };
    if held.len() < 2 || last.0 <= first.0 {
        return None;
    }
    let most = held.iter().map(|point| point.1).fold(0.0, f64::max);
    let (top, bottom) = (TOP, TOP + 2.0 * HEIGHT);
    let x = Axis::span(last.0, (LEFT, RIGHT), 5, |margin| format!("{margin:.1}"));
    let y = Axis::from_zero(most, (bottom, top), 4, |amount| format!("{amount:.0}"));
    Some(draw((WIDTH, (bottom + 44.0) as u32), "A month's cost over the margin", |pen| {
        pen.words("per month", (LEFT, top - 7.0), Anchor::Start, Ink::Text, false);
        y.draw_rows(pen, (LEFT, RIGHT));
        x.draw_columns(pen, (bottom, bottom));
        let line: Vec<(f64, f64)> = held.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
        pen.line(&line, Ink::Blue, 1.75);
        for (at, point) in line.iter().zip(&held) {
            pen.dot(*at, 3.0, Ink::Blue);
            let hint = format!("margin {:.2}: {:.2} per month, {}", point.0, point.1, point.2);
            pen.region((at.0 - 8.0, at.1 - 8.0), (at.0 + 8.0, at.1 + 8.0), &hint);
        }
        pen.words("the demand times", (RIGHT, bottom + 34.0), Anchor::End, Ink::Text, false);
    }))
}
