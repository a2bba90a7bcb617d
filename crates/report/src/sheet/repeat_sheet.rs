//! A repeated evaluation: its figures beside one's own, and which of its conclusions hold.

use fathom_measure::counted;
use fathom_record::Direction;
use fathom_record::campaign::{
    Conclusion, Judgement, Quantity, RepeatCell, RepeatRecord, RepeatStep, StatementStanding, StepFigure,
};

use crate::number;
use crate::table::{Table, numbers, titles, words};

/// Failed checks that are told in full.
const TOLD: usize = 3;

/// How many conclusions hold, as a sentence.
pub fn headline(repeat: &RepeatRecord) -> String {
    let of = |standing: StatementStanding| {
        repeat.conclusions.iter().filter(|c| c.own.standing == standing).count()
    };
    let all = counted(repeat.conclusions.len() as u64, "conclusion");
    match repeat.conclusions.len() {
        0 => "The evaluation's table holds no conclusions.".to_owned(),
        _ => format!(
            "Of {all}, {} here, {} not, {} not decided.{}",
            hold(of(StatementStanding::Holds)),
            match of(StatementStanding::DoesNotHold) {
                1 => "1 does".to_owned(),
                count => format!("{count} do"),
            },
            match of(StatementStanding::NotDecided) {
                1 => "1 is".to_owned(),
                count => format!("{count} are"),
            },
            contradicted(repeat),
        ),
    }
}

/// Of the conclusions that its authors draw, those that their own figures contradict; empty without any.
fn contradicted(repeat: &RepeatRecord) -> String {
    let both = repeat.plan.conclusions.iter().zip(&repeat.conclusions);
    let stated: Vec<_> = both.filter(|(conclusion, _)| conclusion.stated).collect();
    let against =
        stated.iter().filter(|(_, result)| result.published.standing == StatementStanding::DoesNotHold);
    match against.count() {
        0 => String::new(),
        1 => format!(" Of the {} that its authors draw, 1 does not hold on their own figures.", stated.len()),
        count => {
            format!(
                " Of the {} that its authors draw, {count} do not hold on their own figures.",
                stated.len()
            )
        }
    }
}

fn hold(count: usize) -> String {
    if count == 1 { "1 holds".to_owned() } else { format!("{count} hold") }
}

/// What the evaluation's sides are here, in one line.
pub fn sides(repeat: &RepeatRecord) -> String {
    let side = |side: &fathom_record::campaign::RepeatSide| match side.name.as_str() {
        "" => side.here(),
        name => format!("{name} = {}", side.here()),
    };
    repeat.plan.sides.iter().map(side).collect::<Vec<_>>().join("; ")
}

/// Steps that are missing or whose self-checks failed, as sentences.
pub fn failures(repeat: &RepeatRecord) -> Vec<String> {
    let mut out = Vec::new();
    for (step, cell) in steps(repeat) {
        out.extend(cell.missing.iter().map(|why| format!("{}: {why}", step.title())));
        let failed = cell.result.iter().flat_map(|result| &result.failed_checks);
        out.extend(failed.map(|check| format!("{}: {check}", step.title())));
    }
    if let Some(more) = out.len().checked_sub(TOLD + 1) {
        out.truncate(TOLD);
        out.push(format!("And {} more failures; the table of steps marks them.", more + 1));
    }
    if repeat.finished_at.is_none() {
        out.push("The repetition has not ended; the same command continues it.".to_owned());
    }
    out
}

fn steps(repeat: &RepeatRecord) -> impl Iterator<Item = (&RepeatStep, &RepeatCell)> {
    repeat.plan.steps.iter().zip(&repeat.cells)
}

