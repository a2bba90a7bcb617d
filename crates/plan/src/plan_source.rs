//! A plan file and the flags that override it, with the place of every value.

use std::collections::BTreeMap;

use fathom_toml::line_of;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::{Mistake, PlanError, PlanErrorKind};
use super::raw_plan::{RawPlan, keys};
use super::{Client, RunPlan, pasted_characters, quantity, resolve, suggest};

/// A plan as given: its values, unread, and where each of them stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanSource {
    raw: RawPlan,
    file: String,
    /// Line of each key that comes from the file.
    lines: BTreeMap<String, usize>,
}

impl PlanSource {
    /// A plan that stands on the command line alone.
    pub fn from_flags(flags: RawPlan) -> Self {
        Self { raw: flags, ..Self::default() }
    }

    /// Reads the text of a plan file. `file` is its name in messages.
    ///
    /// # Errors
    /// Text that is not TOML, a key that does not exist, or a value of the wrong type, with its line.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, PlanError> {
        let refuse = |span: Option<std::ops::Range<usize>>, kind, cause: String| {
            let line = line_of(text, span.map_or(0, |span| span.start));
            PlanError::new(kind, in_file(file, line), cause)
        };
        let table = match toml::de::DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let (kind, cause, remedy) = syntax(text, &error);
                return Err(refuse(error.span(), kind, cause).with_remedy(remedy).with_source(error));
            }
        };
        let known = keys();
        let mut lines = BTreeMap::new();
        for key in table.get_ref().keys() {
            let name: &str = key.get_ref();
            if !known.iter().any(|known| known == name) {
                let advice = suggest::advice(name, known.iter().map(String::as_str));
                let cause = format!("unknown key `{name}`");
                return Err(refuse(Some(key.span()), PlanErrorKind::UnknownName, cause).with_remedy(advice));
            }
            lines.insert(name.to_owned(), line_of(text, key.span().start));
        }
        // By way of the values that flags become too: the list of keys is compiled for these alone.
        let values = match Map::deserialize(toml::Deserializer::from(table)) {
            Ok(values) => values,
            Err(error) => {
                let cause = error.message().to_owned();
                return Err(refuse(error.span(), PlanErrorKind::Value, cause).with_source(error));
            }
        };
        match typed(values) {
            Ok(raw) => Ok(Self { raw, file: file.to_owned(), lines }),
            Err((key, error)) => {
                let line = lines.get(&key).copied().unwrap_or(1);
                Err(error.at(in_file(file, line)))
            }
        }
    }

    /// The same plan with every value that `flags` has in place of its own.
    pub fn overridden_by(mut self, flags: RawPlan) -> Self {
        let mut values = self.raw.values();
        for (key, value) in flags.values() {
            self.lines.remove(&key);
            values.insert(key, value);
        }
        self.raw = RawPlan::of_values(values).expect("values that came out of a plan fit into one");
        self
    }

    /// What it permits for one command alone: serial numbers of devices whose content may be lost, and whether devices
    /// are read in full before the first write.
    pub fn permits(&self) -> (Vec<String>, bool) {
        (self.raw.destroy.clone().unwrap_or_default(), self.raw.check_empty == Some(true))
    }

    /// The values, unread.
    pub fn raw(&self) -> &RawPlan {
        &self.raw
    }

    /// Whether a key was typed on the command line, and does not stand in the file alone.
    pub fn is_typed(&self, key: &str) -> bool {
        self.raw.values().contains_key(key) && !self.lines.contains_key(key)
    }

    /// The same plan with other values; those from the file keep their lines.
    pub fn replaced(&self, raw: RawPlan) -> Self {
        Self { raw, ..self.clone() }
    }

    /// The same plan with these keys set, as they are typed.
    ///
    /// # Errors
    /// A value that its key does not take.
    pub fn with(&self, keys: &[(String, String)]) -> Result<Self, PlanError> {
        let mut values = self.raw.values();
        let mut lines = self.lines.clone();
        for (key, text) in keys {
            lines.remove(key);
            let value = match text.as_str() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => Value::String(text.clone()),
            };
            values.insert(key.clone(), value);
        }
        match RawPlan::of_values(values) {
            Ok(raw) => Ok(Self { raw, lines, file: self.file.clone() }),
            Err(error) => {
                let key = keys.first().map_or("", |(key, _)| key.as_str());
                Err(unlike(error).at(format!("--{key}")))
            }
        }
    }

    /// The seed that the plan names, or the new one.
    ///
    /// # Errors
    /// A seed that is no number.
    pub fn seed(&self, new_seed: u64) -> Result<u64, PlanError> {
        let seed = resolve::value("seed", &self.raw.seed, quantity::count);
        Ok(seed.map_err(|mistake| self.placed(mistake))?.unwrap_or(new_seed))
    }

    /// Reads every value, fills in the defaults, and checks the whole.
    ///
    /// `new_seed` is used when the plan names none; the result holds the seed either way.
    ///
    /// # Errors
    /// The first value that is not what its key takes, or that contradicts another, with its place.
    pub fn resolve(&self, new_seed: u64) -> Result<RunPlan, PlanError> {
        let plan = resolve::resolve(&self.raw, new_seed).map_err(|mistake| self.placed(mistake))?;
        if self.lines.contains_key("client") {
            refuse_commands(&plan.options.clients).map_err(|mistake| self.placed(mistake))?;
        }
        Ok(plan)
    }

    fn placed(&self, mistake: Mistake) -> PlanError {
        match self.lines.get(mistake.key) {
            Some(line) => mistake.at(in_file(&self.file, *line)),
            None => mistake.at_flag(),
        }
    }
}

