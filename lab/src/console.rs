//! What a guest's script says on the serial console: a line for each case that ended, with its output
//! before it, and one at the end of all.

/// Marks the script's own lines among those of the kernel and the programs.
pub const MARK: &str = "@@lab";

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Fail,
    /// The guest lacks something for it.
    Skip,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub verdict: Verdict,
    /// What was shown since the case before, without the kernel's messages.
    pub text: String,
}

/// All of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    pub cases: Vec<Case>,
    /// Whether the script came to its end.
    pub complete: bool,
}

/// Reads a console's text.
pub fn read(text: &str) -> Results {
    let mut results = Results { cases: Vec::new(), complete: false };
    let mut shown = String::new();
    for line in text.lines().map(|line| line.trim_end_matches('\r')) {
        let Some(at) = line.find(MARK) else {
            shown += line;
            shown.push('\n');
            continue;
        };
        let said = line[at + MARK.len()..].trim();
        let (word, name) = said.split_once(' ').unwrap_or((said, ""));
        let verdict = match word {
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail,
            "skip" => Verdict::Skip,
            "end" => {
                results.complete = true;
                continue;
            }
            // Where a case begins, what was shown before is nobody's.
            _ => {
                shown.clear();
                continue;
            }
        };
        results.cases.push(Case { name: name.to_owned(), verdict, text: std::mem::take(&mut shown) });
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_told_from_the_kernel_s_words() {
        let text = "Booting\r\n@@lab begin one\r\nfine\r\n[    1.0] x@@lab pass one\r\n@@lab begin two\r\nbad\r\n@@lab fail two\r\n";
        let results = read(text);
        assert!(!results.complete);
        let seen: Vec<_> =
            results.cases.iter().map(|c| (c.name.as_str(), c.verdict, c.text.as_str())).collect();
        assert_eq!(seen[0], ("one", Verdict::Pass, "fine\n"));
        assert_eq!(seen[1], ("two", Verdict::Fail, "bad\n"));
        assert!(read("@@lab end\n").complete && read("@@lab end\n").cases.is_empty());
    }
}
