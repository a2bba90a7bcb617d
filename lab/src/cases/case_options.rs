//! What was typed after `cargo lab cases`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::case::Place;

/// Which cases, with what, and what is written.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Cases of this place; again for another. Default: all.
    #[arg(long = "only", value_name = "PLACE")]
    pub places: Vec<Place>,
    /// A few of each kind, for a minute or two.
    #[arg(long)]
    pub short: bool,
    /// So many simulated cases more, drawn anew. Default: 48; 0 with --short.
    #[arg(long, value_name = "NUMBER")]
    pub fresh: Option<usize>,
    /// Draws the fresh ones again. Default: a new one, printed.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Only cases whose id or truth contains it; again for others beside them.
    #[arg(long, value_name = "WORD")]
    pub filter: Vec<String>,
    /// Experiments that each verdict may make.
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    pub experiments: u32,
    /// Length of each run on this machine and in virtual ones. Default: 8; 3 with --short.
    #[arg(long, value_name = "NUMBER", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    pub seconds: Option<u32>,
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    pub fathom: Option<PathBuf>,
    /// As for the other labs.
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub kernel_root: PathBuf,
    /// Write each case's record there.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Write all answers.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the tables and the calibration.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write the calibration diagram.
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Write a page with a case of each cause and its report.
    #[arg(long, value_name = "FILE.md")]
    pub examples: Option<PathBuf>,
    /// List the cases and end.
    #[arg(long)]
    pub list: bool,
}

impl Options {
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

    use crate::typed;

    fn read(line: &str) -> Options {
        typed(line).unwrap()
    }

    #[test]
    fn lengths_and_numbers_follow_from_what_was_typed() {
        let options = read("--only sim --only=vm --fresh 3 --filter link --short");
        assert!(options.wants(Place::Sim) && options.wants(Place::Vm) && !options.wants(Place::Machine));
        assert!(options.takes("sim/link/1", "") && options.takes("x", "link or rate_cap"));
        assert!(!options.takes("sim/tags/1", "queue_tags") && options.fresh_count() == 3);
        assert_eq!((read("").run_seconds(), read("--short").run_seconds()), (8, 3));
        assert_eq!((read("").fresh_count(), read("--short").fresh_count()), (48, 0));
        assert!(typed::<Options>("--seconds 0").is_err() && typed::<Options>("--only moon").is_err());
    }
}
