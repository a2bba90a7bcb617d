//! Files of every format with pieces cut out, doubled and changed.
//!
//! Beside the seeds of the fuzz targets, `FATHOM_SAMPLES` names a collection of published files, and
//! `FATHOM_MUTATIONS` how often each is changed.

use std::path::{Path, PathBuf};

use fathom_interop::audit::audit_run;
use fathom_interop::demand::{self, Hints, TraceStream, WhichTrace};
use fathom_interop::diskspd::{Command, Drives, map as map_diskspd, profile_xml, read_command};
use fathom_interop::fio::cmdline::{self, Invocation};
use fathom_interop::fio::document::{self, FileText};
use fathom_interop::fio::job::Variables;
use fathom_interop::fio::map::{self, Around};
use fathom_interop::import::{Context, HEAD_BYTES, Head, IMPORTERS, Imported, recognise};
use fathom_interop::observers::OBSERVERS;

use crate::counting::within;

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

fn import(bytes: &[u8], name: &str) {
    let _ = recognise(&Head { bytes: &bytes[..bytes.len().min(HEAD_BYTES)], file_name: name });
    let context = Context { file_name: name.to_owned(), ..Context::default() };
    for importer in IMPORTERS {
        within(bytes.len(), importer.name, || {
            let mut input = bytes;
            let found = importer.read(&mut input, &context).unwrap_or_default();
            for run in
                found.iter().filter_map(|found| if let Imported::Run(run) = found { Some(run) } else { None })
            {
                let _ = audit_run(run);
            }
        });
    }
    within(bytes.len(), "record", || drop(fathom_record::parse_run(bytes)));
    for observer in OBSERVERS {
        within(bytes.len(), "observer", || {
            let _ = (observer.observe)(bytes);
            let _ = (observer.audit)(bytes);
        });
    }
}

fn read_commands(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    within(bytes.len(), "fio's command line", || drop(cmdline::parse(&words)));
    within(bytes.len(), "fio's job file", || {
        let environment = |name: &str| (name.len() < 8).then(|| "4k".to_owned());
        let variables =
            Variables { environment: &environment, processors: 4, page_bytes: 4096, memory_mib: 1024 };
        let file = FileText { name: "job.fio".to_owned(), text: text.clone() };
        let mut include = |_: &str, _: &str| Err("no files here".to_owned());
        let jobs =
            document::jobs(&Invocation::default(), &[file], &variables, &mut include).unwrap_or_default();
        let around = Around {
            target_bytes: &|name| (name.len() % 2 == 0).then_some(1 << 30),
            log: &|name| demand::survey_iolog(name.as_bytes()),
            new_seed: 1,
        };
        jobs.iter().for_each(|job| drop(map::map(job, &around)));
    });
    let mut command = None;
    within(bytes.len(), "diskspd's command line", || command = read_command(&words, 1).ok());
    // What is printed of many targets is longer than their names.
    if let Some(Command::Run(profile)) = command {
        let _ = profile_xml::print_profile(&profile);
        let _ = map_diskspd(&profile.spans[0], &Drives::default(), &|_| Some(1 << 30));
    }
    within(bytes.len(), "diskspd's profile", || drop(profile_xml::read_profile(&text)));
}

/// As demand for sizing, and as a trace to replay.
fn read_demand(bytes: &[u8]) {
    let text = demand::Text { name: "a", bytes };
    within(bytes.len(), "demand", || drop(demand::read(&[text], &Hints::default())));
    within(bytes.len(), "trace", || {
        if let Ok(mut stream) = TraceStream::open(|| Ok(bytes), WhichTrace::default()) {
            while let Ok(Some(_)) = stream.next() {}
        }
    });
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

#[test]
fn changed_files_of_every_format_are_read_or_refused() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut files = files_below(&seeds);
    assert!(files.len() >= 20, "{} seeds", files.len());
    if let Some(samples) = std::env::var_os("FATHOM_SAMPLES") {
        files.extend(files_below(Path::new(&samples)));
    }
    let times = std::env::var("FATHOM_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let (mut draws, mut tried) = (Draws(0x5eed), 0u64);
    for path in files {
        let mut seed = std::fs::read(&path).unwrap();
        seed.truncate(SEED_BYTES);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for _ in 0..times {
            let bytes = mutated(&seed, &mut draws);
            import(&bytes, &name);
            read_commands(&bytes);
            read_demand(&bytes);
            tried += 1;
        }
    }
    eprintln!("{tried} changed files");
}
