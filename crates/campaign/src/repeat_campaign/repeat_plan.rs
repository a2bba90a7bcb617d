//! What a published evaluation is repeated with: targets for its sides, and how much is measured.

use clap::Args;
use fathom_plan::{
    ClientRole, Mistake, PlanError, PlanErrorKind, PlanSource, RawPlan, RunPlan, Text, advice, clients,
    iops_ceiling, quantity, throughput_ceiling, value,
};
use fathom_record::CeilingRate;
use fathom_record::Fault;
use fathom_record::campaign::{
    AcrossRestarts, AssessRecord, Quantity, RepeatBound, RepeatPlan, RepeatSide, RepeatStep, SideState,
};

use super::optimum;
use crate::restarts::restart_plan::{RawRestarts, fact};

/// Visits to each step and side, unless its rate, and what conclusions are about, is known before.
const DEFAULT_PASSES: u32 = 5;
/// What is known to this is not measured again.
const DEFAULT_UNTIL: f64 = 0.02;
const MOST_PASSES: u32 = 1000;
const DEFAULT_TIME_NS: u64 = 5_000_000_000;
/// Share of a run that warms up.
const WARMUP_SHARE: f64 = 0.2;
const SHORTEST_RUN_NS: u64 = 500_000_000;
const DEFAULT_LIMIT_NS: u64 = 600_000_000_000;

/// What `fathom repeat` is told beside an evaluation, value by value and unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawRepeat {
    /// What stands for a side of the evaluation here, e.g. 'gp3=/mnt/gp3'; repeatable, for each further side, and for
    /// each further target of one. Sides in their order can be given as --target too.
    #[arg(long = "side", value_name = "NAME=TARGET")]
    pub side: Vec<Text>,

    /// A target of the side that is called local; repeatable, for each further one.
    #[arg(long, value_name = "TARGET")]
    pub local: Vec<Text>,

    /// A target of the next side that is not called local; repeatable, for each further side.
    #[arg(long, value_name = "TARGET")]
    pub remote: Vec<Text>,

    /// Visits to each step and side, spaced over the whole, e.g. 8. Default: at most 5.
    #[arg(long, value_name = "NUMBER")]
    pub passes: Option<Text>,

    /// Visit a step no more once the 95 % interval of its rate is this narrow, e.g. 1%. Default: 2%.
    #[arg(long, value_name = "SHARE")]
    pub until: Option<Text>,

    /// Time that the whole may take, e.g. 20m: sets the length of a run. Default: 5s a run, or as --time says.
    #[arg(long, value_name = "TIME", conflicts_with_all = ["time", "as_published"])]
    pub budget: Option<Text>,

    /// Measure as long and as often as the evaluation did.
    #[arg(long, conflicts_with_all = ["passes", "until", "time"])]
    pub as_published: bool,

    /// Whether the sides are states of this machine, with restarts between them.
    #[command(flatten)]
    pub restarts: RawRestarts,

    /// A fact of the machine that tells that a side is in force, e.g. 'native=kernel=6.12.*'; repeatable, for each
    /// side. Facts: kernel, driver:DEVICE, file:PATH, sysctl:NAME, and on Windows registry:HKLM\\KEY\\NAME.
    #[arg(long = "is", value_name = "NAME=FACT=VALUE", requires = "across_restarts")]
    pub is: Vec<Text>,

    /// Command for the shell that switches to a side and restarts the machine, e.g. 'native=reboot'; without one,
    /// somebody does it by hand.
    #[arg(long = "before", value_name = "NAME=COMMAND", requires = "across_restarts")]
    pub before: Vec<Text>,

    /// Time that such a command may take, e.g. 30s. Default: 10m.
    #[arg(long, value_name = "TIME", requires = "before")]
    pub before_limit: Option<Text>,

    /// Finished assessment of one device, by its id or as last: its jobs and depths that give the most for their latency
    /// are taken, and those of all sides are scaled as the evaluation's were. Default: the evaluation's own.
    #[arg(long, value_name = "CAMPAIGN")]
    pub optimum: Option<Text>,

    /// A bound of the evaluation as it is here, e.g. "the clients' network=25 Gbit/s"; rates of I/Os without a unit.
    #[arg(long = "bound", value_name = "NAME=RATE")]
    pub bound: Vec<Text>,

    /// Give up an unfinished repetition of the same command, whose finished runs stay in the store, and begin anew.
    #[arg(long)]
    pub anew: bool,
}

