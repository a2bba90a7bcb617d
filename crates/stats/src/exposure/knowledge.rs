//! What is known of a target's hidden states, from a run record and from what the user adds.

use fathom_record::facts::TargetKind;
use fathom_record::{Direction, RunRecord};
use serde_json::Value;

use super::credits::{Credit, Credits};
use super::states::THERMAL_SPAN_S;

/// What is known of one thing.
#[derive(Clone, Debug, PartialEq)]
pub enum StateSize<T> {
    /// It is not there, for this reason.
    Absent(String),
    /// It is there, and this is its size.
    Size(T),
    /// Nothing is known.
    Nothing,
}

/// A temperature at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature {
    /// Seconds under load.
    pub at_s: f64,
    /// Degrees Celsius.
    pub celsius: f64,
}

/// How warm a device became: its temperatures, oldest first.
pub type Thermal = Vec<Temperature>;

/// What is known of each hidden state of a target under a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// Buckets of the volume.
    pub volume_credits: StateSize<Vec<Credits>>,
    /// Buckets of the instance.
    pub instance_credits: StateSize<Vec<Credits>>,
    /// Bytes over capacity that have to be written.
    pub write_cache: StateSize<f64>,
    /// Bytes of the cache that may answer reads.
    pub read_cache: StateSize<f64>,
    /// Whether blocks may still have to be fetched.
    pub lazy_load: StateSize<()>,
    /// Temperatures under load.
    pub thermal: StateSize<Thermal>,
}

impl Knowledge {
    /// What a record tells by itself; everything else stays unknown. Take the last run of those exposed:
    /// its temperatures are the latest.
    pub fn of(record: &RunRecord) -> Self {
        let kind = record.target.kind;
        if matches!(kind, TargetKind::Null | TargetKind::Memory) {
            return Self::nothing_hidden("the target has no device");
        }
        let moves = |direction| record.summary.direction(direction).is_some_and(|d| d.operations != Some(0));
        let credits = |scope: &str| match local(record) {
            true => StateSize::Absent(format!("a device of this machine has no credits of the {scope}")),
            false => StateSize::Nothing,
        };
        let mut known = Self {
            volume_credits: credits("volume"),
            instance_credits: credits("instance"),
            write_cache: write_cache(record, moves(Direction::Write)),
            read_cache: StateSize::Nothing,
            lazy_load: StateSize::Nothing,
            thermal: thermal(record),
        };
        if !moves(Direction::Read) {
            known.read_cache = StateSize::Absent("nothing is read".to_owned());
        }
        if local(record) || record.target.scratch {
            let reason =
                if record.target.scratch { "the run wrote the file itself" } else { "a local device" };
            known.lazy_load = StateSize::Absent(reason.to_owned());
        }
        if kind == TargetKind::Simulated {
            known.read_cache = StateSize::Absent("simulated devices have no read cache".to_owned());
            known.lazy_load = StateSize::Absent("simulated devices have no snapshots".to_owned());
            known.thermal = StateSize::Absent("simulated devices do not become warm".to_owned());
            if let Some(parameters) =
                record.target.simulated.as_ref().filter(|p| p.get("operations").is_some())
            {
                simulated(&mut known, parameters, moves(Direction::Write));
            }
        }
        known
    }

    /// A target that hides nothing, for this reason.
    pub fn nothing_hidden(reason: &str) -> Self {
        Self {
            volume_credits: StateSize::Absent(reason.to_owned()),
            instance_credits: StateSize::Absent(reason.to_owned()),
            write_cache: StateSize::Absent(reason.to_owned()),
            read_cache: StateSize::Absent(reason.to_owned()),
            lazy_load: StateSize::Absent(reason.to_owned()),
            thermal: StateSize::Absent(reason.to_owned()),
        }
    }
}

/// Whether the data lies on disks of a machine that is nobody's guest: no one sells credits there.
fn local(record: &RunRecord) -> bool {
    let environment = &record.environment;
    matches!(record.target.kind, TargetKind::File | TargetKind::BlockDevice)
        && environment.virtualization.is_none()
        && environment.instance.is_none()
        && record.target.devices.iter().any(|device| device.layer == "disk")
}

fn write_cache(record: &RunRecord, writes: bool) -> StateSize<f64> {
    if !writes {
        return StateSize::Absent("nothing is written".to_owned());
    }
    let disks: Vec<_> = record.target.devices.iter().filter(|device| device.layer == "disk").collect();
    let flash = !disks.is_empty() && disks.iter().all(|disk| disk.rotational == Some(false));
    // A volume of a cloud says that it does not turn, and tells nothing of what is behind it.
    if flash && local(record) { StateSize::Size(super::states::WRITTEN_OVER) } else { StateSize::Nothing }
}

/// Temperatures of the warmest device, if they were taken for long enough.
fn thermal(record: &RunRecord) -> StateSize<Thermal> {
    let at = &record.telemetry.at_ns;
    let warmest = record
        .telemetry
        .all("nvme.temperature")
        .filter_map(|series| Some((series.max()?, series)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, series)) = warmest else { return StateSize::Nothing };
    let temperatures: Thermal = at
        .iter()
        .zip(&series.values)
        .filter_map(|(at_ns, celsius)| Some(Temperature { at_s: *at_ns as f64 / 1e9, celsius: (*celsius)? }))
        .collect();
    let spanned = match (temperatures.first(), temperatures.last()) {
        (Some(first), Some(last)) => last.at_s - first.at_s,
        _ => 0.0,
    };
    if spanned >= THERMAL_SPAN_S { StateSize::Size(temperatures) } else { StateSize::Nothing }
}

/// What a simulated device's own parameters say: its buckets, and whether it has a cache for writes.
fn simulated(known: &mut Knowledge, parameters: &Value, writes: bool) {
    let credits = |of: &Value| {
        let found: Vec<Credits> =
            [operations(&of["operations"]), bytes(&of["throughput"])].into_iter().flatten().collect();
        let reason = "its parameters name no bucket".to_owned();
        if found.is_empty() { StateSize::Absent(reason) } else { StateSize::Size(found) }
    };
    known.volume_credits = credits(parameters);
    known.instance_credits = credits(&parameters["instance"]);
    known.write_cache = match (writes, parameters["write_cache"].is_object()) {
        (false, _) => StateSize::Absent("nothing is written".to_owned()),
        (true, false) => StateSize::Absent("its parameters name no write cache".to_owned()),
        (true, true) => StateSize::Size(super::states::WRITTEN_OVER),
    };
}

fn operations(limit: &Value) -> Option<Credits> {
    bucket(limit, Credit::Operation, ["operations_per_s", "bucket_operations", "peak_operations_per_s"])
}

fn bytes(limit: &Value) -> Option<Credits> {
    bucket(limit, Credit::Byte, ["bytes_per_s", "bucket_bytes", "peak_bytes_per_s"])
}

/// A limit's bucket by the names of its refill, size and burst; `None` where it holds less than a second's
/// worth, and so changes no second.
fn bucket(limit: &Value, credit: Credit, names: [&str; 3]) -> Option<Credits> {
    let [refill, size, burst] = names.map(|name| limit[name].as_f64());
    let (refill_per_s, size) = (refill?, size?);
    // Without a peak the rest of the device decides; ten times the base is then taken.
    let burst_per_s = burst.unwrap_or(10.0 * refill_per_s);
    let source = "the simulated device's parameters".to_owned();
    (size > refill_per_s && burst_per_s > refill_per_s).then_some(Credits {
        credit,
        size,
        refill_per_s,
        burst_per_s,
        source,
    })
}
