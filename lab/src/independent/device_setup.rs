//! A simulated device and a load on it, as numbers, as `fathom explain` is told them, and what each stage could carry.

/// A shape of service times.
pub type Shape = (&'static str, f64);

/// Device, load and what fathom is told.
#[derive(Clone, Debug)]
pub struct Setup {
    pub write: bool,
    pub random: bool,
    pub bytes: u64,
    pub jobs: u64,
    pub depth: u64,
    pub servers: u64,
    pub base_us: u64,
    pub service_us: u64,
    pub shape: Shape,
    pub stream: u64,
    pub tags: Option<u64>,
    pub iops: Option<u64>,
    pub throughput: Option<u64>,
    /// Credits of the limit on operations are spent; it could go this many times faster.
    pub burst: Option<u64>,
    pub instance_iops: Option<u64>,
    pub link: Option<u64>,
    /// Hold and handover of a lock, in microseconds.
    pub lock: Option<(u64, u64)>,
    /// Room and drain of a write cache that is full at the start.
    pub cache: Option<(u64, u64)>,
    pub unit: Option<u64>,
    /// Rate that is asked for, of an open load.
    pub rate: Option<u64>,
    /// As `--ceiling` takes them.
    pub told: Vec<String>,
    pub seed: u64,
}

impl Setup {
    fn transfer_s(&self, bytes: f64) -> f64 {
        bytes / self.stream as f64
    }

    /// For how long a server is busy with one I/O. A random write below the unit reads the unit and writes it.
    fn server_s(&self, with_unit: bool) -> f64 {
        let unit = self.unit.filter(|unit| self.small(*unit) && with_unit);
        match unit {
            Some(unit) => 2.0 * (self.service_us as f64 * 1e-6 + self.transfer_s(unit as f64)),
            None => self.service_us as f64 * 1e-6 + self.transfer_s(self.bytes as f64),
        }
    }

    fn small(&self, unit: u64) -> bool {
        self.write && self.random && self.cache.is_none() && self.bytes < unit
    }

    /// Latency of a lone I/O.
    fn alone_s(&self) -> f64 {
        let link = self.link.map_or(0.0, |rate| self.bytes as f64 / rate as f64);
        let lock = self.lock.map_or(0.0, |(hold, _)| hold as f64 * 1e-6);
        self.base_us as f64 * 1e-6 + self.server_s(true) + link + lock
    }

    /// Highest rate that each stage lets through, with the causes that name it rightly.
    pub fn bounds(&self) -> Vec<(f64, Vec<&'static str>)> {
        let (bytes, alone) = (self.bytes as f64, self.alone_s());
        let told = |word: &str| self.told.iter().any(|told| told.starts_with(word));
        let owned =
            |cause: &'static str, known: bool| if known { vec![cause] } else { vec![cause, "rate_cap"] };
        let in_flight = (self.jobs * self.depth) as f64;
        let mut bounds = vec![(in_flight / alone, vec!["concurrency"])];
        let slowed = self.server_s(true) > 1.5 * self.server_s(false);
        let servers = if slowed { "indirection_unit" } else { "device_parallelism" };
        bounds.push((self.servers as f64 / self.server_s(true), vec![servers]));
        bounds.extend(self.tags.map(|tags| (tags as f64 / alone, vec!["queue_tags"])));
        if let Some(iops) = self.iops {
            let cause = if self.burst.is_some() { "burst_credits" } else { "volume_iops" };
            bounds.push((iops as f64, owned(cause, told("iops="))));
        }
        bounds.extend(
            self.throughput.map(|t| (t as f64 / bytes, owned("volume_throughput", told("throughput=")))),
        );
        bounds.extend(self.instance_iops.map(|i| (i as f64, owned("instance_cap", told("instance:")))));
        bounds.extend(self.link.map(|l| (l as f64 / bytes, owned("link", told("link:")))));
        if let Some((hold, handover)) = self.lock {
            bounds.push((1e6 / (hold + (self.jobs - 1) * handover) as f64, vec!["software"]));
        }
        bounds
            .extend(self.cache.filter(|_| self.write).map(|(_, d)| (d as f64 / bytes, vec!["write_cliff"])));
        bounds.extend(self.rate.map(|rate| (rate as f64, vec!["demand"])));
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        bounds
    }

    /// The device as `sim:` names it.
    pub fn target(&self) -> String {
        let shape = if self.shape.1 > 0.0 {
            format!("{}:{}", self.shape.0, self.shape.1)
        } else {
            self.shape.0.into()
        };
        let (us, stream) = (self.service_us, self.stream);
        let mut text = format!("sim:ideal,servers={},base={}us", self.servers, self.base_us);
        for way in ["read", "write"] {
            text += &format!(",{way}={us}us,{way}-shape={shape},{way}-stream={stream}B/s");
        }
        let mut add = |name: &str, value: Option<String>| {
            text += &value.map_or(String::new(), |value| format!(",{name}={value}"));
        };
        add("tags", self.tags.map(|n| n.to_string()));
        add("iops", self.iops.map(|n| n.to_string()));
        if let (Some(iops), Some(times)) = (self.iops, self.burst) {
            add("iops-peak", Some((iops * times).to_string()));
            add("iops-bucket", Some((iops * times * 600).to_string()));
            add("iops-balance", Some("0".to_owned()));
        }
        add("throughput", self.throughput.map(|n| format!("{n}B/s")));
        add("instance", self.instance_iops.map(|_| "host".to_owned()));
        add("instance-iops", self.instance_iops.map(|n| n.to_string()));
        add("link", self.link.map(|n| format!("{n}B/s")));
        add("lock", self.lock.map(|(hold, _)| format!("{hold}us")));
        add("lock-handover", self.lock.map(|(_, handover)| format!("{handover}us")));
        add("cache", self.cache.map(|(room, _)| room.to_string()));
        add("cache-free", self.cache.map(|_| "0".to_owned()));
        add("drain", self.cache.map(|(_, drain)| format!("{drain}B/s")));
        add("iu", self.unit.map(|n| n.to_string()));
        add("seed", Some(self.seed.to_string()));
        text
    }

    /// What `fathom explain` is given.
    pub fn arguments(&self) -> Vec<String> {
        let kind =
            format!("{}{}", if self.random { "rand" } else { "" }, if self.write { "write" } else { "read" });
        let mut words = vec![self.target(), "--rw".into(), kind, "--bs".into(), self.bytes.to_string()];
        words.extend(["--jobs".into(), self.jobs.to_string(), "--depth".into(), self.depth.to_string()]);
        words.extend(self.rate.iter().flat_map(|rate| ["--rate".to_owned(), rate.to_string()]));
        words.extend(self.told.iter().flat_map(|told| ["--ceiling".to_owned(), told.clone()]));
        words
    }
}
