//! What people type out of habit with other tools, and what it is here.

use clap::error::ErrorKind;
use fathom_plan::foreign;

/// Flags of diskspd, whose value is glued on.
const LETTERS: [(char, &str); 14] = [
    ('b', "here it is `--bs`, e.g. --bs 4k"),
    ('c', "here it is `--size`, e.g. --size 1GiB"),
    ('d', "here it is `--time`, e.g. --time 60s"),
    ('F', "here it is `--jobs`, e.g. --jobs 4"),
    ('f', "here it is `--size`, e.g. --size 1GiB"),
    ('g', "here it is `--rate`, a rate of I/Os, or `--throttle`, e.g. --throttle throughput=100MB/s"),
    ('L', "latencies are always measured here: leave it out"),
    ('o', "here it is `--depth`, e.g. --depth 32"),
    ('r', "here it is `--rw`, e.g. --rw randread; `read` is in sequence"),
    ('S', "I/O goes past the page cache unless `--buffered` is set: leave it out"),
    ('t', "here it is `--jobs`, e.g. --jobs 4"),
    ('W', "here it is `--warmup`, e.g. --warmup 5s"),
    ('w', "here it is `--rw` and `--read-share`, e.g. --rw randrw --read-share 70%"),
    ('Z', "here it is `--compressible`, e.g. --compressible 0%"),
];

/// Operands of dd.
const OPERANDS: [(&str, &str); 7] = [
    ("if", "here it is `--target FILE --rw read`"),
    ("of", "here it is `--target FILE --rw write`; what holds data is written only with `--destroy`"),
    ("bs", "here it is `--bs`, e.g. --bs 1m"),
    ("count", "here it is `--count`, a number of I/Os, e.g. --count 1000"),
    ("iflag", "I/O goes past the page cache unless `--buffered` is set: leave it out"),
    ("oflag", "I/O goes past the page cache unless `--buffered` is set; `--durable data` is oflag=dsync"),
    ("conv", "here it is `--flush-every` or `--durable`, e.g. --durable all"),
];

/// What an argument that is not known is here, as a sentence.
pub fn called_here(kind: ErrorKind, argument: &str) -> Option<String> {
    if kind != ErrorKind::UnknownArgument {
        return None;
    }
    let typed: Vec<String> = std::env::args().collect();
    of_argument(argument, &typed)
}

fn of_argument(argument: &str, typed: &[String]) -> Option<String> {
    if let Some(name) = argument.strip_prefix("--") {
        return of_name(name.split('=').next()?);
    }
    let letter = argument.strip_prefix('-')?.chars().next()?;
    // The parser names the first letter alone; fio takes whole names behind one hyphen.
    let begins = |word: &&String| word.starts_with(argument) && !word.starts_with("--");
    let name = typed.iter().find(begins)?.trim_start_matches('-').split('=').next()?;
    if name.len() > 2 && name.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_')) {
        return of_name(name)
            .or_else(|| Some(format!("flags have two hyphens here: did you mean `--{name}`?")));
    }
    LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, words)| (*words).to_owned())
}

/// The words for a name of fio's or another tool's, with flags as they are typed.
fn of_name(name: &str) -> Option<String> {
    let words = foreign(name)?;
    Some(match words.strip_prefix('`') {
        Some(key) => format!("here it is `--{key}"),
        None => words.to_owned(),
    })
}

/// What a word in the place of a plan file is, where it is an operand of dd.
pub fn operand(word: &str) -> Option<&'static str> {
    let (name, _) = word.split_once('=')?;
    OPERANDS.iter().find(|(known, _)| *known == name).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(argument: &str, typed: &str) -> Option<String> {
        of_argument(argument, &typed.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn flags_of_other_tools_are_named_in_the_words_of_this_one() {
        let here = |words: &str| Some(words.to_owned());
        assert_eq!(called("--iodepth", "run --iodepth=32"), here("here it is `--depth`"));
        assert_eq!(called("--bssplit", "run --bssplit"), here("here it is `--bs`, e.g. 4k:70%,64k:30%"));
        assert_eq!(called("-i", "run -iodepth=32"), here("here it is `--depth`"));
        assert_eq!(called("-b", "run -b4K"), here("here it is `--bs`, e.g. --bs 4k"));
        assert_eq!(
            called("-r", "run -rw=read"),
            here("here it is `--rw`, e.g. --rw randread; `read` is in sequence")
        );
        assert!(called("-t", "run -target x").unwrap().contains("`--target`"));
        assert!(called("--time_based", "run --time_based").unwrap().contains("leave it out"));
        assert_eq!(called("--colour", "run --colour"), None);
    }

    #[test]
    fn operands_of_dd_are_known() {
        assert!(operand("if=/dev/sda").unwrap().contains("--rw read"));
        assert_eq!(operand("plan.toml"), None);
    }
}
