//! Whether parameters make a device: each contradiction with what to type.

use super::parameters::{ServiceTime, SimParameters};
use fathom_record::error::{EngineError as Error, ErrorKind};

/// Largest size of anything in bytes and largest rate: sums of them stay far from overflow.
const LARGEST: u64 = 1 << 60;

/// Servers and tags are kept in memory.
const MOST_PLACES: u32 = 1 << 20;

/// Cause and remedy.
type Fault = (String, &'static str);

fn fault(cause: impl Into<String>, remedy: &'static str) -> Result<(), Fault> {
    Err((cause.into(), remedy))
}

/// A limit's numbers, whatever they count.
struct LimitNumbers {
    name: &'static str,
    per_s: u64,
    bucket: u64,
    balance: u64,
    peak: Option<u64>,
}

impl SimParameters {
    /// Checks the parameters for contradictions.
    ///
    /// # Errors
    /// Names the first one, and what to type.
    pub fn validate(&self) -> Result<(), Error> {
        let checks = [
            Self::check_size,
            Self::check_service,
            Self::check_limits,
            Self::check_medium,
            Self::check_stalls,
            Self::check_noise,
        ];
        for check in checks {
            check(self).map_err(|(cause, remedy)| {
                Error::new(ErrorKind::Plan, format!("simulated device `{}`", self.name), cause)
                    .with_remedy(remedy)
            })?;
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), Fault> {
        let block = u64::from(self.logical_block_bytes);
        if !(512..=65_536).contains(&block) || !block.is_power_of_two() {
            return fault(
                format!("its logical block of {block} bytes is none"),
                "use block=512 or block=4096",
            );
        }
        if self.size_bytes < block || self.size_bytes > LARGEST || !self.size_bytes.is_multiple_of(block) {
            return fault(
                format!("its size of {} bytes is not a number of {block}-byte blocks", self.size_bytes),
                "use a size as size=100GiB",
            );
        }
        Ok(())
    }

    fn check_service(&self) -> Result<(), Fault> {
        if self.servers == 0 || self.servers > MOST_PLACES {
            return fault(
                format!("{} servers cannot be simulated", self.servers),
                "use servers=16, or any number from 1 to 1048576",
            );
        }
        if self.tags.is_some_and(|tags| tags == 0 || tags > MOST_PLACES) {
            return fault(
                "its number of tags cannot be simulated",
                "use tags=32, any number from 1 to 1048576, or tags=none",
            );
        }
        let times = [self.read.time, self.write.time, self.trim.time, self.flush.time];
        for time in times.into_iter().chain(self.positioning) {
            let (name, value, range) = match time {
                ServiceTime::Lognormal { sigma, .. } => ("lognormal", sigma, 0.0..=5.0),
                ServiceTime::Gamma { order, .. } => ("gamma", order, 0.01..=1e6),
                _ => continue,
            };
            if !range.contains(&value) {
                return fault(
                    format!("a {name} shape of {value} is out of range"),
                    "use lognormal:SIGMA with 0 to 5, or gamma:ORDER with 0.01 to 1000000",
                );
            }
        }
        let streams = [self.read.stream_bytes_per_s, self.write.stream_bytes_per_s];
        if streams.contains(&Some(0)) {
            return fault("a server that streams 0 bytes/s never ends", "use read-stream=1GB/s or none");
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), Fault> {
        let instance = self.instance.as_ref();
        let operations =
            [("iops", self.operations), ("instance-iops", instance.and_then(|instance| instance.operations))];
        let bytes = [
            ("throughput", self.throughput),
            ("instance-throughput", instance.and_then(|instance| instance.throughput)),
        ];
        let operations = operations.into_iter().filter_map(|(name, limit)| {
            limit.map(|limit| LimitNumbers {
                name,
                per_s: limit.operations_per_s,
                bucket: limit.bucket_operations,
                balance: limit.balance_operations,
                peak: limit.peak_operations_per_s,
            })
        });
        let bytes = bytes.into_iter().filter_map(|(name, limit)| {
            limit.map(|limit| LimitNumbers {
                name,
                per_s: limit.bytes_per_s,
                bucket: limit.bucket_bytes,
                balance: limit.balance_bytes,
                peak: limit.peak_bytes_per_s,
            })
        });
        operations.chain(bytes).try_for_each(|limit| limit.check())?;
        if instance.is_some_and(|instance| instance.operations.is_none() && instance.throughput.is_none()) {
            return fault(
                "its instance limits nothing",
                "add instance-iops=3600 or instance-throughput=81MB/s, or instance=none",
            );
        }
        if self.accounting.unit_bytes == Some(0) {
            return fault("I/Os cannot be counted in units of 0 bytes", "use unit=256KiB or unit=none");
        }
        if self.accounting.merge_sequential && self.accounting.unit_bytes.is_none() {
            return fault("merging needs a unit to merge up to", "add unit=256KiB, or merge=off");
        }
        Ok(())
    }

    fn check_medium(&self) -> Result<(), Fault> {
        if self.link.is_some_and(|link| link.bytes_per_s == 0 || link.bytes_per_s > LARGEST) {
            return fault("its link has no rate", "add link=3GB/s, or link=none");
        }
        if let Some(cache) = self.write_cache {
            if cache.capacity_bytes == 0 || cache.capacity_bytes > LARGEST {
                return fault("its write cache has no size", "add cache=64GiB, or cache=none");
            }
            if cache.free_bytes.is_some_and(|free| free > cache.capacity_bytes) {
                return fault(
                    "its write cache has more free room than room",
                    "add a larger cache=64GiB, or use a smaller cache-free=0",
                );
            }
            if cache.drain_bytes_per_s == 0 || cache.drain_bytes_per_s > LARGEST {
                return fault("its write cache never empties", "add drain=200MB/s, or cache=none");
            }
            if !(1.0..=1000.0).contains(&cache.random_amplification) {
                return fault(
                    format!("a write amplification of {} is out of range", cache.random_amplification),
                    "use amplification=1 to 1000",
                );
            }
        }
        if self.indirection_unit_bytes.is_some_and(|unit| !unit.is_power_of_two() || unit > 1 << 30) {
            return fault("its indirection unit is not a power of two", "use iu=16KiB or iu=none");
        }
        Ok(())
    }

    fn check_stalls(&self) -> Result<(), Fault> {
        let Some(stalls) = self.stalls else { return Ok(()) };
        if stalls.every_ns == 0 || stalls.every_ns > LARGEST {
            return fault("its stalls have no period", "add stall-every=60s, or stall-every=none");
        }
        if stalls.length_ns >= stalls.every_ns {
            return fault(
                "a stall as long as its period leaves no time to serve",
                "use a stall-length below stall-every, e.g. stall-every=60s,stall-length=1s",
            );
        }
        if stalls.phase_ns > LARGEST {
            return fault("its first stall is out of reach", "use stall-phase=30s");
        }
        if self.stalls_elapsed_ns > LARGEST {
            return fault("its stalls began too long ago", "use stall-elapsed=0s");
        }
        Ok(())
    }

    fn check_noise(&self) -> Result<(), Fault> {
        let Some(noise) = self.noise else { return Ok(()) };
        if !(0.0..=1.0).contains(&noise.deviation_share) {
            return fault("its noise is out of range", "use noise=1%, or any share up to 100%");
        }
        if noise.correlation_ns < 1_000 {
            return fault("its noise has no correlation time", "use noise-time=10s, or any time from 1us on");
        }
        Ok(())
    }
}

impl LimitNumbers {
    fn check(&self) -> Result<(), Fault> {
        let name = self.name;
        if self.per_s == 0 {
            return fault(
                format!("`{name}-...` is set, but the limit itself is not"),
                "add the limit, e.g. iops=3000, throughput=125MiB/s, instance-iops=3600 or \
                 instance-throughput=81MB/s",
            );
        }
        if self.per_s > LARGEST || self.bucket > LARGEST {
            return fault(format!("`{name}` is beyond any device"), "use a smaller value, or none");
        }
        if self.balance > self.bucket {
            return fault(
                format!("the balance of `{name}` is larger than its bucket"),
                "raise iops-bucket, throughput-bucket, ... or lower the -balance of the same name",
            );
        }
        if self.peak.is_some_and(|peak| peak < self.per_s || peak > LARGEST) {
            return fault(
                format!("the peak of `{name}` is below its sustained rate"),
                "raise iops-peak, throughput-peak, ... or set it to none",
            );
        }
        Ok(())
    }
}
