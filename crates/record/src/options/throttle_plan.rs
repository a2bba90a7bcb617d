//! What a throttle is asked to allow: read from text, written back, checked.

use std::fmt;
use std::str::FromStr;

use crate::Fault;
use fathom_measure::{ByteRate, Bytes, Rate};
use serde::{Deserialize, Serialize};

use crate::spelling::nearest;

/// Token bucket on operations, with an optional faster rate while there are tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationLimit {
    /// Tokens earned per second: the rate that can be sustained.
    pub operations_per_s: u64,
    /// Tokens that the bucket holds. 0 paces I/Os evenly.
    pub bucket_operations: u64,
    /// Tokens at the start.
    pub balance_operations: u64,
    /// Rate while there are tokens; absent: as fast as the rest of the device.
    pub peak_operations_per_s: Option<u64>,
}

/// Token bucket on bytes, with an optional faster rate while there are tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByteLimit {
    /// Tokens earned per second: the throughput that can be sustained.
    pub bytes_per_s: u64,
    /// Tokens that the bucket holds. 0 paces I/Os evenly.
    pub bucket_bytes: u64,
    /// Tokens at the start.
    pub balance_bytes: u64,
    /// Throughput while there are tokens; absent: as fast as the rest of the device.
    pub peak_bytes_per_s: Option<u64>,
}

impl OperationLimit {
    /// A limit that paces evenly, without credit.
    pub fn paced(operations_per_s: u64) -> Self {
        Self { operations_per_s, ..Self::default() }
    }
}

impl ByteLimit {
    /// A limit that paces evenly, without credit.
    pub fn paced(bytes_per_s: u64) -> Self {
        Self { bytes_per_s, ..Self::default() }
    }
}

/// Limits on operations, on bytes, or on both at once. Buckets start full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThrottlePlan {
    /// Limit on reads and writes.
    pub operations: Option<OperationLimit>,
    /// Limit on the bytes that they move.
    pub bytes: Option<ByteLimit>,
}

const KEYS: [&str; 6] =
    ["iops", "iops-peak", "iops-bucket", "throughput", "throughput-peak", "throughput-bucket"];
const EXAMPLE: &str = "iops=3000,iops-bucket=5.4M,throughput=125MB/s";

impl ThrottlePlan {
    /// Operations per second that can be sustained, if they are limited.
    pub fn operations_per_s(&self) -> Option<f64> {
        self.operations.map(|limit| limit.operations_per_s as f64)
    }

    /// Bytes per second that can be sustained, if they are limited.
    pub fn bytes_per_s(&self) -> Option<f64> {
        self.bytes.map(|limit| limit.bytes_per_s as f64)
    }

    /// How long a full bucket of `bucket` tokens that earns `sustained_per_s` lets a rate of `demand_per_s`
    /// through, in seconds; infinite where the rate can be sustained.
    pub fn burst_s(bucket: f64, sustained_per_s: f64, demand_per_s: f64) -> f64 {
        if demand_per_s <= sustained_per_s {
            f64::INFINITY
        } else {
            bucket / (demand_per_s - sustained_per_s)
        }
    }
}

impl FromStr for ThrottlePlan {
    type Err = Fault;

    /// Reads `iops=3000,throughput=125MB/s`, each optionally with its `-bucket` and `-peak`.
    fn from_str(text: &str) -> Result<Self, Fault> {
        let mut values: [Option<u64>; KEYS.len()] = [None; KEYS.len()];
        for part in text.split(',').map(str::trim) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(Fault::from(format!("`{part}` is not KEY=VALUE: write a throttle as {EXAMPLE}")));
            };
            let (key, value) = (key.trim(), value.trim());
            let Some(index) = KEYS.iter().position(|known| *known == key) else {
                return Err(unknown(key).into());
            };
            let read = match index {
                0 | 1 => operations(value)?,
                2 => tokens(value)?,
                3 | 4 => byte_rate(value)?,
                _ => value.parse::<Bytes>()?.0,
            };
            if values[index].replace(read).is_some() {
                return Err(Fault::from(format!("`{key}` is given twice: give it once")));
            }
        }
        let [iops, iops_peak, iops_bucket, throughput, throughput_peak, throughput_bucket] = values;
        check("iops", iops, iops_peak, iops_bucket)?;
        check("throughput", throughput, throughput_peak, throughput_bucket)?;
        let operations = iops.map(|operations_per_s| OperationLimit {
            operations_per_s,
            bucket_operations: iops_bucket.unwrap_or(0),
            balance_operations: iops_bucket.unwrap_or(0),
            peak_operations_per_s: iops_peak,
        });
        let bytes = throughput.map(|bytes_per_s| ByteLimit {
            bytes_per_s,
            bucket_bytes: throughput_bucket.unwrap_or(0),
            balance_bytes: throughput_bucket.unwrap_or(0),
            peak_bytes_per_s: throughput_peak,
        });
        Ok(Self { operations, bytes })
    }
}

