//! What an explanation by experiments is asked for: a plan, and how far it may go.

use clap::Args;
use fathom_plan::{
    Mistake, PlanError, PlanErrorKind, PlanSource, RawKnownLimits, RawPlan, RunPlan, Text, quantity, value,
};
use fathom_record::campaign::ExplainPlan;

/// Most experiments, unless told otherwise: what the method's error rates were measured with.
const DEFAULT_EXPERIMENTS: u32 = 5;
/// Time for all runs.
const DEFAULT_BUDGET_NS: u64 = 300_000_000_000;
/// The workload twice, and a lone I/O.
const RUNS_BEFORE: u64 = 3;
/// One run, unless the plan names its length.
const DEFAULT_TIME: &str = "8s";
const DEFAULT_WARMUP: &str = "1s";

/// What `fathom explain` is told beside a plan, value by value and unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawExplain {
    /// Measure the workload and make the experiments that decide, instead of reading finished results.
    #[arg(long)]
    pub experiments: bool,

    /// Time that all runs may take, waiting included, e.g. 10m. Default: 5m.
    #[arg(long, value_name = "TIME", requires = "experiments")]
    pub budget: Option<Text>,

    /// Most experiments, e.g. 3. Default: 5.
    #[arg(long, value_name = "NUMBER", requires = "experiments")]
    pub max_experiments: Option<Text>,

    /// Another target of the same kind that may be loaded together with the first: tells a volume's limit from one
    /// that volumes share. Another file of the same file system shares the volume: it tells what a file has of its own.
    #[arg(long, value_name = "TARGET", requires = "experiments")]
    pub second: Option<String>,

    /// Let the target rest this long where burst credits could come back, e.g. 15m; 0: no rest. Default: as long as a run,
    /// which doubles the next run's mean where credits are spent.
    #[arg(long, value_name = "TIME", requires = "experiments")]
    pub rest: Option<Text>,

    /// Trim the whole span where that tells something; its content is lost, so --destroy must permit it.
    #[arg(long, requires = "experiments")]
    pub purge: bool,

    /// Give up an unfinished explanation of the same command, whose finished runs stay in the store, and begin anew.
    #[arg(long, requires = "experiments")]
    pub anew: bool,

    /// Limits that are known beforehand.
    #[command(flatten)]
    pub known: RawKnownLimits,
}

/// An explanation that is ready to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainOptions {
    /// What is recorded of it.
    pub plan: ExplainPlan,
    /// The workload that experiments start from.
    pub base: RunPlan,
    /// Flags of the limits that were given, as they were typed.
    pub known: String,
    /// Whether an unfinished one with the same plan is given up.
    pub anew: bool,
}

impl RawExplain {
    /// The limits that were given.
    ///
    /// # Errors
    /// The first that is none.
    pub fn known(&self) -> Result<Vec<fathom_record::KnownCeiling>, PlanError> {
        let known = self.known.read().map_err(Mistake::at_flag)?;
        known.anywhere()
    }

    /// Reads every value. `new_seed` is used when the plan names no seed.
    ///
    /// # Errors
    /// The first value that is not what its flag takes.
    pub fn resolve(&self, source: &PlanSource, new_seed: u64) -> Result<ExplainOptions, PlanError> {
        let max_experiments = value("max-experiments", &self.max_experiments, quantity::small_count)
            .map_err(Mistake::at_flag)?;
        let budget_ns = value("budget", &self.budget, quantity::length_ns).map_err(Mistake::at_flag)?;
        let rest_ns = value("rest", &self.rest, quantity::time_ns).map_err(Mistake::at_flag)?;
        let raw = with_length(source.raw());
        let seed = source.seed(new_seed)?;
        let recorded = raw.recorded();
        let base = source.replaced(raw).resolve(seed)?;
        if !base.options.clients.is_empty() {
            let cause = "experiments are made from one machine: leave it out, or explain a finished run of several \
                         clients";
            return Err(Mistake::new("client", PlanErrorKind::Contradiction, cause).at_flag());
        }
        if base.workload.length.time_ns.is_none() {
            let cause = "experiments are compared with one another: give runs a length with --time";
            return Err(Mistake::new("time", PlanErrorKind::Contradiction, cause).at_flag());
        }
        if self.purge && !base.workload.mix.changes_data() {
            let cause = "a trim shows something of writes alone: add --rw randwrite, or leave it out";
            return Err(Mistake::new("purge", PlanErrorKind::Contradiction, cause).at_flag());
        }
        let budget_ns = budget_ns.unwrap_or(DEFAULT_BUDGET_NS);
        let length = base.workload.length;
        let least_ns = RUNS_BEFORE * (length.warmup_ns + length.time_ns.unwrap_or(0));
        if least_ns > budget_ns {
            let cause = format!(
                "the {RUNS_BEFORE} runs before any experiment take {}: give more, or shorter runs with --time",
                fathom_measure::Nanos(least_ns).coarse()
            );
            return Err(Mistake::new("budget", PlanErrorKind::Contradiction, cause).at_flag());
        }
        let plan = ExplainPlan {
            base: recorded,
            subject: None,
            max_experiments: max_experiments.unwrap_or(DEFAULT_EXPERIMENTS),
            budget_ns,
            second_target: self.second.clone(),
            rest_ns: rest_ns.unwrap_or(length.time_ns.unwrap_or(0)),
            may_purge: self.purge,
            ceilings: self.known()?,
            seed,
        };
        Ok(ExplainOptions { plan, base, known: self.known.flags(), anew: self.anew })
    }
}

/// The plan with the length of a run filled in.
fn with_length(raw: &RawPlan) -> RawPlan {
    let mut raw = raw.clone();
    if raw.time.is_none() && raw.count.is_none() && raw.bytes.is_none() {
        raw.time = Some(Text(DEFAULT_TIME.to_owned()));
        raw.warmup.get_or_insert(Text(DEFAULT_WARMUP.to_owned()));
    }
    raw
}
