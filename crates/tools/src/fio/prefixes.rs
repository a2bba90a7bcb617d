//! A result of fio that stands in a log or a quotation, without what these put before each line.

use crate::foreign_series::stamp;

/// Levels of messages, as loggers write them.
const LEVELS: [&str; 9] =
    ["DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "TRACE", "FATAL"];

/// What the record says where it was done.
pub const QUIRK: (&str, &str) =
    ("line_prefixes", "what a log or a quotation puts before each line was left out");

/// The text without marks of quotations, times, levels and names of streams before its lines; absent where no line
/// has any.
pub fn without(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut any = false;
    for line in text.lines() {
        let mut rest = line;
        while let Some(after) = mark(rest.trim_start()) {
            rest = after;
        }
        any |= rest.len() < line.len();
        out.push_str(rest);
        out.push('\n');
    }
    any.then_some(out)
}

/// What follows a mark that the text begins with.
fn mark(text: &str) -> Option<&str> {
    let one_blank = |rest: &'_ str| -> usize { usize::from(rest.starts_with(' ')) };
    let behind = |rest: &str| -> usize { text.len() - rest.len() + one_blank(rest) };
    let rest = text
        .strip_prefix('>')
        .or_else(|| text.strip_prefix("[stdout]").or_else(|| text.strip_prefix("[stderr]")))
        .or_else(|| time(text))
        .or_else(|| level(text))?;
    text.get(behind(rest)..)
}

/// A time, bare or in brackets.
fn time(text: &str) -> Option<&str> {
    match text.strip_prefix('[') {
        Some(inside) => {
            let (within, after) = inside.split_once(']')?;
            stamp(within).filter(|(_, rest)| rest.trim().is_empty()).map(|_| after)
        }
        None => stamp(text).map(|(_, rest)| rest),
    }
}

/// A level with a bar behind it, and before it the words that avocado writes: `process L0669 DEBUG| `.
fn level(text: &str) -> Option<&str> {
    const MOST_WORDS: usize = 4;
    let (head, after) = text.split_once('|')?;
    let words = head.split_whitespace().count();
    let last = head.split_whitespace().next_back()?;
    (words <= MOST_WORDS && LEVELS.contains(&last)).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_logs_and_quotations_go_and_the_rest_stays() {
        for (line, left) in [
            ("> {", "{"),
            (">>   \"jobs\" : [", "  \"jobs\" : ["),
            ("2025-01-01T00:00:00.1234567Z   read: IOPS=5", "  read: IOPS=5"),
            ("[2025-01-01T00:00:00Z] fio-3.33", "fio-3.33"),
            ("2021-06-01 10:00:00,123 process          L0669 DEBUG| [stdout] r: (groupid=0", "r: (groupid=0"),
            (
                "DEBUG| [stdout]      |  1.00th=[  221], 50.00th=[  285]",
                "     |  1.00th=[  221], 50.00th=[  285]",
            ),
        ] {
            assert_eq!(without(line).as_deref(), Some(&*format!("{left}\n")), "{line}");
        }
        for plain in
            ["", "fio-3.33", "     |  1.00th=[  221]", "  lat (msec)   : 2=0.01%, >=2000=0.1%", "a | b"]
        {
            assert_eq!(without(plain), None, "{plain}");
        }
    }
}
