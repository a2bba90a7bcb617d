//! Takes names of machines, serial numbers and paths out of records before they are given away: each value gets a word
//! of its own in its place, the same one everywhere, so that what was the same is still seen to be.

use std::collections::BTreeMap;

use fathom_order::InOrder;
use serde_json::Value;

/// What is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PrivatePart {
    /// Names and addresses of machines.
    Host,
    /// Serial numbers and world-wide names of devices.
    Serial,
    /// Paths of files and folders, but for those of the kernel: `/dev/NAME`, `/sys` and `/proc`.
    Path,
}

/// Fields and facts whose values name a machine.
const HOSTS: [&str; 5] = ["host", "hostname", "address", "traddr", "host_traddr"];
/// Fields and facts whose values name one device among all.
const SERIALS: [&str; 12] = [
    "serial",
    "wwid",
    "wwn",
    "wwpn",
    "nguid",
    "eui64",
    "uuid",
    "nqn",
    "subnqn",
    "subsystem",
    "hostnqn",
    "hostid",
];
/// Fields that are a path as a whole, spaces in it included.
const PATHS: [&str; 4] = ["file", "name", "mount_point", "target"];
/// A value that is shorter is replaced where nothing else stands: within a text it could be any word.
const SHORT: usize = 2;

/// Documents that belong together, with these taken out of all of them.
pub fn redacted(documents: Vec<Value>, kinds: &[PrivatePart]) -> Vec<Value> {
    let mut redaction = Redaction::of(kinds);
    documents.iter().for_each(|document| redaction.learn(document));
    documents.into_iter().map(|document| redaction.apply(document)).collect()
}

/// Values with what stands in their place.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    kinds: Vec<PrivatePart>,
    words: BTreeMap<String, String>,
    counts: BTreeMap<PrivatePart, usize>,
}

impl Redaction {
    /// One that takes these out.
    pub(crate) fn of(kinds: &[PrivatePart]) -> Self {
        Self { kinds: kinds.to_vec(), ..Self::default() }
    }

    /// Notes every value in a document that is to be taken out of all of them.
    pub(crate) fn learn(&mut self, document: &Value) {
        self.look(document, "");
    }

    /// Notes the paths in a text of people.
    pub(crate) fn learn_text(&mut self, text: &str) {
        self.look(&Value::from(text), "");
    }

    fn look(&mut self, value: &Value, key: &str) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.look(value, key)),
            Value::Object(fields) => {
                // A fact bears its name in a field.
                let fact =
                    fields.get("name").and_then(Value::as_str).filter(|_| fields.contains_key("value"));
                // A client is known by the machine that it is on, and a file by its path, be it a relative one.
                let is_client = fields.contains_key("reach");
                let is_file = fields.get("kind").is_some_and(|kind| kind == "file");
                for (name, value) in fields {
                    match (name.as_str(), fact) {
                        ("value", Some(fact)) => self.look(value, fact),
                        ("name" | "reach", _) if is_client => self.look(value, HOSTS[0]),
                        ("name", _) if is_file => self.look(value, PATHS[0]),
                        (name, _) => self.look(value, name),
                    }
                }
            }
            Value::String(text) => self.look_at_text(text, key),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn look_at_text(&mut self, text: &str, key: &str) {
        if HOSTS.contains(&key) {
            for name in hosts_in(text) {
                self.add(PrivatePart::Host, name);
            }
        }
        if let Some((_, rest)) = text.split_once("://") {
            // A target on another machine: everything up to the port and the path is that machine's.
            let authority = rest.split(['/', '?']).next().unwrap_or_default();
            hosts_in(authority).into_iter().for_each(|name| self.add(PrivatePart::Host, name));
            if let Some(name) = rest.split(['/', '?']).nth(1).filter(|name| name.starts_with("nqn.")) {
                self.add(PrivatePart::Serial, name);
            }
        }
        if SERIALS.contains(&key) {
            self.add(PrivatePart::Serial, text.trim());
        }
        let is_whole = text.starts_with('/') || begins_with_drive(text);
        if key == PATHS[0] || PATHS.contains(&key) && !paths_in(text).is_empty() && is_whole {
            self.add(PrivatePart::Path, text.trim());
        }
        paths_in(text).into_iter().for_each(|path| self.add(PrivatePart::Path, path));
    }

    fn add(&mut self, kind: PrivatePart, value: &str) {
        if value.is_empty() || !self.kinds.contains(&kind) || self.words.contains_key(value) {
            return;
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let word = match kind {
            PrivatePart::Host => "host",
            PrivatePart::Serial => "serial",
            PrivatePart::Path => "path",
        };
        self.words.insert(value.to_owned(), format!("{word}-{count}"));
    }

    /// A document with everything replaced.
    pub(crate) fn apply(&self, document: Value) -> Value {
        match document {
            Value::Array(values) => values.into_iter().map(|value| self.apply(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.apply(value))).collect()
            }
            Value::String(text) => Value::from(self.apply_text(&text)),
            other => other,
        }
    }

    /// A text with everything replaced, the longest values first.
    pub(crate) fn apply_text(&self, text: &str) -> String {
        let mut words: Vec<(&String, &String)> = self.words.iter().collect();
        words.put_in_order_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        let mut text = text.to_owned();
        for (value, word) in words {
            if text == *value {
                return word.clone();
            }
            if value.chars().count() >= SHORT {
                text = replaced(&text, value, word);
            }
        }
        text
    }
}

