//! What makes two sweeps the same one, and the targets that it is kept under.

use fathom_record::campaign::SweepPlan;

use crate::started::Resumable;

impl Resumable for SweepPlan {
    const NOUN: &'static str = "sweep";
    const LETTER: &'static str = "s";

    fn without_seed(&self) -> Self {
        Self { seed: 0, ..self.clone() }
    }
}

/// The targets as the user named them.
pub fn targets_of(plan: &SweepPlan) -> String {
    let axis = plan.axes.iter().find(|axis| axis.key == "target");
    let names: Vec<String> = match (axis, plan.base.get("target")) {
        (Some(axis), _) => axis.values.clone(),
        (None, Some(serde_json::Value::Array(names))) => {
            names.iter().filter_map(serde_json::Value::as_str).map(str::to_owned).collect()
        }
        (None, Some(serde_json::Value::String(name))) => vec![name.clone()],
        (None, _) => Vec::new(),
    };
    names.join(" + ")
}
