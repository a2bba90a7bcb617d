//! What a comparison is asked for: a plan that both sides share, and the keys in which they differ.

use clap::Args;
use fathom_plan::{
    Mistake, PlanError, PlanErrorKind, PlanSource, RawPlan, RunPlan, Text, advice, keys, name, pattern,
    quantity, value,
};
use fathom_record::Fault;
use fathom_record::campaign::{AcrossRestarts, ComparePlan, Setting, SidePlan, SideState};
use fathom_record::comparison::Side;

use crate::restarts::restart_plan::{RawRestarts, facts};
use crate::single_run::RUN_OVERHEAD_NS;

/// Reads, writes and large transfers: where stacks and devices differ in different ways.
const DEFAULT_PATTERNS: &str = "randread-4k,randwrite-4k,read-1m";
/// The latency of one I/O, and what comes out when the target is kept busy.
const DEFAULT_DEPTHS: &str = "1,32";
const DEFAULT_BUDGET_NS: u64 = 900_000_000_000;
/// Length of a run where nothing sets it, and the least that a budget may make of it.
const LONGEST_TIME_NS: u64 = 3_000_000_000;
const SHORTEST_TIME_NS: u64 = 500_000_000;
/// Warm-up against the measured time.
const WARMUP_SHARE: f64 = 0.15;
/// Pairs that a budget should have room for before runs are made shorter.
const COMFORTABLE_PAIRS: u64 = 12;
const LEAST_PAIRS: u32 = 5;
const MOST_PAIRS: u32 = 40;
const MOST_FIXED_PAIRS: u32 = 1000;
const DEFAULT_MATERIALITY: f64 = 0.01;
/// Beyond this the margin of equivalence, three times as wide, has no meaning.
const MOST_MATERIALITY: f64 = 0.3;
/// Pairs at most where each takes two restarts, unless more are asked for.
const MOST_RESTARTED_PAIRS: u32 = 10;
const DEFAULT_LIMIT_NS: u64 = 600_000_000_000;
/// Keys that must be the same on both sides, or that say how a comparison is made.
const SHARED_KEYS: [&str; 8] =
    ["target", "seed", "destroy", "check-empty", "time", "warmup", "count", "bytes"];
/// Keys that say what an I/O is, or how many are offered: rates of different I/Os, or of different demands, do
/// not tell the sides apart.
const QUESTION_KEYS: [&str; 11] = [
    "rw",
    "bs",
    "read-bs",
    "write-bs",
    "trim-bs",
    "read-share",
    "trim-share",
    "rate",
    "arrival",
    "ramp-from",
    "ramp-over",
];
/// The key that says who measures.
const CLIENT_KEY: &str = "client";
/// Keys that a pattern sets.
const PATTERN_KEYS: [&str; 3] = ["rw", "bs", "read-share"];

