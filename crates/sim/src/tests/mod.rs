//! Holds the simulated device against its closed-form truths.

mod medium;
mod parameter_text;
mod properties;
mod rate_limits;
mod tails;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fathom_record::Direction;

use super::{SimDevice, SimParameters, parse};

const SECOND: u64 = 1_000_000_000;

fn device(text: &str) -> SimDevice {
    SimDevice::new(parameters(text)).unwrap()
}

fn parameters(text: &str) -> SimParameters {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// One I/O of a closed loop.
#[derive(Clone, Copy, Debug)]
struct Served {
    submitted_ns: u64,
    done_ns: u64,
}

/// What the closed loop does: one direction and size.
#[derive(Clone, Copy)]
struct Load {
    direction: Direction,
    bytes: u64,
    sequential: bool,
    in_flight: usize,
}

impl Load {
    fn random_read(bytes: u64, in_flight: usize) -> Self {
        Self { direction: Direction::Read, bytes, sequential: false, in_flight }
    }

    fn random_write(bytes: u64, in_flight: usize) -> Self {
        Self { direction: Direction::Write, ..Self::random_read(bytes, in_flight) }
    }

    fn sequential(self) -> Self {
        Self { sequential: true, ..self }
    }

    /// Offset of the I/O with this number; random ones jump by a large odd number of places.
    fn offset(&self, number: u64, size_bytes: u64) -> u64 {
        let places = size_bytes / self.bytes;
        let place = if self.sequential { number } else { number.wrapping_mul(0x9e37_79b1) + 7 };
        place % places * self.bytes
    }
}

/// Keeps `load.in_flight` I/Os going on `device` and shows each in the order of completion, until
/// `each` returns false.
fn closed_loop(device: &mut SimDevice, load: Load, mut each: impl FnMut(Served) -> bool) {
    let size_bytes = device.parameters().size_bytes;
    let mut number = 0;
    let mut start = |device: &mut SimDevice, now_ns: u64| {
        let offset = load.offset(number, size_bytes);
        number += 1;
        Reverse((device.serve(1, now_ns, load.direction, offset, load.bytes), now_ns))
    };
    let mut pending: BinaryHeap<_> = (0..load.in_flight).map(|_| start(device, 0)).collect();
    while let Some(Reverse((done_ns, submitted_ns))) = pending.pop() {
        if !each(Served { submitted_ns, done_ns }) {
            return;
        }
        pending.push(start(device, done_ns));
    }
}

/// Rate of a closed loop between two times.
fn closed_rate(device: &mut SimDevice, load: Load, from_s: u64, to_s: u64) -> f64 {
    let mut count = 0u64;
    closed_loop(device, load, |io| {
        count += u64::from(io.done_ns > from_s * SECOND && io.done_ns <= to_s * SECOND);
        io.done_ns <= to_s * SECOND
    });
    count as f64 / (to_s - from_s) as f64
}

/// Asserts that two figures agree within a share of the expected one.
#[track_caller]
fn close(got: f64, expected: f64, share: f64) {
    assert!((got / expected - 1.0).abs() <= share, "{got} against {expected}");
}
