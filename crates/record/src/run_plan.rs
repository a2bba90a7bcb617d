//! What one run is asked to do: on what, by which engine, how, and by whom.
//!
//! Every front end makes a [`RunPlan`]; sessions and engines hold it, or its [`RunOptions`], as they are.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::options::{Client, ClientRole, Decorators, Durability, IoFlags, WitnessSource};
use crate::workload::{Verify, Workload};

/// All that one run needs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// Targets as the user named them; at least one. With several, each job works on one of them in turn, unless all
    /// are one stripe.
    pub targets: Vec<String>,
    /// Engine asked for; absent: chosen by the target.
    pub engine: Option<String>,
    /// What is done to the target.
    pub workload: Workload,
    /// How.
    pub options: RunOptions,
}

impl RunPlan {
    /// Whether both go about the same targets in the same way, whatever they do to them.
    pub fn goes_about_it_like(&self, other: &Self) -> bool {
        (&self.targets, &self.engine, &self.options) == (&other.targets, &other.engine, &other.options)
    }
}

/// How a run goes about its target.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Past the page cache.
    pub direct: bool,
    /// All targets are one address space in chunks of so many bytes; absent: each job has one of them.
    pub stripe_bytes: Option<u64>,
    /// Serial numbers of the devices whose content may be lost.
    pub permits: Vec<String>,
    /// Devices that only reading can show to be empty are read, however long that takes.
    pub check_empty: bool,
    /// A simulated device runs by the wall clock.
    pub real_time: bool,
    /// Completions are polled for: inside the kernel, where the device needs poll queues, or at the socket.
    pub polled: bool,
    /// The same I/Os are watched in the block layer, through this source; absent: not.
    pub witness: Option<WitnessSource>,
    /// What is durable when a write ends; absent: whatever the device says.
    pub durable: Option<Durability>,
    /// Flags on single reads and writes.
    pub io_flags: IoFlags,
    /// A scratch file stays when the run is over.
    pub keep: bool,
    /// Processors that the jobs are bound to, in turn; none in the list: the scheduler's choice; absent:
    /// near the device.
    pub cpus: Option<Vec<u32>>,
    /// What is put around the engine.
    pub decorators: Decorators,
    /// Who carries it, all at once; none: this process alone.
    pub clients: Vec<Client>,
    /// Each client has a part of the addresses to itself.
    pub partition: bool,
}

/// Past the page cache, and nothing else that could be asked for.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            direct: true,
            stripe_bytes: None,
            permits: Vec::new(),
            check_empty: false,
            real_time: false,
            polled: false,
            witness: None,
            durable: None,
            io_flags: IoFlags::default(),
            keep: false,
            cpus: None,
            decorators: Decorators::default(),
            clients: Vec::new(),
            partition: false,
        }
    }
}

/// The same, to borrow where there is no run to borrow them of.
impl Default for &RunOptions {
    fn default() -> Self {
        static NO_RUNS: LazyLock<RunOptions> = LazyLock::new(RunOptions::default);
        &NO_RUNS
    }
}

impl RunOptions {
    /// The clients that measure; none: this process alone does.
    pub fn measuring(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter().filter(|client| client.role == ClientRole::Load)
    }

    /// The same without the permission to destroy data, which whoever types the command again gives again.
    #[must_use]
    pub fn without_permits(&self) -> Self {
        let clients = self.clients.iter().map(Client::without_permits).collect();
        Self { permits: Vec::new(), check_empty: false, clients, ..self.clone() }
    }
}

/// What is done to targets that stay open for several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetUse {
    /// Whether anything is read.
    pub reads: bool,
    /// Whether anything is written or trimmed.
    pub writes: bool,
    /// Whether anything is flushed or trimmed.
    #[serde(default)]
    pub besides: bool,
    /// Whether anything is trimmed.
    #[serde(default)]
    pub trims: bool,
    /// Whether content is verified.
    #[serde(default)]
    pub verifies: bool,
    /// Whether everything that was written is read back at the end.
    #[serde(default)]
    pub reads_back: bool,
    /// Bytes that are used, from the start; absent: all.
    pub size_bytes: Option<u64>,
}

impl TargetUse {
    /// Of all these workloads; at least one.
    pub fn of<'a>(workloads: impl IntoIterator<Item = &'a Workload>) -> Self {
        let mut needs = Self {
            reads: false,
            writes: false,
            besides: false,
            trims: false,
            verifies: false,
            reads_back: false,
            size_bytes: Some(0),
        };
        for workload in workloads {
            needs.reads |= workload.mix.read_share > 0.0;
            needs.writes |= workload.mix.changes_data();
            needs.besides |= workload.mix.flush_every_writes > 0 || workload.mix.trim_share > 0.0;
            needs.trims |= workload.mix.trim_share > 0.0;
            needs.verifies |= workload.data.verify != Verify::Off;
            needs.reads_back |= workload.data.verify == Verify::AtEnd;
            let end = workload.span_bytes.map(|span| span.saturating_add(workload.offset_bytes));
            needs.size_bytes = needs.size_bytes.zip(end).map(|(bytes, end)| bytes.max(end));
        }
        needs
    }
}