/// An evaluation as it is read: who it is, and its method.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// As it was named.
    pub name: String,
    /// Its plan without targets, given keys and lengths.
    pub plan: RepeatPlan,
    /// Of each step: the number of a side's targets that it takes; absent: all.
    pub targets: Vec<Option<u32>>,
    /// The assessment whose jobs and depths are asked for in place of its own.
    pub optimum: Option<Box<AssessRecord>>,
}

/// A repetition that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatOptions {
    /// What is recorded of it.
    pub plan: RepeatPlan,
    /// What is run.
    pub cells: Vec<RunPlan>,
    /// The step of each cell.
    pub step_of: Vec<usize>,
    /// Steps that cannot be run here, and why.
    pub refused: Vec<(usize, String)>,
    /// What is not as it was there, in sentences.
    pub differences: Vec<String>,
    /// Time that a command before a side's turn may take, in nanoseconds.
    pub before_limit_ns: u64,
    /// Whether an unfinished one with the same plan is given up.
    pub anew: bool,
}

impl RawRepeat {
    /// Reads every value and works out the plan of every step. `flags` override the plans of all steps, and their
    /// targets stand for the sides in their order; `new_seed` is used when none is named.
    ///
    /// # Errors
    /// A side without a target, a value that is not what its flag takes, or a step that is no plan.
    pub fn resolve(
        &self,
        evaluation: &Evaluation,
        flags: RawPlan,
        new_seed: u64,
    ) -> Result<RepeatOptions, PlanError> {
        let mut plan = evaluation.plan.clone();
        self.name_targets(&mut plan.sides, flags.target.as_deref().unwrap_or_default())?;
        let mut flags = RawPlan { target: None, ..flags };
        plan.seed = PlanSource::from_flags(flags.clone()).seed(new_seed)?;
        plan.as_published = self.as_published;
        plan.across_restarts = self.across_restarts(&plan.sides)?;
        let before_limit_ns =
            value("before-limit", &self.before_limit, quantity::length_ns).map_err(Mistake::at_flag)?;
        self.set_visits(&mut plan)?;
        plan.own_bounds = self.bounds(&plan.bounds)?;
        let mut differences = Vec::new();
        if let Some(assessed) = &evaluation.optimum {
            let found = optimum::of(assessed, &plan, |step| source(&evaluation.name, step))?;
            (plan.optimum, differences) = (Some(found.0), found.1);
        }
        let budget_ns = value("budget", &self.budget, quantity::length_ns).map_err(Mistake::at_flag)?;
        let runs = plan.steps.len() as u64 * u64::from(plan.visits);
        let run_ns = budget_ns.map_or(DEFAULT_TIME_NS, |budget| (budget / runs.max(1)).max(SHORTEST_RUN_NS));
        if budget_ns.is_some() {
            // Given, so that the line which continues it has it.
            let warmup_ns = (run_ns as f64 * WARMUP_SHARE) as u64;
            let warmup = flags.warmup.get_or_insert_with(|| Text(quantity::write_time_ns(warmup_ns)));
            let warmup_ns = quantity::time_ns(&warmup.0).unwrap_or(warmup_ns).min(run_ns / 2);
            flags.time = Some(Text(quantity::write_time_ns(run_ns - warmup_ns)));
        }
        plan.given = flags.recorded();
        let mut options = RepeatOptions {
            plan,
            cells: Vec::new(),
            step_of: Vec::new(),
            refused: Vec::new(),
            differences,
            before_limit_ns: before_limit_ns.unwrap_or(DEFAULT_LIMIT_NS),
            anew: self.anew,
        };
        for (at, wanted) in evaluation.targets.iter().enumerate() {
            match options.step(at, (*wanted, run_ns), &flags)? {
                Ok(cell) => {
                    options.cells.push(cell);
                    options.step_of.push(at);
                }
                Err(cause) => options.refused.push((at, cause)),
            }
        }
        options.differences.extend(given_differences(&options.plan.given));
        if budget_ns.is_some_and(|budget| budget < SHORTEST_RUN_NS * runs) {
            let least = fathom_measure::Nanos(SHORTEST_RUN_NS).coarse();
            let runs = fathom_measure::counted(runs, "run");
            options
                .differences
                .push(format!("The budget is too short for {runs} of {least}, the least that one takes."));
        }
        options.differences.extend(side_differences(&options.plan.sides));
        options.differences.dedup();
        Ok(options)
    }

