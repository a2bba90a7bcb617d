//! Verdicts on synthetic measurements: known truths, undecidable cases, noise, and absurd numbers.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test code outside of test functions")]

mod absurd;
mod connections;
mod given_back;
mod known_truth;
mod noisy_truth;
mod paths;
mod scene;
