//! Hands over the result of a measurement: machine output, report, terminal.

use std::path::PathBuf;

use fathom_report::ReportError;

use super::document::Shape;
use super::{balances, wear};
use crate::arguments::MeasurementOutputs;
use crate::failure::Failure;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};

/// Where a result goes, seen to be possible before anything is measured.
#[derive(Debug)]
pub struct Delivery {
    /// Machine output.
    pub machine: Machine,
    shape: Shape,
    report: Option<PathBuf>,
}

impl Delivery {
    /// Looks at every place, limits what is written, and reads balances, where that was asked for.
    ///
    /// # Errors
    /// When one of them could not be written, or is not to be.
    pub fn prepare(outputs: &MeasurementOutputs) -> Result<Self, Failure> {
        let machine = match outputs.json_lines {
            true => Machine::Lines,
            false => Machine::of(outputs.json.as_ref()),
        };
        machine.check()?;
        let compact = outputs.compact || outputs.json_lines;
        let shape = if compact { Shape::Compact } else { Shape::Indented };
        if let Some(path) = &outputs.report {
            OutputFile::check(path, Content::Marked)?;
        }
        wear::begin(outputs.wear_limit.as_deref())?;
        balances::begin(outputs.balances.as_deref())?;
        Ok(Self { machine, shape, report: outputs.report.clone() })
    }

    /// Hands everything over. A place that fails is told on stderr and does not keep the result from
    /// the others; whether all took it is returned. What is printed for people is `terminal`, and for programs
    /// `document`.
    pub fn hand_over(
        &self,
        document: impl FnOnce(Shape) -> String,
        terminal: impl FnOnce() -> String,
        page: impl FnOnce() -> Result<String, ReportError>,
    ) -> bool {
        let report = self.report.as_ref().map(|path| {
            page().map_err(Failure::from).and_then(|page| {
                let file = OutputFile::check(path, Content::Marked)?;
                file.write(&page)?;
                output::message(&format!("report: {}", path.display()));
                Ok(())
            })
        });
        let printed = if self.machine.takes_stdout() { Ok(()) } else { output::result(&terminal()) };
        let written = match self.machine {
            Machine::Off => Ok(()),
            _ => self.machine.write(&document(self.shape)),
        };
        let outcomes = [Some(printed), Some(written), report];
        let failures = outcomes.into_iter().flatten().filter_map(Result::err);
        failures.map(|failure| failure.warn()).count() == 0
    }

    /// Whether a report was asked for.
    pub fn has_report(&self) -> bool {
        self.report.is_some()
    }
}