    /// The states of the machine that the sides are, where restarts lie between them.
    fn across_restarts(&self, sides: &[RepeatSide]) -> Result<Option<AcrossRestarts>, PlanError> {
        let state = |side: &RepeatSide| SideState { name: side.name.clone(), ..SideState::default() };
        let mut states: Vec<SideState> = sides.iter().map(state).collect();
        for text in &self.is {
            let (at, told) = of_side(("--is", "NAME=FACT=VALUE", "'native=kernel=6.12.*'"), text, sides)?;
            let told = fact(told).map_err(|fault| fault.at(PlanErrorKind::Value, "--is"))?;
            states[at].is.push(told);
        }
        for text in &self.before {
            let (at, command) = of_side(("--before", "NAME=COMMAND", "'native=reboot'"), text, sides)?;
            states[at].before = Some(command.trim().to_owned()).filter(|command| !command.is_empty());
        }
        if self.restarts.across_restarts && sides.len() < 2 {
            let cause = "the evaluation has one side: no restart lies between two";
            return Err(refusal(PlanErrorKind::Contradiction, "--across-restarts", cause));
        }
        self.restarts
            .resolve(states.into_iter().map(|state| ("is", state)).collect())
            .map_err(Mistake::at_flag)
    }

    /// Gives each side its targets.
    fn name_targets(&self, sides: &mut [RepeatSide], targets: &[String]) -> Result<(), PlanError> {
        for text in &self.side {
            let (at, target) = of_side(("--side", "NAME=TARGET", "gp3=/mnt/gp3"), text, sides)?;
            sides[at].targets.push(target.to_owned());
        }
        for target in &self.local {
            let local = sides.iter_mut().find(|side| side.name == "local").ok_or_else(|| {
                refusal(
                    PlanErrorKind::Contradiction,
                    "--local",
                    "the evaluation has no side `local`: use --side NAME=TARGET",
                )
            })?;
            local.targets.push(target.0.clone());
        }
        let open = |sides: &[RepeatSide], local: bool| {
            sides.iter().position(|side| side.targets.is_empty() && (local || side.name != "local"))
        };
        for target in &self.remote {
            let at = open(sides, false).ok_or_else(|| {
                refusal(
                    PlanErrorKind::Contradiction,
                    "--remote",
                    "every remote side has a target before: use --side NAME=TARGET for further ones",
                )
            })?;
            sides[at].targets.push(target.0.clone());
        }
        // One device, and the machine around it changes.
        let stays = self.restarts.across_restarts && sides.iter().all(|side| side.targets.is_empty());
        if let ([only], true) = (targets, stays) {
            sides.iter_mut().for_each(|side| side.targets.push(only.clone()));
        } else if let [only] = sides {
            only.targets.extend_from_slice(targets);
        } else {
            for target in targets {
                let at = open(sides, true).ok_or_else(|| {
                    let cause = format!("every side has a target before `{target}`: use --side NAME=TARGET");
                    refusal(PlanErrorKind::Contradiction, "--target", cause)
                })?;
                sides[at].targets.push(target.clone());
            }
        }
        let Some(empty) = sides.iter().find(|side| side.targets.is_empty()) else { return Ok(()) };
        Err(match empty.name.as_str() {
            "" => refusal(PlanErrorKind::Missing, "--target", "say what to measure, e.g. /dev/X or a folder"),
            name => {
                let cause = format!(
                    "no target stands for the side `{name}` ({}): add --side '{name}=TARGET'",
                    empty.was
                );
                refusal(PlanErrorKind::Missing, "--side", cause)
            }
        })
    }

