//! `trend`: how the results of a target went over its runs, by the same code as `fathom trend`.

use std::str::FromStr;

use fathom_campaign::result_trends::{TrendChoice, TrendMetric, Trends, trends};
use fathom_measure::Share;
use fathom_store::Store;

use super::query_parameters::QueryParameters;
use super::{Answer, Refusal, json};

/// The least difference that matters where nothing says another, as a share.
pub(crate) const LEAST: f64 = 0.02;

/// What is followed, by its name; I/Os a second where nothing says another.
pub(crate) fn metric(name: Option<&str>) -> Result<TrendMetric, Refusal> {
    match name {
        None | Some("iops") => Ok(TrendMetric::Iops),
        Some("p50") => Ok(TrendMetric::P50),
        Some("p99") => Ok(TrendMetric::P99),
        Some(other) => Err(Refusal::usage("metric", format!("`{other}` is neither iops nor p50 nor p99"))),
    }
}

pub(super) fn answer(store: &Store, mut parameters: QueryParameters) -> Result<Answer, Refusal> {
    let target = parameters
        .text("target")?
        .ok_or_else(|| Refusal::usage("target", "required, e.g. target=/dev/nvme1n1"))?;
    let any = 0..=u64::from(u32::MAX);
    let choice = TrendChoice {
        target,
        pattern: parameters.text("pattern")?,
        jobs: parameters.number("jobs", any.clone())?.map(|jobs| jobs as u32),
        depth: parameters.number("depth", any)?.map(|depth| depth as u32),
        since: parameters.text("since")?,
    };
    let metric = metric(parameters.text("metric")?.as_deref())?;
    let least = parameters.text("least")?.map(|text| Share::from_str(&text)).transpose();
    let least = least.map_err(|error| Refusal::usage("least", error.to_string()))?.unwrap_or(Share(LEAST));
    parameters.end()?;
    let found = trends(store, &choice, metric, least.0)?;
    json(&Trends::new(&choice.target, metric, least.0, &found))
}
