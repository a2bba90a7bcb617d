//! What a row states beside its rate: processors, locks, heat, the disks' own counters, tags and units.

use fathom_attribute::evidence::Feature;
use fathom_attribute::printed;
use fathom_attribute::symptoms::Symptom;

use super::PublishedRow;
use super::row::{Flush, Order};

/// Standard error of a share that was published in whole percent.
const SHARE_ERROR: f64 = 0.01;
/// Busy share of a job from which on its user share says what fills it.
const BUSY: f64 = 0.8;

/// Everything that a row states.
pub fn seen(row: &PublishedRow) -> Vec<Symptom> {
    let mut found = processors(row);
    found.extend(job(row));
    found.extend([counted(row.lock_percent, Feature::LockShare, "Waiting for locks took")]);
    found.extend([counted(row.steal_percent, Feature::Steal, "A hypervisor gave others")]);
    found.extend([counted(row.hot_percent, Feature::Heat, "The device was too hot for")]);
    found.extend([unevenness(row), disk_bytes(row), map_unit(row), asked(row)]);
    found.extend(tags(row));
    found.extend([credits_left(row), flushes(row), merged(row), in_flight(row), ended(row), core_use(row)]);
    found.into_iter().flatten().collect()
}

fn share(percent: Option<f64>) -> Option<f64> {
    percent.map(|percent| percent / 100.0).filter(|share| (0.0..=1.05).contains(share))
}

fn processors(row: &PublishedRow) -> Vec<Option<Symptom>> {
    let all = share(row.cpu_percent);
    let alone = all.filter(|_| row.cores == Some(1.0));
    let busiest = share(row.busiest_core_percent).or(alone);
    vec![
        busiest.and_then(|share| {
            let text = format!("The busiest CPU core was busy {} of the time.", printed::percent(share));
            Symptom::new(Feature::BusiestCore, share, SHARE_ERROR, text)
        }),
        all.filter(|_| row.cores != Some(1.0)).and_then(|share| {
            let text = format!("All CPUs together were busy {} of the time.", printed::percent(share));
            Symptom::new(Feature::MeanCore, share, SHARE_ERROR, text)
        }),
    ]
}

/// What fio prints of a job's processor time. A job is one thread: where it is busy all the time, so is a
/// processor.
fn job(row: &PublishedRow) -> Vec<Option<Symptom>> {
    let (Some(user), Some(system)) = (share(row.job_user_percent), share(row.job_system_percent)) else {
        return Vec::new();
    };
    let busy = (user + system).min(1.0);
    let worked = format!("Each job worked {} of the time.", printed::percent(busy));
    let own = format!(
        "Of a job's time, {} was its own code and the rest the kernel's.",
        printed::percent(user / busy)
    );
    let core = format!("A job that works {} of the time keeps a CPU as busy.", printed::percent(busy));
    let has_own_core = row.busiest_core_percent.is_none() && row.cpu_percent.is_none();
    vec![
        Symptom::new(Feature::GeneratorBusy, busy, SHARE_ERROR, worked),
        (busy >= BUSY).then(|| Symptom::new(Feature::GeneratorUser, user / busy, SHARE_ERROR, own)).flatten(),
        has_own_core.then(|| Symptom::new(Feature::BusiestCore, busy, SHARE_ERROR, core)).flatten(),
    ]
}

fn counted(percent: Option<f64>, feature: Feature, what: &str) -> Option<Symptom> {
    let share = share(percent)?;
    Symptom::new(feature, share, SHARE_ERROR, format!("{what} {} of the time.", printed::percent(share)))
}

fn unevenness(row: &PublishedRow) -> Option<Symptom> {
    let variation = row.variation_percent.map(|percent| percent / 100.0).filter(|share| *share > 0.0)?;
    let text = format!("The rate varies by {} over time.", printed::percent(variation));
    Symptom::new(Feature::Unevenness, variation.max(1e-4).ln(), 0.3, text)
}

/// Bytes that the disks moved over those asked for.
fn disk_bytes(row: &PublishedRow) -> Option<Symptom> {
    let moved = row.disk_bytes_percent.map(|percent| percent / 100.0).filter(|share| *share >= 0.0)?;
    let text = format!("The disks transferred {} of the bytes asked for.", printed::percent(moved));
    Symptom::new(Feature::DeviceBytes, moved.max(1e-3).ln(), SHARE_ERROR, text)
}

