//! What was typed after `cargo lab doors`.

use std::path::PathBuf;

pub const USAGE: &str = "\
cargo lab doors [OPTIONS]    whether fathom changes a byte of anything that was not named

  --pairs NUMBER      pairs of a victim and a door. Default: 20000, and 100 of each door at least
  --short             as many as fit into two minutes, each door in turn
  --seed NUMBER       draws the same pairs again. Default: a new one, printed
  --only-pair NUMBER  this pair of the seed alone, with what fathom said; with the same other options
  --filter WORD       only doors whose name contains it
  --workers NUMBER    pairs tried at the same time. Default: 3
  --fathom PATH       program to try. Default: built from this tree
  --without-landlock  in an environment whose kernel has no Landlock: the judgement stands alone
  --landlock-alone    PATH is a test build without the judgement: only doors that do not name the
                      victim as a target, which the kernel's wall has to keep by itself
  --folder DIR        where the lab makes its own folder. Default: the system's temporary folder
  --list              list doors and victims and end

It needs root, loop devices, and for each kind of file system its own mkfs; what is missing is listed.";

/// Which pairs, with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub pairs: Option<usize>,
    pub short: bool,
    pub seed: Option<u64>,
    pub only_pair: Option<usize>,
    pub filter: Option<String>,
    pub workers: usize,
    pub fathom: Option<PathBuf>,
    pub without_landlock: bool,
    pub landlock_alone: bool,
    pub folder: Option<PathBuf>,
    pub list: bool,
}

impl Options {
    /// Reads the arguments; `--name value` and `--name=value` are the same.
    ///
    /// # Errors
    /// Names the argument without sense.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            pairs: None,
            short: false,
            seed: None,
            only_pair: None,
            filter: None,
            workers: 3,
            fathom: None,
            without_landlock: false,
            landlock_alone: false,
            folder: None,
            list: false,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, glued) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            match name.as_str() {
                "--short" => options.short = true,
                "--list" => options.list = true,
                "--without-landlock" => options.without_landlock = true,
                "--landlock-alone" => options.landlock_alone = true,
                _ => {
                    let value = glued.or_else(|| arguments.next());
                    options.set(&name, value.ok_or_else(|| format!("{name} needs a value"))?)?;
                }
            }
        }
        if options.landlock_alone && options.without_landlock {
            return Err("--landlock-alone cannot be used with --without-landlock".to_owned());
        }
        if options.landlock_alone && options.fathom.is_none() {
            return Err("--landlock-alone needs --fathom PATH, a test build without the judgement".to_owned());
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        let wrong = || format!("{name}: `{value}` is not a number");
        match name {
            "--pairs" => self.pairs = Some(value.parse().map_err(|_| wrong())?),
            "--seed" => self.seed = Some(value.parse().map_err(|_| wrong())?),
            "--only-pair" => self.only_pair = Some(value.parse().map_err(|_| wrong())?),
            "--workers" => {
                let workers = value.parse().ok().filter(|workers| (1..=64).contains(workers));
                self.workers = workers.ok_or_else(|| format!("{name}: `{value}` is not from 1 to 64"))?;
            }
            "--filter" => self.filter = Some(value),
            "--fathom" => self.fathom = Some(value.into()),
            "--folder" => self.folder = Some(value.into()),
            _ => return Err(format!("`{name}` is not an option of lab doors\n\n{USAGE}")),
        }
        Ok(())
    }

    /// The options that decide what a pair of a seed is, to be typed again.
    pub fn again(&self) -> String {
        let mut words = String::new();
        if self.without_landlock {
            words.push_str(" --without-landlock");
        }
        if self.landlock_alone {
            words.push_str(" --landlock-alone");
        }
        if let Some(filter) = &self.filter {
            words.push_str(&format!(" --filter '{filter}'"));
        }
        if let Some(fathom) = &self.fathom {
            words.push_str(&format!(" --fathom {}", fathom.display()));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_and_nonsense_is_refused_by_name() {
        let options = read("--pairs 9 --seed=3 --filter fio --without-landlock").unwrap();
        assert_eq!((options.pairs, options.seed, options.workers), (Some(9), Some(3), 3));
        assert_eq!(options.again(), " --without-landlock --filter 'fio'");
        for (line, word) in [
            ("--pairs x", "`x`"),
            ("--workers 0", "`0`"),
            ("--seed", "needs a value"),
            ("--odd 1", "--odd"),
            ("--landlock-alone", "--fathom"),
            ("--landlock-alone --fathom f --without-landlock", "cannot be used with"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
