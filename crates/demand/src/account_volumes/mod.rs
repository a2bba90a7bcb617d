//! Every network volume of an account: what it is, what it is attached to, and what it was asked to do.
//!
//! The provider's describe calls say the first two, CloudWatch the third. What they answer is held in the form in which
//! AWS' own tool prints it ([`Inventory`], [`runs`]), so that a reading that was kept and files that somebody
//! made with that tool are read by the same lines.

mod batches;
mod describe;
mod inventory;
mod volume_metrics;

pub use batches::{Batches, MOST_QUERIES, Pace, Stretch, measure};
pub use describe::describe;
pub use inventory::{Attachment, EbsVolume, Ec2Instance, Inventory, Tag, is_inventory};
pub use volume_metrics::{is_measured, runs};
