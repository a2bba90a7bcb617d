//! Characters that documents make of hyphens and spaces, found before they are misread.

use std::ffi::OsString;

use super::error::{PlanError, PlanErrorKind};
use super::{raw_plan, suggest};

/// The name of a dash that is not the ASCII hyphen.
fn dash(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2010}' | '\u{2011}' => "a typographic hyphen",
        '\u{2012}' => "a figure dash",
        '\u{2013}' => "an en dash",
        '\u{2014}' | '\u{2015}' => "an em dash",
        '\u{2212}' => "a minus sign",
        '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "a wide hyphen",
        '\u{00ad}' => "a soft hyphen",
        _ => return None,
    })
}

/// The name of a space that is not the ASCII one, or of a character without width.
fn space(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{00a0}' | '\u{202f}' => "a non-breaking space",
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{feff}' | '\u{2060}' => "an invisible character",
        '\u{2000}'..='\u{200a}' | '\u{205f}' | '\u{3000}' => "a typographic space",
        _ => return None,
    })
}

/// The first such character in a text with its name, and the text as it was meant.
pub(super) fn find(text: &str) -> Option<(&'static str, String)> {
    let name = text.chars().find_map(|c| dash(c).or_else(|| space(c)))?;
    let meant = text.chars().filter_map(|c| match (dash(c), space(c)) {
        (Some(_), _) => Some('-'),
        (_, Some("an invisible character")) => None,
        (_, Some(_)) => Some(' '),
        _ => Some(c),
    });
    Some((name, meant.collect::<String>().trim().to_owned()))
}

/// Refuses arguments that a document has changed (`–rw`), flags with one hyphen (`-rw`), and flags of
/// other tools (`--iodepth`), and says what to type. Everything behind `--` is left alone, and so are
/// arguments without a dash in front: a file's name may hold any character.
///
/// # Errors
/// The first such argument.
pub fn check_arguments(arguments: &[OsString]) -> Result<(), PlanError> {
    let keys = raw_plan::keys();
    for argument in arguments {
        let text = argument.to_string_lossy();
        if text == "--" {
            break;
        }
        let is_dash = |c: char| c == '-' || dash(c).is_some();
        let name = text.trim_start_matches(is_dash);
        let dashes = &text[..text.len() - name.len()];
        if dashes.is_empty() || name.is_empty() {
            continue;
        }
        let refuse = |kind, cause: String, meant: String| {
            Err(PlanError::new(kind, text.to_string(), cause).with_remedy(format!("type `{meant}`")))
        };
        let hyphens = if name.chars().count() == 1 { "-" } else { "--" };
        if let Some(which) = dashes.chars().find_map(dash) {
            let meant = find(name).map_or(name.to_owned(), |(_, meant)| meant);
            return refuse(
                PlanErrorKind::Pasted,
                format!("starts with {which}, as documents make of two hyphens"),
                format!("{hyphens}{meant}"),
            );
        }
        let flag = name.split(['=', ' ']).next().unwrap_or(name);
        if let Some((which, meant)) = find(flag) {
            return refuse(PlanErrorKind::Pasted, format!("holds {which}"), format!("--{meant}"));
        }
        if dashes == "-" && flag.len() > 1 && keys.iter().any(|key| key == flag) {
            return refuse(
                PlanErrorKind::UnknownName,
                "a long flag has two hyphens".to_owned(),
                format!("--{name}"),
            );
        }
        if dashes == "--"
            && !keys.iter().any(|key| key == flag)
            && let Some(here) = suggest::foreign(flag)
        {
            let here = here.replacen('`', "`--", 1);
            let remedy = if here.starts_with('`') { format!("here it is {here}") } else { here };
            let error = PlanError::new(PlanErrorKind::UnknownName, text.to_string(), "unknown flag");
            return Err(error.with_remedy(remedy));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str]) -> Result<(), String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        check_arguments(&arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn pasted_dashes_are_named_with_what_to_type() {
        let cases = [
            ("–rw", "–rw: starts with an en dash, as documents make of two hyphens\n  type `--rw`"),
            ("—bs=4k", "—bs=4k: starts with an em dash, as documents make of two hyphens\n  type `--bs=4k`"),
            (
                "−depth",
                "−depth: starts with a minus sign, as documents make of two hyphens\n  type `--depth`",
            ),
            ("-–rw", "-–rw: starts with an en dash, as documents make of two hyphens\n  type `--rw`"),
            ("–h", "–h: starts with an en dash, as documents make of two hyphens\n  type `-h`"),
            ("--read–share", "--read–share: holds an en dash\n  type `--read-share`"),
            ("--rw\u{a0}read", "--rw\u{a0}read: holds a non-breaking space\n  type `--rw read`"),
            ("-rw", "-rw: a long flag has two hyphens\n  type `--rw`"),
            ("--iodepth=8", "--iodepth=8: unknown flag\n  here it is `--depth`"),
        ];
        for (argument, message) in cases {
            assert_eq!(check(&["run", argument]), Err(message.to_owned()), "{argument}");
        }
    }

    #[test]
    fn everything_that_can_be_meant_passes() {
        assert_eq!(check(&["run", "--rw", "randread", "-h", "--bs=4k", "-", "a–b", "--", "–rw"]), Ok(()));
        assert_eq!(check(&["run", "--target", "Müller – Daten", "--target=Müller\u{a0}2"]), Ok(()));
    }

    #[test]
    fn values_are_given_back_as_they_were_meant() {
        assert_eq!(find("4k–64k"), Some(("an en dash", "4k-64k".to_owned())));
        assert_eq!(find("\u{feff}4k"), Some(("an invisible character", "4k".to_owned())));
        assert_eq!(find("10µs"), None);
    }
}
