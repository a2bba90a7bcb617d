//! The write cache's cliff and the indirection unit.

use fathom_record::Direction;

use super::{Load, close, closed_loop, closed_rate, device};
use crate::{Access, Regime, SimDevice};

const GIB: u64 = 1 << 30;

/// Bytes written until the first write that takes far longer than the ones before.
fn cliff(device: &mut SimDevice, load: Load) -> u64 {
    let mut written = 0;
    let mut previous_ns = 0;
    closed_loop(device, load, |io| {
        let latency_ns = io.done_ns - io.submitted_ns;
        let cliff = previous_ns > 0 && latency_ns > previous_ns + previous_ns / 4;
        previous_ns = latency_ns;
        written += load.bytes;
        !cliff
    });
    written
}

/// Bytes that can be written in sequence at a steady throughput before the empty write cache is full: C F / (F - D).
/// `None` where draining keeps up.
fn cliff_after_bytes(device: &SimDevice, bytes_per_s: f64) -> Option<f64> {
    let cache = device.parameters().write_cache.unwrap();
    let filling = bytes_per_s - cache.drain_bytes_per_s as f64;
    (filling > 0.0).then(|| cache.capacity_bytes as f64 / filling * bytes_per_s)
}

#[test]
fn writes_fall_off_the_cliff_after_the_bytes_that_the_cache_and_its_drain_take() {
    // One write of 1 MiB a millisecond: 1,048.576 MB/s into 4 GiB that drain at 300 MB/s.
    let text = "ideal,servers=1,write=1ms,cache=4GiB,drain=300MB/s";
    let load = Load::random_write(1 << 20, 1).sequential();
    let truth = cliff_after_bytes(&device(text), 1_048_576_000.0).unwrap();
    close(truth, 4.0 * GIB as f64 * 1048.576 / 748.576, 1e-9);
    let got = cliff(&mut device(text), load);
    // The first late write waits a little only; one that is a quarter late comes at once after it.
    assert!((got as f64 - truth).abs() <= 3.0 * f64::from(1 << 20), "{got} against {truth}");
    close(closed_rate(&mut device(text), load, 20, 60), 300e6 / f64::from(1 << 20), 0.01);
    assert_eq!(cliff_after_bytes(&device("ideal,cache=4GiB,drain=3GB/s"), 1e9), None);
}

#[test]
fn a_full_cache_does_not_slow_reads() {
    let mut device = device("ideal,cache=1MiB,drain=1MB/s");
    for place in 0..64 {
        device.serve(1, 0, Direction::Write, place << 20, 1 << 20);
    }
    let done_ns = device.serve(1, 1_000_000_000, Direction::Read, 0, 4096);
    assert_eq!(done_ns, 1_000_100_000);
}

#[test]
fn small_random_writes_cost_whole_indirection_units() {
    let text = "ideal,servers=64,cache=64MiB,drain=400MB/s,iu=16KiB";
    let truth = device(text).truth();
    for (bytes, amplification) in [(4096, 4.0), (8192, 2.0), (12_288, 2.0), (16_384, 1.0), (65_536, 1.0)] {
        close(truth.write_amplification(Access::Random, bytes), amplification, 1e-9);
        let load = Load::random_write(bytes, 64);
        let expected = (400e6 / (bytes as f64 * amplification)).min(640_000.0);
        close(closed_rate(&mut device(text), load, 2, 12), expected, 0.01);
        close(
            truth
                .maximum(Direction::Write, Access::Random, bytes, Regime::Sustained)
                .unwrap()
                .operations_per_s,
            expected,
            1e-9,
        );
    }
    let sequential = Load::random_write(4096, 64).sequential();
    close(closed_rate(&mut device(text), sequential, 2, 6), 400e6 / 4096.0, 0.01);
}

#[test]
fn without_a_cache_the_server_reads_modifies_and_writes() {
    let text = "ideal,servers=1,iu=16KiB,read=90us,read-stream=1GB/s,write-stream=1GB/s";
    let rate = |bytes| closed_rate(&mut device(text), Load::random_write(bytes, 1), 0, 10);
    let truth = |bytes| device(text).truth().unloaded_mean_ns(Direction::Write, Access::Random, bytes);
    // 4 KiB: read a unit, write a unit. 16 KiB: write it. 12 KiB: one or two units, by place.
    close(truth(4096), 90e3 + 16_384.0 + 100e3 + 16_384.0, 1e-9);
    close(truth(16_384), 100e3 + 16_384.0, 1e-9);
    close(truth(12_288), 90e3 + 1.5 * 16_384.0 + 100e3 + 1.5 * 16_384.0 + 0.25 * 16_384.0, 0.03);
    for bytes in [4096, 12_288, 16_384, 24_576] {
        close(rate(bytes), 1e9 / truth(bytes), 0.005);
    }
}

#[test]
fn garbage_collection_amplifies_random_writes_only() {
    let random = closed_rate(&mut device("nvme"), Load::random_write(4096, 64), 5, 10);
    close(random, 3.45e9 / 4.3 / 4096.0, 0.01);
    let sequential = closed_rate(&mut device("nvme"), Load::random_write(1 << 20, 8).sequential(), 5, 10);
    close(sequential, 3.45e9 / f64::from(1 << 20), 0.01);
}

#[test]
fn a_device_goes_on_where_it_was_left() {
    let text = "gp2,size=33GiB,iops-bucket=60k,cache=1GiB,drain=1MB/s";
    let mut first = device(text);
    closed_rate(&mut first, Load::random_write(4096, 64), 0, 10);
    let left = first.parameters_at(10_000_000_000);
    // 3000 a second for 10 s, of which 100 came back; what was in flight then is part of it.
    let credits = left.operations.unwrap().balance_operations;
    assert!((30_900..=31_100).contains(&credits), "{credits}");
    let room = left.write_cache.unwrap().free_bytes.unwrap();
    close(room as f64, f64::from(1 << 30) - 30_000.0 * 4096.0 + 10e6, 0.01);
    assert_eq!(SimDevice::new(left.clone()).unwrap().parameters_at(0), left);
}
