//! Statistics against simulated truth and published figures.

mod comparison;
mod knowledge;
mod search_truth;
mod shape;
mod statistics;
mod steady;
mod tail;
