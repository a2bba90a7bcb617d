//! Volumes on offer: what one may be given at most, what it costs, and the token buckets that it is.

use super::catalogue_facts::{Catalogue, Tier};
use super::slow_simulator::Limit;

pub const MIB: u64 = 1 << 20;
/// Limits are kept in thousandths, as io2's bytes for each operation are no whole number.
pub const MILLI: u64 = 1000;

/// The types that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Gp3,
    Gp2,
    Io1,
    Io2,
    St1,
    Sc1,
}

impl Kind {
    pub const ALL: [Self; 6] = [Self::Gp3, Self::Gp2, Self::Io1, Self::Io2, Self::St1, Self::Sc1];

    /// As people type it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gp3 => "gp3",
            Self::Gp2 => "gp2",
            Self::Io1 => "io1",
            Self::Io2 => "io2",
            Self::St1 => "st1",
            Self::Sc1 => "sc1",
        }
    }

    /// As the catalogue's limits name it.
    fn listed(self) -> &'static str {
        if self == Self::Io2 { "io2 Block Express" } else { self.name() }
    }

    /// Whether it is a disk with seek times.
    pub fn is_disk(self) -> bool {
        matches!(self, Self::St1 | Self::Sc1)
    }

    /// Bytes that count as one operation at most.
    pub fn unit(self) -> u64 {
        if self.is_disk() { MIB } else { MIB / 4 }
    }

    /// Whether operations are bought for themselves.
    pub fn is_provisioned(self) -> bool {
        matches!(self, Self::Gp3 | Self::Io1 | Self::Io2)
    }
}

/// A volume that could be bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    pub kind: Kind,
    pub gib: u64,
    /// Operations a second; what the size gives where they are not bought.
    pub iops: u64,
    /// MiB a second that are bought (gp3 alone).
    pub mibps: u64,
}

impl std::fmt::Display for Volume {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} GiB", self.kind.name(), self.gib)?;
        match self.kind {
            Kind::Gp3 => write!(f, " {} IOPS {} MiB/s", self.iops, self.mibps),
            Kind::Io1 | Kind::Io2 => write!(f, " {} IOPS", self.iops),
            _ => Ok(()),
        }
    }
}

/// The rules of one type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    pub kind: Kind,
    pub least_gib: u64,
    pub most_gib: u64,
    pub least_iops: u64,
    pub most_iops: u64,
    pub most_mibps: u64,
    /// Operations that each GiB allows (provisioned types) or gives (gp2).
    per_gib: u64,
    /// MiB/s for each TiB of a disk: in the long run, and while there are credits.
    per_tib: (u64, u64),
    /// gp2's rate while there are credits, and how many it holds.
    burst: (u64, u64),
}

impl Rules {
    /// As the catalogue has them.
    ///
    /// # Errors
    /// Where it lacks one.
    pub fn of(kind: Kind, catalogue: &Catalogue) -> Result<Self, String> {
        let whole = |attribute: &str| {
            let value = catalogue.fact(kind.listed(), attribute);
            value.map(|value| value as u64).ok_or_else(|| format!("{}: no {attribute}", kind.listed()))
        };
        let if_it_has = |has: bool, attribute: &str| if has { whole(attribute) } else { Ok(0) };
        let gp2 = kind == Kind::Gp2;
        let least_iops = match kind {
            Kind::Gp3 => "baseline_iops",
            Kind::Gp2 => "min_baseline_iops",
            Kind::Io1 | Kind::Io2 => "min_iops",
            Kind::St1 | Kind::Sc1 => "max_iops",
        };
        Ok(Self {
            kind,
            least_gib: whole("min_size")?,
            most_gib: whole("max_size")?,
            least_iops: whole(least_iops)?,
            most_iops: whole("max_iops")?,
            most_mibps: whole("max_throughput")?,
            per_gib: if gp2 {
                whole("baseline_iops_per_gib")?
            } else {
                if_it_has(kind.is_provisioned(), "iops_per_gib_max")?
            },
            per_tib: (
                if_it_has(kind.is_disk(), "baseline_throughput_per_tib")?,
                if_it_has(kind.is_disk(), "burst_throughput_per_tib")?,
            ),
            burst: (if_it_has(gp2, "burst_iops")?, if_it_has(gp2, "credit_bucket")?),
        })
    }

    /// The volume of a size, with the operations and bytes that are bought where they are. It is larger than asked
    /// where the operations need that.
    pub fn volume(&self, gib: u64, iops: u64, mibps: u64) -> Volume {
        let gib = gib.max(self.least_gib);
        match self.kind {
            Kind::Gp3 | Kind::Io1 | Kind::Io2 => {
                let free = if self.kind == Kind::Gp3 { self.least_iops } else { 0 };
                let needed = if iops > free { iops.div_ceil(self.per_gib) } else { 0 };
                Volume { kind: self.kind, gib: gib.max(needed), iops, mibps }
            }
            Kind::Gp2 => {
                let iops = (gib * self.per_gib).clamp(self.least_iops, self.most_iops);
                Volume { kind: self.kind, gib, iops, mibps: 0 }
            }
            Kind::St1 | Kind::Sc1 => Volume { kind: self.kind, gib, iops: self.most_iops, mibps: 0 },
        }
    }

