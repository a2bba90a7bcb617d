//! Pure statistics over run records: exposure and steady state, stopping, searches, operating points.
//!
//! Nothing here reads a clock, a file or a global: observations come in as numbers, decisions go out
//! as values, and the same input always gives the same output. The run is the statistical unit.

pub mod bucket;
pub mod change_points;
pub mod exposure;
pub mod operating_point;
pub mod paired_comparison;
pub mod plateau;
pub mod search;
pub mod shape;
pub mod steady;
pub mod stopping;
pub mod student;
pub mod tail;

pub use operating_point::{BalancedPoint, MeasuredCell, PeakPoint, SloPoint, balanced, peak, slo};
pub use plateau::{Plateau, PlateauCell, coefficient_of_variation, plateau};
pub use search::{Cell, Grid, Observation, Purpose, Search, SearchEnd, SearchOptions, Step};
pub use student::{MeanInterval, mean_interval, t_quantile};
