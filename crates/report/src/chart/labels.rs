//! Finds room for words beside their points, so that none covers another or a point.

use fathom_order::InOrder;

use super::canvas::{Anchor, Pen, WORDS, text_width};
use super::palette::Ink;

#[derive(Clone, Copy)]
struct Box {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Box {
    fn overlap(&self, other: &Box) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width > 0.0 && height > 0.0 { width * height } else { 0.0 }
    }
}

/// What is taken on a plot.
pub struct Labels {
    bounds: Box,
    taken: Vec<Box>,
    /// Points that have words of their own.
    rivals: Vec<(f64, f64)>,
}

impl Labels {
    /// An empty plot with its edges: left, right, top, bottom.
    pub fn within(left: f64, right: f64, top: f64, bottom: f64) -> Self {
        Self { bounds: Box { left, right, top, bottom }, taken: Vec::new(), rivals: Vec::new() }
    }

    /// Points of which each has words of its own: words do not stand nearer to another one than to their own.
    pub fn tell_apart(&mut self, points: &[(f64, f64)]) {
        self.rivals = points.to_vec();
    }

    /// Marks a point as taken.
    pub fn keep_free(&mut self, (x, y): (f64, f64), radius: f64) {
        self.taken.push(Box { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
    }

    /// Marks all of a line as taken.
    pub fn keep_line_free(&mut self, points: &[(f64, f64)]) {
        const EVERY: f64 = 4.0;
        for pair in points.windows(2) {
            let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let steps = (dx.hypot(dy) / EVERY).ceil().clamp(1.0, 400.0);
            for step in 0..steps as u32 {
                let share = f64::from(step) / steps;
                self.keep_free((pair[0].0 + dx * share, pair[0].1 + dy * share), 1.5);
            }
        }
    }

    /// Writes `text` near `at` where it covers least. With `must` false, only where it covers nothing.
    pub fn write(&mut self, pen: &mut Pen, text: &str, at: (f64, f64), (ink, bold, must): (Ink, bool, bool)) {
        let width = text_width(text) * if bold { 1.1 } else { 1.0 };
        let candidates = offsets().map(|(dx, dy, anchor)| {
            let (x, base) = (at.0 + dx, at.1 + dy);
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            let room = Box {
                left: left - 2.0,
                right: left + width + 2.0,
                top: base - WORDS * 0.85,
                bottom: base + WORDS * 0.25,
            };
            let cost = self.cost(&room) + self.confusion(&room, at) + dx.hypot(dy) * 0.05;
            (cost, (x, base), anchor, room)
        });
        let Some((cost, place, anchor, room)) = candidates.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return;
        };
        if !must && cost > 6.0 {
            return;
        }
        self.taken.push(room);
        let far = if self.rivals.is_empty() { 26.0 } else { 14.0 };
        if (place.0 - at.0).hypot(place.1 - at.1) > far {
            pen.line(&[at, (place.0, place.1 - WORDS * 0.3)], ink, 0.75);
        }
        pen.words(text, place, anchor, ink, bold);
    }

    /// What it costs to stand nearer to another point than to `at`.
    fn confusion(&self, room: &Box, at: (f64, f64)) -> f64 {
        let away = |point: (f64, f64)| {
            let dx = (room.left - point.0).max(point.0 - room.right).max(0.0);
            let dy = (room.top - point.1).max(point.1 - room.bottom).max(0.0);
            dx.hypot(dy)
        };
        let own = away(at);
        let others = self.rivals.iter().filter(|rival| (rival.0 - at.0).hypot(rival.1 - at.1) > 0.5);
        if others.map(|rival| away(*rival)).any(|other| other < own + 2.0) { CONFUSING } else { 0.0 }
    }

    fn cost(&self, room: &Box) -> f64 {
        let outside = (self.bounds.left - room.left).max(0.0)
            + (room.right - self.bounds.right).max(0.0)
            + (self.bounds.top - room.top).max(0.0)
            + (room.bottom - self.bounds.bottom).max(0.0);
        self.taken.iter().map(|taken| room.overlap(taken)).sum::<f64>() + outside * 60.0
    }
}

/// As much as covering a good part of another text.
const CONFUSING: f64 = 150.0;

fn offsets() -> impl Iterator<Item = (f64, f64, Anchor)> {
    [1.0, 1.8, 3.0, 4.5, 6.5].into_iter().flat_map(|far| {
        [
            (9.0, 4.0, Anchor::Start),
            (-9.0, 4.0, Anchor::End),
            (0.0, -9.0, Anchor::Middle),
            (0.0, 17.0, Anchor::Middle),
            (7.0, -7.0, Anchor::Start),
            (-7.0, -7.0, Anchor::End),
            (7.0, 14.0, Anchor::Start),
            (-7.0, 14.0, Anchor::End),
        ]
        .map(move |(dx, dy, anchor)| (dx * far, dy * far, anchor))
    })
}

/// Heights for texts that stand one above the other: as near to `wanted` as a gap of `gap` allows.
pub fn spread(wanted: &[f64], gap: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.put_in_order_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut placed = wanted.to_vec();
    let mut lowest = top;
    for &at in &order {
        placed[at] = placed[at].max(lowest);
        lowest = placed[at] + gap;
    }
    let mut highest = bottom;
    for &at in order.iter().rev() {
        placed[at] = placed[at].min(highest);
        highest = placed[at] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_nearer_to_their_own_point_than_to_another() {
        let ends = [(100.0, 100.0), (112.0, 104.0), (106.0, 112.0)];
        let mut labels = Labels::within(0.0, 300.0, 0.0, 300.0);
        ends.iter().for_each(|end| labels.keep_free(*end, 4.0));
        labels.tell_apart(&ends);
        super::super::canvas::draw((300, 300), "ends", |pen| {
            for (at, end) in ends.iter().enumerate() {
                labels.write(pen, &format!("{at} jobs"), *end, (Ink::Muted, false, true));
                let room = *labels.taken.last().expect("a place was taken");
                assert_eq!(labels.confusion(&room, *end), 0.0, "{at}");
                assert_eq!(
                    labels.taken[..labels.taken.len() - 1].iter().map(|t| room.overlap(t)).sum::<f64>(),
                    0.0
                );
            }
        });
    }

    #[test]
    fn texts_are_spread_by_the_gap_and_stay_inside() {
        let placed = spread(&[50.0, 51.0, 99.0, 100.0], 12.0, (0.0, 100.0));
        let mut sorted = placed.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 12.0 - 1e-9), "{placed:?}");
        assert!(sorted[3] <= 100.0);
    }
}
