//! Engines that break their contract: the suite notices each breach, and the loop counts those that spoil numbers.
#![allow(clippy::unwrap_used, reason = "a test panics when it is wrong")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use fathom_conformance::broken::{Breach, BrokenEngine};
use fathom_conformance::{BUFFER_BYTES, Subject, TARGET_BYTES, Traits, run};
use fathom_engine::Engine;
use fathom_engine::job::crew::{CrewPlan, JobConduct};
use fathom_engine::job::spare_buffers::Spares;
use fathom_engine::job::{JobPlan, Measurement};
use fathom_engine::memory_target::{Memory, Store};
use fathom_engine::pattern::{DataPattern, Generator, Geometry};
use fathom_measure::{Clock, VirtualClock, WallClock};
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};
use fathom_record::{EngineBreaches, Workload};
use fathom_target::wall::Reach;

use super::run_crew;

/// Whether an engine with this breach passes the suite.
fn passes(breach: Option<Breach>) -> bool {
    let clock = VirtualClock::new();
    clock.advance_to(1_000_000);
    let store = Store::new(TARGET_BYTES).unwrap();
    let advance = |to_ns| clock.advance_to(to_ns);
    let subject = Subject {
        name: "broken",
        make: &|depth| {
            let inner = Memory::new(store.clone(), depth, BUFFER_BYTES, clock.clone()).unwrap();
            BrokenEngine::new(inner, breach, depth, &advance)
        },
        now_ns: &|| clock.now_ns(),
        advance_to: Some(&advance),
        traits: Traits { keeps_content: true, knows_its_end: true, writes_only: false },
    };
    catch_unwind(AssertUnwindSafe(|| run(&subject))).is_ok()
}

#[test]
fn the_suite_notices_each_breach() {
    assert!(passes(None), "the engine that is broken on purpose is whole without a breach");
    for breach in Breach::ALL {
        assert!(!passes(Some(breach)), "{breach:?} went unnoticed");
    }
}

const OPERATIONS: u64 = 500;
const DEPTH: u32 = 4;

/// A closed loop of reads on an engine with this breach.
fn measured(breach: Option<Breach>) -> Measurement {
    let length = Length { operations: Some(OPERATIONS), ..Length::default() };
    let workload = Workload {
        special: None,
        mix: Mix { read_share: 1.0, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::RandomIndependent,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: 4096 }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: DEPTH,
        length,
        seed: 1,
    };
    let geometry = Geometry::of(&workload, TARGET_BYTES).unwrap();
    let job = JobPlan {
        aside: None,
        job: 0,
        target: 0,
        depth: DEPTH,
        spares: Spares::default(),
        generator: Generator::new(&workload, &geometry, 0, &Arc::new(AtomicU64::new(0))),
        arrival: None,
        pace: None,
        data: DataPattern::new(&workload.data, 1, 0),
        operations: OPERATIONS,
        bytes: u64::MAX,
        counts_process: true,
    };
    let stop = AtomicBool::new(false);
    let plan = CrewPlan {
        jobs: vec![job],
        length: &workload.length,
        open: false,
        punctual: false,
        reach: Reach::default(),
        conduct: JobConduct::until(&stop),
    };
    let (clock, _) = WallClock::start();
    let store = Store::new(TARGET_BYTES).unwrap();
    let build = |plan: &JobPlan| {
        let inner = Memory::new(store.clone(), plan.depth, BUFFER_BYTES, clock)?;
        Ok(Box::new(BrokenEngine::new(inner, breach, plan.depth, &|_| ())) as Box<dyn Engine>)
    };
    run_crew(plan, clock, &build).unwrap()
}

#[test]
fn the_loop_counts_what_spoils_numbers_and_believes_none_of_it() {
    let whole = measured(None).whole;
    assert_eq!((whole.operations(), whole.breaches), (OPERATIONS, EngineBreaches::default()));
    let stamps = |breaches: &EngineBreaches| breaches.stamps_out_of_order;
    let unknown = |breaches: &EngineBreaches| breaches.unknown_completions;
    let refused = |breaches: &EngineBreaches| breaches.refused_submissions;
    type Count<'a> = &'a dyn Fn(&EngineBreaches) -> u64;
    let cases: [(Breach, Count<'_>); 6] = [
        (Breach::EndsTwice, &unknown),
        (Breach::ReapedBeforeReturned, &stamps),
        (Breach::ReturnedBeforeSubmitted, &stamps),
        (Breach::SubmittedBeforeAsked, &stamps),
        (Breach::ReapedInTheFuture, &stamps),
        (Breach::FullWithAFreeSlot, &refused),
    ];
    for (breach, count) in cases {
        let measured = measured(Some(breach));
        let whole = &measured.whole;
        assert!(count(&whole.breaches) > 0, "{breach:?}: {:?}", whole.breaches);
        let shortest_ns = whole.directions[0].service.min();
        assert!(shortest_ns.is_none_or(|ns| ns > 0), "{breach:?}: a latency of nothing");
        let most = u64::from(DEPTH) * measured.exposed_ns;
        assert!(whole.in_flight_integral_ns <= most, "{breach:?}: {} of {most}", whole.in_flight_integral_ns);
    }
}
