//! A stripe over real files: where its bytes lie, and what a member that fails does to its I/Os.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test panics when it is wrong, and says what it skips"
)]

use std::fs::{self, File, OpenOptions};
use std::sync::Arc;

use fathom_engine::aio::Aio;
use fathom_engine::stripe::{Carrier, Layout, Shape, Slots, Stripe};
use fathom_engine::sync::Sync;
use fathom_engine::uring::{Options, Uring};
use fathom_engine::{Completion, Engine, EngineError, Io, Submission, Wait};
use fathom_measure::{Clock, WallClock};
use fathom_record::Direction;
use fathom_record::options::IoFlags;
use tempfile::NamedTempFile;

const CHUNK: u64 = 8192;
const DEPTH: u32 = 4;
const LARGEST: u32 = 7 * 4096;

/// Files of these sizes, all of one byte.
fn members(sizes: &[u64]) -> (Vec<NamedTempFile>, Vec<Arc<File>>) {
    let make = |&bytes: &u64| {
        let named = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(named.path(), vec![0x5a; bytes as usize]).unwrap();
        let file = OpenOptions::new().read(true).write(true).open(named.path()).unwrap();
        (named, Arc::new(file))
    };
    sizes.iter().map(make).unzip()
}

/// Carries I/Os, `DEPTH` at a time, and hands each end to `see` with the buffer.
fn carry<E: Engine>(
    engine: &mut E,
    clock: WallClock,
    ios: &[Io],
    fill: impl Fn(&Io, &mut [u8]),
    mut see: impl FnMut(&Io, Completion, &[u8]),
) {
    for batch in ios.chunks(DEPTH as usize) {
        let mut done = Vec::with_capacity(batch.len());
        for (io, slot) in batch.iter().zip(0..) {
            fill(io, &mut engine.buffer(slot)[..io.bytes as usize]);
            if let Submission::Done(end) = engine.submit(Io { slot, ..*io }) {
                done.push(end);
            }
        }
        while done.len() < batch.len() {
            engine.reap(Wait::Until(clock.now_ns() + 1_000_000_000), &mut done).unwrap();
        }
        for end in done {
            let io = &batch[end.slot as usize];
            see(io, end, &engine.buffer(end.slot)[..io.bytes as usize]);
        }
    }
}

/// Each word of the address space holds its own address.
fn content(offset: u64, bytes: &mut [u8]) {
    for (word, address) in bytes.as_chunks_mut::<8>().0.iter_mut().zip((offset..).step_by(8)) {
        *word = address.to_le_bytes();
    }
}

/// The whole stripe in I/Os of all sizes up to the largest.
fn tiles(layout: &Layout, direction: Direction) -> Vec<Io> {
    let (mut ios, mut offset) = (Vec::new(), 0);
    while offset < layout.size_bytes() {
        let bytes = (4096 * (1 + ios.len() as u64 % 7)).min(layout.size_bytes() - offset) as u32;
        ios.push(Io { slot: 0, direction, offset, bytes });
        offset += u64::from(bytes);
    }
    ios
}

fn lies_as_raid_0<E: Carrier>(
    name: &str,
    make: impl Fn(&[Arc<File>], Slots, WallClock) -> Result<E, EngineError>,
) {
    let (clock, _) = WallClock::start();
    for sizes in [&[9 * CHUNK, 9 * CHUNK][..], &[11 * CHUNK, 8 * CHUNK + 5000, 12 * CHUNK]] {
        let (named, files) = members(sizes);
        let (layout, count) = (Layout::new(sizes, CHUNK, 512).unwrap(), sizes.len() as u64);
        let shape = Shape::new(&layout, DEPTH, (LARGEST, 4096), false).unwrap();
        let inner = match make(&files, shape.slots(), clock) {
            Ok(inner) => inner,
            Err(error) => {
                fathom_skips::skipped(error);
                return;
            }
        };
        let mut stripe = Stripe::new(inner, layout, shape, clock);
        let whole = |io: &Io, end: Completion| assert_eq!(end.bytes(), u64::from(io.bytes), "{name}: {io:?}");
        let fill = |io: &Io, bytes: &mut [u8]| content(io.offset, bytes);
        carry(&mut stripe, clock, &tiles(&layout, Direction::Write), fill, |io, end, _| whole(io, end));
        let used = layout.size_bytes() / count;
        for (member, named) in named.iter().enumerate() {
            let bytes = fs::read(named.path()).unwrap();
            for (at, word) in (0..used).step_by(8).zip(bytes.as_chunks::<8>().0) {
                let address = (at / CHUNK * count + member as u64) * CHUNK + at % CHUNK;
                assert_eq!(u64::from_le_bytes(*word), address, "{name}: byte {at} of member {member}");
            }
            assert!(bytes[used as usize..].iter().all(|byte| *byte == 0x5a), "{name}: beyond the stripe");
        }
        let empty = |_: &Io, bytes: &mut [u8]| bytes.fill(0xee);
        carry(&mut stripe, clock, &tiles(&layout, Direction::Read), empty, |io, end, bytes| {
            whole(io, end);
            let mut expected = vec![0; bytes.len()];
            content(io.offset, &mut expected);
            assert!(bytes == expected, "{name}: {io:?}");
        });
    }
}

#[test]
fn what_is_written_lies_where_raid_0_puts_it() {
    let bytes = u64::from(LARGEST);
    lies_as_raid_0("uring", |files, slots, clock| {
        Uring::over(files, slots, bytes, Options::default(), clock)
    });
    lies_as_raid_0("aio", |files, slots, clock| Aio::over(files, slots, bytes, clock));
    lies_as_raid_0("sync", |files, slots, clock| {
        Sync::over(files, (slots, bytes), IoFlags::default(), clock)
    });
}

#[test]
fn a_member_that_fails_fails_the_ios_that_touch_it() {
    let (clock, _) = WallClock::start();
    let (named, mut files) = members(&[8 * CHUNK; 2]);
    files[1] = Arc::new(File::open(named[1].path()).unwrap());
    let layout = Layout::new(&[8 * CHUNK; 2], CHUNK, 512).unwrap();
    let shape = Shape::new(&layout, DEPTH, (LARGEST, 4096), false).unwrap();
    let inner = Sync::over(&files, (shape.slots(), LARGEST.into()), IoFlags::default(), clock).unwrap();
    let mut stripe = Stripe::new(inner, layout, shape, clock);
    let (mut failed, mut whole) = (0, 0);
    carry(
        &mut stripe,
        clock,
        &tiles(&layout, Direction::Write),
        |_, _| (),
        |io, end, _| {
            let touches = layout.pieces(io.offset, io.bytes).any(|piece| piece.member == 1);
            assert_eq!(end.errno(), touches.then_some(libc::EBADF), "{io:?}");
            *(if touches { &mut failed } else { &mut whole }) += 1;
        },
    );
    assert!(failed > 1 && whole > 1, "{failed} and {whole}");
    // One that ends early makes them fall short where it ends.
    fs::write(named[1].path(), vec![0x5a; CHUNK as usize]).unwrap();
    let across = Io { slot: 0, direction: Direction::Read, offset: 2 * CHUNK + 4096, bytes: 12_288 };
    carry(&mut stripe, clock, &[across], |_, _| (), |_, end, _| assert_eq!(end.result, 4096));
}
