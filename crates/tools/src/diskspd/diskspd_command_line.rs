//! diskspd's command line: flags with their values glued on, then targets.

use super::caching::CachingFlags;
use super::random_distribution::Distribution;
use super::size_notation::{leading_size, number, size};
use super::span_profile::{Content, Hint, Limit, Profile, Target, TimeSpan};
use crate::{Fault, Refusal};

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A run, described by its flags.
    Run(Box<Profile>),
    /// Runs of an XML profile.
    Xml(XmlRun),
}

/// An XML profile, and what the flags beside it change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XmlRun {
    /// The profile's file.
    pub file: String,
    /// What replaces the profile's template targets `*1`, `*2`, ...
    pub substitutes: Vec<String>,
    /// Results as XML or as text, where that is said.
    pub xml_results: Option<bool>,
    /// The profile alone is printed.
    pub profile_only: bool,
    /// Measured time of every span, in seconds.
    pub duration_s: Option<u64>,
    /// Warm-up of every span, in seconds.
    pub warmup_s: Option<u64>,
    /// Cool-down of every span, in seconds.
    pub cooldown_s: Option<u64>,
    /// Seed of every span.
    pub seed: Option<u64>,
}

const WHAT: &str = "diskspd command line";

/// Longest time of a span that is still meant, in seconds: a year.
const MOST_SECONDS: u64 = 366 * 86_400;

/// Reads the arguments behind the program's name. `new_seed` is taken for `-z` alone.
///
/// # Errors
/// The first argument that makes no sense, why, and what to type.
pub fn read_command(arguments: &[String], new_seed: u64) -> Result<Command, Refusal> {
    refuse_pasted(arguments)?;
    let first_target = arguments.iter().position(|argument| !is_flag(argument)).unwrap_or(arguments.len());
    let (flags, targets) = arguments.split_at(first_target);
    if let Some(late) = targets.iter().find(|argument| is_flag(argument)) {
        return Err(Refusal::new(WHAT, "flags stand before the targets")
            .at(format!("`{late}`"))
            .or(format!("put {late} before {}", targets[0])));
    }
    let mut reader = Reader::new(targets, new_seed);
    // The block's size comes first: b is a unit of every other size.
    for flag in flags.iter().filter(|flag| flag[1..].starts_with('b')) {
        reader.take(flag)?;
    }
    for flag in flags.iter().filter(|flag| !flag[1..].starts_with('b')) {
        reader.take(flag)?;
    }
    reader.finish(arguments)
}

/// diskspd takes `/` for `-` too; here paths begin with it.
fn is_flag(argument: &str) -> bool {
    argument.len() > 1 && argument.starts_with('-')
}

fn refuse_pasted(arguments: &[String]) -> Result<(), Refusal> {
    let is_dash =
        |c: char| matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}');
    let pasted = arguments.iter().find(|argument| argument.starts_with(is_dash));
    match pasted {
        None => Ok(()),
        Some(argument) => {
            let meant = argument.trim_start_matches(is_dash);
            Err(Refusal::new(WHAT, "it begins with a dash that no flag has, as documents make of hyphens")
                .at(format!("`{argument}`"))
                .or(format!("type -{meant}")))
        }
    }
}

/// Takes the flags in, one after the other.
struct Reader<'a> {
    targets: &'a [String],
    new_seed: u64,
    /// The one target that all are like.
    target: Target,
    span: TimeSpan,
    xml: XmlRun,
    verbose: bool,
    caching: CachingFlags,
    random: Option<u64>,
    has_own_threads: bool,
    has_end: bool,
    has_base: bool,
    /// The first flag that does not go with an XML profile.
    not_with_xml: Option<String>,
}

impl<'a> Reader<'a> {
    fn new(targets: &'a [String], new_seed: u64) -> Self {
        Self {
            targets,
            new_seed,
            target: Target::new(""),
            span: TimeSpan::default(),
            xml: XmlRun::default(),
            verbose: false,
            caching: CachingFlags::default(),
            random: None,
            has_own_threads: false,
            has_end: false,
            has_base: false,
            not_with_xml: None,
        }
    }

