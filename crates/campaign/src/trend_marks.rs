//! What happened around the runs of a target: marks that people made, and what changed by itself between one run and the
//! next, which is read from the runs' own environments and stored nowhere else.

use std::collections::{BTreeMap, HashMap};

use fathom_order::InOrder;
use fathom_record::environment_facts::Environment;
use fathom_store::{Mark, Store, StoreError, Surroundings};
use serde::Serialize;

/// Newest runs of a target that are looked at.
const RUNS_MAX: u32 = 20_000;
/// Names of facts whose change is one of a driver or of firmware.
const FACTS: [&str; 4] = ["driver", "driver_version", "firmware_rev", "bios_version"];

/// Something that happened around runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrendMark {
    /// When it began, RFC 3339, UTC; of a change between two runs, when the one before it started.
    pub from_at: String,
    /// When it was over; absent for a moment.
    pub until_at: Option<String>,
    /// What happened.
    pub title: String,
    /// Whether it was read from the runs' environments, and not made by somebody.
    pub automatic: bool,
}

impl TrendMark {
    fn made(mark: Mark) -> Self {
        let text = mark.text;
        Self { from_at: text.from_at, until_at: text.until_at, title: text.title, automatic: false }
    }

    /// Whether it is about anything between two moments, the first one excluded.
    pub fn is_between(&self, before: &str, at: &str) -> bool {
        // `Z` would sort a whole second behind its fractions.
        let plain = |moment: &str| moment.trim_end_matches('Z').to_owned();
        let until = self.until_at.as_deref().unwrap_or(&self.from_at);
        plain(&self.from_at) < plain(at) && plain(until) > plain(before) || plain(&self.from_at) == plain(at)
    }
}

/// Marks about a target, oldest first.
///
/// # Errors
/// When the store cannot be read. An environment that is damaged changes nothing.
pub fn marks_of(store: &Store, target: &str) -> Result<Vec<TrendMark>, StoreError> {
    let made = store.marks(Some(target))?.into_iter().map(TrendMark::made);
    let runs = store.surroundings(target, RUNS_MAX)?;
    let mut facts: HashMap<i64, BTreeMap<String, String>> = HashMap::new();
    for run in &runs {
        facts.entry(run.environment).or_insert_with(|| {
            store.environment(run.environment).map_or_else(|_| BTreeMap::new(), |found| told(&found))
        });
    }
    let mut all: Vec<TrendMark> = made.chain(changes(&runs, &facts)).collect();
    all.put_in_order_by(|one, other| one.from_at.cmp(&other.from_at));
    Ok(all)
}

/// What an environment says of kernel, drivers and firmware, by what it is about.
fn told(environment: &Environment) -> BTreeMap<String, String> {
    let mut told = BTreeMap::new();
    if !environment.kernel.is_empty() {
        told.insert("kernel".to_owned(), environment.kernel.clone());
    }
    for fact in environment.facts.iter().filter(|fact| FACTS.contains(&fact.name.as_str())) {
        let name = match fact.name.as_str() {
            "firmware_rev" => "firmware",
            "driver_version" => "driver version",
            "bios_version" => "firmware of the machine",
            name => name,
        };
        let about = if fact.label.is_empty() { name.to_owned() } else { format!("{name} of {}", fact.label) };
        told.insert(about, fact.value.trim().to_owned());
    }
    told
}

fn changes(runs: &[Surroundings], facts: &HashMap<i64, BTreeMap<String, String>>) -> Vec<TrendMark> {
    let mut found = Vec::new();
    for pair in runs.windows(2) {
        let [before, after] = pair else { continue };
        let mut titles = Vec::new();
        if before.environment != after.environment
            && let (Some(old), Some(new)) = (facts.get(&before.environment), facts.get(&after.environment))
        {
            let both = old.iter().filter_map(|(about, value)| Some((about, value, new.get(about)?)));
            titles.extend(
                both.filter(|(_, old, new)| old != new).map(|(about, old, new)| changed(about, old, new)),
            );
        }
        if let (Some(old), Some(new)) = (&before.version, &after.version)
            && old != new
        {
            titles.push(changed("fathom", old, new));
        }
        found.extend(titles.into_iter().map(|title| TrendMark {
            from_at: before.started_at.clone(),
            until_at: Some(after.started_at.clone()),
            title,
            automatic: true,
        }));
    }
    found
}

fn changed(about: &str, old: &str, new: &str) -> String {
    format!("{about} {old} -> {new}")
}

#[cfg(test)]
mod tests {
    use fathom_record::environment_facts::Fact;

    use super::*;

    fn environment(kernel: &str, firmware: &str) -> Environment {
        let fact = |group: &str, label: &str, name: &str, value: &str| Fact {
            group: group.to_owned(),
            label: label.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
            source: String::new(),
        };
        Environment {
            kernel: kernel.to_owned(),
            facts: vec![
                fact("nvme", "nvme0n1", "firmware_rev", firmware),
                fact("nvme", "nvme0n1", "address", kernel),
                fact("firmware", "", "bios_version", "1"),
            ],
            ..Environment::default()
        }
    }

    fn run(day: u32, environment: i64, version: Option<&str>) -> Surroundings {
        let started_at = format!("2026-11-{day:02}T08:00:00Z");
        Surroundings { started_at, environment, version: version.map(str::to_owned) }
    }

    #[test]
    fn changes_between_runs_are_told_once_and_others_are_not() {
        let facts: HashMap<i64, BTreeMap<String, String>> = [
            (1, told(&environment("6.12", "A"))),
            (2, told(&environment("6.14", "A"))),
            (3, told(&environment("6.14", " B "))),
            (4, BTreeMap::new()),
        ]
        .into();
        let runs = [
            run(1, 1, Some("0.1")),
            run(2, 1, Some("0.1")),
            run(3, 2, Some("0.1")),
            run(4, 3, Some("0.2")),
            run(5, 4, None),
            run(6, 3, Some("0.2")),
        ];
        let found = changes(&runs, &facts);
        let titles: Vec<&str> = found.iter().map(|mark| mark.title.as_str()).collect();
        assert_eq!(titles, ["kernel 6.12 -> 6.14", "firmware of nvme0n1 A -> B", "fathom 0.1 -> 0.2"]);
        assert_eq!(found[0].from_at, "2026-11-02T08:00:00Z");
        assert_eq!(found[0].until_at.as_deref(), Some("2026-11-03T08:00:00Z"));
        assert!(found.iter().all(|mark| mark.automatic));
    }

    #[test]
    fn a_mark_belongs_to_a_change_where_both_touch() {
        let mark = |from: &str, until: Option<&str>| TrendMark {
            from_at: from.to_owned(),
            until_at: until.map(str::to_owned),
            title: String::new(),
            automatic: false,
        };
        let is = |mark: TrendMark| mark.is_between("2026-11-02T08:00:00Z", "2026-11-03T08:00:00.5Z");
        assert!(is(mark("2026-11-02T09:00:00Z", None)));
        assert!(is(mark("2026-11-03T08:00:00.5Z", None)));
        assert!(is(mark("2026-11-01", Some("2026-11-02T08:00:00.1Z"))));
        assert!(is(mark("2026-11-02T08:00:00Z", Some("2026-11-03T08:00:00.5Z"))));
        assert!(!is(mark("2026-11-02T07:00:00Z", None)));
        assert!(!is(mark("2026-11-04", None)));
        assert!(!is(mark("2026-11-01", Some("2026-11-02T08:00:00Z"))));
    }
}