    /// The limit on operations, in thousandths a second.
    pub fn operations(&self, volume: &Volume) -> Limit {
        let base = volume.iops * MILLI;
        if self.kind == Kind::Gp2 && volume.iops < self.burst.0 {
            return Limit { base, peak: self.burst.0 * MILLI, bucket: self.burst.1 * MILLI };
        }
        Limit::even(base)
    }

    /// The limit on bytes, in thousandths a second.
    pub fn bytes(&self, volume: &Volume) -> Limit {
        let most = self.most_mibps * MIB * MILLI;
        match self.kind {
            Kind::Gp3 => Limit::even(volume.mibps * MIB * MILLI),
            // Below 334 GiB the guide gives more only while there are credits; the page on sizing assumes the less.
            Kind::Gp2 => Limit::even(if volume.gib >= 334 { most } else { 128 * MIB * MILLI }),
            Kind::Io1 if volume.iops <= 32_000 => {
                Limit::even((volume.iops * MIB / 4 * MILLI).min(500 * MIB * MILLI))
            }
            Kind::Io1 => Limit::even((volume.iops * 16 * 1024 * MILLI).min(most)),
            // 0.256 MiB for each operation.
            Kind::Io2 => Limit::even((volume.iops * MIB * 256).min(most)),
            Kind::St1 | Kind::Sc1 => {
                let rate = |per_tib: u64| (per_tib * MIB * MILLI * volume.gib / 1024).min(most);
                let (base, peak) = (rate(self.per_tib.0), rate(self.per_tib.1));
                // A TiB of credits for each TiB.
                Limit { base, peak, bucket: if peak > base { (volume.gib << 30) * MILLI } else { 0 } }
            }
        }
    }

    /// What a month costs, in 10^-12 of the currency's unit; nothing where it is not sold.
    pub fn month(&self, volume: &Volume, region: &str, catalogue: &Catalogue) -> Option<u64> {
        let sum = |component: &str, amount: u64| {
            let tiers = catalogue.price(region, self.kind.name(), component)?;
            Some(tiers.iter().map(|tier| charge(tier, amount)).sum::<u64>())
        };
        let mut month = sum("capacity", volume.gib)?;
        if self.kind.is_provisioned() {
            month += sum("iops", volume.iops)?;
        }
        if self.kind == Kind::Gp3 {
            month += sum("throughput", volume.mibps)?;
        }
        Some(month)
    }
}

fn charge(tier: &Tier, amount: u64) -> u64 {
    (amount.min(tier.to) + 1).saturating_sub(tier.from.max(1)) * tier.pico
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::catalogue_facts::UNIT;
    use std::path::Path;

    fn month(kind: Kind, region: &str, gib: u64, iops: u64, mibps: u64) -> f64 {
        let catalogue = Catalogue::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        let rules = Rules::of(kind, &catalogue).unwrap();
        rules.month(&rules.volume(gib, iops, mibps), region, &catalogue).unwrap() as f64 / UNIT
    }

    #[test]
    fn months_are_those_of_the_price_list() {
        assert_eq!(month(Kind::Gp3, "us-east-1", 1000, 3000, 125), 80.0);
        assert_eq!(month(Kind::Gp3, "us-east-1", 1000, 16_000, 1000), 80.0 + 65.0 + 35.0);
        assert_eq!(month(Kind::Gp3, "eu-central-1", 1000, 10_000, 500), 155.05);
        // 32,000 of the first tier, 32,000 of the second, 1,000 of the third.
        let io2 = 12.5 + 32_000.0 * 0.065 + 32_000.0 * 0.0455 + 1000.0 * 0.03185;
        assert!((month(Kind::Io2, "us-east-1", 100, 65_000, 0) - io2).abs() < 1e-6);
    }

    #[test]
    fn volumes_grow_with_what_they_are_to_do() {
        let catalogue = Catalogue::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))).unwrap();
        let of = |kind| Rules::of(kind, &catalogue).unwrap();
        assert_eq!(of(Kind::Gp3).volume(1, 3000, 125).gib, 1, "the included operations need no size");
        assert_eq!(of(Kind::Gp3).volume(1, 80_000, 125).gib, 160);
        assert_eq!(of(Kind::Io1).volume(10, 1000, 0).gib, 20);
        let (gp2, st1, io2) = (of(Kind::Gp2), of(Kind::St1), of(Kind::Io2));
        assert_eq!(
            gp2.operations(&gp2.volume(100, 0, 0)),
            Limit { base: 300_000, peak: 3_000_000, bucket: 5_400_000_000 }
        );
        assert_eq!(gp2.operations(&gp2.volume(1000, 0, 0)), Limit::even(3_000_000));
        assert_eq!(gp2.bytes(&gp2.volume(333, 0, 0)).base, 128 * MIB * MILLI);
        assert_eq!(
            st1.bytes(&st1.volume(2048, 0, 0)),
            Limit { base: 80 * MIB * MILLI, peak: 500 * MIB * MILLI, bucket: (2 << 40) * MILLI }
        );
        assert_eq!(io2.bytes(&io2.volume(100, 100, 0)).base, 26_843_545_600);
    }
}
