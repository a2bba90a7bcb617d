//! The targets of a session: admitted together, opened one by one, described as one.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fathom_engine::launch::Medium;
use fathom_engine::pattern::Geometry;
use fathom_engine::stripe::{Layout, Volume};
use fathom_engine::{EngineError, ErrorKind, memory_target};
use fathom_record::Workload;
use fathom_record::engine_list;
use fathom_record::facts::{TargetFacts, TargetKind};
use fathom_record::workload::Verify;
use fathom_sim as sim;
use fathom_target::{OpenRequest, Origin, Permit, Target, TargetName, admit_all};

use super::session::SessionPlan;
use crate::progress::Progress;
use crate::write_cap;
use fathom_plan::{RunPlan, TargetUse};

/// One target or several, open.
#[derive(Debug)]
pub struct Targets {
    opened: Vec<Target>,
    /// Of the one target, or of all as one.
    pub facts: TargetFacts,
    /// What the engines work on.
    pub medium: Medium,
    /// Remarks for people.
    pub notes: Vec<String>,
    /// Whether those that get a mark have theirs.
    marked: Mutex<bool>,
}

impl Targets {
    /// Opens all that the plan names: none is written, or laid out, before all were admitted.
    ///
    /// # Errors
    /// When one is refused or missing.
    pub fn open(
        plan: &SessionPlan<'_>,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Self, EngineError> {
        let RunPlan { targets, engine, options, .. } = plan.plan;
        let TargetUse { reads, writes, size_bytes, .. } = plan.needs;
        let names = targets.iter().map(|text| text.parse()).collect::<Result<Vec<TargetName>, _>>()?;
        let size_bytes = match (options.stripe_bytes, size_bytes) {
            (Some(chunk), Some(bytes)) => Some(Layout::share_bytes(bytes, names.len(), chunk)),
            (_, bytes) => bytes,
        };
        let origin_of = |name: &TargetName| plan.devices.and_then(|devices| devices.origin(name));
        let permits: Vec<Permit> = options.permits.iter().map(|words| Permit(words.clone())).collect();
        let admitted = admit_all(&names, writes, &permits, origin_of)?;
        let shown = RefCell::new(progress);
        let told = |what, done, total| shown.borrow_mut().preparing(what, done, total);
        let mut opened = Vec::with_capacity(names.len());
        for (name, permit) in names.iter().zip(&admitted.permits) {
            let request = OpenRequest {
                reads,
                writes,
                options,
                engine: engine.as_deref().and_then(engine_list::named),
                size_bytes,
                permit: permit.as_ref(),
                origin: origin_of(name),
                marks: plan.marks,
                exact: plan.literal,
                seed: plan.seed,
                before_layout: Some(&write_cap::take_for_layout),
                stop,
                progress: Some(&told),
            };
            opened.push(Target::open(name, &request)?);
        }
        let medium = medium_of(&mut opened)?;
        let mut facts = together(opened.iter().map(|target| &target.facts));
        let medium = match options.stripe_bytes {
            Some(chunk) => striped(medium, &mut facts, chunk)?,
            None => medium,
        };
        let mut notes = admitted.notes;
        notes.extend(opened.iter().flat_map(|target| target.notes.iter().cloned()));
        Ok(Self { opened, facts, medium, notes, marked: Mutex::new(false) })
    }

    /// Of a target that others have open: nothing here carries its I/O.
    pub fn elsewhere(facts: TargetFacts) -> Self {
        Self { opened: Vec::new(), facts, medium: Medium::Null, notes: Vec::new(), marked: Mutex::new(true) }
    }

    /// What a campaign remembers of those that are devices.
    pub fn origins(&self) -> impl Iterator<Item = (&TargetName, &Origin)> {
        self.opened.iter().filter_map(|target| Some((&target.name, target.origin()?)))
    }

    /// Marks devices as written by a run or campaign, before it first writes to them.
    ///
    /// # Errors
    /// When one does not take it.
    pub fn mark(&self, at: &str, by: &str) -> Result<(), EngineError> {
        let mut marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
        if !*marked {
            self.opened.iter().try_for_each(|target| target.mark(at, by))?;
            *marked = true;
        }
        Ok(())
    }