    fn set_visits(&self, plan: &mut RepeatPlan) -> Result<(), PlanError> {
        let passes = value("passes", &self.passes, quantity::small_count).map_err(Mistake::at_flag)?;
        let until = value("until", &self.until, quantity::share).map_err(Mistake::at_flag)?;
        let published = plan.steps.iter().filter_map(|step| step.published_runs).max();
        plan.visits = match (self.as_published, passes) {
            (true, _) => published.unwrap_or(1),
            (false, passes) => passes.unwrap_or(DEFAULT_PASSES),
        };
        if plan.visits == 0 || plan.visits > MOST_PASSES {
            let cause = format!("{} is not a number from 1 to {MOST_PASSES}, e.g. 5", plan.visits);
            return Err(refusal(PlanErrorKind::Value, "--passes", cause));
        }
        if until == Some(0.0) {
            let cause = "no interval is ever that narrow: write a share, e.g. 2%";
            return Err(refusal(PlanErrorKind::Value, "--until", cause));
        }
        plan.until_share = (!self.as_published).then(|| until.unwrap_or(DEFAULT_UNTIL));
        Ok(())
    }

    /// The evaluation's bounds as they are here; those that were not given are left out.
    fn bounds(&self, there: &[RepeatBound]) -> Result<Vec<RepeatBound>, PlanError> {
        let wrong = |cause: String| refusal(PlanErrorKind::Value, "--bound", cause);
        let mut out = Vec::new();
        for text in &self.bound {
            let (name, rate) = text
                .0
                .rsplit_once('=')
                .ok_or_else(|| wrong(format!("`{}` is not a valid NAME=RATE", text.0)))?;
            let bound = there.iter().find(|bound| bound.name == name).ok_or_else(|| {
                let names: Vec<&str> = there.iter().map(|bound| bound.name.as_str()).collect();
                wrong(format!("unknown bound `{name}`: the evaluation has {}", names.join(", ")))
            })?;
            let value =
                rate_of(bound.quantity, rate).map_err(|fault| fault.at(PlanErrorKind::Value, "--bound"))?;
            out.push(RepeatBound { value, ..bound.clone() });
        }
        Ok(out)
    }
}

impl RepeatOptions {
    /// Works out one step; the inner error is why it cannot be run with the targets at hand.
    fn step(
        &mut self,
        at: usize,
        (wanted, run_ns): (Option<u32>, u64),
        flags: &RawPlan,
    ) -> Result<Result<RunPlan, String>, PlanError> {
        let step = self.plan.steps[at].clone();
        let side = self.plan.sides.iter().find(|side| side.name == step.side).cloned().unwrap_or_default();
        let here = side.targets.len() as u32;
        if let Some(wanted) = wanted.filter(|wanted| *wanted > here) {
            let flag = if side.name.is_empty() {
                "--target X".to_owned()
            } else {
                format!("--side '{}=X'", side.name)
            };
            let cause = format!("it takes {wanted} targets, and {here} {} given: add {flag}", are(here));
            return Ok(Err(cause));
        }
        let targets = side.targets.iter().take(wanted.unwrap_or(here) as usize).cloned().collect();
        let own = at_optimum(source(&self.plan.evaluation, &step)?, &self.plan, &step.name)?;
        let flags = &flags_of(&side, flags);
        let mut added = RawPlan { target: Some(targets), ..RawPlan::default() };
        let share = self.scale(&side, wanted.is_none());
        let clients = self.clients(&side, flags)?;
        let jobs = own.raw().jobs.as_ref().and_then(|jobs| jobs.0.parse::<u32>().ok()).unwrap_or(1);
        // Each job works on one target, and a client that shares the load works on all of them.
        let least = if clients > 1 { wanted.unwrap_or(here) } else { 1 };
        let each = jobs_of_each(jobs, share, clients).max(least);
        if clients > 1 && u64::from(each) * u64::from(clients) != u64::from(jobs_of_each(jobs, share, 1)) {
            let total = u64::from(each) * u64::from(clients);
            self.say_evened(&step.title(), total);
        }
        added.jobs = (each != jobs).then(|| Text(each.to_string()));
        let published_ns = step.published_seconds.map(|seconds| (seconds * 1e9) as u64);
        let as_published = published_ns.filter(|_| self.plan.as_published);
        let warmup_ns = (run_ns as f64 * WARMUP_SHARE) as u64;
        match as_published {
            Some(ns) => added.time = Some(Text(quantity::write_time_ns(ns))),
            None => {
                added.time = Some(Text(quantity::write_time_ns(run_ns - warmup_ns)));
                added.warmup = Some(Text(quantity::write_time_ns(warmup_ns)));
            }
        }
        let whole = own.overridden_by(added).overridden_by(flags.clone());
        self.plan.steps[at].plan = whole.raw().recorded();
        let cell = whole.resolve(self.plan.seed)?;
        let here_ns = cell.workload.length.time_ns;
        if let Some((published, here)) = published_ns.zip(here_ns).filter(|(a, b)| a != b) {
            let time = |ns| fathom_measure::Nanos(ns).coarse();
            self.say(format!("A run was {} there and is {} here.", time(published), time(here)));
        }
        Ok(Ok(cell))
    }