/// What `fathom compare` is told beside a plan, value by value and unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawCompare {
    /// What is compared with: a target (a folder, FILE, /dev/X or sim:NAME), or a finished run or campaign
    /// by its id.
    #[arg(value_name = "A")]
    pub a_name: String,

    /// What is judged beside it. Default: the same target as A, with other settings.
    #[arg(value_name = "B")]
    pub b_name: Option<String>,

    /// A key of the plan for side A alone, e.g. engine=uring; may be repeated.
    #[arg(long = "a", value_name = "KEY=VALUE")]
    pub a: Vec<Text>,

    /// The same for side B, e.g. engine=aio.
    #[arg(long = "b", value_name = "KEY=VALUE")]
    pub b: Vec<Text>,

    /// Command for the shell before each turn of side A: it returns 0 when the side is ready. One that
    /// restarts the machine need not return: the same command continues the comparison.
    #[arg(long, value_name = "COMMAND")]
    pub before_a: Option<Text>,

    /// The same for side B.
    #[arg(long, value_name = "COMMAND")]
    pub before_b: Option<Text>,

    /// Time that such a command may take, e.g. 30s. Default: 10m.
    #[arg(long, value_name = "TIME")]
    pub before_limit: Option<Text>,

    /// Whether the sides are states of this machine, with restarts between them.
    #[command(flatten)]
    pub restarts: RawRestarts,

    /// A fact of the machine that tells that side A is in force, e.g. kernel=6.1.*; may be repeated. Facts: kernel,
    /// driver:DEVICE, file:PATH, sysctl:NAME, and on Windows registry:HKLM\KEY\NAME.
    #[arg(long, value_name = "FACT=VALUE")]
    pub is_a: Vec<Text>,

    /// The same for side B, e.g. kernel=6.12.*.
    #[arg(long, value_name = "FACT=VALUE")]
    pub is_b: Vec<Text>,

    /// Patterns to compare, e.g. randread-4k,write-1m or randrw:8k:70%. Default: randread-4k,randwrite-4k,read-1m,
    /// or what --rw and --bs say.
    #[arg(long, value_name = "LIST")]
    pub patterns: Option<Text>,

    /// Time that the whole may take, e.g. 30m: limits the pairs, and the length of a run. Default: 15m.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Text>,

    /// Least difference that matters, e.g. 2%: the pairs are planned to find twice as much, and sides
    /// within three times as much are equivalent. Default: 1%.
    #[arg(long, value_name = "SHARE")]
    pub by: Option<Text>,

    /// Make exactly N pairs and look once. Default: 5 at first, then as many as their scatter asks
    /// for, 40 at most.
    #[arg(long, value_name = "NUMBER")]
    pub pairs: Option<Text>,

    /// Pairs at most, e.g. 20. Default: what the budget has room for, 40 at most.
    #[arg(long, value_name = "NUMBER", conflicts_with = "pairs")]
    pub max_pairs: Option<Text>,

    /// Give up an unfinished comparison of the same command, whose finished runs stay in the store, and begin anew.
    #[arg(long)]
    pub anew: bool,

    /// Whether this very program is copied to the machines that names as ssh:HOST:TARGET are on.
    #[arg(skip)]
    pub push: bool,
}

/// A comparison that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareOptions {
    /// What is recorded of it.
    pub plan: ComparePlan,
    /// The workloads, in the order in which they are reported.
    pub workloads: Vec<SidesPlan>,
    /// Time that a command before a side's turn may take.
    pub before_limit_ns: u64,
    /// Whether an unfinished one with the same plan is given up.
    pub anew: bool,
}

/// One workload on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct SidesPlan {
    /// Short name, e.g. `randread-4k-d32`.
    pub name: String,
    /// In words.
    pub title: String,
    /// Plan of side A.
    pub a: RunPlan,
    /// Plan of side B.
    pub b: RunPlan,
}

impl SidesPlan {
    /// Plan of a side.
    pub fn of(&self, side: Side) -> &RunPlan {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }
}

/// One workload before its sides are known.
struct WorkloadShape {
    name: String,
    title: String,
    keys: Vec<(String, String)>,
}

