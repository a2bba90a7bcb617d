//! Live seconds: what a measurement has to show each second, for whoever looks on from another process.
//!
//! ```text
//! Progress ──► Publisher ──► ring of lines in memory-backed storage ──► Running ──► fathom watch, the page
//!  (control thread,      └──► Standing, in this process ──► --metrics
//!   once a second)
//! ```
//!
//! A ring lies in a folder of its user alone, of a file system that is memory, and never on the storage that is
//! measured; where there is no such folder there is no ring, and [`look`] says why. It goes with the measurement; one
//! that a killed process left is swept by whoever looks next. What is read from it is bytes of a disk like any others.

mod line_ring;
mod live_lines;
mod publisher;
mod ring_folder;
mod running_measurements;

pub use live_lines::{DeviceLine, HeatLine, LiveEvent, RingHead, SecondLine, StepLine};
pub use publisher::{MeasurementStatus, Publisher};
pub use ring_folder::candidates;
pub use running_measurements::{MeasurementUpdate, RingSurvey, RunningList, RunningMeasurement, look};

#[cfg(all(test, target_os = "linux"))]
mod tests;
