//! What was typed after `cargo lab cases`.

use std::path::PathBuf;

use super::case::Place;

pub const USAGE: &str = "\
cargo lab cases [OPTIONS]    fathom's verdicts on cases whose answer is known

  --only PLACE        sim, machine or vm; again for another. Default: all
  --short             a few of each kind, for a minute or two
  --fresh NUMBER      so many simulated cases more, drawn anew. Default: 48; 0 with --short
  --seed NUMBER       draws the fresh ones again. Default: a new one, printed
  --filter WORD       only cases whose id or truth contains it; again for others beside them
  --experiments N     experiments that each verdict may make. Default: 5
  --seconds NUMBER    length of each run on this machine and in virtual ones. Default: 8; 3 with --short
  --fathom PATH       program to try. Default: built from this tree
  --kernel-root DIR   as for the other labs
  --keep DIR          write each case's record there
  --json FILE         write all answers
  --markdown FILE     write the tables and the calibration
  --examples FILE.md  write a page with a case of each cause and its report
  --picture FILE.svg  write the calibration diagram
  --list              list the cases and end

Cases on this machine make zram and loop devices and control groups, and need root; each says what it lacks.
Cases in virtual machines need what the other labs need.";

/// Which cases, with what, and what is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub places: Vec<Place>,
    pub short: bool,
    pub fresh: Option<usize>,
    pub seed: Option<u64>,
    pub filter: Vec<String>,
    pub experiments: u32,
    pub seconds: Option<u32>,
    pub fathom: Option<PathBuf>,
    pub kernel_root: PathBuf,
    pub keep: Option<PathBuf>,
    pub json: Option<PathBuf>,
    pub markdown: Option<PathBuf>,
    pub picture: Option<PathBuf>,
    pub examples: Option<PathBuf>,
    pub list: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            short: false,
            fresh: None,
            seed: None,
            filter: Vec::new(),
            experiments: 5,
            seconds: None,
            fathom: None,
            kernel_root: "/".into(),
            keep: None,
            json: None,
            markdown: None,
            picture: None,
            examples: None,
            list: false,
        }
    }
}

impl Options {
    /// Reads the arguments; `--name value` and `--name=value` are the same.
    ///
    /// # Errors
    /// Names the argument without sense.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, glued) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            match name.as_str() {
                "--short" => options.short = true,
                "--list" => options.list = true,
                _ => {
                    let value = glued.or_else(|| arguments.next());
                    options.set(&name, value.ok_or_else(|| format!("{name} needs a value"))?)?;
                }
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        let wrong = |what: &str| format!("{name}: `{value}` is no {what}");
        match name {
            "--only" => {
                let place = Place::ALL.into_iter().find(|place| place.name() == value);
                self.places.push(place.ok_or_else(|| wrong("place: sim, machine or vm"))?);
            }
            "--fresh" => self.fresh = Some(value.parse().map_err(|_| wrong("number"))?),
            "--seed" => self.seed = Some(value.parse().map_err(|_| wrong("number"))?),
            "--experiments" => self.experiments = value.parse().map_err(|_| wrong("number"))?,
            "--seconds" => {
                let seconds = value.parse().ok().filter(|seconds| *seconds > 0);
                self.seconds = Some(seconds.ok_or_else(|| wrong("time"))?);
            }
            "--filter" => self.filter.push(value),
            "--fathom" => self.fathom = Some(value.into()),
            "--kernel-root" => self.kernel_root = value.into(),
            "--keep" => self.keep = Some(value.into()),
            "--json" => self.json = Some(value.into()),
            "--markdown" => self.markdown = Some(value.into()),
            "--picture" => self.picture = Some(value.into()),
            "--examples" => self.examples = Some(value.into()),
            _ => return Err(format!("`{name}` is no option of lab cases\n\n{USAGE}")),
        }
        Ok(())
    }

    /// Whether cases of a place are wanted.
    pub fn wants(&self, place: Place) -> bool {
        self.places.is_empty() || self.places.contains(&place)
    }

    /// Whether a case with this id and truth is wanted.
    pub fn takes(&self, id: &str, truth: &str) -> bool {
        let named = |word: &String| id.contains(word.as_str()) || truth.contains(word.as_str());
        self.filter.is_empty() || self.filter.iter().any(named)
    }

    /// Length of a run that takes its time. Simulated ones do not: their truth counts on the usual length.
    pub fn run_seconds(&self) -> u32 {
        self.seconds.unwrap_or(if self.short { 3 } else { 8 })
    }

    /// How many fresh cases.
    pub fn fresh_count(&self) -> usize {
        self.fresh.unwrap_or(if self.short { 0 } else { 48 })
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
        let options = read("--only sim --only=vm --fresh 3 --seed=9 --filter link --short").unwrap();
        assert!(options.wants(Place::Sim) && options.wants(Place::Vm) && !options.wants(Place::Machine));
        assert_eq!((options.fresh_count(), options.seed), (3, Some(9)));
        assert!(options.takes("sim/link/1", "") && options.takes("x", "link or rate_cap"));
        assert!(!options.takes("sim/tags/1", "queue_tags"));
        assert_eq!((read("").unwrap().run_seconds(), read("--short").unwrap().run_seconds()), (8, 3));
        assert_eq!((read("").unwrap().fresh_count(), read("--short").unwrap().fresh_count()), (48, 0));
        for (line, word) in [
            ("--only moon", "`moon`"),
            ("--fresh x", "`x`"),
            ("--seed", "needs a value"),
            ("--odd 1", "--odd"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
