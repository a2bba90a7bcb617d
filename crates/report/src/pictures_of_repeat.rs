//! The picture of a repeated evaluation: its ratios here against those that were published.

use fathom_record::campaign::{Conclusion, ConclusionResult, RepeatRecord, StatementStanding};

use crate::chart::{ForestRow, Ink, forest};
use crate::number;
use crate::pictures::Figure;

/// Ratios that differ by less are the same for every reader.
const NEAR: f64 = 0.05;

/// One row for each conclusion that is a ratio and has both values.
pub fn of_repeat(repeat: &RepeatRecord) -> Vec<Figure> {
    let both = repeat.plan.conclusions.iter().zip(&repeat.conclusions);
    let rows: Vec<ForestRow> = both.filter_map(|(conclusion, result)| row(conclusion, result)).collect();
    let picture = forest(&repeat.plan.title, "ratio here from the published one", &rows, NEAR);
    let figure = |picture| Figure {
        name: "ratios",
        title: "Its ratios, here".to_owned(),
        caption: format!(
            "Each ratio that a conclusion is about, measured here, against the same ratio of the published \
             figures. Shaded: within {}.",
            number::percent(NEAR)
        ),
        picture,
    };
    picture.map(figure).into_iter().collect()
}

fn row(conclusion: &Conclusion, result: &ConclusionResult) -> Option<ForestRow> {
    conclusion.over.as_ref()?;
    let there = result.published.value.filter(|value| *value > 0.0)?;
    let here = result.own.value?;
    let [low, high] = result.own.interval.unwrap_or([here, here]);
    let difference = |value: f64| value / there - 1.0;
    let standing = result.own.standing;
    Some(ForestRow {
        name: format!("{}: {}", conclusion.figure.words(), conclusion.of.words()),
        difference: Some((difference(here), difference(low), difference(high))),
        verdict: standing.words().to_owned(),
        ink: match standing {
            StatementStanding::Holds => Ink::Green,
            StatementStanding::DoesNotHold => Ink::Vermillion,
            StatementStanding::NotDecided => Ink::Muted,
        },
        read_out: format!("{}: {here:.3} here, {there:.3} published, {}", conclusion.says, standing.words()),
    })
}
