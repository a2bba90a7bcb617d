//! Words of a command line from any text, so that what is printed to be typed means exactly that text.

/// What stands in a line for the credentials of an address, which no record keeps.
pub const CREDENTIALS_PLACEHOLDER: &str = "USER:PASSWORD@";

/// Whether a terminal would obey a character rather than show it: controls, and what turns the direction of
/// text. Names of files and what devices say of themselves may hold any.
pub fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character stands for itself in a word without quotes.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./:=,%+-@".contains(c)
}

/// One word of a shell's command, in quotes where it needs them. What a terminal would obey stands as the
/// numbers of its bytes in `$'...'`, which bash, zsh, ksh and POSIX shells since 2024 read.
pub fn shell_word(word: &str) -> String {
    shell_bytes(word.as_bytes())
}

/// The same of a name that need not be UTF-8: bytes that are none stand as their numbers too.
pub fn shell_bytes(word: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(word) {
        if !text.is_empty() && text.chars().all(is_plain) {
            return text.to_owned();
        }
        if !text.chars().any(is_obeyed) {
            return format!("'{}'", text.replace('\'', r"'\''"));
        }
    }
    let mut out = String::from("$'");
    for chunk in word.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                c if is_obeyed(c) => push_numbers(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => out.push(c),
            }
        }
        push_numbers(&mut out, chunk.invalid());
    }
    out + "'"
}

fn push_numbers(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        out.push_str(&format!("\\x{byte:02x}"));
    }
}

/// The words of a line that [`shell_word`] wrote, as a shell reads them; `None` for what it never writes, such as a
/// variable, a pipe or an open quote, and for words that are not UTF-8.
pub fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut letters = line.chars().peekable();
    while letters.peek().is_some() {
        if letters.next_if_eq(&' ').is_some() {
            continue;
        }
        let mut word = Vec::new();
        while let Some(c) = letters.next_if(|c| *c != ' ') {
            match c {
                '\'' => quoted(&mut letters, &mut word)?,
                '$' => {
                    letters.next_if_eq(&'\'')?;
                    escaped(&mut letters, &mut word)?;
                }
                // How a quote stands between two stretches in quotes.
                '\\' => push(&mut word, letters.next_if_eq(&'\'')?),
                c if is_plain(c) => push(&mut word, c),
                _ => return None,
            }
        }
        words.push(word);
    }
    words.into_iter().map(|word| String::from_utf8(word).ok()).collect()
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn push(word: &mut Vec<u8>, c: char) {
    word.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Up to the end of `'...'`.
fn quoted(letters: &mut Letters<'_>, word: &mut Vec<u8>) -> Option<()> {
    loop {
        match letters.next()? {
            '\'' => return Some(()),
            c => push(word, c),
        }
    }
}

/// Up to the end of `$'...'`.
fn escaped(letters: &mut Letters<'_>, word: &mut Vec<u8>) -> Option<()> {
    loop {
        match letters.next()? {
            '\'' => return Some(()),
            '\\' => match letters.next()? {
                'x' => {
                    let mut digit = || letters.next()?.to_digit(16);
                    word.push((digit()? * 16 + digit()?) as u8);
                }
                c @ ('\'' | '\\') => push(word, c),
                _ => return None,
            },
            c => push(word, c),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const HOSTILE: [&[u8]; 11] = [
        b"a\nb",
        b"./esc\x1b[31mred",
        b"\x7f7f",
        "\u{85}next".as_bytes(),
        b"my disk's",
        b"a\\b\tc'd",
        b"-rf *",
        "\u{202e}gnp.exe".as_bytes(),
        b"$(reboot) `reboot` \x07",
        b"latin \xe9t\xe9",
        b"\xff",
    ];

    #[test]
    fn plain_words_stay_as_they_are() {
        assert_eq!(shell_word("/dev/nvme0n1"), "/dev/nvme0n1");
        assert_eq!(shell_word("my disk's"), r"'my disk'\''s'");
        assert_eq!(shell_word("a\nb"), r"$'a\x0ab'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn what_is_written_reads_back_and_nothing_else_is_read() {
        let words: Vec<String> =
            HOSTILE.iter().filter_map(|word| String::from_utf8(word.to_vec()).ok()).collect();
        let line: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
        assert_eq!(
            shell_words(&format!("fathom run --target={}", line.join(" "))).map(|mut read| {
                read.drain(..2);
                read
            }),
            Some([format!("--target={}", words[0])].into_iter().chain(words[1..].to_vec()).collect())
        );
        assert_eq!(shell_words("  a  '' "), Some(vec!["a".to_owned(), String::new()]));
        for line in [
            "a $HOME", "a | b", "a 'b", "a; b", "`a`", "a\\ b", "$'a\\n'", "$'\\xff'", "$'\\x1", "a > b", "*",
        ] {
            assert_eq!(shell_words(line), None, "{line}");
        }
    }

    #[test]
    fn bash_reads_each_word_back_and_nothing_in_it_is_obeyed() {
        for word in HOSTILE {
            let typed = shell_bytes(word);
            assert!(!typed.chars().any(is_obeyed), "{typed}");
            let Ok(read) = Command::new("bash").args(["-c", &format!("printf %s {typed}")]).output() else {
                fathom_skips::skipped("no bash");
                return;
            };
            assert_eq!(read.stdout, word, "{typed}");
        }
    }
}
