//! Decides from the reasons that were found whether a target may be written, and says it in words.
//!
//! Whoever looks at the machine lists every reason against writing; here is only the judgement, so
//! that it can be read in one place: what is in use is never written, what merely holds data is
//! written when the person names it.

use fathom_record::shell_word;
use serde::Serialize;

use super::device_mark::Mark;
use crate::{Error, ErrorKind};

/// What stands against writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// A file system on it is mounted, here or in another mount namespace.
    Mounted,
    /// The system swaps to it.
    Swap,
    /// Another block device is built on it: device-mapper, md, loop, bcache.
    Held,
    /// Another process has it open, mapped or locked, or the kernel says that it is claimed.
    InUse,
    /// A signature appeared on it after it was admitted, so that somebody else writes to it.
    Appeared,
    /// It takes no writes.
    ReadOnly,
    /// What it is could not be established, so nothing can be said to be safe.
    Unknown,
    /// A file system, member of an array or pool, encrypted container, swap space or partition table.
    Signature,
    /// Partitions that the kernel knows on it.
    Partitions,
    /// Bytes that are not zero and that no signature explains.
    UnknownData,
    /// Parts of it could not be read, so that it is unknown what they hold.
    Unreadable,
    /// A file that was there before the run.
    ExistingFile,
    /// What other processes do with it cannot be seen, so that one of them may use it.
    Unseen,
    /// Nothing was found on it, and not all of it was looked at.
    NotLookedAt,
}

impl Hold {
    /// Whether naming the target permits writing in spite of this. What is in use is not among them:
    /// writing under a mounted file system corrupts it even when its loss would be accepted.
    pub fn permission_covers(self) -> bool {
        match self {
            Self::Mounted
            | Self::Swap
            | Self::Held
            | Self::InUse
            | Self::Appeared
            | Self::ReadOnly
            | Self::Unknown => false,
            Self::Signature
            | Self::Partitions
            | Self::UnknownData
            | Self::Unreadable
            | Self::ExistingFile
            | Self::Unseen
            | Self::NotLookedAt => true,
        }
    }
}

/// One reason against writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Its kind.
    pub hold: Hold,
    /// The reason as a sentence without full stop: `/dev/vda is mounted at / (ext4)`.
    pub text: String,
    /// What to do before asking again, in place of permission where permission helps too; may be empty.
    pub first: String,
    /// Whether it may be over in a moment, as when a program only looks at a device.
    #[serde(skip)]
    pub may_pass: bool,
}

impl Reason {
    /// A reason with nothing to do about it.
    pub fn new(hold: Hold, text: impl Into<String>) -> Self {
        Self { hold, text: text.into(), first: String::new(), may_pass: false }
    }

    /// The same reason with what to do first.
    pub fn first(mut self, what: impl Into<String>) -> Self {
        self.first = what.into();
        self
    }
}

/// The words of `--destroy`: the name of what may be destroyed.
///
/// For a disk its serial number or world-wide name, for a partition that and `-part` with its number,
/// for a device without either its name and size as `fathom devices` prints them, for a file its
/// file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit(pub String);

/// What a target is called by people who permit its destruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The words that fathom asks for.
    pub words: String,
    /// Further words that name the same target just as surely.
    pub also: Vec<String>,
}

impl Identity {
    /// Whether the words name this target. Case and inner spaces count: a serial number is exact. Spaces around
    /// them are left out where the name has none.
    pub fn is_named_by(&self, permit: &Permit) -> bool {
        let trimmed = permit.0.trim();
        let same = |words: &String| *words == permit.0 || words == trimmed;
        !trimmed.is_empty() && (same(&self.words) || self.also.iter().any(same))
    }

    /// The flag as a shell takes it, without anything that a terminal would obey.
    pub fn flag(&self) -> String {
        // Words that begin like a flag are taken for one unless they are tied to theirs.
        let tie = if self.words.starts_with('-') { '=' } else { ' ' };
        format!("--destroy{tie}{}", shell_word(&self.words))
    }
}

/// Whose data a target holds, as the mark on it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FathomData {
    /// That of the very campaign which continues now, or of a file that fathom made and nobody changed since.
    Own,
    /// That of another run or campaign.
    Other(Mark),
}