    fn take(&mut self, flag: &str) -> Result<(), Refusal> {
        let letter = flag[1..].chars().next().unwrap_or(' ');
        let value = &flag[1 + letter.len_utf8()..];
        if !"bCdWRvXz:".contains(letter) || letter == 'b' {
            self.not_with_xml.get_or_insert_with(|| flag.to_owned());
        }
        let taken = match letter {
            'C' | 'd' | 'W' | 'R' | 'v' | 'X' | 'z' | ':' => self.composable(letter, value),
            'r' | 's' | 'B' | 'f' | 'T' | 'p' => self.addresses(letter, value),
            'c' | 'w' | 'Z' | 'S' | 'h' | 'N' | 'l' => self.data(letter, value),
            _ => self.load(letter, value),
        };
        taken.map_err(|fault| fault.of(WHAT).at(format!("`{flag}`")))
    }

    /// Flags that also go with an XML profile.
    fn composable(&mut self, letter: char, value: &str) -> Result<(), Fault> {
        match letter {
            'C' => self.xml.cooldown_s = Some(seconds(value)?),
            'd' => self.xml.duration_s = Some(seconds(value)?),
            'W' => self.xml.warmup_s = Some(seconds(value)?),
            'z' if value.is_empty() => self.xml.seed = Some(self.new_seed),
            'z' => self.xml.seed = Some(u64::from(small(value)?)),
            'v' if matches!(value, "" | "s") => self.verbose = true,
            'v' => return Err(Fault::new("behind -v stands nothing or s", "")),
            'X' if value.is_empty() => {
                return Err(Fault::new("the profile's file is missing", "type -Xprofile.xml"));
            }
            'X' if !self.xml.file.is_empty() => return Err(Fault::new("there is a profile already", "")),
            'X' => self.xml.file = value.to_owned(),
            ':' => return Err(Fault::new("experiments are diskspd's own", "leave it out")),
            _ => {
                let (only, format) = value.strip_prefix('p').map_or((false, value), |format| (true, format));
                self.xml.profile_only |= only;
                self.xml.xml_results = match format {
                    "xml" => Some(true),
                    "text" => Some(false),
                    "" if only => self.xml.xml_results,
                    _ => return Err(Fault::new("results are text or xml", "type -Rtext or -Rxml")),
                };
            }
        }
        Ok(())
    }

    /// Flags on where I/Os go.
    fn addresses(&mut self, letter: char, value: &str) -> Result<(), Fault> {
        let block_bytes = self.target.block_bytes;
        match (letter, value) {
            ('r', _) if value.starts_with("s") => self.mixed(&value[1..]),
            ('r', _) if value.starts_with("d") => {
                self.target.distribution = Some(Distribution::read(&value[1..], block_bytes)?);
                Ok(())
            }
            ('r', _) => self.random(value),
            ('s', _) => self.sequential(value),
            ('p', "") => set(&mut self.target.parallel, true),
            ('T', _) => match size(value, block_bytes)? {
                0 => Err(Fault::new("the threads' distance is not 0", "")),
                bytes => set(&mut self.target.thread_stride_bytes, bytes),
            },
            ('f', _) if value.starts_with(|c: char| c.is_ascii_digit()) => {
                let end = size(value, block_bytes)?;
                self.set_end(end)
            }
            ('f', _) if !value.is_empty() => self.hints(value),
            ('B', _) => {
                if std::mem::replace(&mut self.has_base, true) {
                    return Err(Fault::new("the first byte is given already", ""));
                }
                let (base, rest) = leading_size(value, block_bytes)?;
                self.target.base_bytes = base;
                match rest.strip_prefix(':') {
                    None if rest.is_empty() => Ok(()),
                    None => Err(Fault::new(
                        format!("`{rest}` is not expected there"),
                        format!("type -B{base}:LENGTH, or -B{base}"),
                    )),
                    Some(length) => {
                        let length = size(length, block_bytes)?;
                        self.set_end(base.checked_add(length).ok_or("that is beyond any target")?)
                    }
                }
            }
            _ => Err(Fault::new("its value is missing or invalid", "type -f10G, for example")),
        }
    }

