//! Rates: servers, token buckets and credits, shared limits, links.

use fathom_record::Direction;

use super::{Load, SECOND, close, closed_loop, closed_rate, device, parameters};
use crate::{Access, Regime, Resource, SimDevice, SimHost};

#[test]
fn a_closed_loop_reaches_the_lesser_of_its_concurrency_and_the_limits() {
    for (text, bytes, in_flight, expected) in [
        ("ideal", 4096, 1, 10_000.0),
        ("ideal", 4096, 8, 80_000.0),
        ("ideal", 4096, 64, 80_000.0),
        ("ideal,servers=3,base=50us", 4096, 2, 2.0 / 150e-6),
        ("ideal,read-shape=exponential", 4096, 5, 50_000.0),
        ("ideal,read-shape=lognormal:0.5", 4096, 256, 80_000.0),
        ("ideal,tags=4,servers=64", 4096, 64, 40_000.0),
        ("ideal,read-stream=1GB/s", 100_000 / 512 * 512, 1, 1e9 / (100_000.0 + 99_840.0)),
        ("ideal,noise=5%,noise-time=10ms", 4096, 8, 80_000.0),
        ("gp3", 4096, 1, 1e9 / (150e3 + 550e3 + 2048.0)),
        ("gp3", 4096, 32, 3000.0),
        ("gp3", 65_536, 32, 125.0 * 16.0),
        ("gp3,throughput=none", 1 << 20, 32, 750.0),
        ("gp3,iops=6000,throughput=250MB/s", 16_384, 64, 6000.0),
        ("io2", 16_384, 64, 32_000.0),
        ("nvme", 4096, 512, 58.0 / (80e-6 + 4096.0 / 6e9)),
        ("nvmeof", 131_072, 128, 3e9 / 131_072.0),
        ("sata", 131_072, 32, 550e6 / 131_072.0),
        ("hdd", 4096, 4, 1e9 / (12.77e6 + 4096.0 * 5.0)),
        ("st1,throughput-balance=0", 4096, 16, 80.0),
    ] {
        let mut device = device(text);
        let rate = closed_rate(&mut device, Load::random_read(bytes, in_flight), 10, 20);
        close(rate, expected, if text.starts_with("hdd") { 0.04 } else { 0.01 });
        let truth = device.truth().closed_loop_per_s(
            Direction::Read,
            Access::Random,
            bytes,
            Regime::Sustained,
            in_flight as f64,
        );
        close(truth, expected, 0.001);
    }
}

