//! The words of a command as one line for a shell, for whoever reads what the command made.
//!
//! A record is passed on: permission to destroy data and credentials are no part of the line.

use std::ffi::{OsStr, OsString};

use fathom_record::{shell_bytes, shell_word};

/// The flag that permits the loss of data.
const PERMIT: &str = "--destroy";

/// The line that asks for the same, from the words with the program's name first.
pub fn line(words: &[OsString]) -> String {
    let mut line = "fathom".to_owned();
    let mut words = words.iter().skip(1);
    let mut only_values = false;
    while let Some(word) = words.next() {
        only_values |= word == "--";
        if !only_values && is_permit(word) {
            if word == PERMIT {
                words.next();
            }
            continue;
        }
        line.push(' ');
        line.push_str(&quoted(word));
    }
    line
}

/// Whether it is the flag, with its value bound to it or in the next word.
fn is_permit(word: &OsStr) -> bool {
    let behind = word.as_encoded_bytes().strip_prefix(PERMIT.as_bytes());
    behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
}

/// The word as a shell reads it. Of a name that is not UTF-8 nothing is taken away: it is no address.
fn quoted(word: &OsStr) -> String {
    match word.to_str() {
        Some(text) => shell_word(&without_credentials(text)),
        None => shell_bytes(word.as_encoded_bytes()),
    }
}

/// The text with each address in it as `scheme://host` in place of `scheme://user:password@host`.
pub fn without_credentials(text: &str) -> String {
    let mut parts = text.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let authority = &part[..part.find(['/', '?', '#']).unwrap_or(part.len())];
        let host = authority.rfind('@').map_or(0, |at| at + 1);
        out.push_str("://");
        out.push_str(&part[host..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> String {
        line(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_quoted_and_the_program_has_its_own_name() {
        assert_eq!(of(&["target/debug/fathom", "profile", "my disk.csv"]), "fathom profile 'my disk.csv'");
        assert_eq!(of(&["fathom", "analyse", "last", "--md=a.md"]), "fathom analyse last --md=a.md");
    }

    #[test]
    fn permission_to_destroy_data_is_left_out() {
        let sized: &[&str] = &["fathom", "size", "d.csv", "--run"];
        for permit in
            [["--destroy", "S1"].as_slice(), &["--destroy=S1"], &["--destroy", "S1", "--destroy=S2"]]
        {
            assert_eq!(
                of(&[sized, permit, &["--check-empty"]].concat()),
                "fathom size d.csv --run --check-empty"
            );
        }
        // Behind two hyphens stand files.
        assert_eq!(of(&["fathom", "profile", "--", "--destroy", "x"]), "fathom profile -- --destroy x");
    }

    #[test]
    fn addresses_lose_who_asks() {
        for (text, kept) in [
            ("http://a:b@host:9090/p", "http://host:9090/p"),
            ("--prometheus=https://a:p%40@host", "--prometheus=https://host"),
            ("https://token@host?x=a@b", "https://host?x=a@b"),
            ("https://a:b@c@host#x", "https://host#x"),
            ("http://host/a@b", "http://host/a@b"),
            ("http://a:b@x,http://c:d@y", "http://x,http://y"),
            ("user@host:/data", "user@host:/data"),
            ("://@", "://"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(text), kept, "{text}");
        }
    }
}
