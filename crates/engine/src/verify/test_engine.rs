//! A target in memory whose tests decide when an I/O is carried out and when its end is seen.

use std::sync::{Arc, Mutex};

use fathom_record::Direction;
use fathom_record::facts::EngineFacts;

use crate::{Completion, Engine, EngineError, Io, Stamps, Submission, Wait};

/// Content that several engines share.
pub(crate) type Media = Arc<Mutex<Vec<u8>>>;

/// Queues everything; `reap` carries out and ends all but the slots that are held.
#[derive(Debug)]
pub(crate) struct TestEngine {
    facts: EngineFacts,
    media: Media,
    buffers: Vec<Vec<u8>>,
    queued: Vec<Io>,
    now_ns: u64,
    /// Slots that `reap` leaves in flight.
    pub held: Vec<u32>,
    /// Submissions to answer with `Full`.
    pub refuse: u32,
}

impl TestEngine {
    pub fn media(bytes: usize) -> Media {
        Arc::new(Mutex::new(vec![0; bytes]))
    }

    pub fn new(media: &Media, depth: u32, buffer_bytes: usize) -> Self {
        Self {
            facts: EngineFacts {
                name: "test".to_owned(),
                version: 1,
                features: Vec::new(),
                completes_inline: false,
                returned_stamp: "exact".to_owned(),
            },
            media: Arc::clone(media),
            buffers: vec![vec![0; buffer_bytes]; depth as usize],
            queued: Vec::new(),
            now_ns: 0,
            held: Vec::new(),
            refuse: 0,
        }
    }

    fn carry_out(&mut self, io: Io) -> Completion {
        let mut media = self.media.lock().unwrap();
        let range = io.offset as usize..io.offset as usize + io.bytes as usize;
        let buffer = &mut self.buffers[io.slot as usize][..io.bytes as usize];
        match io.direction {
            Direction::Read => buffer.copy_from_slice(&media[range]),
            Direction::Write => media[range].copy_from_slice(buffer),
            Direction::Trim => media[range].fill(0),
            Direction::Flush => {}
        }
        self.now_ns += 10;
        let stamps =
            Stamps { submitted_ns: self.now_ns - 5, returned_ns: self.now_ns - 5, reaped_ns: self.now_ns };
        Completion { slot: io.slot, result: io.bytes as i32, stamps }
    }
}

impl Engine for TestEngine {
    fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        &mut self.buffers[slot as usize]
    }

    fn submit(&mut self, io: Io) -> Submission {
        if self.refuse > 0 {
            self.refuse -= 1;
            return Submission::Full;
        }
        self.queued.push(io);
        Submission::Queued
    }

    fn reap(&mut self, _: Wait, done: &mut Vec<Completion>) -> Result<(), EngineError> {
        let (held, ready): (Vec<Io>, Vec<Io>) =
            std::mem::take(&mut self.queued).into_iter().partition(|io| self.held.contains(&io.slot));
        self.queued = held;
        for io in ready {
            let completion = self.carry_out(io);
            done.push(completion);
        }
        Ok(())
    }
}
