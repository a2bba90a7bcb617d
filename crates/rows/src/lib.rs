//! What is read by the billion, as demand for sizing: rows of tables and lines of traces.
//!
//! Rows become intervals with I/Os and bytes, and those ticks of one length. What is left out, mended or doubted on
//! the way is said in a note. Long tables of many volumes are read in pieces ([`demand_tables`]), and traces I/O by I/O
//! ([`trace_demand`]).

pub mod counter_series;
pub mod demand_tables;
pub mod disk_choices;
mod hints;
mod interval_table;
mod intervals;
mod named_columns;
mod stretches;
pub mod ticks;
pub mod trace_demand;

pub use hints::Hints;
pub use interval_table::{as_counts, rows, time_ns};
pub use intervals::{DemandReport, Interval, of_counts, of_intervals, of_readings};
pub use named_columns::Values;
pub(crate) use named_columns::{Columns, column, divided_otherwise};
