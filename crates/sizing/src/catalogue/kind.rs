//! Types of volumes that are offered: what providers publish of each, as numbers.

use super::Catalogue;
use crate::accounting::Accounting;
use crate::offer::{Limits, Settings};
use crate::shaper::Shaper;

/// The largest disk of Azure with credits to burst by; larger ones burst on demand, which is billed and not modelled.
const LARGEST_WITH_CREDITS_GIB: u64 = 512;
/// How long full credits last at the highest rate (Azure, "Managed disk bursting").
const BURST_S: u64 = 1800;
/// Sizes of Azure's Premium SSD, each sold as a disk of its own.
const TIERS: [&str; 14] =
    ["P1", "P2", "P3", "P4", "P6", "P10", "P15", "P20", "P30", "P40", "P50", "P60", "P70", "P80"];

/// One type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VolumeKind {
    Gp3,
    Gp2,
    Io1,
    Io2,
    St1,
    Sc1,
    PremiumV2,
    Premium,
    HyperdiskBalanced,
    HyperdiskExtreme,
    HyperdiskThroughput,
    PdBalanced,
    PdSsd,
    PdStandard,
}

/// All types, in the order in which they are tried.
pub(super) const KINDS: [VolumeKind; 14] = [
    VolumeKind::Gp3,
    VolumeKind::Gp2,
    VolumeKind::Io1,
    VolumeKind::Io2,
    VolumeKind::St1,
    VolumeKind::Sc1,
    VolumeKind::PremiumV2,
    VolumeKind::Premium,
    VolumeKind::HyperdiskBalanced,
    VolumeKind::HyperdiskExtreme,
    VolumeKind::HyperdiskThroughput,
    VolumeKind::PdBalanced,
    VolumeKind::PdSsd,
    VolumeKind::PdStandard,
];

/// What is chosen of a volume; the rest follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChoiceBasis {
    /// I/Os a second.
    Operations,
    /// Throughput.
    Throughput,
    /// Its size.
    Size,
    /// One of a few sizes.
    Tier,
}

impl VolumeKind {
    /// What is chosen of it.
    pub(super) fn chosen_by(self) -> ChoiceBasis {
        match self {
            Self::Gp3
            | Self::Io1
            | Self::Io2
            | Self::PremiumV2
            | Self::HyperdiskBalanced
            | Self::HyperdiskExtreme => ChoiceBasis::Operations,
            Self::HyperdiskThroughput => ChoiceBasis::Throughput,
            Self::Gp2 | Self::St1 | Self::Sc1 | Self::PdBalanced | Self::PdSsd | Self::PdStandard => {
                ChoiceBasis::Size
            }
            Self::Premium => ChoiceBasis::Tier,
        }
    }

    /// As prices name it; disks of fixed sizes have the size behind it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gp3 => "gp3",
            Self::Gp2 => "gp2",
            Self::Io1 => "io1",
            Self::Io2 => "io2",
            Self::St1 => "st1",
            Self::Sc1 => "sc1",
            Self::PremiumV2 => "Premium SSD v2",
            Self::Premium => "Premium SSD",
            Self::HyperdiskBalanced => "hyperdisk-balanced",
            Self::HyperdiskExtreme => "hyperdisk-extreme",
            Self::HyperdiskThroughput => "hyperdisk-throughput",
            Self::PdBalanced => "pd-balanced",
            Self::PdSsd => "pd-ssd",
            Self::PdStandard => "pd-standard",
        }
    }

    /// As the facts name it.
    pub(super) fn facts(self) -> &'static str {
        match self {
            Self::Io2 => "io2 Block Express",
            other => other.name(),
        }
    }

    /// Who sells it.
    pub(super) fn provider(self) -> &'static str {
        match self {
            Self::Gp3 | Self::Gp2 | Self::Io1 | Self::Io2 | Self::St1 | Self::Sc1 => "AWS",
            Self::PremiumV2 | Self::Premium => "Azure",
            _ => "GCP",
        }
    }

    /// Bytes of what its throughput is sold and stated in: MB on Azure, MiB elsewhere.
    pub(super) fn megabyte(self) -> u64 {
        if self.provider() == "Azure" { 1_000_000 } else { 1 << 20 }
    }

    pub(super) fn accounting(self) -> Accounting {
        match self {
            Self::St1 | Self::Sc1 => Accounting::DISK,
            _ => Accounting::SOLID_STATE,
        }
    }

    /// Whether a region has a price of it.
    pub(super) fn is_sold(self, catalogue: &Catalogue, region: &str) -> bool {
        match self {
            Self::Premium => tier_names(self).any(|name| catalogue.prices.sells_disk(region, &name)),
            _ => catalogue.prices.knows(region, self.name()),
        }
    }

    /// Whether it is a disk with seek times, or as slow as one.
    pub(super) fn seeks(self) -> bool {
        matches!(self, Self::St1 | Self::Sc1 | Self::PdStandard | Self::HyperdiskThroughput)
    }

    /// Whether all volumes of the type at one machine share rates that grow with their sizes together, so that a stripe of
    /// several has no more than one volume of their size.
    pub(super) fn shares_rates(self) -> bool {
        matches!(self, Self::PdBalanced | Self::PdSsd | Self::PdStandard)
    }
}

