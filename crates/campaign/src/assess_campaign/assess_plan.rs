//! What an assessment is asked for: from flags to its plan.

use clap::{Arg, ArgAction, Args};
use fathom_plan::{
    Client, Mistake, PlanError, PlanErrorKind, PlanFlags, RawKnownLimits, RawPlan, Text, clients, decorators,
    name, pattern, patterns, quantity, value,
};
use fathom_record::Fault;
use fathom_record::campaign::{AssessPlan, PatternPlan, Slo};
use fathom_record::options::Decorators;

use super::effort;

/// What `fathom assess` is told, value by value and unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawAssess {
    /// What to assess: a folder (a scratch file is made in it), FILE, /dev/X, null:, memory: or sim:NAME. It is
    /// one: run and sweep measure several as one address space, with --stripe.
    #[arg(value_name = "TARGET")]
    pub target: String,

    /// Time that the measurements may take, e.g. 10m. Default: 2m; with --until 1h, with --thorough 3h.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Text>,

    /// Repeat the chosen points in passes until each rate is known to this error, e.g. 2%, or the budget is
    /// over; none: do not. Default: 2% for budgets over 10m, otherwise none.
    #[arg(long, value_name = "SHARE")]
    pub until: Option<Text>,

    /// Write to the target before measuring, by bytes and not by time, on top of the budget: auto (twice
    /// its size in sequence, then random overwrite until the rate is steady), full (purge first: on a
    /// device it needs --destroy), none. Default: none.
    #[arg(long, value_name = "HOW")]
    pub precondition: Option<Text>,

    /// Follow the flow of SNIA's test specification (SSS PTS): purge if permitted, write twice the size
    /// in sequence, then rounds of all chosen points until five in a row keep its limits, or 25.
    #[arg(long)]
    pub thorough: bool,

    /// Patterns to measure, e.g. randread-4k,write-1m or randrw:8k:70%. Default: random reads and writes of
    /// 4k and 64k, reads and writes of 1m, and a 70/30 mix of 4k.
    #[arg(long, value_name = "LIST")]
    pub patterns: Option<Text>,

    /// Limits that are known beforehand.
    #[command(flatten)]
    pub known: RawKnownLimits,

    /// A latency to hold, e.g. p99=2ms: the highest rate that holds it is published too.
    #[arg(long, value_name = "pNN=TIME")]
    pub slo: Option<Text>,

    /// Keys of a plan that all of its runs share.
    #[command(flatten)]
    pub flags: PlanFlags<AssessKeys>,

    /// Give up an unfinished assessment of the same command, whose finished runs stay in the store, and begin anew.
    #[arg(long)]
    pub anew: bool,
}

/// The keys of a plan that an assessment takes: the rest is what it varies, or what its patterns say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssessKeys;

impl fathom_plan::Keys for AssessKeys {
    const KEYS: &'static [&'static str] =
        &["size", "engine", "seed", "destroy", "check-empty", "client", "partition", "delay", "throttle"];

    fn said(argument: Arg) -> Arg {
        let help = match argument.get_long() {
            Some("size") => "Bytes of the target to use, or size of the scratch file, e.g. 1GiB",
            Some("engine") => "I/O engine, e.g. uring or sync. Default: the best one the target allows",
            Some("seed") => "Seed of every random choice. Default: a new one, recorded",
            Some("destroy") => "Allow destroying all data on the device with this serial number",
            Some("client") => {
                "Measure from here at the same time as from every other client: the operating points are those of all \
                 together. A client is written as in fathom run. Repeatable"
            }
            Some("partition") => "Give each client a part of the target's addresses to itself",
            _ => return argument,
        };
        // It has one target, which is one device.
        let once = argument.get_long() == Some("destroy");
        let argument = argument.help(help);
        if once { argument.action(ArgAction::Set) } else { argument }
    }
}

/// An assessment that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct AssessOptions {
    /// What is recorded of it: target, engine, budget, size, patterns, ceilings, objective and seed.
    pub plan: AssessPlan,
    /// Serial number of the device whose content may be lost.
    pub permit: Option<String>,
    /// Whether a device that only reading can show to be empty is read, however long that takes.
    pub check_empty: bool,
    /// Whether an unfinished one of the same target with the same plan is given up.
    pub anew: bool,
    /// Who measures, all at once; none: this process alone.
    pub clients: Vec<Client>,
}

impl RawAssess {
    /// Reads every value and fills in the defaults. `new_seed` is used when none is named.
    ///
    /// # Errors
    /// The first value that is not what its flag takes.
    pub fn resolve(&self, new_seed: u64) -> Result<AssessOptions, PlanError> {
        self.read(new_seed).map_err(|mistake| match mistake.key {
            "target" => mistake.at("TARGET"),
            _ => mistake.at_flag(),
        })
    }

