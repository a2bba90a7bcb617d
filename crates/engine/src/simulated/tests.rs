//! The engine on a virtual clock and in real time.

use std::sync::{Arc, Mutex};

use fathom_measure::{Clock, VirtualClock, WallClock};
use fathom_record::Direction;
use fathom_sim::{SimDevice, parse};

use super::{Mode, SimEngine};
use crate::{Completion, Engine, Io, Submission, Wait};

const SECOND: u64 = 1_000_000_000;

/// Places that do not follow each other, so that no two reads merge.
fn read(slot: u32) -> Io {
    Io { slot, direction: Direction::Read, offset: u64::from(slot) * 8192, bytes: 4096 }
}

fn shared(text: &str) -> Arc<Mutex<SimDevice>> {
    Arc::new(Mutex::new(SimDevice::new(parse(text).unwrap()).unwrap()))
}

/// Within a share of what was expected.
fn close(got: f64, expected: f64, share: f64) {
    assert!((got / expected - 1.0).abs() <= share, "{got} against {expected}");
}

#[test]
fn two_jobs_share_a_device_and_a_virtual_clock() {
    let clock = VirtualClock::new();
    let device = shared("gp3");
    let mut jobs: Vec<_> = (0..2)
        .map(|_| SimEngine::new(Arc::clone(&device), 8, 4096, clock.clone(), Mode::Virtual).unwrap())
        .collect();
    for job in &mut jobs {
        assert_eq!(job.next_due_ns(), None);
        (0..8).for_each(|slot| assert_eq!(job.submit(read(slot)), Submission::Queued));
        assert_eq!(job.submit(read(0)), Submission::Full);
    }
    let mut counts = [0u64; 2];
    let mut done = Vec::with_capacity(8);
    while clock.now_ns() < 10 * SECOND {
        let next = jobs.iter().filter_map(Engine::next_due_ns).min().unwrap();
        assert!(next >= clock.now_ns());
        clock.advance_to(next);
        for (job, count) in jobs.iter_mut().zip(&mut counts) {
            done.clear();
            job.reap(Wait::Until(u64::MAX), &mut done).unwrap();
            assert_eq!(clock.now_ns(), next, "reaping does not move the clock");
            for completion in &done {
                let stamps = completion.stamps;
                assert_eq!((completion.result, stamps.reaped_ns), (4096, next));
                assert!(stamps.submitted_ns == stamps.returned_ns && stamps.returned_ns < next);
                *count += 1;
                assert_eq!(job.submit(read(completion.slot)), Submission::Queued);
            }
        }
    }
    close((counts[0] + counts[1]) as f64, 30_000.0, 0.001);
    close(counts[0] as f64, counts[1] as f64, 0.01);
}

#[test]
fn what_lies_outside_the_device_is_answered_with_an_error() {
    let clock = VirtualClock::new();
    let mut engine = SimEngine::new(shared("ideal,size=1MiB"), 4, 4096, clock, Mode::Virtual).unwrap();
    for io in [
        Io { offset: 1 << 20, ..read(0) },
        Io { offset: u64::MAX - 511, ..read(1) },
        Io { offset: 100, ..read(2) },
        Io { bytes: 8192, ..read(3) },
    ] {
        assert_eq!(engine.submit(io), Submission::Queued);
    }
    let mut done: Vec<Completion> = Vec::new();
    engine.reap(Wait::No, &mut done).unwrap();
    assert_eq!(done.iter().map(Completion::errno).collect::<Vec<_>>(), [Some(22); 4]);
    engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
    assert_eq!(done.len(), 4, "nothing in flight: returns at once");
    let trim = Io { direction: Direction::Trim, bytes: 1 << 20, ..read(0) };
    let flush = Io { direction: Direction::Flush, bytes: 0, ..read(1) };
    for io in [trim, flush] {
        assert_eq!(engine.submit(io), Submission::Queued);
    }
    assert!(engine.next_due_ns().is_some());
}

#[test]
fn buffers_are_one_for_each_slot_and_facts_admit_that_content_is_lost() {
    let mut engine = SimEngine::new(shared("nvme"), 2, 8192, VirtualClock::new(), Mode::Virtual).unwrap();
    engine.buffer(0).fill(1);
    engine.buffer(1).fill(2);
    assert!(engine.buffer(0).len() >= 8192 && engine.buffer(0).iter().all(|&byte| byte == 1));
    let facts = engine.facts();
    assert_eq!((facts.name.as_str(), facts.version), ("sim", 1));
    assert!(facts.features.iter().any(|f| !f.used && f.note.as_deref().unwrap_or("").contains("not kept")));
}

#[test]
fn in_real_time_completions_come_no_sooner_than_they_end() {
    let (clock, _) = WallClock::start();
    let mut engine = SimEngine::new(shared("ideal,read=2ms"), 4, 4096, clock, Mode::RealTime).unwrap();
    let mut latencies = Vec::new();
    let mut done = Vec::new();
    (0..4).for_each(|slot| assert_eq!(engine.submit(read(slot)), Submission::Queued));
    assert_eq!(engine.next_due_ns(), None);
    engine.reap(Wait::No, &mut done).unwrap();
    assert!(done.is_empty());
    let patience_ns = clock.now_ns() + 200_000;
    engine.reap(Wait::Until(patience_ns), &mut done).unwrap();
    // On a busy machine the wait may have lasted until they were over.
    let over = |c: &Completion| c.stamps.reaped_ns - c.stamps.submitted_ns >= 2_000_000;
    assert!(clock.now_ns() >= patience_ns && done.iter().all(over));
    while latencies.len() < 100 {
        engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
        assert!(!done.is_empty(), "waited for one");
        for completion in done.drain(..) {
            let stamps = completion.stamps;
            assert!(stamps.submitted_ns <= stamps.returned_ns && stamps.returned_ns <= stamps.reaped_ns);
            latencies.push(stamps.reaped_ns - stamps.submitted_ns);
            assert_eq!(engine.submit(read(completion.slot)), Submission::Queued);
        }
    }
    latencies.sort_unstable();
    assert!(latencies[0] >= 2_000_000, "{} ns", latencies[0]);
    // However busy the machine is, one of a hundred waits ends long before a second one would.
    assert!(latencies[0] < 4_000_000, "{} ns", latencies[0]);
}

#[test]
fn what_the_software_above_takes_is_latency_and_in_real_time_spent_before_the_device_has_it() {
    let device = "ideal,read=100us,cpu=300us";
    let clock = VirtualClock::new();
    let mut job = SimEngine::new(shared(device), 2, 4096, clock.clone(), Mode::Virtual).unwrap();
    assert_eq!(job.submit(read(0)), Submission::Queued);
    assert_eq!((job.next_due_ns(), clock.now_ns()), (Some(400_000), 0));

    let (clock, _) = WallClock::start();
    let mut job = SimEngine::new(shared(device), 2, 4096, clock, Mode::RealTime).unwrap();
    assert_eq!(job.submit(read(0)), Submission::Queued);
    let mut done = Vec::new();
    while done.is_empty() {
        job.reap(Wait::Until(u64::MAX), &mut done).unwrap();
    }
    let stamps = done[0].stamps;
    assert!(stamps.returned_ns - stamps.submitted_ns >= 300_000, "{stamps:?}");
    assert!(stamps.reaped_ns - stamps.submitted_ns >= 400_000, "{stamps:?}");
}
