//! Offers: volumes that can be bought, with the limits that they put on a demand.

use std::fmt;

use crate::accounting::Accounting;
use crate::money::Money;
use crate::shaper::Shaper;

/// What one offer, or one instance, lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// On I/Os, as the provider counts them.
    pub operations: Shaper,
    /// On bytes, as the provider counts them.
    pub bytes: Shaper,
    /// How the provider counts.
    pub accounting: Accounting,
}

impl Limits {
    /// The limits of several equal members under one stripe.
    #[must_use]
    pub const fn times(self, members: u64) -> Self {
        Self {
            operations: self.operations.times(members),
            bytes: self.bytes.times(members),
            accounting: self.accounting,
        }
    }

    /// These behind plain caps on I/Os and on bytes a second.
    #[must_use]
    pub fn behind(self, iops: u64, bytes_per_s: u64) -> Self {
        Self {
            operations: self.operations.behind(iops),
            bytes: self.bytes.behind(bytes_per_s),
            accounting: self.accounting,
        }
    }

    /// What a demand meets as the demand grown so many thousandths meets these.
    #[must_use]
    pub const fn over(&self, thousandths: u32) -> Self {
        Self {
            operations: self.operations.over(thousandths),
            bytes: self.bytes.over(thousandths),
            accounting: self.accounting,
        }
    }
}

/// One volume's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Size, in GiB.
    pub size_gib: u64,
    /// I/Os a second that are sustained: bought, or given with the size.
    pub iops: u64,
    /// Bytes a second that are sustained: bought, or given with the rest.
    pub bytes_per_s: u64,
}

/// Something to buy: one volume, or several equal ones as one stripe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Provider, as `AWS`.
    pub provider: String,
    /// Type of volume, e.g. `gp3`.
    pub volume: String,
    /// Volumes in the stripe.
    pub members: u32,
    /// Of each of them.
    pub each: Settings,
    /// Of all of them together.
    pub limits: Limits,
    /// A month of all of them.
    pub month: Money,
}

/// As one would order it: `2 x gp3, 500 GiB, 6000 IOPS, 250 MiB/s each`.
impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.members > 1 {
            write!(f, "{} x ", self.members)?;
        }
        let Settings { size_gib, iops, bytes_per_s } = self.each;
        // What Azure calls MB are 10^6 bytes.
        let (rate, unit) = match self.provider.as_str() {
            "Azure" => (bytes_per_s / 1_000_000, "MB/s"),
            _ => (bytes_per_s >> 20, "MiB/s"),
        };
        write!(f, "{}, {size_gib} GiB, {iops} IOPS, {rate} {unit}", self.volume)?;
        if self.members > 1 { f.write_str(" each") } else { Ok(()) }
    }
}
