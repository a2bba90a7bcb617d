//! What is served: targets admitted as for a run, held open, and made into an engine wherever a queue needs one.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use fathom_engine::decorate::Stack;
use fathom_engine::engine_kinds::{self, EngineKind};
use fathom_engine::fault::{Fault, FaultPlan};
use fathom_engine::memory_target::{Memory, Store};
use fathom_engine::null::Null;
use fathom_engine::precise_sleep::PreciseSleep;
use fathom_engine::simulated::{Mode, SimEngine};
use fathom_engine::stripe::{Layout, Volume};
use fathom_engine::{Engine, EngineError, ErrorKind};
use fathom_fabric::controller::Namespace;
use fathom_measure::WallClock;
use fathom_record::facts::TargetKind;
use fathom_record::options::Decorators;
use fathom_record::run_plan::RunOptions;
use fathom_sim::{SimDevice, SimHost, SimParameters};
use fathom_target::{Handle, OpenRequest, Permit, Target, TargetName, admit_all};

use crate::platform::{hold, on_file, on_stripe};

/// What is to be served, and how.
#[derive(Clone, Copy, Debug)]
pub struct ExportPlan<'a> {
    /// Targets as a user names them: each is a namespace, unless all are one stripe.
    pub backends: &'a [String],
    /// Whether hosts may write to files and devices.
    pub writable: bool,
    /// The words that permit the loss of data, one entry a device.
    pub permits: &'a [String],
    /// Whether devices that nothing is known of are read as a whole first, and written once they held nothing.
    pub check_empty: bool,
    /// Set when that is to end before its end.
    pub stop: &'a AtomicBool,
    /// Size of files that are made, and bytes used of what is there.
    pub size_bytes: Option<u64>,
    /// Chunk of a stripe over all backends.
    pub stripe_bytes: Option<u64>,
    /// What is put around each engine.
    pub decorators: &'a Decorators,
    /// What goes wrong on purpose, in memory and on simulated devices alone.
    pub faults: &'a FaultPlan,
    /// Seed of the delays, of simulated devices, and of the data of files that are made.
    pub seed: u64,
}

/// A namespace, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedNamespace {
    /// What it is made of, as it was named.
    pub name: String,
    /// Its size.
    pub size_bytes: u64,
    /// Its logical block.
    pub block_bytes: u32,
    /// Whether writes are refused.
    pub is_read_only: bool,
    /// The engine that carries its I/O.
    pub engine: &'static str,
}

#[derive(Debug)]
enum Medium {
    Null,
    Memory(Store),
    Simulated(Arc<Mutex<SimDevice>>),
    File(Arc<Handle>),
    Striped(Volume),
}

/// One namespace's backend.
#[derive(Debug)]
pub(crate) struct Backend {
    medium: Medium,
    engine: EngineKind,
    /// What hosts are told of it.
    pub(crate) namespace: Namespace,
    pub(crate) facts: ExportedNamespace,
    stack: Stack,
    faults: FaultPlan,
}

/// Everything that is served, open and held.
#[derive(Debug)]
pub struct Export {
    pub(crate) backends: Vec<Backend>,
    /// Kept open: locks and claims of what is written go with them.
    targets: Vec<Target>,
    notes: Vec<String>,
}

impl Export {
    /// Opens what is named, once the guard admitted all of it.
    ///
    /// # Errors
    /// When one is refused or missing, or cannot be served.
    pub fn open(plan: &ExportPlan<'_>) -> Result<Self, EngineError> {
        let names = plan.backends.iter().map(|text| text.parse()).collect::<Result<Vec<TargetName>, _>>()?;
        if names.is_empty() {
            return Err(EngineError::new(ErrorKind::Plan, "naming what is served", "nothing is named")
                .with_remedy("name a file, a device, null:, memory: or sim:NAME"));
        }
        let permits: Vec<Permit> = plan.permits.iter().map(|words| Permit(words.clone())).collect();
        let admitted = admit_all(&names, plan.writable, &permits, |_| None)?;
        let options = RunOptions { check_empty: plan.check_empty, ..RunOptions::default() };
        let mut targets = Vec::with_capacity(names.len());
        for (name, permit) in names.iter().zip(&admitted.permits) {
            let request = OpenRequest {
                writes: plan.writable,
                options: &options,
                size_bytes: plan.size_bytes,
                permit: permit.as_ref(),
                stop: plan.stop,
                seed: plan.seed,
                ..OpenRequest::default()
            };
            targets.push(Target::open(name, &request)?);
        }
        targets.iter().try_for_each(Target::confirm)?;
        if let Some(target) =
            targets.iter().find(|it| it.file.is_some()).filter(|_| !plan.faults.rules.is_empty())
        {
            let cause = "a host may keep what it read wrongly, and what it believes to have written";
            return Err(EngineError::new(ErrorKind::Refused, format!("faults on {}", target.name), cause)
                .with_remedy("serve null:, memory: or sim:NAME with --faults"));
        }
        if !plan.writable {
            targets.iter().try_for_each(hold)?;
        }
        let mut notes = admitted.notes;
        notes.extend(targets.iter().flat_map(|target| target.notes.iter().cloned()));
        let mut export = Self { backends: Vec::new(), targets, notes };
        export.backends = match plan.stripe_bytes {
            Some(chunk_bytes) => vec![export.striped(plan, chunk_bytes)?],
            None => export.each(plan)?,
        };
        Ok(export)
    }

