//! Pictures of a record, as SVG that reads in light, in dark and in print, without script.
//!
//! Drawn 400 pixels wide at most, so that a telephone shows the text at nearly its size and a desk shows two
//! pictures side by side.

mod axis;
mod bars;
mod canvas;
mod causes;
mod ceilings_chart;
mod demand_chart;
mod forest;
mod grid_curves;
mod heat_chart;
mod labels;
mod operating_chart;
mod overview;
mod pairs_chart;
mod palette;
mod panel;
mod percentiles;
mod profile_chart;
mod roofline;
mod shift_chart;
mod time_series;

pub use axis::ClockAxis;
pub use bars::{Bar, bars};
pub use canvas::Picture;
pub use causes::{CauseBar, causes};
pub use ceilings_chart::ceilings;
pub use demand_chart::{demand_over_time, frontier};
pub use forest::{ForestRow, forest};
pub use grid_curves::{GridLine, GridPoint, grid_curves};
pub use heat_chart::{HeatMap, heat_map};
pub use operating_chart::{Mark, operating_curve};
pub use overview::{OverviewRow, overview};
pub use pairs_chart::pairs_over_time;
pub use palette::{Ink, page_styles};
pub use percentiles::{Curve, percentile_curves};
pub use profile_chart::{asked_over_time, rates_by_window, sizes_at_least};
pub use roofline::{RoofPoint, roofline};
pub use shift_chart::shift;
pub use time_series::series;