    fn set_end(&mut self, end: u64) -> Result<(), Fault> {
        if std::mem::replace(&mut self.has_end, true) {
            return Err(Fault::new("the last byte is given already, by -f or -B", ""));
        }
        set(&mut self.target.end_bytes, Some(end).filter(|end| *end > 0))
    }

    fn hints(&mut self, letters: &str) -> Result<(), Fault> {
        for letter in letters.chars() {
            let hint = match letter {
                'r' => Hint::Random,
                's' => Hint::Sequential,
                't' => Hint::Temporary,
                _ => {
                    return Err(Fault::from(format!(
                        "`{letter}` is not a valid hint: behind -f stand a size, or r, s and t"
                    )));
                }
            };
            if !self.target.hints.contains(&hint) {
                self.target.hints.push(hint);
            }
        }
        Ok(())
    }

    fn random(&mut self, value: &str) -> Result<(), Fault> {
        let align =
            if value.is_empty() { self.target.block_bytes } else { size(value, self.target.block_bytes)? };
        if align == 0 {
            return Err(Fault::new("an alignment is not 0", ""));
        }
        if self.random.is_none() {
            self.random = Some(100);
        } else if self.random == Some(100) && self.target.step_bytes.is_some() {
            return Err(Fault::new("random I/O is asked for twice", ""));
        }
        if self.target.step_bytes.is_some() {
            return Err(Fault::new("it contradicts -s", "leave one of them out"));
        }
        set(&mut self.target.step_bytes, Some(align))
    }

    fn mixed(&mut self, value: &str) -> Result<(), Fault> {
        let percent = number(value)?;
        if !(1..=100).contains(&percent) {
            return Err(Fault::new("a share of random I/O is between 1 and 100 percent", ""));
        }
        match self.random {
            None if self.target.step_bytes.is_some() => {
                Err(Fault::new("it contradicts -s", "give the alignment with -r"))
            }
            Some(known) if known != 100 => Err(Fault::new("a share of random I/O is given already", "")),
            _ => set(&mut self.random, Some(percent)),
        }
    }

    fn sequential(&mut self, value: &str) -> Result<(), Fault> {
        let stride = match value.strip_prefix('i') {
            Some(rest) => {
                self.target.interlocked = true;
                rest
            }
            None => value,
        };
        if self.random.is_some() {
            return Err(Fault::new("it contradicts -r", "leave one of them out"));
        }
        if self.target.step_bytes.is_some() {
            return Err(Fault::new("sequential I/O is asked for twice", ""));
        }
        let block_bytes = self.target.block_bytes;
        set(
            &mut self.target.step_bytes,
            Some(if stride.is_empty() { block_bytes } else { size(stride, block_bytes)? }),
        )
    }

