//! Pure attribution: from measured cells and known limits to a verdict that says what binds.
//!
//! Every known upper bound is compared with the rate that was reached (roofline residuals), a few
//! signatures are looked for (a rate that does not move, latency that does not grow, busy processors,
//! caches, disturbance), and each limit that they point to becomes a claim with its evidence for and
//! against. What is not decided is called unknown, with the run that would decide it.
//!
//! | shape | cause | next step |
//! |---|---|---|
//! | latency as at one I/O in flight, rate grows with concurrency | too few in flight | double the depth |
//! | rate at a declared limit and flat | that limit | halve or double the block size |
//! | rate at the cap of a throttle put before the target | that throttle, not the target | halve or double the block size |
//! | rate flat within 1 % over 4 x concurrency, even seconds, no declared limit | an enforced rate | halve or double the block size |
//! | one processor or a submitting thread always busy | that processor, or the generator | more jobs at the same concurrency |
//! | all processors always busy | the machine | larger blocks |
//! | latency grown manifold, rate creeping | the device's parallelism | four times the depth |
//! | faster than declared, unwritten blocks, device idle | a cache | a larger span |
//! | uneven seconds, long tail, foreign traffic | interference | the same for longer |

mod ceilings;
mod decide;
mod experiment;
mod input;
mod limits;
mod shape;
mod thresholds;
mod words;

pub use decide::attribute;
pub use input::{CellTelemetry, Pattern};
