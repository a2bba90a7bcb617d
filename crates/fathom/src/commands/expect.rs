//! `--expect`: a run held against so many times an earlier one.

use std::str::FromStr;

use fathom_campaign::expectation;
use fathom_measure::ByteRate;
use fathom_record::RunRecord;

use super::store_access::{StorePlace, StoredItem, find};
use crate::failure::Failure;

const FLAG: &str = "--expect";
const REMEDY: &str = "give RUN*N, e.g. --expect 'last*8'; `fathom runs` lists them";

/// Which run, and how many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunExpectation {
    run: String,
    times: u32,
}

impl FromStr for RunExpectation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (run, times) = text.rsplit_once('*').unwrap_or((text, "1"));
        match times.trim().parse() {
            Ok(times) if times > 0 && !run.trim().is_empty() => {
                Ok(Self { run: run.trim().to_owned(), times })
            }
            _ => Err("write RUN*N, e.g. 'r-2026...*8' or 'last*8'".to_owned()),
        }
    }
}

/// What the links to a target carry together, in bytes per second: above 0, because nothing is what no link carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkRate(pub f64);

impl FromStr for LinkRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rate = text.parse::<ByteRate>().map_err(|error| error.to_string())?.0;
        let refused =
            || "the link rate must be above 0: give what the links carry, e.g. 47GB/s, or leave it out";
        (rate > 0.0).then_some(Self(rate)).ok_or_else(|| refused().to_owned())
    }
}

/// A run that another one is held against.
pub struct Reference {
    run: RunRecord,
    times: u32,
    link_bytes_per_s: Option<f64>,
}

impl Reference {
    /// Finds the run, before anything is measured.
    ///
    /// # Errors
    /// Where there is none of this name, or it is no run.
    pub fn find(
        place: &StorePlace,
        expected: &RunExpectation,
        link_bytes_per_s: Option<f64>,
    ) -> Result<Self, Failure> {
        match find(place, &expected.run)?.0 {
            StoredItem::Run(run) => Ok(Self { run: *run, times: expected.times, link_bytes_per_s }),
            _ => Err(Failure::usage(FLAG, format!("{} is not a run", expected.run), REMEDY)),
        }
    }

    /// Writes into a run what was expected of it, or why nothing can be.
    pub fn judge(&self, run: &mut RunRecord) {
        match expectation(run, (&self.run, self.times), self.link_bytes_per_s) {
            Ok(expectation) => run.expectation = Some(Box::new(expectation)),
            Err(cause) => run.notes.push(format!("Nothing was expected of it: {cause}.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_and_a_number_are_read() {
        let expected = |run: &str, times| Ok(RunExpectation { run: run.to_owned(), times });
        assert_eq!("r-2026*8".parse(), expected("r-2026", 8));
        assert_eq!("last-2 * 3".parse(), expected("last-2", 3));
        assert_eq!("last".parse(), expected("last", 1));
        for wrong in ["", "*8", "last*0", "last*x", "last*-1"] {
            assert!(wrong.parse::<RunExpectation>().is_err(), "{wrong}");
        }
    }
}