    /// The namespaces, in their order.
    pub fn namespaces(&self) -> impl Iterator<Item = &ExportedNamespace> {
        self.backends.iter().map(|backend| &backend.facts)
    }

    /// Remarks for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A namespace for each target.
    fn each(&mut self, plan: &ExportPlan<'_>) -> Result<Vec<Backend>, EngineError> {
        let mut host = SimHost::default();
        let mut backends = Vec::with_capacity(self.targets.len());
        for (target, place) in self.targets.iter().zip(0u64..) {
            let facts = &target.facts;
            let (mut size_bytes, mut block_bytes) = (facts.size_bytes, facts.logical_block_bytes);
            let medium = match (&target.name, &target.file) {
                (_, Some(file)) => Medium::File(Arc::clone(file)),
                (TargetName::Memory { .. }, None) => Medium::Memory(Store::new(size_bytes)?),
                (TargetName::Sim(text), None) => {
                    let parameters = fathom_sim::parse(text)?;
                    (size_bytes, block_bytes) = (parameters.size_bytes, parameters.logical_block_bytes);
                    let seed = parameters.seed.wrapping_add(plan.seed).wrapping_add(place);
                    let device = host.device(SimParameters { seed, ..parameters })?;
                    Medium::Simulated(Arc::new(Mutex::new(device)))
                }
                (TargetName::Fabric(_), None) => {
                    let cause = "it is served by another machine already";
                    return Err(EngineError::new(ErrorKind::Plan, format!("serving {}", target.name), cause)
                        .with_remedy("name a file, a device, null:, memory: or sim:NAME"));
                }
                _ => Medium::Null,
            };
            let engine = self.notes_of_engine(facts.kind, &target.name.to_string())?;
            let is_file = matches!(medium, Medium::File(_));
            let name = target.name.to_string();
            let facts = exported(name, (size_bytes, block_bytes), is_file && !plan.writable, engine.0)?;
            self.notes.extend(engine.1);
            backends.push(Backend {
                namespace: namespace(&facts, is_file),
                facts,
                medium,
                engine: engine.0,
                stack: Stack::new(plan.decorators, plan.seed.wrapping_add(place), PreciseSleep::default()),
                faults: plan.faults.clone(),
            });
        }
        Ok(backends)
    }

    /// The engine for a target, and what there is to say of the choice.
    fn notes_of_engine(
        &self,
        kind: TargetKind,
        name: &str,
    ) -> Result<(EngineKind, Option<String>), EngineError> {
        if kind == TargetKind::NvmeNamespace {
            return Err(EngineError::new(
                ErrorKind::Plan,
                format!("serving {name}"),
                "a character device of an NVMe namespace is not served",
            )
            .with_remedy("name its block device, e.g. /dev/nvme0n1"));
        }
        let (engine, refused) = engine_kinds::choose_available(None, kind)?;
        let note = |error: EngineError| {
            format!("{name} is served by engine {}, not the default: {}.", engine.name(), error.cause)
        };
        Ok((engine, refused.map(note)))
    }

    /// One namespace over all targets, in chunks.
    fn striped(&mut self, plan: &ExportPlan<'_>, chunk_bytes: u64) -> Result<Backend, EngineError> {
        let files: Vec<_> = self.targets.iter().filter_map(|target| target.file.clone()).collect();
        if files.len() < 2 || files.len() < self.targets.len() {
            return Err(EngineError::new(
                ErrorKind::Plan,
                "--stripe",
                "a stripe is made of two files or devices, or more",
            )
            .with_remedy("name them all, or leave --stripe out"));
        }
        let sizes: Vec<u64> = self.targets.iter().map(|target| target.facts.size_bytes).collect();
        let blocks = self.targets.iter().map(|target| target.facts.logical_block_bytes);
        let block_bytes = blocks.max().unwrap_or(0);
        let layout = Layout::new(&sizes, chunk_bytes, block_bytes)?;
        let names: Vec<String> = self.targets.iter().map(|target| target.name.to_string()).collect();
        let (engine, note) = self.notes_of_engine(TargetKind::File, &names.join(" + "))?;
        self.notes.extend(note);
        let size = (layout.size_bytes(), block_bytes);
        let facts = exported(names.join(" + "), size, !plan.writable, engine)?;
        Ok(Backend {
            namespace: namespace(&facts, true),
            facts,
            medium: Medium::Striped(Volume { files, layout }),
            engine,
            stack: Stack::new(plan.decorators, plan.seed, PreciseSleep::default()),
            faults: FaultPlan::default(),
        })
    }
}