    /// Flags on what is written, and how the target is opened.
    fn data(&mut self, letter: char, value: &str) -> Result<(), Fault> {
        match (letter, value) {
            ('c', _) => match size(value, self.target.block_bytes)? {
                0 => Err(Fault::new("a file of 0 bytes holds nothing to measure", "")),
                bytes => set(&mut self.target.create_bytes, Some(bytes)),
            },
            ('w', _) => match number(value)? {
                percent if percent > 100 => {
                    Err(Fault::new("a share of writes is between 0 and 100 percent", ""))
                }
                percent => set(&mut self.target.write_percent, percent),
            },
            ('S', _) => Ok(self.caching.take(value)?),
            ('h', "") => Ok(self.caching.both("-h")?),
            ('N', _) => Ok(self.caching.take_flush(value)?),
            ('l', "") => set(&mut self.target.large_pages, true),
            // -Zz, -Zs and -Zrs are of diskspd for Linux: zeros, a buffer for each file, filled at random.
            ('Z', "" | "z") => set(&mut self.target.content, Content::Zeros),
            ('Z', "s") => Ok(()),
            ('Z', "r" | "rs") => set(&mut self.span.random_write_data, true),
            ('Z', _) => {
                let (bytes, rest) = leading_size(value, self.target.block_bytes)?;
                let file = match rest.strip_prefix(',') {
                    None if rest.is_empty() => None,
                    Some(file) if !file.is_empty() => Some(file.to_owned()),
                    _ => {
                        let cause = format!("`{rest}` is not expected there");
                        return Err(Fault::new(cause, format!("type -Z{bytes},FILE or -Z{bytes}")));
                    }
                };
                if bytes < self.target.block_bytes {
                    return Err(Fault::new(
                        "a buffer that writes are taken from holds at least one of them",
                        "",
                    ));
                }
                set(&mut self.target.content, Content::Buffer { bytes, file })
            }
            _ => Err(Fault::from(format!("-{letter} takes no value"))),
        }
    }

    /// Flags on how much at a time, and by whom.
    fn load(&mut self, letter: char, value: &str) -> Result<(), Fault> {
        match (letter, value) {
            ('b', _) => match size(value, self.target.block_bytes)? {
                0 => Err(Fault::new("a block is not 0", "")),
                bytes => set(&mut self.target.block_bytes, bytes),
            },
            ('o', _) => set(&mut self.target.outstanding, positive(value)?),
            ('O', _) => set(&mut self.span.outstanding, positive(value)?),
            ('t', _) => {
                self.has_own_threads = true;
                set(&mut self.target.threads, positive(value)?)
            }
            ('F', _) => set(&mut self.span.threads, positive(value)?),
            ('i', _) => set(&mut self.target.burst, positive(value)?),
            ('j', _) => set(&mut self.target.think_ms, positive(value)?),
            ('g', _) => set(&mut self.target.limit, Some(limit(value)?)),
            ('L', "") => set(&mut self.span.latency, true),
            ('D', "") => set(&mut self.span.iops_interval_ms, Some(1000)),
            ('D', _) => set(&mut self.span.iops_interval_ms, Some(positive(value)?)),
            ('n', "") => set(&mut self.span.no_affinity, true),
            ('x', "" | "p" | "k") => set(&mut self.span.completion_routines, true),
            ('a', _) => affinity(value, &mut self.span.affinity),
            ('I', "1" | "2" | "3") => set(&mut self.target.priority, number(value)?),
            ('I', _) => Err(Fault::new("a priority is 1, 2 or 3", "")),
            ('P', _) => Ok(()),
            ('e', _) => Err(Fault::new("it switches on event tracing of Windows", "leave it out")),
            ('y', _) => Err(Fault::new("it waits for events of Windows", "leave it out")),
            ('L' | 'n' | 'x', _) => Err(Fault::from(format!("-{letter} takes no value"))),
            _ => Err(Fault::new("diskspd has no such flag", "see: fathom diskspd --help")),
        }
    }

