//! The keys that change a preset: one list of name, meaning and what it sets.

use fathom_measure::{ByteRate, Bytes, Nanos, Rate, Share, UnitError};
use fathom_record::options::{ByteLimit, OperationLimit, Stalls};

use super::parameters::{Instance, Link, Lock, Noise, ServiceTime, SimParameters, WriteCache};

/// One key of `sim:NAME,KEY=VALUE,...`.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What a value looks like.
    pub example: &'static str,
    /// What it sets, in one line.
    pub meaning: &'static str,
    pub(super) set: fn(&mut SimParameters, &str) -> Result<(), String>,
}

fn size(text: &str) -> Result<u64, String> {
    text.parse::<Bytes>().map(|bytes| bytes.0).map_err(|error: UnitError| error.to_string())
}

fn time(text: &str) -> Result<u64, String> {
    text.parse::<Nanos>().map(|time| time.0).map_err(|error| error.to_string())
}

fn rate(text: &str) -> Result<u64, String> {
    let rate = text.parse::<Rate>().map_err(|error| error.to_string())?.0;
    if rate < 1.0 { Err(format!("`{text}` is too slow: write 1 or more")) } else { Ok(rate.round() as u64) }
}

fn byte_rate(text: &str) -> Result<u64, String> {
    let rate = text.parse::<ByteRate>().map_err(|error| error.to_string())?.0;
    if rate < 1.0 {
        Err(format!("`{text}` is too slow: write 1B/s or more"))
    } else {
        Ok(rate.round() as u64)
    }
}

fn count<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here: write digits, e.g. 16"))
}

/// Tokens, e.g. `5400000` or `5.4M`.
fn tokens(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { rate(text) }
}

