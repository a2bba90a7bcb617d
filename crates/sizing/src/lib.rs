//! The cheapest storage that holds, from demand over time: token buckets, catalogue, offers, cost and risk.
//!
//! Pure: a demand comes in as numbers, the catalogue is built in, and the same input always gives the
//! same answer. Requirements come from simulating each offer's limits on the finest series there is,
//! never from a quantile with headroom. All amounts are whole I/Os, bytes and micro-dollars, so that
//! two ways to the same answer agree to the last digit.

pub mod accounting;
pub mod age;
pub mod catalogue;
pub mod choice;
pub mod credit_timeline;
pub mod demand;
pub mod demand_profile;
pub mod fleet_volumes;
pub mod lateness;
pub mod local_disks;
pub mod margin;
pub mod money;
pub mod offer;
pub mod proof;
pub mod recommendation;
pub mod requirement;
pub mod residency;
pub mod shaper;
mod spread;
pub mod tick_counts;
pub mod trace;
pub mod windows;

pub use catalogue::{Catalogue, Market};
pub use choice::{OfferChoice, StorageRequirement, cheapest, cheapest_in};
pub use demand::{Demand, Flow};
pub use lateness::Patience;
pub use money::Money;
pub use offer::{Limits, Offer};
pub use recommendation::{SizingQuestion, answer};
pub use shaper::Shaper;
pub use trace::{Trace, TracedIo};
