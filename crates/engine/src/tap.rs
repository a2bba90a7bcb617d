//! Tells a listener of each I/O that ended well, with its stamps: what a witness is compared with.
//!
//! It lies around the engine and its decorators, so its stamps are the ones that the loop counts. A run
//! without a listener has no such engine in it.

use std::fmt;

use fathom_record::Direction;
use fathom_record::facts::EngineFacts;

use crate::job::JobPlan;
use crate::{Completion, Engine, EngineError, Io, Stamps, Submission, Wait};

/// Hears of one job's I/Os, in its thread: it must not wait or allocate.
pub type Listener = Box<dyn FnMut(&Io, &Stamps) + Send>;

/// Makes a listener for each job.
#[derive(Clone, Copy)]
pub struct Listeners<'a>(pub &'a (dyn Fn(&JobPlan) -> Listener + Sync));

impl fmt::Debug for Listeners<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listeners")
    }
}

/// An engine with a listener.
pub struct Tap<E> {
    engine: E,
    listener: Listener,
    ios: Box<[Io]>,
}

impl<E: Engine> Tap<E> {
    /// Puts a listener beside an engine of this depth.
    pub fn new(engine: E, depth: u32, listener: Listener) -> Self {
        let none = Io { slot: 0, direction: Direction::Read, offset: 0, bytes: 0 };
        Self { engine, listener, ios: vec![none; depth as usize].into_boxed_slice() }
    }
}

fn tell(listener: &mut Listener, ios: &[Io], completion: &Completion) {
    let io = &ios[completion.slot as usize];
    let whole = completion.result as u32 == io.bytes || io.direction == Direction::Flush;
    if completion.result >= 0 && whole {
        listener(io, &completion.stamps);
    }
}

impl<E: Engine> Engine for Tap<E> {
    fn facts(&self) -> &EngineFacts {
        self.engine.facts()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.engine.buffer(slot)
    }

    fn submit(&mut self, io: Io) -> Submission {
        self.ios[io.slot as usize] = io;
        let submission = self.engine.submit(io);
        if let Submission::Done(completion) = &submission {
            tell(&mut self.listener, &self.ios, completion);
        }
        submission
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let earlier = done.len();
        let reaped = self.engine.reap(wait, done);
        for completion in &done[earlier..] {
            tell(&mut self.listener, &self.ios, completion);
        }
        reaped
    }

    fn next_due_ns(&self) -> Option<u64> {
        self.engine.next_due_ns()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use fathom_measure::WallClock;

    use super::*;

    #[test]
    fn whole_ios_are_heard_with_their_own_stamps_whichever_way_they_end() {
        let file = Arc::new(tempfile::tempfile().unwrap());
        file.set_len(3 * 4096 + 512).unwrap();
        let (clock, _) = WallClock::start();
        for depth in [1, 4] {
            let engine = crate::sync::Sync::new(Arc::clone(&file), depth, 4096, clock).unwrap();
            let heard = Arc::new(Mutex::new(Vec::new()));
            let ears = Arc::clone(&heard);
            let listener = move |io: &Io, stamps: &Stamps| ears.lock().unwrap().push((io.offset, *stamps));
            let mut engine = Tap::new(engine, depth, Box::new(listener));
            let mut done = Vec::with_capacity(depth as usize);
            let mut all = Vec::new();
            for at in 0..4 {
                // The fourth comes up short.
                let slot = at as u32 % depth;
                let io = Io { slot, direction: Direction::Read, offset: at * 4096, bytes: 4096 };
                match engine.submit(io) {
                    Submission::Done(completion) => all.push(completion),
                    Submission::Queued => {
                        while done.is_empty() {
                            engine.reap(Wait::Until(u64::MAX), &mut done).unwrap();
                        }
                        all.append(&mut done);
                    }
                    Submission::Full => panic!("one at a time"),
                }
            }
            let stamps: Vec<Stamps> = all.iter().map(|completion| completion.stamps).collect();
            let expected: Vec<_> = [0, 4096, 8192].into_iter().zip(stamps).collect();
            assert_eq!(*heard.lock().unwrap(), expected);
            assert_eq!(all[3].result, 512);
        }
    }
}