/// Takes in whose data it is: fathom's own does not stand against its next write, and that of another run or
/// campaign is called by its name. What has a signature, or a use, stands in any case.
pub fn account_for(reasons: &mut Vec<Reason>, label: &str, data: &FathomData) {
    match data {
        FathomData::Own => {
            reasons.retain(|reason| !matches!(reason.hold, Hold::UnknownData | Hold::ExistingFile));
        }
        FathomData::Other(Mark { at, by, .. }) => {
            for reason in reasons.iter_mut().filter(|reason| reason.hold == Hold::UnknownData) {
                reason.text = format!("{label} holds data that fathom wrote at {at} ({by})");
            }
        }
    }
}

/// Whether writing is possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "writing")]
pub enum Verdict {
    /// It is known that nothing would be lost.
    Free,
    /// Nothing was found where it was looked, and not all was looked at: it is written once all of it was
    /// read and held nothing, or with exactly this flag.
    IfEmpty {
        /// As it is typed.
        flag: String,
    },
    /// It holds data; exactly this flag permits its destruction.
    WithPermission {
        /// As it is typed.
        flag: String,
    },
    /// Nothing permits it as things are.
    Never {
        /// What to do first; empty if nothing is known that would help.
        first: Vec<String>,
    },
}

/// What the reasons amount to.
pub fn verdict(reasons: &[Reason], identity: &Identity) -> Verdict {
    let blocking: Vec<_> = reasons.iter().filter(|reason| !reason.hold.permission_covers()).collect();
    if !blocking.is_empty() {
        return Verdict::Never { first: firsts(blocking) };
    }
    let flag = identity.flag();
    match reasons {
        [] => Verdict::Free,
        some if some.iter().all(|reason| reason.hold == Hold::NotLookedAt) => Verdict::IfEmpty { flag },
        _ => Verdict::WithPermission { flag },
    }
}

/// What to do first about any of these, each once.
fn firsts<'a>(reasons: impl IntoIterator<Item = &'a Reason>) -> Vec<String> {
    let mut first = Vec::new();
    for reason in reasons {
        if !reason.first.is_empty() && !first.contains(&reason.first) {
            first.push(reason.first.clone());
        }
    }
    first
}

/// Passes only what may be written: nothing was found, or what was found is covered and named.
///
/// # Errors
/// [`ErrorKind::Refused`] with every reason, ending in the exact words that would permit it, or in
/// what to do first when no words do. Words that name something else are refused even where none are
/// needed, since the person means another device.
pub fn admit(
    place: &str,
    reasons: &[Reason],
    identity: &Identity,
    permit: Option<&Permit>,
) -> Result<(), Error> {
    // A build that shows what the kernel's wall keeps by itself; see the feature in `Cargo.toml`.
    if cfg!(feature = "judgement-off") {
        return Ok(());
    }
    let verdict = verdict(reasons, identity);
    let misnamed = permit.filter(|permit| !identity.is_named_by(permit));
    let remedy = match (&verdict, misnamed, permit) {
        (Verdict::Free, None, _)
        | (Verdict::WithPermission { .. } | Verdict::IfEmpty { .. }, None, Some(_)) => return Ok(()),
        (Verdict::Never { first }, _, _) if first.is_empty() => {
            "it is never written to: choose another target".to_owned()
        }
        (Verdict::Never { first }, _, _) => {
            format!("not writable as it is; to free it: {}", first.join(", and "))
        }
        (Verdict::Free, Some(_), _) => {
            format!("leave --destroy out, or name the opened target: {}", identity.flag())
        }
        (Verdict::WithPermission { flag } | Verdict::IfEmpty { flag }, _, _) => {
            let mut ways = firsts(reasons);
            ways.push(format!("if all that is on the opened target may be destroyed, type exactly: {flag}"));
            ways.join("; or, ")
        }
    };
    let mut cause = String::from("refused");
    if let Some(Permit(words)) = misnamed {
        cause += &format!(", because `--destroy {words}` does not name the target that was opened");
    }
    if !reasons.is_empty() {
        cause += if misnamed.is_some() { ", and" } else { ", because" };
        for reason in reasons {
            cause += &format!("\n  - {}", reason.text);
        }
    }
    Err(Error::new(ErrorKind::Refused, place, cause).with_remedy(remedy))
}