/// A line of a plan file, as a place.
fn in_file(file: &str, line: usize) -> String {
    format!("{file}:{line}")
}

/// A plan file may come from anybody: it names machines, and nothing that is started, here or there.
fn refuse_commands(clients: &[Client]) -> Result<(), Mistake> {
    match clients.iter().find(|client| client.starts_what_it_names()) {
        None => Ok(()),
        Some(client) => {
            let remedy = format!("to reach {} by one, type --client '{client}'", client.name);
            let mistake = Mistake::new("client", PlanErrorKind::Value, "a plan file starts no command");
            Err(mistake.with_remedy(remedy))
        }
    }
}

/// A value of another type than its key's, before its place is known.
fn unlike(error: serde_json::Error) -> PlanError {
    PlanError::new(PlanErrorKind::Value, "", error.to_string()).with_source(error)
}

/// A plan of a file's values; or the key whose value it does not take, and why, without a place.
fn typed(values: Map<String, Value>) -> Result<RawPlan, (String, PlanError)> {
    // `nan` and `inf`, which JSON has no numbers for, would read as a key that is not there.
    if let Some((key, _)) = values.iter().find(|(_, value)| value.is_null()) {
        let cause = "expected a text in quotes or a number";
        return Err((key.clone(), PlanError::new(PlanErrorKind::Value, "", cause)));
    }
    RawPlan::of_values(values.clone()).map_err(|error| {
        let is_refused = |one: &(String, Value)| RawPlan::of_values(Map::from_iter([one.clone()])).is_err();
        (values.into_iter().find(is_refused).map_or_else(String::new, |(key, _)| key), unlike(error))
    })
}

