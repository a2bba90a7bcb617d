//! How much effort an assessment makes: its budget, the error to reach, what is written before, and
//! whether it follows SNIA's test specification.

use fathom_engine::EngineError;
use fathom_plan::{
    Mistake, NameKind, PlanErrorKind, RunOptions, RunRequest, TargetUse, admissible, quantity, value,
};
use fathom_record::Fault;
use fathom_record::campaign::{PatternPlan, PreconditionPlan};

use super::assess_plan::RawAssess;
use crate::single_run::fitness::named;

const MINUTE_NS: u64 = 60_000_000_000;
const DEFAULT_BUDGET_NS: u64 = 2 * MINUTE_NS;
/// Budget where an error is asked for: eight windows of a minute at a few points.
const UNTIL_BUDGET_NS: u64 = 60 * MINUTE_NS;
/// Budget of SNIA's flow: 25 rounds of seven minutes.
const THOROUGH_BUDGET_NS: u64 = 180 * MINUTE_NS;
/// A longer budget is for a stated error.
const UNTIL_ABOVE_NS: u64 = 10 * MINUTE_NS;
/// The error that is then asked for.
const DEFAULT_UNTIL: f64 = 0.02;
/// The rule of three asks for 3000 s a point at the smallest.
const SMALLEST_UNTIL: f64 = 0.001;
const LARGEST_UNTIL: f64 = 0.5;
/// A search of the shortest runs and eight of the shortest windows, for one pattern with two points.
const LEAST_A_PATTERN_NS: u64 = 30_000_000_000;

/// The values that hang together.
pub(super) struct Effort {
    pub budget_ns: u64,
    pub until_share: Option<f64>,
    pub precondition: PreconditionPlan,
}

fn refuse<T>(key: &'static str, kind: PlanErrorKind, fault: impl Into<Fault>) -> Result<T, Mistake> {
    Err(Mistake::new(key, kind, fault))
}

/// Reads them, for these patterns.
pub(super) fn read(raw: &RawAssess, patterns: &[PatternPlan]) -> Result<Effort, Mistake> {
    let asked = value("until", &raw.until, until)?;
    let default_ns = match (raw.thorough, asked.flatten()) {
        (true, _) => THOROUGH_BUDGET_NS,
        (false, Some(_)) => UNTIL_BUDGET_NS,
        (false, None) => DEFAULT_BUDGET_NS,
    };
    let budget_ns = value("budget", &raw.budget, quantity::length_ns)?.unwrap_or(default_ns);
    if budget_ns == 0 {
        let cause = "a budget of nothing measures nothing: write a time, e.g. 2m";
        return refuse("budget", PlanErrorKind::Value, cause);
    }
    if raw.thorough && asked.flatten().is_some() {
        let cause = "--thorough ends by SNIA's rule on rounds and not at an error: leave one of the two out";
        return refuse("until", PlanErrorKind::Contradiction, cause);
    }
    let default = (budget_ns > UNTIL_ABOVE_NS && !raw.thorough).then_some(DEFAULT_UNTIL);
    let until_share = asked.unwrap_or(default);
    if until_share.is_some() || raw.thorough {
        windows_fit(raw, budget_ns, patterns.len())?;
    }
    Ok(Effort { budget_ns, until_share, precondition: precondition(raw, patterns)? })
}

/// A share, or `none`.
fn until(text: &str) -> Result<Option<f64>, Fault> {
    if text == "none" {
        return Ok(None);
    }
    let share = quantity::share(text)?;
    if !(SMALLEST_UNTIL..=LARGEST_UNTIL).contains(&share) {
        return Err(Fault::from(format!(
            "an error of `{text}` cannot be aimed at: write 0.1% to 50%, e.g. 2%"
        )));
    }
    Ok(Some(share))
}

fn windows_fit(raw: &RawAssess, budget_ns: u64, patterns: usize) -> Result<(), Mistake> {
    let least_ns = LEAST_A_PATTERN_NS * patterns as u64;
    if budget_ns >= least_ns {
        return Ok(());
    }
    let (key, other) =
        if raw.thorough { ("thorough", "leave --thorough out") } else { ("until", "write --until none") };
    let cause = format!(
        "a budget of {} leaves no windows for {patterns} patterns: write --budget {} or more, name fewer \
         --patterns, or {other}",
        quantity::write_time_ns(budget_ns),
        quantity::write_time_ns(least_ns)
    );
    refuse(key, PlanErrorKind::Contradiction, cause)
}