fn share(text: &str) -> Result<f64, String> {
    text.parse::<Share>().map(|share| share.0).map_err(|error| error.to_string())
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{text}` is not a switch: write on or off")),
    }
}

/// `none`, or a value.
fn or_none<T>(text: &str, read: fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text == "none" { Ok(None) } else { read(text).map(Some) }
}

fn shape(text: &str, mean_ns: u64) -> Result<ServiceTime, String> {
    let error =
        || format!("`{text}` is not a valid shape: write constant, exponential, lognormal:0.3 or gamma:4");
    let (name, number) = text.split_once(':').unwrap_or((text, ""));
    let value = || number.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(error);
    match (name, number) {
        ("constant", "") => Ok(ServiceTime::Constant { mean_ns }),
        ("exponential", "") => Ok(ServiceTime::Exponential { mean_ns }),
        ("lognormal", _) => Ok(ServiceTime::Lognormal { mean_ns, sigma: value()? }),
        ("gamma", _) => Ok(ServiceTime::Gamma { mean_ns, order: value()? }),
        _ => Err(error()),
    }
}

fn operations(p: &mut SimParameters) -> &mut OperationLimit {
    p.operations.get_or_insert_default()
}

fn throughput(p: &mut SimParameters) -> &mut ByteLimit {
    p.throughput.get_or_insert_default()
}

fn instance(p: &mut SimParameters) -> &mut Instance {
    p.instance.get_or_insert_with(|| Instance {
        group: "instance".to_owned(),
        operations: None,
        throughput: None,
    })
}

fn instance_operations(p: &mut SimParameters) -> &mut OperationLimit {
    instance(p).operations.get_or_insert_default()
}

fn instance_throughput(p: &mut SimParameters) -> &mut ByteLimit {
    instance(p).throughput.get_or_insert_default()
}

fn lock(p: &mut SimParameters) -> &mut Lock {
    p.lock.get_or_insert(Lock { hold_ns: 0, handover_ns: 0 })
}

fn link(p: &mut SimParameters) -> &mut Link {
    p.link.get_or_insert(Link { bytes_per_s: 0, round_trip_ns: 0 })
}

fn cache(p: &mut SimParameters) -> &mut WriteCache {
    p.write_cache.get_or_insert(WriteCache {
        capacity_bytes: 0,
        free_bytes: None,
        drain_bytes_per_s: 0,
        random_amplification: 1.0,
    })
}

fn stalls(p: &mut SimParameters) -> &mut Stalls {
    p.stalls.get_or_insert(Stalls { every_ns: 0, length_ns: 1_000_000_000, phase_ns: 0 })
}

fn noise(p: &mut SimParameters) -> &mut Noise {
    p.noise.get_or_insert(Noise { deviation_share: 0.0, correlation_ns: 10_000_000_000 })
}

/// Builds one entry of the list; the closure's `p` is the device and `text` the value.
macro_rules! key {
    ($name:literal, $example:literal, $meaning:literal, |$p:ident, $text:ident| $set:expr) => {
        Key {
            name: $name,
            example: $example,
            meaning: $meaning,
            set: |$p, $text| {
                $set;
                Ok(())
            },
        }
    };
}

/// All keys, in the order in which they are shown.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key!("size", "100GiB", "size; presets of clouds derive their limits from it", |p, t| p.size_bytes = size(t)?),
    key!("block", "512", "logical block", |p, t| p.logical_block_bytes = size(t)?.try_into().unwrap_or(0)),
    key!("servers", "16", "I/Os served at the same time", |p, t| p.servers = count(t)?),
    key!("tags", "32", "I/Os that the device holds at most, or none", |p, t| p.tags = or_none(t, count)?),
    key!("base", "50us", "latency added to every I/O, without occupying a server", |p, t| p.base_latency_ns = time(t)?),
    key!("read", "90us", "mean service time of a read", |p, t| p.read.time = p.read.time.with_mean_ns(time(t)?)),
    key!("read-shape", "lognormal:0.3", "its distribution: constant, exponential, lognormal:SIGMA, gamma:ORDER", |p, t| p.read.time = shape(t, p.read.time.mean_ns())?),
    key!("read-stream", "3GB/s", "rate at which one server moves a read's bytes, or none", |p, t| p.read.stream_bytes_per_s = or_none(t, byte_rate)?),
    key!("write", "20us", "mean service time of a write", |p, t| p.write.time = p.write.time.with_mean_ns(time(t)?)),
    key!("write-shape", "exponential", "its distribution", |p, t| p.write.time = shape(t, p.write.time.mean_ns())?),
    key!("write-stream", "3GB/s", "rate at which one server moves a write's bytes, or none", |p, t| p.write.stream_bytes_per_s = or_none(t, byte_rate)?),
    key!("trim", "50us", "mean service time of a trim", |p, t| p.trim.time = p.trim.time.with_mean_ns(time(t)?)),
    key!("trim-shape", "constant", "its distribution", |p, t| p.trim.time = shape(t, p.trim.time.mean_ns())?),
    key!("flush", "10us", "mean service time of a flush", |p, t| p.flush.time = p.flush.time.with_mean_ns(time(t)?)),
    key!("flush-shape", "constant", "its distribution", |p, t| p.flush.time = shape(t, p.flush.time.mean_ns())?),
    key!("positioning", "12ms", "mean time added when an I/O does not continue a stream, or none",
        |p, t| p.positioning = or_none(t, time)?.map(|mean_ns| p.positioning.unwrap_or(ServiceTime::Constant { mean_ns }).with_mean_ns(mean_ns))),
    key!("positioning-shape", "gamma:8", "its distribution", |p, t| p.positioning = Some(shape(t, p.positioning.map_or(0, |time| time.mean_ns()))?)),
    key!("cpu", "5us", "CPU time of the software above for an I/O: spent where time is real, latency alone where it is simulated",
        |p, t| p.cpu_ns = time(t)?),
    key!("lock", "2us", "time for which an I/O holds a lock of the software above, or none",
        |p, t| match or_none(t, time)? { Some(time) => lock(p).hold_ns = time, None => p.lock = None }),
    key!("lock-handover", "3us", "added to that for each other job that wants it too", |p, t| lock(p).handover_ns = time(t)?),
    key!("iops", "6000", "sustained limit on operations, or none",
        |p, t| match or_none(t, rate)? { Some(rate) => operations(p).operations_per_s = rate, None => p.operations = None }),
    key!("iops-peak", "3k", "limit on operations while there are credits, or none", |p, t| operations(p).peak_operations_per_s = or_none(t, rate)?),
    key!("iops-bucket", "5.4M", "credits that the limit on operations can hold; they start full",
        |p, t| { let limit = operations(p); limit.bucket_operations = tokens(t)?; limit.balance_operations = limit.bucket_operations }),
    key!("iops-balance", "0", "credits at the start", |p, t| operations(p).balance_operations = tokens(t)?),
    key!("throughput", "250MB/s", "sustained limit on bytes, or none",
        |p, t| match or_none(t, byte_rate)? { Some(rate) => throughput(p).bytes_per_s = rate, None => p.throughput = None }),
    key!("throughput-peak", "500MB/s", "limit on bytes while there are credits, or none", |p, t| throughput(p).peak_bytes_per_s = or_none(t, byte_rate)?),
    key!("throughput-bucket", "1TiB", "credits that the limit on bytes can hold; they start full",
        |p, t| { let limit = throughput(p); limit.bucket_bytes = size(t)?; limit.balance_bytes = limit.bucket_bytes }),
    key!("throughput-balance", "0", "credits at the start", |p, t| throughput(p).balance_bytes = size(t)?),
    key!("unit", "256KiB", "an I/O counts once per started unit, or none",
        |p, t| { p.accounting.unit_bytes = or_none(t, size)?; p.accounting.merge_sequential &= p.accounting.unit_bytes.is_some() }),
    key!("merge", "on", "whether sequential I/Os count by their share of a unit, on or off", |p, t| p.accounting.merge_sequential = switch(t)?),
    key!("random-charge", "1MiB", "bytes that a random I/O costs at least", |p, t| p.accounting.least_random_bytes = size(t)?),
    key!("instance", "host1", "instance whose limit is shared, or none",
        |p, t| if t == "none" { p.instance = None } else { instance(p).group = t.to_owned() }),
    key!("instance-iops", "3600", "sustained limit on operations of the instance, or none",
        |p, t| match or_none(t, rate)? { Some(rate) => instance_operations(p).operations_per_s = rate, None => instance(p).operations = None }),
    key!("instance-iops-peak", "40k", "the same while there are credits, or none", |p, t| instance_operations(p).peak_operations_per_s = or_none(t, rate)?),
    key!("instance-iops-bucket", "65M", "its credits; they start full",
        |p, t| { let limit = instance_operations(p); limit.bucket_operations = tokens(t)?; limit.balance_operations = limit.bucket_operations }),
    key!("instance-iops-balance", "0", "credits at the start", |p, t| instance_operations(p).balance_operations = tokens(t)?),
    key!("instance-throughput", "81MB/s", "sustained limit on bytes of the instance, or none",
        |p, t| match or_none(t, byte_rate)? { Some(rate) => instance_throughput(p).bytes_per_s = rate, None => instance(p).throughput = None }),
    key!("instance-throughput-peak", "1250MB/s", "the same while there are credits, or none", |p, t| instance_throughput(p).peak_bytes_per_s = or_none(t, byte_rate)?),
    key!("instance-throughput-bucket", "2TB", "its credits; they start full",
        |p, t| { let limit = instance_throughput(p); limit.bucket_bytes = size(t)?; limit.balance_bytes = limit.bucket_bytes }),
    key!("instance-throughput-balance", "0", "credits at the start", |p, t| instance_throughput(p).balance_bytes = size(t)?),
    key!("link", "3GB/s", "rate of the wire in each direction, or none",
        |p, t| match or_none(t, byte_rate)? { Some(rate) => link(p).bytes_per_s = rate, None => p.link = None }),
    key!("round-trip", "20us", "propagation of the wire, there and back", |p, t| link(p).round_trip_ns = time(t)?),
    key!("cache", "64GiB", "room of the write cache, or none",
        |p, t| match or_none(t, size)? { Some(size) => cache(p).capacity_bytes = size, None => p.write_cache = None }),
    key!("cache-free", "0", "room of the write cache that is free at the start; all of it unless given",
        |p, t| cache(p).free_bytes = Some(size(t)?)),
    key!("drain", "200MB/s", "rate at which the write cache empties", |p, t| cache(p).drain_bytes_per_s = byte_rate(t)?),
    key!("amplification", "4.3", "medium bytes per byte of random writes", |p, t| cache(p).random_amplification = count(t)?),
    key!("iu", "16KiB", "indirection unit, or none", |p, t| p.indirection_unit_bytes = or_none(t, size)?),
    key!("stall-every", "60s", "period of stalls, or none",
        |p, t| match or_none(t, time)? { Some(time) => stalls(p).every_ns = time, None => p.stalls = None }),
    key!("stall-length", "1s", "how long each lasts", |p, t| stalls(p).length_ns = time(t)?),
    key!("stall-phase", "30s", "start of the first one", |p, t| stalls(p).phase_ns = time(t)?),
    key!("stall-elapsed", "10s", "how much of their schedule has passed at the start",
        |p, t| p.stalls_elapsed_ns = time(t)?),
    key!("noise", "1%", "deviation of the device's speed, or none",
        |p, t| match or_none(t, share)? { Some(share) => noise(p).deviation_share = share, None => p.noise = None }),
    key!("noise-time", "10s", "time over which that is correlated", |p, t| noise(p).correlation_ns = time(t)?),
    key!("seed", "1", "seed of service times and noise", |p, t| p.seed = count(t)?),
];
