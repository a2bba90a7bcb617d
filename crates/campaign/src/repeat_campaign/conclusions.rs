//! Statements of an evaluation, held against figures: the published ones, and one's own.
//!
//! A statement is a figure, or a ratio of two, in a range. A ratio's interval is of the logarithm: the squares of both
//! relative half-widths add up, since the two sides were measured apart. It holds where the interval lies within the
//! range, does not where it lies outside, and is not decided where it reaches over an end. Published figures have no
//! interval: they hold or do not hold as they stand.

use fathom_record::campaign::{
    Conclusion, ConclusionResult, Judgement, Operand, Quantity, RepeatBound, RepeatCell, RepeatPlan,
    StatementStanding, StepFigure,
};

/// Every statement of a plan, on what was published and on what was measured.
pub fn judge(plan: &RepeatPlan, cells: &[RepeatCell]) -> Vec<ConclusionResult> {
    let published = |operand: &Operand, conclusion: &Conclusion| {
        let step = plan.place(operand).and_then(|at| plan.steps.get(at));
        step.and_then(|step| step.published(conclusion.figure, conclusion.direction))
            .or_else(|| bound(&plan.bounds, operand, conclusion.figure))
            .ok_or_else(|| format!("no {} of {} was published", conclusion.figure.words(), operand.words()))
    };
    let own = |operand: &Operand, conclusion: &Conclusion| {
        if let Some(name) = &operand.bound {
            return bound(&plan.own_bounds, operand, conclusion.figure)
                .ok_or_else(|| format!("{name} is not known here: give it as --bound '{name}=RATE'"));
        }
        let cell = plan.place(operand).and_then(|at| cells.get(at));
        let figure = cell.and_then(|cell| cell.figure(conclusion.figure, conclusion.direction));
        figure.ok_or_else(|| match cell.and_then(|cell| cell.missing.as_ref()) {
            Some(why) => format!("{} was not measured: {why}", operand.words()),
            None => format!("{} has no {} here", operand.words(), conclusion.figure.words()),
        })
    };
    let judged = |conclusion: &Conclusion| {
        let mut of_own =
            judgement(conclusion, conclusion.times * scale(plan, conclusion), true, &|operand| {
                own(operand, conclusion)
            });
        let operands = || std::iter::once(&conclusion.of).chain(&conclusion.over);
        let failed = |operand: &Operand| {
            let cell = plan.place(operand).and_then(|at| cells.get(at))?;
            let failed = cell.result.as_ref().is_some_and(|result| !result.failed_checks.is_empty());
            failed.then(|| operand.words())
        };
        let factor = conclusion.times * scale(plan, conclusion);
        let scaled = (factor != conclusion.times).then(|| format!("the factor is {factor} here"));
        let failed = operands().find_map(failed).map(|words| format!("runs of {words} failed self-checks"));
        let why = std::mem::take(&mut of_own.why);
        let parts = [Some(why).filter(|why| !why.is_empty()), scaled, failed];
        of_own.why = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        ConclusionResult {
            published: judgement(conclusion, conclusion.times, false, &|operand| {
                published(operand, conclusion)
            }),
            own: of_own,
        }
    };
    plan.conclusions.iter().map(judged).collect()
}

/// The widest relative half-width among a step's rate and the figures of it that statements are about: a rate is known
/// soon, the processor time that a statement compares is not. A figure without an interval, as a percentile too far out
/// for its runs, does not count: more runs of that length would not give it one.
pub fn widest(plan: &RepeatPlan, step: usize, rate: Option<f64>, figures: &[StepFigure]) -> Option<f64> {
    let is_about = |figure: &StepFigure, conclusion: &Conclusion| {
        let mut operands = std::iter::once(&conclusion.of).chain(&conclusion.over);
        let is_figure = conclusion.figure == figure.quantity && conclusion.direction == figure.direction;
        is_figure && operands.any(|operand| plan.place(operand) == Some(step))
    };
    let counts =
        |figure: &&StepFigure| plan.conclusions.iter().any(|conclusion| is_about(figure, conclusion));
    let widths = figures.iter().filter(counts).filter_map(|figure| figure.half_width_share);
    rate.map(|rate| widths.fold(rate, f64::max))
}

