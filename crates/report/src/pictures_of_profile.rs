//! The pictures of a profile: reads and writes over time, rates over windows, and sizes.

use fathom_record::ProfileRecord;

use crate::chart::{ClockAxis, asked_over_time, rates_by_window, sizes_at_least};
use crate::pictures::Figure;

/// The pictures, as far as there is something to draw.
pub fn of_profile(record: &ProfileRecord) -> Vec<Figure> {
    let mut figures = Vec::new();
    let clock = record.start_unix_s.and_then(ClockAxis::from_unix);
    if let Some((picture, stretch_s)) = asked_over_time(&record.series, record.directions_known, clock) {
        let gaps =
            if record.series.gaps.is_empty() { "" } else { " The line breaks where nothing was seen." };
        figures.push(Figure {
            name: "demand",
            title: "Demand over time".to_owned(),
            caption: format!(
                "One point is the peak {}-s rate of each {stretch_s}-s interval.{gaps}",
                record.series.tick_s
            ),
            picture,
        });
    }
    if let Some(picture) = rates_by_window(&record.demand.total.windows) {
        figures.push(Figure {
            name: "windows",
            title: "Rates over windows".to_owned(),
            caption: "Quantiles of the mean rate over all windows of each length. The gap between short and long windows is the burst that averages hide.".to_owned(),
            picture,
        });
    }
    let (reads, writes) = (record.read_sizes.as_ref(), record.write_sizes.as_ref());
    if let Some(picture) = sizes_at_least(reads, writes) {
        let exact = [reads, writes].into_iter().flatten().all(|mix| mix.exact);
        let caption = if exact {
            "Each I/O's size is known."
        } else {
            "Only the means of ticks are known: the share lies between the two lines of a direction."
        };
        figures.push(Figure {
            name: "sizes",
            title: "Sizes".to_owned(),
            caption: caption.to_owned(),
            picture,
        });
    }
    figures
}
