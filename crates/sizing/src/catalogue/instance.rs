//! Instance types: what lies between a volume and the processors.

use super::csv_rows::{self, CatalogueError, Row};
use crate::accounting::Accounting;
use crate::money::Money;
use crate::offer::Limits;
use crate::shaper::Shaper;

/// Seconds at the maximum that a full bucket lasts. The provider publishes neither its size nor its
/// refill; this follows from "maximum performance for 30 minutes at least once every 24 hours".
const BURST_S: u64 = 1800;

/// Hours in a month, as providers' price lists count them.
const HOURS_PER_MONTH: u64 = 730;

/// One instance type.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// As `r6id.4xlarge`.
    pub name: String,
    /// Virtual processors.
    pub vcpus: u64,
    /// Memory, in GiB.
    pub memory_gib: f64,
    /// `x86_64` or `arm64`.
    pub arch: String,
    /// What it lets through to network storage; absent where no source gives it.
    pub ebs: Option<Limits>,
    /// Cards that network storage is split over, equally.
    pub ebs_cards: u64,
    /// Most volumes that can be attached.
    pub max_attachments: Option<u64>,
    /// Network bandwidth that never runs out, in bits a second.
    pub network_base_bits_per_s: Option<u64>,
    /// Network bandwidth at most, in bits a second.
    pub network_peak_bits_per_s: Option<u64>,
    /// Local disks.
    pub local: Option<LocalDisks>,
    /// An hour on demand, by region, with the key of its source.
    pub hours: Vec<(String, Money, String)>,
    /// Key of its source.
    pub source: String,
}

/// Disks in the machine, lost when it stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalDisks {
    /// How many.
    pub disks: u64,
    /// Size of each, in GB (10^9 bytes).
    pub disk_gb: u64,
    /// Whether they are NVMe.
    pub nvme: bool,
    /// 4 KiB reads a second of all together, as published.
    pub read_iops_4k: Option<u64>,
    /// 4 KiB writes a second of all together, as published.
    pub write_iops_4k: Option<u64>,
}

impl Instance {
    /// A month on demand in a region, and the key of the price's source.
    pub fn month(&self, region: &str) -> Option<(Money, &str)> {
        let (_, hour, source) = self.hours.iter().find(|(of, _, _)| of == region)?;
        Some((hour.times(HOURS_PER_MONTH), source))
    }

    /// Whether its limits fall once credits are spent.
    pub fn bursts(&self) -> bool {
        self.ebs.is_some_and(|ebs| ebs.operations.bucket > 0 || ebs.bytes.bucket > 0)
    }
}

pub(super) fn read(text: &str) -> Result<Vec<Instance>, CatalogueError> {
    csv_rows::read("instances.csv", text, instance)
}

fn instance(row: &Row<'_>) -> Result<Instance, CatalogueError> {
    let gbps = |column: &str| row.number(column).map(|v| v.map(|v| (v * 1e9) as u64));
    Ok(Instance {
        name: row.required("type")?.to_owned(),
        vcpus: row.whole("vcpus")?.ok_or_else(|| row.wrong("no vcpus"))?,
        memory_gib: row.number("memory_gib")?.ok_or_else(|| row.wrong("no memory_gib"))?,
        arch: row.required("arch")?.to_owned(),
        ebs: ebs(row)?,
        ebs_cards: row.whole("ebs_cards")?.unwrap_or(1).max(1),
        max_attachments: row.whole("max_attachments")?,
        network_base_bits_per_s: gbps("net_base_gbps")?,
        network_peak_bits_per_s: gbps("net_peak_gbps")?,
        local: local(row)?,
        hours: hours(row)?,
        source: row.required("source")?.to_owned(),
    })
}

/// Both limits burst together: in every row with a baseline below the maximum both have one.
fn ebs(row: &Row<'_>) -> Result<Option<Limits>, CatalogueError> {
    let rate = |base: &str, max: &str, unit: u64| -> Result<Option<Shaper>, CatalogueError> {
        let (Some(base), Some(max)) = (row.number(base)?, row.number(max)?) else { return Ok(None) };
        let (base, max) = ((base * unit as f64) as u64, (max * unit as f64) as u64);
        let bucket = max.saturating_sub(base) * BURST_S;
        Ok(Some(Shaper { base_per_s: base, peak_per_s: max.max(base), bucket }))
    };
    let operations = rate("ebs_base_iops", "ebs_max_iops", 1)?;
    let bytes = rate("ebs_base_mbps", "ebs_max_mbps", 125_000)?;
    let accounting = Accounting::SOLID_STATE;
    Ok(operations.zip(bytes).map(|(operations, bytes)| Limits { operations, bytes, accounting }))
}

fn local(row: &Row<'_>) -> Result<Option<LocalDisks>, CatalogueError> {
    let disks = row.whole("local_disks")?.unwrap_or(0);
    let disk = LocalDisks {
        disks,
        disk_gb: row.whole("local_disk_gb")?.unwrap_or(0),
        nvme: row.text("local_nvme") == "yes",
        read_iops_4k: row.whole("local_read_iops_4k")?,
        write_iops_4k: row.whole("local_write_iops_4k")?,
    };
    Ok((disks > 0).then_some(disk))
}

fn hours(row: &Row<'_>) -> Result<Vec<(String, Money, String)>, CatalogueError> {
    let mut hours = Vec::new();
    for region in ["us_east_1", "eu_central_1", "ap_southeast_1"] {
        let Some(price) = row.number(&format!("usd_h_{region}"))? else { continue };
        let source = row.required(&format!("source_{region}"))?.to_owned();
        hours.push((region.replace('_', "-"), Money::from_micros((price * 1e6).round() as i64), source));
    }
    Ok(hours)
}
