//! Makes text from people and devices harmless in each medium.

use fathom_record::shell::is_obeyed;

use crate::layout::plain;

/// A finished page without such characters; line ends stay.
pub fn page(html: &str) -> String {
    html.chars().map(|c| if c != '\n' && is_obeyed(c) { '\u{fffd}' } else { c }).collect()
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
}
