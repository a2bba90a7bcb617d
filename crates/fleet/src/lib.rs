//! Many volumes, from their rows to a fleet's summary: growths to a margin, runs of rows to verdicts, verdicts to
//! sums.
//!
//! Each volume is judged by itself, growths are sampled by names, and sums are of whole numbers: in which order
//! volumes come, and how they are divided among threads or machines, changes nothing.

mod account_sizing;
mod fleet_summary;
mod groups;
mod growths;
mod offers;
mod panic_isolation;
mod row_tally;
mod row_verdicts;
mod volume_defaults;

pub use account_sizing::{Account, AccountTerms};
pub use fleet_summary::{Summary, currency, margin_of};
pub use groups::{GroupKey, Groups};
pub use growths::{FleetGrowths, VolumeGrowth, grown};
pub use offers::{check_region, current, market};
pub use panic_isolation::{guarded, judged};
pub use row_tally::Tally;
pub use row_verdicts::Verdicts;
pub use volume_defaults::VolumeDefaults;
