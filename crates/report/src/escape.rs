//! Makes text from people and devices harmless in each medium.

/// Whether a terminal would obey a character, or it would turn a line around.
fn obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A finished page without such characters; line ends stay.
pub fn page(html: &str) -> String {
    html.chars().map(|c| if c != '\n' && obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// One line of text in which such characters are `U+FFFD`.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == '\n' || c == '\t' {
                ' '
            } else if obeyed(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Text inside an XML element or a double-quoted attribute.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Text in a line or a table cell of Markdown that stays text.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    // A bare address would become a link.
    out.replace("://", ":&#47;/").replace("www.", "www&#46;")
}

/// Text as a block of code, behind a fence that the text itself cannot close.
pub fn markdown_code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let lines: Vec<String> = text.lines().map(plain).collect();
    format!("{fence}\n{}\n{fence}", lines.join("\n"))
}

/// One word of a POSIX shell command; control characters take bash's `$'...'` form.
pub fn shell(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_./:=,%+-@".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        return word.to_owned();
    }
    if !word.chars().any(char::is_control) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut out = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(plain("a\u{1b}[2Jb\u{202e}c\nd"), "a\u{fffd}[2Jb\u{fffd}c d");
        assert_eq!(xml("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
        assert_eq!(markdown("a|b [x](y) <i> `c`"), r"a\|b \[x\](y) &lt;i&gt; \`c\`");
        assert!(!markdown("see http://x.example").contains("http://"));
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert_eq!(markdown_code("a ```` b"), "`````\na ```` b\n`````");
        assert_eq!(markdown_code("a"), "```\na\n```");
    }

    #[test]
    fn shell_words_come_back_as_they_were() {
        assert_eq!(shell("/dev/nvme0n1"), "/dev/nvme0n1");
        assert_eq!(shell("my disk's"), r"'my disk'\''s'");
        assert_eq!(shell("a\nb"), r"$'a\u000ab'");
        assert_eq!(shell(""), "''");
    }
}