impl RawCompare {
    /// Reads every value and works out the plans of both sides. `flags` is what both share; `new_seed` is
    /// used when it names no seed.
    ///
    /// # Errors
    /// The first value that is not what its flag takes, or a side that is no plan.
    pub fn resolve(&self, flags: &RawPlan, new_seed: u64) -> Result<CompareOptions, PlanError> {
        let across_restarts = self.across_restarts().map_err(placed)?;
        let (a, b) = self.sides(flags).map_err(placed)?;
        let depths = depths(flags, &a).map_err(placed)?;
        let patterns = self.patterns_of(flags).map_err(placed)?;
        let shapes = shapes(flags, &patterns, &depths).map_err(placed)?;
        let lengths = self.lengths(flags, shapes.len() as u64).map_err(placed)?;
        let mut base = RawPlan { depth: None, target: None, ..flags.clone() };
        lengths.apply(&mut base);
        let shared_target = (a.target == b.target).then(|| a.target.clone());
        base.target = shared_target.clone().map(|target| vec![target]);
        let source = PlanSource::from_flags(base.clone());
        let seed = source.seed(new_seed)?;
        let side = |side: &SideRequest| SidePlan {
            settings: shared_target
                .is_none()
                .then(|| Setting { key: "target".to_owned(), value: side.target.clone() })
                .into_iter()
                .chain(side.settings.iter().cloned())
                .collect(),
            // Across restarts it belongs to the state of the machine that it makes.
            before: side.before.clone().filter(|_| across_restarts.is_none()),
            stored: None,
        };
        let plan = ComparePlan {
            base: base.recorded(),
            a: side(&a),
            b: side(&b),
            patterns,
            depths,
            materiality: self.materiality().map_err(placed)?,
            max_pairs: lengths.max_pairs,
            fixed_pairs: self.pairs.is_some(),
            across_restarts: across_restarts.clone(),
            seed,
        };
        let workloads = shapes
            .into_iter()
            .map(|shape| {
                let of = |side: &SidePlan| source.with(&keys_of(&shape, side))?.resolve(seed);
                Ok(SidesPlan { a: of(&plan.a)?, b: of(&plan.b)?, name: shape.name, title: shape.title })
            })
            .collect::<Result<_, PlanError>>()?;
        let limit = value("before-limit", &self.before_limit, quantity::length_ns).map_err(placed)?;
        Ok(CompareOptions {
            plan,
            workloads,
            before_limit_ns: limit.unwrap_or(DEFAULT_LIMIT_NS),
            anew: self.anew,
        })
    }

    /// The plan of a comparison of what was measured before, by ids.
    ///
    /// # Errors
    /// A flag that has no effect on what is finished.
    pub fn stored(&self, flags: &RawPlan, (a, b): (&str, &str)) -> Result<ComparePlan, PlanError> {
        let measures = [
            ("a", !self.a.is_empty()),
            ("b", !self.b.is_empty()),
            ("before-a", self.before_a.is_some()),
            ("before-b", self.before_b.is_some()),
            ("before-limit", self.before_limit.is_some()),
            ("across-restarts", self.restarts.across_restarts),
            ("is-a", !self.is_a.is_empty()),
            ("is-b", !self.is_b.is_empty()),
            ("patterns", self.patterns.is_some()),
            ("budget", self.budget.is_some()),
            ("pairs", self.pairs.is_some()),
            ("max-pairs", self.max_pairs.is_some()),
        ];
        let given = measures.iter().find(|(_, given)| *given).map(|(key, _)| *key);
        let given = given.or((*flags != RawPlan::default()).then_some("time and the other keys of a plan"));
        if let Some(key) = given {
            let cause = "both sides are finished, and nothing is measured: leave it out";
            return Err(placed(Mistake::new(key, PlanErrorKind::Contradiction, cause)));
        }
        let side = |id: &str| SidePlan { stored: Some(id.to_owned()), ..SidePlan::default() };
        Ok(ComparePlan {
            base: serde_json::Value::Object(serde_json::Map::new()),
            a: side(a),
            b: side(b),
            patterns: Vec::new(),
            depths: Vec::new(),
            materiality: self.materiality().map_err(placed)?,
            max_pairs: 0,
            fixed_pairs: false,
            across_restarts: None,
            seed: 0,
        })
    }

    fn materiality(&self) -> Result<f64, Mistake> {
        let share = value("by", &self.by, quantity::share)?.unwrap_or(DEFAULT_MATERIALITY);
        if share > 0.0 && share <= MOST_MATERIALITY {
            return Ok(share);
        }
        let cause = "the least difference that matters lies above 0 % and at 30 % or below: write it as 1%";
        Err(Mistake::new("by", PlanErrorKind::Value, cause))
    }