/// What to say of a text that is not TOML: what is wrong, and what to type.
fn syntax(text: &str, error: &toml::de::Error) -> (PlanErrorKind, String, String) {
    let start = error.span().map_or(0, |span| span.start);
    let line = text.lines().nth(line_of(text, start) - 1).unwrap_or("");
    if let Some((which, meant)) = pasted_characters::find(line) {
        let bare = meant.trim_start_matches('-');
        let cause = format!("holds {which}, as documents make them");
        return (PlanErrorKind::Pasted, cause, format!("type `{bare}`"));
    }
    let cause = error.message().trim().replace('\n', ", ");
    (PlanErrorKind::Syntax, cause, "a plan is lines such as `bs = \"4k\"`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let source = PlanSource::from_toml(text, "plan.toml");
        source.and_then(|source| source.resolve(1)).expect_err(text).to_string()
    }

    #[test]
    fn mistakes_name_their_line_and_what_to_write() {
        let cases = [
            ("rw = 'read'\ndpeth = 3", "plan.toml:2: unknown key `dpeth`\n  did you mean `depth`?"),
            ("\n\niodepth = 3", "plan.toml:3: unknown key `iodepth`\n  here it is `depth`"),
            (
                "[workload]\nbs = 1",
                "plan.toml:1: unknown key `workload`\n  `fathom run --help` lists what there is",
            ),
            (
                "target='x'\n–depth = 3",
                "plan.toml:2: holds an en dash, as documents make them\n  type `depth = 3`",
            ),
            (
                "target='x'\nbs = '4k–64k'",
                "plan.toml:2: `4k–64k` holds an en dash, as documents make them\n  type `4k-64k`",
            ),
            ("target='x'\njobs = 0", "plan.toml:2: 0 is not between 1 and 1024"),
            ("target='x'\n\nwrite-bs = 0", "plan.toml:3: an I/O size is not 0, e.g. 4k"),
            ("target='x'\nbuffered = 'yes'", "plan.toml:2: invalid type: string \"yes\", expected a boolean"),
            (
                "depth = 3",
                "--target: say what to measure: FILE, /dev/X, nvme+tcp://HOST/NQN, null:, memory: or sim:NAME",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), expected);
        }
        assert!(message("a = ").starts_with("plan.toml:1: "));
        assert!(message("jobs = 1\njobs = 2").starts_with("plan.toml:2: "));
        assert!(message("target='x'\nseed = 1979-05-27").starts_with("plan.toml:2: "));
        assert!(message("target='x'\njobs = [1]").starts_with("plan.toml:2: "));
        assert_eq!(message("target='x'\njobs = nan"), "plan.toml:2: expected a text in quotes or a number");
        let in_a_list = message("target='x'\njobs = 2\nclient = [\n 'a', 1.5]");
        assert_eq!(in_a_list, "plan.toml:3: invalid type: floating point `1.5`, expected a string");
    }

    #[test]
    fn a_refused_file_keeps_what_its_error_came_from() {
        use std::error::Error as _;
        for text in ["a = ", "target='x'\nseed = 1979-05-27", "target='x'\nbuffered = 'yes'"] {
            let refused = PlanSource::from_toml(text, "plan.toml").expect_err(text);
            assert!(refused.source().is_some(), "{refused}");
        }
    }

    #[test]
    fn a_file_names_machines_and_starts_no_command() {
        let text = "target = 'x'\nclient = ['ssh:c1', 'exec:sh -c true']";
        assert!(message(text).starts_with("plan.toml:2: a plan file starts no command"));
        let there = "target = 'x'\nclient = 'ssh:c1 program=/tmp/x'";
        assert!(message(there).contains("starts no command"));
        let flags = RawPlan { client: Some(vec!["exec:env fathom agent".into()]), ..RawPlan::default() };
        let file = PlanSource::from_toml(text, "plan.toml").expect("a plan");
        assert_eq!(file.overridden_by(flags).resolve(1).expect("a plan").options.clients.len(), 1);
        let machines = PlanSource::from_toml("target = 'x'\nclient = 'ssh:c1'", "plan.toml").expect("a plan");
        assert_eq!(machines.resolve(1).expect("a plan").options.clients[0].name, "c1");
        assert!(message("target = 'x'\npartition = true").contains("add --client"));
    }

    #[test]
    fn flags_win_and_take_the_blame() {
        let file =
            PlanSource::from_toml("target = 'a'\njobs = 4\nbuffered = true", "plan.toml").expect("a plan");
        let flags = RawPlan { depth: Some("0".into()), ..RawPlan::default() };
        let error = file.clone().overridden_by(flags).resolve(1).expect_err("depth 0");
        assert_eq!(error.place, "--depth");

        let flags = RawPlan { jobs: Some("2".into()), buffered: Some(false), ..RawPlan::default() };
        let plan = file.overridden_by(flags).resolve(1).expect("a plan");
        assert_eq!((plan.workload.jobs, plan.options.direct, plan.targets), (2, true, vec!["a".to_owned()]));
    }

    #[test]
    fn a_seed_is_taken_from_the_plan_before_the_caller() {
        let seed = |text| PlanSource::from_toml(text, "p").expect(text).resolve(7).expect(text).workload.seed;
        assert_eq!(seed("target = 'x'"), 7);
        assert_eq!(seed("target = 'x'\nseed = 9"), 9);
        assert_eq!(seed("target = 'x'\nseed = '18446744073709551615'"), u64::MAX);
    }
}
