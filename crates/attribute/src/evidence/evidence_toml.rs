//! Reads the evidence table from its TOML.

use fathom_record::verdict::Limit;
use serde::Deserialize;
use toml::{Table as Toml, Value};

use super::density::DensityPeak;
use super::{
    Calibration, Density, EXPERIMENTS, EvidenceError, EvidenceErrorKind as Kind, ExperimentCost, Feature,
    Table,
};

/// One cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// Which.
    pub limit: Limit,
    /// The claim, with `{rate}`, `{throughput}`, `{in_flight}` and `{deeper}` to be filled in.
    pub statement: String,
    /// What it looks like, for people.
    pub looks: String,
    /// What to do about it.
    pub next: String,
    /// Where the row comes from.
    pub source: String,
    /// Weight before anything is seen, beside 1 of the most common causes.
    pub prior: f64,
    /// The same in published tables, by how often such causes are published; absent: the same.
    pub published: f64,
    /// What must be so for it to be possible.
    pub needs: Vec<CausePrecondition>,
    /// Features whose first peaks belong together, and their second ones: it shows all first ones or all second ones.
    pub together: Vec<Feature>,
    /// Words by which those who publish results name it, in lower case; with a star, their beginnings.
    pub names: Vec<String>,
    /// Its figures, by feature; absent: the usual.
    pub figures: Vec<Option<Density>>,
}

/// What must be so for a cause to be possible.
///
/// From `Compared` on: what a table of published results states, and a run mostly does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CausePrecondition {
    /// Something that stores: not `null:` or memory.
    Device,
    /// A target that somebody may have limited: anything but a drive that is known to be bare.
    Provisioned,
    /// Time that passes, on processors.
    Processors,
    /// Writes in the workload.
    Writes,
    /// A file as target.
    File,
    /// An open loop that asks for a rate.
    Rate,
    /// A device whose queue tags are known.
    Tags,
    /// A link before the target that could bind: any but where a drive is known to have none.
    Link,
    /// TCP connections of this program's own, about which the kernel was asked.
    Sockets,
    /// Results that differ in nothing but a setting, version or software.
    Compared,
    /// Results with more of what carries the I/O: drives, nodes, guests.
    Added,
    /// Writes of which several copies are stated, or another layout of copies beside.
    Copies,
    /// Writes that are flushed, or the same without flushes beside.
    Flushes,
    /// I/Os that can be merged: sequential ones, or a share that was counted.
    Adjacent,
    /// Connections that are stated.
    Connections,
    /// Several devices, or a bound of what they share.
    Shared,
    /// A known bound of the memory.
    Memory,
    /// A NUMA node that is stated.
    Node,
    /// Processors that are stated to be the client's.
    Client,
    /// Processors that are the target's: an agent was there, or they are stated to be.
    Server,
    /// A bound that holds while burst credits last.
    Burst,
    /// Jobs that are stated to have ended early.
    Ended,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    calibration: Calibration,
    symptom: Toml,
    experiment: Toml,
    cause: Toml,
}

#[derive(Deserialize)]
struct Words {
    statement: String,
    looks: String,
    next: String,
    source: String,
    prior: f64,
    published: Option<f64>,
    #[serde(default)]
    needs: Vec<CausePrecondition>,
    #[serde(default)]
    together: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
}

/// What a cause's entry has beside figures.
const WORDS: [&str; 9] =
    ["statement", "looks", "next", "source", "prior", "published", "needs", "together", "names"];

fn wrong(kind: Kind, cause: impl Into<String>) -> EvidenceError {
    EvidenceError::new(kind, "the table of evidence", cause)
}

/// The whole table with what was fitted, or what is wrong in it.
pub fn read(text: &str, fitted: &str) -> Result<Table, EvidenceError> {
    let mut all: Toml =
        fathom_toml::values(text).map_err(|mistake| wrong(Kind::Syntax, mistake.to_string()))?;
    overlay(&mut all, fitted)?;
    let sheet: Sheet = Value::Table(all)
        .try_into()
        .map_err(|error: toml::de::Error| wrong(Kind::Value, error.to_string()).with_source(error))?;
    let no_usual = || wrong(Kind::Value, "no `usual`");
    let mut usual = vec![None; Feature::ALL.len()];
    let mut trials = vec![None; Feature::ALL.len()];
    let mut one_sided = vec![false; Feature::ALL.len()];
    for (name, entry) in sheet.symptom.iter().chain(&sheet.experiment) {
        let feature = feature(name)?;
        let entry = entry.as_table().ok_or_else(|| wrong(Kind::Value, format!("{name} is not a table")))?;
        usual[feature.index()] = Some(density(name, entry.get("usual").ok_or_else(no_usual)?)?);
        one_sided[feature.index()] = entry.get("one_sided").and_then(Value::as_bool).unwrap_or(false);
        if EXPERIMENTS.contains(&feature) {
            trials[feature.index()] = Some(trial(name, entry)?);
        }
    }
    let causes = sheet.cause.iter().map(|(name, entry)| cause(name, entry)).collect::<Result<_, _>>()?;
    Ok(Table { calibration: Some(sheet.calibration), causes, usual, one_sided, trials })
}