    /// Both sides, and that they are told apart.
    fn sides(&self, flags: &RawPlan) -> Result<(SideRequest, SideRequest), Mistake> {
        if flags.target.is_some() {
            let cause = "a comparison names its targets first: fathom compare A B";
            return Err(Mistake::new("target", PlanErrorKind::Contradiction, cause));
        }
        if self.a_name.is_empty() || self.b_name.as_ref().is_some_and(String::is_empty) {
            let cause = "say what to compare, e.g. /mnt/a and /mnt/b";
            return Err(Mistake::new("target", PlanErrorKind::Missing, cause));
        }
        let a =
            SideRequest::of((&self.a_name, self.push), ("a", &self.a), name("before-a", &self.before_a)?)?;
        let b_name = self.b_name.as_ref().unwrap_or(&self.a_name);
        let b = SideRequest::of((b_name, self.push), ("b", &self.b), name("before-b", &self.before_b)?)?;
        if self.b_name.is_none() && a == b && !self.restarts.across_restarts {
            let cause = format!(
                "one target alone is not a comparison: name a second, or say how the sides differ, e.g. \
                 --a engine=uring --b engine=aio (to see the noise of the machine: fathom compare {0} {0})",
                self.a_name
            );
            return Err(Mistake::new("B", PlanErrorKind::Missing, cause));
        }
        let sets = |side: &SideRequest, key: &str| side.settings.iter().any(|setting| setting.key == key);
        if sets(&a, "depth") != sets(&b, "depth") || (sets(&a, "depth") && flags.depth.is_some()) {
            let cause = "where one side has a depth of its own both need one, and there is no other --depth";
            return Err(Mistake::new("depth", PlanErrorKind::Contradiction, cause));
        }
        if self.before_limit.is_some() && a.before.is_none() && b.before.is_none() {
            let cause = "no command is run before a side: add --before-a or --before-b, or leave it out";
            return Err(Mistake::new("before-limit", PlanErrorKind::Contradiction, cause));
        }
        Ok((a, b))
    }

    /// The states of the machine that the sides are, where restarts lie between them.
    fn across_restarts(&self) -> Result<Option<AcrossRestarts>, Mistake> {
        let side = |called: &str, (flag, is), (key, before)| {
            let (is, before) = (facts(flag, is)?, name(key, before)?);
            Ok((flag, SideState { name: called.to_owned(), is, before }))
        };
        self.restarts.resolve(vec![
            side("A", ("is-a", &self.is_a), ("before-a", &self.before_a))?,
            side("B", ("is-b", &self.is_b), ("before-b", &self.before_b))?,
        ])
    }

    /// Names of the patterns; none where the plan says what the I/Os do.
    fn patterns_of(&self, flags: &RawPlan) -> Result<Vec<String>, Mistake> {
        let says = [("rw", flags.rw.is_some()), ("bs", flags.bs.is_some())];
        let says =
            says.into_iter().chain([("read-share", flags.read_share.is_some())]).find(|(_, given)| *given);
        match (&self.patterns, says) {
            (Some(_), Some((key, _))) => {
                let cause = "--patterns says what the I/Os do: leave one of the two out";
                Err(Mistake::new(key, PlanErrorKind::Contradiction, cause))
            }
            (None, Some(_)) => Ok(Vec::new()),
            (given, None) => {
                let text = given.clone().unwrap_or_else(|| DEFAULT_PATTERNS.into());
                Ok(value("patterns", &Some(text), names)?.unwrap_or_default())
            }
        }
    }

