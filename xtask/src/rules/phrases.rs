//! What users read is said in the words of their field: habits that a program can see do not come back.

use crate::finding::Finding;
use crate::source_scan::scan;
use crate::tree::{File, Tree};

/// What is not written, and what is.
struct Phrase {
    /// In small letters. Where it begins with a space it is the beginning of a word.
    habit: &'static str,
    instead: &'static str,
    /// What it is right in.
    except: &'static [&'static str],
    places: &'static [Place],
}

/// Where users read.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Strings of the program, and of the scripts of its pages.
    Message,
    /// Comments of the program: those of arguments are help.
    Help,
    /// Pages of Markdown, but for what is code in them.
    Page,
    /// Templates of reports, but for what is filled in.
    Template,
    /// Texts of the table of evidence.
    Evidence,
}

use Place::{Evidence, Help, Message, Page, Template};

const ALL: &[Place] = &[Message, Page, Template, Evidence];

const fn phrase(habit: &'static str, instead: &'static str, places: &'static [Place]) -> Phrase {
    Phrase { habit, instead, except: &[], places }
}

const PHRASES: [Phrase; 35] = [
    Phrase {
        habit: " is no ",
        instead: "is not a",
        except: &[
            "there is no ",
            "is no longer",
            "is no more",
            "is no higher",
            "is no lower",
            "is no larger",
            "is no smaller",
            "is no slower",
            "is no faster",
        ],
        places: ALL,
    },
    phrase("there is no such ", "no such", ALL),
    phrase("there is no key ", "unknown key", ALL),
    phrase("there is no flag ", "unknown flag", ALL),
    phrase(" are no part ", "are not part", ALL),
    phrase(" are no measurement", "do not measure", ALL),
    phrase(" in the mean ", "on average", ALL),
    phrase(" so many ", "the number, or N", ALL),
    phrase(" would tell", "are needed", ALL),
    phrase(" surely", "shown to be, statistically, for certain", ALL),
    phrase(" anybody", "any tool, any program", ALL),
    phrase(" nobody", "not known, not declared, no program", ALL),
    phrase(" intended", "scheduled", ALL),
    phrase(" the ledger", "what a run covers", ALL),
    phrase(" nothing is said of", "not judged, not known", ALL),
    Phrase {
        habit: " processor",
        instead: "CPU, CPU core, CPU time or architecture",
        except: &[
            "processor group",
            "graphics processor",
            // Names in data and in other programs.
            "process: processor",
            "\"processor {processor}\"",
            "\"processor\"",
            "\"processors\"",
            "\"processor.\"",
            "processornamestring",
            "processor_",
            "processor=",
        ],
        places: ALL,
    },
    phrase(" goes on ", "continues", &[Page, Template, Evidence]),
    phrase(" was over first", "ran out", ALL),
    phrase(" a month.", "per month", ALL),
    phrase(" holds the demand", "meets the demand", ALL),
    phrase(" cheapest that holds", "cheapest that meets the demand", ALL),
    phrase(" held against ", "compared with", ALL),
    phrase(" binds ", "is the limit, limits", &[Page, Template, Evidence]),
    phrase(" what binds", "what limits", ALL),
    phrase(" tell ", "report, state, show", ALL),
    phrase(" told ", "reported, stated", ALL),
    phrase(" tells ", "reports, states, shows", ALL),
    phrase(" beside ", "next to, with, during", &[Page, Template, Evidence]),
    phrase(" is sold ", "is on offer", ALL),
    phrase(" are sold ", "are on offer", ALL),
    Phrase {
        habit: " ceilings",
        instead: "limits",
        // A part of the record.
        except: &["### ceilings"],
        places: &[Page, Template, Evidence],
    },
    phrase(" give it again", "Repeatable", &[Help]),
    phrase("ermit the loss of everything", "allow destroying all data", &[Help]),
    phrase("/ engine that carries", "I/O engine", &[Help]),
    phrase(" a cell ", "a test point", &[Template, Evidence]),
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, lines) in texts(file) {
        for (index, line) in lines.iter().enumerate() {
            for phrase in PHRASES.iter().filter(|phrase| phrase.places.contains(&place) && phrase.is_in(line))
            {
                let message = format!("`{}`: users are told `{}`", phrase.habit.trim(), phrase.instead);
                findings.push(Finding::new(&file.path, index + 1, message));
            }
            if gives_an_example(line, place) {
                let message = "an example follows `e.g.`, not `as`".to_owned();
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// What users read of a file, line by line.
fn texts(file: &File) -> Vec<(Place, Vec<String>)> {
    let path = file.path.as_str();
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    // Tests quote other tools.
    if path.starts_with("crates/")
        && path.contains("/src/")
        && path.ends_with(".rs")
        && !path.ends_with("tests.rs")
    {
        let source = scan(file.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default());
        return vec![(Message, lines(&source.literals)), (Help, lines(&source.comments))];
    }
    if path.starts_with("web/src/") && path.ends_with(".ts") {
        return vec![(Message, strings_of_script(&file.text))];
    }
    if path.ends_with(".md") && (path.starts_with("docs/") || !path.contains('/')) {
        return vec![(Page, prose(&file.text))];
    }
    if path.starts_with("crates/report/templates/") && path.ends_with(".html") {
        return vec![(Template, file.text.lines().map(without_what_is_filled_in).collect())];
    }
    if path == "crates/attribute/evidence.toml" {
        let value = |line: &str| match line.split_once(" = \"") {
            Some((_, value)) if !line.starts_with('#') => value.to_owned(),
            _ => String::new(),
        };
        return vec![(Evidence, file.text.lines().map(value).collect())];
    }
    Vec::new()
}

/// What stands between quotes in a script, line by line, with `"` for each quote. What is filled into a string counts
/// as its text.
fn strings_of_script(script: &str) -> Vec<String> {
    let mut open: Option<char> = None;
    let line = |line: &str| {
        let (mut text, mut rest) = (String::new(), line);
        while let Some(letter) = rest.chars().next() {
            if open.is_none() && rest.starts_with("//") {
                break;
            }
            rest = &rest[letter.len_utf8()..];
            match open {
                Some(_) if letter == '\\' => rest = rest.get(1..).unwrap_or_default(),
                Some(quote) if letter == quote => {
                    open = None;
                    text.push('"');
                }
                Some(_) => text.push(letter),
                None if matches!(letter, '"' | '`') => {
                    open = Some(letter);
                    text.push('"');
                }
                None => text.push(' '),
            }
        }
        // Only a template goes over the end of a line.
        open = open.filter(|quote| *quote == '`');
        text
    };
    script.lines().map(line).collect()
}

/// Lines of a page; blank where they are code. Code in a line is left out, also where it goes over a line's end.
fn prose(page: &str) -> Vec<String> {
    let (mut fenced, mut quoted) = (false, false);
    let line = |line: &str| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if fenced || is_fence || line.trim().is_empty() {
            quoted = false;
            return String::new();
        }
        let mut text = String::new();
        for (index, part) in line.split('`').enumerate() {
            if index > 0 {
                quoted = !quoted;
                text.push('`');
            }
            if !quoted {
                text.push_str(part);
            }
        }
        text
    };
    page.lines().map(line).collect()
}

/// A line of a template without `{{ }}` and `{% %}`.
fn without_what_is_filled_in(line: &str) -> String {
    let mut parts = line.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.rsplit('}').next().unwrap_or_default())
}

impl Phrase {
    fn is_in(&self, line: &str) -> bool {
        let mut line = format!(" {} ", line.to_lowercase());
        for right in self.except {
            line = line.replace(right, "");
        }
        let separate = |letter: char| if "\"(*[|>".contains(letter) { ' ' } else { letter };
        line.chars().map(separate).collect::<String>().contains(self.habit)
    }
}

/// Whether a value stands behind `, as `. In comments names of code stand there by right.
fn gives_an_example(line: &str, place: Place) -> bool {
    line.split(", as ").skip(1).any(|rest| {
        let value = rest.trim_start_matches('`');
        value.starts_with(|first: char| first.is_ascii_digit())
            || value.starts_with("--")
            || (rest.starts_with('`') && place != Help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn habits_are_found_in_what_users_read_alone() {
        let text = "// so many\nlet a = \"`{a}` is no time\";\n/// A size, as 10GiB.\n/// Give it again.\nlet b = \"is no longer a time, as it was\";";
        assert_eq!(lines("crates/a/src/b.rs", text), [2, 3, 4]);
        let tested = format!("#[cfg(test)]\nmod tests {{\n{text}\n}}\n");
        assert!(lines("crates/a/src/b.rs", &tested).is_empty());
        assert!(
            lines("crates/a/src/b_tests.rs", text).is_empty() && lines("xtask/src/b.rs", text).is_empty()
        );
    }

    #[test]
    fn prose_of_pages_is_looked_at_and_code_is_not() {
        let text =
            "A processor.\n`processor`, as `x` has it\n```\nso many\n```\nso many I/Os\nlet | told | go\n";
        assert_eq!(lines("docs/a.md", text), [1, 2, 6, 7]);
        assert_eq!(lines("README.md", text), [1, 2, 6, 7]);
        let text = "Type `fathom\nprocessor`, on a\nprocessor.\n\n`\n\nso many I/Os\n";
        assert_eq!(lines("docs/b.md", text), [3, 7]);
        assert!(lines("crates/a/README.md", text).is_empty());
    }

    #[test]
    fn what_a_phrase_is_right_in_is_left_alone() {
        let text = "Two processor groups.\nMemory of a graphics processor.\nProcessors of a group.\n";
        assert_eq!(lines("docs/a.md", text), [3]);
        let text = "f(\"processors\", \"processor_groups\");\ng(\"on {n} processors\");\n";
        assert_eq!(lines("crates/a/src/b.rs", text), [2]);
    }

    #[test]
    fn strings_of_scripts_are_looked_at_and_code_is_not() {
        let text = "// is no time\nconst told = so many; // \"so many\"\nf(\"is no time\", `a\n${b} is no c`);\n\
                    g(\"there is no c\", \"\\\" is no longer\");\nh(\"processors\");\n";
        assert_eq!(lines("web/src/a.ts", text), [3, 4]);
        assert!(lines("web/test/a.ts", text).is_empty());
    }

    #[test]
    fn templates_and_the_table_of_evidence_are_read_as_users_see_them() {
        let text = "<p>{{ so many }}{% if beside %}One</p>\n<p>Nobody {{ x }}</p>\n";
        assert_eq!(lines("crates/report/templates/a.html", text), [2]);
        let text = "# so many\nneeds = [\"processors\"]\nscale = \"share of the processor\"\n";
        assert_eq!(lines("crates/attribute/evidence.toml", text), [3]);
    }
}
