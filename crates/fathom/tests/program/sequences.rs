//! The I/Os that fathom and the installed fio log for one command on one file have one distribution.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use fathom_record::Direction;

use crate::fio::{fathom_fio, has};

/// One I/O of a log.
#[derive(Clone, Copy, Debug)]
struct Logged {
    direction: Direction,
    offset: u64,
    bytes: u64,
}

/// The I/Os of a log of fio's third version.
fn read_log(path: &Path) -> Vec<Logged> {
    let log = std::fs::read_to_string(path).unwrap();
    let logged = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let known = [Direction::Read, Direction::Write, Direction::Trim];
        let named = |word: &str| known.into_iter().find(|direction| direction.name() == word);
        let (at, direction) = words.iter().enumerate().find_map(|(at, word)| Some((at, named(word)?)))?;
        let number = |at: usize| words.get(at)?.parse().ok();
        Some(Logged { direction, offset: number(at + 1)?, bytes: number(at + 2)? })
    };
    log.lines().filter_map(logged).collect()
}

const SIZE: u64 = 256 << 20;
const MOVED: u64 = 64 << 20;

/// What both do for the same words, on one file that is there before.
fn both(folder: &Path, words: &str) -> (Vec<Logged>, Vec<Logged>) {
    let words = format!("--name=a --filename=data --size={SIZE} --io_size={MOVED} {words}");
    let done = Command::new("fio")
        .args(words.split_whitespace())
        .args(["--write_iolog=fios", "--thread", "--allow_file_create=0"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let (_, said, status) = fathom_fio(folder, &format!("{words} --write_iolog=ours --destroy=data --quiet"));
    // On a busy machine the run's own check may find that it kept less in flight than it was to.
    assert!(matches!(status, Some(0 | 1)), "{words}: {said}");
    let logs = ["ours", "fios"].map(|name| {
        let path = folder.join(name);
        let log = read_log(&path);
        // fio goes on with a log that is there.
        std::fs::remove_file(path).unwrap();
        log
    });
    let [ours, fios] = logs;
    // What is trimmed and then written counts twice.
    let moved = if words.contains("trimwrite") { 2 * MOVED } else { MOVED };
    for (who, log) in [("fathom", &ours), ("fio", &fios)] {
        let bytes: u64 = log.iter().map(|io| io.bytes).sum();
        assert!(log.len() > 900 && bytes.abs_diff(moved) < 1 << 20, "{words}: {who} moved {bytes} bytes");
    }
    (ours, fios)
}

fn offsets(log: &[Logged], direction: Direction) -> Vec<u64> {
    log.iter().filter(|io| io.direction == direction).map(|io| io.offset).collect()
}

/// Largest distance of two empirical distributions, over the one that chance exceeds once in 1000 times.
fn kolmogorov_smirnov(left: &mut [u64], right: &mut [u64]) -> f64 {
    left.sort_unstable();
    right.sort_unstable();
    let share = |values: &[u64], most: u64| {
        values.partition_point(|value| *value <= most) as f64 / values.len() as f64
    };
    let distance =
        left.iter().chain(right.iter()).map(|value| (share(left, *value) - share(right, *value)).abs());
    let (n, m) = (left.len() as f64, right.len() as f64);
    distance.fold(0.0, f64::max) / (1.95 * ((n + m) / (n * m)).sqrt())
}

/// Chi-square of two samples over cells, over the value that chance exceeds once in 1000 times.
fn chi_square(left: &[u64], right: &[u64]) -> f64 {
    let (n, m) = (left.iter().sum::<u64>() as f64, right.iter().sum::<u64>() as f64);
    let mut cells = 0;
    let mut sum = 0.0;
    for (a, b) in left.iter().zip(right).map(|(a, b)| (*a as f64, *b as f64)) {
        if a + b > 0.0 {
            cells += 1;
            sum += ((m / n).sqrt() * a - (n / m).sqrt() * b).powi(2) / (a + b);
        }
    }
    let freedom = f64::from(cells - 1).max(1.0);
    // Wilson and Hilferty's approximation of the quantile of order 0.999.
    let limit = freedom * (1.0 - 2.0 / (9.0 * freedom) + 3.09 * (2.0 / (9.0 * freedom)).sqrt()).powi(3);
    sum / limit
}

/// Directions and sizes, as counts of cells.
fn kinds(log: &[Logged]) -> Vec<u64> {
    let mut counts = vec![0; 64];
    for io in log {
        let own_size = io.bytes.ilog2() as usize + usize::from(!io.bytes.is_power_of_two());
        counts[usize::from(io.direction == Direction::Write) * 32 + own_size] += 1;
    }
    counts
}

#[test]
fn offsets_sizes_and_directions_are_distributed_as_fios() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data"), vec![7; SIZE as usize]).unwrap();
    for words in [
        "--rw=randread --bs=4k --norandommap",
        "--rw=randrw --rwmixread=33 --bsrange=4k-16k,64k-64k --norandommap --ioengine=libaio --iodepth=16",
        "--rw=randwrite --bssplit=4k/50:8k/30:64k/20 --norandommap",
        "--rw=randread --bs=4k",
        "--rw=randrw --rwmixread=70 --bs=8k --ioengine=libaio --iodepth=8",
        "--rw=randread --bs=4k --norandommap --random_distribution=zoned:60/10:30/20:10/70",
        "--rw=randread --bs=4k --norandommap --percentage_random=30",
        "--rw=read --bs=64k",
        "--rw=write --bs=32k --zonemode=strided --zonesize=1m --zoneskip=3m",
        "--rw=read:-12k --bs=4k",
    ] {
        let (ours, fios) = both(folder.path(), words);
        for direction in [Direction::Read, Direction::Write] {
            let (mut left, mut right) = (offsets(&ours, direction), offsets(&fios, direction));
            assert_eq!(left.is_empty(), right.is_empty(), "{words}");
            if !left.is_empty() {
                let beyond = kolmogorov_smirnov(&mut left, &mut right);
                assert!(beyond < 1.0, "{words}: offsets of {direction:?}s differ by {beyond} of the limit");
            }
        }
        let beyond = chi_square(&kinds(&ours), &kinds(&fios));
        assert!(beyond < 1.0, "{words}: sizes and directions differ by {beyond} of the limit");
    }
}

#[test]
fn what_is_trimmed_is_written_next_as_by_fio() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Devices alone take fio's trims; on this engine both only say what they would do.
    for words in ["--rw=trimwrite --bs=64k", "--rw=randtrimwrite --bs=4k --norandommap"] {
        let (ours, fios) = both(folder.path(), &format!("--ioengine=null {words}"));
        for (who, log) in [("fathom", &ours), ("fio", &fios)] {
            for pair in log.chunks_exact(2) {
                let directions = [Direction::Trim, Direction::Write];
                assert_eq!([pair[0].direction, pair[1].direction], directions, "{who}: {words}");
                assert_eq!(
                    (pair[0].offset, pair[0].bytes),
                    (pair[1].offset, pair[1].bytes),
                    "{who}: {words}"
                );
            }
        }
        let [mut left, mut right] = [&ours, &fios].map(|log| offsets(log, Direction::Trim));
        let beyond = kolmogorov_smirnov(&mut left, &mut right);
        assert!(beyond < 1.0, "{words}: offsets differ by {beyond} of the limit");
    }
}