/// What fewer targets than the evaluation's do to a factor between two sides' rates: each side's share of its
/// devices. Latencies and costs of an I/O have none.
fn scale(plan: &RepeatPlan, conclusion: &Conclusion) -> f64 {
    let is_rate = matches!(conclusion.figure, Quantity::Iops | Quantity::Throughput);
    let of_side = |name: &str| {
        let side = plan.sides.iter().find(|side| side.name == name)?;
        Some(side.targets.len() as f64 / f64::from(side.devices.max(1)))
    };
    let share = |operand: &Operand| of_side(&plan.place(operand).and_then(|at| plan.steps.get(at))?.side);
    if let Some(share) = conclusion.devices_of.as_deref().and_then(of_side).filter(|share| *share > 0.0) {
        return 1.0 / share;
    }
    match conclusion.over.as_ref().and_then(&share).zip(share(&conclusion.of)).filter(|_| is_rate) {
        Some((over, of)) if over > 0.0 => of / over,
        _ => 1.0,
    }
}

fn bound(bounds: &[RepeatBound], operand: &Operand, quantity: Quantity) -> Option<StepFigure> {
    let name = operand.bound.as_ref()?;
    let known = bounds.iter().find(|bound| bound.name == *name && bound.quantity == quantity)?;
    // A bound is known exactly.
    Some(StepFigure { quantity, direction: None, value: known.value, half_width_share: Some(0.0) })
}

