//! What was typed after `cargo benches`.

use std::path::PathBuf;

pub const USAGE: &str = "\
cargo benches [OPTIONS]    measure fathom beside its peers, as ratios of random pairs

  --target PATH       block device or file that is read (only read). Default: /dev/zram0
  --cases A,B         only these cases, or all whose name starts so. Default: all
  --pairs NUMBER      pairs of runs a comparison, at least 2. Default: 7
  --seconds NUMBER    length of each run. Default: 5
  --cpu NUMBER        processor that both sides are bound to. Default: 1
  --seed NUMBER       replays the order of the pairs. Default: a new one, printed
  --fathom PATH       program to measure. Default: built from this tree, in release
  --earlier PATH      an earlier build of fathom, to compare with too: rates and starts
  --fio PATH          Default: fio, if it is installed
  --t-io-uring PATH   fio's t/io_uring, to compare with too
  --bdevperf PATH     SPDK's bdevperf, to compare with too, on an AIO bdev
  --store FILE        run store of the case `analysis`; simulated first if there is none
  --markdown FILE     write the section for benches/README.md too
  --list              list the cases";

/// What to measure, with what, for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub target: String,
    /// Prefixes of names; empty means all.
    pub cases: Vec<String>,
    pub pairs: usize,
    pub seconds: u64,
    pub cpu: usize,
    pub seed: Option<u64>,
    pub fathom: Option<PathBuf>,
    pub earlier: Option<PathBuf>,
    pub fio: String,
    pub t_io_uring: Option<String>,
    pub bdevperf: Option<String>,
    pub store: Option<PathBuf>,
    pub markdown: Option<PathBuf>,
    pub list: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: "/dev/zram0".to_owned(),
            cases: Vec::new(),
            pairs: 7,
            seconds: 5,
            cpu: 1,
            seed: None,
            fathom: None,
            earlier: None,
            fio: "fio".to_owned(),
            t_io_uring: None,
            bdevperf: None,
            store: None,
            markdown: None,
            list: false,
        }
    }
}

impl Options {
    /// Reads the arguments after the task's name; `--name value` and `--name=value` are the same.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, glued) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            if name == "--list" {
                options.list = true;
                continue;
            }
            let mut value =
                || glued.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{name} needs a value"));
            match name.as_str() {
                "--target" => options.target = value()?,
                "--cases" => options.cases = value()?.split(',').map(|case| case.trim().to_owned()).collect(),
                "--pairs" => options.pairs = number(&name, &value()?, 2)? as usize,
                "--seconds" => options.seconds = number(&name, &value()?, 1)?,
                "--cpu" => options.cpu = number(&name, &value()?, 0)? as usize,
                "--seed" => options.seed = Some(number(&name, &value()?, 0)?),
                "--fathom" => options.fathom = Some(value()?.into()),
                "--earlier" => options.earlier = Some(value()?.into()),
                "--fio" => options.fio = value()?,
                "--t-io-uring" => options.t_io_uring = Some(value()?),
                "--bdevperf" => options.bdevperf = Some(value()?),
                "--store" => options.store = Some(value()?.into()),
                "--markdown" => options.markdown = Some(value()?.into()),
                _ => return Err(format!("`{name}` is no option of bench\n\n{USAGE}")),
            }
        }
        Ok(options)
    }

    /// Whether a case is to be measured.
    pub fn wants(&self, case: &str) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|prefix| case.starts_with(prefix.as_str()))
    }
}

fn number(name: &str, text: &str, least: u64) -> Result<u64, String> {
    let number: u64 = text.parse().map_err(|_| format!("{name}: `{text}` is no whole number"))?;
    if number < least {
        return Err(format!("{name}: at least {least}, not {number}"));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_take_their_value_glued_or_next() {
        let options = read("--pairs 9 --seconds=2 --cases device,null-d1 --t-io-uring=t/io_uring").unwrap();
        assert_eq!((options.pairs, options.seconds), (9, 2));
        assert_eq!(options.t_io_uring.as_deref(), Some("t/io_uring"));
        assert!(options.wants("device-d32") && options.wants("null-d1") && !options.wants("null-d32"));
        assert!(Options::default().wants("anything"));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (line, word) in [
            ("--pair 9", "--pair`"),
            ("--pairs 1", "at least 2"),
            ("--seconds x", "`x`"),
            ("--cpu", "needs a value"),
            ("--seconds 0", "at least 1"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