/// Puts fitted figures in the place of those set by hand: of the calibration, and of densities of causes that are there.
fn overlay(all: &mut Toml, fitted: &str) -> Result<(), EvidenceError> {
    let wrong = |kind, cause: String| EvidenceError::new(kind, "fitted", cause);
    let fitted: Toml =
        fathom_toml::values(fitted).map_err(|mistake| wrong(Kind::Syntax, mistake.to_string()))?;
    for (section, entries) in &fitted {
        let entries =
            entries.as_table().ok_or_else(|| wrong(Kind::Value, format!("{section} is not a table")))?;
        let place = all.get_mut(section).and_then(Value::as_table_mut);
        match (section.as_str(), place) {
            ("calibration", Some(place)) => place.extend(entries.clone()),
            ("cause", Some(causes)) => {
                for (cause, figures) in entries {
                    let row = causes.get_mut(cause).and_then(Value::as_table_mut);
                    let row =
                        row.ok_or_else(|| wrong(Kind::UnknownName, format!("there is no cause `{cause}`")))?;
                    for (name, value) in figures.as_table().into_iter().flatten() {
                        feature(name).map_err(|error| error.at("fitted"))?;
                        row.insert(name.clone(), value.clone());
                    }
                }
            }
            _ => return Err(wrong(Kind::UnknownName, format!("`{section}` is not fitted"))),
        }
    }
    Ok(())
}

fn feature(name: &str) -> Result<Feature, EvidenceError> {
    Feature::of(name)
        .ok_or_else(|| wrong(Kind::UnknownName, format!("`{name}` is not a known symptom or experiment")))
}

fn trial(name: &str, entry: &Toml) -> Result<ExperimentCost, EvidenceError> {
    let minutes = entry.get("minutes").and_then(number).filter(|minutes| *minutes > 0.0);
    let question = entry.get("question").and_then(Value::as_str);
    match (minutes, question) {
        (Some(minutes), Some(question)) => Ok(ExperimentCost { minutes, question: question.to_owned() }),
        _ => Err(wrong(Kind::Value, format!("experiment `{name}` has no minutes or no question"))),
    }
}

fn cause(name: &str, entry: &Value) -> Result<Cause, EvidenceError> {
    let wrong = |kind, cause: String| wrong(kind, format!("cause `{name}`: {cause}"));
    let limit = Value::String(name.to_owned())
        .try_into::<Limit>()
        .map_err(|error| wrong(Kind::UnknownName, error.message().to_owned()))?;
    let words: Words =
        entry.clone().try_into().map_err(|error| wrong(Kind::Value, error.message().to_owned()))?;
    let mut figures = vec![None; Feature::ALL.len()];
    for (key, value) in entry.as_table().into_iter().flatten() {
        if !WORDS.contains(&key.as_str()) {
            figures[feature(key)?.index()] = Some(density(key, value)?);
        }
    }
    let is_weight = |weight: f64| weight > 0.0 && weight.is_finite();
    if !is_weight(words.prior) || !words.published.is_none_or(is_weight) {
        return Err(wrong(Kind::Value, "the prior must be above 0".to_owned()));
    }
    let Words { statement, looks, next, source, prior, published, needs, together, names } = words;
    let together = together.iter().map(|name| feature(name)).collect::<Result<Vec<_>, _>>()?;
    let is_mixture = |feature: &&Feature| matches!(figures[feature.index()], Some(Density::Either(..)));
    if let Some(alone) = together.iter().find(|feature| !is_mixture(feature)) {
        let cause = format!("{} is together with others and has no two peaks", alone.name());
        return Err(wrong(Kind::Value, cause));
    }
    let published = published.unwrap_or(prior);
    Ok(Cause { limit, statement, looks, next, source, prior, published, needs, together, names, figures })
}

fn density(name: &str, value: &Value) -> Result<Density, EvidenceError> {
    let wrong = || {
        let cause = format!("`{name}` must be [mean, deviation] or two of these, with deviations above 0");
        wrong(Kind::Value, cause)
    };
    let list = value.as_array().ok_or_else(wrong)?;
    match (list.first().and_then(peak), list.get(1).and_then(peak)) {
        (Some(a), Some(b)) if list.len() == 2 => Ok(Density::Either(a, b)),
        _ => peak(value).map(Density::One).ok_or_else(wrong),
    }
}

fn peak(value: &Value) -> Option<DensityPeak> {
    match value.as_array()?.as_slice() {
        [mean, deviation] => DensityPeak::new(number(mean)?, number(deviation)?),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}
