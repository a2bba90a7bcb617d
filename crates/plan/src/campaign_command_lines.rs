//! Plans of campaigns as lines for a POSIX shell that ask for the same again. Permission to destroy data is no part of a
//! plan, nor of its line.

use fathom_record::campaign::{
    AcrossRestarts, AssessPlan, ComparePlan, ExplainPlan, Quantity, RepeatPlan, SidePlan, SweepPlan,
};
use fathom_record::shell_word;
use serde_json::Value;

use super::write::flag;
use super::{known_limits, quantity};

/// The keys and values that all runs of a campaign share, as flags.
fn base(base: &Value, but: &[&str]) -> String {
    let mut line = String::new();
    for (key, value) in base.as_object().into_iter().flatten().filter(|(key, _)| !but.contains(&key.as_str()))
    {
        let values = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter(|value| !value.is_null()) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // Bound to its value: some flags can do without one.
            line += &format!(" --{key}={}", shell_word(&text));
        }
    }
    line
}

/// The line of an assessment.
pub fn assess_command_line(plan: &AssessPlan) -> String {
    let target = shell_word(&plan.target);
    let mut line = "fathom assess".to_owned();
    if let Some(engine) = &plan.engine {
        line += &flag("engine", engine);
    }
    line += &flag("budget", &quantity::write_time_ns(plan.budget_ns));
    line += &match plan.until_share {
        Some(share) => flag("until", &quantity::write_share(share)),
        None if plan.thorough => String::new(),
        None => flag("until", "none"),
    };
    if !plan.precondition.is_none() {
        line += &flag("precondition", plan.precondition.name());
    }
    if plan.thorough {
        line += " --thorough";
    }
    let names: Vec<&str> = plan.patterns.iter().map(|pattern| pattern.name.as_str()).collect();
    line += &flag("patterns", &names.join(","));
    if let Some(bytes) = plan.size_bytes {
        line += &flag("size", &quantity::write_bytes(bytes));
    }
    line += &known_limits::write(&plan.ceilings, plan.instance.as_deref(), plan.volume.as_deref());
    if let Some(slo) = &plan.slo {
        let text =
            format!("{}={}", quantity::write_percentile(slo.quantile), quantity::write_time_ns(slo.limit_ns));
        line += &flag("slo", &text);
    }
    plan.clients.iter().for_each(|client| line += &flag("client", client));
    if plan.partition {
        line += " --partition";
    }
    line += &flag("seed", &plan.seed.to_string());
    for (name, text) in [("delay", &plan.delay), ("throttle", &plan.throttle)] {
        line += &text.as_ref().map_or(String::new(), |text| flag(name, text));
    }
    format!("{line} -- {target}")
}

/// The line of a sweep.
pub fn sweep_command_line(plan: &SweepPlan) -> String {
    let mut line = "fathom sweep".to_owned();
    for axis in &plan.axes {
        let separator = if axis.values.iter().any(|value| value.contains(',')) { ";" } else { "," };
        line += &flag("over", &format!("{}={}", axis.key, axis.values.join(separator)));
    }
    line += &flag("passes", &plan.passes.to_string());
    if let Some(share) = plan.until_share {
        line += &flag("until", &quantity::write_share(share));
    }
    if plan.adaptive {
        line += " --adaptive";
    }
    line + &base(&plan.base, &[]) + &flag("seed", &plan.seed.to_string())
}

/// The line of a repeated evaluation. `before_limit_ns` is the time that a command before a side's turn may take.
pub fn repeat_command_line(plan: &RepeatPlan, before_limit_ns: u64) -> String {
    let mut line = format!("fathom repeat {}", shell_word(&plan.evaluation));
    for side in &plan.sides {
        for target in &side.targets {
            line += &match plan.sides.len() {
                1 => flag("target", target),
                _ => flag("side", &format!("{}={target}", side.name)),
            };
        }
    }
    if let Some(across) = &plan.across_restarts {
        line += &restarts(across);
        for side in &across.sides {
            let facts =
                side.is.iter().map(|fact| flag("is", &format!("{}={}={}", side.name, fact.key, fact.value)));
            let before =
                side.before.iter().map(|command| flag("before", &format!("{}={command}", side.name)));
            line.extend(facts.chain(before));
        }
        if across.sides.iter().any(|side| side.before.is_some()) {
            line += &flag("before-limit", &quantity::write_time_ns(before_limit_ns));
        }
    }
    if plan.as_published {
        line += " --as-published";
    } else {
        line += &flag("passes", &plan.visits.to_string());
        line +=
            &plan.until_share.map_or_else(String::new, |share| flag("until", &quantity::write_share(share)));
    }
    line += &plan.optimum.as_ref().map_or_else(String::new, |found| flag("optimum", &found.campaign));
    for bound in &plan.own_bounds {
        let unit = if bound.quantity == Quantity::Throughput { " B/s" } else { "" };
        line += &flag("bound", &format!("{}={}{unit}", bound.name, bound.value));
    }
    line + &base(&plan.given, &[]) + &flag("seed", &plan.seed.to_string())
}