    fn finish(mut self, arguments: &[String]) -> Result<Command, Refusal> {
        let refuse = |cause: &str, remedy: &str| Err(Refusal::new(WHAT, cause).or(remedy));
        if !self.xml.file.is_empty() {
            if let Some(flag) = self.not_with_xml {
                return Err(Refusal::new(WHAT, "it does not go with an XML profile, which says this itself")
                    .at(format!("`{flag}`"))
                    .or("change it in the profile, or leave -X out"));
            }
            self.xml.substitutes = self.targets.to_vec();
            return Ok(Command::Xml(self.xml));
        }
        if self.targets.is_empty() {
            return refuse(
                "it names no target",
                "type, for example: fathom diskspd -c1G -b4K -r -d10 test.dat",
            );
        }
        let (target, span) = (&mut self.target, &mut self.span);
        target.random_percent = self.random.unwrap_or(0);
        target.caching = self.caching.result().map_err(|fault| fault.of(WHAT))?;
        span.duration_s = self.xml.duration_s.unwrap_or(span.duration_s);
        span.warmup_s = self.xml.warmup_s.unwrap_or(span.warmup_s);
        span.cooldown_s = self.xml.cooldown_s.unwrap_or(span.cooldown_s);
        span.seed = self.xml.seed.unwrap_or(span.seed);
        if span.threads > 0 && self.has_own_threads && target.threads > 1 {
            return refuse("-F and -t both say how many threads there are", "leave one of them out");
        }
        span.targets =
            self.targets.iter().map(|path| Target { path: path.clone(), ..target.clone() }).collect();
        check(span).map_err(|fault| fault.of(WHAT))?;
        let quoted = |text: &String| if text.contains(' ') { format!("\"{text}\"") } else { text.clone() };
        let words: Vec<String> = arguments.iter().map(quoted).collect();
        Ok(Command::Run(Box::new(Profile {
            xml_results: self.xml.xml_results.unwrap_or(false),
            profile_only: self.xml.profile_only,
            verbose: self.verbose,
            spans: vec![self.span],
            command_line: format!("diskspd {}", words.join(" ")),
        })))
    }
}

/// What the parts of a span say against each other.
///
/// # Errors
/// The first contradiction.
pub(super) fn check(span: &TimeSpan) -> Result<(), Fault> {
    if span.no_affinity && !span.affinity.is_empty() {
        return Err(Fault::new("-n and -a contradict each other", "leave one of them out"));
    }
    for target in &span.targets {
        let random = target.random_percent > 0;
        let conflicts = [
            (target.thread_stride_bytes > 0 && random, "-T is of sequential I/O, and -r is given", ""),
            (target.interlocked && random, "-si is of sequential I/O, and -r is given", ""),
            (target.parallel && random, "-p is of sequential I/O, and -r is given", ""),
            (target.distribution.is_some() && !random, "-rd is of random I/O", "add -r"),
            (target.interlocked && target.thread_stride_bytes > 0, "-si and -T contradict each other", ""),
            (target.interlocked && target.parallel, "-si and -p contradict each other", ""),
            (target.limit.is_some() && span.completion_routines, "-g and -x contradict each other", ""),
            ((target.burst > 0) != (target.think_ms > 0), "-i and -j belong together", "add the other one"),
            (target.end_bytes.is_some_and(|end| end <= target.base_bytes), "-f lies before -B", ""),
        ];
        if let Some((_, cause, remedy)) = conflicts.iter().find(|(wrong, ..)| *wrong) {
            return Err(Fault::new(*cause, *remedy));
        }
        if let Some(distribution) = &target.distribution {
            distribution.check(target.block_bytes)?;
        }
    }
    Ok(())
}

fn set<T>(place: &mut T, value: T) -> Result<(), Fault> {
    *place = value;
    Ok(())
}

fn positive(text: &str) -> Result<u64, Fault> {
    match small(text)? {
        0 => Err(Fault::new("it is 1 or more", "")),
        number => Ok(u64::from(number)),
    }
}

fn small(text: &str) -> Result<u32, Fault> {
    u32::try_from(number(text)?).map_err(|_| format!("{text} is too large").into())
}

fn seconds(text: &str) -> Result<u64, Fault> {
    match number(text)? {
        seconds if seconds > MOST_SECONDS => Err(Fault::from(format!("{seconds} s is more than a year"))),
        seconds => Ok(seconds),
    }
}

fn limit(text: &str) -> Result<Limit, Fault> {
    Ok(match text.strip_suffix('i') {
        Some(operations) => Limit::PerS(positive(operations)?),
        None => Limit::BytesPerMs(positive(text)?),
    })
}