    /// How long runs are, and how many pairs there are at most.
    fn lengths(&self, flags: &RawPlan, workloads: u64) -> Result<PairLengths, Mistake> {
        let fixed = pairs("pairs", &self.pairs)?;
        let most = pairs("max-pairs", &self.max_pairs)?;
        let budget_ns = value("budget", &self.budget, quantity::length_ns)?;
        let counted = flags.count.is_some() || flags.bytes.is_some();
        if counted && flags.time.is_none() {
            if budget_ns.is_some() {
                let cause = "how long runs of a count take is not known: leave it out, or give --time";
                return Err(Mistake::new("budget", PlanErrorKind::Contradiction, cause));
            }
            return Ok(PairLengths { time_ns: None, max_pairs: fixed.or(most).unwrap_or(MOST_PAIRS) });
        }
        let asked_ns = value("time", &flags.time, quantity::length_ns)?;
        let warmup_ns = value("warmup", &flags.warmup, quantity::length_ns)?;
        let limit_ns = budget_ns.unwrap_or(DEFAULT_BUDGET_NS);
        let round_ns = |time_ns: u64| {
            let warmup_ns = warmup_ns.unwrap_or((time_ns as f64 * WARMUP_SHARE) as u64);
            2 * workloads * (time_ns + warmup_ns + RUN_OVERHEAD_NS)
        };
        let pairs = fixed.map_or(COMFORTABLE_PAIRS, u64::from);
        let fitting = limit_ns / (2 * workloads * pairs).max(1);
        let fitting = (fitting.saturating_sub(RUN_OVERHEAD_NS + warmup_ns.unwrap_or(0)) as f64
            / if warmup_ns.is_some() { 1.0 } else { 1.0 + WARMUP_SHARE }) as u64;
        let time_ns = asked_ns.unwrap_or(fitting.clamp(SHORTEST_TIME_NS, LONGEST_TIME_NS));
        let room = u32::try_from(limit_ns / round_ns(time_ns).max(1)).unwrap_or(u32::MAX);
        let least = fixed.unwrap_or(LEAST_PAIRS);
        // Without a budget of the user's the pairs that were asked for take as long as they take.
        if budget_ns.is_some() && room < least {
            let needed = fathom_measure::Nanos(round_ns(time_ns) * u64::from(least)).coarse();
            let cause = format!(
                "{least} pairs of {workloads} workloads take {needed}: give more, or compare fewer --patterns or depths"
            );
            return Err(Mistake::new("budget", PlanErrorKind::Value, cause));
        }
        let comfortable = if self.restarts.across_restarts { MOST_RESTARTED_PAIRS } else { MOST_PAIRS };
        let by_budget = room.clamp(LEAST_PAIRS, most.unwrap_or(comfortable));
        let max_pairs = fixed.or(most.filter(|_| budget_ns.is_none())).unwrap_or(by_budget);
        Ok(PairLengths { time_ns: asked_ns.is_none().then_some(time_ns), max_pairs })
    }
}

/// A number of pairs that an error can be known from.
fn pairs(key: &'static str, text: &Option<Text>) -> Result<Option<u32>, Mistake> {
    let number = value(key, text, quantity::small_count)?;
    if number.is_some_and(|pairs| !(LEAST_PAIRS..=MOST_FIXED_PAIRS).contains(&pairs)) {
        let cause = format!("write a number from {LEAST_PAIRS} to {MOST_FIXED_PAIRS}, e.g. 12");
        return Err(Mistake::new(key, PlanErrorKind::Value, cause));
    }
    Ok(number)
}

/// What lengths follow from budget and pairs.
struct PairLengths {
    /// Measured time of a run, where the plan does not say it.
    time_ns: Option<u64>,
    max_pairs: u32,
}

impl PairLengths {
    fn apply(&self, base: &mut RawPlan) {
        let Some(time_ns) = self.time_ns else { return };
        let text = |ns: u64| Text(quantity::write_time_ns(ns));
        base.time = Some(text(time_ns));
        base.warmup.get_or_insert(text((time_ns as f64 * WARMUP_SHARE) as u64));
    }
}

/// One side as it was asked for.
#[derive(PartialEq)]
struct SideRequest {
    target: String,
    settings: Vec<Setting>,
    before: Option<String>,
}

