//! Says a score: on the terminal, as tables in Markdown, as JSON, and as a diagram of the calibration.

use std::fmt::Write;

use serde_json::{Value, json};

use super::explain_answer::{Answer, NamedCause};
use super::score::{CONFIDENT, Figure, JudgedCase, Row, Score, share};

/// One case's line, as it ends.
pub fn line(judged: &JudgedCase) -> String {
    let JudgedCase { id, truth, answer, .. } = judged;
    match answer {
        Err(error) => format!("-      {id:<34} no answer: {error}"),
        Ok(answer) => {
            let right = truth.allows(&answer.first().cause);
            let mark = if right { "right" } else { "WRONG" };
            let wrong = if right { String::new() } else { format!("; it is {truth}") };
            format!(
                "{mark}  {id:<34} {}; before: {}; {}, {:.1} s{wrong}",
                two(&answer.active),
                two(&answer.passive),
                experiments(answer),
                answer.wall_s,
            )
        }
    }
}

/// What was tried, and by how much the rate changed.
fn experiments(answer: &Answer) -> String {
    let tried: Vec<String> = answer
        .experiments
        .iter()
        .map(|(name, growth)| match growth {
            Some(growth) => format!("{name} {:+.0} %", 100.0 * growth.exp_m1()),
            None => format!("{name} failed"),
        })
        .collect();
    if tried.is_empty() { "no experiment".to_owned() } else { tried.join(", ") }
}

fn two(named: &[NamedCause]) -> String {
    let named: Vec<String> =
        named.iter().take(2).map(|n| format!("{} {:.2}", n.cause, n.probability)).collect();
    named.join(", ")
}

/// The figures against their bounds, and what else is worth knowing.
pub fn summary(score: &Score, figures: &[Figure]) -> String {
    let all = &score.all;
    let mut text = String::new();
    for Figure { name, value, bound, holds } in figures {
        let mark = if *holds { "reached" } else { "MISSED" };
        let _ = writeln!(text, "{mark:<8} {name}: {value}, {bound} asked");
    }
    for alarm in &score.false_alarms {
        let _ = writeln!(text, "         false alarm (from {CONFIDENT} on): {alarm}");
    }
    let _ = writeln!(
        text,
        "answered with 0.95 or more: {:.0} %, of which right {:.1} %; Brier score {:.3}; calibration error {:.3}; {:.1} experiments of {:.1} min on the target and {:.1} s a case",
        100.0 * share(all.answered, all.cases),
        100.0 * share(all.answered_right, all.answered),
        score.brier,
        score.calibration_error,
        all.experiments as f64 / all.cases.max(1) as f64,
        score.busy_s / 60.0 / all.cases.max(1) as f64,
        score.wall_s / all.cases.max(1) as f64,
    );
    text
}

/// Tables for `docs/attribution.md`.
pub fn markdown(score: &Score, figures: &[Figure]) -> String {
    let mut text = "| figure | here | asked |\n|---|---|---|\n".to_owned();
    for Figure { name, value, bound, .. } in figures {
        let _ = writeln!(text, "| {name} | {value} | {bound} |");
    }
    let head = "cases | right first | passive: among two | sure (0.95) | of these right | experiments |";
    let _ = write!(text, "\n| limit | {head}\n|---|---|---|---|---|---|---|\n");
    for (truth, row) in &score.by_truth {
        let _ = writeln!(text, "| {truth} | {}", cells(row));
    }
    for (place, row) in &score.by_place {
        let _ = writeln!(text, "| all of {} | {}", place.name(), cells(row));
    }
    let _ = writeln!(text, "| all | {}", cells(&score.all));
    text += "\n| said | cases | mean said | right |\n|---|---|---|---|\n";
    for (index, bin) in score.bins.iter().enumerate().filter(|(_, bin)| bin.count > 0) {
        let (low, high) = (index * 10, index * 10 + 10);
        let (mean, right) = (100.0 * bin.mean_probability, 100.0 * bin.right_share);
        let _ = writeln!(text, "| {low} to {high} % | {} | {mean:.0} % | {right:.0} % |", bin.count);
    }
    text
}

fn cells(row: &Row) -> String {
    let percent = |part, whole| format!("{:.0} %", 100.0 * share(part, whole));
    let sure = if row.answered == 0 { "–".to_owned() } else { percent(row.answered_right, row.answered) };
    format!(
        "{} | {} | {} | {} | {sure} | {:.1} |",
        row.cases,
        percent(row.first, row.cases),
        percent(row.passive_two, row.cases),
        percent(row.answered, row.cases),
        row.experiments as f64 / row.cases.max(1) as f64,
    )
}

