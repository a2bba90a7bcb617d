//! Runs workloads and assessments: plans in, run records and campaign records out, resumable.

pub mod plan;
