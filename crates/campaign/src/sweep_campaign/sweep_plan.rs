//! What a sweep is asked for: a plan, and the keys of it that vary.

use clap::Args;
use fathom_plan::{
    Mistake, PlanError, PlanErrorKind, PlanSource, RawPlan, RunPlan, Text, advice, keys, quantity, value,
};
use fathom_record::Fault;
use fathom_record::campaign::{SweepAxis, SweepPlan};

/// Spaced visits to a cell, from which its interval comes.
const DEFAULT_PASSES: u32 = 5;
const MOST_PASSES: u32 = 1000;
/// A run of a sweep, unless the plan names its length.
const DEFAULT_TIME: &str = "5s";
const DEFAULT_WARMUP: &str = "1s";
/// Share of a run that warms up when the budget sets its length.
const WARMUP_SHARE: f64 = 0.15;
const SHORTEST_RUN_NS: u64 = 500_000_000;
/// A grid beyond this is a slip of the finger.
const MOST_CELLS: usize = 10_000;
/// Keys that say how a run is judged or kept, and not what it does.
const FIXED_KEYS: [&str; 7] = ["seed", "destroy", "check-empty", "keep", "warmup", "client", "partition"];

/// What `fathom sweep` is told beside a plan, value by value and unread.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct RawSweep {
    /// A key of the plan and its values, e.g. depth=1,2,4, depth=1..256 (doubling), jobs=1..all or
    /// bs='4k;4k:70%,64k:30%' (with semicolons where values hold commas); repeat it for a grid.
    #[arg(long = "over", value_name = "KEY=VALUES", required = true)]
    pub over: Vec<Text>,

    /// Visits to each cell, spaced over the whole sweep, e.g. 8. Default: 5.
    #[arg(long, value_name = "NUMBER")]
    pub passes: Option<Text>,

    /// Visit a cell no more once its 95 % interval is this narrow, e.g. 2%. Default: all passes.
    #[arg(long, value_name = "SHARE")]
    pub until: Option<Text>,

    /// Time that the whole may take, e.g. 20m: sets the length of a run. Default: 5s a run, or as the
    /// plan's --time says.
    #[arg(long, value_name = "TIME", conflicts_with = "time")]
    pub budget: Option<Text>,

    /// Give up an unfinished sweep of the same command, whose finished runs stay in the store, and begin anew.
    #[arg(long)]
    pub anew: bool,

    /// Leave out cells between neighbours that measured the same.
    #[arg(long)]
    pub adaptive: bool,
}

/// A sweep that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOptions {
    /// What is recorded of it.
    pub plan: SweepPlan,
    /// The plan of each cell; the last axis varies fastest.
    pub cells: Vec<RunPlan>,
    /// Whether an unfinished one with the same plan is given up.
    pub anew: bool,
}

impl RawSweep {
    /// Reads every value and works out the plan of every cell. `cpus` is the number of CPUs that
    /// `all` stands for; `new_seed` is used when the plan names no seed.
    ///
    /// # Errors
    /// The first value that is not what its flag takes, or a cell that is no plan.
    pub fn resolve(&self, source: &PlanSource, cpus: u32, new_seed: u64) -> Result<SweepOptions, PlanError> {
        let flag_place = Mistake::at_flag;
        let mut axes = Vec::new();
        for text in &self.over {
            let axis = value("over", &Some(text.clone()), |text| axis(text, cpus)).map_err(flag_place)?;
            axes.extend(axis);
        }
        check(&axes).map_err(flag_place)?;
        if let Some(axis) = axes.iter().find(|axis| source.is_typed(&axis.key)) {
            let cause = format!("--over gives its values: leave --{} out", axis.key);
            let place = format!("--{}", axis.key);
            return Err(PlanError::new(PlanErrorKind::Contradiction, place, cause));
        }
        let count: usize = axes.iter().map(|axis| axis.values.len()).product();
        let passes = value("passes", &self.passes, quantity::small_count).map_err(flag_place)?;
        let passes = passes.unwrap_or(DEFAULT_PASSES);
        if passes == 0 || passes > MOST_PASSES {
            let cause = format!("{passes} passes: write a number from 1 to {MOST_PASSES}, e.g. 5");
            return Err(flag_place(Mistake::new("passes", PlanErrorKind::Value, cause)));
        }
        let until_share = value("until", &self.until, quantity::share).map_err(flag_place)?;
        if until_share == Some(0.0) {
            let cause = "no interval is ever that narrow: write a share, e.g. 2%";
            return Err(flag_place(Mistake::new("until", PlanErrorKind::Value, cause)));
        }
        let budget_ns = value("budget", &self.budget, quantity::length_ns).map_err(flag_place)?;
        if budget_ns.is_some() && axes.iter().any(|axis| axis.key == "time") {
            let cause = "it sets the length of a run, and --over time does: leave one of the two out";
            return Err(flag_place(Mistake::new("budget", PlanErrorKind::Contradiction, cause)));
        }
        let base = with_length(source.raw(), budget_ns, count as u64 * u64::from(passes));
        let base = without(&base, &axes);
        let seed = source.seed(new_seed)?;
        let plan =
            SweepPlan { base: base.recorded(), axes, passes, until_share, adaptive: self.adaptive, seed };
        let base = source.replaced(base);
        let cells = (0..count)
            .map(|cell| base.with(&chosen(&plan.axes, cell))?.resolve(seed))
            .collect::<Result<_, _>>()?;
        Ok(SweepOptions { plan, cells, anew: self.anew })
    }
}

