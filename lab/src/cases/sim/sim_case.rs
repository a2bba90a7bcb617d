//! A simulated case in the making: the device's keys, the load on it, and the ceilings that are told.

use super::super::super::draw::Draw;
use super::super::case::{Case, Place, Truth, words};

/// A load: what is done, in what sizes, by how many.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub rw: &'static str,
    pub block_bytes: u64,
    pub jobs: u64,
    pub depth: u64,
}

impl Load {
    /// `in_flight` I/Os or a little more, in one job or a few.
    pub fn of(draw: &mut Draw, rw: &'static str, block_bytes: u64, in_flight: u64) -> Self {
        let jobs = draw.pick(&[1, 1, 2, 4]).min(in_flight.max(1));
        Self { rw, block_bytes, jobs, depth: in_flight.max(1).div_ceil(jobs) }
    }
}

/// The medium behind whatever binds: fast enough not to bind itself.
#[derive(Clone, Copy, Debug)]
pub struct Medium {
    pub servers: u64,
    /// Mean time of a server, reads and writes alike.
    pub service_us: u64,
    /// Latency that occupies nothing.
    pub base_us: u64,
    /// Deviation of the logarithm of the service time.
    pub sigma: f64,
}

/// What every case's devices stream at, a server.
pub const STREAM_BYTES_PER_S: u64 = 4_000_000_000;

impl Medium {
    /// One whose latency is drawn, with servers for at least `rate` a second at 2.5 times less than all.
    pub fn for_rate(draw: &mut Draw, rate: f64) -> Self {
        let service_us = draw.round(60.0, 700.0);
        let base_us = draw.pick(&[0, 0, 100, 200]);
        let least = rate * service_us as f64 / 1e6 * 2.5;
        let servers = (least.ceil() as u64).max(draw.pick(&[16, 32, 64]));
        Self { servers, service_us, base_us, sigma: draw.pick(&[0.1, 0.2, 0.3]) }
    }

    /// Latency of a lone I/O.
    pub fn lone_s(&self, block_bytes: u64) -> f64 {
        (self.service_us + self.base_us) as f64 / 1e6 + block_bytes as f64 / STREAM_BYTES_PER_S as f64
    }

    /// Its keys.
    pub fn keys(&self) -> String {
        let Self { servers, service_us, base_us, sigma } = self;
        format!(
            "ideal,servers={servers},base={base_us}us,read={service_us}us,read-shape=lognormal:{sigma},\
             read-stream={STREAM_BYTES_PER_S}B/s,write={service_us}us,write-shape=lognormal:{sigma},\
             write-stream={STREAM_BYTES_PER_S}B/s"
        )
    }
}

/// A case in the making.
pub struct Sim {
    device: String,
    load: Load,
    more: String,
}

impl Sim {
    /// A load on a device, as after `sim:`, with a seed of its own.
    pub fn new(draw: &mut Draw, device: &str, load: Load) -> Self {
        Self { device: format!("sim:{device},seed={}", draw.seed()), load, more: String::new() }
    }

    /// With a ceiling that fathom is given as known.
    pub fn with_ceiling(mut self, ceiling: impl AsRef<str>) -> Self {
        self.more += &format!(" --ceiling {}", ceiling.as_ref());
        self
    }

    /// More arguments.
    pub fn with(mut self, arguments: impl AsRef<str>) -> Self {
        self.more += &format!(" {}", arguments.as_ref());
        self
    }

    /// Lets fathom use a second volume of the same kind.
    pub fn second(self) -> Self {
        let second = format!("--second {}", self.device);
        self.with(second)
    }

    /// The case. Its family names it; a number is added when all are drawn.
    pub fn case(self, truth: Truth) -> Case {
        let Load { rw, block_bytes, jobs, depth } = self.load;
        // A rest costs nothing in simulated time, so that experiments may have one.
        let line = format!(
            "{} --rest 15m --budget 90m --rw {rw} --bs {block_bytes} --jobs {jobs} --depth {depth}{}",
            self.device, self.more
        );
        Case { id: String::new(), truth, place: Place::Sim, arguments: words(&line) }
    }
}
