//! Words of a command line from any text, so that what is printed to be typed means exactly that text.

/// Whether a terminal would obey a character rather than show it: controls, and what turns the direction of
/// text. Names of files and what devices say of themselves may hold any.
pub fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One word of a shell's command, in quotes where it needs them. What a terminal would obey stands as the
/// numbers of its bytes in `$'...'`, which bash, zsh, ksh and POSIX shells since 2024 read.
pub fn shell_word(word: &str) -> String {
    shell_bytes(word.as_bytes())
}

/// The same of a name that need not be UTF-8: bytes that are none stand as their numbers too.
pub fn shell_bytes(word: &[u8]) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "_./:=,%+-@".contains(c);
    if let Ok(text) = std::str::from_utf8(word) {
        if !text.is_empty() && text.chars().all(safe) {
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