    /// Share of a side's published jobs that its targets here take; they are in proportion where a step takes all of them.
    fn scale(&mut self, side: &RepeatSide, takes_all: bool) -> f64 {
        let here = side.targets.len() as u32;
        if !takes_all || here == side.devices {
            return 1.0;
        }
        self.say(format!(
            "Jobs of {}, and the factors between its rates and other sides', are in proportion to its targets: {} \
             there, {here} here.",
            side.name, side.devices,
        ));
        f64::from(here) / f64::from(side.devices)
    }

    /// How many clients load a side here, each with its share of the jobs; 1 for this process alone.
    fn clients(&mut self, side: &RepeatSide, flags: &RawPlan) -> Result<u32, PlanError> {
        let all = clients(flags).map_err(Mistake::at_flag)?;
        let here = all.iter().filter(|client| client.role == ClientRole::Load).count() as u32;
        let machines = |count: u32| fathom_measure::counted(u64::from(count), "client");
        let name = if side.name.is_empty() { "The target" } else { &side.name };
        let by =
            if here == 0 { "by this machine alone".to_owned() } else { format!("by {}", machines(here)) };
        match side.clients {
            Some(there) if there != here.max(1) => {
                self.say(format!("{name} was loaded by {} there and {by} here.", machines(there)));
            }
            None if here > 1 => {
                self.say(format!("{name} is loaded {by} here; by how many it was there is not stated."))
            }
            _ => {}
        }
        Ok(here.max(1))
    }

    /// Steps whose jobs were evened out over clients are told in one sentence.
    fn say_evened(&mut self, title: &str, total: u64) {
        let [one, several] =
            ["has", "have"].map(|verb| format!(" {verb} {total} jobs in all here, as many on each client."));
        let before =
            |said: &str| said.strip_suffix(&*one).or(said.strip_suffix(&*several)).map(str::to_owned);
        let told = self.differences.iter_mut().find_map(|said| Some((before(said)?, said)));
        match told {
            Some((titles, said)) => *said = format!("{titles}; {title}{several}"),
            None => self.say(format!("{title}{one}")),
        }
    }

    fn say(&mut self, said: String) {
        if !self.differences.contains(&said) {
            self.differences.push(said);
        }
    }
}

/// The flags as they are for a side: clients load what is remote, and this process what is called local.
fn flags_of(side: &RepeatSide, flags: &RawPlan) -> RawPlan {
    match side.name.as_str() {
        "local" => RawPlan { client: None, partition: None, ..flags.clone() },
        _ => flags.clone(),
    }
}

/// A step's plan with the jobs and depth that are in proportion to what one device here does best with.
fn at_optimum(own: PlanSource, plan: &RepeatPlan, step: &str) -> Result<PlanSource, PlanError> {
    let Some(found) = &plan.optimum else { return Ok(own) };
    let workload = optimum::planned_workload(&own, plan.seed)?;
    let counts = (workload.jobs, workload.depth);
    let Some((jobs, depth)) = optimum::scaled(found, step, counts) else { return Ok(own) };
    let text = |count: u32| Some(Text(count.to_string()));
    Ok(own.overridden_by(RawPlan { jobs: text(jobs), depth: text(depth), ..RawPlan::default() }))
}

/// Jobs of each client, where a side had so many in all. No client has none, so that few jobs on many clients are more
/// than they were.
fn jobs_of_each(jobs: u32, share: f64, clients: u32) -> u32 {
    (f64::from(jobs) * share / f64::from(clients)).round().max(1.0) as u32
}