impl SideRequest {
    /// A side of this name: `ssh:HOST:TARGET` is a target on another machine, which measures it.
    fn of(
        (named, push): (&str, bool),
        (flag, texts): (&'static str, &[Text]),
        before: Option<String>,
    ) -> Result<Self, Mistake> {
        let mut settings = settings(flag, texts)?;
        let elsewhere = named.strip_prefix("ssh:").and_then(|rest| rest.split_once(':'));
        let Some((host, target)) = elsewhere else {
            return Ok(Self { target: named.to_owned(), settings, before });
        };
        if target.is_empty() || settings.iter().any(|setting| setting.key == CLIENT_KEY) {
            let cause =
                format!("`{named}` names a machine: write ssh:HOST:TARGET, and no other client of that side");
            return Err(Mistake::new("target", PlanErrorKind::Contradiction, cause));
        }
        let pushed = if push { " push=true" } else { "" };
        settings.push(Setting { key: CLIENT_KEY.to_owned(), value: format!("ssh:{host}{pushed}") });
        Ok(Self { target: target.to_owned(), settings, before })
    }
}

fn placed(mistake: Mistake) -> PlanError {
    match mistake.key {
        "B" => mistake.at("B"),
        _ => mistake.at_flag(),
    }
}

/// The settings of a side, each key at most once.
fn settings(flag: &'static str, texts: &[Text]) -> Result<Vec<Setting>, Mistake> {
    let mut list: Vec<Setting> = Vec::new();
    for text in texts {
        let read = |text: &str| {
            let setting = setting(text)?;
            if list.iter().any(|earlier| earlier.key == setting.key) {
                return Err(Fault::from(format!("`{}` is given twice: leave one out", setting.key)));
            }
            Ok(setting)
        };
        let setting = value(flag, &Some(text.clone()), read)?;
        list.extend(setting);
    }
    Ok(list)
}

fn setting(text: &str) -> Result<Setting, Fault> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(Fault::from(format!(
            "`{text}` has no value: write a key of the plan and its value, e.g. engine=aio"
        )));
    };
    let key = key.trim().trim_start_matches("--");
    let known = keys();
    if !known.iter().any(|known| known == key) {
        let advice = advice(key, known.iter().map(String::as_str));
        return Err(Fault::from(format!("unknown key `{key}`: {advice}")));
    }
    match key {
        "target" => Err(Fault::from("targets are named first: fathom compare A B")),
        key if QUESTION_KEYS.contains(&key) => Err(Fault::from(format!(
            "different I/Os or demands answer different questions: both sides have the same `{key}`, given as \
             --{key}; to see what it changes: fathom sweep --over {key}=..."
        ))),
        key if SHARED_KEYS.contains(&key) => {
            Err(Fault::from(format!("`{key}` is the same for both sides: give it as --{key}")))
        }
        key => Ok(Setting { key: key.to_owned(), value: value.trim().to_owned() }),
    }
}

/// Names of patterns, each at most once.
fn names(text: &str) -> Result<Vec<String>, Fault> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split(',') {
        let pattern = pattern(part).map_err(|error| error.cause)?;
        if names.contains(&pattern.name) {
            return Err(Fault::from(format!("`{}` is named twice: leave one out", pattern.name)));
        }
        names.push(pattern.name);
    }
    Ok(names)
}

/// Depths to compare at; none where the sides or the arrivals set them.
fn depths(flags: &RawPlan, a: &SideRequest) -> Result<Vec<u32>, Mistake> {
    if a.settings.iter().any(|setting| setting.key == "depth") {
        return Ok(Vec::new());
    }
    if flags.depth.is_none() && flags.rate.is_some() {
        return Ok(Vec::new());
    }
    let text = flags.depth.clone().unwrap_or_else(|| DEFAULT_DEPTHS.into());
    let list = value("depth", &Some(text), |text| {
        let mut list = Vec::new();
        for part in text.split(',') {
            let depth = quantity::small_count(part.trim())?;
            if list.contains(&depth) {
                return Err(Fault::from(format!("{depth} is named twice: leave one out")));
            }
            list.push(depth);
        }
        Ok(list)
    })?;
    Ok(list.unwrap_or_default())
}

