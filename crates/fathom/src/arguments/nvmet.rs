//! What can be typed for `fathom nvmet`.

use clap::Args;
use fathom_engine::fault::FaultPlan;
use fathom_measure::Bytes;
use fathom_record::options::{DelayPlan, ThrottlePlan};

/// Arguments of `nvmet`.
#[derive(Args, Debug)]
pub struct NvmetArguments {
    /// What to serve: FILE, /dev/X, a folder (with --size), null:, memory: or sim:NAME (in real time). Each is a
    /// namespace, in this order.
    #[arg(value_name = "BACKEND", required = true)]
    pub backends: Vec<String>,
    /// Where to listen: ADDRESS or ADDRESS:PORT; port 0 is any free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4420")]
    pub listen: String,
    /// NQN of a host that may connect. Repeatable. Needed, or --allow-any-host, unless the
    /// address is a loopback address.
    #[arg(long, value_name = "NQN")]
    pub allow_host: Vec<String>,
    /// Let any host connect. An NQN is no secret: on an open network this and --allow-host protect from mistakes alone.
    #[arg(long, conflicts_with = "allow_host")]
    pub allow_any_host: bool,
    /// Let hosts write to files and devices, which are judged as in fathom run. Without it they are read-only; null:,
    /// memory: and sim: always take writes.
    #[arg(long)]
    pub writable: bool,
    /// With --writable: allow destroying all data on the device with this serial number, or in the file of this
    /// name. Repeatable.
    #[arg(long, value_name = "SERIAL")]
    pub destroy: Vec<String>,
    /// With --writable: read devices of which it is not known that they are empty, as a whole, before they are served.
    #[arg(long, requires = "writable")]
    pub check_empty: bool,
    /// NQN of the subsystem. Default: one that follows from this machine and the backends.
    #[arg(long, value_name = "NQN")]
    pub nqn: Option<String>,
    /// Serve all backends as one namespace, striped (RAID-0) with this chunk size, e.g. 64k.
    #[arg(long, value_name = "SIZE")]
    pub stripe: Option<Bytes>,
    /// Size of the files that are made, and bytes used of what is there; e.g. 10GiB.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// Add a drawn time to each I/O, e.g. constant:100us or lognormal:100us/0.5, as in fathom run.
    #[arg(long, value_name = "DELAY")]
    pub delay: Option<DelayPlan>,
    /// Hold I/Os to these limits, e.g. iops=3000, as in fathom run.
    #[arg(long, value_name = "LIMITS")]
    pub throttle: Option<ThrottlePlan>,
    /// Make I/Os go wrong, to see what a host makes of it: fail, short, flip (a byte of a read) or lose (a write),
    /// e.g. fail=1/1000,flip=1/5000. For null:, memory: and sim: only.
    #[arg(long, value_name = "FAULTS")]
    pub faults: Option<FaultPlan>,
    /// Seed of delays and simulated devices.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// I/O queues of all hosts together.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub queues: u16,
    /// Entries of an I/O queue, 2 to 1024.
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub depth: u16,
    /// Largest transfer of one command: a power of two, 8 KiB to 8 MiB.
    #[arg(long, value_name = "SIZE", default_value = "128KiB")]
    pub max_transfer: Bytes,
    /// Data that a write carries in its command: up to 64 KiB.
    #[arg(long, value_name = "SIZE", default_value = "8KiB")]
    pub in_capsule: Bytes,
    /// Memory for the buffers of I/O queues: each takes entries × transfer × namespaces. Where not all queues fit,
    /// hosts are granted fewer.
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub memory: Bytes,
    /// Threads that serve. Default: one a CPU, up to 8.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
    /// CPUs that these threads are bound to, in turn, e.g. 0-3; nic: those on the node of the network card that
    /// listens. One thread a CPU, up to 8, unless --workers says otherwise. Default: the scheduler's choice.
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<String>,
    /// Look for commands without sleeping, where a host is connected: the least latency, and each worker uses all of its
    /// CPU.
    #[arg(long)]
    pub polled: bool,
    /// Digests (CRC32C) of headers and data: offer them to hosts that ask, require both of every host, or off.
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = DigestChoice::Offer)]
    pub digests: DigestChoice,
    /// End after this time, e.g. 60s. Default: at Ctrl-C.
    #[arg(long, value_name = "TIME")]
    pub time: Option<fathom_measure::Nanos>,
    /// Print one line of JSON when the target is ready, and one at its end.
    #[arg(long)]
    pub json: bool,
}

/// What becomes of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DigestChoice {
    /// As each host asks.
    Offer,
    /// Hosts that do not ask for both are refused.
    Require,
    /// None, whatever a host asks: most hosts that ask then let go.
    Off,
}

pub const NVMET_EXAMPLES: &str = "\
Examples:
  fathom nvmet null:                                            the network alone, on this machine
  fathom nvmet sim:nvme --delay constant:100us                  a network target of known truth
  fathom nvmet /dev/nvme1n1 --listen 10.0.0.5 --allow-host NQN  read-only
  fathom nvmet /dev/nvme1n1 /dev/nvme2n1 --stripe 64k --writable --destroy SERIAL1 --destroy SERIAL2

On the other side: nvme discover, nvme connect, or any NVMe over TCP host. There is no authentication and no TLS.";