/// The side that a text names, by its place, and what stands behind the name.
fn of_side<'a>(
    (flag, form, example): (&str, &str, &str),
    text: &'a Text,
    sides: &[RepeatSide],
) -> Result<(usize, &'a str), PlanError> {
    let wrong = |cause: String| refusal(PlanErrorKind::Value, flag, cause);
    let (name, rest) = text
        .0
        .split_once('=')
        .ok_or_else(|| wrong(format!("`{}` is not a valid {form}: write it as {flag} {example}", text.0)))?;
    if matches!(sides, [only] if only.name.is_empty()) {
        return Err(wrong("the evaluation has one side, without a name".to_owned()));
    }
    let names = || sides.iter().map(|side| side.name.as_str());
    let unknown = || wrong(format!("unknown side `{name}`: {}", advice(name, names())));
    Ok((names().position(|side| side == name).ok_or_else(unknown)?, rest))
}

/// A bound's rate as it is typed: bytes per second with their unit, or I/Os per second.
fn rate_of(quantity: Quantity, text: &str) -> Result<f64, Fault> {
    let read = if quantity == Quantity::Throughput { throughput_ceiling(text) } else { iops_ceiling(text) };
    read.map(|rate| match rate {
        CeilingRate::Iops { operations_per_s } => operations_per_s,
        CeilingRate::Throughput { bytes_per_s } => bytes_per_s,
    })
}

/// Keys that an evaluation may not state: it comes from somebody else, and may neither choose what is written nor
/// permit the loss of data.
const OWN: [&str; 8] = ["target", "destroy", "check-empty", "keep", "seed", "replay", "client", "partition"];

/// The plan that the evaluation states of a step.
fn source(evaluation: &str, step: &RepeatStep) -> Result<PlanSource, PlanError> {
    let name = format!("step \"{}\" of {evaluation}", step.name);
    let refuse = |cause: String| refusal(PlanErrorKind::Value, &name, cause);
    let table: toml::Table = serde_json::from_value(step.plan.clone())
        .map_err(|error| refuse(error.to_string()).with_source(error))?;
    if let Some(key) = OWN.iter().find(|key| table.contains_key(**key)) {
        return Err(refuse(format!("`{key}` is yours to give: use --{key}")));
    }
    // A plain name is an engine, or a tool that the user has installed; all else names a program or a machine.
    let is_plain =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if let Some(engine) = table.get("engine").filter(|engine| !engine.as_str().is_some_and(is_plain)) {
        return Err(refuse(format!("engine {engine} names what is to be run: give it as --engine")));
    }
    PlanSource::from_toml(&table.to_string(), &name).map_err(|mut error| {
        // The evaluation's lines are not those of the text that was made here.
        error.kind = PlanErrorKind::Value;
        error.at(&name)
    })
}

/// What was given in place of the evaluation's own keys.
fn given_differences(given: &serde_json::Value) -> Vec<String> {
    // Lengths and clients are told of on their own, and clients are not for every step.
    let told = |key: &str| !["time", "warmup", "client", "partition"].contains(&key);
    let keys = given.as_object().into_iter().flatten().filter(|(key, value)| told(key) && !value.is_null());
    keys.map(|(key, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("--{key} {text} was given for every step, in place of the evaluation's own.")
    })
    .collect()
}

/// What sides were, where that is stated.
fn side_differences(sides: &[RepeatSide]) -> Vec<String> {
    let side = |side: &RepeatSide| {
        let name = if side.name.is_empty() { "The target" } else { &side.name };
        format!("{name} was {} there and is {} here.", side.was, side.here())
    };
    sides.iter().filter(|side| !side.was.is_empty()).map(side).collect()
}

