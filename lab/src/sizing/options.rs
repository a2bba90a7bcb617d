//! What was typed after `cargo lab sizing`.

use std::path::PathBuf;

pub const USAGE: &str = "\
cargo lab sizing [OPTIONS]    `fathom size` against a slow simulator of volumes that shares no code with it

  --part NAME         size, mixed, stalls, healthy or search; again for another. Default: all
  --demands NUMBER    demands of the part size. Default: 200
  --devices NUMBER    devices of the parts stalls, healthy and search, each. Default: 40
  --seed NUMBER       draws the same demands and devices again. Default: 1
  --only WORD         only demands and devices whose name or shape contains it
  --fathom PATH       program to try. Default: built from this tree
  --markdown FILE     write the report
  --keep DIR          keep what fathom was given there

Exit status 1 says that a difference is left which no documented rule explains.";

pub const PARTS: [&str; 5] = ["size", "mixed", "stalls", "healthy", "search"];

/// Which parts, on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub parts: Vec<&'static str>,
    pub demands: usize,
    pub devices: usize,
    pub seed: u64,
    pub only: String,
    pub fathom: Option<PathBuf>,
    pub markdown: Option<PathBuf>,
    pub keep: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments; `--name value` and `--name=value` are the same.
    ///
    /// # Errors
    /// Names the argument without sense.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            parts: Vec::new(),
            demands: 200,
            devices: 40,
            seed: 1,
            only: String::new(),
            fathom: None,
            markdown: None,
            keep: None,
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, glued) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let value = glued
                .or_else(|| arguments.next())
                .ok_or_else(|| format!("{name} needs a value\n\n{USAGE}"))?;
            options.set(&name, value)?;
        }
        if options.parts.is_empty() {
            options.parts = PARTS.to_vec();
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        let number = || value.parse::<usize>().map_err(|_| format!("{name}: `{value}` is not a number"));
        match name {
            "--part" => {
                let part = PARTS.into_iter().find(|part| *part == value);
                self.parts.push(
                    part.ok_or_else(|| format!("{name}: `{value}` is not one of {}", PARTS.join(", ")))?,
                );
            }
            "--demands" => self.demands = number()?,
            "--devices" => self.devices = number()?,
            "--seed" => self.seed = number()? as u64,
            "--only" => self.only = value,
            "--fathom" => self.fathom = Some(value.into()),
            "--markdown" => self.markdown = Some(value.into()),
            "--keep" => self.keep = Some(value.into()),
            _ => return Err(format!("unknown option {name}\n\n{USAGE}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_slips_are_named() {
        let read = |line: &str| Options::read(line.split_whitespace().map(str::to_owned));
        let options = read("--part=mixed --demands 7 --seed 3 --only huge").unwrap();
        assert_eq!((options.parts, options.demands, options.seed), (vec!["mixed"], 7, 3));
        assert_eq!(read("").unwrap().parts, PARTS);
        for (line, word) in [
            ("--part all", "`all`"),
            ("--demands x", "`x`"),
            ("--kills 3", "--kills"),
            ("--seed", "needs a value"),
        ] {
            assert!(read(line).unwrap_err().contains(word), "{line}");
        }
    }
}