fn unknown(key: &str) -> String {
    let meant = match key {
        "bytes" | "bps" | "bandwidth" => Some("throughput"),
        "burst" | "bucket" => Some("iops-bucket"),
        other => nearest(other, KEYS).first().copied(),
    };
    match meant {
        Some(meant) => format!("unknown key `{key}`: did you mean `{meant}`?"),
        None => format!("unknown key `{key}`: write a throttle as {EXAMPLE}"),
    }
}

/// A bucket or a peak belongs to a rate, and a peak is above it and has credits to spend.
fn check(name: &str, rate: Option<u64>, peak: Option<u64>, bucket: Option<u64>) -> Result<(), Fault> {
    let Some(rate) = rate else {
        return match (peak, bucket) {
            (None, None) => Ok(()),
            _ => Err(Fault::from(format!(
                "{name}-peak and {name}-bucket need {name}: write a throttle as {EXAMPLE}"
            ))),
        };
    };
    match peak {
        Some(peak) if peak <= rate => {
            Err(Fault::from(format!("{name}-peak must be above {name}, which is {rate}")))
        }
        Some(_) if bucket.is_none_or(|bucket| bucket == 0) => {
            Err(Fault::from(format!("{name}-peak needs {name}-bucket: the credits that it spends")))
        }
        _ => Ok(()),
    }
}

fn operations(text: &str) -> Result<u64, Fault> {
    if text.trim_matches(['0', '.']).is_empty() && text.contains('0') {
        return Err(Fault::from(format!(
            "at a rate of `{text}` no I/O would ever end: write 1 or more, e.g. 5k"
        )));
    }
    let rate = text.parse::<Rate>()?.0;
    whole(rate, text, "1")
}

fn byte_rate(text: &str) -> Result<u64, Fault> {
    let rate = text.parse::<ByteRate>()?.0;
    whole(rate, text, "1B/s")
}

/// Credits, e.g. `5400000` or `5.4M`.
fn tokens(text: &str) -> Result<u64, Fault> {
    if text == "0" { Ok(0) } else { operations(text) }
}

fn whole(rate: f64, text: &str, least: &str) -> Result<u64, Fault> {
    if rate >= 1.0 && rate < (1u64 << 53) as f64 {
        Ok(rate.round() as u64)
    } else {
        Err(Fault::from(format!("`{text}` is out of range: write {least} or more")))
    }
}

impl fmt::Display for ThrottlePlan {
    /// As [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (o, b) = (self.operations.as_ref(), self.bytes.as_ref());
        let some = |bucket: u64| (bucket > 0).then_some(bucket);
        let values = [
            (o.map(|o| o.operations_per_s), ""),
            (o.and_then(|o| o.peak_operations_per_s), ""),
            (o.and_then(|o| some(o.bucket_operations)), ""),
            (b.map(|b| b.bytes_per_s), "B/s"),
            (b.and_then(|b| b.peak_bytes_per_s), "B/s"),
            (b.and_then(|b| some(b.bucket_bytes)), ""),
        ];
        let mut separator = "";
        for (key, (value, unit)) in KEYS.iter().zip(values) {
            if let Some(value) = value {
                write!(f, "{separator}{key}={value}{unit}")?;
                separator = ",";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_wrong_is_answered_with_what_to_type() {
        for (text, said) in [
            ("", "iops=3000"),
            ("3000", "KEY=VALUE"),
            ("iop=3000", "did you mean `iops`?"),
            ("bytes=1MB/s", "`throughput`"),
            ("burst=5", "`iops-bucket`"),
            ("iops=0", "no I/O would ever end"),
            ("iops=0.0", "no I/O would ever end"),
            ("iops=0.4", "out of range"),
            ("iops=1,iops=2", "twice"),
            ("iops-bucket=5", "need iops"),
            ("throughput=fast", "250MB/s"),
            ("iops=100,iops-peak=50,iops-bucket=9", "above iops"),
            ("iops=100,iops-peak=500", "needs iops-bucket"),
        ] {
            let error = text.parse::<ThrottlePlan>().expect_err(text).cause;
            assert!(error.contains(said), "{text}: {error}");
        }
        let plan: ThrottlePlan = "iops=3k,iops-bucket=5.4M,throughput=125MB/s".parse().unwrap();
        assert_eq!(plan.to_string(), "iops=3000,iops-bucket=5400000,throughput=125000000B/s");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            iops in 1u64..1 << 50, bucket in 0u64..1 << 50, peak: bool, bytes in 1u64..1 << 50, which in 1..4,
        ) {
            let peak = |rate: u64| (peak && bucket > 0).then_some(rate + 1);
            let operations = OperationLimit {
                operations_per_s: iops,
                bucket_operations: bucket,
                balance_operations: bucket,
                peak_operations_per_s: peak(iops),
            };
            let byte_limit = ByteLimit {
                bytes_per_s: bytes,
                bucket_bytes: bucket,
                balance_bytes: bucket,
                peak_bytes_per_s: peak(bytes),
            };
            let plan = ThrottlePlan {
                operations: (which & 1 != 0).then_some(operations),
                bytes: (which & 2 != 0).then_some(byte_limit),
            };
            prop_assert_eq!(plan.to_string().parse(), Ok(plan));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = text.parse::<ThrottlePlan>();
        }
    }
}