/// The text with a value replaced wherever it is not part of a longer name.
fn replaced(text: &str, value: &str, word: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(value) {
        let (before, behind) = (&rest[..at], &rest[at + value.len()..]);
        let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let last = before.chars().next_back().or_else(|| out.chars().next_back());
        let is_whole = !joins(last.filter(|_| !value.starts_with('/'))) && !joins(behind.chars().next());
        out += before;
        out += if is_whole { word } else { value };
        rest = behind;
    }
    out + rest
}

/// A machine as it is written, and without what stands around its name: `ssh:ann@c1`, `10.0.0.5:4420`, `c1.example`.
fn hosts_in(text: &str) -> Vec<&str> {
    let text = text.trim();
    let name = text.strip_prefix("ssh:").unwrap_or(text);
    let name = name.rsplit('@').next().unwrap_or(name);
    let name = match name.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|digit| digit.is_ascii_digit()) && !host.contains(':') => host,
        _ => name,
    };
    let name = name.strip_prefix('[').map_or(name, |name| name.split(']').next().unwrap_or(name));
    let is_number = name.split('.').all(|part| part.chars().all(|digit| digit.is_ascii_digit()));
    let first = name.split('.').next().filter(|_| !is_number && !name.starts_with("nqn."));
    [Some(text), Some(name), first].into_iter().flatten().filter(|name| !name.is_empty()).collect()
}