/// I/Os to blocks by the rank of their popularity, in groups of doubling ranks.
fn popularity(log: &[Logged]) -> Vec<u64> {
    let mut counts: HashMap<u64, u64> = HashMap::new();
    log.iter().for_each(|io| *counts.entry(io.offset).or_default() += 1);
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let mut groups = vec![0; 32];
    for (rank, count) in counts.iter().enumerate() {
        groups[(rank as u64 + 1).ilog2() as usize] += count;
    }
    groups
}

/// Where the popular blocks lie differs: both scatter them, fathom by a permutation drawn from the seed.
#[test]
fn popular_blocks_are_as_popular_as_fios() {
    if !has("fio") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data"), vec![7; SIZE as usize]).unwrap();
    for distribution in ["zipf:1.1", "zipf:0.8", "pareto:0.2", "pareto:0.35", "normal:5"] {
        let words = format!("--rw=randread --bs=4k --norandommap --random_distribution={distribution}");
        let (ours, fios) = both(folder.path(), &words);
        let (ours, fios) = (popularity(&ours), popularity(&fios));
        let apart: u64 = ours.iter().zip(&fios).map(|(a, b)| a.abs_diff(*b)).sum();
        let apart = apart as f64 / 2.0 / fios.iter().sum::<u64>() as f64;
        let beyond = chi_square(&ours, &fios);
        // fio draws Zipf by an approximation (Gray and others, 1994), which draws ranks 2 to 7 up to a tenth more often
        // than their law: 1.8 % of all I/Os; chance adds as much again.
        let is_alike = beyond < 1.0 || distribution.starts_with("zipf") && apart < 0.04;
        assert!(is_alike, "{distribution}: {beyond} of the limit, {apart} apart\n{ours:?}\n{fios:?}");
    }
}