fn precondition(raw: &RawAssess, patterns: &[PatternPlan]) -> Result<PreconditionPlan, Mistake> {
    let asked = value("precondition", &raw.precondition, |text| match text {
        "none" => Ok(PreconditionPlan::None),
        "auto" => Ok(PreconditionPlan::Auto),
        "full" => Ok(PreconditionPlan::Full),
        _ => Err(Fault::from(format!("`{text}` is not a valid preconditioning: write none, auto or full"))),
    })?;
    let (key, default) = match raw.thorough {
        true => ("thorough", PreconditionPlan::Full),
        false => ("precondition", PreconditionPlan::None),
    };
    let plan = asked.unwrap_or(default);
    if plan.is_none() {
        if raw.thorough {
            let cause = "--thorough preconditions by its definition: leave one of the two out";
            return refuse("precondition", PlanErrorKind::Contradiction, cause);
        }
        return Ok(plan);
    }
    let needs = TargetUse::of(patterns.iter().map(|pattern| &pattern.workload));
    let named = named(&raw.target).unwrap_or(NameKind::Path);
    let (options, targets) = (RunOptions::default(), [(raw.target.as_str(), named)]);
    let request =
        RunRequest { written_first_by: Some(key), targets: &targets, ..RunRequest::of(&options, needs) };
    if let Some(EngineError { cause, remedy, .. }) = admissible(&request).into_iter().next() {
        return refuse(key, PlanErrorKind::Contradiction, format!("{cause}: {remedy}"));
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_plan::Text;

    fn read_of(fill: impl FnOnce(&mut RawAssess)) -> Result<(u64, Option<f64>, PreconditionPlan), String> {
        let mut raw = RawAssess { target: ".".to_owned(), ..RawAssess::default() };
        fill(&mut raw);
        let plan = raw.resolve(1).map_err(|error| error.to_string())?.plan;
        Ok((plan.budget_ns / 1_000_000_000, plan.until_share, plan.precondition))
    }

    fn text(text: &str) -> Option<Text> {
        Some(text.into())
    }

    #[test]
    fn an_error_is_the_default_of_long_budgets() {
        use PreconditionPlan::{Full, None as Nothing};
        assert_eq!(read_of(|_| ()), Ok((120, None, Nothing)));
        assert_eq!(read_of(|raw| raw.budget = text("10m")), Ok((600, None, Nothing)));
        assert_eq!(read_of(|raw| raw.budget = text("11m")), Ok((660, Some(0.02), Nothing)));
        assert_eq!(
            read_of(|raw| (raw.budget, raw.until) = (text("11m"), text("none"))),
            Ok((660, None, Nothing))
        );
        assert_eq!(read_of(|raw| raw.until = text("1%")), Ok((3600, Some(0.01), Nothing)));
        assert_eq!(read_of(|raw| raw.thorough = true), Ok((10_800, None, Full)));
    }

    #[test]
    fn contradictions_say_what_to_type() {
        type Fill = fn(&mut RawAssess);
        let cases: [(Fill, &str, &str); 9] = [
            (|raw| (raw.until, raw.thorough) = (text("2%"), true), "--until", "leave one"),
            (|raw| (raw.until, raw.budget) = (text("2%"), text("1m")), "--until", "--budget 210s"),
            (|raw| (raw.thorough, raw.budget) = (true, text("1m")), "--thorough", "--budget 210s"),
            (|raw| raw.until = text("0"), "--until", "2%"),
            (|raw| raw.until = text("2 percent"), "--until", ""),
            (|raw| raw.precondition = text("yes"), "--precondition", "auto"),
            (|raw| (raw.precondition, raw.thorough) = (text("none"), true), "--precondition", "leave one"),
            (
                |raw| (raw.precondition, raw.patterns) = (text("auto"), text("randread-4k")),
                "--precondition",
                "randwrite-4k",
            ),
            (
                |raw| (raw.precondition, raw.target) = (text("auto"), "null:".to_owned()),
                "--precondition",
                "leave",
            ),
        ];
        for (fill, flag, remedy) in cases {
            let error = read_of(fill).expect_err(flag);
            assert!(error.starts_with(flag) && error.contains(remedy), "{error}");
        }
    }
}
