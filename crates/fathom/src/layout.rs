//! Lines of text that fit a width.

use fathom_record::shell::is_obeyed;

/// One line of text without characters that a terminal would obey; text from devices and files may
/// hold any.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if is_obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// Text broken at spaces so that it fits `width`, the first line behind `head`, those after it behind
/// `hang`. A word that is too long stays whole: it is a path or something to type.
pub fn wrapped(head: &str, text: &str, hang: &str, width: usize) -> Vec<String> {
    let text = plain(text);
    let mut lines = vec![head.to_owned()];
    let mut length = head.chars().count();
    let mut is_first_word = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word_length = word.chars().count();
        if !is_first_word && length + 1 + word_length > width {
            lines.push(hang.to_owned());
            length = hang.chars().count();
            is_first_word = true;
        }
        let space = if is_first_word { "" } else { " " };
        let last = lines.last_mut().expect("there is a first line");
        last.push_str(space);
        last.push_str(word);
        length += space.len() + word_length;
        is_first_word = false;
    }
    lines
}

/// The same for a name in a column of its own, with the text in the next.
pub fn named(name: &str, column: usize, text: &str, width: usize) -> Vec<String> {
    let name = plain(name);
    // A name that fills its column still has a gap behind it.
    let head = if name.chars().count() < column { format!("{name:<column$}") } else { format!("{name}  ") };
    wrapped(&head, text, &" ".repeat(column), width)
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
        assert_eq!(wrapped("", "a\u{1b}[31mb", "", 80), ["a\u{fffd}[31mb"]);
        assert_eq!(named("  a", 6, "one two", 10), ["  a   one", "      two"]);
        assert_eq!(named("  filedelete", 12, "removed", 40), ["  filedelete  removed"]);
    }
}
