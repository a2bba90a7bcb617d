//! Changes of volumes as commands of the provider's own tool, for people to review. Nothing here executes them.

use fathom_demand::account_volumes::EbsVolume;
use fathom_record::account_record::VolumeChange;
use fathom_record::fleet_record::{FleetRow, FleetStatus};
use fathom_record::shell_word;
use fathom_sizing::Offer;

/// What saves less in a month is not worth a change.
const LEAST: f64 = 0.01;

/// The command that makes a volume what its row says to buy; absent where that is no change of one volume, or changes
/// nothing that matters.
pub fn change(volume: &EbsVolume, row: &FleetRow, place: (&str, Option<&str>)) -> Option<VolumeChange> {
    let saves = row.saves_month?;
    let too_small = row.current_holds == Some(false);
    if row.status != FleetStatus::Sized || !(saves >= LEAST || too_small && saves < 0.0) {
        return None;
    }
    // A stripe is no change of a volume, and a volume cannot be made smaller.
    let size_gib = row.offer_size_gib.filter(|size| *size >= volume.size)?;
    if row.offer_members != Some(1) {
        return None;
    }
    let why = if too_small {
        "it did not meet the observed demand".to_owned()
    } else {
        row.rests_on.as_ref().map_or_else(String::new, |rests_on| format!("its need rests on: {rests_on}"))
    };
    let to = Target {
        volume_type: row.offer_type.as_deref()?,
        size_gib,
        iops: row.offer_iops?,
        bytes_per_s: row.offer_bytes_per_s?,
    };
    let words = row.offer.clone()?;
    made(volume, (row.current.clone()?, words), (saves, why), to, place)
}

/// The command that makes a gp2 that was not judged the gp3 that equals it, where that is cheaper.
pub fn like_for_like(
    volume: &EbsVolume,
    row: &FleetRow,
    (gp2, gp3): (&Offer, &Offer),
    place: (&str, Option<&str>),
) -> Option<VolumeChange> {
    let saves = (gp2.month - gp3.month).micros() as f64 / 1e6;
    if row.status != FleetStatus::NotJudged || saves < LEAST || gp3.each.size_gib < volume.size {
        return None;
    }
    let to = Target {
        volume_type: &gp3.volume,
        size_gib: gp3.each.size_gib,
        iops: gp3.each.iops,
        bytes_per_s: gp3.each.bytes_per_s,
    };
    let why = "gp3 lets at least as much through; the volume itself was not judged".to_owned();
    made(volume, (gp2.to_string(), gp3.to_string()), (saves, why), to, place)
}

/// What a volume is to be.
struct Target<'a> {
    volume_type: &'a str,
    size_gib: u64,
    iops: u64,
    bytes_per_s: u64,
}

fn made(
    volume: &EbsVolume,
    (from, to): (String, String),
    (saves_month, why): (f64, String),
    target: Target<'_>,
    (region, profile): (&str, Option<&str>),
) -> Option<VolumeChange> {
    // Only io1 and io2 may be at several instances.
    if volume.multi_attach_enabled && !matches!(target.volume_type, "io1" | "io2") {
        return None;
    }
    let mut command = format!("aws ec2 modify-volume --region {}", shell_word(region));
    if let Some(profile) = profile {
        command += &format!(" --profile {}", shell_word(profile));
    }
    command += &format!(" --volume-id {}", shell_word(&volume.volume_id));
    if target.volume_type != volume.volume_type {
        command += &format!(" --volume-type {}", target.volume_type);
    }
    if target.size_gib > volume.size {
        command += &format!(" --size {}", target.size_gib);
    }
    if matches!(target.volume_type, "gp3" | "io1" | "io2") {
        command += &format!(" --iops {}", target.iops);
    }
    if target.volume_type == "gp3" {
        command += &format!(" --throughput {}", target.bytes_per_s >> 20);
    }
    Some(VolumeChange { volume: volume.volume_id.clone(), from, to, saves_month, why, command })
}
