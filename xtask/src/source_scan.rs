//! Splits Rust source into code and comments, without parsing it.

/// A source in layers, each as long as the source, with line ends kept and blanks elsewhere.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The code, the contents of strings and characters blanked.
    pub code: String,
    /// The comments alone.
    pub comments: String,
    /// What stands between quotes, with the quotes.
    pub literals: String,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// Line of the `fn`, from 1.
    pub first_line: usize,
    /// Line of the closing brace.
    pub last_line: usize,
    /// Part of a test module, or a test.
    pub test: bool,
}

/// What a `cfg` says of operating systems.
const PLATFORMS: [&str; 4] = ["target_os", "target_family", "unix", "windows"];

/// Which layer a character belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Code,
    Comment,
    Literal,
}

pub fn scan(source: &str) -> Scan {
    let letters: Vec<char> = source.chars().collect();
    let mut layers = vec![Layer::Code; letters.len()];
    let mut at = 0;
    while at < letters.len() {
        let (end, layer) = match letters[at] {
            '/' if letters.get(at + 1) == Some(&'/') => (line_end(&letters, at), Layer::Comment),
            '/' if letters.get(at + 1) == Some(&'*') => (block_end(&letters, at), Layer::Comment),
            '"' => (string_end(&letters, at + 1), Layer::Literal),
            'r' if !is_word(&letters, at.wrapping_sub(1)) || is_byte_prefix(&letters, at) => {
                match raw_string_end(&letters, at) {
                    Some(end) => (end, Layer::Literal),
                    None => (at + 1, Layer::Code),
                }
            }
            '\'' => match character_end(&letters, at) {
                Some(end) => (end, Layer::Literal),
                None => (at + 1, Layer::Code),
            },
            _ => (at + 1, Layer::Code),
        };
        let end = end.min(letters.len());
        layers[at..end].fill(layer);
        at = end;
    }
    let only = |wanted: Layer| -> String {
        let pairs = letters.iter().zip(&layers);
        pairs.map(|(c, layer)| if *c == '\n' || *layer == wanted { *c } else { ' ' }).collect()
    };
    Scan { code: only(Layer::Code), comments: only(Layer::Comment), literals: only(Layer::Literal) }
}

fn is_word(letters: &[char], at: usize) -> bool {
    letters.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_')
}

/// Whether the `r` at this place belongs to `br` or `cr`.
fn is_byte_prefix(letters: &[char], at: usize) -> bool {
    at > 0 && matches!(letters[at - 1], 'b' | 'c') && (at < 2 || !is_word(letters, at - 2))
}

fn line_end(letters: &[char], from: usize) -> usize {
    letters[from..].iter().position(|c| *c == '\n').map_or(letters.len(), |length| from + length)
}

