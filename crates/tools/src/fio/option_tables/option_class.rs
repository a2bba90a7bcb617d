//! What becomes of an option, and what it takes.

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// fathom does it.
    Implement,
    /// fathom does it in another way, which is told in the coverage table.
    Map,
    /// It is always so in fathom, or nothing that is measured depends on it.
    Accept,
    /// It is left out with a warning that says what changes.
    Warn,
    /// It changes the I/O and fathom cannot do it: the job goes to the installed fio.
    HandOver,
}

impl Class {
    /// The word of the tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::Map => "map",
            Self::Accept => "accept",
            Self::Warn => "warn",
            Self::HandOver => "hand-over",
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        [Self::Implement, Self::Map, Self::Accept, Self::Warn, Self::HandOver]
            .into_iter()
            .find(|class| class.word() == word)
    }
}

/// What an option's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Nothing needs to follow: the name alone is a yes.
    Flag,
    /// 0 or 1; the name alone is a yes in job files of people who take it for a flag.
    Bool,
    /// A whole number.
    Int,
    /// Bytes, with suffixes; in some options a percentage.
    Size,
    /// A time whose bare number is seconds.
    Seconds,
    /// A time whose bare number is microseconds.
    Micros,
    /// One of a few words.
    Word,
    /// Numbers between colons.
    Floats,
    /// Anything, with a grammar of its own or none.
    Text,
}

impl ArgumentKind {
    pub(super) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "flag" => Self::Flag,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "size" => Self::Size,
            "seconds" => Self::Seconds,
            "usecs" => Self::Micros,
            "word" => Self::Word,
            "floats" => Self::Floats,
            "text" => Self::Text,
            _ => return None,
        })
    }
}