    fn read(&self, new_seed: u64) -> Result<AssessOptions, Mistake> {
        let refuse = |key, cause: &str| Err(Mistake::new(key, PlanErrorKind::Value, cause));
        if self.target.is_empty() {
            return refuse("target", "say what to assess, e.g. `.` for the disk under this folder");
        }
        let flags: &RawPlan = &self.flags.raw;
        let size_bytes = value("size", &flags.size, quantity::bytes)?;
        if size_bytes == Some(0) {
            return refuse("size", "a size of 0 leaves nothing to measure: write a size, e.g. 1GiB");
        }
        let seed = value("seed", &flags.seed, quantity::count)?.unwrap_or(new_seed);
        let mut patterns = value("patterns", &self.patterns, list)?.unwrap_or_else(patterns);
        for pattern in &mut patterns {
            pattern.workload.span_bytes = size_bytes;
            pattern.workload.seed = seed;
        }
        let effort = effort::read(self, &patterns)?;
        let known = self.known.read()?;
        let decorators = decorators(&flags.delay, &flags.throttle)?;
        let clients = self.clients()?;
        let plan = AssessPlan {
            target: self.target.clone(),
            engine: name("engine", &flags.engine)?,
            budget_ns: effort.budget_ns,
            size_bytes,
            patterns,
            ceilings: known.ceilings,
            instance: known.instance,
            volume: known.volume,
            slo: value("slo", &self.slo, slo)?,
            seed,
            delay: decorators.delay.map(|delay| delay.to_string()),
            throttle: decorators.throttle.map(|throttle| throttle.to_string()),
            until_share: effort.until_share,
            precondition: effort.precondition,
            thorough: self.thorough,
            clients: clients.iter().map(|client| client.without_permits().to_string()).collect(),
            partition: flags.partition.unwrap_or(false),
        };
        let serial = flags.destroy.as_deref().and_then(<[String]>::first).cloned();
        let permit = name("destroy", &serial.map(Text))?;
        let check_empty = flags.check_empty.unwrap_or(false);
        Ok(AssessOptions { plan, permit, check_empty, anew: self.anew, clients })
    }
}

impl RawAssess {
    /// The clients; what is written by bytes before measuring is one machine's work.
    fn clients(&self) -> Result<Vec<Client>, Mistake> {
        let clients = clients(&self.flags.raw)?;
        let writes_first = self.precondition.is_some() || self.thorough;
        if !clients.is_empty() && writes_first {
            let cause = "a target is preconditioned from one machine: do that first, without --client";
            let key = if self.thorough { "thorough" } else { "precondition" };
            return Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
        }
        Ok(clients)
    }
}

/// Patterns by name, each at most once.
fn list(text: &str) -> Result<Vec<PatternPlan>, Fault> {
    let mut patterns: Vec<PatternPlan> = Vec::new();
    for part in text.split(',') {
        let pattern = pattern(part).map_err(|error| error.cause)?;
        if patterns.iter().any(|earlier| earlier.name == pattern.name) {
            return Err(Fault::from(format!("`{}` is named twice: leave one out", pattern.name)));
        }
        patterns.push(pattern);
    }
    Ok(patterns)
}

fn slo(text: &str) -> Result<Slo, Fault> {
    let refused = || {
        format!(
            "`{text}` is not a valid objective: write a percentile and a time, e.g. p99=2ms or p99.9=10ms"
        )
    };
    let (percentile, limit) = text.split_once('=').ok_or_else(refused)?;
    let quantile = percentile.trim().strip_prefix('p').and_then(quantity::quantile).ok_or_else(refused)?;
    let limit_ns = quantity::time_ns(limit.trim())?;
    if limit_ns == 0 {
        return Err(Fault::from("nothing answers in no time: write an objective as p99=2ms"));
    }
    Ok(Slo { quantile, limit_ns })
}

/// What an assessment's plan puts around the engine. A plan of this build always reads back.
///
/// # Errors
/// When the plan is another build's, and names what this one does not know.
pub fn assess_decorators(plan: &AssessPlan) -> Result<Decorators, PlanError> {
    let text = |text: &Option<String>| text.clone().map(Text);
    decorators(&text(&plan.delay), &text(&plan.throttle)).map_err(Mistake::at_flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> RawAssess {
        RawAssess { target: ".".to_owned(), ..RawAssess::default() }
    }

    #[test]
    fn a_target_alone_is_an_assessment() {
        let options = raw().resolve(7).expect("a plan");
        assert_eq!(options.plan.budget_ns, 120_000_000_000);
        assert_eq!(options.plan.patterns.len(), 7);
        assert!(options.plan.patterns.iter().all(|p| p.workload.seed == 7 && p.workload.validate().is_ok()));
        assert_eq!(options.permit, None);
    }

    #[test]
    fn objectives_are_read() {
        let flags = RawPlan { size: Some("1GiB".into()), ..RawPlan::default() }.into();
        let raw = RawAssess { slo: Some("p99.9=2ms".into()), flags, ..raw() };
        let plan = raw.resolve(1).expect("a plan").plan;
        assert_eq!(plan.slo, Some(Slo { quantile: 0.999, limit_ns: 2_000_000 }));
        assert!(plan.patterns.iter().all(|p| p.workload.span_bytes == Some(1 << 30)));
    }

    #[test]
    fn mistakes_name_their_flag() {
        let message = |raw: RawAssess| raw.resolve(1).expect_err("refused").to_string();
        let bad = RawAssess { patterns: Some("randread-4k,randread:4096".into()), ..raw() };
        assert_eq!(message(bad), "--patterns: `randread-4k` is named twice: leave one out");
        for text in ["p100=1ms", "p0=1ms", "99=1ms", "p99=1", "p99=0", "p=1s", "p9.9.9=1s", "p99", ""] {
            assert!(slo(text).is_err(), "{text}");
        }
        assert!(message(RawAssess { budget: Some("0".into()), ..raw() }).starts_with("--budget"));
        assert!(message(RawAssess::default()).starts_with("TARGET"));
    }
}