    /// Each target's facts.
    pub fn members(&self) -> impl Iterator<Item = &TargetFacts> {
        self.opened.iter().map(|target| &target.facts)
    }

    /// The part of each target that a workload uses.
    ///
    /// # Errors
    /// When it does not fit one of them.
    pub fn geometries(&self, workload: &Workload) -> Result<Vec<Geometry>, EngineError> {
        let blocks = self.members().filter_map(|facts| Some((facts, whole_block_bytes(facts, workload)?)));
        blocks.into_iter().try_for_each(|(facts, block_bytes)| {
            Geometry::require_whole_blocks(workload, block_bytes).map_err(|mut error| {
                error.place = format!("{} on {}", error.place, facts.name);
                error
            })
        })?;
        self.members().try_for_each(|facts| refuse_offset_between_blocks(workload, facts))?;
        if let Medium::Striped(volume) = &self.medium {
            return Ok(vec![Geometry::of(workload, volume.layout.size_bytes())?]);
        }
        if (workload.jobs as usize) < self.opened.len() {
            let cause =
                format!("{} jobs leave some of {} targets without load", workload.jobs, self.opened.len());
            return Err(EngineError::new(ErrorKind::Plan, "spreading jobs over targets", cause)
                .with_remedy(format!("use --jobs {} or more", self.opened.len())));
        }
        let geometry = |facts: &TargetFacts| {
            Geometry::of(workload, facts.size_bytes).map_err(|mut error| {
                if self.opened.len() > 1 {
                    error.place = format!("{} on {}", error.place, facts.name);
                }
                error
            })
        };
        self.members().map(geometry).collect()
    }

    /// Looks once more whether anybody began to use a target, or put something on it, since it was admitted for writing.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] with the reasons.
    pub fn confirm(&self) -> Result<(), EngineError> {
        self.opened.iter().try_for_each(Target::confirm)
    }

    /// Share of the spans that the page cache holds; `None` where nobody knows.
    pub fn cached_share(&self, geometries: &[Geometry]) -> Option<f64> {
        let (mut cached, mut all) = (0.0, 0.0);
        let spans: Vec<_> = match (&self.medium, geometries) {
            (Medium::Striped(volume), [one]) => {
                vec![volume.layout.span_on_members(one.span()); self.opened.len()]
            }
            _ => geometries.iter().map(Geometry::span).collect(),
        };
        for (target, span) in self.opened.iter().zip(spans) {
            let bytes = (span.end - span.start) as f64;
            // Only a remark about the page cache depends on it.
            let share = target.cached_share(span).ok().flatten()?;
            cached += share * bytes;
            all += bytes;
        }
        (all > 0.0).then(|| cached / all)
    }
}

/// Files as one address space, which the facts are then of.
fn striped(medium: Medium, facts: &mut TargetFacts, chunk_bytes: u64) -> Result<Medium, EngineError> {
    let Medium::Files(files) = medium else {
        unreachable!("with --stripe, targets that are no files or devices were refused by their names")
    };
    let sizes: Vec<u64> = facts.members.iter().map(|member| member.size_bytes).collect();
    let layout = Layout::new(&sizes, chunk_bytes, facts.logical_block_bytes)?;
    (facts.size_bytes, facts.stripe_bytes) = (layout.size_bytes(), Some(chunk_bytes));
    Ok(Medium::Striped(Volume { files, layout }))
}

/// What the engines work on; a simulated device also tells its target size and truth.
fn medium_of(opened: &mut [Target]) -> Result<Medium, EngineError> {
    let files: Vec<_> = opened.iter().filter_map(|target| target.file.clone()).collect();
    if files.len() == opened.len() {
        return Ok(Medium::Files(files));
    }
    // Several are of one kind: others were refused by their names.
    match &opened[0].name {
        TargetName::Memory { .. } => {
            let stores = opened.iter().map(|target| memory_target::Store::new(target.facts.size_bytes));
            Ok(Medium::Memory(stores.collect::<Result<_, _>>()?))
        }
        TargetName::Sim(_) => {
            let devices = opened.iter_mut().map(|target| {
                let TargetName::Sim(text) = &target.name else {
                    unreachable!("targets of one kind that is not a file have one kind of name")
                };
                let parameters = sim::parse(text)?;
                target.facts.size_bytes = parameters.size_bytes;
                target.facts.logical_block_bytes = parameters.logical_block_bytes;
                // Plain numbers and names always have a JSON form.
                target.facts.simulated = serde_json::to_value(&parameters).ok();
                Ok(parameters)
            });
            Ok(Medium::Simulated(devices.collect::<Result<_, EngineError>>()?))
        }
        TargetName::Fabric(_) => {
            Ok(Medium::Remote(opened.iter().filter_map(|target| target.remote.clone()).collect()))
        }
        _ => Ok(Medium::Null),
    }
}