/// The base with the length of a run filled in.
fn with_length(raw: &RawPlan, budget_ns: Option<u64>, runs: u64) -> RawPlan {
    let mut base = raw.clone();
    if let Some(budget_ns) = budget_ns {
        let run_ns = (budget_ns / runs.max(1)).max(SHORTEST_RUN_NS);
        let warmup_ns = (run_ns as f64 * WARMUP_SHARE) as u64;
        base.warmup.get_or_insert(Text(quantity::write_time_ns(warmup_ns)));
        base.time = Some(Text(quantity::write_time_ns(run_ns - warmup_ns)));
    } else if base.time.is_none() && base.count.is_none() && base.bytes.is_none() {
        base.time = Some(Text(DEFAULT_TIME.to_owned()));
        base.warmup.get_or_insert(Text(DEFAULT_WARMUP.to_owned()));
    }
    base
}

/// The base without the keys that vary: each cell has its own.
fn without(base: &RawPlan, axes: &[SweepAxis]) -> RawPlan {
    let mut values = base.values();
    values.retain(|key, _| !axes.iter().any(|axis| axis.key == *key));
    RawPlan::of_values(values).expect("values that came out of a plan fit into one")
}

/// Key and value on each axis of cell number `cell`.
fn chosen(axes: &[SweepAxis], cell: usize) -> Vec<(String, String)> {
    sweep_place(axes, cell)
        .into_iter()
        .zip(axes)
        .map(|(at, axis)| (axis.key.clone(), axis.values[at].clone()))
        .collect()
}

/// Index on each axis of cell number `cell`; the last axis varies fastest.
pub fn sweep_place(axes: &[SweepAxis], cell: usize) -> Vec<usize> {
    let mut rest = cell;
    let mut places: Vec<usize> = axes
        .iter()
        .rev()
        .map(|axis| {
            let at = rest % axis.values.len();
            rest /= axis.values.len();
            at
        })
        .collect();
    places.reverse();
    places
}

fn check(axes: &[SweepAxis]) -> Result<(), Mistake> {
    let refuse = |cause: String| Err(Mistake::new("over", PlanErrorKind::Value, cause));
    for (at, axis) in axes.iter().enumerate() {
        if axes[..at].iter().any(|earlier| earlier.key == axis.key) {
            return refuse(format!("`{}` is named twice: put all its values into one --over", axis.key));
        }
    }
    let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
    match count {
        Some(count) if count <= MOST_CELLS => Ok(()),
        _ => refuse(format!("the grid has more than {MOST_CELLS} test points: name fewer values")),
    }
}

/// One `KEY=VALUES`.
fn axis(text: &str, cpus: u32) -> Result<SweepAxis, Fault> {
    let Some((key, values)) = text.split_once('=') else {
        return Err(Fault::from(format!(
            "`{text}` names no values: write a key and its values, e.g. depth=1,2,4"
        )));
    };
    let key = key.trim().trim_start_matches("--");
    let known = keys();
    if !known.iter().any(|known| known == key) {
        return Err(Fault::from(format!(
            "unknown key `{key}`: {}",
            advice(key, known.iter().map(String::as_str))
        )));
    }
    if FIXED_KEYS.contains(&key) {
        return Err(Fault::from(format!("`{key}` is the same for a whole sweep: give it as --{key}")));
    }
    let separator = if values.contains(';') { ';' } else { ',' };
    let mut list: Vec<String> = Vec::new();
    for part in values.split(separator).map(str::trim) {
        for value in expanded(key, part, cpus)? {
            if list.contains(&value) {
                return Err(Fault::from(format!("`{value}` is named twice for `{key}`: leave one out")));
            }
            list.push(value);
        }
    }
    Ok(SweepAxis { key: key.to_owned(), values: list })
}

