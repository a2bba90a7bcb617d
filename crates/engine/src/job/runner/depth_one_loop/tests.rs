//! A lone I/O's successor beside a device whose times are given, on a clock that moves with each reading.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fathom_record::Workload;
use fathom_record::facts::EngineFacts;
use fathom_record::workload::{Addresses, Arrival, Data, Length, Mix, Sizes, SizesByDirection};

use super::*;
use crate::job::runner::{Exchange, FilledBuffers, JobPlan, TurnResult};
use crate::job::spare_buffers::Spares;
use crate::job::tally::Tally;
use crate::job::timeline::Timeline;
use crate::pattern::{DataPattern, Generator, Geometry};
use crate::{Arena, Io, Stamps};

const BLOCK: u32 = 4096;

#[derive(Clone, Default)]
struct Ticking(Rc<Cell<u64>>);

impl Clock for Ticking {
    fn now_ns(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

/// What a device saw, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Content was made in a slot's buffer.
    Made(u32),
    /// An I/O was taken; how many had been drawn by then.
    Taken(u64),
    /// It was started.
    Started,
    /// Its end was handed out.
    Ended,
}

struct Device {
    facts: EngineFacts,
    arena: Arena,
    clock: Ticking,
    /// What each call for completions takes, and what each buffer's content does.
    call_ns: u64,
    make_ns: u64,
    /// How long each I/O takes, over and over. 0: it ends inside the call that starts it.
    services_ns: Vec<u64>,
    /// The I/O that fails, from 0.
    fails: u64,
    cursor: Arc<AtomicU64>,
    taken: Option<Io>,
    flying: Option<(Io, u64, u64)>,
    steps: Rc<RefCell<Vec<Step>>>,
    started: u64,
    /// Sum of the latencies that its stamps show.
    latencies_ns: Rc<Cell<u64>>,
}

impl Engine for Device {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(self.flying.is_none_or(|(io, ..)| io.slot != slot), "slot {slot} is in flight");
        self.clock.0.set(self.clock.0.get() + self.make_ns);
        self.steps.borrow_mut().push(Step::Made(slot));
        self.arena.slice(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        assert!(self.taken.is_none() && self.flying.is_none(), "more than one in flight");
        let drawn = self.cursor.load(Ordering::Relaxed) / u64::from(BLOCK);
        self.steps.borrow_mut().push(Step::Taken(drawn));
        self.taken = Some(io);
        Submission::Queued
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        self.clock.0.set(self.clock.0.get() + self.call_ns);
        if let Some((_, _, end_ns)) = &mut self.flying {
            // What carries the I/O has to wait for the call.
            *end_ns += self.call_ns;
        }
        if let Some(io) = self.taken.take() {
            let service_ns = self.services_ns[(self.started % self.services_ns.len() as u64) as usize];
            self.started += 1;
            let now_ns = self.clock.now_ns();
            self.flying = Some((io, now_ns, now_ns + service_ns));
            self.steps.borrow_mut().push(Step::Started);
        }
        let Some((io, submitted_ns, end_ns)) = self.flying else { return Ok(()) };
        if let Wait::Until(deadline_ns) = wait {
            self.clock.0.set(self.clock.0.get().max(end_ns.min(deadline_ns)));
        }
        if self.clock.0.get() < end_ns {
            return Ok(());
        }
        self.flying = None;
        let fails = self.started - 1 == self.fails;
        let (result, reaped_ns) = (if fails { -libc::ENODEV } else { io.bytes as i32 }, self.clock.now_ns());
        self.latencies_ns.set(self.latencies_ns.get() + reaped_ns - submitted_ns);
        let stamps = Stamps { submitted_ns, returned_ns: submitted_ns, reaped_ns };
        done.push(Completion { slot: io.slot, result, stamps });
        self.steps.borrow_mut().push(Step::Ended);
        Ok(())
    }
}

/// How a run is to end, and on what.
struct LoneScenario {
    read_share: f64,
    call_ns: u64,
    make_ns: u64,
    services_ns: Vec<u64>,
    fails: u64,
    operations: u64,
    bytes: u64,
    time_ns: Option<u64>,
}

impl Default for LoneScenario {
    fn default() -> Self {
        Self {
            read_share: 0.0,
            call_ns: 0,
            make_ns: 50,
            services_ns: vec![2048],
            fails: u64::MAX,
            operations: 1000,
            bytes: u64::MAX,
            time_ns: None,
        }
    }
}

struct LoneOutcome {
    steps: Vec<Step>,
    whole: Tally,
    latencies_ns: u64,
    /// After each turn: I/Os that were handed out and not counted.
    uncounted: Vec<u64>,
}

impl LoneOutcome {
    fn of(&self, step: fn(&Step) -> bool) -> u64 {
        self.steps.iter().filter(|seen| step(seen)).count() as u64
    }

