//! The promise of engines that keep data: a read gives back the last write, whatever the order and slot.

use fathom_engine::{Engine, Io};
use fathom_record::Direction;

use crate::conformance_cases::carry;
use crate::{Load, Subject, TARGET_BYTES};

/// Content that names the block and the round it was written in.
fn stamp(buffer: &mut [u8], block: u64, round: u64) {
    for (index, word) in buffer.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *word = (block ^ round << 32 ^ (index as u64) << 48).to_le_bytes();
    }
}

pub fn reads_give_back_writes<E: Engine>(subject: &Subject<'_, E>, load: Load) {
    let Load { depth, io_bytes } = load;
    let mut engine = (subject.make)(depth);
    let (length, blocks) = (io_bytes as usize, TARGET_BYTES / u64::from(io_bytes));
    for round in 0..30u64 {
        // 7919 is prime and does not divide the number of blocks: a round's blocks differ.
        let place = |slot: u32| (u64::from(slot) * 7919 + round * 13) % blocks;
        let write = |slot| Io {
            slot,
            direction: Direction::Write,
            offset: place(slot) * u64::from(io_bytes),
            bytes: io_bytes,
        };
        for slot in 0..depth {
            stamp(&mut engine.buffer(slot)[..length], place(slot), round);
        }
        let ios: Vec<Io> = (0..depth).map(write).collect();
        carry(subject, &mut engine, &ios);
        // Read through other slots than those that wrote.
        let moved = |slot: u32| (slot + 1) % depth;
        let reads: Vec<Io> =
            ios.iter().map(|io| Io { slot: moved(io.slot), direction: Direction::Read, ..*io }).collect();
        (0..depth).for_each(|slot| engine.buffer(slot).fill(0xee));
        carry(subject, &mut engine, &reads);
        for io in &reads {
            let mut expected = vec![0; length];
            stamp(&mut expected, io.offset / u64::from(io_bytes), round);
            assert!(
                engine.buffer(io.slot)[..length] == expected,
                "{}: block at {} differs",
                subject.name,
                io.offset
            );
        }
    }
}
