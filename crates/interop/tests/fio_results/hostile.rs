//! Any bytes are read or refused: no panic, and no memory out of proportion.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

use fathom_interop::import::{Context, by_name};
use proptest::prelude::*;

/// Counts what a thread holds, and the most that it held.
struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // A thread that ends has no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its trait")]
// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What any reading may take, whatever is read: buffers and empty histograms.
const FIXED_BYTES: i64 = 2 << 20;

fn reads_in_proportion(importer: &str, bytes: &[u8], file_name: &str) {
    let context = Context { file_name: file_name.to_owned(), ..Context::default() };
    let before = HELD.get();
    MOST.set(before);
    let found = (by_name(importer).unwrap().read)(&mut &*bytes, &context);
    let most = MOST.get() - before;
    drop(found);
    let allowed = FIXED_BYTES + 100 * bytes.len() as i64;
    assert!(most <= allowed, "{importer}: {most} bytes held for {} read", bytes.len());
}

fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio_results/own");
    let mut out: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    out.sort();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damaged_files_are_read_or_refused(
        seed in 0usize..64,
        cut in 0.0f64..1.0,
        changes in prop::collection::vec((0.0f64..1.0, any::<u8>()), 0..6),
        doubled: bool,
    ) {
        let seeds = seeds();
        let (name, bytes) = &seeds[seed % seeds.len()];
        let mut bytes = bytes.clone();
        bytes.truncate((bytes.len() as f64 * (1.0 - cut * cut)) as usize);
        for (at, byte) in changes {
            let place = (at * bytes.len() as f64) as usize;
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        if doubled {
            bytes.extend_from_within(..);
        }
        let importers = if name.ends_with(".log") { ["fio-log", "fio-log-us"] } else { ["fio-json", "fio-log-ns"] };
        for importer in importers {
            reads_in_proportion(importer, &bytes, name);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for importer in ["fio-json", "fio-log", "fio-log-us", "fathom-run"] {
            reads_in_proportion(importer, &bytes, "x_clat.1.log");
        }
    }
}

#[test]
fn nesting_and_braces_without_end_take_no_stack_and_no_time() {
    for unit in ["[", "{\"a\":", "{", "{\"jobs\":[{\"jobname\":\"x\"},", "{\"fio version\":\"x\","] {
        reads_in_proportion("fio-json", unit.repeat(200_000).as_bytes(), "x");
    }
    let minimal = br#"{"fio version":"fio-3.1","jobs":[{"read":{"total_ios":1,"iops":1}}]}"#.repeat(2000);
    reads_in_proportion("fio-json", &minimal, "x");
}