fn block_end(letters: &[char], from: usize) -> usize {
    let mut depth = 0;
    let mut at = from;
    while at + 1 < letters.len() {
        match (letters[at], letters[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    letters.len()
}

fn string_end(letters: &[char], from: usize) -> usize {
    let mut at = from;
    while at < letters.len() {
        match letters[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    letters.len()
}

/// The end of `r"..."` or `r#"..."#`; `None` for anything else that starts with `r`.
fn raw_string_end(letters: &[char], from: usize) -> Option<usize> {
    let hashes = letters[from + 1..].iter().take_while(|c| **c == '#').count();
    let open = from + 1 + hashes;
    if letters.get(open) != Some(&'"') {
        return None;
    }
    let closes = |at: usize| {
        letters[at] == '"' && letters[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    let close = (open + 1..letters.len()).find(|at| closes(*at));
    Some(close.map_or(letters.len(), |at| at + 1 + hashes))
}

/// The end of `'x'`; `None` for a lifetime.
fn character_end(letters: &[char], from: usize) -> Option<usize> {
    match letters.get(from + 1)? {
        '\\' => {
            let close = letters.get(from + 3..)?.iter().position(|c| *c == '\'')?;
            Some(from + 3 + close + 1)
        }
        _ => (letters.get(from + 2) == Some(&'\'')).then_some(from + 3),
    }
}

/// The line, from 1, that holds a byte of a text.
pub fn line_of(text: &str, byte: usize) -> usize {
    1 + text.as_bytes()[..byte].iter().filter(|b| **b == b'\n').count()
}

/// Bytes at which a word stands by itself.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !letter(code[..*at].chars().next_back()) && !letter(code[*at + word.len()..].chars().next())
    })
}

/// The name at the start of a text, after blanks.
pub fn name(code: &str) -> &str {
    let code = code.trim_start();
    let end = code.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(code.len());
    &code[..end]
}

/// The byte behind the brace that closes the one at `open`.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return open + at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The brace that opens a body, unless a `;` at the same level ends the item before.
fn body(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in code[from..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(from + at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The attributes and words directly before a byte.
pub fn attributes(code: &str, at: usize) -> &str {
    let start = code[..at].rfind([';', '}', '{']).map_or(0, |end| end + 1);
    &code[start..at]
}

/// Whether the attributes and words directly before a byte hold a text.
pub fn has_attribute(code: &str, at: usize, attribute: &str) -> bool {
    attributes(code, at).replace(' ', "").contains(attribute)
}

/// Whether attributes ask which operating system it is.
pub fn asks_platform(attributes: &str) -> bool {
    let asks = ["cfg", "cfg_attr"].iter().any(|word| words(attributes, word).next().is_some());
    asks && PLATFORMS.iter().any(|word| words(attributes, word).next().is_some())
}

/// Byte ranges of inline modules, functions and blocks of methods that only tests have.
pub fn test_ranges(code: &str) -> Vec<std::ops::Range<usize>> {
    ["mod", "fn", "impl"]
        .into_iter()
        .flat_map(|kind| words(code, kind))
        .filter(|at| has_attribute(code, *at, "#[cfg(test)]"))
        .filter_map(|at| body(code, at).map(|open| at..closing(code, open)))
        .collect()
}

/// Every function with a body, nested ones too.
pub fn functions(code: &str) -> Vec<Function> {
    let tests = test_ranges(code);
    let mut found = Vec::new();
    for at in words(code, "fn") {
        let name = name(&code[at + 2..]);
        if name.is_empty() {
            continue;
        }
        let Some(open) = body(code, at) else { continue };
        found.push(Function {
            name: name.to_owned(),
            first_line: line_of(code, at),
            last_line: line_of(code, closing(code, open).saturating_sub(1)),
            test: tests.iter().any(|range| range.contains(&at)) || has_attribute(code, at, "#[test]"),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_are_not_code() {
        let source = "let a = \"// {\\\" x\"; // end {\n/* a /* b */ { */ let b = r#\"} \" \"#; let c = '{';\n\
                      fn f<'a>(x: &'a str) -> char { '\\'' } let d = br\"{\"; let r = 1; var\"{\"";
        let scan = scan(source);
        assert_eq!(scan.code.matches('{').count(), 1, "{}", scan.code);
        assert_eq!(scan.code.matches('}').count(), 1);
        assert!(scan.code.contains("fn f<'a>(x: &'a str) -> char"));
        assert!(scan.code.contains("let r = 1;"));
        assert!(scan.comments.contains("// end {"));
        assert_eq!(scan.code.lines().count(), source.lines().count());
    }

    #[test]
    fn functions_are_measured_and_tests_known() {
        let source = "trait T { fn none(&self); }\nfn one(x: [u8; 4]) -> fn(u8)\n{\n  fn two() {}\n}\n\
                      #[cfg(test)]\nmod tests {\n #[test]\n fn three() {\n }\n}\n#[test]\nfn four() {}\n\
                      #[cfg(test)]\nimpl A {\n fn five() {}\n}\n";
        let found: Vec<_> = functions(&scan(source).code)
            .into_iter()
            .map(|f| (f.name, f.first_line, f.last_line, f.test))
            .collect();
        let expected = [
            ("one", 2, 5, false),
            ("two", 4, 4, false),
            ("three", 9, 10, true),
            ("four", 13, 13, true),
            ("five", 16, 16, true),
        ];
        assert_eq!(found, expected.map(|(n, a, b, t)| (n.to_owned(), a, b, t)));
    }

    #[test]
    fn torn_sources_end_where_they_end() {
        for source in
            ["\"", "'", "'\\", "/*", "r#\"", "r", "br#", "fn", "fn a(", "fn a() {", "//", "é'é", "b'"]
        {
            let scan = scan(source);
            functions(&scan.code);
            assert_eq!(scan.code.chars().count(), source.chars().count());
        }
    }
}