    fn started(&self) -> u64 {
        self.of(|step| *step == Step::Started)
    }
}

fn run(given: &LoneScenario) -> LoneOutcome {
    let length = Length { time_ns: given.time_ns, operations: Some(given.operations), ..Length::default() };
    let workload = Workload {
        mix: Mix { read_share: given.read_share, trim_share: 0.0, flush_every_writes: 0 },
        addresses: Addresses::Interlocked,
        sizes: SizesByDirection::all(Sizes::Fixed { bytes: BLOCK.into() }),
        offset_bytes: 0,
        span_bytes: None,
        alignment_bytes: None,
        data: Data::default(),
        arrival: Arrival::Closed,
        jobs: 1,
        depth: 1,
        length,
        seed: 3,
        special: None,
    };
    let geometry = Geometry::of(&workload, 1 << 30).unwrap();
    let (cursor, clock) = (Arc::new(AtomicU64::new(0)), Ticking::default());
    let mut plan = JobPlan {
        job: 0,
        target: 0,
        depth: 1,
        spares: Spares::of(1, BLOCK, given.read_share > 0.0),
        generator: Generator::new(&workload, &geometry, 0, &cursor),
        arrival: None,
        pace: None,
        aside: None,
        data: DataPattern::new(&workload.data, 1, 0),
        operations: given.operations,
        bytes: given.bytes,
        counts_process: false,
    };
    let (steps, latencies_ns) = (Rc::default(), Rc::default());
    let mut device = Device {
        facts: EngineFacts {
            name: "device".to_owned(),
            version: 1,
            features: Vec::new(),
            completes_inline: false,
            returned_stamp: "the start".to_owned(),
        },
        arena: Arena::new(plan.buffers(), BLOCK.into()).unwrap(),
        clock: clock.clone(),
        call_ns: given.call_ns,
        make_ns: given.make_ns,
        services_ns: given.services_ns.clone(),
        fails: given.fails,
        cursor,
        taken: None,
        flying: None,
        steps: Rc::clone(&steps),
        started: 0,
        latencies_ns: Rc::clone(&latencies_ns),
    };
    let filled: FilledBuffers = plan.fill(&mut device);
    steps.borrow_mut().clear();
    let (full, mut finished) = rtrb::RingBuffer::new(64);
    let (mut empty, taken) = rtrb::RingBuffer::new(64);
    (0..60).for_each(|_| empty.push(Box::default()).unwrap());
    let timeline = Timeline::new(clock.now_ns(), &workload.length);
    let exchange = Exchange { full, empty: taken };
    let mut job = Job::new(device, clock, timeline, plan, filled, exchange, Arc::new(AtomicBool::new(false)));
    let (mut whole, mut uncounted) = (Tally::default(), Vec::new());
    loop {
        let turn = job.turn(true).unwrap();
        uncounted.push(u64::from(job.lone.last.is_some()));
        while let Ok(tally) = finished.pop() {
            whole.merge(&tally);
        }
        if turn == TurnResult::Finished {
            break;
        }
    }
    drop(job);
    let steps = Rc::into_inner(steps).unwrap().into_inner();
    LoneOutcome { steps, whole, latencies_ns: latencies_ns.get(), uncounted }
}

#[test]
fn the_next_is_drawn_and_made_while_one_is_in_flight_and_the_last_is_counted_after_its_start() {
    let seen = run(&LoneScenario::default());
    // The first is drawn and made in its turn; while it is in flight the second is.
    assert_eq!(seen.steps[..3], [Step::Made(0), Step::Taken(1), Step::Started]);
    let (mut made, mut rounds) = (1, 0);
    for round in seen.steps[3..].chunks(4).take(STRETCH as usize - 2) {
        assert_eq!(
            round,
            [Step::Made(made), Step::Ended, Step::Taken(rounds + 2), Step::Started],
            "{rounds}"
        );
        (made, rounds) = (1 - made, rounds + 1);
    }
    // Each turn leaves the I/O that it has seen end to the next, but for a stretch in the common order.
    assert!(seen.uncounted[..STRETCH as usize - 1].iter().all(|left| *left == 1), "{:?}", seen.uncounted);
    assert!(seen.uncounted.iter().sum::<u64>() >= 1000 - u64::from(STRETCH) - 1, "{:?}", seen.uncounted);
    assert_eq!(seen.whole.operations(), 1000);
}

#[test]
fn what_ends_inside_its_call_and_what_takes_long_is_carried_in_the_common_order() {
    for (service_ns, most) in [(0, 1), (LONG_NS * 5, 1)] {
        let seen = run(&LoneScenario { services_ns: vec![service_ns], ..LoneScenario::default() });
        assert!(seen.uncounted.iter().all(|left| *left == 0), "{service_ns} ns");
        // A try now and then, and no more: its I/Os are drawn while another is in flight.
        let early = seen.steps.windows(2).filter(|two| matches!(two, [Step::Started, Step::Made(_)])).count();
        assert!(early as u64 <= most * (2 + 1000 / u64::from(PAUSE)), "{service_ns} ns: {early}");
        assert_eq!((seen.started(), seen.whole.operations()), (1000, 1000));
    }
    // A device that becomes fast is found out.
    let changes = [vec![LONG_NS * 5; 10], vec![2048; 990]].concat();
    let seen = run(&LoneScenario { services_ns: changes, ..LoneScenario::default() });
    assert!(seen.uncounted.iter().sum::<u64>() > 600, "{:?}", seen.uncounted.iter().sum::<u64>());
}

#[test]
fn where_a_second_call_costs_more_than_it_hides_the_common_order_stays() {
    let share = |call_ns: u64, make_ns: u64| {
        let seen = run(&LoneScenario { call_ns, make_ns, operations: 50_000, ..LoneScenario::default() });
        assert_eq!((seen.started(), seen.whole.operations()), (50_000, 50_000));
        seen.uncounted.iter().sum::<u64>() as f64 / 50_000.0
    };
    // What is made takes longer than a call, so that the device would wait for it.
    assert!(share(20, 300) > 0.9);
    // A worker on the job's own processor: each call holds it up by itself.
    assert!(share(300, 20) < 0.1);
}

#[test]
fn every_io_is_counted_once_with_its_own_stamps_and_none_is_one_too_many() {
    let drawn = || {
        let mut state = 7u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            [0, 300, 2048, 9000, 60_000][(state >> 60) as usize % 5]
        })
        .take(997)
        .collect::<Vec<u64>>()
    };
    for read_share in [0.0, 0.5, 1.0] {
        let plain =
            || LoneScenario { read_share, services_ns: drawn(), operations: 5000, ..LoneScenario::default() };
        let block = u64::from(BLOCK);
        for (given, started) in [
            (plain(), Some(5000)),
            (LoneScenario { operations: 1, ..plain() }, Some(1)),
            (LoneScenario { bytes: 777 * block, ..plain() }, Some(777)),
            (LoneScenario { time_ns: Some(7_000_000), ..plain() }, None),
            (LoneScenario { services_ns: vec![2048], fails: 500, ..plain() }, Some(501)),
        ] {
            let seen = run(&given);
            let failed = u64::from(given.fails != u64::MAX);
            assert_eq!(seen.started(), started.unwrap_or(seen.started()));
            assert_eq!(seen.of(|step| matches!(step, Step::Taken(_))), seen.started());
            assert_eq!((seen.whole.operations(), seen.whole.errors()), (seen.started() - failed, failed));
            assert_eq!(seen.whole.bytes(), (seen.started() - failed) * block);
            assert_eq!(seen.whole.breaches, Default::default());
            // In flight from submission to its seen end, one after the other; of good ones the histogram's sum.
            assert_eq!(seen.whole.in_flight_integral_ns, seen.latencies_ns);
            let sum: u128 = seen.whole.directions.iter().map(|direction| direction.service.sum()).sum();
            assert!(failed > 0 || sum == u128::from(seen.latencies_ns), "{sum}");
        }
    }
}

#[test]
fn nothing_is_started_after_the_time_is_over() {
    let given = LoneScenario {
        services_ns: vec![2000],
        time_ns: Some(1_000_000),
        operations: 5000,
        ..LoneScenario::default()
    };
    let seen = run(&given);
    // At least the device's time for each, and at most a few readings of the clock more.
    assert!((450..=500).contains(&seen.started()), "{}", seen.started());
    assert_eq!(seen.whole.operations(), seen.started());
    assert_eq!(seen.steps.last(), Some(&Step::Ended));
}

/// I/Os between two comparisons that the common order wins by far, one after the other.
#[test]
fn an_order_that_is_faster_without_doubt_is_asked_about_less_and_less() {
    let mut lone = LoneJobState::new(true);
    let mut now_ns = 0;
    let mut runs = Vec::new();
    while runs.len() < 8 {
        // A stretch in this order, and one in the common order in half of its time.
        for _ in 0..STRETCH {
            now_ns += 2;
            lone.compare(now_ns);
        }
        now_ns += u64::from(STRETCH);
        lone.compare(now_ns);
        runs.push(lone.pause);
    }
    assert_eq!(runs, [1, 2, 4, 8, 16, 16, 16, 16].map(|times| times * RUN));
}