/// Every step: what was published, and what was measured.
pub fn figures(repeat: &RepeatRecord) -> Table {
    let mut table = Table::new(&[
        titles("step", 0),
        numbers("published IOPS", 0),
        numbers("here", 0),
        numbers("95 % interval", 2),
        numbers("here over published", 0),
        numbers("published mean", 1),
        numbers("mean here", 1),
        numbers("published p99", 3),
        numbers("p99 here", 3),
        numbers("CPU per I/O here", 4),
        numbers("runs", 5),
    ]);
    for (step, cell) in steps(repeat) {
        let there = |quantity| step.published(quantity, None);
        let here = |quantity| cell.figure(quantity, None);
        let time = |figure: Option<StepFigure>| known(figure, number::time);
        let rates = there(Quantity::Iops).zip(here(Quantity::Iops));
        let failed = cell.result.as_ref().is_some_and(|result| !result.failed_checks.is_empty());
        table.row([
            if failed { format!("{} (failed checks)", step.title()) } else { step.title() },
            known(there(Quantity::Iops), number::rate),
            here(Quantity::Iops)
                .map_or_else(|| number::NOT_MEASURED.to_owned(), |figure| number::rate(figure.value)),
            here(Quantity::Iops)
                .and_then(|figure| figure.half_width_share)
                .map_or_else(|| "–".to_owned(), number::interval),
            rates.map_or_else(|| "–".to_owned(), |(there, here)| ratio(here.value / there.value)),
            time(there(Quantity::Mean)),
            time(here(Quantity::Mean)),
            time(there(Quantity::P99)),
            time(here(Quantity::P99)),
            known(here(Quantity::CpuPerIo), number::time),
            cell.result.as_ref().map_or(0, |result| result.runs.len()).to_string(),
        ]);
    }
    table
}

fn known(figure: Option<StepFigure>, print: impl Fn(f64) -> String) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| print(figure.value))
}

/// A ratio with three digits.
fn ratio(value: f64) -> String {
    match value {
        v if !v.is_finite() => number::NOT_MEASURED.to_owned(),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

/// Every conclusion, with what becomes of it on the published figures and here.
pub fn conclusions(repeat: &RepeatRecord) -> Table {
    let mut table = Table::new(&[
        words("conclusion", 0),
        words("test", 2),
        words("published figures", 0),
        words("here", 0),
    ]);
    for (conclusion, result) in repeat.plan.conclusions.iter().zip(&repeat.conclusions) {
        let unstated = if conclusion.stated { "" } else { " (not its authors' words)" };
        table.row([
            format!("{}{unstated}", conclusion.says),
            test(conclusion),
            judged(conclusion, &result.published),
            judged(conclusion, &result.own),
        ]);
    }
    table
}

/// What a conclusion is tested by, as `IOPS of 4K, gp3 over 4K, local NVMe: at most 0.9`.
pub fn test(conclusion: &Conclusion) -> String {
    let direction = match conclusion.direction {
        Some(Direction::Read) => " of reads",
        Some(Direction::Write) => " of writes",
        _ => "",
    };
    let mut out = format!("{}{direction}: {}", conclusion.figure.words(), conclusion.of.words());
    if let Some(over) = &conclusion.over {
        let times = if conclusion.times == 1.0 { String::new() } else { format!("{} x ", conclusion.times) };
        out += &format!(" over {times}{}", over.words());
    }
    let print = |value| printed(conclusion, value);
    out + &match (conclusion.at_least, conclusion.at_most) {
        (Some(low), Some(high)) => format!("; from {} to {}", print(low), print(high)),
        (Some(low), None) => format!("; at least {}", print(low)),
        (None, Some(high)) => format!("; at most {}", print(high)),
        (None, None) => String::new(),
    }
}

fn judged(conclusion: &Conclusion, judgement: &Judgement) -> String {
    let mut out = judgement.standing.words().to_owned();
    if let Some(value) = judgement.value {
        out += &format!(": {}", printed(conclusion, value));
        if let Some([low, high]) = judgement.interval {
            out += &format!(" ({} to {})", printed(conclusion, low), printed(conclusion, high));
        }
    }
    match judgement.why.as_str() {
        "" => out,
        why => format!("{out}; {why}"),
    }
}

/// A ratio, or a figure in its unit.
fn printed(conclusion: &Conclusion, value: f64) -> String {
    match conclusion.figure {
        _ if conclusion.over.is_some() => ratio(value),
        Quantity::Iops => number::iops(value),
        Quantity::Throughput => number::throughput(value),
        Quantity::Cpu => number::percent(value),
        Quantity::InFlight => number::in_flight(value),
        Quantity::InFlightShare => ratio(value),
        _ => number::time(value),
    }
}