/// Numbers of the catalogue on one type; 0, which offers nothing, where one is missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    pub(super) min_size: u64,
    pub(super) max_size: u64,
    pub(super) min_iops: u64,
    pub(super) max_iops: u64,
    pub(super) baseline_iops: u64,
    pub(super) iops_per_gib_max: u64,
    pub(super) baseline_iops_per_gib: u64,
    pub(super) min_baseline_iops: u64,
    pub(super) burst_iops: u64,
    pub(super) credit_bucket: u64,
    pub(super) baseline_throughput: u64,
    pub(super) max_throughput: u64,
    pub(super) baseline_throughput_per_tib: u64,
    pub(super) burst_throughput_per_tib: u64,
    pub(super) iops_per_gib_min: u64,
    pub(super) iops_per_throughput_max: u64,
    pub(super) iops_per_throughput: u64,
    pub(super) throughput_per_1000_iops: u64,
    pub(super) min_throughput: u64,
    pub(super) min_throughput_per_tib: u64,
    pub(super) throughput_per_tib_max: u64,
    /// Hundredths of an I/O a second, and of a MiB/s, for each GiB.
    pub(super) iops_per_gib_hundredths: u64,
    pub(super) throughput_per_gib_hundredths: u64,
}

impl Facts {
    /// Absent where not even the sizes of the type are known.
    pub(super) fn of(catalogue: &Catalogue, kind: VolumeKind) -> Option<Self> {
        let known = |attribute: &str| catalogue.volumes.whole(kind.facts(), attribute);
        let fact = |attribute: &str| known(attribute).unwrap_or(0);
        let hundredths = |attribute: &str| catalogue.volumes.hundredths(kind.facts(), attribute).unwrap_or(0);
        Some(Self {
            min_size: known("min_size")?,
            max_size: known("max_size")?,
            min_iops: fact("min_iops"),
            max_iops: fact("max_iops"),
            baseline_iops: fact("baseline_iops"),
            iops_per_gib_max: fact("iops_per_gib_max"),
            baseline_iops_per_gib: fact("baseline_iops_per_gib"),
            min_baseline_iops: fact("min_baseline_iops"),
            burst_iops: fact("burst_iops"),
            credit_bucket: fact("credit_bucket"),
            baseline_throughput: fact("baseline_throughput"),
            max_throughput: fact("max_throughput"),
            baseline_throughput_per_tib: fact("baseline_throughput_per_tib"),
            burst_throughput_per_tib: fact("burst_throughput_per_tib"),
            iops_per_gib_min: fact("iops_per_gib_min"),
            iops_per_throughput_max: fact("iops_per_throughput_max"),
            iops_per_throughput: fact("iops_per_throughput"),
            throughput_per_1000_iops: fact("throughput_per_1000_iops"),
            min_throughput: fact("min_throughput"),
            min_throughput_per_tib: fact("min_throughput_per_tib"),
            throughput_per_tib_max: fact("throughput_per_tib_max"),
            iops_per_gib_hundredths: hundredths("iops_per_gib"),
            throughput_per_gib_hundredths: hundredths("throughput_per_gib"),
        })
    }

    /// Of a type that is sold in fixed sizes; absent without one.
    pub(super) fn of_tiers(tiers: &[Tier]) -> Option<Self> {
        Some(Self {
            min_size: tiers.first()?.each.size_gib,
            max_size: tiers.last()?.each.size_gib,
            ..Self::default()
        })
    }
}

fn tier_names(kind: VolumeKind) -> impl Iterator<Item = String> {
    TIERS.iter().map(move |size| format!("{} {size}", kind.name()))
}

/// One of the sizes of a type that is sold in fixed sizes.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    /// As prices and facts name it, e.g. `Premium SSD P30`.
    pub(super) name: String,
    /// What it is.
    pub(super) each: Settings,
    /// What it lets through.
    pub(super) limits: Limits,
}

impl Tier {
    /// The sizes that have a price in a region, ascending; all but those of Premium SSD have none.
    pub(super) fn priced(catalogue: &Catalogue, region: &str, kind: VolumeKind) -> Vec<Self> {
        if kind != VolumeKind::Premium {
            return Vec::new();
        }
        let priced = tier_names(kind).filter(|name| catalogue.prices.sells_disk(region, name));
        priced.filter_map(|name| Self::of(catalogue, kind, name)).collect()
    }

    /// Source of the model: "Managed disk bursting": credits for I/Os and for bytes are kept apart, grow with what is left
    /// of the rate, and last for 30 minutes of the highest rate.
    fn of(catalogue: &Catalogue, kind: VolumeKind, name: String) -> Option<Self> {
        let fact = |attribute: &str| catalogue.volumes.whole(&name, attribute);
        let (size_gib, iops) = (fact("size")?, fact("baseline_iops")?);
        let bytes_per_s = fact("baseline_throughput")? * kind.megabyte();
        let bursts = size_gib <= LARGEST_WITH_CREDITS_GIB;
        let shaper = |base: u64, peak: Option<u64>| match peak.filter(|peak| bursts && *peak > base) {
            Some(peak) => {
                Shaper { base_per_s: base, peak_per_s: peak, bucket: (peak - base).saturating_mul(BURST_S) }
            }
            None => Shaper::cap(base),
        };
        let limits = Limits {
            operations: shaper(iops, fact("burst_iops")),
            bytes: shaper(bytes_per_s, fact("burst_throughput").map(|rate| rate * kind.megabyte())),
            accounting: kind.accounting(),
        };
        Some(Self { each: Settings { size_gib, iops, bytes_per_s }, limits, name })
    }
}