/// Processors behind `-a`: numbers, and `gN` for the processor group of those that follow.
fn affinity(text: &str, processors: &mut Vec<(u64, u64)>) -> Result<(), Fault> {
    if matches!(text, "" | "g") {
        return Ok(());
    }
    let (mut group, mut pending) = (0, false);
    for part in text.split(',') {
        match part.strip_prefix('g') {
            Some(number_of_group) => {
                if pending {
                    return Err(Fault::new("a group of CPUs lists none", ""));
                }
                group = number(number_of_group)?;
                pending = true;
                if group > 65_535 {
                    return Err(Fault::from(format!("unknown processor group {group}")));
                }
            }
            None => {
                let processor = number(part)?;
                if processor > 255 {
                    return Err(Fault::from(format!("unknown CPU {processor} in a group")));
                }
                processors.push((group, processor));
                pending = false;
            }
        }
    }
    if pending { Err(Fault::new("a group of CPUs lists none", "")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, Refusal> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read_command(&words, 77)
    }

    fn span(line: &str) -> TimeSpan {
        match read(line) {
            Ok(Command::Run(profile)) => profile.spans[0].clone(),
            other => unreachable!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_defaults_are_diskspds() {
        let span = span("testfile.dat");
        assert_eq!(span, TimeSpan { targets: vec![Target::new("testfile.dat")], ..TimeSpan::default() });
        assert_eq!((span.duration_s, span.warmup_s, span.cooldown_s), (10, 5, 0));
        assert_eq!(
            (span.targets[0].block_bytes, span.targets[0].outstanding, span.targets[0].threads),
            (65536, 2, 1)
        );
    }

    #[test]
    fn a_published_command_is_read_whole() {
        let span = span(r"-b4K -r -o32 -t4 -w70 -d60 -Sh -L -c10G -D -Z1M D:\testfile.dat");
        let target = &span.targets[0];
        assert_eq!((target.block_bytes, target.step(), target.random_percent), (4096, 4096, 100));
        assert_eq!((target.outstanding, target.threads, target.write_percent), (32, 4, 70));
        assert_eq!((span.duration_s, span.latency, span.iops_interval_ms), (60, true, Some(1000)));
        assert_eq!(target.create_bytes, Some(10 << 30));
        assert_eq!(target.content, Content::Buffer { bytes: 1 << 20, file: None });
    }

    #[test]
    fn the_block_is_a_unit_wherever_it_stands() {
        assert_eq!(span("-r2b -b8K x").targets[0].step_bytes, Some(16384));
        assert_eq!(span("-s1b -b1M x").targets[0].step_bytes, Some(1 << 20));
    }

    #[test]
    fn what_is_no_flag_is_an_error_and_no_file() {
        for (line, found) in [
            ("\u{2013}b4K x", "type -b4K"),
            ("-b4K \u{2014}r x", "type -r"),
            ("-q x", "no such flag"),
            ("-1 x", "no such flag"),
            ("-b4K x -r", "put -r before x"),
            ("-b4K", "names no target"),
            ("-o$o x", "placeholder"),
            ("-w x", "missing"),
            ("-L,file x", "takes no value"),
            ("-t4 -F2 x", "-F and -t"),
            ("-i5 x", "belong together"),
            ("-Xp.xml -r x", "does not go with an XML profile"),
        ] {
            let refusal = read(line).expect_err(line).to_string();
            assert!(refusal.contains(found), "{line}: {refusal}");
        }
    }

    #[test]
    fn an_xml_profile_takes_targets_and_times() {
        let Ok(Command::Xml(run)) = read("-d30 -W5 -Rxml -z -Xprofile.xml a b") else {
            unreachable!("it is a profile's");
        };
        assert_eq!((run.file.as_str(), run.duration_s, run.warmup_s), ("profile.xml", Some(30), Some(5)));
        assert_eq!((run.substitutes.len(), run.xml_results, run.seed), (2, Some(true), Some(77)));
    }
}
