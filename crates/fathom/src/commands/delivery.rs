//! Hands over the result of a measurement: machine output, report, terminal.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_report::ReportError;

use super::record_json::Shape;
use super::{balances, wear};
use crate::arguments::MeasurementOutputs;
use crate::failure::Failure;
use crate::metrics_endpoint::MetricsServer;
use crate::output::{self, Machine};
use crate::output_file::{Content, OutputFile};
use crate::progress_display::Screen;

/// Where a result goes, seen to be possible before anything is measured.
#[derive(Debug)]
pub struct Delivery {
    /// Machine output.
    pub machine: Machine,
    shape: Shape,
    report: Option<PathBuf>,
    metrics: Option<MetricsServer>,
}

impl Delivery {
    /// Looks at every place, serves metrics, limits what is written, and reads balances, where that was asked for.
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
        let metrics = outputs.metrics.map(MetricsServer::start).transpose()?;
        wear::begin(outputs.wear_limit.as_deref())?;
        balances::begin(outputs.balances.as_deref())?;
        Ok(Self { machine, shape, report: outputs.report.clone(), metrics })
    }

    /// Has a command's measurement tell all who want to know of it while it runs: programs that read stdout, which
    /// `stop` ends where they have gone, and those that look on.
    pub fn follow(&self, screen: &mut Screen, command: &str, stop: &Arc<AtomicBool>) {
        screen.tell(&self.machine, stop);
        screen.publish(command, self.metrics.as_ref().map(MetricsServer::standing));
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
