//! A way in: command lines with places for the victim and what stands around it, and what is expected.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

use super::victims::Class;

/// What a door is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The victim stands as a target that would be written, without the right words: it must be refused.
    Refused,
    /// The victim stands as a target that is read.
    Read,
    /// The victim stands as a target with the right words: it alone may change, unless it is in use.
    Named,
    /// The victim is where a result would be written: it must be refused.
    Output,
    /// The victim is where a result is written, and the command was told to replace a file that is there.
    Replaced,
    /// The victim is read as an input, or is reached by the contents of another file or a computed name.
    Aside,
}

/// What is done, in turn.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A command of fathom.
    Run(&'static str),
    /// A command of fathom that is killed after so many milliseconds.
    Killed(&'static str, u64),
    /// Somebody writes the header of an encrypted volume to the blank device, which is the victim from then on.
    Header,
    /// Another disk, with data, comes behind the name of the blank device, or of the victim where there is none.
    Swap,
    /// The blank device must begin with the header that a command of the caller has put there in between.
    Kept,
}

/// A door. Words of a command are parted by spaces, and a middle dot stands for a space within one. The
/// places in them are those of [`Places`].
#[derive(Clone, Debug)]
pub struct Door {
    pub name: String,
    pub kind: Kind,
    pub on: &'static [Class],
    pub steps: Vec<Step>,
    /// Words that follow those of each command: options of the door, and who does it.
    pub options: &'static str,
    pub more: &'static str,
    /// Files that are there before, by name and content.
    pub files: Vec<(&'static str, &'static str)>,
    /// Name in the working folder at which the victim lies.
    pub at: Option<&'static str>,
    pub patience: Duration,
    /// No target of the command line leads to the victim.
    pub unnamed: bool,
}

pub const ALL: &[Class] = &[Class::Device, Class::File, Class::Folder];
pub const BOTH: &[Class] = &[Class::Device, Class::File];
pub const DEVICES: &[Class] = &[Class::Device];
pub const FILES: &[Class] = &[Class::File];
pub const FOLDERS: &[Class] = &[Class::Folder];

const PATIENCE: Duration = Duration::from_secs(20);

impl Door {
    /// A door of one command.
    pub fn new(name: impl Into<String>, kind: Kind, on: &'static [Class], command: &'static str) -> Self {
        Self {
            name: name.into(),
            kind,
            on,
            steps: vec![Step::Run(command)],
            options: "",
            more: "",
            files: Vec::new(),
            at: None,
            patience: PATIENCE,
            unnamed: matches!(kind, Kind::Output | Kind::Aside),
        }
    }

    pub fn with(mut self, name: &'static str, content: &'static str) -> Self {
        self.files.push((name, content));
        self
    }

    pub fn at(mut self, name: &'static str) -> Self {
        self.at = Some(name);
        self
    }

    /// One that works for long where it is let in: it is ended after so many milliseconds.
    pub fn for_ms(mut self, milliseconds: u64) -> Self {
        self.patience = Duration::from_millis(milliseconds);
        self
    }

    pub fn named_after_all(mut self) -> Self {
        self.unnamed = false;
        self
    }

    /// Whether somebody comes in between its commands.
    pub fn has_turns(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Header | Step::Swap | Step::Kept))
    }

    /// All text in which places may stand.
    fn texts(&self) -> impl Iterator<Item = &'static str> {
        let commands = self.steps.iter().filter_map(|step| match step {
            Step::Run(command) | Step::Killed(command, _) => Some(*command),
            Step::Header | Step::Swap | Step::Kept => None,
        });
        commands.chain(self.files.iter().map(|(_, content)| *content))
    }

    /// Whether a place stands anywhere in it.
    pub fn uses(&self, place: &str) -> bool {
        self.texts().any(|text| text.contains(place))
    }
}

/// What stands for the places of a door.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `{V}`: a path of the victim, by any of its names.
    pub victim: OsString,
    /// `{P}`: its plain path.
    pub plain: OsString,
    /// `{E}`: the plain path with fio's escapes before colons.
    pub escaped: OsString,
    /// `{D}` and `{N}`: the folder it lies in, and its name there; `{M}`: the name with fio's escapes before colons,
    /// without which it names other files.
    pub folder: OsString,
    pub name: OsString,
    /// `{W}`: the words that permit its loss; `{X}`: words that are almost those.
    pub words: OsString,
    pub wrong: OsString,
    /// `{B}`: a blank device.
    pub blank: OsString,
}

impl Places {
    fn find(&self, name: &str) -> Option<OsString> {
        Some(match name {
            "V" => self.victim.clone(),
            "P" => self.plain.clone(),
            "E" => self.escaped.clone(),
            "D" => self.folder.clone(),
            "N" => self.name.clone(),
            "M" => escaped(&self.name),
            "W" => self.words.clone(),
            "X" => self.wrong.clone(),
            "B" => self.blank.clone(),
            _ => return None,
        })
    }

    /// A text with its places filled.
    pub fn fill(&self, text: &str) -> OsString {
        let mut filled = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('{') {
            let place = rest[start..].find('}').and_then(|end| {
                self.find(&rest[start + 1..start + end]).map(|value| (value, start + end + 1))
            });
            let (value, after) = place.unwrap_or_else(|| (OsString::from("{"), start + 1));
            filled.extend_from_slice(&rest.as_bytes()[..start]);
            filled.extend_from_slice(value.as_bytes());
            rest = &rest[after..];
        }
        filled.extend_from_slice(rest.as_bytes());
        OsString::from_vec(filled)
    }

    /// The words of a command.
    pub fn words(&self, command: &str) -> Vec<OsString> {
        command.split_whitespace().map(|word| self.fill(&word.replace('·', " "))).collect()
    }
}

/// A command line as a shell takes it.
pub fn quoted(words: &[OsString]) -> String {
    let quote = |word: &OsString| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-=:,+%@".contains(byte);
        let bytes = word.as_bytes();
        if !bytes.is_empty() && bytes.iter().all(plain) {
            return word.to_string_lossy().into_owned();
        }
        if bytes.iter().all(|byte| (b' '..0x7f).contains(byte) && *byte != b'\'') {
            return format!("'{}'", word.to_string_lossy());
        }
        let escape = |byte: &u8| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..0x7f => char::from(*byte).to_string(),
            byte => format!("\\x{byte:02x}"),
        };
        let escaped: String = bytes.iter().map(escape).collect();
        format!("$'{escaped}'")
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// A path with fio's escapes before its colons.
pub fn escaped(path: &OsStr) -> OsString {
    let mut bytes = Vec::new();
    for byte in path.as_bytes() {
        if *byte == b':' {
            bytes.push(b'\\');
        }
        bytes.push(*byte);
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_word_by_word() {
        let places = Places {
            victim: "v ictim".into(),
            words: "w".into(),
            name: OsString::from_vec(vec![b'n', 0xff]),
            ..Places::default()
        };
        let words = places.words("run --target {V} --destroy={W}x {N} {Q} a·b {");
        assert_eq!(quoted(&words), "run --target 'v ictim' --destroy=wx $'n\\xff' '{Q}' 'a b' '{'");
        assert_eq!(escaped(OsStr::new("/a:b:c")), "/a\\:b\\:c");
        let door = Door::new("d", Kind::Aside, ALL, "run {V}").with("f", "x={B}");
        assert_eq!(Places { name: "a:b".into(), ..Places::default() }.fill("{M}"), "a\\:b");
        assert!(door.uses("{B}") && door.uses("{V}") && !door.uses("{W}"));
    }
}
