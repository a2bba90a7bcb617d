//! What was typed after `cargo lab doors`.

use std::path::PathBuf;

use clap::Args;

/// Which pairs, with what.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Pairs of a victim and a door. Default: 20000, and 100 of each door at least.
    #[arg(long, value_name = "NUMBER")]
    pub pairs: Option<usize>,
    /// As many as fit into two minutes, each door in turn.
    #[arg(long)]
    pub short: bool,
    /// Draws the same pairs again. Default: a new one, printed.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// This pair of the seed alone, with what fathom said; with the same other options.
    #[arg(long, value_name = "NUMBER")]
    pub only_pair: Option<usize>,
    /// Only doors whose name contains it.
    #[arg(long, value_name = "WORD")]
    pub filter: Option<String>,
    /// Pairs tried at the same time.
    #[arg(long, value_name = "NUMBER", default_value = "3", value_parser = crate::workers)]
    pub workers: usize,
    /// Program to try. Default: built from this tree.
    #[arg(long, value_name = "PATH")]
    pub fathom: Option<PathBuf>,
    /// In an environment whose kernel has no Landlock: the judgement stands alone.
    #[arg(long)]
    pub without_landlock: bool,
    /// The program is a test build without the judgement: only doors that do not name the victim as a target, which
    /// the kernel's wall has to keep by itself.
    #[arg(long, requires = "fathom", conflicts_with = "without_landlock")]
    pub landlock_alone: bool,
    /// Where the lab makes its own folder. Default: the system's temporary folder.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// List doors and victims and end.
    #[arg(long)]
    pub list: bool,
}

impl Options {
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
    use crate::typed;

    #[test]
    fn what_decides_on_a_pair_is_typed_again() {
        let options: Options = typed("--pairs 9 --seed=3 --filter fio --without-landlock").unwrap();
        assert_eq!(options.again(), " --without-landlock --filter 'fio'");
        for line in ["--landlock-alone", "--landlock-alone --fathom f --without-landlock", "--workers 0"] {
            assert!(typed::<Options>(line).is_err(), "{line}");
        }
    }
}
