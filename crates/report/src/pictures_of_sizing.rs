//! The pictures of a sizing: the demand over time with the choice's limits, and cost against margin.

use fathom_record::SizingRecord;

use crate::chart::{demand_over_time, frontier};
use crate::pictures::Figure;

/// The pictures, as far as there is something to draw.
pub fn of_sizing(record: &SizingRecord) -> Vec<Figure> {
    let mut figures = Vec::new();
    if let Some(picture) = demand_over_time(&record.timeline) {
        figures.push(Figure {
            name: "demand",
            title: "The demand and what the choice sustains".to_owned(),
            caption: format!(
                "As it was seen, without the margin; one point stands for {} s. Credits are simulated with the margin, from full buckets.",
                record.timeline.step_s
            ),
            picture,
        });
    }
    if let Some(picture) = frontier(&record.frontier) {
        figures.push(Figure {
            name: "frontier",
            title: "Cost against margin".to_owned(),
            caption: "The cheapest offer that meets the demand times each margin, on one node.".to_owned(),
            picture,
        });
    }
    figures
}