/// What was found out about an open target.
#[derive(Debug)]
pub struct Findings {
    /// Reasons against writing it.
    pub reasons: Vec<Reason>,
    /// How permission names it.
    pub identity: Identity,
    /// Whether what it holds is fathom's own, of the campaign that continues or a file that it made.
    pub own: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity { words: "S4EW NX0R".to_owned(), also: vec!["eui.0025".to_owned()] }
    }

    fn permit(words: &str) -> Option<Permit> {
        Some(Permit(words.to_owned()))
    }

    #[test]
    fn what_is_in_use_is_refused_even_when_named() {
        for hold in [
            Hold::Mounted,
            Hold::Swap,
            Hold::Held,
            Hold::InUse,
            Hold::Appeared,
            Hold::ReadOnly,
            Hold::Unknown,
        ] {
            let reasons = [Reason::new(hold, "it is busy").first("type sudo umount /x")];
            let error = admit("writing", &reasons, &identity(), permit("S4EW NX0R").as_ref()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Refused);
            assert!(error.remedy.contains("sudo umount /x"), "{error}");
            assert!(!error.to_string().contains("--destroy"), "{error}");
        }
    }

    #[test]
    fn data_is_written_over_only_when_named_exactly() {
        let covered = [
            Hold::Signature,
            Hold::Partitions,
            Hold::UnknownData,
            Hold::Unreadable,
            Hold::ExistingFile,
            Hold::Unseen,
            Hold::NotLookedAt,
        ];
        let reasons = covered.map(|hold| Reason::new(hold, format!("{hold:?}")));
        let admit = |words: Option<Permit>| admit("writing", &reasons, &identity(), words.as_ref());
        assert!(admit(permit("S4EW NX0R")).is_ok());
        assert!(admit(permit("eui.0025")).is_ok());
        for words in [None, permit("s4ew nx0r"), permit(""), permit(" "), permit("S4EW"), permit("yes")] {
            let error = admit(words).unwrap_err();
            assert!(error.remedy.ends_with("--destroy 'S4EW NX0R'"), "{error}");
            assert!(reasons.iter().all(|reason| error.cause.contains(&reason.text)), "{error}");
        }
    }

    #[test]
    fn a_blank_target_needs_no_words_but_wrong_words_stop_it() {
        assert!(admit("writing", &[], &identity(), None).is_ok());
        assert!(admit("writing", &[], &identity(), permit("S4EW NX0R").as_ref()).is_ok());
        assert!(admit("writing", &[], &identity(), permit("OTHER").as_ref()).is_err());
    }

    #[test]
    fn what_was_not_looked_at_is_written_when_it_is_named_or_after_it_was_read() {
        let reasons = [Reason::new(Hold::NotLookedAt, "most of it is unknown").first("add --check-empty")];
        assert!(matches!(verdict(&reasons, &identity()), Verdict::IfEmpty { .. }));
        let error = admit("writing", &reasons, &identity(), None).unwrap_err();
        assert!(error.remedy.starts_with("add --check-empty; or, if all"), "{error}");
        assert!(error.remedy.ends_with("--destroy 'S4EW NX0R'"), "{error}");
        assert!(admit("writing", &reasons, &identity(), permit("S4EW NX0R").as_ref()).is_ok());
        let more = [reasons[0].clone(), Reason::new(Hold::Partitions, "it has partitions")];
        assert!(matches!(verdict(&more, &identity()), Verdict::WithPermission { .. }));
    }

    #[test]
    fn own_data_stands_against_nothing_and_covers_nothing_else() {
        let all = [Hold::Mounted, Hold::Signature, Hold::Partitions, Hold::Unreadable, Hold::UnknownData];
        let reasons = || all.map(|hold| Reason::new(hold, "x")).to_vec();
        let mut own = reasons();
        account_for(&mut own, "/dev/sdb", &FathomData::Own);
        assert_eq!(own.iter().map(|reason| reason.hold).collect::<Vec<_>>(), all[..4]);

        let (at, by) = ("2026-11-22T23:00:00Z".to_owned(), "run r-1".to_owned());
        let mark = Mark { id: crate::device_mark::MarkId::random(), device_bytes: 1, at, by };
        let mut other = reasons();
        account_for(&mut other, "/dev/sdb", &FathomData::Other(mark));
        assert_eq!(other[..4], reasons()[..4]);
        assert_eq!(other[4].text, "/dev/sdb holds data that fathom wrote at 2026-11-22T23:00:00Z (run r-1)");
        assert!(admit("writing", &other[4..], &identity(), None).unwrap_err().remedy.contains("--destroy"));
    }

    #[test]
    fn one_reason_that_blocks_outweighs_any_that_are_covered() {
        let reasons = [Reason::new(Hold::Signature, "a"), Reason::new(Hold::Mounted, "b")];
        assert!(matches!(verdict(&reasons, &identity()), Verdict::Never { .. }));
        assert!(matches!(verdict(&reasons[..1], &identity()), Verdict::WithPermission { .. }));
        assert_eq!(verdict(&[], &identity()), Verdict::Free);
    }
}