/// Whether a text begins with a drive of Windows: `D:\data`.
fn begins_with_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// Paths in a text: from a slash, or a drive of Windows, at the start of a word up to what ends a word. Those of the kernel
/// stay, being the same on every machine.
fn paths_in(text: &str) -> Vec<&str> {
    const ENDS: [char; 8] = ['"', '\'', '`', ',', ';', ')', '|', '<'];
    let mut found = Vec::new();
    let begins_word = |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || "\"'`=(,;:>|~".contains(c))
    };
    let is_start = |at: &usize| {
        let rest = &text[*at..];
        let is_path = rest.starts_with('/') && !rest.starts_with("//") || begins_with_drive(rest);
        // The slash behind a drive is no path of its own.
        let is_inside = *at >= 2 && text.get(*at - 2..).is_some_and(begins_with_drive);
        is_path && begins_word(*at) && !is_inside
    };
    let letters = text.char_indices().map(|(at, _)| at);
    for at in letters.filter(is_start) {
        let rest = &text[at..];
        let end = rest.find(|c: char| c.is_whitespace() || ENDS.contains(&c)).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches(['.', ':', '/']);
        let is_of_kernel = ["/sys/", "/proc/"].iter().any(|root| path.starts_with(root))
            || path.strip_prefix("/dev/").is_some_and(|name| !name.contains('/'));
        if path.len() > 1 && !is_of_kernel && !["/dev", "/sys", "/proc"].contains(&path) {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ALL: [PrivatePart; 3] = [PrivatePart::Host, PrivatePart::Serial, PrivatePart::Path];

    fn redacted(kinds: &[PrivatePart], document: Value) -> String {
        let mut redaction = Redaction::of(kinds);
        redaction.learn(&document);
        redaction.apply(document).to_string()
    }

    #[test]
    fn values_are_replaced_everywhere_and_by_the_same_word() {
        let document = json!({
            "environment": { "host": "db7.example.org", "facts": [
                { "group": "nvme", "label": "nvme0", "name": "serial", "value": "S4EW NX0R", "source": "/sys/class/nvme" },
            ] },
            "target": { "name": "/srv/secret/data.bin", "devices": [{ "name": "nvme0n1", "serial": "S4EWNX0R" }] },
            "command": "fathom run --target '/srv/secret/data.bin' --json=/home/ann/out.json",
            "notes": ["db7 wrote to /srv/secret/data.bin, see /proc/meminfo and /dev/nvme0n1", "xdb7x stays"],
        });
        let text = redacted(&ALL, document.clone());
        for value in ["db7.example", "db7 ", "S4EW", "secret", "/home", "ann", "out.json"] {
            assert!(document.to_string().contains(value) && !text.contains(value), "{value}: {text}");
        }
        assert!(text.contains("wrote to path-") && text.contains("xdb7x stays"), "{text}");
        assert!(text.contains("/proc/meminfo") && text.contains("/dev/nvme0n1"), "{text}");
        let name = text.split("\"name\":\"path-").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert!(text.contains(&format!("--target 'path-{name}'")), "{text}");

        let serials = redacted(&[PrivatePart::Serial], document);
        assert!(!serials.contains("S4EW") && serials.contains("db7.example") && serials.contains("secret"));
    }

    #[test]
    fn machines_on_the_network_are_known_by_address_and_client() {
        let document = json!({
            "target": { "name": "nvme+tcp://10.0.0.5:4420/nqn.2014-08.org.example:s7/1",
                        "fabric": { "address": "10.0.0.5:4420", "subsystem": "nqn.2014-08.org.example:s7" } },
            "clients": { "clients": [{ "name": "c1", "reach": "ssh:ann@storage-c1", "host": "storage-c1" }] },
            "version": "10.0.0.57",
        });
        let text = redacted(&ALL, document);
        for value in ["10.0.0.5:", "10.0.0.5/", "example", "storage-c1", "\"c1\""] {
            assert!(!text.contains(value), "{value}: {text}");
        }
        assert!(text.contains("10.0.0.57"), "part of a longer name stays: {text}");
    }

    #[test]
    fn a_file_is_a_path_whatever_its_name() {
        let document = json!({
            "target": { "name": "/my folder/x y", "kind": "file" },
            "targets": [{ "name": "secret.bin", "kind": "file" }],
            "command": "fathom run --target '/my folder/x y' --and secret.bin",
            "origin": { "file": "customer.json" },
        });
        let text = redacted(&[PrivatePart::Path], document);
        for value in ["folder", "x y", "secret", "customer"] {
            assert!(!text.contains(value), "{value}: {text}");
        }
    }

    #[test]
    fn paths_of_windows_are_paths() {
        assert_eq!(paths_in(r"wrote D:\a\b.bin, and x=c:/d/e"), [r"D:\a\b.bin", "c:/d/e"]);
        for none in ["D:", "ssd:\\x", "at 12:/x is no drive"] {
            assert!(!paths_in(none).iter().any(|path| path.contains(':')), "{none}: {:?}", paths_in(none));
        }
        let document = json!({
            "target": { "name": r"D:\my folder\x", "kind": "file" },
            "command": r"fathom run --target 'D:\my folder\x'",
        });
        let text = redacted(&[PrivatePart::Path], document);
        assert!(!text.contains("folder"), "{text}");
    }

    #[test]
    fn documents_that_belong_together_have_the_same_words() {
        let documents = vec![json!({ "serial": "S4EWNX0R" }), json!("S4EWNX0R is here")];
        let texts = super::redacted(documents, &[PrivatePart::Serial]);
        assert_eq!(texts, [json!({ "serial": "serial-1" }), json!("serial-1 is here")]);
    }

    #[test]
    fn paths_end_where_words_do() {
        assert_eq!(paths_in("read /a/b.c, then (/d/e) and x=/f"), ["/a/b.c", "/d/e", "/f"]);
        let devices = paths_in("/dev/mapper/vg-secret on /dev/sda, /dev/disk/by-id/x");
        assert_eq!(devices, ["/dev/mapper/vg-secret", "/dev/disk/by-id/x"]);
        for none in ["5000/s", "read/write", "a / b", "https://x.org", "I/O", "", "/"] {
            assert!(paths_in(none).is_empty(), "{none}: {:?}", paths_in(none));
        }
    }
}