/// A value as it stands, or the doublings of a span `1..256`.
fn expanded(key: &str, part: &str, cpus: u32) -> Result<Vec<String>, Fault> {
    if part.is_empty() {
        return Err(Fault::from(format!("a value of `{key}` is empty: write them as {key}=1,2,4")));
    }
    let all = |text: &str| if key == "jobs" && text == "all" { cpus.to_string() } else { text.to_owned() };
    let Some((from, to)) = part.split_once("..") else { return Ok(vec![all(part)]) };
    if from.is_empty() || from.starts_with(['.', '/']) || to.starts_with('/') {
        return Ok(vec![part.to_owned()]);
    }
    let (from, to) = (all(from), all(to));
    let refuse = || {
        Fault::from(format!(
            "`{part}` is not a valid span: write two numbers or sizes, the smaller first, e.g. 1..64 or 4k..1m"
        ))
    };
    let (first, last) =
        (quantity::bytes(&from).map_err(|_| refuse())?, quantity::bytes(&to).map_err(|_| refuse())?);
    if first == 0 || last < first {
        return Err(refuse());
    }
    let plain = from.bytes().chain(to.bytes()).all(|byte| byte.is_ascii_digit());
    let write = |value: u64| if plain { value.to_string() } else { quantity::write_bytes(value) };
    let mut values: Vec<String> = Vec::new();
    let mut value = first;
    while value < last {
        values.push(write(value));
        value = value.saturating_mul(2);
    }
    // The end belongs to it, doubling or not.
    values.push(write(last));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(target: &str) -> PlanSource {
        let raw = RawPlan { target: Some(vec![target.to_owned()]), ..RawPlan::default() };
        PlanSource::from_flags(raw)
    }

    fn over(list: &[&str]) -> RawSweep {
        RawSweep { over: list.iter().map(|text| Text::from(*text)).collect(), ..RawSweep::default() }
    }

    #[test]
    fn cells_are_all_combinations_of_the_values() {
        let options = over(&["bs=4k,64k", "depth=1..8"]).resolve(&source("sim:gp3"), 4, 7).unwrap();
        assert_eq!(options.plan.axes[1].values, ["1", "2", "4", "8"]);
        assert_eq!(options.cells.len(), 8);
        let depths: Vec<u32> = options.cells.iter().map(|cell| cell.workload.depth).collect();
        assert_eq!(depths, [1, 2, 4, 8, 1, 2, 4, 8]);
        let sizes: Vec<u32> =
            options.cells.iter().map(|cell| cell.workload.sizes.read.max_bytes() as u32).collect();
        assert_eq!(sizes[..4], [4096; 4]);
        assert_eq!(sizes[4..], [65536; 4]);
        assert_eq!(sweep_place(&options.plan.axes, 6), [1, 2]);
        assert!(options.cells.iter().all(|cell| cell.workload.length.time_ns == Some(5_000_000_000)));
    }

    #[test]
    fn spans_double_and_end_where_they_say() {
        let values = |text| axis(text, 6).unwrap().values;
        assert_eq!(values("jobs=1..all"), ["1", "2", "4", "6"]);
        assert_eq!(values("bs=4k..64k").len(), 5);
        assert_eq!(values("depth=3"), ["3"]);
        assert_eq!(values("bs=4k;4k:70%,64k:30%"), ["4k", "4k:70%,64k:30%"]);
        assert_eq!(values("target=../a,../b"), ["../a", "../b"]);
    }

    #[test]
    fn a_budget_is_shared_by_all_runs() {
        let raw = RawSweep { budget: Some("100s".into()), passes: Some("5".into()), ..over(&["depth=1,2"]) };
        let options = raw.resolve(&source("sim:gp3"), 1, 7).unwrap();
        let length = options.cells[0].workload.length;
        assert_eq!(length.time_ns.unwrap() + length.warmup_ns, 10_000_000_000);
    }

    #[test]
    fn a_key_that_varies_is_not_typed_beside_it_and_a_file_s_value_gives_way() {
        let typed =
            RawPlan { depth: Some("4".into()), target: Some(vec!["sim:gp3".into()]), ..RawPlan::default() };
        let refused =
            over(&["depth=1,2"]).resolve(&PlanSource::from_flags(typed), 1, 7).unwrap_err().to_string();
        assert!(refused.starts_with("--depth") && refused.contains("--over"), "{refused}");
        let file = PlanSource::from_toml("target = [\"sim:gp3\"]\ndepth = \"4\"\n", "plan.toml").unwrap();
        let options = over(&["depth=1,2"]).resolve(&file, 1, 7).unwrap();
        let depths: Vec<u32> = options.cells.iter().map(|cell| cell.workload.depth).collect();
        assert_eq!(depths, [1, 2]);
        let base = &options.plan.base;
        assert!(base.get("depth").is_none_or(serde_json::Value::is_null), "{base}");
    }

    #[test]
    fn mistakes_are_told_with_what_to_write() {
        let cause = |raw: RawSweep| raw.resolve(&source("sim:gp3"), 1, 7).unwrap_err().to_string();
        assert!(cause(over(&["dept=1,2"])).contains("depth"));
        assert!(cause(over(&["depth"])).contains("depth=1,2,4"));
        assert!(cause(over(&["depth=8..1"])).contains("smaller first"));
        assert!(cause(over(&["depth=1,1"])).contains("twice"));
        assert!(cause(over(&["depth=1", "depth=2"])).contains("twice"));
        assert!(cause(over(&["depth=none"])).contains("--depth"));
        assert!(cause(over(&["seed=1,2"])).contains("--seed"));
        let timed = RawSweep { budget: Some("1m".into()), ..over(&["time=1s,2s"]) };
        assert!(cause(timed).starts_with("--budget"));
        assert!(cause(RawSweep { passes: Some("0".into()), ..over(&["depth=1"]) }).contains("--passes"));
        assert!(
            cause(over(&["size=1..1g", "jobs=1..1024", "depth=1..1024", "read-share=0,1,2"]))
                .contains("10000")
        );
    }
}
