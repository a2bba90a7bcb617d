//! A page of examples: for each cause the first case that was judged right, with what fathom printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::case::{Place, Truth};
use super::published_cases::ShownTable;
use super::score::JudgedCase;

const HEAD: &str = "# Causes, each with a case and its report\n
For each cause of [attribution.md](attribution.md) that has a case and was named rightly there: the case, whose cause is known because it
was made, what was typed, and what `fathom explain --experiments` printed. Simulated devices
answer in simulated time; the others are real runs, so their rates are this machine's. A cause that no case of a lab shows has a published
table whose author states it, of those that the table of evidence was fitted to. `cargo lab cases --examples docs/causes.md` writes this page anew; causes
that it had no case of keep theirs.\n";

/// Tables of published results that show those causes that a test names.
type PublishedTables<'a> = &'a dyn Fn(&dyn Fn(&str) -> bool) -> BTreeMap<String, ShownTable>;

/// The page, of what is shown and of what an earlier page showed. Of several right answers of a cause the first is shown, because
/// later ones were not chosen either.
pub fn page(judged: &[JudgedCase], earlier: &str, published: PublishedTables<'_>) -> String {
    let mut sections: BTreeMap<String, String> = sections(earlier);
    // A table gives way to a case.
    sections.retain(|_, text| !text.trim_start().starts_with(OF_A_TABLE));
    let mut shown: BTreeMap<&str, &JudgedCase> = BTreeMap::new();
    for case in judged {
        let Ok(answer) = &case.answer else { continue };
        let first = answer.first();
        if !answer.report.is_empty() && case.truth.allows(&first.cause) {
            shown.entry(first.cause.as_str()).or_insert(case);
        }
    }
    for (cause, case) in shown {
        let report = case.answer.as_ref().map_or("", |a| a.report.trim_end());
        sections.insert(cause.to_owned(), fenced(&told(case), report));
    }
    let tables = published(&|cause: &str| cause != "unknown" && !sections.contains_key(cause));
    for (cause, ShownTable { table, title, source, report }) in tables {
        let told = format!("{OF_A_TABLE} `{table}`, \"{title}\" ({source}). `fathom explain {table}`");
        sections.insert(cause, fenced(&told, &report));
    }
    let mut out = HEAD.to_owned();
    for (cause, text) in sections {
        let _ = write!(out, "\n## `{cause}`\n\n{text}");
    }
    out
}

/// How the section of a table starts.
const OF_A_TABLE: &str = "Table";

fn fenced(told: &str, report: &str) -> String {
    format!("{told}\n\n```\n{report}\n```\n")
}

/// The sections of a page, by cause.
fn sections(page: &str) -> BTreeMap<String, String> {
    let parts = page.split("\n## `").skip(1);
    let section = |part: &str| {
        let (cause, text) = part.split_once("`\n")?;
        Some((cause.to_owned(), format!("{}\n", text.trim())))
    };
    parts.filter_map(section).collect()
}

fn told(case: &JudgedCase) -> String {
    let place = match case.place {
        Place::Sim => "simulated",
        Place::Machine => "on a machine set up for it",
        Place::Vm => "in a virtual machine",
    };
    let truth = match &case.truth {
        Truth::Binds(causes) if causes.len() > 1 => format!("the limit by construction: {}", case.truth),
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
    use crate::cases::explain_answer::{Answer, NamedCause};

    fn case(id: &str, truth: &'static str, said: &str, report: &str) -> JudgedCase {
        let answer = Answer {
            active: vec![NamedCause { cause: said.to_owned(), probability: 0.9 }],
            passive: Vec::new(),
            busy_s: 1.0,
            wall_s: 1.0,
            symptoms: Vec::new(),
            experiments: Vec::new(),
            report: report.to_owned(),
        };
        JudgedCase {
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
        let none = |_: &dyn Fn(&str) -> bool| BTreeMap::new();
        let page = page(&judged, "", &none);
        assert!(page.contains("## `link`") && page.contains("the first") && page.contains("`b`"));
        assert!(!page.contains("wrong") && !page.contains("the second") && !page.contains("## `demand`"));
        assert!(page.contains("`fathom explain --experiments sim:gp3`"));
    }

    #[test]
    fn what_was_not_asked_again_stays_and_tables_stand_where_there_is_no_case() {
        let table = |wanted: &dyn Fn(&str) -> bool| {
            let shown = ShownTable {
                table: "t.toml".to_owned(),
                title: "a title".to_owned(),
                source: "a source".to_owned(),
                report: "of a table".to_owned(),
            };
            let all = [("numa".to_owned(), shown)];
            all.into_iter().filter(|(cause, _)| wanted(cause)).collect::<BTreeMap<_, _>>()
        };
        let first = page(&[case("a", "link", "link", "said of a")], "", &table);
        assert!(first.contains("said of a") && first.contains("## `numa`") && first.contains("of a table"));
        let second = page(&[case("b", "numa", "numa", "said of b")], &first, &table);
        assert!(second.contains("said of a") && second.contains("said of b"), "{second}");
        assert!(!second.contains("of a table"), "a case stands for the table");
        assert_eq!(page(&[], &second, &table), second);
    }
}
