//! Cases with what they showed: the lines that `cargo lab fit` writes.

use fathom_attribute::evidence::{CausePrecondition, Feature};
use fathom_attribute::posterior::FeatureFigure;
use fathom_record::verdict::Limit;
use serde::de::DeserializeOwned;

/// Parts that are left out in turn.
pub const FOLDS: usize = 5;

/// A case.
pub struct Observation {
    /// Which part it belongs to.
    pub fold: usize,
    /// The first is the cause; the others are as right. That a rate is enforced is none of the table's causes.
    pub right: Vec<Limit>,
    /// Whether naming any enforced limit is right.
    pub is_any_cap: bool,
    pub needs: Vec<CausePrecondition>,
    pub figures: Vec<FeatureFigure>,
}

/// Reads them: a heading, then `case,right,needs,figures`.
///
/// # Errors
/// The line that cannot be read.
pub fn read(text: &str) -> Result<Vec<Observation>, String> {
    let lines = text.lines().enumerate().skip(1);
    lines.map(|(at, line)| one(at, line).ok_or_else(|| format!("line {}: {line}", at + 1))).collect()
}

fn one(at: usize, line: &str) -> Option<Observation> {
    let parts: Vec<&str> = line.split(',').collect();
    let [_, right, needs, figures] = parts.as_slice() else { return None };
    let named: Vec<Limit> = right.split(' ').map(value::<Limit>).collect::<Option<_>>()?;
    let is_any_cap = named.contains(&Limit::RateCap);
    Some(Observation {
        fold: at % FOLDS,
        right: named.into_iter().filter(|limit| *limit != Limit::RateCap).collect(),
        is_any_cap,
        needs: needs.split(' ').map(value::<CausePrecondition>).collect::<Option<_>>()?,
        figures: figures.split(' ').filter(|text| !text.is_empty()).map(figure).collect::<Option<_>>()?,
    })
}

fn figure(text: &str) -> Option<FeatureFigure> {
    let (name, rest) = text.split_once('=')?;
    let (value, error) = rest.split_once('~')?;
    Some(FeatureFigure {
        feature: Feature::of(name)?,
        value: value.parse().ok()?,
        error: error.parse().ok()?,
        at_least: None,
    })
}

fn value<T: DeserializeOwned>(name: &str) -> Option<T> {
    toml::Value::String(name.to_owned()).try_into().ok()
}