/// Every pattern at every depth.
fn shapes(flags: &RawPlan, patterns: &[String], depths: &[u32]) -> Result<Vec<WorkloadShape>, Mistake> {
    let mut kinds: Vec<WorkloadShape> = Vec::new();
    for name in patterns {
        let read = value("patterns", &Some(Text(name.clone())), |text| {
            pattern(text).map_err(|error| Fault::from(error.cause))
        })?;
        let title = read.map_or_else(|| name.clone(), |pattern| pattern.title);
        let parts = name.split('-').zip(PATTERN_KEYS);
        let keys = parts
            .map(|(part, key)| {
                let value = if key == "read-share" { format!("{part}%") } else { part.to_owned() };
                (key.to_owned(), value)
            })
            .collect();
        kinds.push(WorkloadShape { name: name.clone(), title, keys });
    }
    if patterns.is_empty() {
        let text = |text: &Option<Text>, otherwise: &str| {
            text.as_ref().map_or_else(|| otherwise.to_owned(), |text| text.0.clone())
        };
        let name = format!("{}-{}", text(&flags.rw, "randread"), text(&flags.bs, "4k"));
        kinds.push(WorkloadShape { title: name.replace('-', " "), name, keys: Vec::new() });
    }
    if depths.is_empty() {
        return Ok(kinds);
    }
    let at = |kind: &WorkloadShape, depth: u32| {
        let mut keys = kind.keys.clone();
        keys.push(("depth".to_owned(), depth.to_string()));
        WorkloadShape {
            name: format!("{}-d{depth}", kind.name),
            title: format!("{}, depth {depth}", kind.title),
            keys,
        }
    };
    Ok(kinds.iter().flat_map(|kind| depths.iter().map(|depth| at(kind, *depth))).collect())
}

/// The keys of a workload on one side: the side's own come last and win.
fn keys_of(shape: &WorkloadShape, side: &SidePlan) -> Vec<(String, String)> {
    let own = side.settings.iter().map(|setting| (setting.key.clone(), setting.value.clone()));
    shape.keys.iter().cloned().chain(own).collect()
}

