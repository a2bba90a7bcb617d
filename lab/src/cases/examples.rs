//! A page of examples: for each cause the first case that was judged right, with what fathom printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::case::{Place, Truth};
use super::score::Judged;

const HEAD: &str = "# Causes, each with a case and its report\n
For each cause of [attribution.md](attribution.md) that has a case and was named rightly there: the case, whose cause is known because it
was made, what was typed, and what `fathom explain --experiments` printed. `cargo lab cases --examples docs/causes.md` writes this page anew. Simulated devices
answer in simulated time; the others are real runs, so their rates are this machine's.\n";

/// The page. Of several right answers of a cause the first is shown, because later ones were not chosen either.
pub fn page(judged: &[Judged]) -> String {
    let mut shown: BTreeMap<&str, &Judged> = BTreeMap::new();
    for case in judged {
        let Ok(answer) = &case.answer else { continue };
        let first = answer.first();
        if !answer.report.is_empty() && case.truth.allows(&first.cause) {
            shown.entry(first.cause.as_str()).or_insert(case);
        }
    }
    let mut out = HEAD.to_owned();
    for (cause, case) in shown {
        let _ = write!(out, "\n## `{cause}`\n\n");
        let _ = write!(
            out,
            "{}\n\n```\n{}\n```\n",
            told(case),
            case.answer.as_ref().map_or("", |a| a.report.trim_end())
        );
    }
    out
}

fn told(case: &Judged) -> String {
    let place = match case.place {
        Place::Sim => "simulated",
        Place::Machine => "on a machine set up for it",
        Place::Vm => "in a virtual machine",
    };
    let truth = match &case.truth {
        Truth::Binds(causes) if causes.len() > 1 => format!("what binds by construction: {}", case.truth),
        Truth::Binds(_) | Truth::Nothing | Truth::Outside(_) => format!("by construction: {}", case.truth),
    };
    let typed = if case.arguments.is_empty() {
        String::new()
    } else {
        format!(" `fathom explain --experiments {}`", case.arguments.join(" "))
    };
    format!("Case `{}`, {place}; {truth}.{typed}", case.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::answer::{Answer, Named};

    fn case(id: &str, truth: &'static str, said: &str, report: &str) -> Judged {
        let answer = Answer {
            active: vec![Named { cause: said.to_owned(), probability: 0.9 }],
            passive: Vec::new(),
            busy_s: 1.0,
            wall_s: 1.0,
            symptoms: Vec::new(),
            experiments: Vec::new(),
            report: report.to_owned(),
        };
        Judged {
            id: id.to_owned(),
            truth: Truth::one(truth),
            place: Place::Sim,
            arguments: vec!["sim:gp3".to_owned()],
            answer: Ok(answer),
        }
    }

    #[test]
    fn right_answers_alone_are_shown_one_a_cause() {
        let judged = [
            case("a", "link", "one_core", "wrong"),
            case("b", "link", "link", "the first"),
            case("c", "link", "link", "the second"),
            case("d", "demand", "demand", ""),
        ];
        let page = page(&judged);
        assert!(page.contains("## `link`") && page.contains("the first") && page.contains("`b`"));
        assert!(!page.contains("wrong") && !page.contains("the second") && !page.contains("## `demand`"));
        assert!(page.contains("`fathom explain --experiments sim:gp3`"));
    }
}