/// The long-run rate of a mix is the least of the limits over its mean charge, and what asks for less is
/// served without a queue that grows: limits on operations and bytes hold side by side.
#[test]
fn a_mix_within_both_limits_is_served() {
    // 4,000 a second, of which one in five has 1 MiB: 6,400 operations and 812.5 MiB a second.
    let sizes = |i: u64| if i.is_multiple_of(5) { 1 << 20 } else { 4096 };
    let charge = |i: u64| (f64::from(1 + 3 * u8::from(i.is_multiple_of(5))), sizes(i) as f64);
    let (operations, bytes) = (0..5).map(charge).fold((0.0, 0.0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
    for (text, iops, bytes_per_s) in [
        ("gp3,size=1TiB,iops=6600,throughput=850MiB/s", 6600.0, 850.0 * 1048576.0),
        ("gp3,size=1TiB,iops=6450,throughput=1500MiB/s", 6450.0, 1500.0 * 1048576.0),
        ("gp3,size=1TiB,iops=16000,throughput=820MiB/s", 16_000.0, 820.0 * 1048576.0),
    ] {
        let mut open = device(text);
        let mut longest_ns = 0;
        for i in 0..4000 * 60u64 {
            let at_ns = i * 250_000;
            let offset = i.wrapping_mul(0x9e37_79b9) % 10_000 * (1 << 22);
            longest_ns = longest_ns.max(open.serve(1, at_ns, Direction::Read, offset, sizes(i)) - at_ns);
        }
        assert!(longest_ns < 20_000_000, "{text}: {longest_ns} ns, in a queue that grows");

        let mut closed = device(text);
        let mut pending: std::collections::BinaryHeap<_> =
            (0..256u64).map(|_| std::cmp::Reverse(0u64)).collect();
        let (mut i, mut served) = (0u64, 0u64);
        while let Some(std::cmp::Reverse(now_ns)) = pending.pop()
            && now_ns < 30 * SECOND
        {
            served += u64::from(now_ns >= 10 * SECOND);
            let offset = i.wrapping_mul(0x9e37_79b9) % 10_000 * (1 << 22);
            pending.push(std::cmp::Reverse(closed.serve(1, now_ns, Direction::Read, offset, sizes(i))));
            i += 1;
        }
        let expected = (iops / (operations / 5.0)).min(bytes_per_s / (bytes / 5.0));
        close(served as f64 / 20.0, expected, 0.01);
    }
}

#[test]
fn gp2_credits_last_exactly_as_long_as_the_bucket_says() {
    // 5.4 million credits at 3,000 - 100 a second: 1,862 s.
    let mut device = device("gp2,size=30GiB");
    let truth_s = device.truth().operation_burst_s(3000.0).unwrap();
    close(truth_s, 1862.069, 1e-6);
    let (mut within_burst, mut last_ns, mut slowed_ns, mut after) = (0u64, 0, 0, 0u64);
    closed_loop(&mut device, Load::random_read(4096, 16), |io| {
        if slowed_ns == 0 && io.done_ns - last_ns > 5_000_000 {
            slowed_ns = last_ns;
        }
        within_burst += u64::from(slowed_ns == 0);
        after += u64::from(io.done_ns > 2000 * SECOND);
        last_ns = io.done_ns;
        io.done_ns < 2100 * SECOND
    });
    close(slowed_ns as f64 / 1e9, truth_s, 1e-5);
    close(within_burst as f64, 3000.0 * truth_s, 1e-5);
    assert!(after.abs_diff(100 * 100) <= 1, "baseline afterwards: {after} in 100 s");
}

#[test]
fn credits_come_back_at_the_baseline_while_idle() {
    let credits = |device: &SimDevice, second: u64| {
        device.parameters_at(second * SECOND).operations.unwrap().balance_operations
    };
    let mut device = device("gp2,size=500GiB,iops-balance=0");
    assert_eq!(credits(&device, 0), 0);
    assert_eq!(credits(&device, 600), 600 * 1500);
    assert_eq!(credits(&device, 3600), 5_400_000, "full after an hour");
    device.serve(1, 600 * SECOND, Direction::Read, 0, 1 << 20);
    assert_eq!(credits(&device, 600), 600 * 1500 - 4, "1 MiB counts four times");
}

#[test]
fn a_byte_bucket_bursts_and_then_holds_its_baseline() {
    let mut device = device("st1,size=1TiB,throughput-bucket=10GiB");
    let truth_s = device.truth().byte_burst_s(250.0 * f64::from(1 << 20)).unwrap();
    close(truth_s, 10.0 * 1024.0 / 210.0, 1e-9);
    let load = Load::random_read(1 << 20, 32).sequential();
    let (mut burst, mut later) = (0u64, 0u64);
    closed_loop(&mut device, load, |io| {
        burst += u64::from(io.done_ns as f64 / 1e9 <= truth_s);
        later += u64::from((60 * SECOND..160 * SECOND).contains(&io.done_ns));
        io.done_ns < 160 * SECOND
    });
    close(burst as f64, 250.0 * truth_s, 0.005);
    close(later as f64, 40.0 * 100.0, 0.005);
}

#[test]
fn volumes_of_one_instance_share_its_limit_and_others_do_not() {
    let rates = |texts: [&str; 2]| {
        let mut host = SimHost::default();
        let mut devices = texts.map(|text| host.device(parameters(text)).unwrap());
        let mut pending: Vec<(u64, usize)> = Vec::new();
        for _ in 0..32 {
            for (index, device) in devices.iter_mut().enumerate() {
                pending.push((device.serve(1, 0, Direction::Read, 0, 4096), index));
            }
        }
        let mut counts = [0u64; 2];
        let mut heap: std::collections::BinaryHeap<_> = pending.into_iter().map(std::cmp::Reverse).collect();
        while let Some(std::cmp::Reverse((now_ns, index))) = heap.pop()
            && now_ns < 20 * SECOND
        {
            counts[index] += 1;
            heap.push(std::cmp::Reverse((devices[index].serve(1, now_ns, Direction::Read, 0, 4096), index)));
        }
        counts.map(|count| count as f64 / 20.0)
    };
    let [a, b] = rates(["instance-capped", "instance-capped"]);
    close(a + b, 3600.0, 0.01);
    close(a, b, 0.01);
    let [a, b] = rates(["instance-capped", "instance-capped,instance=other"]);
    close(a, 3600.0, 0.01);
    close(b, 3600.0, 0.01);
    // A slow volume leaves the rest of the instance to its neighbour.
    let [slow, fast] = rates(["instance-capped,iops=500", "instance-capped"]);
    close(slow, 500.0, 0.01);
    close(fast, 3100.0, 0.01);
}

#[test]
fn one_instance_cannot_have_two_limits() {
    let mut host = SimHost::default();
    host.device(parameters("instance-capped")).unwrap();
    let error = host.device(parameters("instance-capped,instance-iops=4000")).unwrap_err();
    assert!(error.to_string().contains("instance=NAME"), "{error}");
    let spent = "instance-capped,instance-iops-balance=5";
    assert!(host.device(parameters(spent)).is_ok(), "what is left is a state, not another limit");
}

#[test]
fn a_sequential_stream_merges_into_accounting_units() {
    let load = Load::random_read(4096, 64).sequential();
    close(closed_rate(&mut device("gp3"), load, 10, 20), 125.0 * 256.0, 0.01);
    close(closed_rate(&mut device("gp3,merge=off"), load, 10, 20), 3000.0, 0.01);
}

#[test]
fn the_binding_resource_is_named() {
    for (text, bytes, resource) in [
        ("ideal", 4096, Resource::Servers),
        ("ideal,tags=4", 4096, Resource::Tags),
        ("gp3", 4096, Resource::Operations),
        ("gp3", 1 << 20, Resource::Throughput),
        ("instance-capped", 4096, Resource::InstanceOperations),
        ("instance-capped", 1 << 20, Resource::InstanceThroughput),
        ("nvmeof", 1 << 20, Resource::Link),
    ] {
        let truth = device(text).truth();
        let bound = truth.maximum(Direction::Read, Access::Random, bytes, Regime::Sustained).unwrap();
        assert_eq!(bound.resource, resource, "{text} at {bytes}");
    }
    let qlc = device("qlc").truth();
    let bound = qlc.maximum(Direction::Write, Access::Random, 4096, Regime::Sustained).unwrap();
    assert_eq!(bound.resource, Resource::Drain);
}

#[test]
fn each_job_makes_the_lock_dearer_for_all() {
    const JOBS: [u32; 3] = [1, 2, 4];
    for jobs in JOBS {
        let text = "ideal,servers=64,read=200us,read-shape=lognormal:0.4,lock=10us,lock-handover=4us";
        let mut device = device(text);
        let mut pending = std::collections::BinaryHeap::new();
        for number in 0..64 {
            let job = number % jobs;
            pending.push(std::cmp::Reverse((device.serve(job, 0, Direction::Read, 0, 4096), job)));
        }
        let mut served = 0_u32;
        while let Some(std::cmp::Reverse((now_ns, job))) = pending.pop()
            && now_ns < SECOND
        {
            served += 1;
            pending.push(std::cmp::Reverse((device.serve(job, now_ns, Direction::Read, 0, 4096), job)));
        }
        let expected = device.truth().lock_per_s(jobs).unwrap();
        assert!((f64::from(served) / expected - 1.0).abs() < 0.02, "{jobs}: {served} of {expected}");
    }
}