/// What sets each side apart from the other, in words.
pub fn side_names(plan: &ComparePlan) -> [String; 2] {
    let own = |side: &SidePlan, other: &SidePlan, at: usize| {
        let state = plan.across_restarts.as_ref().and_then(|across| across.sides.get(at));
        let own = side.settings.iter().filter(|setting| !other.settings.contains(setting));
        let word = |setting: &Setting| match setting.key.as_str() {
            "target" => setting.value.clone(),
            key => format!("{key} {}", setting.value),
        };
        let mut words: Vec<String> = side.stored.iter().cloned().chain(own.map(word)).collect();
        words.extend(side.before.as_ref().map(|command| format!("after `{command}`")));
        words.extend(
            state.iter().flat_map(|state| &state.is).map(|fact| format!("{} {}", fact.key, fact.value)),
        );
        if words.is_empty() {
            words.push(
                plan.base.get("target").and_then(serde_json::Value::as_str).unwrap_or("as it is").to_owned(),
            );
        }
        words.join(", ")
    };
    [own(&plan.a, &plan.b, 0), own(&plan.b, &plan.a, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(a: &str, b: Option<&str>) -> RawCompare {
        RawCompare { a_name: a.to_owned(), b_name: b.map(str::to_owned), ..RawCompare::default() }
    }

    fn some(text: &str) -> Option<Text> {
        Some(text.into())
    }

    #[test]
    fn two_targets_alone_are_a_comparison() {
        let options = raw("sim:gp3", Some("sim:io2")).resolve(&RawPlan::default(), 7).unwrap();
        let names: Vec<&str> = options.workloads.iter().map(|w| w.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "randread-4k-d1",
                "randread-4k-d32",
                "randwrite-4k-d1",
                "randwrite-4k-d32",
                "read-1m-d1",
                "read-1m-d32"
            ]
        );
        assert_eq!(options.workloads[1].title, "4 KiB random read, depth 32");
        let last = &options.workloads[5];
        assert_eq!((last.a.targets[0].as_str(), last.b.targets[0].as_str()), ("sim:gp3", "sim:io2"));
        assert_eq!((last.b.workload.depth, last.b.workload.mix.read_share), (32, 1.0));
        assert_eq!(options.plan.max_pairs, 21);
        assert_eq!(side_names(&options.plan), ["sim:gp3", "sim:io2"]);
    }

    #[test]
    fn sides_differ_in_any_key_of_the_plan() {
        let sides = RawCompare {
            a: vec!["engine=uring".into()],
            b: vec!["engine=aio".into(), "buffered=true".into()],
            ..raw("data", None)
        };
        let options = sides.resolve(&RawPlan { bs: some("8k"), ..RawPlan::default() }, 7).unwrap();
        let first = &options.workloads[0];
        assert_eq!((first.a.engine.as_deref(), first.b.engine.as_deref()), (Some("uring"), Some("aio")));
        assert_eq!((first.a.options.direct, first.b.options.direct), (true, false));
        assert_eq!(first.a.workload, first.b.workload);
        assert_eq!(options.workloads.len(), 2);
        assert_eq!(side_names(&options.plan), ["engine uring", "engine aio, buffered true"]);
    }

    #[test]
    fn a_budget_sets_pairs_and_lengths() {
        let plan = |raw: RawCompare, flags: RawPlan| raw.resolve(&flags, 7).map(|options| options.plan);
        let short = RawCompare { budget: some("1m"), ..raw("a", Some("b")) };
        let found = plan(short.clone(), RawPlan::default()).unwrap();
        assert!((5..=8).contains(&found.max_pairs), "{}", found.max_pairs);
        let refused =
            plan(short, RawPlan { time: some("30s"), ..RawPlan::default() }).unwrap_err().to_string();
        assert!(refused.starts_with("--budget: 5 pairs of 6 workloads take"), "{refused}");
        let fixed =
            plan(RawCompare { pairs: some("12"), ..raw("a", Some("b")) }, RawPlan::default()).unwrap();
        assert_eq!((fixed.max_pairs, fixed.fixed_pairs), (12, true));
    }

    #[test]
    fn mistakes_are_told_with_what_to_write() {
        let cause = |raw: RawCompare, flags: RawPlan| raw.resolve(&flags, 7).unwrap_err().to_string();
        let plain = || raw("a", Some("b"));
        let none = RawPlan::default;
        assert!(cause(raw("a", None), none()).contains("name a second"));
        assert!(cause(RawCompare { a: vec!["engin=aio".into()], ..plain() }, none()).contains("engine"));
        assert!(cause(RawCompare { b: vec!["engine".into()], ..plain() }, none()).contains("engine=aio"));
        for (setting, key) in [("bs=8k", "--bs"), ("rate=100", "--rate"), ("read-share=50%", "--read-share")]
        {
            let refused = cause(RawCompare { b: vec![setting.into()], ..plain() }, none());
            assert!(refused.contains("different questions") && refused.contains(key), "{refused}");
        }
        assert!(cause(RawCompare { b: vec!["time=3s".into()], ..plain() }, none()).contains("--time"));
        assert!(cause(RawCompare { b: vec!["depth=3".into()], ..plain() }, none()).contains("both need one"));
        assert!(cause(RawCompare { by: some("0%"), ..plain() }, none()).starts_with("--by"));
        assert!(cause(RawCompare { pairs: some("2"), ..plain() }, none()).starts_with("--pairs"));
        assert!(cause(RawCompare { before_limit: some("3s"), ..plain() }, none()).contains("--before-a"));
        let both = RawCompare { patterns: some("read-1m"), ..plain() };
        assert!(cause(both, RawPlan { bs: some("4k"), ..none() }).starts_with("--bs"));
        assert!(cause(plain(), RawPlan { target: Some(vec!["x".into()]), ..none() }).contains("compare A B"));
        assert!(cause(plain(), RawPlan { depth: some("4,4"), ..none() }).contains("twice"));
        let stored = |raw: RawCompare, flags: RawPlan| raw.stored(&flags, ("r-1", "r-2"));
        assert!(stored(RawCompare { pairs: some("9"), ..plain() }, none()).is_err());
        assert!(stored(plain(), RawPlan { depth: some("4"), ..none() }).is_err());
        assert!(stored(plain(), none()).is_ok());
    }
}