/// The line of a comparison. `before_limit_ns` is the time that a command before a side's turn may take.
pub fn compare_command_line(plan: &ComparePlan, before_limit_ns: u64) -> String {
    let own = |side: &SidePlan| {
        let target = side.settings.iter().find(|setting| setting.key == "target");
        side.stored.clone().or_else(|| target.map(|setting| setting.value.clone()))
    };
    let shared = || plan.base.get("target").and_then(Value::as_str).map(str::to_owned);
    let sides = [own(&plan.a).or_else(shared), own(&plan.b).or_else(shared)];
    let names: String = sides.iter().flatten().map(|name| format!(" {}", shell_word(name))).collect();
    let mut line = "fathom compare".to_owned() + &flag("by", &quantity::write_share(plan.materiality));
    if plan.a.stored.is_some() {
        return format!("{line} --{names}");
    }
    for (name, side) in [("a", &plan.a), ("b", &plan.b)] {
        for setting in side.settings.iter().filter(|setting| setting.key != "target") {
            line += &flag(name, &format!("{}={}", setting.key, setting.value));
        }
    }
    for (name, side) in [("before-a", &plan.a), ("before-b", &plan.b)] {
        line += &side.before.as_ref().map_or_else(String::new, |command| flag(name, command));
    }
    let mut has_commands = plan.a.before.is_some() || plan.b.before.is_some();
    if let Some(across) = &plan.across_restarts {
        line += &restarts(across);
        for (side, [is, before]) in across.sides.iter().zip([["is-a", "before-a"], ["is-b", "before-b"]]) {
            let facts = side.is.iter().map(|fact| flag(is, &format!("{}={}", fact.key, fact.value)));
            line.extend(facts.chain(side.before.iter().map(|command| flag(before, command))));
            has_commands |= side.before.is_some();
        }
    }
    if has_commands {
        line += &flag("before-limit", &quantity::write_time_ns(before_limit_ns));
    }
    if !plan.patterns.is_empty() {
        line += &flag("patterns", &plan.patterns.join(","));
    }
    if !plan.depths.is_empty() {
        let depths: Vec<String> = plan.depths.iter().map(u32::to_string).collect();
        line += &flag("depth", &depths.join(","));
    }
    line += &flag(if plan.fixed_pairs { "pairs" } else { "max-pairs" }, &plan.max_pairs.to_string());
    line += &base(&plan.base, &["target"]);
    format!("{line}{} --{names}", flag("seed", &plan.seed.to_string()))
}

/// What campaigns across restarts share.
fn restarts(across: &AcrossRestarts) -> String {
    " --across-restarts".to_owned() + &flag("settle", &quantity::write_time_ns(across.settle_ns))
}

/// The line of an explanation by experiments. `known` are the flags of the limits that are known beforehand, as they
/// were typed.
pub fn explain_command_line(plan: &ExplainPlan, known: &str) -> String {
    let mut line = "fathom explain --experiments".to_owned();
    line += &flag("max-experiments", &plan.max_experiments.to_string());
    line += &flag("budget", &quantity::write_time_ns(plan.budget_ns));
    line += &plan.second_target.as_ref().map_or_else(String::new, |second| flag("second", second));
    line += &flag("rest", &quantity::write_time_ns(plan.rest_ns));
    if plan.may_purge {
        line += " --purge";
    }
    line + known + &base(&plan.base, &[]) + &flag("seed", &plan.seed.to_string())
}