/// Several targets as one, or the one as it is.
fn together<'a>(members: impl Iterator<Item = &'a TargetFacts>) -> TargetFacts {
    let members: Vec<TargetFacts> = members.cloned().collect();
    if let [one] = members.as_slice() {
        return one.clone();
    }
    let mut facts = members[0].clone();
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    facts.name = names.join(" + ");
    facts.simulated = None;
    facts.written_share = written_share(&members);
    facts.size_bytes = members.iter().map(|member| member.size_bytes).sum();
    for member in &members[1..] {
        if member.kind == TargetKind::BlockDevice {
            facts.kind = member.kind;
        }
        facts.logical_block_bytes = facts.logical_block_bytes.max(member.logical_block_bytes);
        facts.physical_block_bytes = facts.physical_block_bytes.max(member.physical_block_bytes);
        facts.direct &= member.direct;
        facts.scratch |= member.scratch;
        for device in &member.devices {
            if facts.devices.iter().all(|known| known.name != device.name) {
                facts.devices.push(device.clone());
            }
        }
        let mount = |facts: &TargetFacts| facts.file_system.as_ref().map(|fs| fs.mount_point.clone());
        if mount(member) != mount(&facts) {
            facts.file_system = None;
        }
    }
    facts.members = members;
    facts
}

/// Written data as a share of all bytes; unknown where it is unknown of one.
fn written_share(members: &[TargetFacts]) -> Option<f64> {
    let bytes = |member: &TargetFacts| Some(member.written_share? * member.size_bytes as f64);
    let written: Option<Vec<f64>> = members.iter().map(bytes).collect();
    let all: u64 = members.iter().map(|member| member.size_bytes).sum();
    Some(written?.iter().sum::<f64>() / all.max(1) as f64)
}

/// Blocks that are counted from the offset on are whole ones of a device only where the offset is.
fn refuse_offset_between_blocks(workload: &Workload, facts: &TargetFacts) -> Result<(), EngineError> {
    let counted = workload.special.as_deref().is_some_and(|special| special.blocks_from_offset);
    let block = u64::from(facts.logical_block_bytes.max(1));
    if !counted || !(facts.direct || takes_whole_blocks(facts)) || workload.offset_bytes.is_multiple_of(block)
    {
        return Ok(());
    }
    let cause = format!(
        "an offset of {} bytes is not a multiple of the logical block of {}, which has {block} bytes: direct I/O takes \
         whole blocks alone",
        workload.offset_bytes, facts.name
    );
    Err(EngineError::new(ErrorKind::Plan, "laying out the workload's blocks", cause)
        .with_remedy(format!("use a multiple of {block}, or go through the page cache")))
}

/// What I/Os have to be multiples of, where parts of it are refused.
fn whole_block_bytes(facts: &TargetFacts, workload: &Workload) -> Option<u32> {
    /// No block is smaller, nor a stamp's.
    const LEAST: u32 = 512;
    if takes_whole_blocks(facts) {
        return Some(facts.logical_block_bytes);
    }
    let checked = workload.data.verify != Verify::Off;
    (checked || facts.kind == TargetKind::File && facts.direct).then_some(LEAST)
}

/// Whether parts of a logical block are refused, and its size is known: it is a guess for a file on a
/// file system without devices.
fn takes_whole_blocks(facts: &TargetFacts) -> bool {
    match facts.kind {
        TargetKind::BlockDevice => facts.direct,
        TargetKind::File => facts.direct && !facts.devices.is_empty(),
        TargetKind::NvmeNamespace | TargetKind::FabricNamespace | TargetKind::Simulated => true,
        _ => false,
    }
}
