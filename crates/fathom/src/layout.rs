//! Lines that fit a width: wrapped text and aligned columns.

use fathom_record::shell::is_obeyed;

/// Characters between columns.
const GUTTER: usize = 2;

/// A column is not made narrower than this.
const NARROWEST: usize = 6;

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
    let head = format!("{:<column$}", plain(name));
    wrapped(&head, text, &" ".repeat(column), width)
}

/// The first `width` characters, the last of them a mark if any were lost.
fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Rows with columns in line, each `width` characters at most: the widest column is cut first. The
/// first row is the heading.
pub fn aligned<const N: usize>(rows: &[[String; N]], width: usize) -> Vec<String> {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| std::array::from_fn(|column| plain(&row[column]))).collect();
    let mut widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    while widths.iter().sum::<usize>() + GUTTER * N.saturating_sub(1) > width {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => break,
        }
    }
    let cell = |(text, width): (&String, usize)| format!("{:<width$}", clipped(text, width));
    let line = |row: &[String; N]| row.iter().zip(widths).map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
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
    }

    #[test]
    fn the_widest_column_gives_way() {
        let rows = [["a".to_owned(), "model".to_owned()], ["/dev/x".to_owned(), "y".repeat(50)]];
        let lines = aligned(&rows, 30);
        assert_eq!(lines[0], "a       model");
        assert_eq!(lines[1].chars().count(), 30);
        assert!(lines[1].ends_with('…'));
    }
}
