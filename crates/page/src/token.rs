//! A secret that a browser shows to be let in.

use std::{fmt, io};

use subtle::ConstantTimeEq;

use crate::page_server::{PageError, PageErrorKind};

/// Bytes of a drawn secret: 128 bits.
const BYTES: usize = 16;
/// Letters of a secret that somebody chose, at least: as many as a drawn one has.
const LETTERS_MIN: usize = 2 * BYTES;
/// And at most.
const LETTERS_MAX: usize = 512;

/// A secret of letters and digits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one of 128 bits.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn draw() -> io::Result<Self> {
        let mut bytes = [0u8; BYTES];
        let failed = |error: getrandom::Error| match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::other(error.to_string()),
        };
        getrandom::fill(&mut bytes).map_err(failed)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// One that was chosen, without the white space around it.
    ///
    /// # Errors
    /// When it is shorter than a drawn one, longer than 512 letters, or has other signs than letters and digits.
    pub fn chosen(text: &str) -> Result<Self, PageError> {
        let refuse = |cause: String| Err(PageError::new(PageErrorKind::Token, "the token", cause));
        let text = text.trim();
        if !(LETTERS_MIN..=LETTERS_MAX).contains(&text.len()) {
            return refuse(format!("a token has {LETTERS_MIN} to {LETTERS_MAX} letters and digits"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return refuse("a token has letters and digits only".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    /// The secret itself, for whom it is meant.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether it is this one; how long that takes says nothing about where they differ.
    pub(crate) fn is(&self, other: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(other).into()
    }
}

impl fmt::Debug for Token {
    /// Says nothing of the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_tokens_differ_and_only_themselves_are_themselves() {
        let (one, other) = (Token::draw().unwrap(), Token::draw().unwrap());
        assert_eq!(one.reveal().len(), LETTERS_MIN);
        assert_ne!(one.reveal(), other.reveal());
        assert!(one.is(one.reveal().as_bytes()) && !one.is(other.reveal().as_bytes()));
        assert!(!one.is(b"") && !one.is(&one.reveal().as_bytes()[..31]));
        assert_eq!(format!("{one:?}"), "Token(..)");
    }

    #[test]
    fn chosen_tokens_are_long_and_plain() {
        let long = "a".repeat(32);
        assert!(Token::chosen(&format!("{long}\n")).unwrap().is(long.as_bytes()));
        for odd in ["", "short", &"a".repeat(31), &"a".repeat(513), &format!("{long}\";")] {
            assert!(Token::chosen(odd).is_err(), "{odd}");
        }
    }
}
