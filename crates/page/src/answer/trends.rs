//! `trend`: how the results of a target went over its runs, by the same code as `fathom trend`.

use std::str::FromStr;

use fathom_campaign::trend::{TrendChoice, TrendMetric, Trends, trends};
use fathom_measure::Share;
use fathom_store::Store;

use super::asked::Asked;
use super::{Answer, Refusal, json};

pub(super) fn answer(store: &Store, mut asked: Asked) -> Result<Answer, Refusal> {
    let target = asked
        .text("target")?
        .ok_or_else(|| Refusal::usage("target", "required, e.g. target=/dev/nvme1n1"))?;
    let any = 0..=u64::from(u32::MAX);
    let choice = TrendChoice {
        target,
        pattern: asked.text("pattern")?,
        jobs: asked.number("jobs", any.clone())?.map(|jobs| jobs as u32),
        depth: asked.number("depth", any)?.map(|depth| depth as u32),
        since: asked.text("since")?,
    };
    let metric = match asked.text("metric")?.as_deref() {
        None | Some("iops") => TrendMetric::Iops,
        Some("p50") => TrendMetric::P50,
        Some("p99") => TrendMetric::P99,
        Some(other) => {
            return Err(Refusal::usage("metric", format!("`{other}` is neither iops nor p50 nor p99")));
        }
    };
    let least = asked.text("least")?.map(|text| Share::from_str(&text)).transpose();
    let least = least.map_err(|error| Refusal::usage("least", error.to_string()))?.unwrap_or(Share(0.02));
    asked.end()?;
    let found = trends(store, &choice, metric, least.0)?;
    json(&Trends::new(&choice.target, metric, least.0, &found))
}