impl Backend {
    /// An engine for queue `number` of all that were made: `depth` slots of `buffer_bytes`, on the calling thread.
    ///
    /// # Errors
    /// When memory or a ring cannot be had.
    pub(crate) fn engine(
        &self,
        number: u32,
        (depth, buffer_bytes): (u32, u32),
        clock: WallClock,
    ) -> Result<Box<dyn Engine>, EngineError> {
        let bytes = u64::from(buffer_bytes);
        let mut engine: Box<dyn Engine> = match &self.medium {
            Medium::Null => Box::new(Null::new(depth, bytes, clock)?),
            Medium::Memory(store) => Box::new(Memory::new(store.clone(), depth, bytes, clock)?),
            Medium::Simulated(device) => {
                Box::new(SimEngine::new(Arc::clone(device), depth, bytes, clock, Mode::RealTime)?)
            }
            Medium::File(file) => on_file(self.engine, file, (depth, buffer_bytes), clock)?,
            Medium::Striped(volume) => {
                on_stripe(self.engine, volume, (depth, buffer_bytes, self.facts.block_bytes), clock)?
            }
        };
        if !self.faults.rules.is_empty() {
            engine = Box::new(Fault::new(engine, self.faults.clone(), depth));
        }
        Ok(self.stack.around(engine, (number, depth), &clock))
    }
}

/// What people are told of a namespace.
fn exported(
    name: String,
    (size_bytes, block_bytes): (u64, u32),
    is_read_only: bool,
    engine: EngineKind,
) -> Result<ExportedNamespace, EngineError> {
    // Hosts know blocks of a power of two from 512 bytes on; a file without a device may have none of its own.
    let block_bytes = block_bytes.max(512);
    if !block_bytes.is_power_of_two() || block_bytes > 1 << 16 || size_bytes < u64::from(block_bytes) {
        let cause = format!("{size_bytes} bytes in blocks of {block_bytes} are not a namespace");
        return Err(EngineError::new(ErrorKind::Plan, format!("serving {name}"), cause)
            .with_remedy("name a target of at least one block of 512 bytes"));
    }
    Ok(ExportedNamespace { name, size_bytes, block_bytes, is_read_only, engine: engine.name() })
}

fn namespace(facts: &ExportedNamespace, is_file: bool) -> Namespace {
    Namespace {
        blocks: facts.size_bytes / u64::from(facts.block_bytes),
        block_shift: facts.block_bytes.ilog2(),
        is_read_only: facts.is_read_only,
        // A device that knows no trims fails them; what is read-only is never asked.
        deallocates: !facts.is_read_only,
        has_write_cache: is_file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan<'a>(backends: &'a [String], decorators: &'a Decorators) -> ExportPlan<'a> {
        static NO_FAULTS: FaultPlan = FaultPlan { rules: Vec::new() };
        static NEVER: AtomicBool = AtomicBool::new(false);
        ExportPlan {
            backends,
            faults: &NO_FAULTS,
            writable: false,
            permits: &[],
            check_empty: false,
            stop: &NEVER,
            size_bytes: None,
            stripe_bytes: None,
            decorators,
            seed: 1,
        }
    }

    #[test]
    fn what_is_in_memory_is_writable_and_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, vec![7; 1 << 20]).unwrap();
        let names = ["null:", "memory:1MiB", "sim:nvme", file.to_str().unwrap()].map(str::to_owned).to_vec();
        let decorators = Decorators::default();
        let export = match Export::open(&plan(&names, &decorators)) {
            Ok(export) => export,
            // A file system without direct I/O serves no files.
            Err(error) if error.kind == ErrorKind::Unsupported => {
                fathom_skips::skipped("no direct I/O in the temporary folder");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let read_only: Vec<bool> = export.namespaces().map(|it| it.is_read_only).collect();
        assert_eq!(read_only, [false, false, false, true]);
        let sizes: Vec<u64> = export.namespaces().map(|it| it.size_bytes).collect();
        assert_eq!((sizes[0], sizes[1], sizes[3]), (1 << 40, 1 << 20, 1 << 20));
    }

    #[test]
    fn faults_are_kept_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, vec![7; 1 << 20]).unwrap();
        let (decorators, faults) = (Decorators::default(), "lose=1/2".parse().unwrap());
        for (name, is_served) in [("memory:1MiB", true), (file.to_str().unwrap(), false)] {
            let names = [name.to_owned()];
            let made = Export::open(&ExportPlan { faults: &faults, ..plan(&names, &decorators) });
            match made {
                Err(error) if error.kind == ErrorKind::Unsupported => {
                    fathom_skips::skipped("no direct I/O in the temporary folder");
                }
                Err(error) => assert!(!is_served && error.remedy.contains("memory:"), "{error}"),
                Ok(_) => assert!(is_served),
            }
        }
    }

    #[test]
    fn what_cannot_be_served_is_refused_with_advice() {
        let decorators = Decorators::default();
        for (names, stripe_bytes, cause) in [
            (&[][..], None, "nothing is named"),
            (&["null:", "memory:1MiB"], Some(65536), "two files or devices"),
            (&["/no/such/file"], None, ""),
        ] {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let plan = ExportPlan { stripe_bytes, ..plan(&names, &decorators) };
            let error = Export::open(&plan).unwrap_err();
            assert!(error.cause.contains(cause) && !error.remedy.is_empty(), "{error}");
        }
    }
}
