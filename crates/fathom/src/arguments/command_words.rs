//! The words of a command as one line for a shell, for whoever reads what the command made.
//!
//! A record is passed on: permission to destroy data is no part of the line, and a placeholder stands for credentials.

use std::ffi::{OsStr, OsString};

use fathom_demand::with_placeholder;
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
        Some(text) => shell_word(&with_placeholder(text)),
        None => shell_bytes(word.as_encoded_bytes()),
    }
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
    fn a_placeholder_stands_for_credentials() {
        assert_eq!(
            of(&["fathom", "profile", "--prometheus", "http://reader:it's/@m:9090/a b"]),
            "fathom profile --prometheus 'http://USER:PASSWORD@m:9090/a b'"
        );
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
}
