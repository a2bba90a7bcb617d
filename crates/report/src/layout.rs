//! Text as lines that fit a width, without what a terminal would obey.

use fathom_record::shell::is_obeyed;

/// What becomes of a word that is longer than a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongWord {
    /// It stays whole: it may be a path, or something to type.
    Whole,
    /// It is broken where the line ends.
    Broken,
}

/// One line of text; text from people, devices and files may hold any character. A line's end and a tab become a blank,
/// what a terminal would obey `U+FFFD`.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => ' ',
            c if is_obeyed(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Text broken at spaces so that it fits `width`, the first line behind `head`, those after it behind `hang`. A word that
/// is too long stays whole.
pub fn wrapped(head: &str, text: &str, hang: &str, width: usize) -> Vec<String> {
    broken((head, hang), text, width, LongWord::Whole)
}

/// The same for a name in a column of its own, with the text in the next.
pub fn named(name: &str, column: usize, text: &str, width: usize) -> Vec<String> {
    let name = plain(name);
    // A name that fills its column still has a gap behind it.
    let head = if name.chars().count() < column { format!("{name:<column$}") } else { format!("{name}  ") };
    wrapped(&head, text, &" ".repeat(column), width)
}

/// As [`wrapped`], behind `(head, hang)`.
pub(crate) fn broken((head, hang): (&str, &str), text: &str, width: usize, long: LongWord) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = head.to_owned();
    let mut length = head.chars().count();
    let mut is_first_word = true;
    for word in words(&plain(text)) {
        let mut word = word.as_str();
        let mut word_length = word.chars().count();
        if !is_first_word && length + 1 + word_length > width {
            lines.push(std::mem::replace(&mut line, hang.to_owned()));
            length = hang.chars().count();
            is_first_word = true;
        }
        while long == LongWord::Broken && length + word_length > width && length < width {
            let at = word.char_indices().nth(width - length).map_or(word.len(), |(at, _)| at);
            let (part, rest) = word.split_at(at);
            lines.push(std::mem::replace(&mut line, hang.to_owned()) + part);
            (word, word_length) = (rest, word_length - (width - length));
            length = hang.chars().count();
        }
        if !is_first_word {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += word_length;
        is_first_word = false;
    }
    lines.push(line);
    lines
}

/// Words, of which a number with its groups of three digits is one.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let group = word.chars().take_while(char::is_ascii_digit).count() == 3;
        match words.last_mut() {
            Some(last)
                if group && last.trim_start_matches('(').chars().all(|c| c.is_ascii_digit() || c == ' ') =>
            {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_behind_their_indent() {
        assert_eq!(wrapped("", "one two three", "  ", 8), ["one two", "  three"]);
        assert_eq!(wrapped("  - ", "one two", "    ", 7), ["  - one", "    two"]);
        assert_eq!(wrapped("", "a /very/long/path b", "", 6), ["a", "/very/long/path", "b"]);
        assert_eq!(wrapped("", "", "", 8), [""]);
        assert_eq!(wrapped("", "a\u{1b}[31mb\tc", "", 80), ["a\u{fffd}[31mb c"]);
        assert_eq!(named("  a", 6, "one two", 10), ["  a   one", "      two"]);
        assert_eq!(named("  filedelete", 12, "removed", 40), ["  filedelete  removed"]);
    }

    #[test]
    fn long_words_are_broken_where_they_may_be_and_numbers_stay_whole() {
        let broken = |text: &str, width| broken(("", ""), text, width, LongWord::Broken);
        assert_eq!(broken("one two three", 8), ["one two", "three"]);
        assert_eq!(broken("a 0123456789ab c", 8), ["a", "01234567", "89ab c"]);
        assert_eq!(broken("", 8), [""]);
        assert_eq!(broken("these 94 109, and 7", 9), ["these", "94 109,", "and 7"], "a number stays whole");
        assert_eq!(broken("its p99 392 us", 10), ["its p99", "392 us"], "two numbers are two words");
    }
}