const fn are(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn refusal(kind: PlanErrorKind, place: &str, cause: impl Into<String>) -> PlanError {
    PlanError::new(kind, place, cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn evaluation(sides: &[(&str, u32)], steps: &[(&str, &str, Option<u32>)]) -> Evaluation {
        let side = |(name, devices): &(&str, u32)| RepeatSide {
            name: (*name).to_owned(),
            devices: *devices,
            ..RepeatSide::default()
        };
        let step = |(name, side, _): &(&str, &str, Option<u32>)| RepeatStep {
            name: (*name).to_owned(),
            side: (*side).to_owned(),
            plan: json!({"rw": "randread", "bs": "4k", "jobs": 64, "depth": 32}),
            published_seconds: Some(3600.0),
            published_runs: Some(3),
            ..RepeatStep::default()
        };
        Evaluation {
            name: "x".to_owned(),
            plan: RepeatPlan {
                evaluation: "x".to_owned(),
                title: "X".to_owned(),
                source: String::new(),
                sides: sides.iter().map(side).collect(),
                steps: steps.iter().map(step).collect(),
                conclusions: Vec::new(),
                bounds: Vec::new(),
                own_bounds: Vec::new(),
                given: json!({}),
                visits: 0,
                until_share: None,
                as_published: false,
                across_restarts: None,
                optimum: None,
                seed: 0,
            },
            optimum: None,
            targets: steps.iter().map(|(.., targets)| *targets).collect(),
        }
    }

    fn flags(targets: &[&str]) -> RawPlan {
        let targets: Vec<String> = targets.iter().map(|name| (*name).to_owned()).collect();
        RawPlan { target: Some(targets).filter(|list| !list.is_empty()), ..RawPlan::default() }
    }

    #[test]
    fn targets_stand_for_sides_in_their_order_or_by_name() {
        let two = evaluation(&[("local", 1), ("far", 8)], &[("a", "local", None), ("a", "far", None)]);
        let options = RawRepeat::default().resolve(&two, flags(&["sim:nvme", "sim:gp3"]), 7).unwrap();
        assert_eq!(options.plan.sides[1].targets, ["sim:gp3"]);
        // One of eight drives takes an eighth of the jobs.
        assert_eq!((options.cells[0].workload.jobs, options.cells[1].workload.jobs), (64, 8));
        let raw = RawRepeat {
            local: vec!["sim:nvme".into()],
            remote: vec!["sim:gp3".into()],
            ..RawRepeat::default()
        };
        assert_eq!(raw.resolve(&two, flags(&[]), 7).unwrap().plan.sides, options.plan.sides);
        let lacking = RawRepeat::default().resolve(&two, flags(&["sim:nvme"]), 7).unwrap_err().to_string();
        assert!(lacking.contains("--side 'far=TARGET'"), "{lacking}");
        let unknown = RawRepeat { side: vec!["fra=sim:nvme".into()], ..RawRepeat::default() };
        let said = unknown.resolve(&two, flags(&[]), 7).unwrap_err().to_string();
        assert!(said.contains("unknown side `fra`"), "{said}");
        assert!(RawRepeat::default().resolve(&two, flags(&["sim:nvme"; 3]), 7).is_err());
    }

    #[test]
    fn clients_share_the_jobs_of_what_is_remote_and_load_nothing_that_is_local() {
        let mut two = evaluation(&[("local", 1), ("far", 8)], &[("a", "local", None), ("a", "far", None)]);
        two.plan.sides[1].clients = Some(4);
        let with = |clients: &[&str], targets: usize| {
            let client = clients.iter().map(|name| (*name).to_owned()).collect();
            let flags = RawPlan { client: Some(client), ..flags(&[]) };
            let remote = (0..targets).map(|_| "far=null:".into()).collect();
            let raw = RawRepeat { local: vec!["null:".into()], side: remote, ..RawRepeat::default() };
            raw.resolve(&two, flags, 7).unwrap()
        };
        let jobs = |options: &RepeatOptions| {
            let of = |cell: &RunPlan| (cell.workload.jobs, cell.options.clients.len());
            options.cells.iter().map(of).collect::<Vec<_>>()
        };
        let as_there = with(&["a=local", "b=local", "c=local", "d=local"], 8);
        assert_eq!(jobs(&as_there), [(64, 0), (16, 4)]);
        assert!(
            !as_there.differences.iter().any(|said| said.contains("client")),
            "{:?}",
            as_there.differences
        );
        // An eighth of the drives, from two machines; one that watches the target's shares in nothing.
        let fewer = with(&["a=local", "b=local", "t=local role=target"], 1);
        assert_eq!(jobs(&fewer), [(64, 0), (4, 3)]);
        let said = "far was loaded by 4 clients there and by 2 clients here.";
        assert!(fewer.differences.iter().any(|difference| difference == said), "{:?}", fewer.differences);
        let many: Vec<String> = (0..64).map(|at| format!("c{at}=local")).collect();
        let many = with(&many.iter().map(String::as_str).collect::<Vec<_>>(), 1);
        let said = "a, far has 64 jobs in all here, as many on each client.";
        assert!(many.differences.iter().any(|difference| difference == said), "{:?}", many.differences);
        // Four jobs each would leave half of the targets alone.
        let mut small = two.clone();
        small.plan.steps[1].plan["jobs"] = json!(16);
        let with_few = RawRepeat {
            local: vec!["null:".into()],
            side: (0..8).map(|_| "far=null:".into()).collect(),
            ..RawRepeat::default()
        };
        let client = Some(["a", "b", "c", "d"].map(|name| format!("{name}=local")).to_vec());
        let few = with_few.resolve(&small, RawPlan { client, ..flags(&[]) }, 7).unwrap();
        assert_eq!(jobs(&few), [(64, 0), (8, 4)]);
        let said = "a, far has 32 jobs in all here, as many on each client.";
        assert!(few.differences.iter().any(|difference| difference == said), "{:?}", few.differences);
        let alone = with(&[], 8);
        assert_eq!(jobs(&alone), [(64, 0), (64, 0)]);
        let said = "far was loaded by 4 clients there and by this machine alone here.";
        assert!(alone.differences.iter().any(|difference| difference == said), "{:?}", alone.differences);
    }

    #[test]
    fn a_step_that_takes_more_targets_than_there_are_is_left_out_and_said() {
        let one = evaluation(&[("", 3)], &[("1", "", Some(1)), ("3", "", Some(3))]);
        let options = RawRepeat::default().resolve(&one, flags(&["sim:nvme", "sim:nvme"]), 7).unwrap();
        assert_eq!((options.cells.len(), options.step_of.as_slice()), (1, [0].as_slice()));
        assert_eq!(options.refused, [(1, "it takes 3 targets, and 2 are given: add --target X".to_owned())]);
        assert_eq!(options.cells[0].workload.jobs, 64);
    }

    #[test]
    fn lengths_are_short_as_published_or_of_a_budget_and_differences_are_said() {
        let one = evaluation(&[("", 1)], &[("a", "", None)]);
        let with = |raw: RawRepeat| raw.resolve(&one, flags(&["sim:nvme"]), 7).unwrap();
        let short = with(RawRepeat::default());
        assert_eq!((short.plan.visits, short.plan.until_share), (5, Some(0.02)));
        assert_eq!(short.cells[0].workload.length.time_ns, Some(4_000_000_000));
        assert!(short.differences.iter().any(|said| said.contains("1 h there")), "{:?}", short.differences);
        let whole = with(RawRepeat { as_published: true, ..RawRepeat::default() });
        assert_eq!((whole.plan.visits, whole.plan.until_share), (3, None));
        assert_eq!(whole.cells[0].workload.length.time_ns, Some(3_600_000_000_000));
        assert!(whole.differences.is_empty(), "{:?}", whole.differences);
        let budget = with(RawRepeat { budget: Some("50s".into()), ..RawRepeat::default() });
        let length = budget.cells[0].workload.length;
        assert_eq!(length.time_ns.unwrap() + length.warmup_ns, 10_000_000_000);
        let line = fathom_plan::repeat_command_line(&budget.plan, 0);
        assert!(line.contains("--time=8s") && line.contains("--warmup=2s"), "{line}");
    }

    #[test]
    fn an_evaluation_permits_nothing_and_names_no_target() {
        for key in OWN {
            let mut one = evaluation(&[("", 1)], &[("a", "", None)]);
            one.plan.steps[0].plan[key] = json!("x");
            let said = RawRepeat::default().resolve(&one, flags(&["sim:nvme"]), 7).unwrap_err().to_string();
            assert!(said.contains(&format!("use --{key}")), "{said}");
        }
    }

    #[test]
    fn an_evaluation_names_no_program_to_run() {
        let with = |engine: &str| {
            let mut one = evaluation(&[("", 1)], &[("a", "", None)]);
            one.plan.steps[0].plan["engine"] = json!(engine);
            RawRepeat::default().resolve(&one, flags(&["sim:nvme"]), 7)
        };
        for engine in ["fio:./script", "diskspd:ssh host diskspd", "fio@host", "bdevperf:/x", "../fio"] {
            let said = with(engine).unwrap_err().to_string();
            assert!(said.contains("give it as --engine"), "{engine}: {said}");
        }
        assert!(with("fio").is_ok() && with("nvme-tcp").is_ok());
    }
}
