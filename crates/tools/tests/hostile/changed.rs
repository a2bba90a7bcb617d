//! Files with pieces cut out, doubled and changed, the same ones in every run.
//!
//! Beside the seeds of the fuzz targets, `FATHOM_SAMPLES` names a collection of published files, and
//! `FATHOM_MUTATIONS` how often each is changed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Larger published files are cut to this, so that a run is short.
const SEED_BYTES: usize = 64 << 10;

/// Numbers that are the same in every run (Steele, Lea and Flood's SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// What tends to break parsers: ends, signs, huge and odd numbers, marks of several grammars.
const PIECES: [&[u8]; 16] = [
    b"18446744073709551616",
    b"-1",
    b"1e400",
    b"nan",
    b"",
    b"\0",
    b"\xff\xfe",
    b"\n\n",
    b"[",
    b"{\"",
    b"</",
    b"%",
    b":",
    b"=",
    b"${X}",
    b"\xe2\x80\x93",
];

fn mutated(seed: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=draws.below(4) {
        let at = draws.below(bytes.len() + 1);
        let end = (at + draws.below(40)).min(bytes.len());
        match draws.below(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.splice(at..end, PIECES[draws.below(PIECES.len())].iter().copied())),
            2 => {
                let piece = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            3 => drop(bytes.drain(at..end)),
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = draws.below(256) as u8;
                }
            }
        }
    }
    bytes
}

/// All files of a folder and of those in it, by name.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Shows every file, of ours and of others' `samples` where there are any, changed in many ways, with its name; two
/// files at once.
pub fn each_changed(samples: Option<PathBuf>, read: impl Fn(&[u8], &str) + Sync) {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut files = files_below(&seeds);
    assert!(files.len() >= 20, "{} seeds", files.len());
    if let Some(samples) = samples {
        files.extend(files_below(&samples));
    }
    let times = std::env::var("FATHOM_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let next = AtomicUsize::new(0);
    let share = || {
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(path) = files.get(at)
        {
            // A file's changes are its own, whoever makes them.
            let mut draws = Draws(0x5eed + at as u64);
            let mut seed = std::fs::read(path).unwrap();
            seed.truncate(SEED_BYTES);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for _ in 0..times {
                read(&mutated(&seed, &mut draws), &name);
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(share);
        share();
    });
    eprintln!("{} changed files", files.len() * times);
}

/// A text in UTF-16 with its byte order mark.
pub fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect()
}