/// Random writes against the unit that the device maps.
fn map_unit(row: &PublishedRow) -> Option<Symptom> {
    let (block, unit) = (row.block_bytes?, row.map_unit_bytes.filter(|unit| *unit > 0.0)?);
    let writes = row.read_share().is_some_and(|share| share < 1.0);
    if !writes || row.order != Some(Order::Random) {
        return None;
    }
    let text = format!(
        "Blocks of {} are written to a device that maps {} at a time.",
        fathom_measure::Bytes(block as u64),
        fathom_measure::Bytes(unit as u64)
    );
    Symptom::new(Feature::MapUnit, (block / unit).ln().clamp(-3.0, 2.0), 0.05, text)
}

/// An open loop's rate against the one that was asked for.
fn asked(row: &PublishedRow) -> Option<Symptom> {
    let share = row.operations_per_s()? / row.asked_iops.filter(|rate| *rate > 0.0)?;
    let text = format!("{} of the rate that was asked for was carried.", printed::percent(share));
    Symptom::new(Feature::Asked, share.ln(), SHARE_ERROR, text)
}

fn tags(row: &PublishedRow) -> Vec<Option<Symptom>> {
    let Some(tags) = row.queue_tags.filter(|tags| *tags >= 1.0) else { return Vec::new() };
    let in_flight = row.in_flight().or_else(|| row.concurrency());
    let asked = in_flight.and_then(|count| Symptom::asked_tags(count, tags));
    let served = row.unloaded_us.zip(row.operations_per_s());
    let served = served.and_then(|(us, rate)| Symptom::served(us / 1e6 * rate, tags));
    vec![asked, served]
}

fn credits_left(row: &PublishedRow) -> Option<Symptom> {
    let left = share(row.credits_left_percent)?;
    let text = format!("{} of the burst credits were left.", printed::percent(left));
    Symptom::new(Feature::CreditsLeft, left, SHARE_ERROR, text)
}

/// Flushes for each write.
fn flushes(row: &PublishedRow) -> Option<Symptom> {
    let flushes = row.flushes().filter(|flushes| *flushes > 0.0)?;
    let text = match row.flush {
        Some(Flush::Each) => "Each write waits for stable storage.".to_owned(),
        _ => format!("A flush follows {} writes.", printed::count(1.0 / flushes)),
    };
    Symptom::new(Feature::Flushes, flushes, SHARE_ERROR, text)
}

fn merged(row: &PublishedRow) -> Option<Symptom> {
    let merged = share(row.merged_percent)?;
    let text = format!("{} of the requests were merged with others.", printed::percent(merged));
    Symptom::new(Feature::Merged, merged, SHARE_ERROR, text)
}

/// I/Os in flight, as stated: with one, the rate is that of its latency.
fn in_flight(row: &PublishedRow) -> Option<Symptom> {
    let stated = row.concurrency().filter(|_| row.depth.is_some() || row.target_is_shallow())?;
    let text = match stated {
        count if count < 1.5 => {
            "One I/O is in flight at a time: the rate is what its latency gives.".to_owned()
        }
        count => format!("{} I/Os are in flight.", printed::count(count)),
    };
    Symptom::new(Feature::InFlight, stated.ln(), 0.1, text)
}

fn ended(row: &PublishedRow) -> Option<Symptom> {
    let text = "Some jobs ended before the others.";
    row.ended_early.then(|| Symptom::new(Feature::Ended, 1.0, SHARE_ERROR, text)).flatten()
}

/// The rate over what the processors can do that worked, by the stated limit of one.
fn core_use(row: &PublishedRow) -> Option<Symptom> {
    let each = row.core_iops_limit?;
    let share = row.operations_per_s()? / (each * row.cores.unwrap_or(1.0));
    let text = format!(
        "The rate is {} of what the CPUs that worked can do at {} each.",
        printed::percent(share),
        printed::iops(each)
    );
    Symptom::new(Feature::CoreUse, share.ln(), 0.03, text)
}