/// One reading. `measured` figures need an interval.
fn judgement(
    conclusion: &Conclusion,
    times: f64,
    measured: bool,
    find: &dyn Fn(&Operand) -> Result<StepFigure, String>,
) -> Judgement {
    let open =
        |why: String| Judgement { standing: StatementStanding::NotDecided, value: None, interval: None, why };
    let of = match find(&conclusion.of) {
        Ok(of) => of,
        Err(why) => return open(why),
    };
    let (mut value, mut half_width) = (of.value, of.half_width_share);
    if let Some(other) = &conclusion.over {
        let over = match find(other) {
            Ok(over) => over,
            Err(why) => return open(why),
        };
        value /= times * over.value;
        half_width = half_width.zip(over.half_width_share).map(|(a, b)| a.hypot(b));
    }
    if !value.is_finite() {
        return open("what it is a ratio to is 0".to_owned());
    }
    let (low, high) =
        (conclusion.at_least.unwrap_or(f64::NEG_INFINITY), conclusion.at_most.unwrap_or(f64::INFINITY));
    if !measured {
        let standing = if (low..=high).contains(&value) {
            StatementStanding::Holds
        } else {
            StatementStanding::DoesNotHold
        };
        return Judgement { standing, value: Some(value), interval: None, why: String::new() };
    }
    let Some(share) = half_width else {
        let why = "fewer than three runs give no interval: allow more --passes".to_owned();
        return Judgement {
            standing: StatementStanding::NotDecided,
            value: Some(value),
            interval: None,
            why,
        };
    };
    let interval = [value * (-share).exp(), value * share.exp()];
    let standing = if low <= interval[0] && interval[1] <= high {
        StatementStanding::Holds
    } else if interval[1] < low || interval[0] > high {
        StatementStanding::DoesNotHold
    } else {
        StatementStanding::NotDecided
    };
    let why = match standing {
        StatementStanding::NotDecided => {
            "the interval reaches over an end of the range, or lies on it: where it is wide, longer runs \
                                 or more --passes narrow it"
                .to_owned()
        }
        _ => String::new(),
    };
    Judgement { standing, value: Some(value), interval: Some(interval), why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_record::campaign::{RepeatSide, RepeatStep};
    use serde_json::json;

    fn figure(value: f64, half_width_share: Option<f64>) -> StepFigure {
        StepFigure { quantity: Quantity::Iops, direction: None, value, half_width_share }
    }

    fn plan(published: [f64; 2], devices: u32) -> RepeatPlan {
        let side = |name: &str, devices| RepeatSide {
            name: name.to_owned(),
            devices,
            targets: vec!["sim:nvme".to_owned()],
            ..RepeatSide::default()
        };
        let step = |side: &str, value| RepeatStep {
            name: "x".to_owned(),
            side: side.to_owned(),
            published: vec![figure(value, None)],
            ..RepeatStep::default()
        };
        let operand =
            |side: &str| Operand { step: Some("x".to_owned()), side: Some(side.to_owned()), bound: None };
        RepeatPlan {
            evaluation: "e".to_owned(),
            title: "E".to_owned(),
            source: String::new(),
            sides: vec![side("local", 1), side("far", devices)],
            steps: vec![step("local", published[0]), step("far", published[1])],
            conclusions: vec![Conclusion {
                says: "as fast as local".to_owned(),
                figure: Quantity::Iops,
                direction: None,
                of: operand("far"),
                over: Some(operand("local")),
                times: f64::from(devices),
                devices_of: None,
                at_least: Some(0.96),
                at_most: Some(1.04),
                stated: true,
            }],
            bounds: Vec::new(),
            own_bounds: Vec::new(),
            given: json!({}),
            visits: 5,
            until_share: None,
            as_published: false,
            across_restarts: None,
            optimum: None,
            seed: 1,
        }
    }

    fn cells(values: [(f64, Option<f64>); 2]) -> Vec<RepeatCell> {
        let cell =
            |(value, share)| RepeatCell { result: None, figures: vec![figure(value, share)], missing: None };
        values.into_iter().map(cell).collect()
    }

    #[test]
    fn a_step_is_known_as_well_as_what_its_statements_are_about() {
        let mut plan = plan([100.0, 800.0], 8);
        plan.conclusions[0].figure = Quantity::Cpu;
        let of = |quantity, half_width_share| StepFigure { quantity, ..figure(1.0, half_width_share) };
        let figures = [of(Quantity::Cpu, Some(0.3)), of(Quantity::P99, Some(0.5))];
        for (step, rate, known) in [(0, Some(0.01), Some(0.3)), (1, Some(0.4), Some(0.4)), (1, None, None)] {
            assert_eq!(widest(&plan, step, rate, &figures), known);
        }
        assert_eq!(widest(&plan, 0, Some(0.01), &[of(Quantity::Cpu, None)]), Some(0.01));
        plan.conclusions.clear();
        assert_eq!(widest(&plan, 0, Some(0.01), &figures), Some(0.01));
    }

    #[test]
    fn a_ratio_holds_does_not_hold_or_is_open_by_where_its_interval_lies() {
        let own = |far: f64, share| {
            judge(&plan([100.0, 800.0], 8), &cells([(100.0, Some(0.003)), (far, Some(share))])).remove(0).own
        };
        // One of eight targets: the factor of eight is one here.
        assert_eq!(own(100.0, 0.004).standing, StatementStanding::Holds);
        assert_eq!(own(90.0, 0.004).standing, StatementStanding::DoesNotHold);
        assert_eq!(own(97.0, 0.03).standing, StatementStanding::NotDecided);
        let found = own(100.0, 0.004);
        let [low, high] = found.interval.expect("an interval");
        assert!((high - 1.005_01).abs() < 1e-4 && (low - 0.995_01).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn published_figures_hold_as_they_stand_and_few_runs_decide_nothing() {
        let few = judge(&plan([100.0, 700.0], 8), &cells([(100.0, None), (100.0, None)])).remove(0);
        assert_eq!(few.published.standing, StatementStanding::DoesNotHold);
        assert_eq!(few.published.value, Some(0.875));
        assert_eq!((few.own.standing, few.own.value), (StatementStanding::NotDecided, Some(1.0)));
        assert!(few.own.why.contains("three runs"), "{}", few.own.why);
        let none = judge(&plan([100.0, 800.0], 8), &[]).remove(0);
        assert_eq!(
            (none.published.standing, none.own.standing),
            (StatementStanding::Holds, StatementStanding::NotDecided)
        );
    }

    #[test]
    fn a_bound_that_is_not_known_here_leaves_a_statement_open_and_says_what_to_type() {
        let mut plan = plan([100.0, 800.0], 8);
        plan.conclusions[0].over = Some(Operand { bound: Some("the wire".to_owned()), ..Operand::default() });
        plan.conclusions[0].times = 1.0;
        plan.bounds =
            vec![RepeatBound { name: "the wire".to_owned(), quantity: Quantity::Iops, value: 800.0 }];
        let found = judge(&plan, &cells([(100.0, Some(0.0)), (100.0, Some(0.001))])).remove(0);
        assert_eq!(found.published.standing, StatementStanding::Holds);
        assert!(found.own.why.contains("--bound 'the wire=RATE'"), "{}", found.own.why);
        // Of eight drives' bound there is one drive here, whose own it is.
        plan.conclusions[0].of.side = Some("local".to_owned());
        plan.conclusions[0].times = 0.125;
        plan.conclusions[0].devices_of = Some("far".to_owned());
        plan.own_bounds = vec![RepeatBound { value: 100.0, ..plan.bounds[0].clone() }];
        let found = judge(&plan, &cells([(100.0, Some(0.0)), (100.0, Some(0.001))])).remove(0);
        assert_eq!(found.own.standing, StatementStanding::Holds);
    }
}
