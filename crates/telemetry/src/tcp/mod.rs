//! The kernel's view of connections that engines have open: round trips, windows, what was sent again. Its numbers are
//! read as those of a little-endian machine, which all that fathom is built for are.

#[cfg(not(target_os = "linux"))]
#[path = "info_elsewhere.rs"]
mod info;
#[cfg(target_os = "linux")]
#[path = "info_linux.rs"]
mod info;
mod metrics;

pub use metrics::METRICS;

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

use crate::counter_growth::per_second;
use crate::{MetricDecl, Sample, Source};

/// Connections by their label, e.g. `job 0`: engines put in what they connect, and take out what they close.
pub type Sockets = Arc<Mutex<Vec<(String, TcpStream)>>>;

/// What the kernel says of a connection (Linux `include/uapi/linux/tcp.h`, `struct tcp_info`), as far as this kernel
/// says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Info {
    segment_bytes: u64,
    unacknowledged: u64,
    rtt_us: u64,
    window: u64,
    retransmits: u64,
    received_bytes: Option<u64>,
    not_sent_bytes: Option<u64>,
    min_rtt_us: Option<u64>,
    delivery_rate: Option<u64>,
    receiver_limited_us: Option<u64>,
    buffer_limited_us: Option<u64>,
    sent_bytes: Option<u64>,
    retransmitted_bytes: Option<u64>,
    out_of_order: Option<u64>,
    segments_in: Option<u64>,
}

impl Info {
    /// From the bytes that the kernel filled in; none where they hold less than every kernel's.
    fn of(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            let word: &[u8; 4] = bytes.get(at..)?.first_chunk()?;
            Some(u64::from(u32::from_le_bytes(*word)))
        };
        let long = |at: usize| {
            let long: &[u8; 8] = bytes.get(at..)?.first_chunk()?;
            Some(u64::from_le_bytes(*long))
        };
        Some(Self {
            segment_bytes: word(16)?,
            unacknowledged: word(24)?,
            rtt_us: word(68)?,
            window: word(80)?,
            retransmits: word(100)?,
            received_bytes: long(128),
            not_sent_bytes: word(144),
            min_rtt_us: word(148).filter(|us| *us < u64::from(u32::MAX)),
            delivery_rate: long(160),
            receiver_limited_us: long(176),
            buffer_limited_us: long(184),
            sent_bytes: long(200),
            retransmitted_bytes: long(208),
            out_of_order: word(224),
            segments_in: word(152),
        })
    }

    fn put(&self, before: Option<&Self>, label: &str, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let states = [
            Some(self.rtt_us * 1000),
            self.min_rtt_us.map(|us| us * 1000),
            Some(self.window * self.segment_bytes),
            Some(self.unacknowledged * self.segment_bytes),
            self.not_sent_bytes,
            self.delivery_rate,
        ];
        for (metric, state) in METRICS.iter().zip(states) {
            if let Some(state) = state {
                sample.put(metric, label, state as f64);
            }
        }
        let Some(before) = before else { return };
        let counts = [
            before.sent_bytes.zip(self.sent_bytes),
            before.received_bytes.zip(self.received_bytes),
            Some((before.retransmits, self.retransmits)),
            before.retransmitted_bytes.zip(self.retransmitted_bytes),
            before.out_of_order.zip(self.out_of_order),
            before.segments_in.zip(self.segments_in),
        ];
        for (metric, count) in METRICS.iter().skip(states.len()).zip(counts) {
            if let Some((before, now)) = count {
                sample.put(metric, label, per_second(before, now, elapsed_ns));
            }
        }
        let times = [
            before.receiver_limited_us.zip(self.receiver_limited_us),
            before.buffer_limited_us.zip(self.buffer_limited_us),
        ];
        for (metric, time) in METRICS.iter().skip(states.len() + counts.len()).zip(times) {
            if let Some((before, now)) = time {
                let share = now.saturating_sub(before) as f64 * 1000.0 / elapsed_ns.max(1) as f64;
                sample.put(metric, label, share.min(1.0));
            }
        }
    }
}

/// The connections of a run.
pub struct Tcp {
    sockets: Vec<Sockets>,
    before: HashMap<String, Info>,
}

impl Tcp {
    /// Those that engines put in.
    pub fn new(sockets: &[Sockets]) -> Self {
        Self { sockets: sockets.to_vec(), before: HashMap::new() }
    }
}

impl Source for Tcp {
    fn describe(&self) -> &'static [MetricDecl] {
        METRICS
    }

    fn sample(&mut self, elapsed_ns: u64, sample: &mut Sample<'_>) {
        let mut after = HashMap::new();
        for sockets in &self.sockets {
            for (label, stream) in sockets.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                match info::read(stream).map(|bytes| Info::of(&bytes)) {
                    Ok(Some(now)) => {
                        now.put(self.before.get(label), label, elapsed_ns, sample);
                        after.insert(label.clone(), now);
                    }
                    Ok(None) => {
                        sample.absent("tcp", "this kernel reports too little of connections".to_owned())
                    }
                    Err(error) => sample.absent("tcp", error.cause),
                }
            }
        }
        self.before = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_kernels_tell_less_and_none_is_misread() {
        let bytes: Vec<u8> = (0..=240).collect();
        let whole = Info::of(&bytes).unwrap();
        let word = |at: u8| u64::from(u32::from_le_bytes([at, at + 1, at + 2, at + 3]));
        assert_eq!((whole.segment_bytes, whole.rtt_us, whole.window), (word(16), word(68), word(80)));
        assert_eq!(whole.retransmits, word(100));
        assert!(whole.retransmitted_bytes.is_some());
        let old = Info::of(&bytes[..104]).unwrap();
        assert_eq!((old.retransmits, old.received_bytes, old.min_rtt_us), (word(100), None, None));
        for length in 0..104 {
            assert_eq!(Info::of(&bytes[..length]), None);
        }
    }
}