/// All answers, and the figures.
pub fn data(seed: u64, judged: &[JudgedCase], figures: &[Figure]) -> Value {
    let named = |list: &[NamedCause]| -> Vec<Value> {
        list.iter().map(|n| json!({"limit": n.cause, "probability": n.probability})).collect()
    };
    let cases: Vec<Value> = judged
        .iter()
        .map(|case| {
            let mut value = json!({
                "id": case.id, "place": case.place.name(), "truth": case.truth.to_string(),
                "arguments": case.arguments.join(" "),
            });
            match &case.answer {
                Ok(Answer { active, passive, busy_s, wall_s, symptoms, experiments, report: _ }) => {
                    value["right"] = case.truth.allows(&active[0].cause).into();
                    value["active"] = named(active).into();
                    value["passive"] = named(passive).into();
                    let tried =
                        |(name, growth): &(String, Option<f64>)| json!({"name": name, "ln_growth": growth});
                    value["experiments"] = experiments.iter().map(tried).collect::<Vec<_>>().into();
                    value["symptoms"] = symptoms.iter().map(|(name, v)| (name.clone(), json!(v))).collect();
                    value["busy_s"] = (*busy_s).into();
                    value["wall_s"] = (*wall_s).into();
                }
                Err(error) => value["error"] = error.as_str().into(),
            }
            value
        })
        .collect();
    let figures: Vec<Value> = figures
        .iter()
        .map(|f| json!({"figure": f.name, "value": f.value, "asked": f.bound, "reached": f.holds}))
        .collect();
    json!({"seed": seed, "figures": figures, "cases": cases})
}

/// How often right, over how sure: a point for each bin, as large as its cases are many.
pub fn picture(score: &Score) -> String {
    let (left, top, side) = (60.0, 20.0, 320.0);
    let x = |share: f64| left + side * share;
    let y = |share: f64| top + side * (1.0 - share);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 400\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"400\" height=\"400\" fill=\"white\"/>\n\
         <rect x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#888\"/>\n\
         <line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#888\" stroke-dasharray=\"4\"/>\n",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    for tick in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let (at, beside) = (x(tick), y(tick) + 4.0);
        let _ = writeln!(svg, "<text x=\"{at}\" y=\"358\" text-anchor=\"middle\">{tick}</text>");
        let _ = writeln!(svg, "<text x=\"52\" y=\"{beside}\" text-anchor=\"end\">{tick}</text>");
    }
    for bin in score.bins.iter().filter(|bin| bin.count > 0) {
        let radius = 3.0 + (bin.count as f64).sqrt();
        let (cx, cy) = (x(bin.mean_probability), y(bin.right_share));
        let _ = writeln!(
            svg,
            "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\" fill=\"#2a6\" fill-opacity=\"0.6\"><title>{} cases</title></circle>",
            bin.count
        );
    }
    svg += "<text x=\"220\" y=\"385\" text-anchor=\"middle\">probability that was said</text>\n\
            <text x=\"18\" y=\"180\" text-anchor=\"middle\" transform=\"rotate(-90 18 180)\">share that was right</text>\n</svg>\n";
    svg
}

#[cfg(test)]
mod tests {
    use super::super::case::{Place, Truth};
    use super::super::score::{judge, score};
    use super::*;

    fn sample() -> Vec<JudgedCase> {
        let named = |cause: &str, probability| NamedCause { cause: cause.to_owned(), probability };
        let answer = Answer {
            active: vec![named("link", 0.9)],
            passive: Vec::new(),
            busy_s: 6.0,
            wall_s: 2.0,
            symptoms: vec![("tail".to_owned(), 0.5)],
            experiments: vec![("double_depth".to_owned(), Some(0.0))],
            report: String::new(),
        };
        let case = |truth, answer| JudgedCase {
            id: "sim/link/1".to_owned(),
            truth,
            place: Place::Sim,
            arguments: vec!["sim:x".to_owned()],
            answer,
        };
        vec![
            case(Truth::one("link"), Ok(answer.clone())),
            case(Truth::Nothing, Ok(answer)),
            case(Truth::one("link"), Err("stopped".to_owned())),
        ]
    }

    #[test]
    fn what_is_said_is_what_was_scored() {
        let judged = sample();
        let score = score(&judged);
        let figures = judge(&score);
        assert!(line(&judged[0]).starts_with("right  sim/link/1"));
        assert!(line(&judged[1]).contains("WRONG") && line(&judged[1]).ends_with("it is demand"));
        assert!(line(&judged[2]).contains("stopped"));
        let said = summary(&score, &figures);
        assert!(said.contains("MISSED") && said.contains("sim/link/1: link 0.90"), "{said}");
        let tables = markdown(&score, &figures);
        assert!(
            tables.contains("| link | 1 | 100 % |") && tables.contains("| 90 to 100 % | 2 | 90 % | 50 % |")
        );
        let data = data(7, &judged, &figures);
        assert_eq!(
            (&data["cases"][1]["right"], &data["cases"][2]["error"]),
            (&json!(false), &json!("stopped"))
        );
        assert_eq!(data["cases"][0]["symptoms"]["tail"], json!(0.5));
        assert!(line(&judged[0]).contains("double_depth +0 %"));
        assert_eq!(picture(&score).matches("<circle").count(), 1);
    }
}
