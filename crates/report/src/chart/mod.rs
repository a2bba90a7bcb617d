//! Pictures of a record, as SVG that reads in light, in dark and in print, without script.
//!
//! Drawn 400 pixels wide at most, so that a telephone shows the text at nearly its size and a desk shows two
//! pictures side by side.

mod axis;
mod bars;
mod canvas;
mod causes;
mod ceilings;
mod demand;
mod forest;
mod grid_curves;
mod heat;
mod labels;
mod operating;
mod overview;
mod pairs;
mod palette;
mod panel;
mod percentiles;
mod profile;
mod roofline;
mod series;
mod shift;

pub use axis::ClockAxis;
pub use bars::{Bar, bars};
pub use canvas::Picture;
pub use causes::{CauseBar, causes};
pub use ceilings::ceilings;
pub use demand::{demand_over_time, frontier};
pub use forest::{ForestRow, forest};
pub use grid_curves::{GridLine, GridPoint, grid_curves};
pub use heat::{HeatMap, heat_map};
pub use operating::{Mark, operating_curve};
pub use overview::{OverviewRow, overview};
pub use pairs::pairs_over_time;
pub use palette::{Ink, page_styles};
pub use percentiles::{Curve, percentile_curves};
pub use profile::{asked_over_time, rates_by_window, sizes_at_least};
pub use roofline::{RoofPoint, roofline};
pub use series::series;
pub use shift::shift;
