//! What a row states next to its rate: processors, locks, heat, the disks' own counters, tags and units.

use fathom_attribute::symptoms::{BusyShares, Symptom};

use super::PublishedRow;
use super::row::Order;

/// Standard error of what was published in whole percent.
const PERCENT_ERROR: f64 = 0.01;
/// Standard error of the logarithm of a variation of which the seconds are not known.
const VARIATION_ERROR: f64 = 0.3;

/// Everything that a row states.
pub fn seen(row: &PublishedRow) -> Vec<Symptom> {
    let mut found = processors(row);
    found.extend(job(row));
    found.extend(share(row.lock_percent).and_then(Symptom::lock_share));
    found.extend(share(row.steal_percent).and_then(Symptom::steal));
    found.extend(share(row.hot_percent).and_then(Symptom::heat));
    found.extend(share(row.variation_percent).filter(|share| *share > 0.0).and_then(unevenness));
    found.extend(share(row.disk_bytes_percent).filter(|share| *share >= 0.0).and_then(Symptom::device_bytes));
    found.extend(map_unit(row));
    found.extend(asked(row));
    found.extend(tags(row));
    found.extend(share(row.credits_left_percent).and_then(Symptom::credits_left));
    found.extend(flushes(row));
    found.extend(share(row.merged_percent).and_then(Symptom::merged));
    found.extend(in_flight(row));
    found.extend(row.ended_early.then(Symptom::ended).flatten());
    found.extend(core_use(row));
    found
}

fn share(percent: Option<f64>) -> Option<f64> {
    percent.map(|percent| percent / 100.0)
}

fn processors(row: &PublishedRow) -> Vec<Symptom> {
    let (busiest, mean) = (share(row.busiest_core_percent), share(row.cpu_percent));
    BusyShares { busiest, mean, cores: row.cores }.symptoms()
}

/// What fio prints of a job's processor time. A job is one thread of the generator: where it is busy all the time, so
/// is a processor.
fn job(row: &PublishedRow) -> Vec<Symptom> {
    let (Some(user), Some(system)) = (share(row.job_user_percent), share(row.job_system_percent)) else {
        return Vec::new();
    };
    let busy = (user + system).min(1.0);
    let mut found = Symptom::generator(Some(busy), Some(user / busy));
    if row.busiest_core_percent.is_none() && row.cpu_percent.is_none() {
        found.extend(Symptom::core_of_thread(busy));
    }
    found
}

fn unevenness(variation: f64) -> Option<Symptom> {
    Symptom::unevenness(variation, VARIATION_ERROR)
}

/// Random writes against the unit that the device maps.
fn map_unit(row: &PublishedRow) -> Option<Symptom> {
    let (block, unit) = (row.block_bytes?, row.map_unit_bytes.filter(|unit| *unit > 0.0)?);
    let writes = row.read_share().is_some_and(|share| share < 1.0);
    (writes && row.order == Some(Order::Random)).then(|| Symptom::map_unit(block, unit)).flatten()
}

/// An open loop's rate against the one that was asked for.
fn asked(row: &PublishedRow) -> Option<Symptom> {
    let share = row.operations_per_s()? / row.asked_iops.filter(|rate| *rate > 0.0)?;
    Symptom::asked(share, PERCENT_ERROR)
}

fn tags(row: &PublishedRow) -> Vec<Symptom> {
    let Some(tags) = row.queue_tags.filter(|tags| *tags >= 1.0) else { return Vec::new() };
    let in_flight = row.in_flight().or_else(|| row.concurrency());
    let asked = in_flight.and_then(|count| Symptom::asked_tags(count, tags));
    let served = row.unloaded_us.zip(row.operations_per_s());
    let served = served.and_then(|(us, rate)| Symptom::served(us / 1e6 * rate, tags));
    asked.into_iter().chain(served).collect()
}

/// Flushes for each write.
fn flushes(row: &PublishedRow) -> Option<Symptom> {
    Symptom::flushes(row.flushes().filter(|flushes| *flushes > 0.0)?, PERCENT_ERROR)
}

/// I/Os in flight, as stated.
fn in_flight(row: &PublishedRow) -> Option<Symptom> {
    Symptom::in_flight(row.concurrency().filter(|_| row.depth.is_some() || row.target_is_shallow())?)
}

/// The rate over what the processors can do that worked, by the stated limit of one.
fn core_use(row: &PublishedRow) -> Option<Symptom> {
    let each_per_s = row.core_iops_limit?;
    let share = row.operations_per_s()? / (each_per_s * row.cores.unwrap_or(1.0));
    Symptom::core_use(share, each_per_s)
}
